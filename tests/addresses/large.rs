//! Places of rank 64, and places at the end of what 64 bits count.

use hrry::{
    AddressError, BufferHandle, DescriptorSpec, ElementType, Layout, LayoutTag, StorageWalk, Tiled,
    TiledLevel, Walk, locate,
};

use super::model::{self, hilbert, indices, morton, strided};
use super::support::{Boxes, Stored, judge, whole};

/// Four axes with something in them among 64.
fn wide() -> [u64; 64] {
    let mut shape = [1; 64];
    (shape[0], shape[17], shape[40], shape[63]) = (2, 3, 2, 3);
    shape
}

#[test]
fn rank_64_in_lines_and_tiles() {
    let shape = wide();
    let rows = model::row_major(&shape);
    judge(
        &shape,
        Layout::RowMajor,
        Stored::Rising,
        Boxes::Whole,
        |index| strided(&rows, index),
    );
    let columns = model::column_major(&shape);
    judge(
        &shape,
        Layout::ColumnMajor,
        Stored::Rising,
        Boxes::Whole,
        |index| strided(&columns, index),
    );
    let strides: Vec<i64> = (0..64)
        .map(|k| if k % 2 == 0 { 3 * k } else { -k })
        .collect();
    let layout = Layout::Strided {
        strides: (&*strides).into(),
    };
    judge(&shape, layout, Stored::Somehow, Boxes::Whole, |index| {
        strided(&strides, index)
    });

    let tile: Vec<u64> = shape.iter().map(|size| size.div_ceil(2)).collect();
    let level = TiledLevel {
        tile_shape: (&*tile).into(),
        outer_layout: LayoutTag::RowMajor,
        inner_layout: LayoutTag::ColumnMajor,
        outer_strides: (&[]).into(),
        inner_strides: (&[]).into(),
    };
    let levels = [model::Level {
        tile: tile.clone(),
        outer: model::Order::Rows,
        inner: Some(model::Order::Columns),
    }];
    let layout = Layout::Tiled(Tiled::Native(std::slice::from_ref(&level)));
    judge(&shape, layout, Stored::Rising, Boxes::Whole, |index| {
        model::tiled(&levels, &shape, index)
    });
}

/// The code of the last index of 64 axes of two has 63 bits, or it does not fit a buffer of bytes.
#[test]
fn rank_64_on_curves() {
    let mut shape = [2; 64];
    shape[63] = 1;
    let buffers = [BufferHandle::cpu(1 << 63, 64)];
    let layout = Layout::Morton {
        morton_bits: (&[1; 64]).into(),
    };
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, layout, &buffers);
    let mut last = [1; 64];
    last[63] = 0;
    assert_eq!(morton(&[1; 64], &last), i64::MAX);
    assert_eq!(locate(&spec, &last).unwrap().byte, (1 << 63) - 1);

    // bits, so that all 2^64 points of the curve have a place
    let shape = [2; 64];
    let layout = Layout::Hilbert {
        hilbert_order: 1,
        hilbert_rank: 64,
    };
    let buffers = [BufferHandle::cpu(1 << 61, 64)];
    let spec = DescriptorSpec::new(ElementType::Bool, &shape, layout, &buffers);
    for axes in [0, 1, 2, 40] {
        let mut index = [0; 64];
        // the model counts in 63 bits: the first axis is the highest one
        index[64 - axes..].fill(1);
        let code = hilbert(1, &index) as u64;
        let found = locate(&spec, &index).unwrap();
        assert_eq!((found.byte, u64::from(found.bit)), (code / 8, code % 8));
    }
    // 1, then each bit turned by the one before it: 1010..10
    let found = locate(&spec, &[1; 64]).unwrap();
    assert_eq!((found.byte, found.bit), (0xAAAA_AAAA_AAAA_AAAA / 8, 2));
}

