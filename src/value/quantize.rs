//! From numbers to stored codes: parameters that fit the data, and codes in any dense layout.

use super::element::{self, Value, nearest_f32, whole};
use super::error::ValueError;
use super::parameters::{Parameter, Source};
use super::stored::{Data, Piece, each};
use crate::address::{AddressError, Merge, SubBox};
use crate::check;
use crate::check::quantization::{
    blocks_along, parameter_entries, scale_type, zero_points, zero_points_start,
};
use crate::model::{Fields, Layout, Parameters, Quantization, U64s};
use crate::policy::Policy;
use crate::wire::tag::{ElementType, Scheme};
use crate::wire::{index as slot, length};

/// Numbers that are turned into codes at a time.
const CHUNK: usize = 64;
/// The other types of MXFP have smaller numbers and no infinity.
const E5M2_MAX: f32 = 57344.0;

/// Chooses scale and zero point of the per-tensor scheme for numbers that are to be stored in codes of a
/// type.
///
/// The scale is the smallest that spans the numbers and 0, which keeps a code of its own. Of numbers that are
/// all 0 it is 1.
///
/// ```
/// use hrry::{ElementType, F32Bits, Quantization, choose_per_tensor};
/// let scheme = choose_per_tensor(ElementType::UInt8, &[-1.0, 0.3, 2.984375])?;
/// assert_eq!(scheme, Quantization::per_tensor(F32Bits::from(1.0f32 / 64.0), 64));
/// # Ok::<(), hrry::ValueError>(())
/// ```
///
/// # Errors
///
/// A number that is not finite; a type that the scheme does not store (QUANT-08).
pub fn choose_per_tensor(
    element_type: ElementType,
    values: &[f32],
) -> Result<Quantization<'static>, ValueError> {
    let scheme = Scheme::PerTensorAffine;
    if !element_type.stores(scheme) {
        return Err(ValueError::Scheme(scheme));
    }
    all_finite(values)?;
    let mut range = Range::default();
    values.iter().for_each(|value| range.add(*value));
    let (scale, zero_point) = range.affine(element_type, ElementType::Float32, false);
    let scale = f32::from_bits(u32::try_from(scale).unwrap_or(0));
    Ok(Quantization::per_tensor(scale.into(), zero_point))
}

/// Stores numbers in the codes of a quantized tensor of any dense layout.
///
/// `values` are all elements, last dimension fastest, and `buffers` those of the buffer table. Scales and
/// zero points of channels and blocks are chosen for their numbers and written too: affine ones are the
/// smallest that span the numbers and 0, those of MXFP are the power of two under which the largest number has the largest
/// exponent of the type. Codes are rounded to nearest, ties to even, and stay in the range of the type and
/// where they stand for finite numbers. What the buffers hold besides is left alone.
///
/// ```
/// use hrry::{BufferHandle, DescriptorSpec, ElementType, Layout, Quantization, SubBox, U64s};
/// use hrry::{quantize, read_values};
/// let buffers = [BufferHandle::cpu(4, 64), BufferHandle::cpu(8, 64)];
/// let spec = DescriptorSpec {
///     quantization: Some(Quantization::per_channel(0, 1, None)),
///     ..DescriptorSpec::new(ElementType::Int8, &[2, 2], Layout::RowMajor, &buffers)
/// };
/// let (mut codes, mut scales) = ([0; 4], [0; 8]);
/// quantize(&spec, &[127.0, -64.0, 0.0, 254.0], &mut [&mut codes, &mut scales])?;
/// assert_eq!(codes, [127, 0xC0, 0, 127]);
/// let mut back = [0.0f32; 4];
/// read_values(&spec, &[&codes, &scales], SubBox::whole(U64s::from(&[2, 2])), &mut back)?;
/// assert_eq!(back, [127.0, -64.0, 0.0, 254.0]);
/// # Ok::<(), hrry::ValueError>(())
/// ```
///
/// # Errors
///
/// A number that is not finite; another count of numbers than elements; a layout that is not dense; a
/// tensor without one of the affine schemes or MXFP, or of a type that the scheme does not store (QUANT-08);
/// everything else that [`check::descriptor`] refuses; buffers that end early.
pub fn quantize(
    d: &(impl Fields + ?Sized),
    values: &[f32],
    buffers: &mut [&mut [u8]],
) -> Result<(), ValueError> {
    let whole = SubBox::whole(d.shape());
    whole.within(d.shape())?;
    all_given(whole, values.len())?;
    dense(&d.layout())?;
    let quantization = d.quantization().ok_or(ValueError::NotQuantized)?;
    let scheme = quantization.scheme();
    if !d.element_type().stores(scheme) || scheme == Scheme::Nf4 {
        return Err(ValueError::Scheme(scheme));
    }
    // codes of a tensor that no reader takes are worth nothing
    check::descriptor(d, &Policy::STRICT).map_err(ValueError::Refused)?;
    all_finite(values)?;
    if let Quantization::Buffers(p) = &quantization {
        choose(d, p, values, buffers)?;
    }
    let (codes, parameters) = buffers.split_first_mut().unzip();
    let parameters = parameters.unwrap_or_default();
    let buffer = |k: u32| {
        let buffer = k.checked_sub(1).and_then(|k| parameters.get(slot(k)));
        buffer.map_or(&[][..], |buffer| &**buffer)
    };
    let source = Source::new(d, &quantization, buffer)?;
    let data = Data::new(d, &[])?;
    let codes = codes.map_or(&mut [][..], |codes| &mut **codes);
    let codes = codes.get_mut(data.start..).unwrap_or_default();
    let coder = Coder {
        element_type: d.element_type(),
        scheme,
    };
    let mut rest = values;
    each(d, &[], &data, whole, Merge::Nothing, |index, piece| {
        let (values, after) = rest.split_at_checked(piece.len).unwrap_or_default();
        rest = after;
        source.segments(
            d.shape(),
            index,
            0,
            None,
            piece.len,
            |at, len, parameter| {
                let values = values.get(at..).and_then(|values| values.get(..len));
                let place = piece.part(at, len);
                coder.segment(&source, parameter, values.unwrap_or_default(), place, codes)
            },
        )
    })
}

