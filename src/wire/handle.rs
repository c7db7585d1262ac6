//! An entry of the buffer table as two words, so that entries compare and copy in one step.

use super::descriptor::HANDLE;
use super::tag::{DeviceTag, MemoryClass, SyncMode};
use super::u64;

/// `byte_size`, and behind it alignment, device, sync mode, memory class and the reserved byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawHandle {
    pub(crate) byte_size: u64,
    pub(crate) rest: u64,
}

impl RawHandle {
    #[inline]
    pub(crate) fn new(
        byte_size: u64,
        alignment: u32,
        device: DeviceTag,
        sync: SyncMode,
        class: MemoryClass,
    ) -> Self {
        let tags = u32::from_le_bytes([device.0, sync.0, class.0, 0]);
        RawHandle {
            byte_size,
            rest: u64::from(tags).wrapping_shl(32) | u64::from(alignment),
        }
    }

    #[inline]
    pub(crate) fn read(bytes: &[u8; HANDLE]) -> Self {
        RawHandle {
            byte_size: u64(bytes, 0),
            rest: u64(bytes, 8),
        }
    }

    #[inline]
    pub(crate) fn bytes(self) -> [u8; HANDLE] {
        let both = u128::from(self.rest).wrapping_shl(64) | u128::from(self.byte_size);
        both.to_le_bytes()
    }

    #[inline]
    pub(crate) fn alignment(self) -> u32 {
        let [a, b, c, d, ..] = self.rest.to_le_bytes();
        u32::from_le_bytes([a, b, c, d])
    }

    /// Device, sync mode and memory class; all 0 in host memory, synchronised by the producer.
    #[inline]
    pub(crate) fn tags(self) -> (DeviceTag, SyncMode, MemoryClass) {
        let [.., device, sync, class, _] = self.rest.to_le_bytes();
        (DeviceTag(device), SyncMode(sync), MemoryClass(class))
    }
}

#[cfg(test)]
mod tests {
    use super::super::descriptor::offset;
    use super::*;
    use crate::error::Field;

    #[test]
    fn fields_are_where_the_table_of_places_says() {
        let (device, sync, class) = (DeviceTag(2), SyncMode(3), MemoryClass(4));
        let handle = RawHandle::new(0x1122_3344_5566_7788, 0x99AA_BBCC, device, sync, class);
        let bytes = handle.bytes();
        let at = |field| offset(field) - offset(Field::ByteSize);
        assert_eq!(
            bytes[at(Field::ByteSize)..][..8],
            0x1122_3344_5566_7788u64.to_le_bytes()
        );
        assert_eq!(
            bytes[at(Field::Alignment)..][..4],
            0x99AA_BBCCu32.to_le_bytes()
        );
        assert_eq!(bytes[at(Field::DeviceTag)..], [2, 3, 4, 0]);
        assert_eq!(at(Field::HandleReserved), 15);
        assert_eq!(RawHandle::read(&bytes), handle);
        assert_eq!(handle.alignment(), 0x99AA_BBCC);
        assert_eq!(handle.tags(), (device, sync, class));
    }
}
