//! Model rules: what one logical descriptor must satisfy, whoever holds it.
//!
//! Depends on the vocabulary, the wire level and the model. Decoder, encoder and owned descriptors call
//! the same functions here, so that what a reader refuses a writer refuses. The order of evaluation is
//! fixed: header and element type, layout payload, buffer table, sizes, quantization, then the fixed
//! sections; the first broken rule is the answer. Never looks at a position and never at payload.

mod buffers;
mod judge;
pub(crate) mod layout;
pub(crate) mod quantization;
mod reach;
pub(crate) mod sections;
mod size;

use crate::error::{Field, Violation};
use crate::model::{Fields, Layout, U64s};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::MAX_RANK;
use crate::wire::handle::RawHandle;
use crate::wire::tag::{ElementType, LayoutTag};
use crate::wire::{index, length32};
pub(crate) use judge::{Breach, Checked, Judge, Teller};

/// Checks one descriptor against every model rule.
///
/// # Errors
///
/// The first broken rule of the families DESC, TYPE, LAYOUT, BUF, QUANT, SHARD, STAT, EXT, MEMBER and
/// COMP that a descriptor alone can break, unless the policy's mode relaxes it.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, Rule, check};
///
/// let buffers = [BufferHandle::cpu(40, 64)];
/// let spec = DescriptorSpec::new(ElementType::Float32, &[3, 4], Layout::RowMajor, &buffers);
/// // twelve float32 need 48 bytes
/// assert_eq!(check::descriptor(&spec, &Policy::STRICT).unwrap_err().rule, Rule::DenseSize);
/// ```
pub fn descriptor<F: Fields + ?Sized>(d: &F, policy: &Policy) -> Result<(), Violation> {
    let shape = d.shape();
    let layout = d.layout();
    let header = Header {
        element_type: d.element_type(),
        layout: layout.tag(),
        rank: length32(shape.len()),
        has_extension: d.extension_type().is_some(),
        tagged: match &layout {
            Layout::Private { tag, .. } => tag.is_private(),
            Layout::Unknown(tag) => !tag.is_assigned() && !tag.is_private(),
            _ => true,
        },
    };
    let mut judge = policy;
    header.check(&mut judge)?;
    // rank-sized work is bounded only behind the header's rules
    body(d, Asked(d), &mut judge)?;
    Ok(())
}

/// Bytes of `elements` packed elements of that type; none for types whose width is not in the
/// specification, and where the size does not fit 64 bits.
///
/// Types below a byte are packed: six-bit types four to three bytes, the others to whole bytes (TYPE-12).
///
/// ```
/// use hrry::{ElementType, check};
/// assert_eq!(check::packed_bytes(ElementType::Float32, 12), Some(48));
/// assert_eq!(check::packed_bytes(ElementType::Int4, 7), Some(4));
/// assert_eq!(check::packed_bytes(ElementType::Float6E2M3, 5), Some(6));
/// assert_eq!(check::packed_bytes(ElementType::Float64, u64::MAX), None);
/// ```
#[must_use]
pub fn packed_bytes(element_type: ElementType, elements: u64) -> Option<u64> {
    match element_type.bits() {
        0 => None,
        bits => size::Count::new(elements).bytes(bits).fits(),
    }
}

/// The facts of the fixed header that rules speak of.
pub(crate) struct Header {
    pub(crate) element_type: ElementType,
    pub(crate) layout: LayoutTag,
    pub(crate) rank: u32,
    pub(crate) has_extension: bool,
    /// Whether the tag is one of the layout's: a writer can name a private or unknown one anything.
    pub(crate) tagged: bool,
}

impl Header {
    #[inline(always)]
    pub(crate) fn check<J: Judge>(&self, judge: &mut J) -> Checked {
        let (element, layout) = (self.element_type, self.layout);
        if element.bits() == 0 && !element.is_private() {
            let possible = !matches!(element.0, 0x00 | 0xFF);
            judge.require(possible, Rule::TypeInvalid, Field::TypeTag, 0)?;
            judge.broken(Rule::TypeUnknown, Field::TypeTag, 0)?;
        }
        if !self.tagged || (!layout.is_assigned() && !layout.is_private()) {
            let possible = self.tagged && !matches!(layout.0, 0x00 | 0xFF);
            judge.require(possible, Rule::LayoutInvalid, Field::LayoutTag, 0)?;
            judge.broken(Rule::LayoutUnknown, Field::LayoutTag, 0)?;
        }
        judge.require(self.rank <= MAX_RANK, Rule::RankLimit, Field::Rank, 0)?;
        let shaped = self.rank > 0 || layout == LayoutTag::RowMajor;
        judge.require(shaped, Rule::ScalarLayout, Field::LayoutTag, 0)?;
        let present = self.has_extension == element.is_private();
        judge.require(present, Rule::ExtensionPresence, Field::Flags, 0)
    }
}

/// What several groups of rules need, as plain values.
///
/// It is handed on by value: what has no address can stay in registers.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a, T> {
    shape: U64s<'a>,
    table: T,
    byte_offset: u64,
    rank: u32,
    buffer_count: u32,
    element_type: ElementType,
}

impl<T: Table> Subject<'_, T> {
    /// Size of a buffer; 0 for one that is not there.
    #[inline(always)]
    fn byte_size(&self, buffer: u32) -> u64 {
        let handle = self.table.handle(buffer);
        handle.map_or(0, |handle| handle.byte_size)
    }
}

/// The buffer table, however it is stored.
pub(crate) trait Table: Copy {
    /// The handle at `k`, if it exists.
    fn handle(self, k: u32) -> Option<RawHandle>;
}

/// The handles of anything that has them.
struct Asked<'a, F: ?Sized>(&'a F);

impl<F: ?Sized> Clone for Asked<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: ?Sized> Copy for Asked<'_, F> {}

impl<F: Fields + ?Sized> Table for Asked<'_, F> {
    #[inline]
    fn handle(self, k: u32) -> Option<RawHandle> {
        self.0.buffer(index(k)).map(RawHandle::from)
    }
}

/// Everything behind the header.
#[inline(always)]
pub(crate) fn body<F, T, J>(d: &F, table: T, judge: &mut J) -> Checked
where
    F: Fields + ?Sized,
    T: Table,
    J: Judge,
{
    let layout = d.layout();
    if matches!(layout, Layout::Unknown(_)) {
        return Ok(());
    }
    let shape = d.shape();
    let (rank, byte_offset) = (length32(shape.len()), d.byte_offset());
    let (buffer_count, element_type) = (length32(d.buffer_count()), d.element_type());
    let mut bits = element_type.bits();
    if let Some(extension) = d.extension_type() {
        bits = sections::extension_type(extension, judge)?;
    }
    let needs = layout::payload(shape, rank, &layout, judge)?;
    let quantization = d.quantization();
    buffers::table(
        table,
        buffer_count,
        byte_offset,
        &needs,
        quantization.as_ref(),
        judge,
    )?;
    // made where it is needed: what is handed on has an address
    let subject = || Subject {
        shape,
        table,
        byte_offset,
        rank,
        buffer_count,
        element_type,
    };
    layout::sizes(subject(), &layout, bits, judge)?;
    if let Some(quantization) = &quantization {
        quantization::scheme(&subject(), &needs, quantization, judge)?;
    }
    if let Some(shard) = d.shard() {
        sections::shard(&shard, layout.tag(), shape, judge)?;
    }
    if let Some(statistics) = d.statistics() {
        sections::statistics(statistics, needs.stored, judge)?;
    }
    if let Some(role) = d.member_role() {
        sections::member(role, layout.tag(), judge)?;
    }
    Ok(())
}
