//! A dense tensor whose places a model gives, held against everything that names places.

use hrry::{
    AddressError, BufferHandle, DescriptorSpec, Element, ElementType, ExtensionType, Layout,
    StorageWalk, SubBox, U64s, Walk, locate,
};

use super::model::{indices, packed};

/// Every width, by its type; private ones with their width.
pub const WIDTHS: [(ElementType, u32); 15] = [
    (ElementType::Bool, 1),
    (ElementType::UInt2, 2),
    (ElementType::Float4E2M1, 4),
    (ElementType::Float6E2M3, 6),
    (ElementType::Float8E8M0, 8),
    (ElementType::BFloat16, 16),
    (ElementType::Int32, 32),
    (ElementType::Complex64, 64),
    (ElementType::Float128, 128),
    (ElementType(0xF0), 1),
    (ElementType(0xF1), 2),
    (ElementType(0xFE), 4),
    (ElementType(0xF3), 8),
    (ElementType(0xF4), 24),
    (ElementType(0xF5), 4096),
];

/// Of a private type, what it is.
pub fn extension(element_type: ElementType, width: u32) -> Option<ExtensionType> {
    (element_type.0 >= 0xF0).then_some(ExtensionType {
        bit_width: width,
        packing_factor: if width < 8 { (8 / width) as u8 } else { 1 },
        is_float: 0,
        is_signed: 0,
        sign_bits: 0,
        exponent_bits: 0,
        mantissa_bits: 0,
        exponent_bias: 0,
        has_nan: 0,
        has_inf: 0,
    })
}

/// The order in which the elements of a layout are stored.
#[derive(Clone, Copy, PartialEq)]
pub enum Stored {
    /// Each place is behind the one before it.
    Rising,
    /// Any order.
    Somehow,
}

/// How many boxes are walked over.
#[derive(Clone, Copy, PartialEq)]
pub enum Boxes {
    All,
    Whole,
}

/// Holds a layout against the offset of each index, for all widths: [`Boxes::All`] for one of them.
pub fn judge(
    shape: &[u64],
    layout: Layout<'_>,
    stored: Stored,
    boxes: Boxes,
    offset: impl Fn(&[u64]) -> i64,
) {
    let all = indices(shape);
    let offsets: Vec<i64> = all.iter().map(|index| offset(index)).collect();
    // all widths pack small shapes, some of them large ones
    let few = if all.len() > 40 { 4 } else { 1 };
    for (k, (element_type, width)) in WIDTHS.into_iter().enumerate() {
        if k % few != 2 % few {
            continue;
        }
        let walked = if k == 2 { boxes } else { Boxes::Whole };
        width_of(
            shape,
            layout,
            stored,
            walked,
            (element_type, width),
            &all,
            &offsets,
        );
    }
}

