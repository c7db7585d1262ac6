//! Where elements are: the place that `hrry` names against the one that the reference computes.

use std::ops::AddAssign;

use hrry::{
    AddressError, BufferHandle, DescriptorView, Element, ElementType, Fields, encode, encoded_len,
    locate, locate_stored,
};
use hurray_core::layout::LayoutDescriptor;
use hurray_core::layout::addressing::byte_address_from_element_offset;
use hurray_core::{Error, Shape};

use crate::layouts::needed;
use crate::plan::{LayoutPlan, Plan};
use crate::policy;
use crate::reference::element;
use crate::sizes::width;

/// The 26 assigned types.
pub const TYPES: [ElementType; 26] = {
    use ElementType as T;
    [
        T::Float16,
        T::BFloat16,
        T::Float32,
        T::Float64,
        T::Int8,
        T::UInt8,
        T::Int16,
        T::UInt16,
        T::Int32,
        T::UInt32,
        T::Int64,
        T::UInt64,
        T::Bool,
        T::Float8E4M3,
        T::Float8E5M2,
        T::Float8E8M0,
        T::Float4E2M1,
        T::Float6E2M3,
        T::Float6E3M2,
        T::Float128,
        T::Int4,
        T::UInt4,
        T::Int2,
        T::UInt2,
        T::Complex64,
        T::Complex128,
    ]
};

/// What was compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Elements with the same place on both sides.
    pub placed: u64,
    /// Elements without a place, for the same reason.
    pub refused: u64,
    /// Elements whose first byte is in the buffer and whose last byte is not: the reference looks at the
    /// first one only, and we refuse by ADDR-15.
    pub cut: u64,
}

impl AddAssign for Seen {
    fn add_assign(&mut self, more: Seen) {
        self.placed += more.placed;
        self.refused += more.refused;
        self.cut += more.cut;
    }
}

/// Every index of a shape, the last dimension fastest.
pub fn indexes(shape: &[u64]) -> impl Iterator<Item = Vec<u64>> + use<> {
    let shape = shape.to_vec();
    let count = shape.iter().product::<u64>();
    (0..count).map(move |mut n| {
        let mut index = vec![0; shape.len()];
        for (at, size) in index.iter_mut().zip(&shape).rev() {
            *at = n % size;
            n /= size;
        }
        index
    })
}

/// A plan whose buffer holds exactly the bytes that the layout needs, so far behind its start.
pub fn tight(
    element_type: ElementType,
    shape: &[u64],
    layout: LayoutPlan,
    byte_offset: u64,
) -> Plan {
    let (below, sizes) = needed(&layout, shape, width(element_type, None));
    let byte_offset = below + byte_offset;
    let buffers = vec![BufferHandle::cpu(byte_offset + sizes[0], 64)];
    let mut plan = Plan::new(element_type, shape.to_vec(), layout, buffers);
    plan.byte_offset = byte_offset;
    plan
}

/// Compares at these indexes, from the fields and from their bytes, and again with a buffer that lacks its
/// last byte and with one whose elements start a byte too early.
pub fn compare(plan: &Plan, indexes: &[Vec<u64>]) -> Result<Seen, String> {
    let mut seen = same_places(plan, indexes)?;
    if seen.refused + seen.cut > 0 {
        return Err(format!("an element without a place: {seen:?}"));
    }
    let bytes = plan.with_spec(|spec| {
        let len = encoded_len(spec).map_err(|e| e.to_string())?;
        let mut bytes = vec![0; len as usize];
        encode(spec, &mut bytes, &policy()).map_err(|e| format!("we write: {e}"))?;
        Ok::<_, String>(bytes)
    })?;
    let (view, _) = DescriptorView::parse(&bytes, &policy()).map_err(|e| e.to_string())?;
    seen += at_each(&view, plan, indexes)?;
    let mut short = plan.clone();
    if let Some(size) = plan.buffers[0].byte_size.checked_sub(1) {
        short.buffers[0].byte_size = size;
        seen += same_places(&short, indexes)?;
    }
    let mut early = plan.clone();
    if let Some(offset) = plan.byte_offset.checked_sub(1) {
        early.byte_offset = offset;
        seen += same_places(&early, indexes)?;
    }
    Ok(seen)
}

