//! Memory-mapped registers: the only place where addresses are made up.
#![allow(unsafe_code)]

/// A device's registers, of 32 bits each.
pub(super) struct Registers(usize);

impl Registers {
    /// Those at an address that the board's manual names.
    pub(super) const fn at(base: usize) -> Self {
        Registers(base)
    }

    pub(super) fn read(&self, offset: usize) -> u32 {
        // SAFETY: a register that is there whatever the state of the device; reading it can only change the device
        unsafe { self.register(offset).read_volatile() }
    }

    pub(super) fn write(&self, offset: usize, value: u32) {
        // SAFETY: as above; these devices do not access memory
        unsafe { self.register(offset).write_volatile(value) }
    }

    fn register(&self, offset: usize) -> *mut u32 {
        core::ptr::with_exposed_provenance_mut(self.0 + offset)
    }
}
