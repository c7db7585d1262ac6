//! One rejecting case, or more, for each rule that bytes can break; the base of each is accepted.
//!
//! Offsets are sums in wire order: header 20, shape 8 for each dimension, `byte_offset` 8, layout payload,
//! `buffer_count` 1, 16 for each handle, then the sections. `here` changes the bytes that the error names.

use super::offsets::{Case, cut, edits, f64, here, i32, insert, put, remove, u32, u64};
use hrry::Field;

/// 16 bytes, aligned to 64, in host memory.
const HANDLE: [u8; 16] = [16, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0];

macro_rules! cases {
    ($($rule:literal $base:literal $field:ident[$index:literal] @ $offset:expr => $change:expr;)*) => {
        vec![$(Case {
            rule: $rule,
            base: $base,
            field: Field::$field,
            index: $index,
            offset: $offset,
            change: $change,
        }),*]
    };
}

/// Rank 2 row-major with one buffer: `shape` at 20, `byte_offset` at 36, `buffer_count` at 44, its
/// handle at 45, the end or the first section at 61.
const PLAIN: usize = 20 + 2 * 8 + 8;

#[rustfmt::skip]
pub(crate) fn descriptors() -> Vec<Case> {
    cases! {
    "DESC-02" "d-ok-spec-worked-example" Magic[0] @ 3 => here([b'Z']);
    "DESC-02" "d-ok-spec-worked-example" Magic[0] @ 0 => here([b'h']);
    "VER-01" "d-ok-spec-worked-example" VersionMajor[0] @ 4 => here([2]);
    "VER-02" "d-ok-spec-worked-example" VersionMajor[0] @ 4 => here([0]);
    "DESC-04" "d-ok-spec-worked-example" DescriptorLength[0] @ 6 => here(u32(19));
    // the handle of buffer 0 would end behind the 60 bytes
    "DESC-05" "d-ok-spec-worked-example" ByteSize[0] @ PLAIN + 1 => edits([put(6, u32(60)), cut(60)]);
    "DESC-05" "d-ok-spec-worked-example" ByteOffset[0] @ 20 + 2 * 8 => edits([put(6, u32(43)), cut(43)]);
    "DESC-05" "d-ok-spec-worked-example" Shape[0] @ 20 => edits([put(6, u32(35)), cut(35)]);
    "DESC-05" "d-ok-stats-full" ComputedMask[0] @ PLAIN + 17 => edits([put(6, u32(132)), cut(132)]);
    "DESC-05" "d-ok-strided-spec-negative" Strides[0] @ PLAIN => edits([put(6, u32(59)), cut(59)]);
    "DESC-05" "d-ok-tiled-depth2" TileShape[0] @ PLAIN => edits([put(6, u32(63)), cut(63)]);
    "DESC-05" "d-ok-rank2-morton" MortonBits[0] @ PLAIN => edits([put(6, u32(51)), cut(51)]);
    "DESC-05" "d-ok-coo-spec" Nnz[0] @ PLAIN => edits([put(6, u32(59)), cut(59)]);
    "DESC-05" "d-ok-bp-u64" PageSize[0] @ 20 + 3 * 8 + 8 => edits([put(6, u32(83)), cut(83)]);
    "DESC-05" "d-ok-head-group" CompositionRule[0] @ PLAIN => edits([put(6, u32(51)), cut(51)]);
    "DESC-05" "d-ok-hilbert-o1-r2" HilbertOrder[0] @ PLAIN => edits([put(6, u32(51)), cut(51)]);
    "DESC-05" "d-ok-private-layout-3buf" ExtensionLayoutId[0] @ PLAIN => edits([put(6, u32(55)), cut(55)]);
    "DESC-05" "d-ok-private-layout-3buf" ExtensionData[0] @ PLAIN + 12 => edits([put(6, u32(58)), cut(58)]);
    "DESC-05" "d-ok-spec-worked-example" BufferCount[0] @ PLAIN => edits([put(6, u32(44)), cut(44)]);
    "DESC-05" "d-ok-pt-int8-max" QuantizationLength[0] @ PLAIN + 17 => edits([put(6, u32(64)), cut(64)]);
    "DESC-05" "d-ok-pt-int8-max" SchemeTag[0] @ PLAIN + 17 + 4 => edits([put(6, u32(80)), cut(80)]);
    "DESC-05" "d-ok-shard-2d" ParentShape[0] @ PLAIN + 17 => edits([put(6, u32(92)), cut(92)]);
    "DESC-05" "d-ok-private-type-f16" BitWidth[0] @ 20 + 8 + 8 + 17 => edits([put(6, u32(72)), cut(72)]);
    "DESC-05" "d-ok-member-base" MemberRole[0] @ PLAIN + 17 + 32 => edits([put(6, u32(108)), cut(108)]);
    "DESC-08" "d-ok-spec-worked-example" Flags[0] @ 10 => here(u32(1 << 5));
    "DESC-08" "d-ok-minor-1" Flags[0] @ 10 => here(u32(1 << 31));
    "DESC-09" "d-ok-spec-worked-example" Rank[0] @ 16 => here(u32(65));
    "DESC-12" "d-ok-scalar-int8" LayoutTag[0] @ 15 => here([2]);
    "DESC-14" "d-ok-spec-worked-example" Tail[0] @ PLAIN + 17 => edits([put(6, u32(62)), insert(61, vec![0])]);
    "DESC-16" "d-ok-spec-worked-example" Flags[0] @ 10 => here(u32(1 << 2));
    "DESC-16" "d-ok-private-type-f16" Flags[0] @ 10 => here(u32(0));
    // 2^62 * 4 elements of 4 bytes are 2^66 bytes
    "DESC-19" "d-ok-spec-worked-example" Shape[0] @ 20 => here(u64(1 << 62));
    "TYPE-01" "d-ok-spec-worked-example" TypeTag[0] @ 14 => here([0xFF]);
    "TYPE-02" "d-ok-spec-worked-example" TypeTag[0] @ 14 => here([0x47]);
    "LAYOUT-01" "d-ok-spec-worked-example" LayoutTag[0] @ 15 => here([0xFF]);
    "LAYOUT-02" "d-ok-spec-worked-example" LayoutTag[0] @ 15 => here([0x0C]);
    // 3 * 4 elements of 4 bytes
    "LAYOUT-05" "d-ok-spec-worked-example" ByteSize[0] @ PLAIN + 1 => here(u64(47));
    // strides [-4, 1] reach 12 elements of 4 bytes
    "LAYOUT-07" "d-ok-strided-spec-negative" ByteSize[0] @ PLAIN + 2 * 8 + 1 => here(u64(47));
    // two tiled levels of 2 * 8 + 4 bytes each
    "LAYOUT-09" "d-ok-tiled-depth2" TileShape[3] @ PLAIN + 20 + 8 => here(u64(0));
    "LAYOUT-10" "d-ok-tiled-depth2" OuterLayout[1] @ PLAIN + 20 + 16 => here([4]);
    "LAYOUT-10" "d-ok-tiled-depth2" InnerLayout[1] @ PLAIN + 20 + 17 => here([5]);
    "LAYOUT-11" "d-ok-tiled-depth2" TileReserved[1] @ PLAIN + 20 + 18 => here([0, 1]);
    "LAYOUT-12" "d-ok-tiled-depth8" InnerLayout[7] @ PLAIN + 7 * 20 + 17 => here([4]);
    // tiles of 4 by 1 in a tile of 2 by 2: two of them, one behind the other, are 8 elements of 1 byte
    "LAYOUT-13" "d-ok-tiled-depth2" TileShape[2] @ PLAIN + 20 => edits([put(PLAIN + 20, u64(4)), put(PLAIN + 40 + 1, u64(8))]);
    // one level with strides between tiles: 2 * 8 + 4 + 2 * 8 bytes
    "LAYOUT-14" "d-ok-tile-outer-stride-exact" ByteSize[0] @ PLAIN + 36 + 1 => here(u64(79));
    "LAYOUT-16" "d-ok-rank2-morton" MortonBits[1] @ PLAIN + 4 => here(u32(0));
    "LAYOUT-17" "d-ok-rank2-morton" Shape[1] @ 20 + 8 => here(u64(3));
    "LAYOUT-18" "d-ok-rank2-morton" ByteSize[0] @ PLAIN + 2 * 4 + 1 => here(u64(3));
    "LAYOUT-19" "d-ok-hilbert-o1-r2" HilbertOrder[0] @ PLAIN => here(u32(0));
    "LAYOUT-19" "d-ok-hilbert-o1-r2" HilbertRank[0] @ PLAIN + 4 => here(u32(3));
    "LAYOUT-19" "d-ok-hilbert-o1-r2" Shape[1] @ 20 + 8 => here(u64(1));
    "LAYOUT-20" "d-ok-hilbert-o1-r2" ByteSize[0] @ PLAIN + 8 + 1 => here(u64(15));
    "LAYOUT-22" "d-ok-coo-spec" IsSorted[0] @ PLAIN + 8 => here([2]);
    "LAYOUT-23" "d-ok-coo-spec" CooReserved[0] @ PLAIN + 9 => here([0, 0, 0, 0, 0, 0, 1]);
    "LAYOUT-23" "d-ok-csr-bool" CompressedReserved[0] @ PLAIN + 8 => here([1]);
    "LAYOUT-23" "d-ok-csf-spec" CsfReserved[0] @ 20 + 3 * 8 + 8 + 8 + 3 * 4 => here([0, 0, 0, 0, 0, 0, 0, 1]);
    // three coordinates of rank 2, 8 bytes each
    "LAYOUT-24" "d-ok-coo-spec" ByteSize[1] @ PLAIN + 16 + 1 + 16 => here(u64(47));
    "LAYOUT-25" "d-ok-coo-nnz0" Nnz[0] @ PLAIN => edits([put(20, u64(0)), put(PLAIN, u64(1)), put(PLAIN + 17, u64(4)), put(PLAIN + 17 + 8, vec![64]), put(PLAIN + 33, u64(16)), put(PLAIN + 33 + 8, vec![64])]);
    "LAYOUT-29" "d-ok-csr-bool" Rank[0] @ 16 => edits([put(6, u32(101)), put(16, u32(1)), remove(20, 8)]);
    // row_ptr is the third buffer: 4 rows and one
    "LAYOUT-30" "d-ok-csr-bool" ByteSize[2] @ PLAIN + 16 + 1 + 2 * 16 => here(u64(39));
    // one dimension and the last mode less
    "LAYOUT-33" "d-ok-csf-spec" Rank[0] @ 16 => edits([put(6, u32(193 - 12)), put(16, u32(2)), remove(20 + 3 * 8 + 8 + 8 + 2 * 4, 4), remove(20, 8)]);
    "LAYOUT-34" "d-ok-csf-spec" ModeOrder[1] @ 20 + 3 * 8 + 8 + 8 + 4 => here(u32(0));
    "LAYOUT-34" "d-ok-csf-spec" ModeOrder[2] @ 20 + 3 * 8 + 8 + 8 + 8 => here(u32(3));
    "LAYOUT-35" "d-ok-csf-spec" ByteSize[1] @ 20 + 3 * 8 + 8 + 28 + 1 + 16 => here(u64(15));
    "LAYOUT-39" "d-ok-bp-u64" Rank[0] @ 16 => edits([put(6, u32(125)), put(16, u32(2)), remove(20, 8)]);
    "LAYOUT-40" "d-ok-bp-u64" PageSize[0] @ 20 + 3 * 8 + 8 => here(u32(0));
    "LAYOUT-41" "d-ok-bp-u64" PagedAxis[0] @ 20 + 3 * 8 + 8 + 12 => here(u32(1));
    "LAYOUT-42" "d-ok-bp-u64" KvRole[0] @ 20 + 3 * 8 + 8 + 20 => here([3]);
    "LAYOUT-42" "d-ok-bp-u64" BlockTableIndexType[0] @ 20 + 3 * 8 + 8 + 25 => here([2]);
    "LAYOUT-43" "d-ok-bp-u64" PagedReserved[0] @ 20 + 3 * 8 + 8 + 26 => here([0, 0, 0, 0, 0, 1]);
    "LAYOUT-44" "d-ok-bp-pages-max-u32" NumPages[0] @ 20 + 3 * 8 + 8 + 4 => here(u64(1 << 32));
    // seq_ptr is the third buffer: 2 sequences and one, 4 bytes each
    "LAYOUT-45" "d-ok-bp-fused" ByteSize[2] @ 20 + 3 * 8 + 8 + 32 + 1 + 2 * 16 => here(u64(11));
    "LAYOUT-49" "d-ok-csf-spec" ParentShape[0] @ 193 => edits([put(6, u32(193 + 48)), put(10, u32(2)), insert(193, vec![9; 48])]);
    "BUF-01" "d-ok-spec-worked-example" BufferCount[0] @ PLAIN => edits([put(6, u32(45)), put(PLAIN, vec![0]), cut(45)]);
    "BUF-03" "d-ok-spec-worked-example" BufferCount[0] @ PLAIN => edits([put(6, u32(77)), put(PLAIN, vec![2]), insert(61, HANDLE.to_vec())]);
    "BUF-04" "d-ok-pc-uint8-sym" BufferCount[0] @ PLAIN => edits([put(6, u32(117)), put(PLAIN, vec![3]), insert(PLAIN + 1 + 2 * 16, HANDLE.to_vec())]);
    "BUF-06" "d-ok-spec-worked-example" Alignment[0] @ PLAIN + 1 + 8 => here(u32(96));
    "BUF-06" "d-ok-coo-nnz0" Alignment[1] @ PLAIN + 16 + 1 + 16 + 8 => here(u32(0));
    "BUF-07" "d-ok-spec-worked-example" Alignment[0] @ PLAIN + 1 + 8 => here(u32(32));
    "BUF-09" "d-ok-spec-worked-example" HandleReserved[0] @ PLAIN + 1 + 15 => here([1]);
    "BUF-09" "d-ok-csr-bool" HandleReserved[2] @ PLAIN + 16 + 1 + 2 * 16 + 15 => here([1]);
    "BUF-10" "d-ok-spec-worked-example" DeviceTag[0] @ PLAIN + 1 + 12 => here([9]);
    "BUF-11" "d-ok-dev-cuda-unified" SyncMode[0] @ 20 + 8 + 8 + 1 + 13 => here([3]);
    "BUF-12" "d-ok-spec-worked-example" SyncMode[0] @ PLAIN + 1 + 13 => here([1]);
    "BUF-13" "d-ok-spec-worked-example" MemoryClass[0] @ PLAIN + 1 + 14 => here([4]);
    "BUF-14" "d-ok-spec-worked-example" MemoryClass[0] @ PLAIN + 1 + 14 => here([3]);
    "BUF-16" "d-ok-coo-spec" DeviceTag[1] @ PLAIN + 16 + 1 + 16 + 12 => here([1]);
    "BUF-17" "d-ok-spec-worked-example" ByteOffset[0] @ 20 + 2 * 8 => here(u64(193));
    "BUF-18" "d-ok-coo-spec" ByteOffset[0] @ 20 + 2 * 8 => here(u64(8));
    // sections of PLAIN start at PLAIN + 17; the scheme is 4 bytes behind
    "QUANT-01" "d-ok-pt-int8-max" QuantizationLength[0] @ PLAIN + 17 => here(u32(3));
    "QUANT-02" "d-ok-pt-int8-max" QuantizationLength[0] @ PLAIN + 17 => here(u32(15));
    "QUANT-03" "d-ok-pt-int8-max" SchemeTag[0] @ PLAIN + 17 + 4 => here([0]);
    "QUANT-04" "d-ok-pt-int8-max" SchemeTag[0] @ PLAIN + 17 + 4 => here([6]);
    "QUANT-06" "d-ok-pt-int8-max" SchemeVersion[0] @ PLAIN + 17 + 4 + 1 => here([2]);
    "QUANT-07" "d-ok-pt-int8-max" SchemeFlags[0] @ PLAIN + 17 + 4 + 2 => here([1, 0]);
    "QUANT-07" "d-ok-pc-uint8-sym" SchemeFlags[0] @ PLAIN + 33 + 4 + 2 => here([3, 0]);
    // float8_e4m3 is as wide as int8
    "QUANT-08" "d-ok-pt-int8-max" TypeTag[0] @ 14 => here([0x40]);
    // -0.0
    "QUANT-09" "d-ok-pt-int8-max" Scale[0] @ PLAIN + 17 + 8 => here(u32(0x8000_0000));
    "QUANT-10" "d-ok-pt-int8-max" ZeroPoint[0] @ PLAIN + 17 + 12 => here(i32(128));
    "QUANT-10" "d-ok-pt-int4-min" ZeroPoint[0] @ PLAIN + 17 + 12 => here(i32(-9));
    "QUANT-11" "d-ok-pt-int8-max" PerTensorReserved[0] @ PLAIN + 17 + 16 => here([0, 0, 0, 1]);
    "QUANT-12" "d-ok-pc-uint8-sym" Axis[0] @ PLAIN + 33 + 8 => here(u32(2));
    "QUANT-13" "d-ok-pc-uint8-sym" Axis[0] @ PLAIN + 33 + 8 => edits([put(20, u64(u64::MAX))]);
    "QUANT-14" "d-ok-pc-uint8-sym" ScaleTypeTag[0] @ PLAIN + 33 + 20 => here([1]);
    "QUANT-14" "d-ok-pc-uint8-sym" ScaleTypeReserved[0] @ PLAIN + 33 + 21 => here([0, 0, 1]);
    "QUANT-15" "d-ok-pb-uint8-sym" ScaleTypeTag[0] @ PLAIN + 33 + 24 => here([4]);
    "QUANT-16" "d-ok-pb-uint8-sym" ScaleTypeReserved[0] @ PLAIN + 33 + 25 => here([0, 0, 1]);
    "QUANT-17" "d-ok-pc-uint8-sym" ZeroPointBufferIndex[0] @ PLAIN + 33 + 16 => here(u32(1));
    "QUANT-17" "d-ok-pb-uint8-sym" ZeroPointBufferIndex[0] @ PLAIN + 33 + 20 => here(u32(1));
    "QUANT-18" "d-ok-pc-asym-axis0" ZeroPointBufferIndex[0] @ PLAIN + 49 + 16 => here(u32(3));
    "QUANT-19" "d-ok-pc-asym-axis0" ScaleBufferIndex[0] @ PLAIN + 49 + 12 => here(u32(3));
    "QUANT-19" "d-ok-mx-float8_e4m3" ScaleBufferIndex[0] @ PLAIN + 33 + 16 => here(u32(2));
    "QUANT-20" "d-ok-pc-asym-axis0" ScaleBufferIndex[0] @ PLAIN + 49 + 12 => here(u32(0));
    "QUANT-20" "d-ok-pc-asym-axis0" ZeroPointBufferIndex[0] @ PLAIN + 49 + 16 => here(u32(0));
    "QUANT-22" "d-ok-pb-uint8-sym" BlockSize[0] @ PLAIN + 33 + 12 => here(u32(48));
    "QUANT-22" "d-ok-mx-float8_e4m3" BlockSize[0] @ PLAIN + 33 + 12 => here(u32(8));
    "QUANT-23" "d-ok-pb-uint8-sym" BlockSize[0] @ PLAIN + 33 + 12 => here(u32(128));
    "QUANT-24" "d-ok-mx-float8_e4m3" BlockSize[0] @ PLAIN + 33 + 12 => here(u32(128));
    "QUANT-25" "d-ok-pc-uint8-sym" ByteSize[1] @ PLAIN + 1 + 16 => here(u64(25));
    "QUANT-26" "d-ok-pc-asym-axis0" ByteSize[2] @ PLAIN + 1 + 2 * 16 => here(u64(25));
    "QUANT-27" "d-ok-q-shared-param-buffer" ByteSize[1] @ PLAIN + 1 + 16 => here(u64(49));
    // a block-paged tensor with four buffers: the section starts at 149
    "QUANT-33" "d-ok-bp-per-channel-heads" Axis[0] @ 20 + 3 * 8 + 8 + 32 + 1 + 4 * 16 + 8 => edits([put(149 + 8, u32(0)), put(84 + 1 + 3 * 16, u64(36))]);
    "QUANT-34" "d-ok-bp-per-block" BlockSize[0] @ 20 + 3 * 8 + 8 + 32 + 1 + 4 * 16 + 12 => here(u32(8));
    "QUANT-35" "d-ok-bp-per-block" ByteSize[3] @ 20 + 3 * 8 + 8 + 32 + 1 + 3 * 16 => here(u64(41));
    // parent_shape, then shard_offset
    "SHARD-01" "d-ok-shard-2d" ShardOffset[1] @ PLAIN + 17 + 16 + 8 => here(u64(7));
    "SHARD-01" "d-ok-shard-2d" ShardOffset[0] @ PLAIN + 17 + 16 => here(u64(u64::MAX));
    "SHARD-02" "d-ok-shard-2d" ParentShape[1] @ PLAIN + 17 + 8 => here(u64(u64::MAX));
    "SHARD-02" "d-ok-shard-2d" Shape[0] @ 20 => here(u64(u64::MAX));
    "STAT-01" "d-ok-stats-full" ComputedMask[0] @ PLAIN + 17 => here(u32(1 << 6));
    "STAT-02" "d-ok-stats-full" StatisticsReserved[0] @ PLAIN + 17 + 4 => here([0, 0, 0, 1]);
    "STAT-02" "d-ok-stats-full" StatisticsTail[0] @ PLAIN + 17 + 68 => here([0, 0, 0, 1]);
    "STAT-04" "d-ok-stats-coo-nnz" StatisticsNnz[0] @ PLAIN + 16 + 1 + 2 * 16 + 8 => here(u64(4));
    "STAT-05" "d-ok-stats-full" SparsityRatio[0] @ PLAIN + 17 + 16 => here(f64(1.5));
    "STAT-06" "d-ok-stats-full" ValueStddev[0] @ PLAIN + 17 + 56 => here(f64(-0.5));
    "STAT-07" "d-ok-stats-full" NmN[0] @ PLAIN + 17 + 64 => here([5]);
    "STAT-08" "d-ok-stats-full" HasNan[0] @ PLAIN + 17 + 66 => here([2]);
    "STAT-08" "d-ok-stats-full" HasInf[0] @ PLAIN + 17 + 67 => here([2]);
    // rank 1 with one buffer: the section starts at 20 + 8 + 8 + 17 = 53
    "EXT-01" "d-ok-private-type-f16" BitWidth[0] @ 53 => here(u32(0));
    "EXT-02" "d-ok-private-type-f16" PackingFactor[0] @ 53 + 4 => here([2]);
    "EXT-03" "d-ok-private-type-f16" BitWidth[0] @ 53 => here(u32(5));
    "EXT-03" "d-ok-private-type-f16" PackingFactor[0] @ 53 + 4 => edits([put(53, u32(4)), put(57, vec![1])]);
    "EXT-04" "d-ok-private-type-f16" BitWidth[0] @ 53 => here(u32(12));
    "EXT-05" "d-ok-private-type-f16" IsFloat[0] @ 53 + 5 => here([2]);
    "EXT-05" "d-ok-private-type-f16" ExtensionHasNan[0] @ 53 + 16 => here([2]);
    "EXT-05" "d-ok-private-type-f16" ExtensionHasInf[0] @ 53 + 17 => here([2]);
    "EXT-05" "d-ok-private-type-i8" IsSigned[0] @ 53 + 6 => here([2]);
    "EXT-06" "d-ok-private-type-f16" IsSigned[0] @ 53 + 6 => here([1]);
    "EXT-06" "d-ok-private-type-f16" SignBits[0] @ 53 + 7 => here([2]);
    "EXT-07" "d-ok-private-type-i8" SignBits[0] @ 53 + 7 => here([1]);
    "EXT-07" "d-ok-private-type-i8" ExponentBits[0] @ 53 + 8 => here([1]);
    "EXT-07" "d-ok-private-type-i8" MantissaBits[0] @ 53 + 9 => here([1]);
    "EXT-07" "d-ok-private-type-i8" ExponentBias[0] @ 53 + 12 => here(u32(1));
    "EXT-08" "d-ok-private-type-f16" ExtensionReserved[0] @ 53 + 10 => here([0, 1]);
    "EXT-08" "d-ok-private-type-f16" ExtensionTail[0] @ 53 + 18 => here([0, 1]);
    // behind the shard section of 2 * 16 bytes
    "MEMBER-01" "d-ok-member-base" MemberRole[0] @ PLAIN + 17 + 32 => here([2]);
    "MEMBER-02" "d-ok-member-base" MemberReserved[0] @ PLAIN + 17 + 32 + 1 => here([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
    // a head of rank 2: 8 bytes at 44, buffer_count at 52
    "COMP-01" "d-ok-head-overlay-replace" BufferCount[0] @ PLAIN + 8 => edits([put(6, u32(69)), put(52, vec![1]), insert(53, HANDLE.to_vec())]);
    "COMP-02" "d-ok-head-overlay-replace" ByteOffset[0] @ 20 + 2 * 8 => here(u64(1));
    "COMP-03" "d-ok-head-overlay-replace" Flags[0] @ 10 => edits([put(6, u32(73)), put(10, u32(1)), insert(53, [u32(16), vec![1, 1, 0, 0], u32(0x3F80_0000), vec![0; 8]].concat())]);
    "COMP-04" "d-ok-head-overlay-replace" MemberRole[0] @ PLAIN + 8 + 1 => edits([put(6, u32(69)), put(10, u32(1 << 4)), insert(53, vec![0; 16])]);
    "COMP-06" "d-ok-head-overlay-replace" CompositionRule[0] @ PLAIN => here([4]);
    "COMP-08" "d-ok-head-group" CombineOp[0] @ PLAIN + 1 => here([1]);
    "COMP-09" "d-ok-head-overlay-replace" CombineOp[0] @ PLAIN + 1 => here([0]);
    "COMP-10" "d-ok-head-overlay-replace" HeadReserved[0] @ PLAIN + 2 => here([0, 1]);
    "COMP-11" "d-ok-head-overlay-replace" MemberCount[0] @ PLAIN + 4 => here(u32(u32::MAX));
    "COMP-12" "d-ok-head-overlay-replace" MemberCount[0] @ PLAIN + 4 => here(u32(0));
    "COMP-13" "d-ok-head-overlay-replace" Shape[1] @ 20 + 8 => here(u64(u64::MAX));
    "COMP-14" "d-ok-head-empty-space" MemberCount[0] @ PLAIN + 4 => edits([put(20, u64(1))]);
    }
}

/// Rank 1, one buffer, behind a head of 45 bytes: the handle ends at 45 + 53, and there the sections of
/// the first member start.
#[rustfmt::skip]
pub(crate) fn streams() -> Vec<Case> {
    cases! {
    "STREAM-12" "s-ok-one" VersionMajor[0] @ 4 => here(*b"FILE");
    // a ninth head of 45 bytes
    "COMP-20" "s-ok-group-depth-8" LayoutTag[0] @ 8 * 45 + 15 => edits([insert(0, group_head())]);
    "COMP-23" "s-ok-part-1" TypeTag[0] @ 45 + 14 => here([0x15]);
    "COMP-24" "s-ok-quant-f64-head" TypeTag[0] @ 45 + 14 => edits([put(14, vec![0x16])]);
    "COMP-25" "s-ok-part-depth-8" TypeTag[0] @ 45 + 14 => here([0x15]);
    // exponent_bits, behind a shard section of 16 bytes
    "COMP-26" "s-ok-type-private-same-ext" TypeTag[0] @ 65 + 14 => edits([put(65 + 53 + 16 + 8, vec![6])]);
    "COMP-27" "s-ok-part-1" Flags[0] @ 45 + 10 => edits([put(45 + 6, u32(53)), put(45 + 10, u32(0)), remove(45 + 53, 16)]);
    "COMP-28" "s-ok-part-1" ParentShape[0] @ 45 + 53 => here(u64(5));
    // the second tensor, at 53 + 93 + 64, is a head of rank 2 whose sections start at 53
    "COMP-28" "s-ok-part-nested-2" ParentShape[1] @ 210 + 53 + 8 => here(u64(5));
    "COMP-30" "s-ok-part-1" MemberRole[0] @ 45 + 53 + 16 => edits([put(45 + 6, u32(85)), put(45 + 10, u32(0x12)), insert(45 + 69, vec![0; 16])]);
    "COMP-31" "s-ok-ov-empty-space" Flags[0] @ 45 + 10 => edits([put(45 + 6, u32(69)), put(45 + 10, u32(2)), remove(45 + 69, 16)]);
    "COMP-32" "s-ok-ov-empty-space" MemberRole[0] @ 45 + 53 + 16 => here([0]);
    // a head of 53 bytes; the base's shard section is at 61
    "COMP-33" "s-ok-ov-replace" Shape[0] @ 53 + 20 => here(u64(3));
    "COMP-33" "s-ok-ov-replace" ShardOffset[0] @ 53 + 61 + 16 => edits([put(53 + 20, u64(3)), put(53 + 61 + 16, u64(1))]);
    // the correction follows a base of 109 + 64 bytes
    "COMP-34" "s-ok-ov-replace" MemberRole[0] @ 53 + 109 + 64 + 61 + 32 => here([1]);
    // the head's 4 elements, of which the member has 3
    "COMP-43" "s-ok-part-1" Shape[0] @ 20 => edits([put(45 + 20, u64(3))]);
    }
}

/// float32 [4], a group of one member.
fn group_head() -> Vec<u8> {
    let tags = vec![1, 0, 45, 0, 0, 0, 0, 0, 0, 0, 3, 11];
    [
        b"HRRY".to_vec(),
        tags,
        u32(1),
        u64(4),
        u64(0),
        vec![3, 0, 0, 0],
        u32(1),
        vec![0],
    ]
    .concat()
}
