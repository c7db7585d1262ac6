//! Any specification: encoding refuses exactly what the check refuses, and decoding gives it back.

use hrry::{
    Array, BlockPaged, BlockTableIndexType, BufferHandle, CombineOp, CompositeHead,
    CompositionRule, DescriptorSpec, DescriptorView, DeviceTag, ElementType, ErrorKind,
    ExtensionType, F32Bits, F64Bits, KvRole, Layout, LayoutTag, MemberRole, MemoryClass, Mode,
    NoSpace, Parameters, Policy, Quantization, Scheme, Shard, Sink, Statistics, SyncMode, Tiled,
    TiledLevel, WriteError, check, encode, encode_to, encoded_len,
};

use crate::fields::assert_same;
use crate::source::Source;

const STALE: u8 = 0xA5;

/// Panics where the ways differ.
pub fn spec_roundtrip(data: &[u8]) {
    let mut source = Source::new(data);
    let parts = Parts::new(&mut source);
    let levels = parts.levels();
    let spec = parts.spec(&levels, &mut source);
    for policy in [Policy::STRICT, Policy::PERMISSIVE] {
        roundtrip(&spec, &policy);
    }
}

fn roundtrip(spec: &DescriptorSpec<'_>, policy: &Policy) {
    let mut out = [STALE; 16 << 10];
    // no reader finds what stands behind an unknown layout, so it is never written
    let mut writing = *policy;
    if matches!(spec.layout, Layout::Unknown(_)) {
        writing.mode = Mode::Strict;
    }
    let checked = check::descriptor(spec, &writing);
    let len = match (checked, encode(spec, &mut out, policy)) {
        (Ok(()), Ok(len)) => len,
        (Err(breach), Err(WriteError::Refused(kind))) => {
            assert_eq!(kind, ErrorKind::Rule(breach));
            return assert!(out.iter().all(|byte| *byte == STALE));
        }
        (checked, encoded) => panic!("checked {checked:?}, encoded {encoded:?}: {spec:?}"),
    };
    assert_eq!(encoded_len(spec), Ok(len as u32));
    let (written, after) = out.split_at(len);
    assert!(after.iter().all(|byte| *byte == STALE));

    let (view, rest) = DescriptorView::parse(written, policy)
        .unwrap_or_else(|error| panic!("{error:?} in {spec:?}"));
    assert!(rest.is_empty());
    assert_same(spec, &view);

    let mut short = vec![STALE; len - 1];
    let needed = len as u32;
    let refused = encode(spec, &mut short, policy);
    assert_eq!(refused, Err(WriteError::Sink(NoSpace { needed })));
    assert!(short.iter().all(|byte| *byte == STALE));

    let mut pieces = Pieces(Vec::new());
    assert_eq!(encode_to(&view, &mut pieces, policy), Ok(needed));
    assert_eq!(pieces.0, written);
}

struct Pieces(Vec<u8>);

impl Sink for Pieces {
    type Error = ();

    fn put(&mut self, bytes: &[u8]) -> Result<(), ()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }
}

/// What a specification borrows.
pub struct Parts {
    element_type: ElementType,
    shape: Vec<u64>,
    parent: Vec<u64>,
    offset: Vec<u64>,
    strides: Vec<i64>,
    small: Vec<u32>,
    tiles: Vec<(Vec<u64>, LayoutTag, LayoutTag, Vec<i64>)>,
    buffers: Vec<BufferHandle>,
    data: Vec<u8>,
}

