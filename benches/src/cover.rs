//! Partitions: does every index of the head lie in exactly one member.
//!
//! Descriptors are decoded beforehand; a run is the head and all members, begun and ended, with the
//! verdict at the end. The reference gets the same through `push_member` and `finish`.

use std::rc::Rc;

use hrry::{
    Array, BufferHandle, CombineOp, CompositeHead, CompositeValidator, CompositionRule, Cover,
    DescriptorSpec, DescriptorView, ElementType, Exact, ExactThenKeyed, Key, Keyed, Layout,
    Outcome, Policy, Shard,
};
use hurray_core::TensorDescriptor;
use hurray_core::composite::CompositeValidator as ReferenceValidator;

use crate::cases::bytes_of;
use crate::measure::{Group, Op};

/// The reference compares all pairs: more members than this take it minutes.
const REFERENCE_MOST: u64 = 10_000;
/// In random order many boxes stay unmerged, and every one of them is compared with each member.
const EXACT_SHUFFLED_MOST: u64 = 10_000;
/// Any key will do where nobody attacks.
const KEY: Key = Key([0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210]);

const GRIDS: [&[u64]; 8] = [
    &[10],
    &[1_000],
    &[10_000],
    &[100_000],
    &[2, 5],
    &[25, 40],
    &[100, 100],
    &[250, 400],
];

/// One group for each grid and order.
pub fn groups() -> Vec<Group> {
    let small = |grid: &&&'static [u64]| grid.iter().product::<u64>() <= 1_000;
    let (small, large): (Vec<_>, Vec<_>) = GRIDS.iter().partition(small);
    let grids = small.into_iter().chain(large);
    grids
        .flat_map(|grid| [group(grid, false), group(grid, true)])
        .collect()
}

/// What callgrind counts within a minute.
pub fn counted_groups() -> Vec<Group> {
    let grids: [&[u64]; 3] = [&[1_000], &[25, 40], &[100_000]];
    grids.map(|grid| group(grid, false)).into()
}

fn group(grid: &'static [u64], shuffled: bool) -> Group {
    let count: u64 = grid.iter().product();
    let set = Rc::new(Set::new(grid, shuffled));
    let mut ops = Vec::new();
    if count <= REFERENCE_MOST {
        ops.push(reference(&set));
    }
    ops.push(validator("keyed", &set, Keyed(KEY)));
    if !shuffled || count <= EXACT_SHUFFLED_MOST {
        ops.push(validator("exact", &set, Exact));
    }
    ops.push(validator("exact_then_keyed", &set, ExactThenKeyed(KEY)));
    let order = if shuffled { "shuffled" } else { "in_order" };
    Group {
        name: format!("cover/rank{}_{count}_{order}", grid.len()),
        unit: "member",
        ops,
    }
}

/// A head and members of one element each, as views into wire bytes.
struct Set {
    head: DescriptorView<'static>,
    members: Vec<DescriptorView<'static>>,
}

impl Set {
    fn new(grid: &'static [u64], shuffled: bool) -> Self {
        let count: u64 = grid.iter().product();
        let head = Layout::Composite(CompositeHead {
            composition_rule: CompositionRule::Partition,
            combine_op: CombineOp::None,
            member_count: u32::try_from(count).expect("few members"),
        });
        let head = DescriptorSpec::new(ElementType::UInt8, grid, head, &[]);
        let mut members: Vec<_> = (0..count).map(|n| member(grid, n)).collect();
        if shuffled {
            shuffle(&mut members);
        }
        Set {
            head: view(&head),
            members,
        }
    }
}

fn view(spec: &DescriptorSpec<'_>) -> DescriptorView<'static> {
    let (view, _) = DescriptorView::parse(bytes_of(spec).leak(), &Policy::STRICT).expect("valid");
    view
}

/// The member at place `n` of the row-major order.
fn member(grid: &[u64], n: u64) -> DescriptorView<'static> {
    let mut offset = vec![0; grid.len()];
    let mut rest = n;
    for (place, size) in offset.iter_mut().zip(grid).rev() {
        (*place, rest) = (rest % size, rest / size);
    }
    let ones = vec![1; grid.len()];
    let buffers = [BufferHandle::cpu(1, 64)];
    view(&DescriptorSpec {
        shard: Some(Shard {
            parent_shape: Array::Native(grid),
            shard_offset: Array::Native(&offset),
        }),
        ..DescriptorSpec::new(ElementType::UInt8, &ones, Layout::RowMajor, &buffers)
    })
}

/// The same order in every run.
fn shuffle<T>(items: &mut [T]) {
    let mut state = 0x2545_F491_4F6C_DD1Du64;
    for k in (1..items.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        items.swap(k, state as usize % (k + 1));
    }
}

fn validator<C: Cover + 'static>(name: &'static str, set: &Rc<Set>, cover: C) -> Op {
    let set = Rc::clone(set);
    let units = set.members.len();
    // the words stay allocated between runs
    let mut validator = CompositeValidator::with_arena(cover, Vec::new(), Policy::STRICT);
    Op::new(name, move || {
        validator.begin(&set.head).expect("valid");
        let mut outcome = validator.end().expect("valid");
        for member in &set.members {
            validator.begin(member).expect("valid");
            outcome = validator.end().expect("valid");
        }
        assert!(matches!(
            outcome,
            Outcome::Closed {
                complete: Ok(()),
                ..
            }
        ));
    })
    .per(units)
}

fn reference(set: &Rc<Set>) -> Op {
    let owned =
        |view: &DescriptorView<'_>| TensorDescriptor::decode(view.as_bytes()).expect("valid");
    let head = owned(&set.head);
    let members: Vec<_> = set.members.iter().map(owned).collect();
    let units = members.len();
    Op::new("reference", move || {
        let mut validator = ReferenceValidator::new(&head).expect("valid");
        for member in &members {
            validator.push_member(member).expect("valid");
        }
        validator.finish().expect("a cover");
    })
    .per(units)
}
