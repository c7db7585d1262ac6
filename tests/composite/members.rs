//! The rules of members, one by one: what breaks them, what does not, and that a refused member leaves
//! everything as it was.

use crate::support::{Tile, head, member, plain, tile};
use hrry::{
    BlockPaged, BlockTableIndexType, CombineOp, CompositionRule, DescriptorSpec, ElementType,
    ErrorKind, ExtensionType, F32Bits, Field, FixedComposite, KvRole, Layout, MemberRole, Outcome,
    Policy, Quantization, Rule, Shard, Violation,
};

const SHAPE: [u64; 2] = [4, 6];
const PRIVATE: ElementType = ElementType(0xF3);

fn opened(head: &DescriptorSpec<'_>) -> FixedComposite<256> {
    let mut validator = FixedComposite::new(Policy::STRICT);
    validator.begin(head).unwrap();
    validator.end().unwrap();
    validator
}

fn refused(
    validator: &mut FixedComposite<256>,
    d: &DescriptorSpec<'_>,
    rule: Rule,
    field: Field,
    index: u32,
) {
    let violation = Violation { rule, field, index };
    let error = validator.begin(d).expect_err(rule.id());
    assert_eq!(error.kind, ErrorKind::Rule(violation));
}

/// Ends the composite with one more member, which must be its last.
fn closes(validator: FixedComposite<256>, d: &DescriptorSpec<'_>) {
    closes_levels(validator, d, 1);
}

fn closes_levels(mut validator: FixedComposite<256>, d: &DescriptorSpec<'_>, count: u8) {
    validator.begin(d).unwrap();
    let Outcome::Closed {
        levels, complete, ..
    } = validator.end().unwrap()
    else {
        panic!("not closed by {d:?}");
    };
    assert_eq!((levels, complete), (count, Ok(())));
    validator.finish().unwrap();
}

fn whole() -> Tile {
    tile([0, 0], SHAPE)
}

fn extension() -> ExtensionType {
    ExtensionType {
        bit_width: 16,
        packing_factor: 1,
        is_float: 1,
        is_signed: 0,
        sign_bits: 1,
        exponent_bits: 7,
        mantissa_bits: 8,
        exponent_bias: 63,
        has_nan: 1,
        has_inf: 1,
    }
}

fn quantized<'a>(d: DescriptorSpec<'a>) -> DescriptorSpec<'a> {
    DescriptorSpec {
        element_type: ElementType::Int4,
        quantization: Some(Quantization::per_tensor(F32Bits::from(0.5), 0)),
        ..d
    }
}

const SPATIAL: [CompositionRule; 2] = [CompositionRule::Partition, CompositionRule::Overlay];

/// A member that fits a partition or an overlay as its first.
fn first<'a>(rule: CompositionRule, tile: &'a Tile) -> DescriptorSpec<'a> {
    let base = rule == CompositionRule::Overlay;
    DescriptorSpec {
        member_role: base.then_some(MemberRole::Base),
        ..member(&SHAPE, tile)
    }
}

#[test]
fn comp_23_a_member_has_the_type_of_its_head() {
    let whole = whole();
    for rule in SPATIAL {
        let good = first(rule, &whole);
        let mut validator = opened(&head(&SHAPE, rule, 1));
        for element_type in [ElementType::Float64, ElementType::Int32, PRIVATE] {
            let bad = DescriptorSpec {
                element_type,
                ..good
            };
            refused(&mut validator, &bad, Rule::MemberType, Field::TypeTag, 0);
        }
        closes(validator, &good);
    }
}

#[test]
fn comp_24_a_quantized_member_belongs_to_a_floating_point_head() {
    let whole = whole();
    for rule in SPATIAL {
        let good = quantized(first(rule, &whole));
        for element_type in [
            ElementType::Float16,
            ElementType::BFloat16,
            ElementType::Float64,
        ] {
            closes(
                opened(&DescriptorSpec {
                    element_type,
                    ..head(&SHAPE, rule, 1)
                }),
                &good,
            );
        }
        let others = [
            ElementType::Int4,
            ElementType::Int32,
            ElementType::UInt8,
            ElementType::Bool,
            ElementType::Complex64,
            ElementType::Float8E8M0,
        ];
        for element_type in others {
            let head = DescriptorSpec {
                element_type,
                ..head(&SHAPE, rule, 1)
            };
            let bad = Rule::QuantizedMemberType;
            refused(&mut opened(&head), &good, bad, Field::TypeTag, 0);
        }
        let private = |is_float| DescriptorSpec {
            element_type: PRIVATE,
            extension_type: Some(ExtensionType {
                is_float,
                ..extension()
            }),
            ..head(&SHAPE, rule, 1)
        };
        closes(opened(&private(1)), &good);
        let integers = &mut opened(&private(0));
        refused(
            integers,
            &good,
            Rule::QuantizedMemberType,
            Field::TypeTag,
            0,
        );
    }
}