/// Compares at these indexes, whether or not the descriptor is a valid one.
pub fn same_places(plan: &Plan, indexes: &[Vec<u64>]) -> Result<Seen, String> {
    plan.with_spec(|spec| at_each(spec, plan, indexes))
}

fn at_each<F: Fields>(d: &F, plan: &Plan, indexes: &[Vec<u64>]) -> Result<Seen, String> {
    let layout = plan.layout.reference().map_err(|e| format!("{e:?}"))?;
    let shape = Shape::new(plan.shape.clone()).map_err(|e| format!("{e:?}"))?;
    let mut seen = Seen::default();
    for index in indexes {
        let ours = locate(d, index);
        if locate_stored(d, &[], index) != ours.map(Some) {
            return Err(format!("{index:?}: locate_stored is not {ours:?}"));
        }
        let theirs = their_place(plan, &layout, &shape, index);
        seen += same_place(ours, theirs, plan.buffers[0].byte_size)
            .map_err(|error| format!("{index:?}: {error}"))?;
    }
    Ok(seen)
}

/// The place by the address functions of the reference, for layouts that store every element.
pub fn their_place(
    plan: &Plan,
    layout: &LayoutDescriptor,
    shape: &Shape,
    index: &[u64],
) -> Result<Element, Error> {
    let offset = layout.element_offset(index, shape)?;
    their_byte(plan, offset)
}

/// The place of the element so far from the first one, by the reference; its low bit from what the format
/// says of packed types, since the reference has none.
pub fn their_byte(plan: &Plan, offset: u64) -> Result<Element, Error> {
    let theirs = element(plan.element_type)?;
    let size = plan.buffers[0].byte_size;
    let byte = byte_address_from_element_offset(offset, plan.byte_offset, theirs, size)?;
    let width = theirs.bit_width();
    let packed = match width {
        6 => 4,
        1 | 2 | 4 => 8 / i64::from(width),
        _ => 1,
    };
    // negative distances have all high bits
    let within = offset.cast_signed().rem_euclid(packed);
    Ok(Element {
        buffer: 0,
        byte,
        bit: within as u8 * width as u8,
        width,
    })
}

/// Whether both name the same place, or none for the same reason.
pub fn same_place(
    ours: Result<Element, AddressError>,
    theirs: Result<Element, Error>,
    byte_size: u64,
) -> Result<Seen, String> {
    let last = |e: &Element| {
        e.byte
            + if e.width == 6 {
                3
            } else {
                u64::from(e.width).div_ceil(8)
            }
    };
    let mut seen = Seen::default();
    let refused = match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) if ours == theirs => {
            seen.placed = 1;
            return Ok(seen);
        }
        (Err(AddressError::Outside), Ok(theirs)) if last(theirs) > byte_size => {
            seen.cut = 1;
            return Ok(seen);
        }
        (Err(AddressError::Outside), Err(Error::ByteAddressOverflow { .. })) => true,
        (Err(AddressError::OutOfRange { axis }), Err(Error::IndexOutOfRange { dim, .. })) => {
            axis == dim
        }
        (Err(AddressError::Dynamic { axis }), Err(Error::DynamicDimInIndexing { dim })) => {
            axis == dim
        }
        (
            Err(AddressError::Rank { index, shape }),
            Err(Error::IndexRankMismatch {
                index_rank,
                shape_rank,
            }),
        ) => (*index as usize, *shape as usize) == (*index_rank, *shape_rank),
        _ => false,
    };
    if !refused {
        return Err(format!("{ours:?} here, {theirs:?} there"));
    }
    seen.refused = 1;
    Ok(seen)
}
