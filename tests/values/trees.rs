//! Random composites of tensors of every kind, and what is seen through them.

use hrry::{CombineOp, CompositeHead, CompositionRule, ElementType};

use super::model::{Case, LAYOUTS, dense, indices, order, scheme_of, sparse, unravel};
use super::nodes::Node;
use super::rounding::Rounder;
use super::support::scale::Rng;
use super::support::spec::{Kind, Plain};

#[derive(Clone, Debug)]
pub enum Tree {
    Leaf(Case),
    Partition(Plain, Vec<Tree>),
    Overlay(Plain, CombineOp, Vec<Tree>),
}

const HEADS: [ElementType; 14] = [
    ElementType::Float16,
    ElementType::BFloat16,
    ElementType::Float32,
    ElementType::Float64,
    ElementType::Float8E4M3,
    ElementType::Float8E5M2,
    ElementType::Float4E2M1,
    ElementType::Float6E2M3,
    ElementType::Float6E3M2,
    ElementType::Int8,
    ElementType::UInt4,
    ElementType::Bool,
    ElementType::UInt64,
    ElementType::Complex64,
];
const DEEPEST: usize = 8;

/// A composite of 1 to 3 dimensions.
pub fn root(rng: &mut Rng) -> Tree {
    let rank = 1 + rng.below(3);
    let mut shape: Vec<u64> = (0..rank).map(|_| 1 + rng.below(5) as u64).collect();
    if rng.below(2) == 0 {
        // where blocks of NF4 and MXFP fit
        let along = rng.below(rank);
        shape[along] = 16;
    }
    if rng.below(12) == 0 {
        shape[0] = 0;
    }
    let of = HEADS[rng.below(HEADS.len())];
    match rng.below(3) {
        0 => overlay(&shape, of, rng),
        _ => partition(&shape, of, 1, rng),
    }
}

fn node(shape: &[u64], of: ElementType, depth: usize, rng: &mut Rng) -> Tree {
    match rng.below(5) {
        0 | 1 if depth < DEEPEST => partition(shape, of, depth + 1, rng),
        2 if depth < DEEPEST => overlay(shape, of, rng),
        _ => leaf(shape, of, rng),
    }
}

fn leaf(shape: &[u64], of: ElementType, rng: &mut Rng) -> Tree {
    // integers, bools and complex numbers take no quantized members
    let real = of.0 < 0x10 || (0x40..0x46).contains(&of.0);
    let fits = |size: &u64| *size >= 4;
    let scheme = match rng.below(6) {
        scheme @ (1 | 2) if real => scheme,
        3 if real && shape.iter().all(fits) => 3,
        4 if real && shape.iter().any(|size| *size >= 8) => 4,
        5 if real && shape.contains(&16) && !shape.contains(&0) => 5,
        _ => 0,
    };
    let storage: &[ElementType] = match scheme {
        1 | 2 => &[
            ElementType::Int8,
            ElementType::UInt4,
            ElementType::Int32,
            ElementType::UInt16,
        ],
        3 => &[ElementType::Int4, ElementType::UInt8, ElementType::Int2],
        4 => &[ElementType::UInt4],
        // without NaN, which not every head has
        5 => &[
            ElementType::Float4E2M1,
            ElementType::Float6E3M2,
            ElementType::Int8,
        ],
        _ => &[of],
    };
    let stored = storage[rng.below(storage.len())];
    let layout = match rng.below(4) {
        0 if shape.len() == 2 => LAYOUTS + rng.below(4),
        0 => LAYOUTS + rng.below(2),
        _ => rng.below(LAYOUTS),
    };
    let case = match layout.checked_sub(LAYOUTS) {
        Some(layout) => sparse(layout, stored, shape, rng),
        None => dense(layout, stored, shape, rng),
    };
    Tree::Leaf(scheme_of(case, scheme, rng))
}

fn head(
    shape: &[u64],
    of: ElementType,
    composition_rule: CompositionRule,
    op: CombineOp,
    members: usize,
) -> Plain {
    Plain::head(
        of,
        shape,
        CompositeHead {
            composition_rule,
            combine_op: op,
            member_count: members as u32,
        },
    )
}

fn partition(shape: &[u64], of: ElementType, depth: usize, rng: &mut Rng) -> Tree {
    let boxes = if rng.below(2) == 0 {
        grid(shape, rng)
    } else {
        guillotine(shape, rng)
    };
    let members: Vec<Tree> = boxes
        .into_iter()
        .map(|[offset, size]| {
            let mut member = node(&size, of, depth, rng);
            member.place(shape, &offset);
            member
        })
        .collect();
    let plain = head(
        shape,
        of,
        CompositionRule::Partition,
        CombineOp::None,
        members.len(),
    );
    Tree::Partition(plain, members)
}

fn overlay(shape: &[u64], of: ElementType, rng: &mut Rng) -> Tree {
    let mut members = vec![leaf(shape, of, rng)];
    members[0].place(shape, &vec![0; shape.len()]);
    for _ in 0..rng.below(4) {
        let [offset, size] = super::model::some_box(shape, rng);
        let mut correction = leaf(&size, of, rng);
        correction.place(shape, &offset);
        members.push(correction);
    }
    for (k, member) in members.iter_mut().enumerate() {
        member.plain_mut().member_role = Some((k == 0).into());
    }
    let op = CombineOp(1 + rng.below(2) as u8);
    Tree::Overlay(
        head(shape, of, CompositionRule::Overlay, op, members.len()),
        op,
        members,
    )
}

