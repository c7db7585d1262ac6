//! Receives blocks of readings over a line that loses bytes.

use hrry::{ElementType, element};
use hrry::{
    Error, Event, Exact, Fields, FixedDecoder, InlineArena, Lost, Payload, Policy, Resync,
    ResyncEvent,
};

pub type Block = [[i16; 3]; 16];
const SHAPE: [u64; 2] = [16, 3];
const BYTES: usize = size_of::<Block>();

/// The longest descriptor.
const FRAME: usize = 256;
/// Words for open partitions and overlays, which this line does not carry.
const WORDS: usize = 0;
/// The largest buffer of the line: a damaged size is not waited for beyond it.
const LARGEST: u64 = BYTES as u64;
/// Bytes after which a search for the next descriptor is given up.
const SEARCHED: u64 = 4096;

pub type Line = Resync<[u8; FRAME], Exact, InlineArena<WORDS>>;

pub const fn line() -> Line {
    let mut policy = Policy::STRICT;
    policy.max_buffer = LARGEST;
    Resync::new(FixedDecoder::new(policy), SEARCHED)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arrived {
    Block(Block),
    /// Bytes that belong to no tensor.
    Lost(Lost),
    /// A tensor takes more than `FRAME`, `WORDS` or `LARGEST`, or is damaged so that it seems to.
    TooLarge(Error),
    /// There was no descriptor for too long, or the line fell silent inside a tensor.
    StartedAnew(Error),
}

/// Puts blocks together.
pub struct Blocks {
    is_block: bool,
    bytes: [u8; BYTES],
}

impl Blocks {
    pub const fn new() -> Self {
        Blocks {
            is_block: false,
            bytes: [0; BYTES],
        }
    }

    pub fn take(&mut self, event: ResyncEvent<'_>) -> Option<Arrived> {
        match event {
            ResyncEvent::Stream(Event::Descriptor(d, _)) => self.is_block = is_block(&d),
            ResyncEvent::Stream(Event::Payload(piece)) if self.is_block => self.put(piece),
            // only now is the tensor whole
            ResyncEvent::Stream(Event::TensorEnd(_)) if self.is_block => return self.block(),
            ResyncEvent::Lost(lost) => return Some(Arrived::Lost(lost)),
            ResyncEvent::Capacity(error) => return Some(Arrived::TooLarge(error)),
            _ => {}
        }
        None
    }

    /// A piece may end inside a number, so bytes go where they belong, and are numbers at the end.
    fn put(&mut self, piece: Payload<'_>) {
        let room = self.bytes.get_mut(piece.offset as usize..);
        for (to, byte) in room.unwrap_or_default().iter_mut().zip(piece.bytes) {
            *to = *byte;
        }
    }

    fn block(&self) -> Option<Arrived> {
        let mut block = Block::default();
        let numbers = block.as_flattened_mut();
        element::decode(ElementType::Int16, &self.bytes, 0, numbers).ok()?;
        Some(Arrived::Block(block))
    }
}

fn is_block(d: &impl Fields) -> bool {
    d.element_type() == ElementType::Int16 && d.shape().iter().eq(SHAPE) && d.buffer_count() == 1
}

/// Takes bytes as an interrupt or a DMA channel brings them.
pub fn push(line: &mut Line, blocks: &mut Blocks, mut bytes: &[u8], mut tell: impl FnMut(Arrived)) {
    loop {
        match line.next_event(&mut bytes) {
            Ok(Some(event)) => {
                if let Some(arrived) = blocks.take(event) {
                    tell(arrived);
                }
            }
            // all of them are used
            Ok(None) => return,
            Err(error) => {
                line.reset();
                tell(Arrived::StartedAnew(error));
            }
        }
    }
}

/// Nothing came for a while: between two tensors that means nothing, inside of one the rest will not come.
pub fn silence(line: &mut Line) -> Option<Arrived> {
    let error = line.finish().err()?;
    line.reset();
    Some(Arrived::StartedAnew(error))
}