/// Turns numbers into codes.
#[derive(Clone, Copy)]
struct Coder {
    element_type: ElementType,
    scheme: Scheme,
}

impl Coder {
    /// Numbers whose parameters lie a step apart, and the place of their codes.
    fn segment(
        &self,
        source: &Source<'_>,
        parameter: Parameter,
        values: &[f32],
        piece: Piece,
        codes: &mut [u8],
    ) -> Result<(), ValueError> {
        let (mut start, mut parameter) = (0usize, parameter);
        for values in values.chunks(CHUNK) {
            let (mut scales, mut zeros) = ([0.0; CHUNK], [0; CHUNK]);
            let scales = scales.get_mut(..values.len()).unwrap_or_default();
            let zeros = zeros.get_mut(..values.len()).unwrap_or_default();
            source.many(parameter, scales, zeros)?;
            let place = piece.part(start, values.len());
            let scaled = values.iter().zip(&*scales).zip(&*zeros);
            if self.scheme == Scheme::Mxfp && self.element_type.is_float() {
                let mut numbers = [0.0f32; CHUNK];
                for (number, ((value, scale), _)) in numbers.iter_mut().zip(scaled) {
                    // above the largest finite number of float8_e5m2 it would become infinite
                    *number = (value / scale).clamp(-E5M2_MAX, E5M2_MAX);
                }
                let numbers = numbers.get(..values.len()).unwrap_or_default();
                write(self.element_type, numbers, place, codes)?;
            } else {
                let mut whole = [0i64; CHUNK];
                for (code, ((value, scale), zero)) in whole.iter_mut().zip(scaled) {
                    *code = self.code(*value, *scale, *zero);
                }
                let whole = whole.get(..values.len()).unwrap_or_default();
                write(self.element_type, whole, place, codes)?;
            }
            start = start.wrapping_add(values.len());
            let entries = length(values.len()).wrapping_mul(parameter.step);
            parameter.entry = parameter.entry.wrapping_add(entries);
        }
        Ok(())
    }

    /// The code whose number is nearest.
    fn code(&self, value: f32, scale: f32, zero_point: i32) -> i64 {
        let zero_point = i64::from(zero_point);
        let (low, high) = self.element_type.integer_range();
        // as far from the zero point as codes go, so that a sum rounds to whole numbers
        let (low, high) = (low.wrapping_sub(zero_point), high.wrapping_sub(zero_point));
        let rounded = if self.element_type.bits() <= 16 {
            const WHOLE: f32 = 12_582_912.0; // 1.5 x 2^23: what is added to it keeps no fraction
            let near = (value / scale).max(nearest_f32(low)).min(nearest_f32(high));
            whole(((near + WHOLE) - WHOLE).into())
        } else {
            let near = f64::from(value) / f64::from(scale);
            let near = near
                .max(element::exact_f64(low))
                .min(element::exact_f64(high));
            whole((near + ROUND) - ROUND)
        };
        finite(rounded, scale).wrapping_add(zero_point)
    }
}

