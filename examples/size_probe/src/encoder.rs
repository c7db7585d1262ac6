//! One descriptor into a slice, from plain values: every layout, every scheme, every section.

use hrry::{
    BufferHandle, DescriptorSpec, ElementType, ErrorKind, ExtensionType, Layout, MemberRole,
    Policy, Quantization, Shard, Statistics, WriteError, encode,
};

/// What the caller fills in; optional parts may be null.
#[repr(C)]
pub struct Plain<'a> {
    element_type: u8,
    member_role: u8,
    rank: usize,
    shape: &'a [u64; 64],
    layout: &'a Layout<'a>,
    buffer_count: usize,
    buffers: &'a [BufferHandle; 255],
    quantization: Option<&'a Quantization<'a>>,
    shard: Option<&'a Shard<'a>>,
    statistics: Option<&'a Statistics>,
    extension_type: Option<&'a ExtensionType>,
}

/// Returns the length, or 0 and the broken rule, or the length that the slice is too short for.
///
/// # Safety
///
/// `out` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn probe_encoder(
    plain: &Plain<'_>,
    out: *mut u8,
    len: usize,
    reason: &mut u64,
) -> usize {
    // SAFETY: as above
    let out = unsafe { core::slice::from_raw_parts_mut(out, len) };
    let spec = DescriptorSpec {
        quantization: plain.quantization.copied(),
        shard: plain.shard.copied(),
        statistics: plain.statistics.copied(),
        extension_type: plain.extension_type.copied(),
        member_role: (plain.member_role != 0xFF).then_some(MemberRole(plain.member_role)),
        ..DescriptorSpec::new(
            ElementType(plain.element_type),
            plain.shape.get(..plain.rank).unwrap_or(plain.shape),
            *plain.layout,
            plain
                .buffers
                .get(..plain.buffer_count)
                .unwrap_or(plain.buffers),
        )
    };
    *reason = match encode(&spec, out, &Policy::STRICT) {
        Ok(len) => return len,
        Err(WriteError::Sink(space)) => space.needed.into(),
        Err(WriteError::Refused(kind @ ErrorKind::Rule(_))) => {
            kind.rule().map_or(0, |rule| rule.number().into())
        }
        Err(_) => 0,
    };
    0
}
