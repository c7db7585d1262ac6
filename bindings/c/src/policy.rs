//! What a reader or writer may decide for itself.

use hrry::{Mode, Policy, Transport};

use crate::pointer;
use crate::status::{Checked, HRRY_ERR_INVALID_ARGUMENT};

/// Every rule holds.
pub const HRRY_MODE_STRICT: u32 = 0;
/// Rules that `docs/rules.md` relaxes are relaxed.
pub const HRRY_MODE_PERMISSIVE: u32 = 1;

/// One machine: every sync mode is possible.
pub const HRRY_TRANSPORT_LOCAL: u32 = 0;
/// Between machines: buffers are synchronised by their producer.
pub const HRRY_TRANSPORT_CROSS_MACHINE: u32 = 1;

/// The choices of a reader or writer. All zeros, as a null pointer, means strict, local, without ceilings. Private
/// values have no meaning through this interface.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hrry_policy {
    /// HRRY_MODE_.
    pub mode: u32,
    /// HRRY_TRANSPORT_.
    pub transport: u32,
    /// Longest descriptor that is read, in bytes; 0 for no ceiling.
    pub max_descriptor: u32,
    /// Most members of one composite; 0 for no ceiling.
    pub max_members: u32,
    /// Largest buffer that a stream may carry, in bytes; 0 for no ceiling.
    pub max_buffer: u64,
}

/// # Safety
///
/// Null, or readable as its type says.
pub(crate) unsafe fn read(policy: *const hrry_policy) -> Checked<Policy> {
    // SAFETY: as above
    let Some(given) = (unsafe { pointer::read_if(policy) })? else {
        return Ok(Policy::STRICT);
    };
    let mut policy = Policy::STRICT;
    policy.mode = match given.mode {
        HRRY_MODE_STRICT => Mode::Strict,
        HRRY_MODE_PERMISSIVE => Mode::Permissive,
        _ => return Err(HRRY_ERR_INVALID_ARGUMENT),
    };
    policy.transport = match given.transport {
        HRRY_TRANSPORT_LOCAL => Transport::Local,
        HRRY_TRANSPORT_CROSS_MACHINE => Transport::CrossMachine,
        _ => return Err(HRRY_ERR_INVALID_ARGUMENT),
    };
    if given.max_descriptor != 0 {
        policy.max_descriptor = given.max_descriptor;
    }
    if given.max_members != 0 {
        policy.max_members = given.max_members;
    }
    if given.max_buffer != 0 {
        policy.max_buffer = given.max_buffer;
    }
    Ok(policy)
}
