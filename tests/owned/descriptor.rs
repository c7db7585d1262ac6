//! Owned descriptors against the core: what they hold, take and refuse.

use hrry::owned::descriptor::{CompositeMemberDescriptor, MemberRole};
use hrry::owned::layout::{CompositeLayout, CompositionRule, LayoutDescriptor};
use hrry::owned::{
    BufferHandle, ElementType, Error, ExtensionType, QuantizationDescriptor, Shape,
    TensorDescriptor,
};
use hrry::{Agreements, DescriptorView, ErrorKind, Fields, Policy, Quantization, check, encode_to};
use proptest::prelude::*;

use super::damage::{Damage, KINDS, VALUES, damage};
use super::plain;
use crate::support::bytes;
use crate::support::generate::{LAYOUT_ID, LAYOUTS, Recipe, SCHEME, SCHEMES, valid};
use crate::support::scale::scale;
use crate::support::spec::{Kind, Plain, PlainLayout, PlainScheme, assert_same_fields};
use crate::support::vectors::{self, permissive};

static AGREED: Agreements = {
    let mut agreements = Agreements::NONE;
    agreements.layouts = &[LAYOUT_ID];
    agreements.schemes = &[SCHEME];
    agreements
};

fn agreed(mut policy: Policy) -> Policy {
    policy.agreements = &AGREED;
    policy
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let parts = (any::<u64>(), 0..LAYOUTS, 0..SCHEMES, 0..16u8);
    parts.prop_map(|(seed, layout, scheme, sections)| Recipe {
        seed,
        layout,
        scheme,
        sections,
    })
}

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let one = (0..KINDS, 0..40usize, 0..VALUES.len());
    let one = one.prop_map(|(kind, index, value)| Damage { kind, index, value });
    prop::collection::vec(one, 1..3)
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: (1000 * scale()) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn values_come_back_equal(recipe in recipes()) {
        let plain = valid(recipe);
        let expected = bytes::encode(&plain);
        let policy = agreed(Policy::STRICT);

        let built = plain::builder(&plain).unwrap().build_with(&policy).unwrap();
        prop_assert_eq!(built.view().as_bytes(), &expected[..]);
        plain.lend(Kind::Native, |spec| {
            assert_same_fields(&built, spec, "built");
            assert_eq!(TensorDescriptor::from_fields(spec, &policy).unwrap(), built);
        });

        let (read, rest) = TensorDescriptor::decode(&expected, &policy).unwrap();
        prop_assert!(rest.is_empty());
        prop_assert_eq!(&read, &built);
        let again = read.to_builder().build_with(&policy).unwrap();
        prop_assert_eq!(again.view().as_bytes(), &expected[..]);
    }

    #[test]
    fn builders_refuse_what_the_core_refuses(recipe in recipes(), damages in damages()) {
        let mut plain = valid(recipe);
        damages.into_iter().for_each(|d| damage(&mut plain, d));
        for policy in [Policy::STRICT, Policy::PERMISSIVE].map(agreed) {
            let expected = plain.lend(Kind::Native, |spec| {
                encode_to(spec, &mut Vec::new(), &policy).map_err(Error::from)
            });
            let owned = plain::builder(&plain).and_then(|builder| builder.build_with(&policy));
            match (owned, expected) {
                (Ok(owned), Ok(_)) => {
                    let bytes = bytes::encode(&plain);
                    prop_assert_eq!(owned.view().as_bytes(), &bytes[..]);
                }
                (owned, expected) => {
                    prop_assert_eq!(owned.err(), expected.err());
                }
            }
        }
    }
}

#[test]
fn vectors_are_read_as_by_the_core() {
    let mut accepted = 0;
    let mut refused = 0;
    for vector in vectors::descriptors() {
        for policy in [vector.policy, permissive(&vector.policy)] {
            let name = &vector.id;
            let owned = TensorDescriptor::decode(&vector.bytes, &policy);
            match DescriptorView::parse(&vector.bytes, &policy) {
                Ok((view, _)) => {
                    let (owned, _) = owned.unwrap();
                    assert_same_fields(&owned, &view, name);
                    assert_eq!(owned.view().as_bytes(), view.as_bytes(), "{name}");
                    let rebuilt = owned.to_builder().build_with(&policy);
                    if view.is_opaque() {
                        // nobody could find what stands behind an unknown layout
                        let rule = rebuilt.unwrap_err().rule().unwrap();
                        assert_eq!(rule.id(), "LAYOUT-02", "{name}");
                    } else {
                        assert_eq!(rebuilt.unwrap(), owned, "{name}");
                    }
                    accepted += 1;
                }
                Err(error) => {
                    assert_eq!(owned.unwrap_err(), Error::Format(error), "{name}");
                    refused += 1;
                }
            }
        }
    }
    assert!(accepted > 100 && refused > 100, "{accepted}, {refused}");
}

