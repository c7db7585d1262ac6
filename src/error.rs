//! Errors as values: what is wrong, which rule says so, where it is.
//!
//! Depends on [`rule`](crate::rule). An error is `Copy`, holds no text and no borrowed data, and keeps
//! "the bytes are wrong" apart from "this build is too small".

use core::fmt;

use crate::rule::Rule;

macro_rules! fields {
    ($($name:ident $text:literal;)*) => {
        /// A named field of the wire format; the names are those of the specification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Field {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Field {
            /// All fields, in wire order.
            pub const ALL: &'static [Field] = &[$(Field::$name),*];

            /// The name in the specification.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Field::$name => $text,)* }
            }
        }
    };
}

fields! {
    Magic "magic";
    VersionMajor "version_major";
    VersionMinor "version_minor";
    DescriptorLength "descriptor_length";
    Flags "flags";
    TypeTag "type_tag";
    LayoutTag "layout_tag";
    Rank "rank";
    Shape "shape";
    ByteOffset "byte_offset";
    Strides "strides";
    TileShape "tile_shape";
    OuterLayout "outer_layout";
    InnerLayout "inner_layout";
    TileReserved "tiled.reserved";
    OuterStrides "outer_strides";
    InnerStrides "inner_strides";
    MortonBits "morton_bits";
    Nnz "nnz";
    IsSorted "is_sorted";
    CooReserved "coo.reserved";
    CompressedReserved "csr_csc.reserved";
    ModeOrder "mode_order";
    CsfReserved "csf.reserved";
    PageSize "page_size";
    NumPages "num_pages";
    PagedAxis "paged_axis";
    NumSeqs "num_seqs";
    KvRole "kv_role";
    LayerIndex "layer_index";
    BlockTableIndexType "block_table_index_type";
    PagedReserved "block_paged.reserved";
    CompositionRule "composition_rule";
    CombineOp "combine_op";
    HeadReserved "composite.reserved";
    MemberCount "member_count";
    HilbertOrder "hilbert_order";
    HilbertRank "hilbert_rank";
    ExtensionLayoutId "extension_layout_id";
    ExtensionDataLength "extension_data_length";
    ExtensionData "extension_data";
    BufferCount "buffer_count";
    ByteSize "byte_size";
    Alignment "alignment";
    DeviceTag "device_tag";
    SyncMode "sync_mode";
    MemoryClass "memory_class";
    HandleReserved "handle.reserved";
    QuantizationLength "quantization_length";
    SchemeTag "scheme_tag";
    SchemeVersion "scheme_version";
    SchemeFlags "scheme_flags";
    Scale "scale";
    ZeroPoint "zero_point";
    PerTensorReserved "per_tensor.reserved";
    Axis "axis";
    BlockSize "block_size";
    ScaleBufferIndex "scale_buffer_index";
    ZeroPointBufferIndex "zero_point_buffer_index";
    ScaleTypeTag "scale_type_tag";
    ScaleTypeReserved "scale_type.reserved";
    ParentShape "parent_shape";
    ShardOffset "shard_offset";
    ComputedMask "computed_mask";
    StatisticsReserved "statistics.reserved";
    StatisticsNnz "statistics.nnz";
    SparsityRatio "sparsity_ratio";
    ValueMin "value_min";
    ValueMax "value_max";
    ValueAbsMax "value_abs_max";
    ValueMean "value_mean";
    ValueStddev "value_stddev";
    NmN "nm_n";
    NmM "nm_m";
    HasNan "has_nan";
    HasInf "has_inf";
    StatisticsTail "statistics.reserved2";
    BitWidth "bit_width";
    PackingFactor "packing_factor";
    IsFloat "is_float";
    IsSigned "is_signed";
    SignBits "sign_bits";
    ExponentBits "exponent_bits";
    MantissaBits "mantissa_bits";
    ExtensionReserved "extension_type.reserved";
    ExponentBias "exponent_bias";
    ExtensionHasNan "extension_type.has_nan";
    ExtensionHasInf "extension_type.has_inf";
    ExtensionTail "extension_type.reserved2";
    MemberRole "member_role";
    MemberReserved "composite_member.reserved";
    Tail "tail";
    Payload "payload";
}

