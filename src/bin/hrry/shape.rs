//! The JSON shapes of descriptors: raw numbers as on the wire, with words beside them.

mod layout;
mod sections;

use hrry::message::{ErrorCode, MessageType};
use hrry::{
    Array, BlockTableIndexType, BufferHandle, CombineOp, CompositionRule, DescriptorView,
    DeviceTag, ElementType, Field, KvRole, LayoutTag, MemberRole, MemoryClass, Number, Scheme,
    SyncMode,
};
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use layout::LayoutShape;
use sections::{QuantizationShape, StatisticsShape};

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
    ErrorCode MemoryClass MessageType Scheme SyncMode
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
