//! The part of a parser that gathers a descriptor.
//!
//! A chunk that has the header goes to the frame at once and is looked at where it came from; a smaller
//! one goes there from decision to decision. Both ways decide the same, in the same order.

use core::mem::take;

use super::{Phase, StreamParser, Turn, filled_buffer};
use crate::descriptor::DescriptorView;
use crate::descriptor::decode::{
    behind_header, header, magic_error, place, stated_length, too_long, wrong_magic,
};
use crate::error::{Error, ErrorKind, Field, Resource, Violation};
use crate::frame::Storage;
use crate::model::Fields;
use crate::rule::Rule;
use crate::wire::descriptor::{FILE_MAGIC_TAIL, Facts, HEADER, LENGTH_KNOWN, MAGIC};
use crate::wire::{array, index, length};

const MAGIC_END: usize = MAGIC.len();

impl<S: Storage> StreamParser<S> {
    /// Takes a chunk of a descriptor. A few bytes of it are not worth the registers that decoding needs.
    #[inline]
    pub(super) fn gather(&mut self, input: &mut &[u8]) -> Turn {
        let many = match self.gathered() {
            0 => input.len() >= HEADER,
            len => len >= HEADER && self.want > 0,
        };
        if !many {
            let turn = self.fill(input);
            if turn != Turn::Descriptor {
                return turn;
            }
        }
        self.complete(input)
    }

    /// Checks the descriptor in the frame, with its rest in the chunk, or starts one with the chunk.
    #[inline]
    fn complete(&mut self, input: &mut &[u8]) -> Turn {
        if self.gathered() == 0
            && let Some(len) = self.ahead(input)
        {
            if let Some((bytes, rest)) = input.split_at_checked(len) {
                if self.frame.append(0, bytes).is_ok() {
                    *input = rest;
                    self.len = len;
                    return match self.wrong_start(bytes) {
                        Some(error) => self.fail(error),
                        None => self.accept(Some(bytes)),
                    };
                }
            } else if self.frame.append(0, input).is_ok() {
                return self.start(take(input), len);
            }
        }
        self.append_rest(input);
        if self.want > 0 || self.len == 0 {
            let turn = self.fill(input);
            if turn != Turn::Descriptor {
                return turn;
            }
        }
        self.accept(None)
    }

    /// Looks at the bytes in the frame, the first of a descriptor and its header among them.
    #[inline]
    fn start(&mut self, bytes: &[u8], target: usize) -> Turn {
        self.len = bytes.len();
        match self.wrong_start(bytes) {
            Some(error) => self.fail(error),
            None => self.aim(bytes.len(), target),
        }
    }

    /// Takes the wanted bytes from the chunk, if it has them.
    #[inline]
    fn append_rest(&mut self, input: &mut &[u8]) {
        if let Some((bytes, rest)) = input.split_at_checked(self.want)
            && self.frame.append(self.gathered(), bytes).is_ok()
        {
            *input = rest;
            self.want = 0;
        }
    }

    /// Takes what is missing of the magic, each byte of which can be wrong; whether it is whole.
    #[inline]
    fn magic(&mut self, input: &mut &[u8]) -> Result<bool, Error> {
        while let Some(expected) = MAGIC.get(self.len) {
            let Some((byte, rest)) = input.split_first() else {
                return Ok(false);
            };
            if self.room(self.len) == 0 {
                return Err(self.overrun());
            }
            let stored = self.frame.append(self.len, &[*byte]);
            stored.map_err(|_| self.frame_error(MAGIC_END))?;
            *input = rest;
            let at = self.len;
            self.len = at.wrapping_add(1);
            if byte != expected {
                return Err(magic_error(self.origin, at));
            }
        }
        Ok(true)
    }

    /// Fills the frame from decision to decision until it holds a descriptor.
    #[inline(never)]
    fn fill(&mut self, input: &mut &[u8]) -> Turn {
        match self.magic(input) {
            Ok(true) => {}
            Ok(false) => return Turn::More,
            Err(error) => return self.fail(error),
        }
        let mut len = self.gathered();
        let mut target = self.target(len);
        while !input.is_empty() {
            let most = target.wrapping_sub(len).min(self.room(len));
            let (bytes, rest) = input.split_at_checked(most).unwrap_or((input, &[]));
            if bytes.is_empty() {
                return self.fail(self.overrun());
            }
            if self.frame.append(len, bytes).is_err() {
                return self.fail(self.frame_error(target));
            }
            *input = rest;
            len = len.wrapping_add(bytes.len());
            self.len = len;
            self.want = 0;
            if let Some(error) = self.wrong(self.frame.stored(len)) {
                return self.fail(error);
            }
            if len >= target {
                target = self.target(len);
                if len >= HEADER && len >= target {
                    return Turn::Descriptor;
                }
            }
        }
        self.aim(len, target)
    }

