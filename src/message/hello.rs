//! What each side says of itself before anything else.

use super::layouts::{LayoutEntries, count16, counted};
use super::{Side, demand};
use crate::check::Judge;
use crate::descriptor::Sink;
use crate::error::{Error, Field, Violation};
use crate::policy::Policy;
use crate::record::{Cursor, require};
use crate::rule::Rule;
use crate::wire::message::{COUNT, HELLO_HEAD, capability};
use crate::wire::tag::{DeviceTag, MemoryClass};
use crate::wire::{length, u32, u64};

/// `capability_flags`: what a side can do beyond the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Capabilities(pub u64);

impl Capabilities {
    /// Nothing beyond the least.
    pub const NONE: Self = Capabilities(0);
    /// It changes layouts on request.
    pub const TRANSCODING: Self = Capabilities(capability::TRANSCODING);
    /// It transfers the shards of one tensor on several streams.
    pub const PARALLEL_STREAMS: Self = Capabilities(capability::PARALLEL_STREAMS);
    /// It transfers data by RDMA.
    pub const RDMA_DATA_PLANE: Self = Capabilities(capability::RDMA_DATA_PLANE);
    /// It writes to registered destinations; goes with [`RDMA_DATA_PLANE`](Self::RDMA_DATA_PLANE) only.
    pub const RDMA_GPUDIRECT: Self = Capabilities(capability::RDMA_GPUDIRECT);

    /// Whether all of these are there.
    #[must_use]
    pub const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What both sides can.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Capabilities(self.0 & other.0)
    }

    /// What one of the two can.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Capabilities(self.0 | other.0)
    }
}

/// The payload of CLIENT_HELLO and SERVER_HELLO.
///
/// Values of lists that nobody knows are skipped, so they may stand here.
///
/// ```
/// use hrry::message::{Hello, LayoutEntries, LayoutEntry};
/// use hrry::{LayoutTag, MemoryClass};
///
/// let layouts = [LayoutEntry::new(LayoutTag::Csr), LayoutEntry::new(LayoutTag::RowMajor)];
/// let hello = Hello {
///     layouts: LayoutEntries::new(&layouts),
///     ..Hello::new(1 << 20)
/// };
/// assert!(hello.layouts.has(LayoutTag::Csr));
/// // a list that is empty or left out stands for the standard class
/// assert!(hello.has_class(MemoryClass::Standard) && !hello.has_class(MemoryClass::Unified));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Hello<'a> {
    /// The version of the protocol: the highest that the client speaks, or the one that the server chose.
    pub protocol_version: u32,
    /// Most bytes of payload that its sender takes in one message.
    pub max_message_size: u32,
    /// What its sender can do.
    pub capabilities: Capabilities,
    /// Layouts that a client takes, most preferred first, or a server offers.
    pub layouts: LayoutEntries<'a>,
    /// Tags of devices that a client takes or a server reaches.
    pub devices: &'a [u8],
    /// Memory classes that a client takes or a server offers.
    pub memory_classes: &'a [u8],
}

/// The version that this crate speaks.
pub const PROTOCOL_VERSION: u32 = 1;

/// What is broken by a version that is not spoken.
pub(super) const VERSION: Rule = Rule::ProtocolVersion;

/// What is broken where fields do not fill the payload.
const FILL: Rule = Rule::Hello;

impl<'a> Hello<'a> {
    /// Version 1 without capabilities and layouts, for buffers in the standard memory of the CPU.
    #[must_use]
    pub const fn new(max_message_size: u32) -> Self {
        Hello {
            protocol_version: PROTOCOL_VERSION,
            max_message_size,
            capabilities: Capabilities::NONE,
            layouts: LayoutEntries::EMPTY,
            devices: &[DeviceTag::Cpu.0],
            memory_classes: &[MemoryClass::Standard.0],
        }
    }

    /// Whether a device is listed.
    #[must_use]
    pub fn has_device(&self, device: DeviceTag) -> bool {
        contains(self.devices, device.0)
    }

    /// Whether a memory class is listed; the standard one is where nothing is.
    #[must_use]
    pub fn has_class(&self, class: MemoryClass) -> bool {
        contains(self.classes(), class.0)
    }