fn shape(dimensions: &[u64]) -> Shape {
    Shape::new(dimensions).unwrap()
}

fn rule(error: &Error) -> &'static str {
    error.rule().map_or("none", |rule| rule.id())
}

/// Four bytes in one buffer, of a version.
fn of_version(major: u8, minor: u8) -> Result<TensorDescriptor, Error> {
    TensorDescriptor::new(
        major,
        minor,
        ElementType::UInt8,
        shape(&[4]),
        0,
        LayoutDescriptor::RowMajor,
        vec![BufferHandle::cpu(4, 64)],
        None,
        None,
        None,
        None,
    )
}

#[test]
fn versions() {
    let plain = of_version(1, 0).unwrap();
    let later = of_version(1, 3).unwrap();
    assert_eq!((plain.version(), later.version()), ((1, 0), (1, 3)));
    assert_eq!(plain, later);
    assert_eq!(later.to_builder().build().unwrap().version(), (1, 3));
    // bytes 4 and 5 of the header
    assert_eq!(later.view().as_bytes()[4..6], [1, 3]);
    assert_eq!(later.encode_to_vec(), plain.encode_to_vec());
    assert_eq!(rule(&of_version(2, 0).unwrap_err()), "VER-01");
    assert_eq!(rule(&of_version(0, 9).unwrap_err()), "VER-02");
}

#[test]
fn what_a_later_version_added_is_read_and_not_compared() {
    let plain = of_version(1, 0).unwrap();
    let mut bytes = plain.encode_to_vec().unwrap();
    bytes.extend([0xAA; 5]);
    bytes[5] = 1;
    let len = bytes.len() as u32;
    bytes[6..10].copy_from_slice(&len.to_le_bytes());
    let (read, rest) = TensorDescriptor::decode(&bytes, &Policy::STRICT).unwrap();
    assert_eq!((rest.len(), read.view().tail()), (0, &[0xAA; 5][..]));
    assert_eq!(read, plain);
    assert_eq!(read.encode_to_vec(), plain.encode_to_vec());
}

#[test]
fn every_value_counts_in_a_comparison() {
    let recipe = |seed| Recipe {
        seed,
        layout: 2,
        scheme: 2,
        sections: 11,
    };
    let base = valid(recipe(1));
    let built = |plain: &Plain| plain::builder(plain).unwrap().build().unwrap();
    let mut others = vec![base.clone(); 8];
    others[0].byte_offset += 1;
    others[0].buffers[0].byte_size += 1;
    others[1].buffers[0].byte_size += 1;
    others[2].quantization = Some(PlainScheme::Known(Quantization::per_tensor(1.0.into(), 0)));
    others[2].buffers.truncate(1);
    others[3].shard.as_mut().unwrap()[0][0] += 1;
    others[4].statistics.as_mut().unwrap().value_max.0 ^= 1;
    others[5].member_role = Some(1 - base.member_role.unwrap());
    others[6].shard = None;
    others[7].statistics = None;
    for (k, other) in others.iter().enumerate() {
        assert_ne!(built(other), built(&base), "{k}");
    }
    assert_eq!(built(&base), built(&base.clone()));

    let column_major = base.clone().with_layout(PlainLayout::ColumnMajor);
    let mut row_major = column_major.clone();
    row_major.layout = PlainLayout::RowMajor;
    assert_ne!(built(&column_major), built(&row_major));
    let private = |bias| {
        let mut plain = Plain::new(ElementType(0xF0), &[1], &[2]);
        plain.extension_type = Some(ExtensionType {
            bit_width: 16,
            packing_factor: 1,
            is_float: 1,
            is_signed: 0,
            sign_bits: 1,
            exponent_bits: 8,
            mantissa_bits: 7,
            exponent_bias: bias,
            has_nan: 1,
            has_inf: 1,
        });
        built(&plain)
    };
    assert_eq!(private(127), private(127));
    assert_ne!(private(127), private(126));
}

