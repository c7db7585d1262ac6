//! Each known difference between composites in containers of the reference and of `hrry`, by a container made
//! for it.

use hrry::{BufferHandle, CompositionRule, FileView, Policy};
use hrry_reference_tests::files::container::Container;
use hrry_reference_tests::files::here::{Here, view, we_write};
use hrry_reference_tests::files::ranges::owned;
use hrry_reference_tests::files::small::{both_read, composite, eight, head, part, tensor};
use hrry_reference_tests::files::there::{they_read, they_write};
use hrry_reference_tests::plan::SchemePlan;
use hrry_reference_tests::tree::Tree;

/// Asserts that we refuse the composites of a file by this rule, at this byte; without them, every tensor is
/// readable by its name (FILE-43).
fn assert_refused(file: &[u8], rule: &str, at: u64) {
    let error = view(file, Policy::STRICT).unwrap_err();
    let id = error.rule().map(|rule| rule.id());
    assert_eq!((id, error.offset()), (Some(rule), at), "{error}");
    let error = owned(file, Policy::STRICT).unwrap_err();
    assert!(error.to_string().starts_with(rule), "{error}");
    let file = FileView::open(file, &Policy::STRICT).unwrap();
    for entry in file.entries() {
        assert!(file.tensor(&entry, &Policy::STRICT).is_ok(), "{entry:?}");
    }
}

/// FILE-27 and AMB-91: nothing is aligned behind a head, which has no data. The reference pads there, too.
#[test]
fn heads_without_padding() {
    let group = composite(CompositionRule::Group, &[8], vec![eight()]);
    let container = Container::of(vec![group]);
    let starts = |here: &Here| {
        let places = here.tensors.iter().map(|t| t.place.descriptor_offset);
        places.collect::<Vec<_>>()
    };
    let theirs = both_read(&they_write(&container).unwrap());
    assert_eq!(starts(&theirs), [64, 4096]);
    // a head of rank 1 has 45 bytes
    let ours = both_read(&we_write(&container, Policy::STRICT).unwrap());
    assert_eq!(starts(&ours), [64, 112]);
}

/// COMP-20 and AMB-61: at most 8 levels. The reference writes and reads 64.
#[test]
fn nine_levels() {
    let levels = |count| {
        let group = |inner, _| composite(CompositionRule::Group, &[8], vec![inner]);
        Container::of(vec![(0..count).fold(eight(), group)])
    };
    both_read(&they_write(&levels(8)).unwrap());
    both_read(&we_write(&levels(8), Policy::STRICT).unwrap());
    let nine = they_write(&levels(9)).unwrap();
    assert!(they_read(&nine).is_ok());
    // the ninth head is on page 8, and layout_tag is byte 15 of a descriptor
    assert_refused(&nine, "COMP-20", 8 * 4096 + 15);
    let refused = we_write(&levels(9), Policy::STRICT).unwrap_err();
    assert!(refused.to_string().starts_with("COMP-20"), "{refused}");
    assert!(they_read(&they_write(&levels(64)).unwrap()).is_ok());
    assert!(they_read(&they_write(&levels(65)).unwrap()).is_err());
}

/// COMP-48 and FILE-41: a head that is written as a plain tensor may lack its members. The reference writes
/// such files and refuses to read the composite.
#[test]
fn a_head_without_its_members() {
    let alone = |member_count| Tree::Tensor {
        plan: head(CompositionRule::Group, &[8], member_count),
        buffers: vec![],
    };
    let torn = they_write(&Container::of(vec![alone(2), eight()])).unwrap();
    let refused = format!("{:?}", they_read(&torn).unwrap_err());
    assert_eq!(refused, "TornComposite { declared: 2, actual: 1 }");
    // head on page 0, descriptor of the member on page 1 and its data on page 2; there the tensors end
    assert_refused(&torn, "COMP-48", 2 * 4096 + 8);
    let refused = we_write(&Container::of(vec![alone(2), eight()]), Policy::STRICT);
    assert!(refused.is_err());
    // one by one, and whole
    let whole = they_write(&Container::of(vec![alone(1), eight()])).unwrap();
    let levels = both_read(&whole).tensors.into_iter().map(|t| t.level);
    assert_eq!(levels.collect::<Vec<_>>(), [0, 1]);
}

/// COMP-43 and AMB-62: a gap is a gap, however many elements the whole has. From 2^64 on the reference
/// counts in a ring.
#[test]
fn a_gap_in_a_partition_of_2_to_the_80_elements() {
    let shape = [1 << 40, 1 << 40];
    let one = tensor(&[1, 1], BufferHandle::cpu(1, 64));
    let partition = composite(
        CompositionRule::Partition,
        &shape,
        vec![part(one, &shape, &[0, 0])],
    );
    let container = Container::of(vec![partition]);
    let file = they_write(&container).unwrap();
    assert!(they_read(&file).is_ok());
    // shape is byte 20 of the head
    assert_refused(&file, "COMP-43", 64 + 20);
    let refused = we_write(&container, Policy::STRICT).unwrap_err();
    assert!(refused.to_string().starts_with("COMP-43"), "{refused}");
}

/// COMP-24 and AMB-59: a quantized member is real-valued, its head here is not.
#[test]
fn a_quantized_member_of_integers() {
    let mut member = part(eight(), &[8], &[0]);
    member.each_plan(&mut |plan| {
        plan.quantization = Some(SchemePlan::PerTensor {
            scale: 0.5,
            zero_point: 0,
        });
    });
    let partition = composite(CompositionRule::Partition, &[8], vec![member]);
    let container = Container::of(vec![partition]);
    let file = they_write(&container).unwrap();
    assert!(they_read(&file).is_ok());
    // type_tag is byte 14 of the member
    assert_refused(&file, "COMP-24", 4096 + 14);
    let refused = we_write(&container, Policy::STRICT).unwrap_err();
    assert!(refused.to_string().starts_with("COMP-24"), "{refused}");
}

/// COMP-44 and AMB-63: a member without elements overlaps nothing. The reference refuses one inside another
/// member; it reads all tensors, but not the composite.
#[test]
fn an_empty_member_inside_another_one() {
    let empty = tensor(&[0], BufferHandle::cpu(0, 64));
    let members = vec![part(eight(), &[8], &[0]), part(empty, &[8], &[3])];
    let container = Container::of(vec![composite(CompositionRule::Partition, &[8], members)]);
    let file = we_write(&container, Policy::STRICT).unwrap();
    assert_eq!(view(&file, Policy::STRICT).unwrap().tensors.len(), 3);
    let overlap = hurray_core::Error::CompositePartitionOverlap { a: 0, b: 1 };
    let refused = format!("{:?}", they_read(&file).unwrap_err());
    assert_eq!(refused, format!("Core({overlap:?})"));
    assert!(
        they_write(&container)
            .unwrap_err()
            .contains("PartitionOverlap")
    );
}
