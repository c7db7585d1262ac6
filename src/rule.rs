//! The rule table: every rule of the format that bytes, values or calls can break.
//!
//! Depends on nothing. Guarantees one row for each rule, under the ID that the project's rule
//! catalogue gives it, and one number that is never used again. Never decides anything: the checks
//! are in [`check`](crate::check), [`descriptor`](crate::descriptor), [`composite`](crate::composite)
//! and [`stream`](crate::stream).

mod restated;

pub use restated::Restated;

/// What a rule is a function of, and so who can break it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Class {
    /// Bytes: only a decoder meets it, a writer emits constants and computed lengths.
    Wire,
    /// One logical descriptor: reader and writer call the same check.
    Model,
    /// Several descriptors in order.
    Set,
    /// The bytes inside buffers; checked on request only.
    Content,
    /// The order of calls of a writer.
    Call,
}

/// What permissive mode does where strict mode refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
#[non_exhaustive]
pub enum Permissive {
    /// It refuses as well.
    Reject,
    /// It accepts and flags.
    Accept,
    /// It disregards the field.
    Ignore,
    /// It accepts and leaves the data uninterpreted.
    Opaque,
    /// It exposes what arrived, never as a whole.
    Expose,
}

macro_rules! rules {
    ($($name:ident $id:literal $class:ident $permissive:ident $clause:literal $text:literal;)*) => {
        /// One rule of the format. [`Rule::id`] is its name in `docs/rules.md`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[repr(u8)]
        #[non_exhaustive]
        pub enum Rule {
            $(#[doc = concat!($id, ": ", $text)] $name,)*
        }

        impl Rule {
            /// All rules, in the order of the table.
            pub const ALL: &'static [Rule] = &[$(Rule::$name),*];

            /// The ID, for example `"SHARD-01"`.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self { $(Rule::$name => $id,)* }
            }

            /// The document and section of the specification that states the rule.
            #[must_use]
            pub const fn clause(self) -> &'static str {
                match self { $(Rule::$name => $clause,)* }
            }

            /// The number that stands for the rule in a [`Report`](crate::Report): 100 for each family,
            /// plus the number in the ID. It never changes.
            #[must_use]
            pub fn number(self) -> u16 {
                // of a `match`, compilers make more code than this table has bytes
                const NUMBERS: &[u16] = &[$(number_of($id)),*];
                NUMBERS.get(usize::from(self.place())).copied().unwrap_or(0)
            }

            /// What must hold, in one line.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Rule::$name => $text,)* }
            }

            /// What the rule is a function of.
            #[must_use]
            pub const fn class(self) -> Class {
                match self { $(Rule::$name => Class::$class,)* }
            }

            /// What permissive mode does with a breach.
            #[must_use]
            pub const fn permissive(self) -> Permissive {
                match self { $(Rule::$name => Permissive::$permissive,)* }
            }
        }
    };
}