    /// What is wrong with the start of a descriptor, if what came last leads to a decision.
    #[inline]
    fn wrong(&self, bytes: &[u8]) -> Option<Error> {
        match bytes.len() {
            LENGTH_KNOWN => {
                let limit = self.frame.limit().min(self.policy.max_descriptor.into());
                too_long(bytes, self.origin, limit)
            }
            HEADER => self.wrong_header(bytes),
            _ => None,
        }
    }

    #[inline]
    fn wrong_start(&self, bytes: &[u8]) -> Option<Error> {
        match wrong_magic(bytes) {
            Some(wrong) => Some(magic_error(self.origin, wrong)),
            None => self.wrong_header(bytes),
        }
    }

    #[inline]
    fn wrong_header(&self, bytes: &[u8]) -> Option<Error> {
        let breach = header(bytes, &mut &self.policy).err()?;
        Some(self.refuse(bytes, Facts::NONE, breach.into()))
    }

    /// Bytes of the frame at which the next decision falls, of which `len` are there.
    #[inline]
    pub(super) fn target(&self, len: usize) -> usize {
        match len {
            ..MAGIC_END => MAGIC_END,
            MAGIC_END..LENGTH_KNOWN => LENGTH_KNOWN,
            LENGTH_KNOWN..HEADER => HEADER,
            len => index(stated_length(self.frame.stored(len))),
        }
    }

    /// Bytes of the descriptor that is next, where the chunk has its header and the length is no obstacle.
    #[inline]
    fn ahead(&self, input: &[u8]) -> Option<usize> {
        let header: &[u8; HEADER] = input.first_chunk()?;
        let stated = stated_length(header);
        let fits = u64::from(stated) <= self.frame.limit()
            && stated <= self.policy.max_descriptor
            && self.origin.checked_add(stated.into()).is_some();
        let len = index(stated);
        (len >= HEADER && fits).then_some(len)
    }

    /// Says how far chunks need no decision, now that this one is used up, behind the magic. Every byte is one
    /// where positions end before the next.
    #[inline]
    fn aim(&mut self, len: usize, target: usize) -> Turn {
        let missing = target.saturating_sub(len);
        if missing <= self.room(len) {
            self.want = missing;
            self.len = target;
        }
        Turn::More
    }

    /// How many bytes still have a position behind so many of a descriptor.
    #[inline]
    fn room(&self, len: usize) -> usize {
        let position = self.origin.wrapping_add(length(len));
        usize::try_from(u64::MAX.wrapping_sub(position)).unwrap_or(usize::MAX)
    }

    /// Decodes what was gathered, its header judged, and turns to its buffers. Bytes that just came are read where they came
    /// from: their copy in the frame may not have settled.
    #[inline(never)]
    fn accept(&mut self, arrived: Option<&[u8]>) -> Turn {
        let bytes = arrived.unwrap_or(self.frame.stored(self.len));
        let mut facts = Facts::NONE;
        if let Err(breach) = behind_header(bytes, &mut &self.policy, &mut facts) {
            return self.fail(self.refuse(bytes, facts, breach.into()));
        }
        self.facts = facts;
        let start = self.origin.wrapping_add(length(bytes.len()));
        if self.policy.max_buffer < u64::MAX
            && let Some(error) = large_buffer(&self.view(), self.policy.max_buffer)
        {
            return self.fail(error);
        }
        if facts.is_opaque() {
            self.phase = Phase::Opaque;
        } else {
            let (size, buffer) = filled_buffer(&facts, bytes, 0).unwrap_or((0, u8::MAX));
            self.enter(buffer, start, size);
        }
        Turn::Descriptor
    }

    /// Places a violation. A container file looks like a descriptor of a far version (STREAM-12).
    #[cold]
    fn refuse(&self, bytes: &[u8], facts: Facts, violation: Violation) -> Error {
        let file = array(bytes, MAGIC.len()) == Some(FILE_MAGIC_TAIL);
        let rule = if file {
            Rule::FileNotStream
        } else {
            violation.rule
        };
        place(bytes, facts, self.origin, Violation { rule, ..violation })
    }

    fn frame_error(&self, target: usize) -> Error {
        let kind = ErrorKind::Capacity {
            what: Resource::Frame,
            needed: length(target),
            // one that grows may fail below its limit
            available: self.frame.limit().min(length(target).saturating_sub(1)),
        };
        Error::new(kind, self.origin)
    }
}

/// The capacity error of the first buffer that is larger than a policy has it.
pub(crate) fn large_buffer(view: &DescriptorView<'_>, available: u64) -> Option<Error> {
    let mut sizes = (0..).map_while(|k| Some((k, view.buffer(k)?.byte_size)));
    let (k, needed) = sizes.find(|(_, size)| *size > available)?;
    let kind = ErrorKind::Capacity {
        what: Resource::Buffer,
        needed,
        available,
    };
    let at = view.locate(Field::ByteSize, k)?.start;
    Some(Error::new(kind, view.origin().wrapping_add(at.into())))
}
