//! Content rules: what the bytes inside buffers must satisfy. Checked on request, never by a decoder.
//!
//! Depends on the model and on what [`check`](crate::check) knows of sizes. Guarantees the same verdict, rule and
//! place however the payload is cut, bounded memory, and time that is linear in the bytes that arrive, but for
//! duplicates in unsorted COO, which are sorted. Never does arithmetic on floating-point numbers: finite, zero and
//! negative are bits.
//!
//! What is judged, where the specification leaves it open:
//!
//! * Bytes behind those that a layout needs are free, and so is everything between and behind strides, and what
//!   pads a partial block (QUANT-31).
//! * Unused bits (TYPE-07 to TYPE-10) are those behind the last of the elements that ADDR-01 to ADDR-11 count, in its byte
//!   or group of three bytes: of all tiles, of the Morton code space, of all pages, of `nnz` stored elements.
//!   With strides there is no last byte, so nothing is unused.
//! * `float8_e8m0` data (TYPE-11) is judged where every place is an element: not in layouts with padding or gaps, and
//!   not in pages, whose used slots nobody states.
//! * Of two equal tuples of sorted COO, LAYOUT-27 is reported, not LAYOUT-28.
//! * Behind pointers that permissive mode lets pass although they are broken, neither order nor levels are judged.
//! * Of a CSR or CSC tensor with a dynamic number of rows or columns, only the first pointer is judged.
//! * Private and unknown types, layouts and schemes have no content rules, and neither has what permissive mode calls
//!   opaque. NF4 and MXFP parameters of pages (AMB-42) have no stated number.

mod cut;
mod duplicates;
mod elements;
mod entry;
mod error;
mod parameters;
mod plan;
mod scan;

pub use error::ContentError;
pub use scan::ContentScan;

use crate::model::Fields;
use crate::policy::Policy;

/// Checks the buffers of one tensor against every content rule.
///
/// `d` is a descriptor that the model rules accept, `buffers` has each of its buffers as a whole, and `scratch` is
/// as for [`ContentScan::finish`].
///
/// Lengths are looked at where a rule reads the buffer: a dense tensor of whole bytes has no content rule, so nothing is
/// said of its data.
///
/// # Errors
///
/// The first broken rule of TYPE-07 to TYPE-11, LAYOUT-26 to LAYOUT-28, LAYOUT-31, LAYOUT-32, LAYOUT-36 to LAYOUT-38,
/// LAYOUT-46 and QUANT-28 to QUANT-30 that the policy's mode does not relax; a capacity error where a buffer or the
/// scratch is too short.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Policy, Rule, check_content};
///
/// let le = |numbers: &[u64]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
/// let buffers = [BufferHandle::cpu(8, 64), BufferHandle::cpu(16, 64), BufferHandle::cpu(24, 64)];
/// let spec = DescriptorSpec::new(ElementType::Float32, &[2, 5], Layout::Csr { nnz: 2 }, &buffers);
/// // both elements in row 0, columns 1 and 4
/// let good = [vec![0; 8], le(&[1, 4]), le(&[0, 2, 2])];
/// assert!(check_content(&spec, &good, &mut [], &Policy::STRICT).is_ok());
/// let bad = [vec![0; 8], le(&[4, 1]), le(&[0, 2, 2])];
/// let error = check_content(&spec, &bad, &mut [], &Policy::STRICT).unwrap_err();
/// assert_eq!((error.rule(), error.buffer, error.index), (Some(Rule::CompressedOrder), 1, 1));
/// ```
pub fn check_content<F: Fields + ?Sized, B: AsRef<[u8]>>(
    d: &F,
    buffers: &[B],
    scratch: &mut [u64],
    policy: &Policy,
) -> Result<(), ContentError> {
    ContentScan::new(d, policy).buffers(d, buffers, scratch)
}
