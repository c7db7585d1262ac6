//! `quantize` and `choose_per_tensor`: what they choose, how near it is, and what they refuse.

mod examples;
mod refusals;

use hrry::{
    ElementType, Fields, Quantization, SubBox, ValueError, choose_per_tensor, quantize, read_values,
};

use super::model::{
    Case, LAYOUTS, dense, put_bits, scheme_of, small_shape, storage, value, whole_range,
};
use super::support::scale::{Rng, scale};
use super::support::spec::PlainScheme;

/// A tensor of a dense layout with room for the parameters of a scheme.
fn tensor(layout: usize, scheme: usize, element_type: ElementType, rng: &mut Rng) -> Case {
    let mut shape = small_shape(1 + rng.below(if scheme == 5 { 2 } else { 3 }), rng);
    match scheme {
        3 => shape.iter_mut().for_each(|size| *size += 3),
        5 => {
            let along = rng.below(shape.len());
            shape[along] *= 16;
        }
        _ => {}
    }
    scheme_of(dense(layout, element_type, &shape, rng), scheme, rng)
}

fn data(kind: usize, len: usize, rng: &mut Rng) -> Vec<f32> {
    let any = |rng: &mut Rng| loop {
        let x = f32::from_bits(rng.next() as u32);
        if x.is_finite() {
            return x;
        }
    };
    let mild = |rng: &mut Rng| (rng.below(8001) as f32 - 4000.0) / 512.0;
    let one = |rng: &mut Rng| match kind {
        0 => mild(rng),
        1 => 0.0,
        2 => any(rng),
        // subnormal numbers
        3 => f32::from_bits(rng.below(0x2000) as u32 | (rng.next() as u32 & 0x8000_0000)),
        4 => mild(rng).signum() * f32::MAX,
        5 => mild(rng).abs() + 100.0,
        6 => -mild(rng).abs() * 1e30,
        _ => [0.0, mild(rng) * 1e-6][rng.below(2)],
    };
    (0..len).map(|_| one(rng)).collect()
}

/// Scale, zero point and code of an element, read by the model.
fn parts(case: &Case, at: usize) -> (f64, f64, f64) {
    let code = case.bits(at);
    let of = case.element_type();
    let (low, _) = whole_range(of);
    let number = if low < 0 && code >> (of.bits() - 1) == 1 {
        code as f64 - 2f64.powi(of.bits() as i32)
    } else {
        code as f64
    };
    let (scale, zero_point) = case.parameter(at);
    (scale.into(), zero_point.into(), number)
}

#[test]
fn affine_codes_are_the_nearest_and_their_parameters_legal() {
    let mut rng = Rng(30);
    for _ in 0..scale().min(50) {
        for layout in 0..LAYOUTS {
            for scheme in 1..=3 {
                for element_type in storage(scheme) {
                    let kind = rng.below(8);
                    let case = tensor(layout, scheme, *element_type, &mut rng);
                    affine(case, kind, &mut rng);
                }
            }
        }
    }
}

fn affine(mut case: Case, kind: usize, rng: &mut Rng) {
    let numbers = data(kind, case.places.len(), rng);
    let of = case.element_type();
    if matches!(
        &case.plain.quantization,
        Some(PlainScheme::Known(Quantization::PerTensor { .. }))
    ) {
        let chosen = choose_per_tensor(of, &numbers).unwrap();
        case.plain.quantization = Some(PlainScheme::Known(chosen));
    }
    let before = case.buffers.clone();
    store(&mut case, &numbers).unwrap();
    untouched(&case, &before);
    let (least, most) = whole_range(of);
    let back = read(&case);
    for (at, x) in numbers.iter().enumerate() {
        let (scale, zero_point, code) = parts(&case, at);
        let told = || {
            format!(
                "{x} as {code} x {scale}, {zero_point}: {} {:?}",
                back[at], case.plain
            )
        };
        assert!(scale.is_finite() && scale > 0.0, "{}", told());
        assert!(
            least as f64 <= zero_point && zero_point <= most as f64,
            "{}",
            told()
        );
        assert_eq!(back[at].to_bits(), case.number(at).to_bits());
        assert!(back[at].is_finite(), "{}", told());
        let unsigned = least == 0 && case.is_symmetric();
        if unsigned && *x < 0.0 {
            // there are no codes for it
            assert_eq!(code, 0.0);
            continue;
        }
        // half a code, and what float32 rounds: the quotient before, difference and product after
        let step = f64::from(*x).abs() * 2f64.powi(-22) + f64::from(f32::from_bits(1));
        let mut allowed = scale / 2.0 + step;
        let scales = case.scale_type();
        if scales != ElementType::Float32 && scale >= largest(scales) {
            continue;
        }
        if f64::from(*x).abs() + scale / 2.0 >= f64::from(f32::MAX) {
            // not the nearest one, which is infinite
            allowed += scale / 2.0;
        }
        let error = (f64::from(back[at]) - f64::from(*x)).abs();
        assert!(error <= allowed, "{error} > {allowed}: {}", told());
        if *x == 0.0 {
            assert_eq!(back[at], 0.0, "{}", told());
        }
    }
}

