//! UART 0 of mps2-an386: a CMSDK APB UART.

use super::registers::Registers;

const UART: Registers = Registers::at(0x4000_4000);
const DATA: usize = 0x0;
const STATE: usize = 0x4;
const CONTROL: usize = 0x8;
const DIVIDER: usize = 0x10;

pub(super) fn enable() {
    // the smallest that the device takes, before it is enabled
    UART.write(DIVIDER, 16);
    // receiver and transmitter
    UART.write(CONTROL, 0b11);
}

pub(super) fn can_read() -> bool {
    UART.read(STATE) & 0b10 != 0
}

pub(super) fn can_write() -> bool {
    UART.read(STATE) & 0b01 == 0
}

pub(super) fn read() -> u8 {
    UART.read(DATA) as u8
}

pub(super) fn write(byte: u8) {
    UART.write(DATA, byte.into());
}
