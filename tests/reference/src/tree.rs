//! Random streams: tensors with data, partitions, overlays, groups, and composites inside them.

use hrry::{CombineOp, CompositeHead, CompositionRule, ElementType, ExtensionType, MemberRole};

use crate::choices::Choices;
use crate::generate::{any_type, assemble, descriptor};
use crate::layouts::{Kind, Limits, layout, needed};
use crate::plan::{LayoutPlan, Plan, ShardPlan};
use crate::sections::quantized;
use crate::sizes::width;

/// An item of a stream.
#[derive(Clone, Debug)]
pub enum Tree {
    Tensor { plan: Plan, buffers: Vec<Vec<u8>> },
    Composite { head: Plan, members: Vec<Tree> },
}

type Element = (ElementType, Option<ExtensionType>);

/// How many levels of composites may be in an item, and how many must be.
#[derive(Clone, Copy, Debug)]
pub struct Levels {
    pub least: u32,
    pub most: u32,
}

impl Levels {
    /// Any number of them.
    pub const fn up_to(most: u32) -> Self {
        Levels { least: 0, most }
    }

    /// What is left of them inside a composite.
    fn inside(self) -> Self {
        Levels {
            least: self.least.saturating_sub(1),
            most: self.most - 1,
        }
    }

    /// What is left for the members that need not be deep.
    fn free(self) -> Self {
        Levels::up_to(self.most)
    }
}

/// Any item. What is only allowed to be deep stays above the last level, but for partitions.
pub fn item(c: &mut Choices<'_>, levels: Levels) -> Tree {
    match (c.below(8), levels) {
        (0..=3, Levels { least: 0, .. })
        | (
            _,
            Levels {
                least: 0,
                most: ..=1,
            },
        ) => any_tensor(c),
        (0..=2 | 4, _) if levels.most > 0 => group(c, levels),
        (5, Levels { least: ..=1, .. }) => overlay(c),
        _ => {
            let shape = small_shape(c);
            let element = any_type(c);
            partition(c, levels, shape, element, None)
        }
    }
}

fn tensor(c: &mut Choices<'_>, plan: Plan) -> Tree {
    let seed = c.byte();
    let bytes = |size: u64| {
        (0..size)
            .map(|k| (k as u8).wrapping_mul(31) ^ seed)
            .collect()
    };
    let buffers = plan
        .buffers
        .iter()
        .map(|handle| bytes(handle.byte_size))
        .collect();
    Tree::Tensor { plan, buffers }
}

fn any_tensor(c: &mut Choices<'_>) -> Tree {
    let mut plan = descriptor(c, Limits::STREAM);
    if matches!(plan.layout, LayoutPlan::Composite(_)) {
        let handle = hrry::BufferHandle::cpu(4, 64);
        plan = Plan::new(
            ElementType::Float32,
            vec![],
            LayoutPlan::RowMajor,
            vec![handle],
        );
    }
    tensor(c, plan)
}

fn small_shape(c: &mut Choices<'_>) -> Vec<u64> {
    (0..1 + c.below(3)).map(|_| 1 + c.below(5)).collect()
}

fn head(
    element: Element,
    shape: Vec<u64>,
    (composition_rule, combine_op): (CompositionRule, CombineOp),
    members: Vec<Tree>,
    shard: Option<ShardPlan>,
) -> Tree {
    let layout = LayoutPlan::Composite(CompositeHead {
        composition_rule,
        combine_op,
        member_count: members.len() as u32,
    });
    let head = Plan {
        extension_type: element.1,
        shard,
        ..Plan::new(element.0, shape, layout, vec![])
    };
    Tree::Composite { head, members }
}

/// Anything but members of overlays, in any number.
fn group(c: &mut Choices<'_>, levels: Levels) -> Tree {
    let inside = levels.inside();
    let mut members: Vec<Tree> = (0..c.below(4)).map(|_| item(c, inside.free())).collect();
    if inside.least > 0 {
        let place = c.below(members.len() as u64 + 1);
        members.insert(place as usize, item(c, inside));
    }
    for member in &mut members {
        if let Tree::Tensor { plan, .. } = member {
            plan.member_role = None;
        }
    }
    let (shape, element) = (small_shape(c), any_type(c));
    let rule = (CompositionRule::Group, CombineOp::None);
    head(element, shape, rule, members, None)
}