/// A broken rule, without a position: what a check returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Violation {
    /// The rule that is broken.
    pub rule: Rule,
    /// The field that breaks it.
    pub field: Field,
    /// Which element of the field: a dimension, a buffer; for tile arrays `level * rank + dimension`,
    /// for other tile fields the level; 0 for single fields.
    pub index: u32,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation { rule, field, index } = self;
        let (id, text) = (rule.id(), rule.text());
        write!(f, "{id} does not hold: {text} ({}", field.name())?;
        if *index > 0 {
            write!(f, "[{index}]")?;
        }
        f.write_str(")")
    }
}

impl core::error::Error for Violation {}

/// What a build, a storage or a policy has too little of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[repr(u8)]
#[non_exhaustive]
pub enum Resource {
    /// Bytes of the descriptor frame, or the policy's `max_descriptor`.
    Frame,
    /// Bytes of one buffer: the policy's `max_buffer`.
    Buffer,
    /// Members of one composite: the policy's `max_members`.
    Members,
    /// 64-bit words of the composite arena, or of lent scratch space.
    Arena,
    /// Axes that members split, in the whole-set cover check.
    SplitAxes,
    /// Bytes of the stream: positions end at 2^64 - 1.
    Position,
}

impl Resource {
    /// The number that stands for it in a [`Report`].
    #[must_use]
    #[allow(clippy::as_conversions)] // reading a discriminant has no other spelling
    pub const fn number(self) -> u8 {
        self as u8
    }
}

/// Why reading or validating stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes break the format.
    Rule(Violation),
    /// Two members of a partition overlap (COMP-42).
    Overlap {
        /// The arriving member.
        member: u32,
        /// First of the members that the other box was merged from.
        first: u32,
        /// Last of them; equal to `first` where the other member is known exactly.
        last: u32,
    },
    /// This build or policy is too small for the input, which may be valid.
    Capacity {
        /// What there is too little of.
        what: Resource,
        /// How much the input needs.
        needed: u64,
        /// How much there is.
        available: u64,
    },
    /// The input ended inside a descriptor or buffer.
    Truncated {
        /// The rule that the end breaks.
        rule: Rule,
        /// Bytes missing to the end of what was being read.
        missing: u64,
    },
    /// The input ended inside a composite (COMP-48).
    Torn {
        /// Depth of the innermost open composite, from 1.
        level: u8,
        /// Members it announced.
        declared: u32,
        /// Members that arrived whole.
        seen: u32,
    },
}

/// An error with its place in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Error {
    kind: ErrorKind,
    offset: u64,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind, offset: u64) -> Self {
        Error { kind, offset }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Absolute byte offset: the first byte of the field at fault; the end of the input where that
    /// came too early.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The broken rule; none for [`ErrorKind::Capacity`].
    #[must_use]
    pub const fn rule(&self) -> Option<Rule> {
        self.kind.rule()
    }
}

impl ErrorKind {
    /// The broken rule; none for [`ErrorKind::Capacity`].
    #[must_use]
    pub const fn rule(&self) -> Option<Rule> {
        match self {
            ErrorKind::Rule(violation) => Some(violation.rule),
            ErrorKind::Truncated { rule, .. } => Some(*rule),
            ErrorKind::Overlap { .. } => Some(Rule::Overlap),
            ErrorKind::Torn { .. } => Some(Rule::Torn),
            ErrorKind::Capacity { .. } => None,
        }
    }

    /// The field at fault, for a broken rule.
    #[must_use]
    pub const fn field(&self) -> Option<Field> {
        match self {
            ErrorKind::Rule(violation) => Some(violation.field),
            ErrorKind::Overlap { .. } => Some(Field::ParentShape),
            _ => None,
        }
    }
}

impl From<Violation> for ErrorKind {
    fn from(violation: Violation) -> Self {
        ErrorKind::Rule(violation)
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(rule), false) = (self.rule(), matches!(self, ErrorKind::Rule(_))) {
            write!(f, "{}: ", rule.id())?;
        }
        match self {
            ErrorKind::Rule(violation) => violation.fmt(f),
            ErrorKind::Overlap {
                member,
                first,
                last,
            } if first == last => write!(f, "member {member} overlaps member {first}"),
            ErrorKind::Overlap {
                member,
                first,
                last,
            } => write!(
                f,
                "member {member} overlaps one of the members {first} to {last}"
            ),
            ErrorKind::Capacity {
                what,
                needed,
                available,
            } => write!(f, "{what:?} too small: needs {needed}, has {available}"),
            ErrorKind::Truncated { missing, .. } => {
                let unit = if *missing == 1 { "byte" } else { "bytes" };
                write!(f, "the input ends {missing} {unit} early")
            }
            ErrorKind::Torn {
                level,
                declared,
                seen,
            } => write!(
                f,
                "the composite at level {level} has {seen} of {declared} members"
            ),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)
    }
}

