//! The tag spaces of the format and what is known of each value.
//!
//! A tag is a number with names for the assigned values, so that a permissive reader can carry one it
//! does not know. Every space reserves `0xF0..=0xFE` for private use.

macro_rules! tags {
    ($(#[$doc:meta])* $space:ident($number:ident) { $($(#[$value_doc:meta])* $name:ident = $value:literal $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[cfg_attr(feature = "defmt", derive(defmt::Format))]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[repr(transparent)]
        pub struct $space(pub $number);

        #[allow(non_upper_case_globals)] // read as the variants they name
        #[allow(clippy::manual_range_patterns)] // a list of values, not a range
        impl $space {
            $($(#[$value_doc])* #[doc = concat!("`", $text, "` (", stringify!($value), ")")]
            pub const $name: $space = $space($value);)*

            /// The assigned values.
            pub const ASSIGNED: &'static [$space] = &[$($space::$name),*];

            /// The name in the specification, for an assigned value.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self.0 { $($value => Some($text),)* _ => None }
            }

            /// Whether the value has a name.
            #[must_use]
            pub const fn is_assigned(self) -> bool {
                matches!(self.0, $($value)|*)
            }

            /// Whether the value is in the private range `0xF0..=0xFE`.
            #[must_use]
            pub const fn is_private(self) -> bool {
                matches!(self.0, 0xF0..=0xFE)
            }
        }

        impl core::fmt::Debug for $space {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, concat!(stringify!($space), "({:#04x})"), self.0),
                }
            }
        }
    };
}

tags! {
    /// `layout_tag`: how elements are placed in buffers.
    LayoutTag(u8) {
        RowMajor = 0x01 "row_major",
        ColumnMajor = 0x02 "col_major",
        Strided = 0x03 "strided",
        Tiled = 0x04 "tiled",
        Morton = 0x05 "morton",
        Coo = 0x06 "coo",
        Csr = 0x07 "csr",
        Csc = 0x08 "csc",
        Csf = 0x09 "csf",
        BlockPaged = 0x0A "block_paged",
        Composite = 0x0B "composite",
        Hilbert = 0x40 "hilbert",
    }
}

tags! {
    /// `device_tag`: the device that holds a buffer.
    DeviceTag(u8) {
        Cpu = 0x00 "cpu",
        Cuda = 0x01 "cuda",
        Rocm = 0x02 "rocm",
        Metal = 0x03 "metal",
        Vulkan = 0x04 "vulkan",
        WebGpu = 0x05 "webgpu",
        Hexagon = 0x06 "hexagon",
        LevelZero = 0x07 "level_zero",
        OpenCl = 0x08 "opencl",
    }
}

tags! {
    /// `memory_class`: who reaches a buffer without a copy.
    MemoryClass(u8) {
        Standard = 0x00 "standard",
        HostPinned = 0x01 "host_pinned",
        Unified = 0x02 "unified",
        Peer = 0x03 "peer",
    }
}

tags! {
    /// `sync_mode`: what a consumer waits for before it touches a buffer.
    SyncMode(u8) {
        ProducerSynced = 0x00 "producer_synced",
        Event = 0x01 "event",
        ConsumerStream = 0x02 "consumer_stream",
    }
}

tags! {
    /// `scheme_tag`: a quantization scheme.
    Scheme(u8) {
        PerTensorAffine = 0x01 "per_tensor_affine",
        PerChannelAffine = 0x02 "per_channel_affine",
        PerBlockAffine = 0x03 "per_block_affine",
        Nf4 = 0x04 "nf4",
        Mxfp = 0x05 "mxfp",
    }
}

tags! {
    /// `composition_rule`: what a composite's members are to its head.
    CompositionRule(u8) {
        Partition = 0x01 "partition",
        Overlay = 0x02 "overlay",
        Group = 0x03 "group",
    }
}

tags! {
    /// `combine_op`: how overlay members combine.
    CombineOp(u8) {
        None = 0x00 "none",
        Replace = 0x01 "replace",
        Add = 0x02 "add",
    }
}

