//! The buffers of one tensor.

use alloc::collections::TryReserveError;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};
use core::slice;

use super::Buffer;

/// Buffers in table order. One, as most tensors have, takes no memory of its own.
#[derive(Clone, Debug)]
pub(super) enum Buffers {
    One(Buffer),
    Many(Vec<Buffer>),
}

impl Buffers {
    /// So many without bytes.
    pub(super) fn empty(count: usize) -> Result<Self, TryReserveError> {
        if count == 1 {
            return Ok(Buffers::One(Buffer::empty()));
        }
        let mut buffers = Vec::new();
        buffers.try_reserve_exact(count)?;
        buffers.resize(count, Buffer::empty());
        Ok(Buffers::Many(buffers))
    }

    pub(super) fn into_vec(self) -> Vec<Buffer> {
        match self {
            Buffers::One(buffer) => Vec::from([buffer]),
            Buffers::Many(buffers) => buffers,
        }
    }
}

impl Deref for Buffers {
    type Target = [Buffer];

    fn deref(&self) -> &[Buffer] {
        match self {
            Buffers::One(buffer) => slice::from_ref(buffer),
            Buffers::Many(buffers) => buffers,
        }
    }
}

impl DerefMut for Buffers {
    fn deref_mut(&mut self) -> &mut [Buffer] {
        match self {
            Buffers::One(buffer) => slice::from_mut(buffer),
            Buffers::Many(buffers) => buffers,
        }
    }
}

impl PartialEq for Buffers {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Buffers {}
