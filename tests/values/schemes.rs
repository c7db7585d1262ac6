//! What `read_values` and `read_stored` say of tensors of every layout and scheme, box by box, against the
//! model.

use hrry::{Scheme, ValueError, element, read_stored, read_values};

use super::model::{
    Case, LAYOUTS, SCHEMES, SPARSE, boxes, dense, inside, packed, part, put_bits, scheme_of,
    small_shape, some_box, sparse, storage,
};
use super::support::scale::{Rng, scale};

/// A tensor of every kind of layout, by number.
fn tensor(layout: usize, scheme: usize, rng: &mut Rng) -> Case {
    let types = storage(scheme);
    let element_type = types[rng.below(types.len())];
    let mut shape = match layout {
        _ if layout == LAYOUTS + 2 || layout == LAYOUTS + 3 => small_shape(2, rng),
        _ if layout > LAYOUTS + 3 => small_shape(3, rng),
        _ => {
            let rank = 1 + rng.below(3);
            small_shape(rank, rng)
        }
    };
    match (scheme, layout) {
        (4 | 5, 6) => shape = vec![16, 16],
        (3, 6) => shape = vec![4; 1 + shape.len().min(2)],
        (_, 6) => shape = vec![2; 1 + shape.len().min(2)],
        // at least a block; the last one is often a part
        (3, _) => shape.iter_mut().for_each(|size| *size = (*size + 3).min(5)),
        (4, _) => shape.iter_mut().for_each(|size| *size += 7),
        (5, _) => shape
            .iter_mut()
            .for_each(|size| *size = 16 * (1 + *size / 4)),
        _ => {}
    }
    if scheme >= 4 && shape.len() > 2 {
        // a block along any dimension, but not too many elements
        let along = rng.below(shape.len());
        let narrow = |k| if k == along { 16 } else { 2 };
        shape = (0..shape.len()).map(narrow).collect();
    }
    let case = match layout.checked_sub(LAYOUTS) {
        None => dense(layout, element_type, &shape, rng),
        Some(layout) => sparse(layout, element_type, &shape, rng),
    };
    scheme_of(case, scheme, rng)
}

/// Compares one box.
fn compare(case: &Case, of: &[Vec<u64>; 2]) {
    let slices = case.slices();
    let at = inside(&case.plain.shape, of);
    let width = case.width();
    let mut stored = vec![0xA5; packed(at.len() as u64, width) as usize];
    let mut expected = vec![0; stored.len()];
    for (k, at) in at.iter().enumerate() {
        put_bits(&mut expected, 0, k as i64, width, case.bits(*at));
    }
    case.lend(|spec| read_stored(spec, &slices, part(of), &mut stored).unwrap());
    assert!(stored == expected, "{of:?} {:?}", case.plain);
    if case.plain.quantization.is_none() {
        return;
    }
    let expected: Vec<u32> = at.iter().map(|at| case.number(*at).to_bits()).collect();
    let mut out = vec![1.5f32; at.len()];
    case.lend(|spec| read_values(spec, &slices, part(of), &mut out).unwrap());
    let wrong = (0..at.len()).find(|k| out[*k].to_bits() != expected[*k]);
    if let Some(k) = wrong {
        let expected = f32::from_bits(expected[k]);
        panic!(
            "{of:?}: element {k} is {}, not {expected}: {:?}",
            out[k], case.plain
        );
    }
    let mut wide = vec![1.5f64; at.len()];
    case.lend(|spec| read_values(spec, &slices, part(of), &mut wide).unwrap());
    for (wide, bits) in wide.iter().zip(expected) {
        let number = f32::from_bits(bits);
        let same =
            wide.to_bits() == f64::from(number).to_bits() || number.is_nan() && wide.is_nan();
        assert!(same, "{wide} {number} {:?}", case.plain);
    }
}

