//! Numbers that do not fit 32 bits, on targets whose addresses do not either: an error or the right
//! event, never a position or a length cut to its low half.

use hrry::{
    BufferHandle, DYNAMIC, DescriptorSpec, DescriptorView, ElementType, ErrorKind, Event,
    FixedDecoder, Layout, Policy, Resource, Rule, Shard, encode,
};

/// 2^32, 2^32 + 64 and 2^64 - 1: nothing, one small buffer, and -1 in the low half.
pub const WIDE: [u64; 3] = [1 << 32, (1 << 32) + 64, u64::MAX];

pub fn run(check: &mut dyn FnMut(&'static str, bool)) {
    check(
        "wide: a buffer longer than memory",
        WIDE.into_iter().all(long_buffer),
    );
    check(
        "wide: a length above the policy",
        WIDE.into_iter().all(above_policy),
    );
    check("wide: positions beyond 32 bits", position());
    check("wide: positions end at 2^64 - 1", last_position());
    check(
        "wide: fields are compared whole",
        WIDE.into_iter().all(fields),
    );
}

/// Whether every 64-bit field that is too large is refused for its own reason.
fn fields(n: u64) -> bool {
    const SMALL: BufferHandle = BufferHandle::cpu(64, 64);
    let base = DescriptorSpec::new(ElementType::UInt8, &[64], Layout::RowMajor, &[SMALL]);
    let sized = [n];
    let steps = [n.cast_signed()];
    let long = DescriptorSpec {
        shape: (&sized).into(),
        ..base
    };
    let shifted = DescriptorSpec {
        byte_offset: n,
        ..base
    };
    let strided = DescriptorSpec {
        layout: Layout::Strided {
            strides: (&steps).into(),
        },
        ..base
    };
    let placed = DescriptorSpec {
        shard: Some(Shard {
            parent_shape: (&[64]).into(),
            shard_offset: (&sized).into(),
        }),
        ..base
    };
    // row pointers of 8 rows take 72 bytes, the other buffers have room for 8 entries
    let buffers = [SMALL, SMALL, BufferHandle::cpu(72, 64)];
    let sparse = |nnz| DescriptorSpec {
        shape: (&[8, 8]).into(),
        layout: Layout::Csr { nnz },
        buffers: &buffers,
        ..base
    };
    // the largest number means a dimension that is not known yet
    let too_long = (n != DYNAMIC).then_some(Rule::DenseSize);
    let too_many = matches!(
        broken(&sparse(n)),
        Some(Rule::CompressedSize | Rule::SparseCount)
    );
    broken(&base).is_none()
        && broken(&long) == too_long
        && broken(&shifted) == Some(Rule::ByteOffsetRange)
        && broken(&strided) == Some(Rule::StridedReach)
        && broken(&placed) == Some(Rule::ShardBounds)
        && broken(&sparse(8)).is_none()
        && too_many
}

fn broken(spec: &DescriptorSpec<'_>) -> Option<Rule> {
    let checked = hrry::check::descriptor(spec, &Policy::STRICT);
    checked.err().map(|violation| violation.rule)
}

/// A descriptor of 53 bytes with one buffer of `size` bytes, for a uint8 vector of `size` elements.
fn vector(size: u64, out: &mut [u8; 53]) {
    let buffers = [BufferHandle::cpu(size, 64)];
    // the largest size means a dynamic dimension, which any buffer suits
    let shape = [size];
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &buffers);
    assert_eq!(encode(&spec, out, &Policy::STRICT), Ok(53));
}

fn long_buffer(size: u64) -> bool {
    let mut bytes = [0; 53];
    vector(size, &mut bytes);
    let Ok((view, &[])) = DescriptorView::parse(&bytes, &Policy::STRICT) else {
        return false;
    };
    let mut decoder = FixedDecoder::<64, 8>::new(Policy::STRICT);
    let mut input: &[u8] = &bytes;
    let described = matches!(
        decoder.next_event(&mut input),
        Ok(Some(Event::Descriptor(..)))
    );
    let mut held = view
        .buffer(0)
        .is_some_and(|handle| handle.byte_size == size)
        && described;
    for k in 0..4u64 {
        let mut input = &[0xEE; 100][..];
        let event = decoder.next_event(&mut input);
        held &= matches!(event, Ok(Some(Event::Payload(p)))
            if p.offset == 100 * k && !p.last && p.bytes.len() == 100);
        held &= decoder.offset() == 53 + 100 * (k + 1);
    }
    let left = size - 400;
    held &= decoder.wanted() as u64 == left.min(usize::MAX as u64);
    let end = decoder.finish().unwrap_err();
    held && end.offset() == 453
        && matches!(end.kind(), ErrorKind::Truncated { missing, .. } if missing == left)
}

fn above_policy(size: u64) -> bool {
    let mut bytes = [0; 53];
    vector(size, &mut bytes);
    let mut policy = Policy::STRICT;
    policy.max_buffer = 64;
    let mut decoder = FixedDecoder::<64, 8>::new(policy);
    let error = decoder.next_event(&mut &bytes[..]).unwrap_err();
    let kind = ErrorKind::Capacity {
        what: Resource::Buffer,
        needed: size,
        available: 64,
    };
    // byte_size of the first buffer is at 37
    error.kind() == kind && error.offset() == 37
}

/// A stream that began just below 2^32.
fn position() -> bool {
    let mut bytes = [0; 53 + 4];
    let mut head = [0; 53];
    vector(4, &mut head);
    bytes[..53].copy_from_slice(&head);
    let start = (1 << 32) - 60;
    let mut decoder = FixedDecoder::<64, 8>::new(Policy::STRICT).with_origin(start);
    for _ in 0..2 {
        let mut input: &[u8] = &bytes;
        while let Ok(Some(_)) = decoder.next_event(&mut input) {}
    }
    let error = decoder.next_event(&mut &b"HRRX"[..]).unwrap_err();
    // two items of 57 bytes and three bytes of magic further
    decoder.offset() >= start + 114 && error.offset() == start + 117 && error.offset() >> 32 == 1
}

/// A stream whose last byte would be at 2^64 - 1.
fn last_position() -> bool {
    let mut bytes = [0; 53];
    vector(64, &mut bytes);
    let mut decoder = FixedDecoder::<64, 8>::new(Policy::STRICT).with_origin(u64::MAX - 60);
    let mut input: &[u8] = &bytes;
    let described = matches!(
        decoder.next_event(&mut input),
        Ok(Some(Event::Descriptor(..)))
    );
    let mut input = &[0; 64][..];
    let part =
        matches!(decoder.next_event(&mut input), Ok(Some(Event::Payload(p))) if p.bytes.len() == 7);
    let error = decoder.next_event(&mut input).unwrap_err();
    let position = matches!(
        error.kind(),
        ErrorKind::Capacity {
            what: Resource::Position,
            ..
        }
    );
    described && part && position && error.offset() == u64::MAX
}
