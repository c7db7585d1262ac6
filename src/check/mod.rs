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
pub(crate) mod size;

use crate::error::{Field, Violation};
use crate::model::{CompositeHead, Fields, Layout, Quantization, U64s};
use crate::policy::Policy;
use crate::rule::Rule;
use crate::wire::descriptor::MAX_RANK;
use crate::wire::form::{Form, form};
use crate::wire::handle::RawHandle;
use crate::wire::tag::{ElementType, LayoutTag};
use crate::wire::{index, length32};
pub(crate) use buffers::are_hosted;
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
    let layout = d.layout();
    if glance(d, &layout) {
        return Ok(());
    }
    let header = Header {
        element_type: d.element_type(),
        layout: layout.tag(),
        rank: length32(d.shape().len()),
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
    body(d, &mut judge)?;
    Ok(())
}

/// Sees at a glance that nothing is wrong: one buffer, densely filled, and no optional section.
#[inline(always)]
fn glance<F: Fields + ?Sized>(d: &F, layout: &Layout<'_>) -> bool {
    let shape = d.shape();
    let rank = length32(shape.len());
    let dense = matches!(layout, Layout::RowMajor | Layout::ColumnMajor);
    let known = d.element_type().bits() > 0;
    if !dense || !known || rank == 0 || rank > MAX_RANK || d.buffer_count() != 1 {
        return false;
    }
    let bare = d.quantization().is_none()
        && d.shard().is_none()
        && d.statistics().is_none()
        && d.extension_type().is_none()
        && d.member_role().is_none();
    let handle = d.buffer(0).map(RawHandle::from);
    bare && handle.is_some_and(|handle| is_plain(d.element_type(), shape, d.byte_offset(), handle))
}

/// Whether a dense descriptor without optional sections breaks nothing behind its header, if the handle
/// is its only one. It knows the commonest handles and sizes, and says no to all others.
#[inline(always)]
pub(crate) fn is_plain(
    element_type: ElementType,
    shape: U64s<'_>,
    byte_offset: u64,
    handle: RawHandle,
) -> bool {
    let bytes = size::near(shape).and_then(|n| size::near_bytes(n, element_type.bits()));
    let free = handle.byte_size.checked_sub(byte_offset);
    are_hosted(core::iter::once(handle)) && bytes.is_some_and(|bytes| Some(bytes) <= free)
}

/// Whether a head without optional sections and handles breaks nothing behind its header.
#[inline(always)]
pub(crate) fn is_plain_head(
    element_type: ElementType,
    shape: U64s<'_>,
    byte_offset: u64,
    head: CompositeHead,
) -> bool {
    let strict = &mut &Policy::STRICT;
    let known = element_type.bits() > 0;
    known && byte_offset == 0 && layout::composite_head(head, shape, strict).is_ok()
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

/// Bytes that buffer `buffer` of a tensor needs: the data of a dense layout, `byte_offset` included, and the
/// scales and zero points of a scheme. None for other buffers, while a dimension that matters is dynamic, and
/// where the size does not fit 64 bits.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Quantization, check};
/// let buffers = [BufferHandle::cpu(0, 64); 2];
/// let spec = DescriptorSpec {
///     quantization: Some(Quantization::per_block(1, 32, 1, None, ElementType::Float16)),
///     ..DescriptorSpec::new(ElementType::Int4, &[4, 64], Layout::RowMajor, &buffers)
/// };
/// assert_eq!(check::needed_bytes(&spec, 0), Some(128));
/// assert_eq!(check::needed_bytes(&spec, 1), Some(16)); // two blocks in each of four rows
/// assert_eq!(check::needed_bytes(&spec, 2), None);
/// ```
#[must_use]
pub fn needed_bytes<F: Fields + ?Sized>(d: &F, buffer: u32) -> Option<u64> {
    if buffer == 0 {
        return layout::dense_bytes(d);
    }
    match d.quantization() {
        Some(Quantization::Buffers(p)) => quantization::buffer_bytes(d, &p, buffer),
        _ => None,
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

/// One logical descriptor as the rules behind the header read it.
///
/// It is handed on by value: what has no address can stay in registers.
pub(crate) trait Subject: Fields + Copy {
    /// Tag of the layout.
    fn layout_tag(&self) -> LayoutTag;

    /// What the tag says of the layout.
    fn form(&self) -> Option<&'static Form>;

    /// Number of dimensions.
    fn rank(&self) -> u32;

    /// Elements that a sparse layout stores.
    fn stored(&self) -> Option<u64>;

    /// The handle at `k`, if it exists.
    fn handle(&self, k: u32) -> Option<RawHandle>;

    /// What [`are_hosted`] says of the handles.
    fn is_hosted(&self) -> bool;

    /// Size of a buffer; 0 for one that is not there.
    #[inline(always)]
    fn byte_size(&self, buffer: u32) -> u64 {
        self.handle(buffer).map_or(0, |handle| handle.byte_size)
    }
}

impl<F: Fields + ?Sized> Subject for &F {
    #[inline]
    fn layout_tag(&self) -> LayoutTag {
        self.layout().tag()
    }

    #[inline]
    fn form(&self) -> Option<&'static Form> {
        form(self.layout_tag())
    }

    #[inline]
    fn rank(&self) -> u32 {
        length32(self.shape().len())
    }

    #[inline]
    fn stored(&self) -> Option<u64> {
        match self.layout() {
            Layout::Coo { nnz, .. }
            | Layout::Csr { nnz }
            | Layout::Csc { nnz }
            | Layout::Csf { nnz, .. } => Some(nnz),
            _ => None,
        }
    }

    #[inline]
    fn handle(&self, k: u32) -> Option<RawHandle> {
        self.buffer(index(k)).map(RawHandle::from)
    }

    #[inline]
    fn is_hosted(&self) -> bool {
        let count = length32(self.buffer_count());
        are_hosted((0..count).map_while(|k| self.handle(k)))
    }
}

/// Everything behind the header.
#[inline(always)]
pub(crate) fn body<S: Subject, J: Judge>(d: S, judge: &mut J) -> Checked {
    let layout = d.layout_tag();
    if !layout.is_assigned() && !layout.is_private() {
        // permissive mode only: nothing behind `byte_offset` is known
        return Ok(());
    }
    let mut bits = d.element_type().bits();
    if let Some(extension) = d.extension_type() {
        bits = sections::extension_type(extension, judge)?;
    }
    layout::payload(d, layout, judge)?;
    let own = layout::own_buffers(d);
    let quantization = d.quantization();
    buffers::table(d, layout, own, quantization.as_ref(), judge)?;
    layout::sizes(d, layout, bits, judge)?;
    if let Some(quantization) = &quantization {
        quantization::scheme(d, own, quantization, judge)?;
    }
    if let Some(shard) = d.shard() {
        sections::shard(&shard, layout, d.shape(), judge)?;
    }
    if let Some(statistics) = d.statistics() {
        sections::statistics(statistics, d.stored(), judge)?;
    }
    if let Some(role) = d.member_role() {
        sections::member(role, layout, judge)?;
    }
    Ok(())
}
