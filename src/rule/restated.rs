//! Rows of the catalogue that say again what another one says: they are documented, and never reported.

use super::Rule;

/// A row of the catalogue that restates a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Restated {
    /// The ID, for example `"SHARD-04"`.
    pub id: &'static str,
    /// The document and section of the specification that states it.
    pub clause: &'static str,
    /// What must hold, in one line.
    pub text: &'static str,
    /// The rule that is reported.
    pub rule: Rule,
}

macro_rules! restated {
    ($($id:literal $clause:literal $text:literal = $rule:ident;)*) => {
        impl Rule {
            /// The rows that restate a rule, in the order of the catalogue.
            pub const RESTATED: &'static [Restated] = &[
                $(Restated { id: $id, clause: $clause, text: $text, rule: Rule::$rule },)*
            ];
        }
    };
}

restated! {
    "DESC-03" "metadata.md § Fixed Header" "version_major is 1" = MajorAbove;
    "TYPE-05" "element-types.md § Tiers" "type_tag is supported" = TypeUnknown;
    "LAYOUT-03" "metadata.md § Extension Layouts" "a private layout's data lies inside the descriptor" = FieldOverrun;
    "LAYOUT-06" "layouts/strided.md" "a strided tensor has rank 1 or more" = ScalarLayout;
    "LAYOUT-21" "layouts/coo.md" "a COO tensor has rank 1 or more" = ScalarLayout;
    "BUF-02" "layouts/composite.md § Head Descriptor" "a composite head has no buffers" = HeadBuffers;
    "BUF-05" "metadata.md § Buffer Table" "a private layout has a buffer" = BufferPresence;
    "QUANT-21" "quantization.md § Buffer Table Placement Rules" "parameters are on the device of the data" = Colocation;
    "QUANT-36" "metadata.md § Quantization Section" "the reader supports quantization" = SchemeUnknown;
    "QUANT-37" "metadata.md § Quantization Section" "an unknown scheme is skipped by its length" = SchemeUnknown;
    "SHARD-03" "metadata.md § Shard Section" "parent_shape and shard_offset have one entry for each dimension" = ArrayLength;
    "SHARD-04" "layouts/csf.md, block-paged.md § Sharding" "CSF and block-paged tensors carry no shard section" = ShardUnsupported;
    "MEMBER-03" "layouts/composite.md § Head Descriptor" "a composite head has no composite member section" = HeadMember;
    "COMP-05" "data-model.md § Scalar Tensors" "a composite head has rank 1 or more" = ScalarLayout;
    "COMP-29" "layouts/composite.md § Per-member checks" "a member lies inside its head" = ShardBounds;
    "COMP-35" "layouts/composite.md § Head Descriptor" "a composite head is no member of an overlay" = RoleMissing;
    "COMP-36" "layouts/csf.md, block-paged.md § Sharding" "CSF and block-paged tensors are members of groups only" = MemberShard;
    "STREAM-05" "layouts/composite.md § Torn composite" "a stream does not end inside a composite" = Torn;
    "STREAM-09" "buffer-protocol.md § Per-Transport Constraints" "between machines every sync_mode is 0" = CrossMachineSync;
    "VER-04" "versioning.md § Compatibility Matrix" "a higher minor version excuses no reserved flag" = ReservedFlags;
    "FILE-29" "file-format.md § Data Buffer Placement" "empty buffers have a place as well" = DataPlace;
    "FILE-41" "file-format.md § Composite Tensors" "the members of a composite follow its head" = Torn;
    "MSG-22" "interchange.md § Ordering Invariant" "a tensor with data has at least one TENSOR_DATA" = DataTotal;
    "MSG-30" "interchange.md § Shard Consistency" "the shards of a tensor cover parent_shape exactly" = Gap;
    "MSG-31" "interchange.md § Composite Tensor Streaming" "a composite is its head, the head's end, and its members" = MessageOrder;
    "MSG-33" "buffer-protocol.md § Per-Transport Constraints" "every sync_mode is 0" = CrossMachineSync;
}