#[test]
fn member_sections() {
    let base = CompositeMemberDescriptor::new(MemberRole::Base);
    let head = CompositeLayout::new(CompositionRule::Group, 0).unwrap();
    let head = TensorDescriptor::builder(ElementType::UInt8, shape(&[1]))
        .layout(LayoutDescriptor::Composite(head))
        .build()
        .unwrap();
    let error = head.try_with_composite_member(base).unwrap_err();
    assert_eq!(rule(&error), "COMP-04");
    assert_eq!(head.clone().with_composite_member(base), head);

    let tensor = of_version(1, 2).unwrap();
    let strange = CompositeMemberDescriptor::new(MemberRole(7));
    let error = tensor.try_with_composite_member(strange).unwrap_err();
    assert_eq!(rule(&error), "MEMBER-01");
    assert_eq!(tensor.clone().with_composite_member(strange), tensor);

    let member = tensor.with_composite_member(base);
    assert_eq!(member.member_role(), Some(MemberRole::Base));
    assert_eq!(member.version(), (1, 2));
    // a second one takes the place of the first
    let correction = CompositeMemberDescriptor::new(MemberRole::Correction);
    let member = member.with_composite_member(correction);
    assert_eq!(member.member_role(), Some(MemberRole::Correction));
}

#[test]
fn member_sections_need_no_agreement_again() {
    let recipe = Recipe {
        seed: 5,
        layout: LAYOUTS - 1,
        scheme: 6,
        sections: 0,
    };
    let mut plain = valid(recipe);
    let policy = agreed(Policy::STRICT);
    let tensor = plain::builder(&plain).unwrap().build_with(&policy).unwrap();
    let member = CompositeMemberDescriptor::new(MemberRole::Base);
    let member = tensor.try_with_composite_member(member).unwrap();
    plain.member_role = Some(1);
    assert_eq!(member.view().as_bytes(), bytes::encode(&plain));
    assert_eq!(rule(&tensor.encode_to_vec().unwrap_err()), "LAYOUT-04");
}

#[test]
fn schemes_go_through_bytes() {
    for scheme in 1..SCHEMES {
        for seed in 0..20 {
            let plain = valid(Recipe {
                seed,
                layout: 1,
                scheme,
                sections: 0,
            });
            if plain.quantization.is_none() {
                continue;
            }
            let policy = agreed(Policy::STRICT);
            let bytes = bytes::encode(&plain);
            let (tensor, _) = TensorDescriptor::decode(&bytes, &policy).unwrap();
            let scheme = QuantizationDescriptor::from(tensor.quantization().unwrap());
            // the last section, behind its length
            let section = scheme.encode_to_vec();
            assert!(bytes.ends_with(&section));
            let length = (section.len() as u32).to_le_bytes();
            assert_eq!(bytes[bytes.len() - section.len() - 4..][..4], length);
            assert_eq!(QuantizationDescriptor::decode(&section), Ok(scheme));

            let whole = TensorDescriptor::new(
                1,
                0,
                tensor.element_type(),
                tensor.shape().into(),
                tensor.byte_offset(),
                tensor.layout().into(),
                tensor.buffers().collect(),
                Some(section),
                None,
                None,
                None,
            );
            match tensor.quantization().unwrap() {
                Quantization::Other { .. } => assert_eq!(rule(&whole.unwrap_err()), "QUANT-05"),
                _ => assert_eq!(whole.unwrap(), tensor),
            }
        }
    }
}

#[test]
fn scheme_bytes_are_judged() {
    let per_tensor = [1, 1, 0, 0, 0, 0, 128, 63, 0, 0, 0, 0, 0, 0, 0, 0];
    let decode = QuantizationDescriptor::decode;
    assert!(decode(&per_tensor).is_ok());
    // padding is legal
    assert_eq!(
        decode(&[&per_tensor[..], &[9; 3]].concat()),
        decode(&per_tensor)
    );
    assert_eq!(rule(&decode(&[]).unwrap_err()), "QUANT-01");
    assert_eq!(rule(&decode(&per_tensor[..3]).unwrap_err()), "QUANT-01");
    assert_eq!(rule(&decode(&per_tensor[..15]).unwrap_err()), "QUANT-02");
    let mut bytes = per_tensor;
    bytes[1] = 2;
    assert_eq!(rule(&decode(&bytes).unwrap_err()), "QUANT-06");
    let mut bytes = per_tensor;
    bytes[15] = 1;
    assert_eq!(rule(&decode(&bytes).unwrap_err()), "QUANT-11");
}

#[test]
fn refusals_are_those_of_the_check() {
    let spec = hrry::DescriptorSpec::new(ElementType::UInt8, &[4], hrry::Layout::RowMajor, &[]);
    let violation = check::descriptor(&spec, &Policy::STRICT).unwrap_err();
    let built = TensorDescriptor::builder(ElementType::UInt8, shape(&[4])).build();
    assert_eq!(
        built.unwrap_err(),
        Error::Refused(ErrorKind::Rule(violation))
    );
}