impl core::error::Error for Error {}

/// An [`Error`] as plain numbers, for a device that reports it over a link.
///
/// Rules travel as [`Rule::number`], fields as [`Field::number`].
///
/// ```
/// use hrry::{FixedStream, Policy, Report};
/// let mut parser = FixedStream::<256>::new(Policy::STRICT);
/// let error = parser.next_event(&mut &b"HRRZ"[..]).unwrap_err();
/// # #[cfg(feature = "serde")] {
/// let mut link = [0; 32];
/// let sent = postcard::to_slice(&Report::from(&error), &mut link)?;
/// // rule 102 is DESC-02, field 0 the magic; its byte 3 is at offset 3 of the stream
/// assert_eq!(sent, [1, 102, 1, 0, 0, 3, 0, 0]);
/// # }
/// # Ok::<(), postcard::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Report {
    /// The broken rule, if the error is one.
    pub rule: Option<u16>,
    /// The field at fault, if one is known.
    pub field: Option<u8>,
    /// Which element of the field, which member of an overlap, which level of a torn composite, or
    /// [`Resource::number`] of a capacity error.
    pub index: u32,
    /// Absolute byte offset.
    pub offset: u64,
    /// Needed and available amounts of a capacity error, missing bytes of a truncation, declared and
    /// seen members of a torn composite, first and last members of an overlap.
    pub amounts: [u64; 2],
}

impl From<&Error> for Report {
    fn from(error: &Error) -> Self {
        let (index, amounts) = match error.kind {
            ErrorKind::Rule(violation) => (violation.index, [0, 0]),
            ErrorKind::Overlap {
                member,
                first,
                last,
            } => (member, [first.into(), last.into()]),
            ErrorKind::Capacity {
                what,
                needed,
                available,
            } => (what.number().into(), [needed, available]),
            ErrorKind::Truncated { missing, .. } => (0, [missing, 0]),
            ErrorKind::Torn {
                level,
                declared,
                seen,
            } => (level.into(), [declared.into(), seen.into()]),
        };
        Report {
            rule: error.rule().map(Rule::number),
            field: error.kind.field().map(Field::number),
            index,
            offset: error.offset,
            amounts,
        }
    }
}

impl Field {
    /// The field with that number.
    pub(crate) fn at(number: u8) -> Field {
        // numbers come from fields, so the other way is never taken
        Self::ALL
            .get(usize::from(number))
            .copied()
            .unwrap_or(Field::Magic)
    }

    /// The place in [`Field::ALL`].
    #[must_use]
    #[allow(clippy::as_conversions)] // reading a discriminant has no other spelling
    pub const fn number(self) -> u8 {
        self as u8
    }
}

#[cfg(test)]
mod tests {
    use std::string::ToString;

    use super::*;

    #[test]
    fn texts_say_what_and_where() {
        let text = |kind| Error::new(kind, 45).to_string();
        let violation = |index| {
            ErrorKind::Rule(Violation {
                rule: Rule::RankLimit,
                field: Field::Rank,
                index,
            })
        };
        let truncated = |missing| ErrorKind::Truncated {
            rule: Rule::StreamTruncated,
            missing,
        };
        let overlap = |first, last| ErrorKind::Overlap {
            member: 7,
            first,
            last,
        };
        let torn = ErrorKind::Torn {
            level: 2,
            declared: 4,
            seen: 3,
        };
        let capacity = ErrorKind::Capacity {
            what: Resource::Frame,
            needed: 300,
            available: 256,
        };
        let texts = [
            (
                violation(0),
                "DESC-09 does not hold: rank is at most 64 (rank)",
            ),
            (
                violation(3),
                "DESC-09 does not hold: rank is at most 64 (rank[3])",
            ),
            (truncated(1), "STREAM-04: the input ends 1 byte early"),
            (truncated(2), "STREAM-04: the input ends 2 bytes early"),
            (overlap(4, 4), "COMP-42: member 7 overlaps member 4"),
            (
                overlap(2, 5),
                "COMP-42: member 7 overlaps one of the members 2 to 5",
            ),
            (torn, "COMP-48: the composite at level 2 has 3 of 4 members"),
            (capacity, "Frame too small: needs 300, has 256"),
        ];
        for (kind, wanted) in texts {
            assert_eq!(text(kind), std::format!("{wanted} at byte 45"));
        }
    }
}
