//! What the images share: the boards.
#![no_std]
#![deny(unsafe_code)]

pub mod board;
