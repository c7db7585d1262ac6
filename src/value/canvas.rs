//! Reading through a composite: its members painted, one by one, into the elements of a box.

use heapless::Vec;

use super::dequantize::Dequantizer;
use super::error::ValueError;
use super::read::{copy, packed_len, same_len};
use super::stored::{Data, each};
use super::target::{Mode, Target};
use crate::address::{Merge, SubBox};
use crate::composite::{Arena, MAX_COMPOSITE_DEPTH};
use crate::model::{CompositeHead, Fields, Layout, U64s};
use crate::wire::descriptor::AXES;
use crate::wire::tag::{CombineOp, CompositionRule, ElementType, MemberRole};
use crate::wire::{index as slot, length};

/// The merged view of a composite in a box, in memory that the caller lends.
///
/// Made from the head; then [`item`](Self::item) takes everything that belongs to the composite in the order
/// of the stream, nested heads included, so that a member is needed only once and only while it is painted.
/// What is outside the box costs a look at its descriptor.
///
/// A partition has the value of the one member that covers an index (COMP-51). An overlay has that of the
/// last member that covers it, or the sum of all that do, rounded to the head's type after each
/// (COMP-52 to COMP-54); a sparse correction covers what it stores. Numbers of quantized members are rounded
/// to the head's type. The order and the covers of members are those of a checked composite.
///
/// ```
/// use hrry::{BufferHandle, Canvas, CombineOp, CompositeHead, CompositionRule, DescriptorSpec};
/// use hrry::{ElementType, InlineArena, Layout, Shard, SubBox, U64s};
/// let head = CompositeHead {
///     composition_rule: CompositionRule::Partition,
///     combine_op: CombineOp::None,
///     member_count: 2,
/// };
/// let head = DescriptorSpec::new(ElementType::UInt8, &[2, 4], Layout::Composite(head), &[]);
/// let buffers = [BufferHandle::cpu(4, 64)];
/// let half = |offset, layout| DescriptorSpec {
///     shard: Some(Shard { parent_shape: U64s::from(&[2, 4]), shard_offset: offset }),
///     ..DescriptorSpec::new(ElementType::UInt8, &[2, 2], layout, &buffers)
/// };
/// let left = half(U64s::from(&[0, 0]), Layout::RowMajor);
/// let right = half(U64s::from(&[0, 2]), Layout::ColumnMajor);
///
/// // the second row
/// let part = SubBox { offset: U64s::from(&[1, 0]), shape: U64s::from(&[1, 4]) };
/// let mut out = [0; 4];
/// let mut canvas = Canvas::new(&head, part, &mut out, InlineArena::<2>::new())?;
/// canvas.item(&left, &[&[1, 2, 3, 4]])?;
/// canvas.item(&right, &[&[5, 6, 7, 8]])?;
/// canvas.finish()?;
/// assert_eq!(out, [3, 4, 6, 8]);
/// # Ok::<(), hrry::ValueError>(())
/// ```
#[derive(Debug)]
pub struct Canvas<'o, A> {
    element_type: ElementType,
    part: SubBox<'o>,
    out: &'o mut [u8],
    levels: Vec<Level, MAX_COMPOSITE_DEPTH>,
    /// Of each open partition, where its head lies in the outermost one.
    offsets: A,
    failed: Option<ValueError>,
}

#[derive(Clone, Copy, Debug)]
struct Level {
    role: Role,
    members_left: u32,
}

/// What the members of a level are to the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Partition,
    Overlay(CombineOp),
    /// Nothing: the level is outside the box.
    Outside,
}

impl<'o, A: Arena> Canvas<'o, A> {
    /// A view of a box of a composite in which every element is 0, as is what no member stores.
    ///
    /// `out` has the bytes of as many packed elements of the head's type as the box has
    /// ([`packed_bytes`](crate::check::packed_bytes)). `offsets` holds a word for each dimension
    /// and open partition.
    ///
    /// # Errors
    ///
    /// A descriptor that is no head; a group or a private composite; a box outside the shape or of another size than `out`; a dynamic
    /// dimension; a private element type, whose elements have no known place in `out`.
    pub fn new<F: Fields + ?Sized>(
        head: &F,
        part: SubBox<'o>,
        out: &'o mut [u8],
        offsets: A,
    ) -> Result<Self, ValueError> {
        let Layout::Composite(composite) = head.layout() else {
            return Err(ValueError::Order);
        };
        part.within(head.shape())?;
        let element_type = head.element_type();
        same_len(packed_len(element_type, part)?, out.len())?;
        out.fill(0);
        let mut canvas = Canvas {
            element_type,
            part,
            out,
            levels: Vec::new(),
            offsets,
            failed: None,
        };
        let role = role(&composite)?;
        // what a caller left in it says nothing here; no words always fit
        let _ = canvas.offsets.resize(0);
        let offset = SubBox::whole(head.shape()).offset;
        canvas.open(role, composite.member_count, offset)?;
        canvas.close();
        Ok(canvas)
    }

