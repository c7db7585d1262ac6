//! Values that no bytes can hold: only a writer can meet them.

use hrry::{
    Array, BufferHandle, DescriptorSpec, DescriptorView, ElementType, Field, Layout, LayoutTag,
    NoSpace, Policy, Quantization, Rule, Shard, Tiled, TiledLevel, WriteError, check, encode,
};

use crate::support::bytes;
use crate::support::spec::{Plain, PlainLayout, PlainLevel};

const BUFFERS: [BufferHandle; 1] = [BufferHandle::cpu(4096, 64)];

fn assert_refused(spec: &DescriptorSpec<'_>, rule: Rule, field: Field) {
    let violation = check::descriptor(spec, &Policy::STRICT).unwrap_err();
    assert_eq!((violation.rule, violation.field), (rule, field), "{spec:?}");
    let refused: Result<usize, WriteError<NoSpace>> = encode(spec, &mut [0; 4096], &Policy::STRICT);
    assert_eq!(refused, Err(violation.into()), "{spec:?}");
}

fn square(layout: Layout<'_>) -> DescriptorSpec<'_> {
    DescriptorSpec::new(ElementType::UInt8, &[4, 4], layout, &BUFFERS)
}

#[test]
fn arrays_have_the_rank_of_the_shape() {
    for wrong in [&[][..], &[4], &[4, 4, 4]] {
        let right = Array::Native(&[4, 4][..]);
        let wrong = Array::Native(wrong);
        for (parent_shape, shard_offset, field) in [
            (wrong, right, Field::ParentShape),
            (right, wrong, Field::ShardOffset),
        ] {
            let spec = DescriptorSpec {
                shard: Some(Shard {
                    parent_shape,
                    shard_offset,
                }),
                ..square(Layout::RowMajor)
            };
            assert_refused(&spec, Rule::ArrayLength, field);
        }
    }
    for len in [0, 1, 3] {
        let strides = [1i64; 3];
        let words = [2u32; 3];
        let strided = square(Layout::Strided {
            strides: Array::Native(&strides[..len]),
        });
        assert_refused(&strided, Rule::ArrayLength, Field::Strides);
        let morton = square(Layout::Morton {
            morton_bits: Array::Native(&words[..len]),
        });
        assert_refused(&morton, Rule::ArrayLength, Field::MortonBits);
    }
    let modes = [0u32, 1, 2];
    let spec = DescriptorSpec::new(
        ElementType::UInt8,
        &[2, 2, 2],
        Layout::Csf {
            nnz: 0,
            mode_order: Array::Native(&modes[..2]),
        },
        &BUFFERS,
    );
    assert_refused(&spec, Rule::ArrayLength, Field::ModeOrder);
}

fn level(inner_layout: LayoutTag) -> TiledLevel<'static> {
    TiledLevel {
        tile_shape: (&[2, 2]).into(),
        outer_layout: LayoutTag::RowMajor,
        inner_layout,
        outer_strides: Array::EMPTY,
        inner_strides: Array::EMPTY,
    }
}

#[test]
fn tiles_have_the_arrays_that_their_tags_name() {
    let strides: Array<'_, i64> = (&[1, 1]).into();
    let plain = level(LayoutTag::RowMajor);
    let strided = |outer, inner| TiledLevel {
        outer_layout: outer,
        inner_layout: inner,
        ..plain
    };
    let (implicit, explicit) = (LayoutTag::RowMajor, LayoutTag::Strided);
    for (level, field) in [
        (strided(explicit, implicit), Field::OuterStrides),
        (strided(implicit, explicit), Field::InnerStrides),
        (
            TiledLevel {
                outer_strides: strides,
                ..plain
            },
            Field::OuterStrides,
        ),
        (
            TiledLevel {
                inner_strides: strides,
                ..plain
            },
            Field::InnerStrides,
        ),
        (
            TiledLevel {
                tile_shape: (&[2]).into(),
                ..plain
            },
            Field::TileShape,
        ),
    ] {
        let spec = square(Layout::Tiled(Tiled::Native(std::slice::from_ref(&level))));
        assert_refused(&spec, Rule::ArrayLength, field);
    }
    let complete = TiledLevel {
        outer_strides: strides,
        inner_strides: strides,
        ..strided(explicit, explicit)
    };
    let spec = square(Layout::Tiled(Tiled::Native(std::slice::from_ref(
        &complete,
    ))));
    assert_eq!(check::descriptor(&spec, &Policy::STRICT), Ok(()));
}

