//! Containers: in memory without and with words to lend, and front to back.

use hrry::{Entry, FileDirectory, KvEntry, KvValue, Trailer};
#[cfg(any(feature = "file_view", feature = "file_scratch"))]
use hrry::{Error, FileView, Policy};

use crate::fold::Fold;

impl Fold {
    fn entry(&mut self, entry: &Entry<'_>) {
        self.text(entry.name.as_bytes());
        self.number(entry.descriptor_offset);
        self.number(entry.descriptor_length);
        self.number(entry.data_offset);
        self.number(entry.data_length);
    }

    fn kv(&mut self, entry: &KvEntry<'_>) {
        self.text(entry.key.as_bytes());
        match entry.value {
            KvValue::String(text) => self.text(text.as_bytes()),
            KvValue::Int64(number) => self.number(number.cast_unsigned()),
            KvValue::Uint64(number) => self.number(number),
            KvValue::Float64(bits) => self.number(bits.0),
            KvValue::Bool(truth) => self.number(truth),
            KvValue::Bytes(bytes) => self.text(bytes),
            KvValue::Array(array) => self.number(array.iter().count() as u64),
            _ => {}
        }
    }

    fn trailer(&mut self, trailer: &Trailer) {
        self.number(trailer.index_offset);
        self.number(trailer.kv_offset);
        self.number(trailer.kv_length);
    }

    fn text(&mut self, text: &[u8]) {
        self.number(*text.first().unwrap_or(&0));
        self.number(text.len() as u64);
    }

    #[allow(dead_code)] // not of every variant
    fn directory(&mut self, directory: &FileDirectory<'_>) {
        self.number(directory.header().data_buffer_alignment);
        self.trailer(directory.trailer());
        directory.kv().for_each(|entry| self.kv(&entry));
        directory.entries().for_each(|entry| self.entry(&entry));
    }
}

/// Opens, finds a name and looks at its tensor.
///
/// # Safety
///
/// `data` points to `len` bytes, `name` to `name_len`.
#[cfg(feature = "file_view")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_file_view(
    data: *const u8,
    len: usize,
    name: *const u8,
    name_len: usize,
) -> u64 {
    // SAFETY: as above
    let (data, name) = unsafe { (crate::chunk(data, len), crate::chunk(name, name_len)) };
    let mut fold = Fold(0);
    let read = |fold: &mut Fold| -> Result<(), Error> {
        let file = FileView::open(data, &Policy::STRICT)?;
        fold.directory(&file);
        let name = core::str::from_utf8(name).unwrap_or_default();
        if let Some(entry) = file.find(name) {
            tensor(&file, &entry, fold)?;
        }
        Ok(())
    };
    if let Err(error) = read(&mut fold) {
        fold.error(&error);
    }
    fold.0
}

/// The same with words to lend: names in a table, and composites.
///
/// # Safety
///
/// As [`probe_file_view`].
#[cfg(feature = "file_scratch")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_file_scratch(
    data: *const u8,
    len: usize,
    name: *const u8,
    name_len: usize,
    words: &mut [u64; 64],
) -> u64 {
    use hrry::{Exact, FileItems, InlineArena};

    // SAFETY: as above
    let (data, name) = unsafe { (crate::chunk(data, len), crate::chunk(name, name_len)) };
    let mut fold = Fold(0);
    let mut read = |fold: &mut Fold| -> Result<(), Error> {
        let policy = Policy::STRICT;
        let (file, index) = FileView::open_with_scratch(data, &policy, words)?;
        fold.directory(&file);
        let name = core::str::from_utf8(name).unwrap_or_default();
        if let Some(entry) = index.find(name) {
            tensor(&file, &entry, fold)?;
        }
        let arena = InlineArena::<64>::new();
        let mut items = FileItems::new(file, index, Exact, arena, policy);
        while let Some(item) = items.next_item()? {
            fold.place(item.begins);
            fold.place(item.ends);
        }
        items.finish()
    };
    if let Err(error) = read(&mut fold) {
        fold.error(&error);
    }
    fold.0
}

#[cfg(any(feature = "file_view", feature = "file_scratch"))]
#[inline(never)]
fn tensor(file: &FileView<'_>, entry: &Entry<'_>, fold: &mut Fold) -> Result<(), Error> {
    let tensor = file.tensor(entry, &Policy::STRICT)?;
    fold.descriptor(tensor.descriptor());
    for bytes in tensor.buffers() {
        fold.text(bytes);
    }
    Ok(())
}

#[cfg(feature = "file_parser")]
mod parser {
    use core::mem::MaybeUninit;

    use hrry::{FileEvent, FixedFile, Policy, Region};

    use crate::fold::Fold;

    type Parser = FixedFile<256, 64, 64>;

    #[unsafe(no_mangle)]
    pub extern "C" fn probe_file_parser_new(out: &mut MaybeUninit<Parser>, tensors: u64) {
        out.write(Parser::new(Policy::STRICT, Some(Region::Count(tensors))));
    }

    /// # Safety
    ///
    /// `data` points to `len` bytes.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn probe_file_parser(
        parser: &mut Parser,
        data: *const u8,
        len: usize,
    ) -> u64 {
        let mut fold = Fold(0);
        // SAFETY: as above
        let mut chunk = unsafe { crate::chunk(data, len) };
        loop {
            match parser.next_event(&mut chunk) {
                Ok(Some(event)) => fold.file_event(event),
                Ok(None) => break,
                Err(error) => {
                    fold.error(&error);
                    break;
                }
            }
        }
        match parser.finish() {
            Ok(end) => {
                fold.trailer(&end.trailer);
                fold.number(end.unchecked.tensors);
            }
            Err(error) => fold.error(&error),
        }
        fold.0
    }

    impl Fold {
        fn file_event(&mut self, event: FileEvent<'_, '_>) {
            match event {
                FileEvent::Header(header) => self.number(header.data_buffer_alignment),
                FileEvent::Descriptor(d, place) => {
                    self.descriptor(&d);
                    self.place(place);
                }
                FileEvent::Payload(p) => self.payload(&p),
                FileEvent::TensorEnd(place) => self.place(place),
                FileEvent::Kv(entry) => self.kv(&entry),
                FileEvent::Entry(entry) => self.entry(&entry),
                _ => {}
            }
        }
    }
}
