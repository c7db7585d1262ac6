//! What is remembered of the other side, and how a server chooses by it.

use crate::message::tags::TagSet;
use crate::message::{Capabilities, Hello, LayoutEntry, RequestFlags, TensorRequest};
use crate::wire::tag::{DeviceTag, ErrorCode, LayoutTag, MemoryClass};

/// What the other side said of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Peer {
    version: u32,
    max_message_size: u32,
    capabilities: Capabilities,
    layouts: TagSet,
    devices: TagSet,
    classes: TagSet,
}

impl Peer {
    /// What a HELLO says, its private layouts without their metadata.
    #[must_use]
    pub fn of(hello: &Hello<'_>) -> Self {
        Peer {
            version: hello.protocol_version,
            max_message_size: hello.max_message_size,
            capabilities: hello.capabilities,
            layouts: TagSet::of(hello.layouts.iter().map(|entry| entry.tag.0)),
            devices: TagSet::of(hello.devices.iter().copied()),
            classes: TagSet::of(hello.classes().iter().copied()),
        }
    }

    /// The version that it speaks or chose.
    #[must_use]
    pub const fn version(&self) -> u32 {
        self.version
    }

    /// Most bytes of payload that it takes in a message.
    #[must_use]
    pub const fn max_message_size(&self) -> u32 {
        self.max_message_size
    }

    /// What it can do.
    #[must_use]
    pub const fn capabilities(&self) -> Capabilities {
        self.capabilities
    }

    /// Whether it listed a layout.
    #[must_use]
    pub fn has_layout(&self, layout: LayoutTag) -> bool {
        self.layouts.has(layout.0)
    }

    /// Whether it listed a device.
    #[must_use]
    pub fn has_device(&self, device: DeviceTag) -> bool {
        self.devices.has(device.0)
    }

    /// Whether it knows a memory class; every peer knows the standard one unless it listed others only.
    #[must_use]
    pub fn has_class(&self, class: MemoryClass) -> bool {
        self.classes.has(class.0)
    }
}

/// The layout in which a server sends a tensor that it has in a native one (MSG-16): the first preferred one
/// that is native or, if the client allows it, that the server makes of it; else the native one.
///
/// `makes` is asked in order of preference, and says no where the tensor would take more memory than the
/// server gives for that (MSG-45).
///
/// ```
/// use hrry::message::{LayoutEntries, LayoutEntry, RequestFlags, TensorRequest, select_layout};
/// use hrry::LayoutTag;
///
/// let wanted = [LayoutEntry::new(LayoutTag::Tiled), LayoutEntry::new(LayoutTag::Csr)];
/// let mut request = TensorRequest::new("weights");
/// request.preferred_layouts = LayoutEntries::new(&wanted);
/// let select = |request: &_| {
///     select_layout(request, LayoutTag::RowMajor, |layout| layout.tag == LayoutTag::Csr)
/// };
/// assert_eq!(select(&request), LayoutTag::RowMajor);
/// request.request_flags = RequestFlags::ALLOW_TRANSCODE;
/// assert_eq!(select(&request), LayoutTag::Csr);
/// ```
pub fn select_layout(
    request: &TensorRequest<'_>,
    native: LayoutTag,
    mut makes: impl FnMut(&LayoutEntry<'_>) -> bool,
) -> LayoutTag {
    let allowed = request.request_flags.has(RequestFlags::ALLOW_TRANSCODE);
    let mut wanted = request.preferred_layouts.iter();
    let chosen = wanted.find(|entry| entry.tag == native || allowed && makes(entry));
    chosen.map_or(native, |entry| entry.tag)
}

/// How a server stands to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub enum Availability {
    /// It can place buffers there now.
    Ready,
    /// It listed the device in its HELLO, and cannot place buffers there for now.
    Busy,
    /// It never can.
    Never,
}

/// The device on which a server places the buffers for a client (MSG-17): the preferred one; or the CPU, if
/// the preferred one is only busy, the client listed the CPU, and the server can.
///
/// # Errors
///
/// [`ErrorCode::DeviceUnavailable`], which the server answers with.
///
/// ```
/// use hrry::message::{Availability, ErrorCode, Hello, Peer, select_device};
/// use hrry::DeviceTag;
///
/// let client = Peer::of(&Hello::new(1024));
/// let busy = |device| match device {
///     DeviceTag::Cuda => Availability::Busy,
///     DeviceTag::Cpu => Availability::Ready,
///     _ => Availability::Never,
/// };
/// assert_eq!(select_device(DeviceTag::Cuda, &client, busy), Ok(DeviceTag::Cpu));
/// let refused = select_device(DeviceTag::Metal, &client, busy);
/// assert_eq!(refused, Err(ErrorCode::DeviceUnavailable));
/// ```
pub fn select_device(
    preferred: DeviceTag,
    client: &Peer,
    availability: impl Fn(DeviceTag) -> Availability,
) -> Result<DeviceTag, ErrorCode> {
    let falls_back = || {
        preferred != DeviceTag::Cpu
            && client.has_device(DeviceTag::Cpu)
            && availability(DeviceTag::Cpu) == Availability::Ready
    };
    match availability(preferred) {
        Availability::Ready => Ok(preferred),
        Availability::Busy if falls_back() => Ok(DeviceTag::Cpu),
        Availability::Busy | Availability::Never => Err(ErrorCode::DeviceUnavailable),
    }
}

/// The memory class in which a server sends buffers of a device: the first of those that it offers, in its
/// own order, which the device has and the client knows (MSG-14).
///
/// # Errors
///
/// [`ErrorCode::DeviceUnavailable`] where there is none.
pub fn select_class(
    device: DeviceTag,
    client: &Peer,
    offered: &[MemoryClass],
) -> Result<MemoryClass, ErrorCode> {
    let mut classes = offered.iter().copied();
    let suits = |class: &MemoryClass| device.has_class(*class) && client.has_class(*class);
    classes.find(suits).ok_or(ErrorCode::DeviceUnavailable)
}
