//! Fuzz input as a source of choices. A source that ran dry gives zeros, so every input means something.

use hrry::DescriptorView;

pub struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Source(bytes)
    }

    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        *first
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound.max(1)
    }

    pub fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 1
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    pub fn bytes<const N: usize>(&mut self) -> [u8; N] {
        std::array::from_fn(|_| self.byte())
    }

    /// Mostly small, sometimes a power of two and its neighbours, sometimes anything.
    pub fn number(&mut self) -> u64 {
        match self.below(8) {
            0..5 => self.below(20) as u64,
            5 => (1u64 << self.below(64))
                .wrapping_add(self.below(3) as u64)
                .wrapping_sub(1),
            6 => u64::MAX,
            _ => u64::from_le_bytes(self.bytes()),
        }
    }

    pub fn number32(&mut self) -> u32 {
        match self.below(8) {
            0..5 => self.below(20) as u32,
            5 => 1 << self.below(32),
            6 => u32::MAX,
            _ => u32::from_le_bytes(self.bytes()),
        }
    }
}

/// A hash of the input, for choices that should not eat it.
pub fn seed(bytes: &[u8]) -> u64 {
    // FNV-1a
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Xorshift.
pub fn next(state: &mut u64) -> u64 {
    *state |= 1;
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}

/// The buffers of a tensor, as far as the input has them, and what is left.
pub fn split<'a>(view: &DescriptorView<'_>, mut rest: &'a [u8]) -> (Vec<&'a [u8]>, &'a [u8]) {
    let handles = (0..view.buffer_count()).map_while(|k| view.buffer(k));
    let buffers = handles.map(|handle| {
        let most = usize::try_from(handle.byte_size).unwrap_or(usize::MAX);
        let (bytes, after) = rest.split_at(most.min(rest.len()));
        rest = after;
        bytes
    });
    (buffers.collect(), rest)
}
