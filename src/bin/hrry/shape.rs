//! The JSON shapes of descriptors: raw numbers as on the wire, with words beside them.

use hrry::{
    Array, BlockTableIndexType, BufferHandle, CombineOp, CompositionRule, DescriptorView,
    DeviceTag, ElementType, Field, KvRole, Layout, LayoutTag, Levels, MemberRole, MemoryClass,
    Number, Quantization, Scheme, SyncMode,
};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

/// Words for a tag.
pub trait Word {
    /// One of a fixed set: the name, `private` or `unknown`.
    fn word(self) -> &'static str;
    /// For people: the name, or what the number is.
    fn text(self) -> String;
}

macro_rules! words {
    ($($space:ty)*) => {
        $(impl Word for $space {
            fn word(self) -> &'static str {
                match self.name() {
                    Some(name) => name,
                    None if self.is_private() => "private",
                    None => "unknown",
                }
            }

            fn text(self) -> String {
                match self.name() {
                    Some(name) => name.into(),
                    None => format!("{} {:#04x}", self.word(), self.0),
                }
            }
        })*
    };
}

words! {
    BlockTableIndexType CombineOp CompositionRule DeviceTag ElementType KvRole LayoutTag MemberRole
    MemoryClass Scheme SyncMode
}

/// The names of the bits of `flags` that are set.
pub fn flag_names(flags: u32) -> impl Iterator<Item = &'static str> {
    const NAMES: [&str; 5] = [
        "quantization",
        "shard",
        "extension_type",
        "statistics",
        "composite_member",
    ];
    NAMES
        .into_iter()
        .enumerate()
        .filter(move |(bit, _)| flags >> bit & 1 == 1)
        .map(|(_, name)| name)
}

#[derive(Serialize)]
pub struct Descriptor<'a> {
    descriptor_length: u32,
    version_major: u8,
    version_minor: u8,
    flags: u32,
    flag_names: Vec<&'static str>,
    type_tag: u8,
    element_type: &'static str,
    layout_tag: u8,
    layout_name: &'static str,
    rank: u32,
    shape: Numbers<'a, u64>,
    byte_offset: u64,
    layout: LayoutShape<'a>,
    buffers: Vec<Buffer>,
    quantization: Option<QuantizationShape>,
    shard: Option<ShardShape<'a>>,
    statistics: Option<StatisticsShape>,
    extension_type: Option<hrry::ExtensionType>,
    composite_member: Option<Member>,
    /// Bytes of a later minor version.
    #[serde(skip_serializing_if = "Option::is_none")]
    tail: Option<String>,
    /// The layout has no known meaning: everything behind `byte_offset`.
    #[serde(skip_serializing_if = "Option::is_none")]
    opaque: Option<String>,
}

impl<'a> Descriptor<'a> {
    pub fn of(view: &DescriptorView<'a>) -> Self {
        let byte = |field| number(view, field) as u8;
        let (element, layout) = (view.element_type(), view.layout_tag());
        let behind = view
            .locate(Field::ByteOffset, 0)
            .map_or(0, |range| range.end as usize);
        Descriptor {
            descriptor_length: view.as_bytes().len() as u32,
            version_major: byte(Field::VersionMajor),
            version_minor: view.version_minor(),
            flags: view.flags(),
            flag_names: flag_names(view.flags()).collect(),
            type_tag: element.0,
            element_type: element.word(),
            layout_tag: layout.0,
            layout_name: layout.word(),
            rank: view.rank(),
            shape: Numbers(view.shape()),
            byte_offset: view.byte_offset(),
            layout: LayoutShape::of(view),
            buffers: (0..view.buffer_count())
                .filter_map(|k| view.buffer(k))
                .map(Buffer::of)
                .collect(),
            quantization: view.quantization().map(|q| QuantizationShape::of(view, &q)),
            shard: view.shard().map(|shard| ShardShape {
                parent_shape: Numbers(shard.parent_shape),
                shard_offset: Numbers(shard.shard_offset),
            }),
            statistics: view.statistics().map(StatisticsShape::of),
            extension_type: view.extension_type(),
            composite_member: view.member_role().map(|role| Member {
                member_role: role.0,
                role_name: role.word(),
            }),
            tail: Some(view.tail()).filter(|tail| !tail.is_empty()).map(hex),
            opaque: view.is_opaque().then(|| hex(&view.as_bytes()[behind..])),
        }
    }
}