impl Parts {
    pub fn new(source: &mut Source<'_>) -> Self {
        let element_type = match source.below(8) {
            0 => ElementType(source.byte()),
            1 => ElementType(0xF0),
            _ => source.pick(ElementType::ASSIGNED),
        };
        let rank = source.below(6);
        let shape: Vec<u64> = (0..rank).map(|_| source.number()).collect();
        // one entry too many now and then
        let len = |source: &mut Source<'_>| rank + usize::from(source.chance(16));
        let parent_len = len(source);
        let offset: Vec<u64> = (0..len(source)).map(|_| source.number()).collect();
        let parent = (0..parent_len)
            .map(|k| match (shape.get(k), source.chance(8)) {
                (Some(size), false) => size.wrapping_add(offset.get(k).copied().unwrap_or(0)),
                _ => source.number(),
            })
            .collect();
        let strides = (0..len(source))
            .map(|_| source.number().cast_signed())
            .collect();
        let small = (0..len(source)).map(|k| match source.below(4) {
            0 => source.number32(),
            _ => k as u32,
        });
        let small = small.collect();
        let tiles = (0..source.below(10)).map(|_| tile(rank, source)).collect();
        let elements = shape.iter().try_fold(1u64, |n, size| n.checked_mul(*size));
        let dense = elements.and_then(|n| check::packed_bytes(element_type, n));
        let buffers = (0..source.below(5))
            .map(|_| handle(dense, elements, source))
            .collect();
        let data = (0..source.below(40)).map(|_| source.byte()).collect();
        Parts {
            element_type,
            shape,
            parent,
            offset,
            strides,
            small,
            tiles,
            buffers,
            data,
        }
    }

    pub fn levels(&self) -> Vec<TiledLevel<'_>> {
        self.tiles
            .iter()
            .map(|(shape, outer, inner, strides)| TiledLevel {
                tile_shape: shape.as_slice().into(),
                outer_layout: *outer,
                inner_layout: *inner,
                outer_strides: strided(*outer, strides),
                inner_strides: strided(*inner, strides),
            })
            .collect()
    }

    pub fn spec<'a>(
        &'a self,
        levels: &'a [TiledLevel<'a>],
        source: &mut Source<'_>,
    ) -> DescriptorSpec<'a> {
        let layout = self.layout(levels, source);
        DescriptorSpec {
            byte_offset: if source.chance(4) { source.number() } else { 0 },
            quantization: source.chance(3).then(|| self.quantization(source)),
            shard: source.chance(3).then(|| Shard {
                parent_shape: self.parent.as_slice().into(),
                shard_offset: self.offset.as_slice().into(),
            }),
            statistics: source.chance(4).then(|| statistics(source)),
            extension_type: (self.element_type.is_private() != source.chance(16))
                .then(|| extension_type(source)),
            member_role: source.chance(6).then(|| MemberRole(source.below(3) as u8)),
            ..DescriptorSpec::new(self.element_type, &self.shape, layout, &self.buffers)
        }
    }

    fn layout<'a>(&'a self, levels: &'a [TiledLevel<'a>], source: &mut Source<'_>) -> Layout<'a> {
        let nnz = source.number();
        match source.below(16) {
            0..3 => Layout::RowMajor,
            3 => Layout::ColumnMajor,
            4 => Layout::Strided {
                strides: self.strides.as_slice().into(),
            },
            5 => Layout::Tiled(Tiled::Native(levels)),
            6 => Layout::Morton {
                morton_bits: self.small.as_slice().into(),
            },
            7 => Layout::Coo {
                nnz,
                is_sorted: source.chance(2),
            },
            8 => Layout::Csr { nnz },
            9 => Layout::Csc { nnz },
            10 => Layout::Csf {
                nnz,
                mode_order: self.small.as_slice().into(),
            },
            11 => Layout::BlockPaged(BlockPaged {
                page_size: source.number32(),
                num_pages: nnz,
                paged_axis: source.below(2) as u32,
                num_seqs: source.number32(),
                kv_role: KvRole(source.below(4) as u8),
                layer_index: source.number32(),
                block_table_index_type: BlockTableIndexType(source.below(3) as u8),
            }),
            12 => Layout::Composite(CompositeHead {
                composition_rule: CompositionRule(source.pick(&[1, 2, 3, 0xF1, 0])),
                combine_op: CombineOp(source.below(4) as u8),
                member_count: source.number32(),
            }),
            13 => Layout::Hilbert {
                hilbert_order: source.number32(),
                hilbert_rank: source.number32(),
            },
            14 => Layout::Private {
                tag: LayoutTag(source.pick(&[0xF0, 0xFE, 0x01, 0xFF])),
                extension_layout_id: nnz,
                extension_data: &self.data,
            },
            _ => Layout::Unknown(LayoutTag(source.byte())),
        }
    }

    fn quantization(&self, source: &mut Source<'_>) -> Quantization<'_> {
        let scheme = match source.below(8) {
            0 => Scheme(source.byte()),
            _ => source.pick(Scheme::ASSIGNED),
        };
        let flags = if source.chance(4) {
            u16::from(source.byte())
        } else {
            0
        };
        match source.below(4) {
            0 => Quantization::PerTensor {
                flags,
                scale: F32Bits(source.pick(&[0x3F80_0000, 0xBF80_0000, 0, 1, 0x7F80_0000])),
                zero_point: source.number32().cast_signed(),
            },
            1 => Quantization::Other {
                scheme,
                bytes: &self.data,
            },
            _ => Quantization::Buffers(Parameters {
                scheme,
                flags,
                axis: source.below(4) as u32,
                block_size: source.pick(&[0, 1, 2, 16, 32, 64, 128]),
                scale_buffer_index: source.below(4) as u32,
                zero_point_buffer_index: source.pick(&[u32::MAX, u32::MAX, 1, 2, 0]),
                scale_type: source.pick(&[
                    ElementType::Float32,
                    ElementType::Float16,
                    ElementType::Float8E8M0,
                    ElementType::UInt8,
                ]),
            }),
        }
    }
}