/// A walk starts at once, however much lies before it.
#[test]
fn endless_walks() {
    let buffers = [BufferHandle::cpu(u64::MAX, 64)];
    let shape = [1 << 31, 1 << 31];
    let tile = [1 << 10, 1 << 10];
    let level = TiledLevel {
        tile_shape: (&tile).into(),
        outer_layout: LayoutTag::RowMajor,
        inner_layout: LayoutTag::RowMajor,
        outer_strides: (&[]).into(),
        inner_strides: (&[]).into(),
    };
    for layout in [
        Layout::RowMajor,
        Layout::ColumnMajor,
        Layout::Tiled(Tiled::Native(std::slice::from_ref(&level))),
        Layout::Morton {
            morton_bits: (&[31, 31]).into(),
        },
        Layout::Hilbert {
            hilbert_order: 31,
            hilbert_rank: 2,
        },
    ] {
        let spec = DescriptorSpec::new(ElementType::UInt8, &shape, layout, &buffers);
        let mut walk = StorageWalk::new(&spec).unwrap();
        for byte in 0..100 {
            assert_eq!(walk.next().unwrap().byte, byte);
            assert_eq!(locate(&spec, walk.index()).unwrap().byte, byte);
        }
        let mut walk = Walk::new(&spec, whole(&shape)).unwrap();
        for index in indices(&[1, 100]) {
            assert_eq!(walk.next(), locate(&spec, &index).ok());
        }
    }
}

/// Corners of a large Morton shape that is no cube: what lies between them is not looked through.
#[test]
fn holes_in_a_curve() {
    let buffers = [BufferHandle::cpu(u64::MAX, 64)];
    let layout = Layout::Morton {
        morton_bits: (&[31, 31]).into(),
    };
    let shape = [1 << 31, 1];
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, layout, &buffers);
    let walk = StorageWalk::new(&spec).unwrap();
    for (k, element) in (0..1000u64).zip(walk) {
        assert_eq!(element.byte, morton(&[31, 31], &[k, 0]) as u64);
    }
}

/// The last bytes that there can be, and the first ones behind them.
#[test]
fn the_end_of_64_bits() {
    let end = |element_type, len: u64, byte_offset| {
        let buffers = [BufferHandle::cpu(u64::MAX, 64)];
        let shape = [len];
        let spec = DescriptorSpec {
            byte_offset,
            ..DescriptorSpec::new(element_type, &shape, Layout::RowMajor, &buffers)
        };
        locate(&spec, &[len - 1]).map(|found| (found.byte, found.bit))
    };
    let most = u64::MAX - 1;
    assert_eq!(end(ElementType::UInt8, most, 1), Ok((most, 0)));
    assert_eq!(end(ElementType::UInt8, most, 2), Err(AddressError::Outside));
    assert_eq!(end(ElementType::Bool, most, 0), Ok((most / 8, 5)));
    assert_eq!(
        end(ElementType::Float32, 1 << 62, 0),
        Err(AddressError::Outside)
    );
    assert_eq!(
        end(ElementType::Float32, (1 << 62) - 1, 0),
        Ok((u64::MAX - 7, 0))
    );
    assert_eq!(
        end(ElementType::Float128, most, 0),
        Err(AddressError::Outside)
    );

    // from the last byte backwards, and a step that is too far
    let buffers = [BufferHandle::cpu(u64::MAX, 64)];
    let shape = [3, 2];
    let strides = [i64::MIN, 1];
    let spec = DescriptorSpec {
        byte_offset: u64::MAX - 1,
        ..DescriptorSpec::new(
            ElementType::UInt8,
            &shape,
            Layout::Strided {
                strides: (&strides).into(),
            },
            &buffers,
        )
    };
    assert_eq!(locate(&spec, &[0, 0]).unwrap().byte, u64::MAX - 1);
    assert_eq!(locate(&spec, &[0, 1]), Err(AddressError::Outside));
    assert_eq!(locate(&spec, &[1, 1]).unwrap().byte, (1 << 63) - 1);
    assert_eq!(locate(&spec, &[2, 0]), Err(AddressError::Outside));
}
