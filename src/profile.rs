//! Decoders of three sizes, so that nobody has to choose numbers to begin with.

use crate::stream::FixedDecoder;

/// For sensor links: descriptors of up to 256 bytes, which covers nearly everything up to rank 8 without
/// statistics; 64 words, a partition of rank 8 with two boxes held or eight nested groups.
pub type Sensor = FixedDecoder<256, 64>;

/// For gateways: descriptors of up to 4 KiB and 4,096 words.
pub type Gateway = FixedDecoder<4096, 4096>;

/// For every descriptor of a named layout (16 KiB) and 65,536 words: the conforming size, since the
/// format asks readers for rank 64 and every layout.
pub type Full = FixedDecoder<16384, 65536>;