#[test]
fn comp_25_a_nested_head_has_the_type_of_the_outer_one() {
    let whole = whole();
    let nested = DescriptorSpec {
        shard: member(&SHAPE, &whole).shard,
        ..head(&SHAPE, CompositionRule::Group, 0)
    };
    let mut validator = opened(&head(&SHAPE, CompositionRule::Partition, 1));
    let bad = DescriptorSpec {
        element_type: ElementType::Float16,
        ..nested
    };
    refused(&mut validator, &bad, Rule::NestedType, Field::TypeTag, 0);
    closes_levels(validator, &nested, 2);
}

#[test]
fn comp_26_a_private_type_has_the_same_extension_section() {
    let whole = whole();
    for rule in SPATIAL {
        let outer = DescriptorSpec {
            element_type: PRIVATE,
            extension_type: Some(extension()),
            ..head(&SHAPE, rule, 1)
        };
        let good = DescriptorSpec {
            element_type: PRIVATE,
            extension_type: Some(extension()),
            ..first(rule, &whole)
        };
        let e = extension();
        let others = [
            None,
            Some(ExtensionType { bit_width: 24, ..e }),
            Some(ExtensionType {
                packing_factor: 2,
                ..e
            }),
            Some(ExtensionType { is_float: 0, ..e }),
            Some(ExtensionType { is_signed: 1, ..e }),
            Some(ExtensionType { sign_bits: 0, ..e }),
            Some(ExtensionType {
                exponent_bits: 8,
                ..e
            }),
            Some(ExtensionType {
                mantissa_bits: 7,
                ..e
            }),
            Some(ExtensionType {
                exponent_bias: 64,
                ..e
            }),
            Some(ExtensionType { has_nan: 0, ..e }),
            Some(ExtensionType { has_inf: 0, ..e }),
        ];
        let mut validator = opened(&outer);
        for extension_type in others {
            let bad = DescriptorSpec {
                extension_type,
                ..good
            };
            refused(
                &mut validator,
                &bad,
                Rule::PrivateMemberType,
                Field::TypeTag,
                0,
            );
        }
        let other = DescriptorSpec {
            element_type: ElementType(0xF4),
            ..good
        };
        refused(&mut validator, &other, Rule::MemberType, Field::TypeTag, 0);
        closes(validator, &good);
    }
}

#[test]
fn comp_26_holds_for_nested_heads_too() {
    let whole = whole();
    let outer = DescriptorSpec {
        element_type: PRIVATE,
        extension_type: Some(extension()),
        ..head(&SHAPE, CompositionRule::Partition, 1)
    };
    let nested = DescriptorSpec {
        element_type: PRIVATE,
        extension_type: Some(extension()),
        shard: member(&SHAPE, &whole).shard,
        ..head(&SHAPE, CompositionRule::Group, 0)
    };
    let mut validator = opened(&outer);
    let other = ExtensionType {
        exponent_bias: 64,
        ..extension()
    };
    let bad = DescriptorSpec {
        extension_type: Some(other),
        ..nested
    };
    refused(
        &mut validator,
        &bad,
        Rule::PrivateMemberType,
        Field::TypeTag,
        0,
    );
    closes_levels(validator, &nested, 2);
}

#[test]
fn comp_27_a_member_has_a_shard_section() {
    let whole = whole();
    for rule in SPATIAL {
        let good = first(rule, &whole);
        let mut validator = opened(&head(&SHAPE, rule, 1));
        let bad = DescriptorSpec {
            shard: None,
            ..good
        };
        refused(&mut validator, &bad, Rule::MemberShard, Field::Flags, 0);
        closes(validator, &good);
    }
}

#[test]
fn comp_28_the_parent_is_the_head() {
    let whole = whole();
    for rule in SPATIAL {
        let good = first(rule, &whole);
        let mut validator = opened(&head(&SHAPE, rule, 1));
        let shard = good.shard.unwrap();
        for (parent, index) in [([5, 6], 0), ([4, 7], 1), ([6, 4], 0)] {
            let parent_shape = (&parent).into();
            let bad = DescriptorSpec {
                shard: Some(Shard {
                    parent_shape,
                    ..shard
                }),
                ..good
            };
            refused(
                &mut validator,
                &bad,
                Rule::MemberParent,
                Field::ParentShape,
                index,
            );
        }
        let longer = tile([0, 0, 0], [4, 6, 1]);
        let bad = member(&[4, 6, 1], &longer);
        refused(&mut validator, &bad, Rule::MemberParent, Field::Rank, 0);
        let shorter = tile([0], [4]);
        let bad = member(&[4], &shorter);
        refused(&mut validator, &bad, Rule::MemberParent, Field::Rank, 0);
        closes(validator, &good);
    }
}

/// COMP-29 is SHARD-01, for descriptors that nobody checked before.
#[test]
fn comp_29_the_box_lies_in_the_head() {
    let whole = whole();
    for rule in SPATIAL {
        let good = first(rule, &whole);
        let mut validator = opened(&head(&SHAPE, rule, 1));
        let outside = [
            (tile([1, 0], SHAPE), 0),
            (tile([0, 1], SHAPE), 1),
            (tile([0, 6], [1, 1]), 1),
            (tile([0, 0], [4, 7]), 1),
            // 2^64 - 1 + 2 is 1 modulo 2^64
            (tile([u64::MAX, 0], [2, 6]), 0),
        ];
        for (tile, index) in &outside {
            let bad = first(rule, tile);
            refused(
                &mut validator,
                &bad,
                Rule::ShardBounds,
                Field::ShardOffset,
                *index,
            );
        }
        closes(validator, &good);
    }
}