/// A difference to the zero point, or where it times the scale is infinite one next to it that is not.
fn finite(difference: i64, scale: f32) -> i64 {
    let number = nearest_f32(difference);
    if (number * scale).is_infinite() {
        // the float next to it on the side of 0, without its fraction
        whole(f32::from_bits(number.to_bits().wrapping_sub(1)).into())
    } else {
        difference
    }
}

/// The first number that is not, if there is one.
fn all_finite(values: &[f32]) -> Result<(), ValueError> {
    match (0..).zip(values).find(|(_, value)| !value.is_finite()) {
        Some((index, _)) => Err(ValueError::NotFinite { index }),
        None => Ok(()),
    }
}

/// Requires a layout with a place for every element that follows from its index.
pub(crate) fn dense(layout: &Layout<'_>) -> Result<(), ValueError> {
    if layout.tag().is_sparse() || matches!(layout, Layout::BlockPaged(_)) {
        return Err(AddressError::Layout(layout.tag()).into());
    }
    Ok(())
}

/// Requires a number for each element of a shape.
pub(crate) fn all_given(whole: SubBox<'_>, given: usize) -> Result<(), ValueError> {
    let (given, elements) = (length(given), whole.elements().unwrap_or(u64::MAX));
    if given == elements {
        Ok(())
    } else {
        Err(ValueError::Values { given, elements })
    }
}

/// Writes elements whose places lie a step apart.
pub(super) fn write<T: element::Scalar>(
    of: ElementType,
    numbers: &[T],
    place: Piece,
    codes: &mut [u8],
) -> Result<(), ValueError> {
    if place.step == 1 {
        return Ok(element::encode(of, numbers, place.first, codes)?);
    }
    for (k, number) in numbers.chunks(1).enumerate() {
        element::encode(of, number, place.part(k, 1).first, codes)?;
    }
    Ok(())
}

/// Chooses the parameters of channels or blocks and writes them.
fn choose(
    d: &(impl Fields + ?Sized),
    p: &Parameters,
    values: &[f32],
    buffers: &mut [&mut [u8]],
) -> Result<(), ValueError> {
    let entries = parameter_entries(d, p).unwrap_or(0);
    let scale_type = scale_type(p);
    let zeros = zero_points(p);
    let zeros_start = zero_points_start(d, p).and_then(|start| usize::try_from(start).ok());
    let groups = Groups::new(d.shape(), p);
    for entry in 0..entries {
        let mut range = Range::default();
        groups.visit(entry, |at| {
            let value = usize::try_from(at).ok().and_then(|at| values.get(at));
            range.add(value.copied().unwrap_or(0.0));
        });
        let (scale, zero_point) = match p.scheme {
            Scheme::Mxfp => (range.exponent(d.element_type()), 0),
            _ => range.affine(d.element_type(), scale_type, zeros.is_none()),
        };
        let missing = |buffer| ValueError::Parameter { buffer, entry };
        let buffer = buffers.get_mut(slot(p.scale_buffer_index));
        let set = buffer.and_then(|to| element::set_bits(scale_type, to, entry, scale));
        set.ok_or(missing(p.scale_buffer_index))?;
        if let Some(k) = zeros {
            let buffer = buffers.get_mut(slot(k));
            let buffer = buffer.and_then(|buffer| buffer.get_mut(zeros_start?..));
            let set = buffer
                .and_then(|to| element::encode(ElementType::Int32, &[zero_point], entry, to).ok());
            set.ok_or(missing(k))?;
        }
    }
    Ok(())
}

/// Which elements share a parameter (ADDR-21, ADDR-25), by their places in logical order.
struct Groups {
    /// Indices along the axis, and of a group of them; 1 for channels.
    size: u64,
    block: u64,
    /// Groups along the axis; 0 for channels, which all other dimensions share.
    blocks: u64,
    /// Indices of all dimensions in front of the axis, and of all behind it.
    before: u64,
    behind: u64,
}

impl Groups {
    fn new(shape: U64s<'_>, p: &Parameters) -> Self {
        let size = shape.at(p.axis);
        let block = u64::from(p.block_size.max(1));
        let per_channel = p.scheme == Scheme::PerChannelAffine;
        // all of them are in memory
        let product = |axes: core::ops::Range<u32>| {
            axes.fold(1u64, |product, k| product.wrapping_mul(shape.at(k)))
        };
        let rank = crate::wire::length32(shape.len());
        Groups {
            size,
            block: if per_channel { 1 } else { block },
            blocks: if per_channel {
                0
            } else {
                blocks_along(size, p.block_size)
            },
            before: product(0..p.axis),
            behind: product(p.axis.saturating_add(1)..rank),
        }
    }