tags! {
    /// `member_role`: what a member is to its overlay.
    MemberRole(u8) {
        Correction = 0x00 "correction",
        Base = 0x01 "base",
    }
}

tags! {
    /// `kv_role`: what a block-paged tensor caches.
    KvRole(u8) {
        Key = 0x00 "key",
        Value = 0x01 "value",
        Fused = 0x02 "fused",
    }
}

tags! {
    /// `block_table_index_type`: width of page numbers and sequence pointers.
    BlockTableIndexType(u8) {
        U32 = 0x00 "u32",
        U64 = 0x01 "u64",
    }
}

tags! {
    /// `message_type`: what a message of the framed transport is.
    MessageType(u32) {
        ClientHello = 0x01 "CLIENT_HELLO",
        ServerHello = 0x02 "SERVER_HELLO",
        TensorRequest = 0x03 "TENSOR_REQUEST",
        TensorDescriptor = 0x04 "TENSOR_DESCRIPTOR",
        TensorData = 0x05 "TENSOR_DATA",
        TensorDataEnd = 0x06 "TENSOR_DATA_END",
        TensorPut = 0x07 "TENSOR_PUT",
        TensorPutAck = 0x08 "TENSOR_PUT_ACK",
        Error = 0x09 "ERROR",
        Ping = 0x0A "PING",
        Pong = 0x0B "PONG",
        RdmaRegister = 0x0C "RDMA_REGISTER",
        RdmaReady = 0x0D "RDMA_READY",
    }
}

tags! {
    /// `error_code`: why a peer closes a stream.
    ErrorCode(u32) {
        ProtocolVersionMismatch = 0x01 "PROTOCOL_VERSION_MISMATCH",
        UnknownTensor = 0x02 "UNKNOWN_TENSOR",
        LayoutUnavailable = 0x03 "LAYOUT_UNAVAILABLE",
        TranscodeLimitExceeded = 0x04 "TRANSCODE_LIMIT_EXCEEDED",
        DeviceUnavailable = 0x05 "DEVICE_UNAVAILABLE",
        InvalidMessage = 0x06 "INVALID_MESSAGE",
        MessageTooLarge = 0x07 "MESSAGE_TOO_LARGE",
        ShardMismatch = 0x08 "SHARD_MISMATCH",
    }
}

impl LayoutTag {
    /// Whether only some elements are stored, with their places beside them: COO, CSR, CSC and CSF.
    #[inline(always)]
    pub(crate) const fn is_sparse(self) -> bool {
        matches!(self.0, 0x06..=0x09)
    }
}

impl DeviceTag {
    /// Whether the device has that memory class. A private class only ever goes with a private device.
    #[must_use]
    pub fn has_class(self, class: MemoryClass) -> bool {
        const STANDARD: u8 = 1;
        const PINNED: u8 = 1 << 1;
        const UNIFIED: u8 = 1 << 2;
        const PEER: u8 = 1 << 3;
        const ALL: u8 = STANDARD | PINNED | UNIFIED | PEER;
        let classes = match self {
            DeviceTag::Cuda | DeviceTag::Rocm | DeviceTag::Vulkan | DeviceTag::LevelZero => ALL,
            DeviceTag::Cpu | DeviceTag::Metal | DeviceTag::Hexagon | DeviceTag::OpenCl => {
                ALL & !PEER
            }
            _ if class.is_private() => return self.is_private(),
            _ => STANDARD,
        };
        class.0 < 4 && (classes >> class.0) & 1 == 1
    }
}

macro_rules! element_types {
    ($($name:ident = $value:literal $text:literal $bits:literal $($property:ident)*,)*) => {
        tags! {
            /// `type_tag`: the type of the elements.
            ElementType(u8) { $($name = $value $text,)* }
        }

        /// Bits in the low byte, properties above; 0 for tags without a meaning.
        const PROPERTIES: [u16; 0x52] = {
            let mut table = [0; 0x52];
            $(table[$value] = $bits $(| $property)*;)*
            table
        };
    };
}