    /// The memory classes that it lists, or the one that stands for none.
    pub(super) const fn classes(&self) -> &'a [u8] {
        match self.memory_classes {
            [] => &[MemoryClass::Standard.0],
            classes => classes,
        }
    }

    /// Reads the payload of a message that starts at an absolute offset.
    pub(super) fn read<J: Judge>(
        payload: &'a [u8],
        start: u64,
        judge: &mut J,
    ) -> Result<Self, Error> {
        let mut cursor = Cursor::new(payload, start, FILL);
        let head = cursor.take(HELLO_HEAD, Field::ProtocolVersion)?;
        let layouts = LayoutEntries::read(&mut cursor, Field::SupportedLayouts)?;
        let devices = list(&mut cursor, Field::DeviceCount, Field::SupportedDevices)?;
        let memory_classes = match cursor.rest() {
            [] => &[],
            _ => list(
                &mut cursor,
                Field::ClassCount,
                Field::SupportedMemoryClasses,
            )?,
        };
        let filled = cursor.rest().is_empty();
        require(judge, filled, FILL, cursor.spot(Field::MessageTail))?;
        Ok(Hello {
            protocol_version: u32(head, 0),
            max_message_size: u32(head, 4),
            capabilities: Capabilities(u64(head, 8)),
            layouts,
            devices,
            memory_classes,
        })
    }

    /// What its single fields break; `most` is the version that the client said, for a server.
    pub(super) fn check<J: Judge>(
        &self,
        side: Side,
        most: u32,
        judge: &mut J,
    ) -> Result<(), Violation> {
        let version = self.protocol_version;
        let spoken = version >= PROTOCOL_VERSION && (side == Side::Client || version <= most);
        let bits = self.capabilities.0;
        let direct = !self.capabilities.has(Capabilities::RDMA_GPUDIRECT)
            || self.capabilities.has(Capabilities::RDMA_DATA_PLANE);
        demand(judge, spoken, VERSION, Field::ProtocolVersion)?;
        let defined = bits & !capability::DEFINED == 0;
        demand(judge, defined, Rule::CapabilityBits, Field::CapabilityFlags)?;
        demand(judge, direct, Rule::GpuDirect, Field::CapabilityFlags)
    }

    /// What a HELLO breaks that this side is to send.
    pub(super) fn check_own(&self, side: Side, most: u32) -> Result<(), Violation> {
        self.check(side, most, &mut &Policy::STRICT)?;
        self.layouts.check(Field::SupportedLayouts, FILL)?;
        counted(self.devices.len(), Field::DeviceCount, FILL)?;
        counted(self.memory_classes.len(), Field::ClassCount, FILL)
    }

    pub(super) fn encoded_len(&self) -> u64 {
        length(HELLO_HEAD)
            .wrapping_add(self.layouts.encoded_len())
            .wrapping_add(length(COUNT).wrapping_add(length(self.devices.len())))
            .wrapping_add(length(COUNT).wrapping_add(length(self.memory_classes.len())))
    }

    pub(super) fn write<W: Sink + ?Sized>(&self, sink: &mut W) -> Result<(), W::Error> {
        sink.put(&self.protocol_version.to_le_bytes())?;
        sink.put(&self.max_message_size.to_le_bytes())?;
        sink.put(&self.capabilities.0.to_le_bytes())?;
        self.layouts.write(sink)?;
        for list in [self.devices, self.memory_classes] {
            sink.put(&count16(list.len()))?;
            sink.put(list)?;
        }
        Ok(())
    }
}

fn list<'a>(cursor: &mut Cursor<'a>, count: Field, list: Field) -> Result<&'a [u8], Error> {
    let count = cursor.number(count).map(u16::from_le_bytes)?;
    cursor.take(count.into(), list)
}

/// A plain loop: the search that slices of bytes bring is larger than all that it is used for here.
#[allow(clippy::manual_contains)]
fn contains(tags: &[u8], tag: u8) -> bool {
    tags.iter().any(|listed| *listed == tag)
}
