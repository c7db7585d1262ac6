//! What the sensor measures: made up, and the same on every machine.

/// Channels of the sensor.
pub const CHANNELS: u32 = 3;
/// Readings of a channel in one tensor.
pub const SAMPLES: usize = 64;

/// A reading of a channel: a triangle, of another height in each block, with noise.
#[must_use]
pub fn reading(channel: u32, time: u32) -> f32 {
    let period = 16 << channel;
    let phase = time % (2 * period);
    let height = phase.min(2 * period - phase) * (256 >> channel);
    let block = time / SAMPLES as u32;
    let grown = height * (1 + block % 5);
    let noise = time
        .wrapping_add(channel)
        .wrapping_mul(0x9E37_79B9)
        .rotate_left(7)
        .wrapping_mul(0x85EB_CA6B)
        >> 24;
    // at most 16 * 256 * 5 + 255 before the offset is taken away
    let steps = (grown + noise) as i16 - 4_000;
    f32::from(steps) * STEP
}

/// What one step of the converter is.
const STEP: f32 = 1.0 / 2048.0;