#[test]
fn comp_30_no_role_outside_overlays() {
    let whole = whole();
    for rule in [CompositionRule::Partition, CompositionRule::Group] {
        let good = first(rule, &whole);
        let mut validator = opened(&head(&SHAPE, rule, 1));
        for role in [MemberRole::Base, MemberRole::Correction] {
            let bad = DescriptorSpec {
                member_role: Some(role),
                ..good
            };
            refused(
                &mut validator,
                &bad,
                Rule::RoleUnexpected,
                Field::MemberRole,
                0,
            );
        }
        closes(validator, &good);
    }
}

/// One base that spans the head comes first, then corrections of any size.
#[test]
fn comp_31_to_34_roles_of_an_overlay() {
    let (whole, part, short) = (whole(), tile([0, 1], [4, 5]), tile([0, 0], [4, 5]));
    let role = |member_role, tile| DescriptorSpec {
        member_role,
        ..member(&SHAPE, tile)
    };
    let (base, correction) = (Some(MemberRole::Base), Some(MemberRole::Correction));
    for combine_op in [CombineOp::Replace, CombineOp::Add] {
        let mut overlay = head(&SHAPE, CompositionRule::Overlay, 3);
        if let Layout::Composite(head) = &mut overlay.layout {
            head.combine_op = combine_op;
        }
        let mut validator = opened(&overlay);
        let v = &mut validator;
        refused(v, &role(None, &whole), Rule::RoleMissing, Field::Flags, 0);
        refused(
            v,
            &role(correction, &whole),
            Rule::BaseFirst,
            Field::MemberRole,
            0,
        );
        refused(
            v,
            &role(base, &part),
            Rule::BaseSpans,
            Field::ShardOffset,
            1,
        );
        refused(v, &role(base, &short), Rule::BaseSpans, Field::Shape, 1);
        v.begin(&role(base, &whole)).unwrap();
        v.end().unwrap();
        refused(
            v,
            &role(base, &whole),
            Rule::BaseTwice,
            Field::MemberRole,
            0,
        );
        refused(v, &role(None, &whole), Rule::RoleMissing, Field::Flags, 0);
        // corrections may overlap each other (COMP-46)
        v.begin(&role(correction, &part)).unwrap();
        v.end().unwrap();
        closes(validator, &role(correction, &part));
    }
}

/// COMP-35: a head has no role, so an overlay takes none.
#[test]
fn comp_35_a_head_is_no_member_of_an_overlay() {
    let whole = whole();
    let nested = DescriptorSpec {
        shard: member(&SHAPE, &whole).shard,
        ..head(&SHAPE, CompositionRule::Group, 0)
    };
    let mut validator = opened(&head(&SHAPE, CompositionRule::Overlay, 1));
    refused(&mut validator, &nested, Rule::RoleMissing, Field::Flags, 0);
    closes(validator, &first(CompositionRule::Overlay, &whole));
}

/// COMP-36: layouts without a shard section are members of groups only.
#[test]
fn comp_36_block_paged_tensors_are_members_of_groups_only() {
    let paged = Layout::BlockPaged(BlockPaged {
        page_size: 2,
        num_pages: 2,
        paged_axis: 0,
        num_seqs: 1,
        kv_role: KvRole::Fused,
        layer_index: u32::MAX,
        block_table_index_type: BlockTableIndexType::U32,
    });
    let csf = Layout::Csf {
        nnz: 0,
        mode_order: (&[0, 1]).into(),
    };
    for layout in [paged, csf] {
        let d = DescriptorSpec {
            layout,
            ..plain(&SHAPE)
        };
        for rule in SPATIAL {
            let validator = &mut opened(&head(&SHAPE, rule, 1));
            refused(validator, &d, Rule::MemberShard, Field::Flags, 0);
        }
        closes(opened(&head(&SHAPE, CompositionRule::Group, 1)), &d);
    }
}

/// COMP-37: any tensors; a shard section has nothing to agree with.
#[test]
fn comp_37_a_group_takes_anything() {
    let mut validator = opened(&head(&SHAPE, CompositionRule::Group, 3));
    let elsewhere = tile([1, 1, 1], [2, 2, 2]);
    let others = [
        DescriptorSpec {
            element_type: ElementType::Int8,
            ..plain(&[7])
        },
        quantized(member(&[9, 9, 9], &elsewhere)),
    ];
    for d in &others {
        validator.begin(d).unwrap();
        validator.end().unwrap();
    }
    closes(validator, &plain(&[]));
}

/// A private rule that peers agreed on binds its members and asks nothing of them.
#[test]
fn a_private_rule_takes_anything() {
    let private = CompositionRule(0xF1);
    let role = DescriptorSpec {
        member_role: Some(MemberRole::Correction),
        ..plain(&[3])
    };
    closes(opened(&head(&SHAPE, private, 1)), &role);
}
