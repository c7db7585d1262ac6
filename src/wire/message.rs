//! Where the fields of messages are.
//!
//! ```text
//! header      0 message_type u32   4 stream_id u32   8 payload_length u32, to 12; then the payload:
//! HELLO       0 protocol_version u32   4 max_message_size u32   8 capability_flags u64   16 layout list
//!             device_count u16 | u8 each | [class_count u16 | u8 each]
//! REQUEST     0 length u32 | tensor_key | layout list | preferred_device u8 | min_alignment u32
//!             request_flags u32
//! layout list layout_count u16, then for each: layout_tag u8 [ext_metadata_length u16 | ext_metadata]
//! DESCRIPTOR  0 descriptor, to L   L total_data_bytes u64   L+8 shard_index u32   L+12 total_shards u32
//! DATA        0 byte_offset_in_buffer u64   8 data
//! PUT         0 length u32 | tensor_key | length u32 | descriptor | total_data_bytes u64
//! ERROR       0 error_code u32   4 length u32 | message
//! REGISTER    0 remote_addr u64   8 length u64   16 length u32 | rkey
//! ```

use crate::error::Field;

pub(crate) const MESSAGE_HEADER: usize = 12;
/// Bytes of the number of entries of a list, and of the length of metadata.
pub(crate) const COUNT: usize = 2;
/// Bytes of a HELLO in front of its lists.
pub(crate) const HELLO_HEAD: usize = 4 + 4 + 8;
/// Bytes of TENSOR_REQUEST beside the key and the list.
pub(crate) const REQUEST_FIELDS: usize = 4 + 1 + 4 + 4;
/// Bytes of TENSOR_DESCRIPTOR behind the descriptor.
pub(crate) const TRANSPORT_FIELDS: usize = 8 + 4 + 4;
/// Bytes of TENSOR_DATA in front of the data.
pub(crate) const DATA_PREFIX: usize = 8;
/// Bytes of TENSOR_PUT beside the key and the descriptor.
pub(crate) const PUT_FIELDS: usize = 4 + 4 + 8;
/// Bytes of RDMA_REGISTER without the key.
pub(crate) const REGISTER_FIELDS: usize = 8 + 8 + 4;

/// Offset of a field of the header, or of the first fields of a payload behind it.
pub(crate) const fn offset(field: Field) -> usize {
    match field {
        Field::StreamId => 4,
        Field::PayloadLength => 8,
        Field::ProtocolVersion | Field::ByteOffsetInBuffer => MESSAGE_HEADER,
        Field::MaxMessageSize => MESSAGE_HEADER + 4,
        Field::CapabilityFlags | Field::RegisteredLength => MESSAGE_HEADER + 8,
        _ => 0,
    }
}

/// Offset of a field among those behind the descriptor of TENSOR_DESCRIPTOR.
pub(crate) const fn transport_offset(field: Field) -> usize {
    match field {
        Field::ShardIndex => 8,
        Field::TotalShards => 12,
        _ => 0,
    }
}

/// Bits of `capability_flags`.
pub(crate) mod capability {
    pub(crate) const TRANSCODING: u64 = 1;
    pub(crate) const PARALLEL_STREAMS: u64 = 1 << 1;
    pub(crate) const RDMA_DATA_PLANE: u64 = 1 << 2;
    pub(crate) const RDMA_GPUDIRECT: u64 = 1 << 3;
    pub(crate) const DEFINED: u64 = 15;
}

/// Bits of `request_flags`.
pub(crate) mod request_flag {
    pub(crate) const ALLOW_TRANSCODE: u32 = 1;
    pub(crate) const PARALLEL_OK: u32 = 1 << 1;
    pub(crate) const DEFINED: u32 = 3;
}
