//! A container into a function of the caller: tensors from plain values, with a key.

use core::mem::MaybeUninit;

use hrry::{
    BufferHandle, DescriptorSpec, ElementType, FileOptions, FixedFileWriter, KvEntry, KvValue,
    Layout, Policy, Sink, WriteError,
};

/// Takes `len` bytes; not 0 where it cannot.
type Put = unsafe extern "C" fn(data: *const u8, len: usize) -> u32;

pub struct Out(Put);

impl Sink for Out {
    type Error = u32;

    fn put(&mut self, bytes: &[u8]) -> Result<(), u32> {
        // SAFETY: the function reads so many bytes and no more
        match unsafe { self.0(bytes.as_ptr(), bytes.len()) } {
            0 => Ok(()),
            error => Err(error),
        }
    }
}

type Writer = FixedFileWriter<Out, 512, 64>;

/// What the caller fills in.
#[repr(C)]
pub struct Plain<'a> {
    element_type: u8,
    rank: usize,
    shape: &'a [u64; 64],
    layout: &'a Layout<'a>,
    buffer_count: usize,
    buffers: &'a [BufferHandle; 255],
}

#[unsafe(no_mangle)]
pub extern "C" fn probe_file_writer_new(out: &mut MaybeUninit<Writer>, put: Put) -> u32 {
    let mut options = FileOptions::PLAIN;
    options.has_kv_metadata = true;
    match Writer::new(Out(put), &options, Policy::STRICT) {
        Ok(writer) => {
            out.write(writer);
            0
        }
        Err(error) => reason(&error),
    }
}

/// # Safety
///
/// `name` points to `name_len` bytes, `data` to `len`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_file_writer_tensor(
    writer: &mut Writer,
    name: *const u8,
    name_len: usize,
    plain: &Plain<'_>,
    data: *const u8,
    len: usize,
) -> u32 {
    // SAFETY: as above
    let (name, data) = unsafe {
        let name = core::slice::from_raw_parts(name, name_len);
        (name, core::slice::from_raw_parts(data, len))
    };
    let spec = DescriptorSpec::new(
        ElementType(plain.element_type),
        plain.shape.get(..plain.rank).unwrap_or(plain.shape),
        *plain.layout,
        plain
            .buffers
            .get(..plain.buffer_count)
            .unwrap_or(plain.buffers),
    );
    let name = core::str::from_utf8(name).unwrap_or_default();
    let written = writer
        .begin(name, &spec)
        .and_then(|()| writer.payload(data))
        .and_then(|()| writer.end());
    written.map_or_else(|error| reason(&error), |()| 0)
}

/// # Safety
///
/// `writer` holds a writer, and holds none afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_file_writer_finish(
    writer: &mut MaybeUninit<Writer>,
    number: u64,
    len: &mut u64,
) -> u32 {
    // SAFETY: as above
    let writer = unsafe { writer.assume_init_read() };
    let value = KvValue::Uint64(number);
    match writer.finish_with_kv([KvEntry { key: "k", value }]) {
        Ok((_, written)) => {
            *len = written;
            0
        }
        Err(error) => reason(&error),
    }
}

/// The error of the sink, or the number of the rule.
fn reason(error: &WriteError<u32>) -> u32 {
    match error {
        WriteError::Sink(error) => *error,
        WriteError::Refused(kind) => kind.rule().map_or(1, |rule| rule.number().into()),
        _ => 1,
    }
}