rules! {
    // DESC: descriptor frame
    Magic "DESC-02" Wire Reject "metadata.md § Fixed Header" "a descriptor starts with the bytes HRRY";
    LengthMinimum "DESC-04" Wire Reject "metadata.md § Fixed Header" "descriptor_length is at least 20";
    FieldOverrun "DESC-05" Wire Reject "metadata.md § Fixed Header" "no field crosses descriptor_length";
    Incomplete "DESC-06" Wire Reject "metadata.md § Fixed Header" "descriptor_length bytes are there";
    BytesAfter "DESC-07" Wire Reject "metadata.md § Fixed Header" "an input of one descriptor ends with it";
    ReservedFlags "DESC-08" Wire Reject "metadata.md § Flags" "flag bits 5 to 31 are 0";
    RankLimit "DESC-09" Model Reject "data-model.md § Rank" "rank is at most 64";
    ScalarLayout "DESC-12" Model Reject "data-model.md § Scalar Tensors" "rank 0 has the row-major layout";
    ArrayLength "DESC-13" Model Reject "metadata.md § Descriptor Structure" "every array has the length that rank and tags give it";
    TrailingBytes "DESC-14" Wire Ignore "metadata.md § Version Compatibility" "at version_minor 0 the parts fill descriptor_length exactly";
    ExtensionPresence "DESC-16" Model Reject "metadata.md § Extension Type Section" "the extension type section is there exactly for private element types";
    SizeOverflow "DESC-19" Model Reject "data-model.md § Shape" "the bytes that a dense tensor needs fit 64 bits";
    TotalLength "DESC-21" Model Reject "compliance.md § Writers" "the whole descriptor is shorter than 2^32 bytes";
    // TYPE: element types
    TypeInvalid "TYPE-01" Model Reject "element-types.md § Type Identifier Encoding" "type_tag is not 0x00 or 0xFF";
    TypeUnknown "TYPE-02" Model Opaque "element-types.md § Type Identifier Encoding" "type_tag is assigned or private";
    BoolPadding "TYPE-07" Content Ignore "element-types.md § Packing" "unused bits of the last bool byte are 0";
    NibblePadding "TYPE-08" Content Ignore "element-types.md § Packing" "an unused nibble is 0";
    PairPadding "TYPE-09" Content Ignore "element-types.md § Packing" "unused bits of the last 2-bit byte are 0";
    SextetPadding "TYPE-10" Content Ignore "element-types.md § Packing" "unused bits of the last 6-bit group are 0";
    E8m0Data "TYPE-11" Content Ignore "element-types.md § Float8 Variants" "float8_e8m0 data holds no 0x00 and no 0xFF";
    // LAYOUT: layout tags and payloads
    LayoutInvalid "LAYOUT-01" Model Reject "memory-layout.md § Layout Taxonomy" "layout_tag is not 0x00 or 0xFF";
    LayoutUnknown "LAYOUT-02" Model Opaque "memory-layout.md § Layout Taxonomy" "layout_tag is assigned or private";
    PrivateLayout "LAYOUT-04" Model Opaque "metadata.md § Extension Layouts" "extension_layout_id is registered with the reader";
    DenseSize "LAYOUT-05" Model Reject "memory-layout.md § Dense Layouts" "buffer 0 holds byte_offset and all elements";
    StridedReach "LAYOUT-07" Model Reject "layouts/strided.md § Element Address" "every element that strides reach lies in buffer 0";
    TileShape "LAYOUT-09" Model Reject "layouts/tiled.md § Additional Descriptor Fields" "tile_shape values are above 0 at every level";
    TileOrder "LAYOUT-10" Model Reject "layouts/tiled.md § Additional Descriptor Fields" "outer_layout is 0x01 to 0x03, inner_layout 0x01 to 0x04";
    TileReserved "LAYOUT-11" Wire Ignore "layouts/tiled.md § Additional Descriptor Fields" "the reserved bytes of a tiled level are 0";
    TileLevels "LAYOUT-12" Model Reject "layouts/tiled.md § Recursive Tiling" "tiles nest at most 8 levels deep";
    TileDivides "LAYOUT-13" Model Accept "layouts/tiled.md § Recursive Tiling" "a nested tile divides the enclosing one";
    TileReach "LAYOUT-14" Model Reject "layouts/tiled.md § Element Address" "every element that tile strides reach lies in buffer 0";
    MortonBits "LAYOUT-16" Model Reject "layouts/morton.md § Additional Descriptor Fields" "morton_bits values are above 0";
    MortonShape "LAYOUT-17" Model Reject "layouts/morton.md § Dimension Size Constraints" "a dimension is at most 2^morton_bits";
    MortonSize "LAYOUT-18" Model Reject "layouts/morton.md § Buffer Size" "buffer 0 holds every Morton code";
    HilbertShape "LAYOUT-19" Model Reject "layouts/hilbert.md § Validity Constraints" "hilbert_order is above 0, hilbert_rank is the rank and at least 2, every dimension is 2^hilbert_order";
    HilbertSize "LAYOUT-20" Model Reject "layouts/hilbert.md § Buffer Size" "buffer 0 holds 2^(hilbert_rank x hilbert_order) elements";
    CooSorted "LAYOUT-22" Wire Ignore "layouts/coo.md § Additional Descriptor Fields" "is_sorted is 0 or 1";
    SparseReserved "LAYOUT-23" Wire Ignore "layouts/coo.md, csr.md, csc.md, csf.md § Additional Descriptor Fields" "the reserved bytes of a sparse layout are 0";
    CooSize "LAYOUT-24" Model Reject "layouts/coo.md § Buffer Size" "values hold nnz elements, indices nnz x rank 64-bit numbers";
    SparseCount "LAYOUT-25" Model Accept "layouts/coo.md, csr.md, csc.md, csf.md § Validity Constraints" "nnz is at most the element count";
    CooRange "LAYOUT-26" Content Accept "layouts/coo.md § Validity Constraints" "coordinates are in bounds";
    CooDuplicate "LAYOUT-27" Content Accept "layouts/coo.md § Validity Constraints" "no coordinate is stored twice";
    CooOrder "LAYOUT-28" Content Accept "layouts/coo.md § Validity Constraints" "with is_sorted 1, coordinates strictly increase";
    CompressedRank "LAYOUT-29" Model Reject "layouts/csr.md, csc.md § Description" "a CSR or CSC tensor has rank 2";
    CompressedSize "LAYOUT-30" Model Reject "layouts/csr.md, csc.md § Buffer Size" "values and indices hold nnz entries, the pointers one more than the rows or columns";
    CompressedPointers "LAYOUT-31" Content Accept "layouts/csr.md, csc.md § Storage Invariants" "pointers start at 0, do not fall and end at nnz";
    CompressedOrder "LAYOUT-32" Content Accept "layouts/csr.md, csc.md § Storage Invariants" "indices are in bounds and strictly increase in a row or column";
    CsfRank "LAYOUT-33" Model Reject "layouts/csf.md § Description" "a CSF tensor has rank 3 or more";
    CsfModes "LAYOUT-34" Model Opaque "layouts/csf.md § Mode Ordering" "mode_order is a permutation of the dimensions";
    CsfSize "LAYOUT-35" Model Reject "layouts/csf.md § Buffer Size" "values and leaf coordinates hold nnz entries, pos_0 two, every other pos one";
    CsfPointers "LAYOUT-36" Content Accept "layouts/csf.md § Storage Invariants" "pos arrays start at 0, do not fall and count the level below";
    CsfOrder "LAYOUT-37" Content Accept "layouts/csf.md § Storage Invariants" "siblings strictly increase and are in bounds";
    CsfEmpty "LAYOUT-38" Content Accept "layouts/csf.md § Storage Invariants" "with nnz 0, pos_0 is [0, 0] and everything else is empty";
    PagedRank "LAYOUT-39" Model Reject "layouts/block-paged.md § Description" "a block-paged tensor has rank 3";
    PageSize "LAYOUT-40" Model Reject "layouts/block-paged.md § Additional Descriptor Fields" "page_size is at least 1";
    PagedAxis "LAYOUT-41" Model Opaque "layouts/block-paged.md § Additional Descriptor Fields" "paged_axis is 0";
    PagedTags "LAYOUT-42" Model Reject "layouts/block-paged.md § Additional Descriptor Fields" "kv_role is at most 2, block_table_index_type at most 1";
    PagedReserved "LAYOUT-43" Wire Reject "layouts/block-paged.md § Additional Descriptor Fields" "the reserved bytes of a block-paged layout are 0";
    PagedIndexWidth "LAYOUT-44" Model Accept "layouts/block-paged.md § Additional Descriptor Fields" "more than 4294967295 pages need 64-bit page numbers";
    PagedSize "LAYOUT-45" Model Reject "layouts/block-paged.md § Storage Invariants" "page_pool holds every page, seq_ptr one entry more than the sequences";
    PagedTable "LAYOUT-46" Content Accept "layouts/block-paged.md § Storage Invariants" "seq_ptr rises from 0 to the logical pages, page numbers are below num_pages";
    ShardUnsupported "LAYOUT-49" Model Reject "layouts/csf.md, block-paged.md § Sharding" "CSF and block-paged tensors carry no shard section";
    // BUF: buffer table
    BufferPresence "BUF-01" Model Reject "metadata.md § Buffer Table" "buffer_count is at least 1, but for composite heads";
    BufferCount "BUF-03" Model Accept "metadata.md § Buffer Table" "buffer_count is what the layout needs";
    QuantizedBufferCount "BUF-04" Model Accept "quantization.md § Buffer Table Placement Rules" "buffer_count is what layout and quantization parameters need";
    AlignmentPower "BUF-06" Model Reject "buffer-protocol.md § Alignment" "alignment is a power of two";
    AlignmentMinimum "BUF-07" Model Reject "buffer-protocol.md § Alignment" "a buffer that is not empty is aligned to 64 or more";
    HandleReserved "BUF-09" Wire Reject "buffer-protocol.md § Buffer Handle" "the last byte of a handle is 0";
    DeviceTag "BUF-10" Model Reject "buffer-protocol.md § Device Tags" "device_tag is 0x00 to 0x08 or private";
    SyncMode "BUF-11" Model Reject "buffer-protocol.md § Sync Modes" "sync_mode is 0, 1 or 2";
    CpuSync "BUF-12" Model Reject "buffer-protocol.md § Sync Modes" "a CPU buffer has sync_mode 0";
    MemoryClass "BUF-13" Model Reject "buffer-protocol.md § Memory Classes" "memory_class is 0 to 3 or private";
    DeviceClass "BUF-14" Model Reject "buffer-protocol.md § Memory Classes" "the device has that memory class";
    PrivateClass "BUF-15" Model Reject "buffer-protocol.md § Memory Classes" "a private memory class was agreed on";
    Colocation "BUF-16" Model Reject "buffer-protocol.md § Colocation" "all buffers of a descriptor share device_tag and memory_class";
    ByteOffsetRange "BUF-17" Model Reject "metadata.md § byte_offset" "byte_offset is at most the size of buffer 0";
    ByteOffsetZero "BUF-18" Model Ignore "memory-layout.md § byte_offset" "byte_offset is 0 for sparse and block-paged layouts";
    CrossMachineSync "BUF-19" Model Reject "buffer-protocol.md § Per-Transport Constraints" "between machines every sync_mode is 0";
    BufferLimit "BUF-24" Model Reject "metadata.md § Buffer Table" "a descriptor has at most 255 buffers";
    // QUANT: quantization section
    QuantizationLength "QUANT-01" Wire Reject "quantization.md § Binary Encoding" "quantization_length is at least 4";
    SchemeLength "QUANT-02" Wire Reject "quantization.md § Binary Encoding" "quantization_length is at least the size of the scheme";
    SchemeInvalid "QUANT-03" Model Reject "quantization.md § Scheme Tags" "scheme_tag is not 0x00 or 0xFF";
    SchemeUnknown "QUANT-04" Model Opaque "quantization.md § Scheme Tags" "scheme_tag is assigned or private";
    PrivateScheme "QUANT-05" Model Opaque "quantization.md § Scheme Tags" "a private scheme is registered with the reader";
    SchemeVersion "QUANT-06" Wire Reject "quantization.md § Versioning" "scheme_version is 1";
    SchemeFlags "QUANT-07" Model Reject "quantization/*.md § Flags" "reserved flag bits of the scheme are 0";
    StorageType "QUANT-08" Model Reject "quantization/*.md § Validity Constraints" "the scheme allows the storage type";
    ScaleValue "QUANT-09" Model Reject "quantization/per-tensor-affine.md § Validity Constraints" "scale is finite and not zero";
    ZeroPointRange "QUANT-10" Model Reject "quantization/per-tensor-affine.md § Validity Constraints" "zero_point is a value of the storage type";
    PerTensorReserved "QUANT-11" Wire Reject "quantization/per-tensor-affine.md § Binary Encoding" "reserved bytes 12 to 15 are 0";
    QuantizedAxis "QUANT-12" Model Reject "quantization/*.md § Validity Constraints" "axis is below the rank";
    AxisDynamic "QUANT-13" Model Reject "quantization/*.md § Validity Constraints" "the quantized dimension is not dynamic";
    PerChannelScaleType "QUANT-14" Model Reject "quantization/per-channel-affine.md § Validity Constraints" "scale_type_tag is float32 and the bytes after it are 0";
    PerBlockScaleType "QUANT-15" Model Reject "quantization/per-block-affine.md § Validity Constraints" "scale_type_tag is float16, bfloat16 or float32";
    PerBlockReserved "QUANT-16" Wire Ignore "quantization/per-block-affine.md § Binary Encoding" "reserved bytes 21 to 23 are 0";
    SymmetricIndex "QUANT-17" Model Ignore "quantization/per-channel-affine.md, per-block-affine.md § Flags" "a symmetric scheme names no zero-point buffer";
    ZeroPointIndex "QUANT-18" Model Reject "quantization/per-channel-affine.md, per-block-affine.md § Flags" "zero_point_buffer_index is below buffer_count";
    ScaleIndex "QUANT-19" Model Reject "quantization/*.md § Validity Constraints" "scale_buffer_index is below buffer_count";
    ParameterPlace "QUANT-20" Model Reject "quantization.md § Buffer Table Placement Rules" "parameters are outside the layout's own buffers";
    BlockSize "QUANT-22" Model Reject "quantization/*.md § Validity Constraints" "block_size is a power of two in the range of the scheme";
    BlockFits "QUANT-23" Model Reject "quantization/per-block-affine.md, nf4.md § Validity Constraints" "block_size is at most the dimension, unless that is 0";
    BlockWhole "QUANT-24" Model Reject "quantization/mxfp.md § Validity Constraints" "the dimension is a positive multiple of block_size";
    ScaleSize "QUANT-25" Model Accept "quantization/*.md § Scale Buffer" "the scale buffer has exactly one entry for each channel or block";
    ZeroPointSize "QUANT-26" Model Accept "quantization/*.md § Zero-Point Buffer" "the zero-point buffer has exactly one entry for each channel or block";
    SharedSize "QUANT-27" Model Accept "quantization.md § Buffer Table Placement Rules" "a shared parameter buffer is exactly the scales and the zero points";
    ScaleContent "QUANT-28" Content Ignore "quantization/*.md § Validity Constraints" "scales are finite and not zero, for NF4 finite and not negative";
    ZeroPointContent "QUANT-29" Content Ignore "quantization/per-channel-affine.md § Validity Constraints" "zero points are values of the storage type";
    E8m0Scale "QUANT-30" Content Reject "quantization/mxfp.md § Validity Constraints" "MXFP scales hold no 0x00 and no 0xFF";
    PagedChannelAxis "QUANT-33" Model Reject "layouts/block-paged.md § Quantization Compatibility" "a per-channel axis of a block-paged tensor is 1 or 2";
    PagedBlock "QUANT-34" Model Reject "layouts/block-paged.md § Quantization Compatibility" "per-block parameters of a block-paged tensor run along axis 0 in blocks of page_size";
    PagedParameters "QUANT-35" Model Accept "layouts/block-paged.md § Per-page-slot parameters" "per-block parameters of a block-paged tensor have one entry for each page slot";
    // SHARD, STAT, EXT, MEMBER: fixed sections
    ShardBounds "SHARD-01" Model Reject "metadata.md § Shard Section" "shard_offset + shape is at most parent_shape, without wrapping";
    ShardDynamic "SHARD-02" Model Reject "data-model.md § Dynamic Dimensions" "a shard has no dynamic dimension";
    StatisticsMask "STAT-01" Model Reject "metadata.md § computed_mask" "computed_mask bits 6 to 31 are 0";
    StatisticsReserved "STAT-02" Wire Ignore "metadata.md § Field Encoding" "the reserved bytes of the statistics section are 0";
    StatisticsCount "STAT-04" Model Ignore "layouts/coo.md, csr.md, csc.md, csf.md § Interaction with Statistics Section" "a valid nnz is the nnz of the layout";
    SparsityRatio "STAT-05" Model Ignore "metadata.md § Field Encoding" "a valid sparsity_ratio lies between 0 and 1";
    Deviation "STAT-06" Model Ignore "metadata.md § Field Encoding" "a valid value_stddev is not negative";
    NmSparsity "STAT-07" Model Ignore "metadata.md § Field Encoding" "a valid nm_n is at most nm_m";
    NanInfFlags "STAT-08" Model Ignore "metadata.md § Field Encoding" "valid has_nan and has_inf are 0 or 1";
    ExtensionWidth "EXT-01" Model Reject "metadata.md § Extension Type Section" "bit_width is above 0";
    ExtensionUnpacked "EXT-02" Model Reject "metadata.md § Extension Type Section" "types of 8 bits and more have packing_factor 1";
    ExtensionPacked "EXT-03" Model Reject "metadata.md § Extension Type Section" "types below 8 bits have 1, 2 or 4 and fill bytes exactly";
    ExtensionBytes "EXT-04" Model Opaque "metadata.md § Extension Type Section" "types above 8 bits have whole bytes";
    ExtensionBools "EXT-05" Model Ignore "metadata.md § Extension Type Section" "is_float and is_signed, for floats has_nan and has_inf, are 0 or 1";
    ExtensionFloat "EXT-06" Model Ignore "metadata.md § Extension Type Section" "a float has is_signed 0 and sign_bits at most 1";
    ExtensionInteger "EXT-07" Model Ignore "metadata.md § Extension Type Section" "an integer has no sign, exponent and mantissa bits and no bias";
    ExtensionReserved "EXT-08" Wire Ignore "metadata.md § Extension Type Section" "the reserved bytes of the extension type section are 0";
    MemberRole "MEMBER-01" Model Reject "metadata.md § Composite Member Section" "member_role is 0 or 1";
    MemberReserved "MEMBER-02" Wire Reject "metadata.md § Composite Member Section" "the reserved bytes of the composite member section are 0";
    // COMP: composites
    HeadBuffers "COMP-01" Model Reject "layouts/composite.md § Head Descriptor" "a composite head has no buffers";
    HeadByteOffset "COMP-02" Model Reject "layouts/composite.md § Head Descriptor" "the byte_offset of a composite head is 0";
    HeadQuantization "COMP-03" Model Reject "layouts/composite.md § Head Descriptor" "a composite head has no quantization section";
    HeadMember "COMP-04" Model Reject "layouts/composite.md § Head Descriptor" "a composite head has no composite member section";
    CompositionRule "COMP-06" Model Reject "layouts/composite.md § Head Layout-Specific Fields" "composition_rule is 1, 2, 3 or private";
    PrivateRule "COMP-07" Model Reject "layouts/composite.md § Head Layout-Specific Fields" "a private composition_rule is registered with the reader";
    CombineNone "COMP-08" Model Reject "layouts/composite.md § Head Layout-Specific Fields" "partition and group have combine_op 0";
    CombineOverlay "COMP-09" Model Reject "layouts/composite.md § Head Layout-Specific Fields" "an overlay has combine_op 1 or 2";
    HeadReserved "COMP-10" Wire Reject "layouts/composite.md § Head Layout-Specific Fields" "the reserved bytes of a composite head are 0";
    OpenComposite "COMP-11" Model Reject "layouts/composite.md § Head Layout-Specific Fields" "member_count is not 0xFFFFFFFF";
    OverlayEmpty "COMP-12" Model Reject "layouts/composite.md § Close-time checks" "an overlay has at least one member";
    HeadDynamic "COMP-13" Model Reject "data-model.md § Dynamic Dimensions" "partition and overlay heads have no dynamic dimension";
    PartitionEmpty "COMP-14" Model Accept "layouts/composite.md § Close-time checks" "a partition without members has no elements";
    CompositeDepth "COMP-20" Set Reject "layouts/composite.md § Binding" "composites nest at most 8 levels deep";
    MemberType "COMP-23" Set Reject "layouts/composite.md § Per-member checks" "a member that is not quantized has the type of its head";
    QuantizedMemberType "COMP-24" Set Reject "layouts/composite.md § Per-member checks" "a quantized member belongs to a floating-point head";
    NestedType "COMP-25" Set Reject "layouts/composite.md § Per-member checks" "a nested head has the type of the outer head";
    PrivateMemberType "COMP-26" Set Reject "layouts/composite.md § Element type across members" "a member of a private type repeats the extension type section of its head";
    MemberShard "COMP-27" Set Reject "layouts/composite.md § Per-member checks" "a member of a partition or overlay has a shard section";
    MemberParent "COMP-28" Set Reject "layouts/composite.md § Per-member checks" "parent_shape is the shape of the head";
    RoleUnexpected "COMP-30" Set Reject "layouts/composite.md § Per-member checks" "members of partitions and groups have no composite member section";
    RoleMissing "COMP-31" Set Reject "layouts/composite.md § Per-member checks" "members of an overlay have the composite member section";
    BaseFirst "COMP-32" Set Reject "layouts/composite.md § Per-member checks" "the first member of an overlay is its base";
    BaseSpans "COMP-33" Set Reject "layouts/composite.md § Per-member checks" "the base of an overlay spans the head";
    BaseTwice "COMP-34" Set Reject "layouts/composite.md § Per-member checks" "later members of an overlay are corrections";
    Overlap "COMP-42" Set Accept "layouts/composite.md § Close-time checks" "members of a partition do not overlap";
    Gap "COMP-43" Set Accept "layouts/composite.md § Close-time checks" "members of a partition leave nothing uncovered";
    Torn "COMP-48" Set Expose "layouts/composite.md § Torn composite" "all members of a composite arrive";
    MemberCount "COMP-49" Set Reject "layouts/composite.md § Binding" "a composite is closed by its last member and by nothing else";
    MemberUnreadable "COMP-57" Set Expose "layouts/composite.md § Per-member checks" "the sections of a member can be read";
    // STREAM: bare concatenation
    StreamTruncated "STREAM-04" Wire Reject "interchange.md § Scope" "a stream does not end inside a descriptor or a buffer";
    Unskippable "STREAM-08" Wire Reject "interchange.md § Scope" "the buffer sizes of a tensor are known";
    PayloadLength "STREAM-10" Call Reject "interchange.md § Scope" "a writer is given exactly byte_size bytes for each buffer";
    WriterOpen "STREAM-11" Call Reject "layouts/composite.md § Torn composite" "a writer does not finish inside a tensor or composite";
    FileNotStream "STREAM-12" Wire Reject "file-format.md § File Header" "a stream is not a file";
    // VER: evolution
    MajorAbove "VER-01" Wire Reject "versioning.md § Compatibility Matrix" "version_major is not above 1";
    MajorBelow "VER-02" Wire Reject "versioning.md § Compatibility Matrix" "version_major is not below 1";
    // FILE: containers
    FileMagic "FILE-01" Wire Reject "file-format.md § File Header" "a file starts with the bytes HRRYFILE";
    ContainerMajor "FILE-02" Wire Reject "file-format.md § File Header" "container_version_major is 1";
    ReservedFileFlags "FILE-03" Wire Reject "file-format.md § File Flags" "file flag bits 3 to 31 are 0";
    FileHeaderReserved "FILE-04" Wire Ignore "file-format.md § File Header" "the reserved bytes of the file header are 0";
    DataAlignment "FILE-05" Wire Reject "file-format.md § File Header" "data_buffer_alignment is a power of two from 4,096 to 2,097,152";
    FirstDescriptor "FILE-06" Wire Ignore "file-format.md § File Header" "first_descriptor_offset is a multiple of 8 in the tensor region, and where the first descriptor is";
    FileLength "FILE-08" Wire Reject "file-format.md § File Layout" "a file has room for a header and a trailer";
    TrailerMagic "FILE-09" Wire Reject "file-format.md § Trailer" "a file ends with the bytes HRRY";
    TrailerReserved "FILE-10" Wire Ignore "file-format.md § Trailer" "the reserved bytes of the trailer are 0";
    IndexRange "FILE-11" Wire Reject "file-format.md § Trailer" "the index ends before the trailer";
    IndexPlace "FILE-12" Wire Accept "file-format.md § Index Section" "index_offset is a multiple of 8 behind the header";
    IndexChecksum "FILE-13" Wire Reject "file-format.md § Trailer" "index_crc32c is the CRC-32C of the index";
    ChecksumUnused "FILE-14" Wire Reject "file-format.md § Trailer" "index_crc32c is 0 where the file has no checksum";
    IndexEntries "FILE-15" Wire Reject "file-format.md § Index Encoding" "the entries fit into index_length";
    IndexTail "FILE-16" Wire Ignore "file-format.md § Index Encoding" "at container_version_minor 0 the entries fill index_length exactly";
    EntryName "FILE-17" Wire Accept "file-format.md § Index Encoding" "names are UTF-8, not empty, and each is there once";
    SortedNames "FILE-18" Wire Ignore "file-format.md § Index Encoding" "with SORTED_INDEX, names ascend by bytes";
    EntryFlags "FILE-19" Wire Ignore "file-format.md § Index Encoding" "the flags of an entry are 0";
    DescriptorPlace "FILE-20" Wire Accept "file-format.md § Descriptor Placement" "descriptor_offset is a multiple of 8 and the descriptor lies between header and trailer";
    EntryLength "FILE-21" Wire Reject "file-format.md § Index Encoding" "descriptor_length of an entry is that of the descriptor";
    DataRange "FILE-22" Wire Reject "file-format.md § Index Encoding" "the data of a tensor lies between its descriptor and the trailer";
    DataPlace "FILE-23" Wire Accept "file-format.md § Data Buffer Placement" "data_offset is a multiple of data_buffer_alignment";
    DataLength "FILE-24" Wire Accept "file-format.md § Index Encoding" "data_length is what the buffers take, padding between them included";
    Padding "FILE-26" Wire Ignore "file-format.md § Data Buffer Placement" "padding is 0";
    KvMissing "FILE-30" Wire Ignore "file-format.md § File Flags" "with HAS_KV_METADATA there is a key-value section";
    KvRange "FILE-32" Wire Accept "file-format.md § KV Metadata Section" "the key-value section is a multiple of 8 behind the header and ends before the trailer";
    KvKey "FILE-33" Wire Reject "file-format.md § KV Section Encoding" "keys are UTF-8, not empty, and each is there once";
    KvValue "FILE-34" Wire Reject "file-format.md § KV Value Types" "values have an assigned type; strings are UTF-8, bools 0 or 1";
    KvPrivate "FILE-35" Wire Expose "file-format.md § KV Value Types" "values of a private type are not read";
    KvArray "FILE-36" Wire Reject "file-format.md § KV Value Types" "array elements have a type that is assigned and no array";
    KvEntries "FILE-37" Wire Ignore "file-format.md § KV Section Encoding" "at container_version_minor 0 the entries fill kv_length exactly";
    KvPromise "FILE-38" Call Reject "file-format.md § Writer Protocol" "a key-value section is announced before the first tensor";
    SectionOrder "FILE-40" Wire Accept "file-format.md § File Layout" "header, tensors, key-value section, index and trailer follow each other without overlap";
    RegionEnd "FILE-44" Wire Reject "file-format.md § Sequential Reader (No Seek)" "the tensor region ends where a section starts";
    HandleAtRest "FILE-45" Call Reject "file-format.md § Writer Protocol" "buffers of a file need no more than data_buffer_alignment, and no synchronisation";
    // MSG: framed transport
    MessageTruncated "MSG-01" Wire Reject "interchange.md § Message Framing" "a message has as many bytes as its header says";
    MessageSize "MSG-02" Wire Reject "interchange.md § Message Framing" "payload_length is at most the receiver's max_message_size";
    PeerMessageSize "MSG-03" Call Reject "interchange.md § Session Establishment" "payload_length is at most the max_message_size of the peer";
    StreamId "MSG-04" Wire Reject "interchange.md § Message Framing" "stream_id is not 0";
    MessageType "MSG-05" Wire Reject "interchange.md § Message Types" "message_type is one that its sender has, or private and agreed on";
    HelloFirst "MSG-06" Set Reject "interchange.md § Session Establishment" "a connection starts with the HELLO of each side, or an ERROR instead of the server's";
    ProtocolVersion "MSG-07" Wire Reject "interchange.md § Session Establishment" "protocol_version is at least 1, and the server's at most the client's";
    CapabilityBits "MSG-08" Wire Ignore "interchange.md § Capability Flags" "capability bits 4 to 63 are 0";
    GpuDirect "MSG-09" Wire Ignore "interchange.md § Capability Flags" "RDMA_GPUDIRECT comes with RDMA_DATA_PLANE";
    Hello "MSG-10" Wire Ignore "interchange.md § Session Establishment" "the fields and lists of a HELLO fill its payload";
    LayoutList "MSG-12" Wire Reject "interchange.md § Layout Entry Encoding" "lists hold no layout 0x00 and no 0xFF";
    LayoutEntry "MSG-13" Wire Reject "interchange.md § Layout Entry Encoding" "the metadata of an extension layout is whole";
    PeerMemoryClass "MSG-14" Call Reject "interchange.md § Session Establishment" "a memory class is one that the peer listed";
    Request "MSG-15" Wire Ignore "interchange.md § TENSOR_REQUEST Payload" "the fields and lists of a request fill its payload, its key is UTF-8, min_alignment a power of two, flag bits 2 to 31 are 0";
    MessageOrder "MSG-18" Set Reject "interchange.md § Ordering Invariant" "the messages of a tensor are its descriptor, its data and its end";
    DescriptorPayload "MSG-19" Wire Reject "interchange.md § TENSOR_DESCRIPTOR Payload" "the payload is the descriptor and 16 bytes";
    TotalBytes "MSG-20" Wire Reject "interchange.md § TENSOR_DESCRIPTOR Payload" "total_data_bytes is the sum of all byte_size";
    EmptyData "MSG-21" Set Ignore "interchange.md § Ordering Invariant" "a tensor without data has no TENSOR_DATA";
    DataPrefix "MSG-23" Wire Reject "interchange.md § TENSOR_DATA Payload" "TENSOR_DATA has room for byte_offset_in_buffer";
    DataOffset "MSG-24" Set Reject "interchange.md § TENSOR_DATA Payload" "data frames follow each other without gap and overlap";
    DataTotal "MSG-25" Set Reject "interchange.md § TENSOR_DATA Payload" "data frames add up to total_data_bytes";
    NoPayload "MSG-26" Wire Ignore "interchange.md § TENSOR_DATA_END, TENSOR_PUT_ACK and RDMA_READY Payload" "messages without fields have no payload";
    ShardCount "MSG-27" Wire Reject "interchange.md § TENSOR_DESCRIPTOR Payload" "shard_index is below total_shards";
    ShardMissing "MSG-28" Wire Reject "interchange.md § Parallel Transfer Flow" "one of several shards has a shard section";
    ShardsDiffer "MSG-29" Set Reject "interchange.md § Shard Consistency" "all shards of a tensor have the same parent_shape, type and layout";
    MessagesTorn "MSG-32" Set Expose "interchange.md § Composite Tensor Streaming" "a stream does not end inside a tensor or a composite";
    Put "MSG-34" Wire Reject "interchange.md § TENSOR_PUT Payload" "the fields of a put fill its payload, its key is UTF-8, the length is that of its descriptor";
    PutHead "MSG-35" Wire Reject "interchange.md § TENSOR_PUT" "a tensor that is put is no composite head with members";
    ErrorText "MSG-37" Wire Ignore "interchange.md § ERROR Payload" "code and text fill the payload, and the text is UTF-8";
    RdmaOrder "MSG-39" Set Reject "interchange.md § RDMA Data Plane" "RDMA messages follow the descriptor of their stream, source first, between peers that both have RDMA";
    RdmaRegister "MSG-40" Wire Reject "interchange.md § RDMA_REGISTER Payload" "the fields of a registration fill its payload, and its length is total_data_bytes";
    PrivateMessage "MSG-43" Wire Reject "interchange.md § Message Types" "message_type 0xFF is never used";
    ShardIndex "MSG-44" Set Reject "interchange.md § Parallel Transfers" "all shards say the same total_shards, and each shard_index is there once";
}