/// A field of at most 8 bytes as it stands in the descriptor, with whatever a reader disregards.
fn number(view: &DescriptorView<'_>, field: Field) -> u64 {
    let range = view.locate(field, 0).unwrap_or_default();
    let bytes = &view.as_bytes()[range.start as usize..range.end as usize];
    bytes
        .iter()
        .rev()
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An array, read while it is written.
struct Numbers<'a, T>(Array<'a, T>);

impl<T: Number + Serialize> Serialize for Numbers<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut sequence = serializer.serialize_seq(Some(self.0.len()))?;
        for number in self.0 {
            sequence.serialize_element(&number)?;
        }
        sequence.end()
    }
}

#[derive(Serialize)]
struct Buffer {
    #[serde(flatten)]
    handle: BufferHandle,
    device: &'static str,
    sync: &'static str,
    class: &'static str,
}

impl Buffer {
    fn of(handle: BufferHandle) -> Self {
        Buffer {
            handle,
            device: handle.device_tag.word(),
            sync: handle.sync_mode.word(),
            class: handle.memory_class.word(),
        }
    }
}

#[derive(Serialize)]
struct ShardShape<'a> {
    parent_shape: Numbers<'a, u64>,
    shard_offset: Numbers<'a, u64>,
}

#[derive(Serialize)]
struct Member {
    member_role: u8,
    role_name: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum LayoutShape<'a> {
    Plain {},
    Strided {
        strides: Numbers<'a, i64>,
    },
    Tiled(TiledShape<'a>),
    Morton {
        morton_bits: Numbers<'a, u32>,
    },
    Coo {
        nnz: u64,
        is_sorted: u8,
    },
    Compressed {
        nnz: u64,
    },
    Csf {
        nnz: u64,
        mode_order: Numbers<'a, u32>,
    },
    BlockPaged {
        #[serde(flatten)]
        fields: hrry::BlockPaged,
        kv_role_name: &'static str,
        index_type_name: &'static str,
    },
    Composite {
        #[serde(flatten)]
        fields: hrry::CompositeHead,
        rule_name: &'static str,
        op_name: &'static str,
    },
    Hilbert {
        hilbert_order: u32,
        hilbert_rank: u32,
    },
    Private {
        extension_layout_id: u64,
        extension_data: String,
    },
}

impl<'a> LayoutShape<'a> {
    fn of(view: &DescriptorView<'a>) -> Self {
        match view.layout() {
            Layout::Strided { strides } => LayoutShape::Strided {
                strides: Numbers(strides),
            },
            Layout::Tiled(tiled) => match TiledShape::of(&mut tiled.levels()) {
                Some(level) => LayoutShape::Tiled(level),
                None => LayoutShape::Plain {},
            },
            Layout::Morton { morton_bits } => LayoutShape::Morton {
                morton_bits: Numbers(morton_bits),
            },
            Layout::Coo { nnz, .. } => LayoutShape::Coo {
                nnz,
                is_sorted: number(view, Field::IsSorted) as u8,
            },
            Layout::Csr { nnz } | Layout::Csc { nnz } => LayoutShape::Compressed { nnz },
            Layout::Csf { nnz, mode_order } => LayoutShape::Csf {
                nnz,
                mode_order: Numbers(mode_order),
            },
            Layout::BlockPaged(fields) => LayoutShape::BlockPaged {
                fields,
                kv_role_name: fields.kv_role.word(),
                index_type_name: fields.block_table_index_type.word(),
            },
            Layout::Composite(fields) => LayoutShape::Composite {
                fields,
                rule_name: fields.composition_rule.word(),
                op_name: fields.combine_op.word(),
            },
            Layout::Hilbert {
                hilbert_order,
                hilbert_rank,
            } => LayoutShape::Hilbert {
                hilbert_order,
                hilbert_rank,
            },
            Layout::Private {
                extension_layout_id,
                extension_data,
                ..
            } => LayoutShape::Private {
                extension_layout_id,
                extension_data: hex(extension_data),
            },
            _ => LayoutShape::Plain {},
        }
    }
}

#[derive(Serialize)]
struct TiledShape<'a> {
    tile_shape: Numbers<'a, u64>,
    outer_layout: u8,
    outer_layout_name: &'static str,
    inner_layout: u8,
    inner_layout_name: &'static str,
    outer_strides: Option<Numbers<'a, i64>>,
    inner_strides: Option<Numbers<'a, i64>>,
    inner_tiled: Option<Box<TiledShape<'a>>>,
}

