//! The file writer: what it writes, what it refuses, in what order it wants its calls.

mod support;

mod file_writer {
    mod examples;
    mod expected;
    mod kv;
    mod order;
    mod random;
    mod readers;
    mod refusals;
    mod vectors;

    use hrry::{DescriptorSpec, Exact, FileOptions, FileWriter, KvEntry, Policy, Sink, WriteError};

    use crate::support::sinks::{Full, Limited};
    use crate::support::spec::{Kind, Plain};
    use expected::Tensor;

    /// Memory that held something else before, so that a byte which is not written shows.
    pub struct Dirty {
        memory: Vec<u8>,
        used: usize,
    }

    impl Dirty {
        pub fn new(len: usize) -> Self {
            Dirty {
                memory: vec![0xA5; len],
                used: 0,
            }
        }

        pub fn written(&self) -> &[u8] {
            assert!(self.memory[self.used..].iter().all(|byte| *byte == 0xA5));
            &self.memory[..self.used]
        }
    }

    impl Sink for Dirty {
        type Error = Full;

        fn put(&mut self, bytes: &[u8]) -> Result<(), Full> {
            let free = self.memory.get_mut(self.used..).ok_or(Full)?;
            free.get_mut(..bytes.len())
                .ok_or(Full)?
                .copy_from_slice(bytes);
            self.used += bytes.len();
            Ok(())
        }
    }

    pub type Result<T = (), E = WriteError<Full>> = std::result::Result<T, E>;
    pub type Writer<'a, W = Limited> = FileWriter<&'a mut W, [u8; INDEX], Exact, Vec<u64>>;

    const INDEX: usize = 1 << 15;

    pub fn writer<'a, W: Sink>(
        sink: &'a mut W,
        options: &FileOptions,
        policy: Policy,
    ) -> Result<Writer<'a, W>, WriteError<W::Error>> {
        FileWriter::with_parts(sink, options, [0xA5; INDEX], Exact, Vec::new(), policy)
    }

    /// A writer that grows, strict and without promises.
    pub fn plain(sink: &mut Limited) -> Writer<'_> {
        writer(sink, &FileOptions::PLAIN, Policy::STRICT).unwrap()
    }

    /// Writes tensors, payload in pieces of `piece` bytes over all buffers, then the keys.
    pub fn write<W: Sink>(
        mut writer: Writer<'_, W>,
        tensors: &[Tensor],
        kv: &[KvEntry<'_>],
        piece: usize,
    ) -> Result<u64, WriteError<W::Error>> {
        for tensor in tensors {
            tensor
                .plain
                .lend(Kind::Native, |spec| writer.begin(&tensor.name, spec))?;
            let payload = tensor.buffers.concat();
            for piece in payload.chunks(piece) {
                writer.payload(piece)?;
            }
            writer.end()?;
        }
        let (_, len) = writer.finish_with_kv(kv.iter().copied())?;
        Ok(len)
    }

    /// Writes a whole file into memory that is not clean.
    pub fn file(options: &FileOptions, tensors: &[Tensor], kv: &[KvEntry<'_>]) -> Vec<u8> {
        let mut sink = Dirty::new(1 << 18);
        let writer = writer(&mut sink, options, Policy::STRICT).unwrap();
        let len = write(writer, tensors, kv, 7).unwrap();
        assert_eq!(len, sink.used as u64);
        sink.written().to_vec()
    }

    pub fn with<R>(plain: &Plain, f: impl FnOnce(&DescriptorSpec<'_>) -> R) -> R {
        plain.lend(Kind::Native, f)
    }
}