fn width_of(
    shape: &[u64],
    layout: Layout<'_>,
    stored: Stored,
    boxes: Boxes,
    (element_type, width): (ElementType, u32),
    all: &[Vec<u64>],
    offsets: &[i64],
) {
    // far enough in for the first place, no longer than for the last
    let lowest = offsets.iter().map(|at| packed(width, 0, *at).0).min();
    let byte_offset = lowest.map_or(0, |lowest| lowest.min(0).unsigned_abs()) + 5;
    let places: Vec<_> = offsets
        .iter()
        .map(|at| packed(width, byte_offset, *at))
        .collect();
    let byte_size = places.iter().map(|(byte, _, len)| *byte as u64 + len).max();
    let byte_size = byte_size.unwrap_or(byte_offset);
    let wanted: Vec<Element> = places
        .iter()
        .map(|(byte, bit, _)| Element {
            buffer: 0,
            byte: u64::try_from(*byte).unwrap(),
            bit: *bit,
            width,
        })
        .collect();

    let buffers = [BufferHandle::cpu(byte_size, 64)];
    let spec = |buffers| DescriptorSpec {
        byte_offset,
        extension_type: extension(element_type, width),
        ..DescriptorSpec::new(element_type, shape, layout, buffers)
    };
    let whole = spec(&buffers);
    for (index, wanted) in all.iter().zip(&wanted) {
        assert_eq!(locate(&whole, index), Ok(*wanted), "{index:?} of {whole:?}");
    }
    let walk = Walk::new(&whole, SubBox::whole(shape.into())).unwrap();
    assert!(walk.eq(wanted.iter().copied()), "{whole:?}");
    in_storage(&whole, stored, all, &wanted);
    if boxes == Boxes::All {
        each_box(shape, |offset, size| {
            let part = SubBox {
                offset: offset.into(),
                shape: size.into(),
            };
            let inside = |index: &[u64]| {
                let mut axes = index.iter().zip(offset).zip(size);
                axes.all(|((i, from), len)| i >= from && *i < from + len)
            };
            let cells = all.iter().zip(&wanted).filter(|(index, _)| inside(index));
            let walk = Walk::new(&whole, part).unwrap();
            assert!(
                walk.eq(cells.map(|(_, wanted)| *wanted)),
                "{part:?} of {whole:?}"
            );
        });
    }

    // ADDR-15: what the last byte belongs to is gone without it
    let cut = byte_size - u64::from(!all.is_empty());
    let buffers = [BufferHandle::cpu(cut, 64)];
    let short = spec(&buffers);
    let mut lost = 0;
    for ((index, wanted), (byte, _, len)) in all.iter().zip(&wanted).zip(&places) {
        let found = locate(&short, index);
        if *byte as u64 + len == byte_size {
            assert_eq!(found, Err(AddressError::Outside));
            lost += 1;
        } else {
            assert_eq!(found, Ok(*wanted));
        }
    }
    assert_eq!(lost > 0, !all.is_empty());
    let walk = Walk::new(&short, SubBox::whole(shape.into())).unwrap();
    let kept = places
        .iter()
        .take_while(|(byte, _, len)| *byte as u64 + len < byte_size);
    assert_eq!(walk.count(), kept.count(), "{short:?}");
}

/// Every index once, each at its place.
fn in_storage(spec: &DescriptorSpec<'_>, stored: Stored, all: &[Vec<u64>], wanted: &[Element]) {
    let mut walk = StorageWalk::new(spec).unwrap();
    let mut seen = Vec::new();
    while let Some(element) = walk.next() {
        seen.push((walk.index().to_vec(), element));
        assert!(seen.len() <= all.len(), "more than all of {spec:?}");
    }
    assert_eq!(walk.next(), None, "behind the last of {spec:?}");
    if stored == Stored::Rising {
        let place = |(_, element): &(Vec<u64>, Element)| (element.byte, element.bit);
        assert!(
            seen.is_sorted_by(|a, b| place(a) < place(b)),
            "{spec:?}: {seen:?}"
        );
    }
    seen.sort_by(|a, b| a.0.cmp(&b.0));
    let all = all.iter().cloned().zip(wanted.iter().copied());
    assert!(seen.into_iter().eq(all), "{spec:?}");
}

/// Offset and shape of all boxes in a shape, empty ones too.
fn each_box(shape: &[u64], mut judge: impl FnMut(&[u64], &[u64])) {
    let ends: Vec<u64> = shape.iter().map(|size| size + 1).collect();
    for from in indices(&ends) {
        let left: Vec<u64> = shape
            .iter()
            .zip(&from)
            .map(|(size, at)| size - at + 1)
            .collect();
        for len in indices(&left) {
            judge(&from, &len);
        }
    }
}

/// All shapes of a rank with sizes below `end`.
pub fn shapes(rank: usize, end: u64) -> Vec<Vec<u64>> {
    indices(&vec![end; rank])
}

/// All boxes where that is not too many.
pub fn boxes(shape: &[u64]) -> Boxes {
    let count: u64 = shape.iter().map(|n| (n + 1) * (n + 2) / 2).product();
    if count <= 1000 {
        Boxes::All
    } else {
        Boxes::Whole
    }
}

/// Numbers as little-endian bytes.
pub fn bytes(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

/// All of a shape.
pub fn whole(shape: &[u64]) -> SubBox<'_> {
    SubBox::whole(U64s::from(shape))
}