/// Cuts box after box along some dimension; pieces may be empty.
pub fn guillotine(shape: &[u64], rng: &mut Rng) -> Vec<[Vec<u64>; 2]> {
    let mut boxes = vec![[vec![0; shape.len()], shape.to_vec()]];
    for _ in 0..rng.below(6) {
        let chosen = rng.below(boxes.len());
        let [mut offset, mut size] = boxes[chosen].clone();
        let k = rng.below(shape.len());
        let cut = rng.below(size[k] as usize + 1) as u64;
        boxes[chosen][1][k] = cut;
        offset[k] += cut;
        size[k] -= cut;
        boxes.push([offset, size]);
    }
    boxes
}

/// Cuts all through, members in order.
pub fn grid(shape: &[u64], rng: &mut Rng) -> Vec<[Vec<u64>; 2]> {
    let mut boxes = vec![[vec![], vec![]]];
    for size in shape {
        let mut cuts: Vec<u64> = (0..rng.below(4)).map(|_| rng.next() % (size + 1)).collect();
        cuts.extend([0, *size]);
        cuts.sort_unstable();
        cuts.dedup();
        let mut longer = Vec::new();
        for [offset, shape] in &boxes {
            for pair in cuts.windows(2) {
                let add = |list: &Vec<u64>, n: u64| [&list[..], &[n]].concat();
                longer.push([add(offset, pair[0]), add(shape, pair[1] - pair[0])]);
            }
        }
        boxes = longer;
    }
    boxes
}

impl Tree {
    pub fn plain(&self) -> &Plain {
        match self {
            Tree::Leaf(case) => &case.plain,
            Tree::Partition(plain, _) | Tree::Overlay(plain, ..) => plain,
        }
    }

    fn plain_mut(&mut self) -> &mut Plain {
        match self {
            Tree::Leaf(case) => &mut case.plain,
            Tree::Partition(plain, _) | Tree::Overlay(plain, ..) => plain,
        }
    }

    pub fn place(&mut self, parent: &[u64], offset: &[u64]) {
        self.plain_mut().shard = Some([parent.to_vec(), offset.to_vec()]);
    }

    fn members(&self) -> &[Tree] {
        match self {
            Tree::Leaf(_) => &[],
            Tree::Partition(_, members) | Tree::Overlay(_, _, members) => members,
        }
    }

    pub fn element_type(&self) -> ElementType {
        ElementType(self.plain().element_type)
    }

    pub fn to_node(&self) -> Node {
        let mut descriptor = vec![0; 8192];
        let policy = hrry::Policy::STRICT;
        let len = self.plain().lend(Kind::Native, |spec| {
            hrry::encode(spec, &mut descriptor, &policy)
        });
        descriptor.truncate(len.unwrap_or_else(|error| panic!("{error:?} {:?}", self.plain())));
        Node {
            name: String::new(),
            descriptor,
            buffers: match self {
                Tree::Leaf(case) => case.buffers.clone(),
                _ => Vec::new(),
            },
            members: self.members().iter().map(Tree::to_node).collect(),
        }
    }

    /// The bits of every element in logical order, in the type of the outermost head, and whether they were
    /// computed: COMP-51 to COMP-54.
    pub fn view(&self, of: ElementType, rounder: &mut Rounder) -> Vec<(u128, bool)> {
        let shape = &self.plain().shape;
        let elements = indices(shape).len();
        match self {
            Tree::Leaf(case) => (0..elements)
                .map(|at| element(case, at, of, rounder))
                .collect(),
            Tree::Partition(_, members) => {
                let mut all = vec![(0, false); elements];
                for member in members {
                    let inner = member.view(of, rounder);
                    for (at, element) in inner.into_iter().enumerate() {
                        all[member.outer(at)] = element;
                    }
                }
                all
            }
            Tree::Overlay(_, op, members) => {
                let mut all = members[0].view(of, rounder);
                for correction in &members[1..] {
                    let Tree::Leaf(case) = correction else {
                        panic!()
                    };
                    let stored = (0..case.places.len()).filter(|at| case.places[*at].is_some());
                    for at in stored {
                        let new = element(case, at, of, rounder);
                        let old = &mut all[correction.outer(at)];
                        *old = match *op {
                            CombineOp::Add => (rounder.sum(of, old.0, new.0), true),
                            _ => new,
                        };
                    }
                }
                all
            }
        }
    }

    /// The place in the parent of an element of the member.
    fn outer(&self, at: usize) -> usize {
        let [parent, offset] = self.plain().shard.as_ref().unwrap();
        let inner = unravel(&self.plain().shape, at);
        let moved: Vec<u64> = inner.iter().zip(offset).map(|(a, b)| a + b).collect();
        order(parent, &moved)
    }
}

fn element(case: &Case, at: usize, of: ElementType, rounder: &mut Rounder) -> (u128, bool) {
    match case.plain.quantization {
        None => (case.bits(at), false),
        Some(_) if case.places[at].is_none() => (0, false),
        Some(_) => (rounder.nearest(of, case.number(at).into()), true),
    }
}