/// A grid of members, in any order; a cell may be a partition itself.
fn partition(
    c: &mut Choices<'_>,
    levels: Levels,
    shape: Vec<u64>,
    element: Element,
    shard: Option<ShardPlan>,
) -> Tree {
    let axes: Vec<Vec<(u64, u64)>> = shape.iter().map(|size| cuts(c, *size)).collect();
    let count: usize = axes.iter().map(Vec::len).product();
    let mut inside = levels.inside();
    let mut members = Vec::new();
    for cell in 0..count {
        let mut rest = cell;
        let mut place = ShardPlan {
            parent_shape: shape.clone(),
            shard_offset: vec![],
        };
        let mut inner = vec![];
        for axis in &axes {
            let (from, to) = axis[rest % axis.len()];
            rest /= axis.len();
            place.shard_offset.push(from);
            inner.push(to - from);
        }
        members.push(if inside.least > 0 || inside.most > 0 && c.one_in(8) {
            let deep = inside;
            inside = inside.free();
            partition(c, deep, inner, element, Some(place))
        } else {
            member(c, inner, element, place, None)
        });
    }
    for k in (1..members.len()).rev() {
        members.swap(k, c.below(k as u64 + 1) as usize);
    }
    let rule = (CompositionRule::Partition, CombineOp::None);
    head(element, shape, rule, members, shard)
}

/// Ranges that follow each other from 0 to `size`.
fn cuts(c: &mut Choices<'_>, size: u64) -> Vec<(u64, u64)> {
    let mut ranges = Vec::new();
    let mut from = 0;
    while from < size {
        let to = from + 1 + c.below(size - from);
        ranges.push((from, to));
        from = to;
    }
    ranges
}

fn overlay(c: &mut Choices<'_>) -> Tree {
    let (shape, element) = (small_shape(c), any_type(c));
    let at_zero = ShardPlan {
        parent_shape: shape.clone(),
        shard_offset: vec![0; shape.len()],
    };
    let mut members = vec![member(
        c,
        shape.clone(),
        element,
        at_zero,
        Some(MemberRole::Base),
    )];
    for _ in 0..c.below(4) {
        let boxes: Vec<(u64, u64)> = shape
            .iter()
            .map(|size| {
                let from = c.below(*size);
                (from, from + 1 + c.below(size - from))
            })
            .collect();
        let place = ShardPlan {
            parent_shape: shape.clone(),
            shard_offset: boxes.iter().map(|(from, _)| *from).collect(),
        };
        let inner = boxes.iter().map(|(from, to)| to - from).collect();
        members.push(member(
            c,
            inner,
            element,
            place,
            Some(MemberRole::Correction),
        ));
    }
    let rule = (CompositionRule::Overlay, CombineOp(1 + c.below(2) as u8));
    head(element, shape, rule, members, None)
}

/// A tensor in a head of that type; under a float head it may be quantized.
fn member(
    c: &mut Choices<'_>,
    shape: Vec<u64>,
    element: Element,
    place: ShardPlan,
    member_role: Option<MemberRole>,
) -> Tree {
    const FLOATS: [u8; 10] = [0x01, 0x02, 0x03, 0x04, 0x40, 0x41, 0x43, 0x44, 0x45, 0x46];
    const KINDS: [Kind; 6] = [
        Kind::RowMajor,
        Kind::ColumnMajor,
        Kind::Strided,
        Kind::Tiled,
        Kind::Coo,
        Kind::Csr,
    ];
    let kind = match c.pick(&KINDS) {
        Kind::Csr if shape.len() != 2 => Kind::Coo,
        kind => kind,
    };
    let payload = layout(c, kind, &shape, Limits::STREAM);
    let base = needed(&payload, &shape, width(ElementType::Float32, None))
        .1
        .len() as u32;
    let float = FLOATS.contains(&element.0.0) || element.1.is_some_and(|e| e.is_float == 1);
    let quantized = if float && c.one_in(3) {
        quantized(c, &payload, &shape, base)
    } else {
        None
    };
    let mut plan = assemble(c, payload, shape, element, quantized, Limits::STREAM);
    plan.shard = Some(place);
    plan.member_role = member_role;
    tensor(c, plan)
}

impl Tree {
    /// Whether `hrry` has a way to write all of it.
    pub fn is_writable(&self) -> bool {
        match self {
            Tree::Tensor { plan, .. } => plan.is_writable(),
            Tree::Composite { head, members } => {
                head.is_writable() && members.iter().all(Tree::is_writable)
            }
        }
    }

    /// Lets `change` see every plan in it.
    pub fn each_plan(&mut self, change: &mut impl FnMut(&mut Plan)) {
        match self {
            Tree::Tensor { plan, .. } => change(plan),
            Tree::Composite { head, members } => {
                change(head);
                members
                    .iter_mut()
                    .for_each(|member| member.each_plan(change));
            }
        }
    }

    /// Heads and tensors in the order of a stream, with the number of composites around each.
    pub fn flat<'a>(&'a self, level: u8, out: &mut Vec<(u8, &'a Plan, &'a [Vec<u8>])>) {
        match self {
            Tree::Tensor { plan, buffers } => out.push((level, plan, buffers)),
            Tree::Composite { head, members } => {
                out.push((level, head, &[]));
                members
                    .iter()
                    .for_each(|member| member.flat(level + 1, out));
            }
        }
    }
}