fn largest(of: ElementType) -> f64 {
    match of {
        ElementType::Float16 => 65504.0,
        _ => f64::from(f32::from_bits(0x7F7F_0000)),
    }
}

fn store(case: &mut Case, numbers: &[f32]) -> Result<(), ValueError> {
    let mut buffers = std::mem::take(&mut case.buffers);
    let mut slices: Vec<&mut [u8]> = buffers.iter_mut().map(|buffer| &mut buffer[..]).collect();
    let done = case.lend(|spec| quantize(spec, numbers, &mut slices));
    case.buffers = buffers;
    done
}

fn read(case: &Case) -> Vec<f32> {
    let mut out = vec![0.0f32; case.places.len()];
    let slices = case.slices();
    let read = |spec: &hrry::DescriptorSpec<'_>| {
        read_values(spec, &slices, SubBox::whole(spec.shape()), &mut out).unwrap();
    };
    case.lend(read);
    out
}

/// Requires everything in the first buffer but the codes to be what it was.
fn untouched(case: &Case, before: &[Vec<u8>]) {
    let mut expected = before[0].clone();
    for (at, place) in case.places.iter().enumerate() {
        let (offset, place) = (case.plain.byte_offset, place.unwrap());
        put_bits(&mut expected, offset, place, case.width(), case.bits(at));
    }
    assert!(case.buffers[0] == expected, "{:?}", case.plain);
}

#[test]
fn mxfp_codes_are_the_nearest_under_the_largest_exponent() {
    let mut rng = Rng(31);
    for _ in 0..scale().min(50) {
        for layout in 0..LAYOUTS {
            for element_type in storage(5) {
                for kind in [0, 1, 2, 3, 4, 7] {
                    let mut case = tensor(layout, 5, *element_type, &mut rng);
                    let numbers = data(kind, case.places.len(), &mut rng);
                    let before = case.buffers.clone();
                    store(&mut case, &numbers).unwrap();
                    untouched(&case, &before);
                    mxfp(&case, &numbers);
                }
            }
        }
    }
}

fn mxfp(case: &Case, numbers: &[f32]) {
    let of = case.element_type();
    let codes: Vec<f32> = (0..1u128 << of.bits())
        .map(|code| value(of, code))
        .collect();
    let finite = || codes.iter().copied().filter(|code| code.is_finite());
    let most = finite().fold(0.0, f32::max);
    // largest exponent of a number of the type; of the integers, what is left of their range
    let emax = most.log2().floor() as i32;
    let (back, blocks) = (read(case), case.entries());
    for (at, x) in numbers.iter().enumerate() {
        let (scale, _) = case.parameter(at);
        let block = blocks
            .iter()
            .zip(numbers)
            .filter(|(block, _)| **block == blocks[at]);
        let largest = block.map(|(_, x)| x.abs()).fold(0.0, f32::max);
        let wanted = match largest {
            0.0 => 0,
            _ => (f64::from(largest).log2().floor() as i32 - emax).clamp(-126, 127),
        };
        assert_eq!(f64::from(scale), 2f64.powi(wanted), "{largest} {of:?}");
        assert_eq!(back[at].to_bits(), case.number(at).to_bits());
        let scaled = f64::from(*x) / f64::from(scale);
        let nearest = finite()
            .filter(|code| (code * scale).is_finite())
            .map(|code| (f64::from(code) - scaled).abs())
            .fold(f64::INFINITY, f64::min);
        let code = f64::from(value(of, case.bits(at)));
        // a quotient below float32 is rounded on the way, far below half of the smallest code
        assert!(
            (code - scaled).abs() <= nearest + 1e-30,
            "{x}: {code}, {scaled} {of:?}"
        );
    }
}