impl Rule {
    /// The rule with that ID, or the one that the row with that ID restates.
    #[must_use]
    pub fn from_id(id: &str) -> Option<Rule> {
        let restated = || Self::RESTATED.iter().find(|row| row.id == id);
        let rule = Self::ALL.iter().copied().find(|rule| rule.id() == id);
        rule.or_else(|| restated().map(|row| row.rule))
    }

    /// The rule with that number.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Rule> {
        Self::ALL
            .iter()
            .copied()
            .find(|rule| rule.number() == number)
    }

    /// The place in [`Rule::ALL`].
    #[allow(clippy::as_conversions)] // reading a discriminant has no other spelling
    pub(crate) const fn place(self) -> u8 {
        self as u8
    }

    /// Whether permissive mode lets a breach pass.
    #[must_use]
    pub const fn relaxed(self) -> bool {
        !matches!(self.permissive(), Permissive::Reject)
    }
}

const FAMILIES: [&str; 14] = [
    "DESC", "TYPE", "LAYOUT", "BUF", "QUANT", "SHARD", "STAT", "EXT", "MEMBER", "COMP", "STREAM",
    "VER", "FILE", "MSG",
];

/// `"LAYOUT-05"` is 305. Runs at compile time only, where a panic is a compile error.
#[allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::as_conversions,
    clippy::panic
)]
const fn number_of(id: &str) -> u16 {
    let id = id.as_bytes();
    let mut family = 0;
    while family < FAMILIES.len() {
        let name = FAMILIES[family].as_bytes();
        let mut same = 0;
        while same < name.len() && id[same] == name[same] {
            same += 1;
        }
        if same == name.len() && id[same] == b'-' {
            let tens = (id[same + 1] - b'0') as u16;
            let ones = (id[same + 2] - b'0') as u16;
            return (family as u16 + 1) * 100 + tens * 10 + ones;
        }
        family += 1;
    }
    panic!("an ID without a family")
}