const FLOAT: u16 = 1 << 8;
const SIGNED: u16 = 1 << 9;
/// Storage type of the per-tensor and per-channel schemes.
const AFFINE: u16 = scheme(Scheme::PerTensorAffine) | scheme(Scheme::PerChannelAffine);
const BLOCK: u16 = scheme(Scheme::PerBlockAffine);
const NF4: u16 = scheme(Scheme::Nf4);
const MXFP: u16 = scheme(Scheme::Mxfp);

const fn scheme(scheme: Scheme) -> u16 {
    1u16.wrapping_shl(9).wrapping_shl(u32_from(scheme.0))
}

#[allow(clippy::as_conversions)] // `From` is not const
pub(super) const fn u32_from(n: u8) -> u32 {
    n as u32
}

element_types! {
    Float16 = 0x01 "float16" 16 FLOAT,
    BFloat16 = 0x02 "bfloat16" 16 FLOAT,
    Float32 = 0x03 "float32" 32 FLOAT,
    Float64 = 0x04 "float64" 64 FLOAT,
    Int8 = 0x10 "int8" 8 SIGNED AFFINE BLOCK MXFP,
    UInt8 = 0x11 "uint8" 8 AFFINE BLOCK,
    Int16 = 0x12 "int16" 16 SIGNED AFFINE,
    UInt16 = 0x13 "uint16" 16 AFFINE,
    Int32 = 0x14 "int32" 32 SIGNED AFFINE,
    UInt32 = 0x15 "uint32" 32 AFFINE,
    Int64 = 0x16 "int64" 64 SIGNED,
    UInt64 = 0x17 "uint64" 64,
    Bool = 0x20 "bool" 1,
    Float8E4M3 = 0x40 "float8_e4m3" 8 FLOAT MXFP,
    Float8E5M2 = 0x41 "float8_e5m2" 8 FLOAT MXFP,
    Float8E8M0 = 0x42 "float8_e8m0" 8,
    Float4E2M1 = 0x43 "float4_e2m1" 4 FLOAT MXFP,
    Float6E2M3 = 0x44 "float6_e2m3" 6 FLOAT MXFP,
    Float6E3M2 = 0x45 "float6_e3m2" 6 FLOAT MXFP,
    Float128 = 0x46 "float128" 128 FLOAT,
    Int4 = 0x48 "int4" 4 SIGNED AFFINE BLOCK MXFP,
    UInt4 = 0x49 "uint4" 4 AFFINE BLOCK NF4,
    Int2 = 0x4A "int2" 2 SIGNED AFFINE BLOCK,
    UInt2 = 0x4B "uint2" 2 AFFINE BLOCK,
    Complex64 = 0x50 "complex64" 64,
    Complex128 = 0x51 "complex128" 128,
}

impl ElementType {
    #[inline]
    fn properties(self) -> u16 {
        PROPERTIES.get(usize::from(self.0)).copied().unwrap_or(0)
    }

    /// Width of an element in bits; 0 for private and unknown types.
    #[must_use]
    #[inline]
    pub fn bits(self) -> u32 {
        u32::from(self.properties() & 0xFF)
    }

    /// Whether the type is floating-point, in the sense of a head for quantized members: not complex,
    /// and not float8_e8m0, which has no zero and no sign.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.properties() & FLOAT != 0
    }

    /// Whether the scheme can store its codes in this type.
    #[must_use]
    pub fn stores(self, scheme: Scheme) -> bool {
        scheme.is_assigned() && self.properties() & self::scheme(scheme) != 0
    }

    /// Smallest and largest value, for integers of at most 32 bits.
    pub(crate) fn integer_range(self) -> (i64, i64) {
        let count = 1i64.wrapping_shl(self.bits());
        if self.properties() & SIGNED != 0 {
            let half = count.wrapping_shr(1);
            (half.wrapping_neg(), half.wrapping_sub(1))
        } else {
            (0, count.wrapping_sub(1))
        }
    }
}
