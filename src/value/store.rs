//! Numbers into elements of any dense layout.

use super::element::Scalar;
use super::error::ValueError;
use super::quantize::{all_given, dense, write};
use super::stored::{Data, each};
use crate::address::{Merge, SubBox};
use crate::model::Fields;

/// Stores numbers as the elements of a tensor without a scheme. `values` are all elements, last dimension fastest,
/// and `bytes` its buffer 0, of which the rest is left alone.
pub(crate) fn store<T: Scalar>(
    d: &(impl Fields + ?Sized),
    values: &[T],
    bytes: &mut [u8],
) -> Result<(), ValueError> {
    let whole = SubBox::whole(d.shape());
    whole.within(d.shape())?;
    all_given(whole, values.len())?;
    dense(&d.layout())?;
    if d.quantization().is_some() {
        return Err(ValueError::Quantized);
    }
    let data = Data::new(d, &[])?;
    let bytes = bytes.get_mut(data.start..).unwrap_or_default();
    let mut rest = values;
    each(d, &[], &data, whole, Merge::Rows, |_, piece| {
        let (values, after) = rest.split_at_checked(piece.len).unwrap_or_default();
        rest = after;
        write(d.element_type(), values, piece, bytes)
    })
}
