//! UART 0 of lm3s6965evb: a PL011.

use super::registers::Registers;

const UART: Registers = Registers::at(0x4000_C000);
const DATA: usize = 0x0;
const FLAGS: usize = 0x18;
const LINE: usize = 0x2C;
const CONTROL: usize = 0x30;

pub(super) fn enable() {
    // words of eight bits, with the queues of the device
    UART.write(LINE, 0x70);
    // device, transmitter and receiver
    UART.write(CONTROL, 0x301);
}

pub(super) fn can_read() -> bool {
    UART.read(FLAGS) & 0x10 == 0
}

pub(super) fn can_write() -> bool {
    UART.read(FLAGS) & 0x20 == 0
}

pub(super) fn read() -> u8 {
    UART.read(DATA) as u8
}

pub(super) fn write(byte: u8) {
    UART.write(DATA, byte.into());
}