    fn visit(&self, entry: u64, mut take: impl FnMut(u64)) {
        // of no elements there may be any number of rows
        if self.behind == 0 {
            return;
        }
        let place = |before: u64, along: u64, behind: u64| {
            let row = before.wrapping_mul(self.size).wrapping_add(along);
            row.wrapping_mul(self.behind).wrapping_add(behind)
        };
        if self.blocks == 0 {
            for before in 0..self.before {
                for behind in 0..self.behind {
                    take(place(before, entry, behind));
                }
            }
            return;
        }
        let outer = entry.checked_div(self.blocks).unwrap_or(0);
        let first = entry
            .checked_rem(self.blocks)
            .unwrap_or(0)
            .wrapping_mul(self.block);
        let before = outer.checked_div(self.behind).unwrap_or(0);
        let behind = outer.checked_rem(self.behind).unwrap_or(0);
        for along in first..self.size.min(first.saturating_add(self.block)) {
            take(place(before, along, behind));
        }
    }
}

/// The numbers that share a parameter, and 0.
#[derive(Clone, Copy, Default)]
struct Range {
    low: f32,
    high: f32,
}

impl Range {
    fn add(&mut self, value: f32) {
        self.low = self.low.min(value);
        self.high = self.high.max(value);
    }

    /// The bits of the scale, and the zero point.
    fn affine(&self, codes: ElementType, scales: ElementType, symmetric: bool) -> (u128, i32) {
        let (least, most) = codes.integer_range();
        let (low, high) = (f64::from(self.low), f64::from(self.high));
        let scale = if symmetric {
            // as far below 0 as above it, where there are codes below it
            let most = element::exact_f64(most);
            let below = if least < 0 { -low / most } else { 0.0 };
            below.max(high / most)
        } else {
            // 32-bit codes without a sign are wider than their zero point
            let zeros = most.min(i32::MAX.into()).wrapping_sub(least);
            let span = (high - low) / element::exact_f64(most.wrapping_sub(least));
            span.max(-low / element::exact_f64(zeros))
        };
        let scale = usable(scales, scale);
        let rounded = match element::value(scales, scale) {
            Some(Value::F32(scale)) => f64::from(scale),
            _ => 1.0,
        };
        if symmetric {
            return (scale, 0);
        }
        // 0 has this code; the range holds 0, so it is one
        let zero = element::exact_f64(least) - low / rounded;
        let most = most.min(i32::MAX.into());
        let zero = zero
            .max(element::exact_f64(least))
            .min(element::exact_f64(most));
        let zero = whole((zero + ROUND) - ROUND);
        (scale, i32::try_from(zero).unwrap_or(i32::MAX))
    }

    /// The power of two under which the largest number has the largest exponent of the type, as a
    /// float8_e8m0 byte.
    fn exponent(&self, codes: ElementType) -> u128 {
        let largest = match codes {
            ElementType::Float8E4M3 => 8,
            ElementType::Float8E5M2 => 15,
            ElementType::Float6E3M2 => 4,
            ElementType::Int8 => 6,
            // float6_e2m3, float4_e2m1 and int4
            _ => 2,
        };
        let magnitude = self.high.max(-self.low);
        if magnitude == 0.0 {
            return 127;
        }
        let bits = magnitude.to_bits();
        let exponent = i32::try_from(bits.wrapping_shr(23)).unwrap_or(0);
        // a subnormal number has the exponent of its highest bit
        let below = i32::try_from(bits.leading_zeros().saturating_sub(8)).unwrap_or(0);
        let exponent = if exponent == 0 {
            1i32.wrapping_sub(below)
        } else {
            exponent
        };
        let byte = exponent.wrapping_sub(largest).clamp(1, 254);
        u128::from(byte.unsigned_abs())
    }
}

/// Added to a small number and taken away again, it leaves a whole number: 1.5 x 2^52.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// The bits of the smallest scale that is not below, so that codes reach every number; the largest one
/// where all are. Of 1 for a scale of 0, which any would do for.
fn usable(scales: ElementType, scale: f64) -> u128 {
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let bits = element::nearest(scales, Value::F64(scale)).unwrap_or(0);
    let number = |bits| match element::value(scales, bits) {
        Some(Value::F32(number)) => f64::from(number),
        _ => 1.0,
    };
    // the pattern above is that of the next number, of 0 too
    let above = bits.wrapping_add((number(bits) < scale).into());
    // below infinity is the largest finite number
    above.wrapping_sub(number(above).is_infinite().into())
}
