//! What is refused.

use hrry::{
    AddressError, BufferHandle, DescriptorSpec, ElementType, Layout, LayoutTag, Quantization,
    Scheme, ValueError, choose_per_tensor, quantize,
};

use super::super::model::{LAYOUTS, SPARSE, dense, scheme_of, sparse, storage};
use super::super::support::scale::Rng;
use super::{store, tensor};

#[test]
fn numbers_that_are_not_finite_are_refused_where_they_stand() {
    let mut rng = Rng(32);
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        for scheme in [1, 2, 3, 5] {
            for layout in 0..LAYOUTS {
                let of = storage(scheme)[rng.below(storage(scheme).len())];
                let mut case = tensor(layout, scheme, of, &mut rng);
                let mut numbers = vec![1.0; case.places.len()];
                let at = rng.below(numbers.len());
                numbers[at] = x;
                *numbers.last_mut().unwrap() = x;
                let index = at as u64;
                let before = case.buffers.clone();
                let refused = Err(ValueError::NotFinite { index });
                assert_eq!(store(&mut case, &numbers), refused);
                assert!(case.buffers == before, "nothing is written");
            }
        }
        let refused = choose_per_tensor(ElementType::Int8, &[1.0, x, x]);
        assert_eq!(refused, Err(ValueError::NotFinite { index: 1 }));
    }
}

#[test]
fn what_has_no_codes_is_refused() {
    let mut rng = Rng(33);
    for (layout, tag) in [
        (0, LayoutTag::Coo),
        (2, LayoutTag::Csr),
        (3, LayoutTag::Csc),
        (4, LayoutTag::Csf),
        (5, LayoutTag::BlockPaged),
    ] {
        assert!(layout < SPARSE);
        let shape = if layout < 4 {
            vec![2, 3]
        } else {
            vec![2, 3, 2]
        };
        let case = sparse(layout, ElementType::Int8, &shape, &mut rng);
        let mut case = scheme_of(case, 1, &mut rng);
        let numbers = vec![0.0; case.places.len()];
        let refused = Err(AddressError::Layout(tag).into());
        assert_eq!(store(&mut case, &numbers), refused);
    }
    let mut plain = tensor(0, 0, ElementType::Int8, &mut rng);
    let numbers = vec![0.0; plain.places.len()];
    assert_eq!(store(&mut plain, &numbers), Err(ValueError::NotQuantized));
    let nf4 = scheme_of(dense(0, ElementType::UInt4, &[8], &mut rng), 4, &mut rng);
    assert_eq!(
        store(&mut nf4.clone(), &[0.0; 8]),
        Err(ValueError::Scheme(Scheme::Nf4))
    );
    for of in ElementType::ASSIGNED {
        let chosen = choose_per_tensor(*of, &[1.0]);
        let affine = storage(1).contains(of);
        assert_eq!(chosen.is_ok(), affine, "{of:?}");
        let buffers = [BufferHandle::cpu(16, 64)];
        let stated = DescriptorSpec {
            quantization: Some(Quantization::per_tensor(1.0f32.into(), 0)),
            ..DescriptorSpec::new(*of, &[1], Layout::RowMajor, &buffers)
        };
        let mut codes = [0; 16];
        let stored = quantize(&stated, &[1.0], &mut [&mut codes]);
        let refused = Err(ValueError::Scheme(Scheme::PerTensorAffine));
        assert_eq!(stored, if affine { Ok(()) } else { refused }, "{of:?}");
    }

    let mut case = tensor(1, 3, ElementType::UInt4, &mut rng);
    let count = case.places.len();
    let length = |given: usize| {
        Err(ValueError::Values {
            given: given as u64,
            elements: count as u64,
        })
    };
    assert_eq!(store(&mut case, &vec![0.0; count + 1]), length(count + 1));
    assert_eq!(store(&mut case, &[]), length(0));
}

#[test]
fn what_no_reader_takes_is_not_written() {
    let buffers = [BufferHandle::cpu(2, 64)];
    let mut codes = [0; 2];
    let mut stored = |scale: f32, zero_point| {
        let spec = DescriptorSpec {
            quantization: Some(Quantization::per_tensor(scale.into(), zero_point)),
            ..DescriptorSpec::new(ElementType::Int8, &[2], Layout::RowMajor, &buffers)
        };
        match quantize(&spec, &[1.0, -1.0], &mut [&mut codes]) {
            Ok(()) => None,
            Err(ValueError::Refused(violation)) => Some(violation.rule.id()),
            Err(error) => panic!("{error}"),
        }
    };
    assert_eq!(stored(0.5, 127), None);
    for scale in [0.0, -0.0, f32::NAN, f32::INFINITY] {
        assert_eq!(stored(scale, 0), Some("QUANT-09"));
    }
    assert_eq!(stored(1.0, 128), Some("QUANT-10"));
    assert_eq!(stored(1.0, -129), Some("QUANT-10"));
}

#[test]
fn buffers_that_end_early_are_refused() {
    let mut rng = Rng(34);
    for layout in 0..LAYOUTS {
        for scheme in [1, 2, 3, 5] {
            let case = tensor(layout, scheme, storage(scheme)[0], &mut rng);
            let numbers = vec![1.0; case.places.len()];
            for k in 0..case.buffers.len() {
                let mut short = case.clone();
                // data buffers may be longer than they need to be
                let cut = if k == 0 {
                    case.plain.byte_offset as usize
                } else {
                    case.buffers[k].len() - 1
                };
                short.buffers[k].truncate(cut);
                let refused = store(&mut short, &numbers).unwrap_err();
                let named = match refused {
                    ValueError::Parameter { buffer, .. } => buffer as usize == k,
                    ValueError::Element(_) => k == 0,
                    _ => false,
                };
                assert!(named, "{refused:?} {k} {:?}", case.plain);
                short.buffers.truncate(k);
                assert!(store(&mut short, &numbers).is_err());
            }
        }
    }
}
