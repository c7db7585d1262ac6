//! The bytes of one buffer of a tensor, whoever owns them.

#[cfg(not(target_has_atomic = "ptr"))]
use alloc::rc::Rc as Shared;
#[cfg(target_has_atomic = "ptr")]
use alloc::sync::Arc as Shared;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use super::AlignedBuffer;

/// The bytes of a buffer: an [`AlignedBuffer`], or memory that something else owns.
///
/// Clones share the bytes. Memory with a release hook is released exactly once, when the last clone goes.
/// On targets without atomic pointers clones stay on one thread.
///
/// ```
/// use hrry::owned::Buffer;
/// use std::sync::mpsc::channel;
///
/// let (released, pool) = channel();
/// let buffer = Buffer::with_release(vec![1u8, 2, 3], move |memory| drop(released.send(memory)));
/// let clone = buffer.clone();
/// drop(buffer);
/// assert!(pool.try_recv().is_err());
/// assert_eq!(clone[..], [1, 2, 3]);
/// drop(clone);
/// assert_eq!(pool.try_recv(), Ok(vec![1, 2, 3]));
/// ```
#[derive(Clone, Default)]
pub struct Buffer(Option<Shared<dyn Memory>>);

trait Memory: Send + Sync {
    fn bytes(&self) -> &[u8];
}

/// Memory, and what becomes of it.
struct Foreign<O, R: FnOnce(O)> {
    owner: Option<O>,
    release: Option<R>,
}

impl Buffer {
    /// No bytes.
    #[must_use]
    pub const fn empty() -> Self {
        Buffer(None)
    }

    /// Memory of an owner, which is dropped when the last clone goes.
    ///
    /// The owner has to lend the same bytes every time.
    #[must_use]
    pub fn foreign<O: AsRef<[u8]> + Send + Sync + 'static>(owner: O) -> Self {
        Buffer::with_release(owner, drop)
    }

    /// Memory of an owner, which is handed to `release` when the last clone goes, also while a panic
    /// unwinds.
    #[must_use]
    pub fn with_release<O, R>(owner: O, release: R) -> Self
    where
        O: AsRef<[u8]> + Send + Sync + 'static,
        R: FnOnce(O) + Send + Sync + 'static,
    {
        Buffer(Some(Shared::new(Foreign {
            owner: Some(owner),
            release: Some(release),
        })))
    }

    /// Whether both are the same memory.
    #[must_use]
    pub fn shares(&self, other: &Buffer) -> bool {
        match (&self.0, &other.0) {
            (Some(memory), Some(other)) => Shared::ptr_eq(memory, other),
            (None, None) => true,
            _ => false,
        }
    }
}

impl Deref for Buffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.0.as_ref().map_or(&[], |memory| memory.bytes())
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl From<AlignedBuffer> for Buffer {
    fn from(buffer: AlignedBuffer) -> Self {
        if buffer.is_empty() {
            return Buffer::empty();
        }
        Buffer(Some(Shared::new(buffer)))
    }
}

impl From<Vec<u8>> for Buffer {
    fn from(bytes: Vec<u8>) -> Self {
        Buffer::foreign(bytes)
    }
}

impl PartialEq for Buffer {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Buffer {}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.len())
    }
}

impl Memory for AlignedBuffer {
    fn bytes(&self) -> &[u8] {
        self
    }
}

impl<O, R> Memory for Foreign<O, R>
where
    O: AsRef<[u8]> + Send + Sync,
    R: FnOnce(O) + Send + Sync,
{
    fn bytes(&self) -> &[u8] {
        // there until it is dropped
        self.owner.as_ref().map_or(&[], AsRef::as_ref)
    }
}

impl<O, R: FnOnce(O)> Drop for Foreign<O, R> {
    fn drop(&mut self) {
        if let (Some(owner), Some(release)) = (self.owner.take(), self.release.take()) {
            release(owner);
        }
    }
}
