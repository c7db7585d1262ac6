//! Descriptors decoded and encoded again, streams read and written again: the same bytes.

use hrry::{
    DescriptorView, Event, FileOptions, FileView, FixedFileWriter, FixedStream, FixedWriter,
    NoSpace, Policy, Rule, Sink, WriteError, encode,
};

use crate::golden::STREAMS;

macro_rules! descriptors {
    ($($name:literal)*) => {
        [$(include_bytes!(concat!("../../vectors/descriptors/", $name, ".bin"))),*]
    };
}

/// Every layout, every scheme, every section.
const DESCRIPTORS: [&[u8]; 20] = descriptors!(
    "d-ok-spec-worked-example" "d-ok-rank4-col" "d-ok-strided-spec-negative" "d-ok-tiled-both-strided"
    "d-ok-tiled-depth2" "d-ok-rank2-morton" "d-ok-coo-sharded" "d-ok-csr-bool" "d-ok-empty-csc"
    "d-ok-csf-rank4" "d-ok-bp-per-block" "d-ok-hilbert-o3-r3" "d-ok-head-group" "d-ok-pt-int4-min"
    "d-ok-pc-asym-axis1" "d-ok-pb-asym-scale2" "d-ok-nf4-64" "d-ok-mx-float6_e2m3"
    "d-ok-all-but-quantization" "d-ok-member-correction-coo"
);

macro_rules! files {
    ($($name:literal)*) => {
        [$(include_bytes!(concat!("../../vectors/files/", $name, ".hrry"))),*]
    };
}

/// Containers that are placed as a writer places them.
const FILES: [&[u8]; 5] = files!(
    "f-ok-ref-unicode" "f-ok-kv-limits" "f-ok-kv-empty-values" "f-ok-no-tensors" "f-ok-empty-tensor"
);

pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    check(
        "codec: descriptors",
        DESCRIPTORS.into_iter().all(descriptor),
    );
    check(
        "codec: a slice that is too short",
        DESCRIPTORS.into_iter().all(no_space),
    );
    check(
        "codec: streams",
        STREAMS[..4].iter().all(|bytes| stream(bytes) == Ok(true)),
    );
    check("codec: containers", FILES.into_iter().all(container));
    check(
        "codec: an overlap is not written",
        stream(STREAMS[4]) == Err(Some(Rule::Overlap)),
    );
}

/// What a forgotten reserved byte would leave behind.
const STALE: u8 = 0xA5;

fn descriptor(bytes: &[u8]) -> bool {
    let mut out = [STALE; 512];
    match DescriptorView::parse(bytes, &Policy::STRICT) {
        Ok((view, &[])) => {
            encode(&view, &mut out, &Policy::STRICT) == Ok(bytes.len())
                && out.starts_with(bytes)
                && out[bytes.len()..].iter().all(|byte| *byte == STALE)
        }
        _ => false,
    }
}

fn no_space(bytes: &[u8]) -> bool {
    let mut out = [STALE; 512];
    let short = &mut out[..bytes.len() - 1];
    let needed = bytes.len() as u32;
    DescriptorView::parse(bytes, &Policy::STRICT).is_ok_and(|(view, _)| {
        encode(&view, short, &Policy::STRICT) == Err(WriteError::Sink(NoSpace { needed }))
            && short.iter().all(|byte| *byte == STALE)
    })
}

/// Compares what is written with what should be.
struct Compare<'a>(&'a [u8]);

impl Sink for Compare<'_> {
    type Error = ();

    fn put(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0 = self.0.strip_prefix(bytes).ok_or(())?;
        Ok(())
    }
}

/// Reads without looking at composites, so that only the writer can refuse; the rule that it names.
fn stream(bytes: &[u8]) -> Result<bool, Option<Rule>> {
    let mut parser = FixedStream::<128>::new(Policy::STRICT);
    let mut writer = FixedWriter::<_, 64>::new(Compare(bytes), Policy::STRICT);
    for mut chunk in bytes.chunks(33) {
        loop {
            let written = match parser.next_event(&mut chunk) {
                Ok(Some(Event::Descriptor(d, _))) => writer.begin(&d),
                Ok(Some(Event::Payload(p))) => writer.payload(p.bytes),
                Ok(Some(Event::TensorEnd(_))) => writer.end(),
                Ok(None) => break,
                _ => return Ok(false),
            };
            match written {
                Ok(()) => {}
                Err(WriteError::Refused(kind)) => return Err(kind.rule()),
                Err(_) => return Ok(false),
            }
        }
    }
    let rest = writer.finish().is_ok_and(|rest| rest.0.is_empty());
    Ok(rest && parser.finish().is_ok())
}

/// Reads a container and writes it again, with the payload in pieces.
fn container(bytes: &[u8]) -> bool {
    let policy = Policy::STRICT;
    let Ok(file) = FileView::open(bytes, &policy) else {
        return false;
    };
    let mut options = FileOptions::PLAIN;
    options.has_kv_metadata = file.header().has_kv_metadata();
    let write = || -> Result<bool, WriteError<()>> {
        let mut writer = FixedFileWriter::<_, 128, 8>::new(Compare(bytes), &options, policy)?;
        for entry in file.entries() {
            let Ok(tensor) = file.tensor(&entry, &policy) else {
                return Ok(false);
            };
            writer.begin(entry.name, tensor.descriptor())?;
            for piece in tensor.buffers().flat_map(|buffer| buffer.chunks(7)) {
                writer.payload(piece)?;
            }
            writer.end()?;
        }
        let (rest, len) = writer.finish_with_kv(file.kv())?;
        Ok(rest.0.is_empty() && len == bytes.len() as u64)
    };
    write() == Ok(true)
}
