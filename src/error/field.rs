//! The fields of the wire format, by name.

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
    // container files
    FileMagic "file_header.magic";
    ContainerVersionMajor "container_version_major";
    ContainerVersionMinor "container_version_minor";
    FileHeaderReserved "file_header.reserved";
    FileFlags "file_flags";
    DataBufferAlignment "data_buffer_alignment";
    FirstDescriptorOffset "first_descriptor_offset";
    TensorCountHint "tensor_count_hint";
    FileHeaderTail "file_header.reserved2";
    Padding "padding";
    KvCount "kv_count";
    KeyLength "key_length";
    Key "key";
    ValueTag "value_tag";
    Value "value";
    KvTail "kv_tail";
    IndexEntryCount "index_entry_count";
    NameLength "name_length";
    Name "name";
    DescriptorOffset "descriptor_offset";
    EntryDescriptorLength "entry.descriptor_length";
    DataOffset "data_offset";
    DataLength "data_length";
    EntryFlags "entry.flags";
    IndexTail "index_tail";
    IndexOffset "index_offset";
    IndexLength "index_length";
    KvOffset "kv_offset";
    KvLength "kv_length";
    IndexCrc32c "index_crc32c";
    TrailerReserved "trailer.reserved";
    TrailerMagic "trailer_magic";
    // what buffers hold
    Data "data";
    Values "values";
    Indices "indices";
    ColIndices "col_indices";
    RowPtr "row_ptr";
    RowIndices "row_indices";
    ColPtr "col_ptr";
    Pos "pos";
    Crd "crd";
    PagePool "page_pool";
    BlockTable "block_table";
    SeqPtr "seq_ptr";
    Scales "scales";
    ZeroPoints "zero_points";
    // messages
    MessageType "message_type";
    StreamId "stream_id";
    PayloadLength "payload_length";
    ProtocolVersion "protocol_version";
    MaxMessageSize "max_message_size";
    CapabilityFlags "capability_flags";
    LayoutCount "layout_count";
    SupportedLayouts "supported_layouts";
    DeviceCount "device_count";
    SupportedDevices "supported_devices";
    ClassCount "class_count";
    SupportedMemoryClasses "supported_memory_classes";
    TensorKey "tensor_key";
    PreferredLayouts "preferred_layouts";
    PreferredDevice "preferred_device";
    MinAlignment "min_alignment";
    RequestFlags "request_flags";
    Descriptor "descriptor";
    TotalDataBytes "total_data_bytes";
    ShardIndex "shard_index";
    TotalShards "total_shards";
    ByteOffsetInBuffer "byte_offset_in_buffer";
    ErrorCode "error_code";
    ErrorText "message";
    RemoteAddr "remote_addr";
    RegisteredLength "rdma_register.length";
    Rkey "rkey";
    MessageTail "message_tail";
}

impl Field {
    /// The place in [`Field::ALL`].
    #[must_use]
    #[allow(clippy::as_conversions)] // reading a discriminant has no other spelling
    pub const fn number(self) -> u8 {
        self as u8
    }
}