#[test]
fn every_box_of_small_tensors_and_some_of_larger_ones() {
    let mut rng = Rng(20);
    for round in 0..3 * scale().min(40) {
        for layout in 0..LAYOUTS + SPARSE {
            for scheme in 0..SCHEMES {
                let paged = layout == LAYOUTS + SPARSE - 1;
                if paged && scheme > 3 {
                    continue;
                }
                let case = tensor(layout, scheme, &mut rng);
                let shape = &case.plain.shape;
                let whole = [vec![0; shape.len()], shape.clone()];
                compare(&case, &whole);
                let elements: u64 = shape.iter().product();
                if elements <= 12 && round < 3 {
                    for of in boxes(shape) {
                        compare(&case, &of);
                    }
                } else if elements <= 300 {
                    for _ in 0..4 {
                        compare(&case, &some_box(shape, &mut rng));
                    }
                }
            }
        }
    }
}

#[test]
fn the_model_reads_what_the_strict_parser_accepts() {
    let mut rng = Rng(21);
    for layout in 0..LAYOUTS + SPARSE {
        for scheme in 0..SCHEMES {
            let paged = layout == LAYOUTS + SPARSE - 1;
            if paged && scheme > 3 {
                continue;
            }
            let case = tensor(layout, scheme, &mut rng);
            let policy = hrry::Policy::STRICT;
            let mut bytes = vec![0; 4096];
            let len = case.lend(|spec| hrry::encode(spec, &mut bytes, &policy));
            let len = len.unwrap_or_else(|error| panic!("{error:?} {:?}", case.plain));
            let (view, _) = hrry::DescriptorView::parse(&bytes[..len], &policy).unwrap();
            assert_eq!(view.shape().iter().collect::<Vec<_>>(), case.plain.shape);
        }
    }
}

#[test]
fn elements_of_unquantized_tensors_are_those_of_their_type() {
    let mut rng = Rng(22);
    for layout in 0..LAYOUTS + SPARSE {
        for _ in 0..8 * scale().min(20) {
            let case = tensor(layout, 0, &mut rng);
            let shape = case.plain.shape.clone();
            let of = some_box(&shape, &mut rng);
            let slices = case.slices();
            let at = inside(&shape, &of);
            let expected: Option<Vec<element::Value>> = at
                .iter()
                .map(|at| element::value(case.element_type(), case.bits(*at)))
                .collect();
            let mut out = vec![0.0f64; at.len()];
            let read = case.lend(|spec| read_values(spec, &slices, part(&of), &mut out));
            let complex = matches!(case.plain.element_type, 0x50 | 0x51);
            let Some(expected) = expected.filter(|_| !complex) else {
                // float8_e8m0 has codes without a value; sparse zeros of it are numbers
                assert!(
                    complex && (read.is_err() || at.is_empty()) || case.plain.element_type == 0x42
                );
                continue;
            };
            read.unwrap();
            for (out, value) in out.iter().zip(expected) {
                let value = match value {
                    element::Value::Bool(bit) => f64::from(u8::from(bit)),
                    element::Value::Int(n) => n as f64,
                    element::Value::UInt(n) => n as f64,
                    element::Value::F32(x) => f64::from(x),
                    element::Value::F64(x) => x,
                    other => panic!("{other:?}"),
                };
                assert!(value.to_bits() == out.to_bits() || value.is_nan() && out.is_nan());
            }
        }
    }
}

#[test]
fn blocks_of_pages_have_no_numbers_in_other_schemes() {
    let mut rng = Rng(23);
    for (scheme, tag) in [(4, Scheme::Nf4), (5, Scheme::Mxfp)] {
        let case = sparse(5, storage(scheme)[0], &[16, 16, 16], &mut rng);
        let case = scheme_of(case, scheme, &mut rng);
        let of = [vec![0; 3], vec![1, 1, 1]];
        let slices = case.slices();
        let read = case.lend(|spec| read_values(spec, &slices, part(&of), &mut [0.0f32]));
        assert_eq!(read, Err(ValueError::Scheme(tag)));
    }
}