    /// Paints the next item: a member with its buffers, or a nested head, which has none.
    ///
    /// # Errors
    ///
    /// An item that does not belong to the composite any more, or not there, or of another type than the head
    /// without being quantized; a group that the box reaches into; as [`read_values`](crate::read_values) for
    /// the part of the member that is in the box; a number that the head's type does not have; too few words
    /// for the offsets of nested partitions. The error sticks: what was painted is no view.
    pub fn item<F: Fields + ?Sized>(&mut self, d: &F, buffers: &[&[u8]]) -> Result<(), ValueError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let taken = self.take(d, buffers);
        self.failed = taken.err();
        taken
    }

    fn take<F: Fields + ?Sized>(&mut self, d: &F, buffers: &[&[u8]]) -> Result<(), ValueError> {
        let Some(level) = self.levels.last_mut() else {
            return Err(ValueError::Order);
        };
        let Some(left) = level.members_left.checked_sub(1) else {
            return Err(ValueError::Order);
        };
        let role = level.role;
        level.members_left = left;
        match d.layout() {
            Layout::Composite(composite) => self.head(d, role, &composite)?,
            _ => self.member(d, role, buffers)?,
        }
        self.close();
        Ok(())
    }

    /// Passes over so many members of the innermost open composite, with everything that belongs to them,
    /// that lie outside the box.
    ///
    /// # Errors
    ///
    /// More than the composite has left.
    pub fn skip(&mut self, members: u32) -> Result<(), ValueError> {
        if members == 0 {
            return Ok(());
        }
        let level = self.levels.last_mut().ok_or(ValueError::Order)?;
        let left = level.members_left.checked_sub(members);
        level.members_left = left.ok_or(ValueError::Order)?;
        self.close();
        Ok(())
    }

    /// Tells whether everything that belongs to the composite was there.
    ///
    /// # Errors
    ///
    /// Items that are missing; the sticky error.
    pub fn finish(&self) -> Result<(), ValueError> {
        match self.failed {
            Some(error) => Err(error),
            None if self.levels.is_empty() => Ok(()),
            None => Err(ValueError::Order),
        }
    }

    fn head<F: Fields + ?Sized>(
        &mut self,
        d: &F,
        around: Role,
        composite: &CompositeHead,
    ) -> Result<(), ValueError> {
        let outside = (Role::Outside, U64s::EMPTY);
        let (role, offset) = match around {
            Role::Outside => outside,
            Role::Overlay(_) => return Err(ValueError::Order),
            Role::Partition => match self.meet(d)? {
                Some(_) => (role(composite)?, shard_offset(d)),
                None => outside,
            },
        };
        self.open(role, composite.member_count, offset)
    }

    fn member<F: Fields + ?Sized>(
        &mut self,
        d: &F,
        around: Role,
        buffers: &[&[u8]],
    ) -> Result<(), ValueError> {
        let base = d.member_role() == Some(MemberRole::Base);
        let mode = match around {
            Role::Outside => return Ok(()),
            Role::Overlay(CombineOp::Add) if !base => Mode::Add,
            _ => Mode::Replace,
        };
        match self.meet(d)? {
            Some(meeting) => self.paint(d, buffers, &meeting, mode),
            None => Ok(()),
        }
    }

    /// Opens a level whose head lies at an offset in the level around it.
    fn open(&mut self, role: Role, members_left: u32, offset: U64s<'_>) -> Result<(), ValueError> {
        let level = Level { role, members_left };
        let rank = self.part.shape.len();
        if role != Role::Outside {
            let before = self.offsets.words().len();
            let needed = before.saturating_add(rank);
            let full = ValueError::Nesting {
                needed: length(needed),
                available: length(self.offsets.capacity()),
            };
            self.offsets.resize(needed).map_err(|_| full)?;
            let (outer, own) = self
                .offsets
                .words_mut()
                .split_at_mut_checked(before)
                .unwrap_or_default();
            let around = outer.get(before.saturating_sub(rank)..).unwrap_or(&[]);
            for (axis, own) in (0..).zip(own) {
                let around = around.get(slot(axis)).copied().unwrap_or(0);
                *own = around.saturating_add(offset.at(axis));
            }
        }
        self.levels.push(level).map_err(|_| ValueError::Order)
    }

    /// Closes all levels whose members were there.
    fn close(&mut self) {
        while let Some(level) = self.levels.last() {
            if level.members_left > 0 {
                return;
            }
            if level.role != Role::Outside {
                let rank = self.part.shape.len();
                let left = self.offsets.words().len().saturating_sub(rank);
                // fewer words always fit
                let _ = self.offsets.resize(left);
            }
            self.levels.pop();
        }
    }

    /// Where an item of the innermost level meets the box; none where it does not.
    fn meet<F: Fields + ?Sized>(&self, d: &F) -> Result<Option<Meeting>, ValueError> {
        let (shape, own) = (d.shape(), shard_offset(d));
        let rank = self.part.shape.len();
        if shape.len() != rank || own.len() != rank || rank > AXES {
            return Err(ValueError::Order);
        }
        let words = self.offsets.words();
        let around = words.get(words.len().saturating_sub(rank)..).unwrap_or(&[]);
        let mut meeting = Meeting::NONE;
        for (axis, around) in (0..).zip(around) {
            let start = around.saturating_add(own.at(axis));
            let end = start.saturating_add(shape.at(axis));
            let (from, len) = (self.part.offset.at(axis), self.part.shape.at(axis));
            let first = start.max(from);
            let last = end.min(from.saturating_add(len));
            if first >= last {
                return Ok(None);
            }
            let at = slot(axis);
            set(&mut meeting.offset, at, first.wrapping_sub(start));
            set(&mut meeting.shape, at, last.wrapping_sub(first));
            set(&mut meeting.place, at, first.wrapping_sub(from));
        }
        Ok(Some(meeting))
    }

    fn paint<F: Fields + ?Sized>(
        &mut self,
        d: &F,
        buffers: &[&[u8]],
        meeting: &Meeting,
        mode: Mode,
    ) -> Result<(), ValueError> {
        let rank = self.part.shape.len();
        let part = SubBox {
            offset: U64s::from(meeting.offset.get(..rank).unwrap_or(&[])),
            shape: U64s::from(meeting.shape.get(..rank).unwrap_or(&[])),
        };
        let target = Target {
            element_type: self.element_type,
            shape: self.part.shape,
            local: part.offset,
            place: U64s::from(meeting.place.get(..rank).unwrap_or(&[])),
        };
        let out = &mut *self.out;
        let data = Data::new(d, buffers)?;
        let quantization = d.quantization();
        let scheme = quantization.as_ref();
        let scheme = scheme.map(|scheme| Dequantizer::new(d, scheme, buffers));
        let scheme = scheme.transpose()?;
        if scheme.is_none() && data.element_type != self.element_type {
            return Err(ValueError::Order);
        }
        each(d, buffers, &data, part, Merge::Nothing, |index, piece| {
            let at = target.at(index);
            match &scheme {
                Some(scheme) => scheme.chunks(&data, index, piece, |start, numbers| {
                    let at = at.wrapping_add(length(start));
                    target.numbers(numbers, out, at, mode)
                }),
                None if mode == Mode::Add => target.sums(&data, piece, out, at),
                None => copy(&data, piece, out, at),
            }
        })
    }
}

/// The part of a member that is in the box.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    /// Its first index in the member.
    offset: [u64; AXES],
    shape: [u64; AXES],
    /// Its first index in the box.
    place: [u64; AXES],
}

impl Meeting {
    const NONE: Meeting = Meeting {
        offset: [0; AXES],
        shape: [0; AXES],
        place: [0; AXES],
    };
}

fn role(composite: &CompositeHead) -> Result<Role, ValueError> {
    match composite.composition_rule {
        CompositionRule::Partition => Ok(Role::Partition),
        CompositionRule::Overlay => Ok(Role::Overlay(composite.combine_op)),
        rule => Err(ValueError::NoView(rule)),
    }
}

fn shard_offset<F: Fields + ?Sized>(d: &F) -> U64s<'_> {
    d.shard().map_or(U64s::EMPTY, |shard| shard.shard_offset)
}

fn set(words: &mut [u64; AXES], at: usize, word: u64) {
    if let Some(slot) = words.get_mut(at) {
        *slot = word;
    }
}
