//! What the images and the host at the other end of their line agree on: what the sensor measures, and how
//! the receiver reads and answers.
#![no_std]
#![forbid(unsafe_code)]

pub mod signal;
pub mod verdict;