impl<'a> TiledShape<'a> {
    /// The next level with those inside it; the format allows eight.
    fn of(levels: &mut Levels<'a>) -> Option<Self> {
        let level = levels.next()?;
        let strided = |tag, strides| (tag == LayoutTag::Strided).then_some(Numbers(strides));
        Some(TiledShape {
            tile_shape: Numbers(level.tile_shape),
            outer_layout: level.outer_layout.0,
            outer_layout_name: level.outer_layout.word(),
            inner_layout: level.inner_layout.0,
            inner_layout_name: level.inner_layout.word(),
            outer_strides: strided(level.outer_layout, level.outer_strides),
            inner_strides: strided(level.inner_layout, level.inner_strides),
            inner_tiled: match level.inner_layout {
                LayoutTag::Tiled => TiledShape::of(levels).map(Box::new),
                _ => None,
            },
        })
    }
}

#[derive(Serialize)]
struct QuantizationShape {
    length: u32,
    scheme_tag: u8,
    scheme: &'static str,
    scheme_version: u8,
    flags: u16,
    #[serde(flatten)]
    parameters: ParametersShape,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ParametersShape {
    PerTensor {
        scale_bits: String,
        scale: f32,
        zero_point: i32,
    },
    Affine {
        axis: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        block_size: Option<u32>,
        scale_buffer_index: u32,
        zero_point_buffer_index: u32,
        scale_type_tag: u8,
        scale_type: &'static str,
    },
    Block {
        axis: u32,
        block_size: u32,
        scale_buffer_index: u32,
    },
    Other {
        payload: String,
    },
}

impl QuantizationShape {
    fn of(view: &DescriptorView<'_>, quantization: &Quantization<'_>) -> Self {
        let scheme = quantization.scheme();
        QuantizationShape {
            length: view.quantization_length(),
            scheme_tag: scheme.0,
            scheme: scheme.word(),
            scheme_version: number(view, Field::SchemeVersion) as u8,
            flags: number(view, Field::SchemeFlags) as u16,
            parameters: match quantization {
                Quantization::PerTensor {
                    scale, zero_point, ..
                } => ParametersShape::PerTensor {
                    scale_bits: format!("{:#010x}", scale.0),
                    scale: f32::from_bits(scale.0),
                    zero_point: *zero_point,
                },
                Quantization::Buffers(p) if matches!(scheme, Scheme::Nf4 | Scheme::Mxfp) => {
                    ParametersShape::Block {
                        axis: p.axis,
                        block_size: p.block_size,
                        scale_buffer_index: p.scale_buffer_index,
                    }
                }
                Quantization::Buffers(p) => ParametersShape::Affine {
                    axis: p.axis,
                    block_size: (scheme == Scheme::PerBlockAffine).then_some(p.block_size),
                    scale_buffer_index: p.scale_buffer_index,
                    zero_point_buffer_index: p.zero_point_buffer_index,
                    scale_type_tag: p.scale_type.0,
                    scale_type: p.scale_type.word(),
                },
                Quantization::Other { bytes, .. } => ParametersShape::Other {
                    payload: hex(bytes),
                },
                _ => ParametersShape::Other {
                    payload: String::new(),
                },
            },
        }
    }
}

/// Values stand beside their bits; JSON has none for infinities and NaN.
#[derive(Serialize)]
struct StatisticsShape {
    computed_mask: u32,
    nnz: u64,
    sparsity_ratio_bits: String,
    sparsity_ratio: f64,
    value_min_bits: String,
    value_min: f64,
    value_max_bits: String,
    value_max: f64,
    value_abs_max_bits: String,
    value_abs_max: f64,
    value_mean_bits: String,
    value_mean: f64,
    value_stddev_bits: String,
    value_stddev: f64,
    nm_n: u8,
    nm_m: u8,
    has_nan: u8,
    has_inf: u8,
}

impl StatisticsShape {
    fn of(s: hrry::Statistics) -> Self {
        let bits = |value: hrry::F64Bits| format!("{:#018x}", value.0);
        let float = |value: hrry::F64Bits| f64::from_bits(value.0);
        StatisticsShape {
            computed_mask: s.computed_mask,
            nnz: s.nnz,
            sparsity_ratio_bits: bits(s.sparsity_ratio),
            sparsity_ratio: float(s.sparsity_ratio),
            value_min_bits: bits(s.value_min),
            value_min: float(s.value_min),
            value_max_bits: bits(s.value_max),
            value_max: float(s.value_max),
            value_abs_max_bits: bits(s.value_abs_max),
            value_abs_max: float(s.value_abs_max),
            value_mean_bits: bits(s.value_mean),
            value_mean: float(s.value_mean),
            value_stddev_bits: bits(s.value_stddev),
            value_stddev: float(s.value_stddev),
            nm_n: s.nm_n,
            nm_m: s.nm_m,
            has_nan: s.has_nan,
            has_inf: s.has_inf,
        }
    }
}