fn strided(tag: LayoutTag, strides: &[i64]) -> Array<'_, i64> {
    if tag == LayoutTag::Strided {
        strides.into()
    } else {
        Array::EMPTY
    }
}

fn tile(rank: usize, source: &mut Source<'_>) -> (Vec<u64>, LayoutTag, LayoutTag, Vec<i64>) {
    let numbers = (0..rank).map(|_| 1 + source.below(8) as u64).collect();
    let outer = LayoutTag(1 + source.below(4) as u8);
    let inner = LayoutTag(source.pick(&[1, 2, 3, 4, 4, 5]));
    let strides = (0..rank).map(|_| source.below(9) as i64 - 4).collect();
    (numbers, outer, inner, strides)
}

fn handle(dense: Option<u64>, elements: Option<u64>, source: &mut Source<'_>) -> BufferHandle {
    let dense = dense.unwrap_or(64);
    let elements = elements.unwrap_or(8);
    let byte_size = match source.below(6) {
        0..3 => dense,
        3 => elements.wrapping_mul(8),
        4 => 4 * source.below(20) as u64,
        _ => source.number(),
    };
    let mut handle = BufferHandle::cpu(byte_size, if source.chance(16) { 48 } else { 64 });
    if source.chance(8) {
        handle.device_tag = DeviceTag(source.below(10) as u8);
        handle.sync_mode = SyncMode(source.below(4) as u8);
        handle.memory_class = MemoryClass(source.below(5) as u8);
    }
    handle
}

fn statistics(source: &mut Source<'_>) -> Statistics {
    let float = |source: &mut Source<'_>| {
        F64Bits(source.pick(&[0, 0x3FE0_0000_0000_0000, 0xBFF0_0000_0000_0000, u64::MAX]))
    };
    Statistics {
        computed_mask: source.below(70) as u32,
        nnz: source.number(),
        sparsity_ratio: float(source),
        value_min: float(source),
        value_max: float(source),
        value_abs_max: float(source),
        value_mean: float(source),
        value_stddev: float(source),
        nm_n: source.below(4) as u8,
        nm_m: source.below(6) as u8,
        has_nan: source.below(3) as u8,
        has_inf: source.below(3) as u8,
    }
}

fn extension_type(source: &mut Source<'_>) -> ExtensionType {
    let float = source.below(2) as u8;
    let part = |source: &mut Source<'_>| {
        if float == 1 || source.chance(8) {
            source.below(6) as u8
        } else {
            0
        }
    };
    ExtensionType {
        bit_width: source.pick(&[8, 16, 32, 4, 2, 1, 3, 12, 0]),
        packing_factor: source.pick(&[1, 1, 1, 2, 4, 8]),
        is_float: float,
        is_signed: source.below(2) as u8,
        sign_bits: part(source),
        exponent_bits: part(source),
        mantissa_bits: part(source),
        exponent_bias: part(source).into(),
        has_nan: source.below(3) as u8,
        has_inf: source.below(3) as u8,
    }
}