#[test]
fn tiles_end_with_the_first_level_that_is_not_open() {
    let (open, closed) = (level(LayoutTag::Tiled), level(LayoutTag::RowMajor));
    for levels in [&[][..], &[open], &[closed, closed], &[open, closed, open]] {
        let spec = square(Layout::Tiled(Tiled::Native(levels)));
        assert_refused(&spec, Rule::ArrayLength, Field::TileShape);
    }
}

#[test]
fn counts_that_are_too_large() {
    let many = vec![BufferHandle::cpu(16, 64); 256];
    let spec = DescriptorSpec::new(ElementType::UInt8, &[4, 4], Layout::RowMajor, &many);
    assert_refused(&spec, Rule::BufferLimit, Field::BufferCount);
    let shape = [1; 65];
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape, Layout::RowMajor, &BUFFERS);
    assert_refused(&spec, Rule::RankLimit, Field::Rank);
    let spec = DescriptorSpec::new(ElementType::UInt8, &shape[..64], Layout::RowMajor, &BUFFERS);
    assert_eq!(check::descriptor(&spec, &Policy::STRICT), Ok(()));
}

#[test]
fn nine_levels_of_tiles_are_one_too_many_for_reader_and_writer() {
    let level = |inner_layout| PlainLevel {
        tile_shape: vec![1],
        outer_layout: 1,
        inner_layout,
        outer_strides: vec![],
        inner_strides: vec![],
    };
    for (open, accepted) in [(7, true), (8, false)] {
        let mut levels = vec![level(4); open];
        levels.push(level(1));
        let plain = Plain::new(ElementType::UInt8, &[1], &[1]);
        let plain = plain.with_layout(PlainLayout::Tiled(levels));
        let bytes = bytes::encode(&plain);
        let read = hrry::DescriptorView::parse(&bytes, &Policy::STRICT);
        let read = read.map(|_| ()).map_err(|error| error.kind());
        let checked = plain.lend(crate::support::spec::Kind::Native, |spec| {
            check::descriptor(spec, &Policy::STRICT).map_err(hrry::ErrorKind::from)
        });
        assert_eq!(read, checked);
        assert_eq!(read.is_ok(), accepted);
        if let Err(kind) = read {
            assert_eq!(kind.rule(), Some(Rule::TileLevels));
        }
    }
}

/// Where a scheme has scales of one type, the type is not written, so it cannot make a difference.
#[test]
fn a_type_of_scales_that_no_bytes_hold() {
    for (scheme, element_type, sizes) in [
        (Quantization::nf4(0, 16, 1), ElementType::UInt4, [8, 4]),
        (Quantization::mxfp(0, 16, 1), ElementType::Int8, [16, 1]),
    ] {
        let Quantization::Buffers(mut parameters) = scheme else {
            panic!("{scheme:?}");
        };
        parameters.scale_type = ElementType::Float16;
        let buffers = sizes.map(|size| BufferHandle::cpu(size, 64));
        let mut spec = DescriptorSpec::new(element_type, &[16], Layout::RowMajor, &buffers);
        spec.quantization = Some(Quantization::Buffers(parameters));
        let mut out = [0xA5; 200];
        let len = encode(&spec, &mut out, &Policy::STRICT).unwrap();
        let (view, _) = DescriptorView::parse(&out[..len], &Policy::STRICT).unwrap();
        assert_eq!(view.quantization(), Some(scheme));
    }
}

#[test]
fn bytes_behind_the_last_whole_number_are_not_written() {
    let mut spec = square(Layout::RowMajor);
    spec.shape = Array::Le(&[4, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]);
    let expected = bytes::encode(&Plain::new(ElementType::UInt8, &[4], &[4096]));
    let mut out = [0xA5; 53];
    assert_eq!(encode(&spec, &mut out, &Policy::STRICT), Ok(53));
    assert_eq!(out[..], expected);
}
