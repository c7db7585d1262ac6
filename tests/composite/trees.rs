//! Random trees of composites against a recursive model.

use crate::support::{Tile, head, member, plain, scale};
use hrry::{
    BufferHandle, CompositeValidator, CompositionRule, DescriptorSpec, ElementType, Exact,
    ExtensionType, Fields, Layout, MemberRole, Method, Outcome, Policy, Quantization, Rule, Shard,
    Statistics, U64s,
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Tree {
    Leaf,
    Node(Kind, Vec<Tree>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Partition,
    /// Of leaves only; a composite among its children stands for a leaf.
    Overlay,
    Group,
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop_oneof![
        Just(Kind::Partition),
        Just(Kind::Overlay),
        Just(Kind::Group)
    ]
}

/// Bushes on a stem of up to eight nodes, so that deep trees are no exception.
fn trees() -> impl Strategy<Value = Tree> {
    let bush = Just(Tree::Leaf).prop_recursive(3, 24, 4, |inner| {
        let children = prop::collection::vec(inner, 0..5);
        (kinds(), children).prop_map(|(kind, children)| Tree::Node(kind, children))
    });
    let stem = prop::collection::vec((kinds(), 0..3usize, 0..3usize), 0..8);
    (bush, stem).prop_map(|(bush, stem)| {
        stem.into_iter().fold(bush, |tree, (kind, before, behind)| {
            let mut children = vec![Tree::Leaf; before];
            children.push(tree);
            children.extend(vec![Tree::Leaf; behind]);
            Tree::Node(kind, children)
        })
    })
}

/// One item, what the validator must say to it, and the state behind it.
struct Step {
    item: Item,
    begun: Outcome,
    ended: Outcome,
    /// Level, declared and seen of the innermost composite that is open behind the item.
    torn: Option<(u8, u32, u32)>,
}

/// A descriptor with a position, which is its number.
struct Item {
    shape: Vec<u64>,
    place: Option<(u64, Tile)>,
    kind: Option<(Kind, u32)>,
    role: Option<MemberRole>,
    origin: u64,
}

impl Item {
    fn spec<'a>(&'a self, parent: &'a [u64]) -> DescriptorSpec<'a> {
        let tile = self.place.as_ref().map(|(_, tile)| tile);
        let mut d = match (tile, self.kind) {
            (Some(tile), None) => member(parent, tile),
            (None, None) => plain(&self.shape),
            (_, Some((kind, count))) => DescriptorSpec {
                shard: tile.and_then(|tile| member(parent, tile).shard),
                ..head(&self.shape, kind.rule(), count)
            },
        };
        d.member_role = self.role;
        d
    }
}

impl Kind {
    fn rule(self) -> CompositionRule {
        match self {
            Kind::Partition => CompositionRule::Partition,
            Kind::Overlay => CompositionRule::Overlay,
            Kind::Group => CompositionRule::Group,
        }
    }
}

struct At<'a>(DescriptorSpec<'a>, u64);

impl Fields for At<'_> {
    fn element_type(&self) -> ElementType {
        self.0.element_type()
    }
    fn shape(&self) -> U64s<'_> {
        self.0.shape()
    }
    fn byte_offset(&self) -> u64 {
        self.0.byte_offset()
    }
    fn layout(&self) -> Layout<'_> {
        self.0.layout()
    }
    fn buffer_count(&self) -> usize {
        self.0.buffer_count()
    }
    fn buffer(&self, index: usize) -> Option<BufferHandle> {
        self.0.buffer(index)
    }
    fn quantization(&self) -> Option<Quantization<'_>> {
        self.0.quantization()
    }
    fn shard(&self) -> Option<Shard<'_>> {
        self.0.shard()
    }
    fn statistics(&self) -> Option<Statistics> {
        self.0.statistics()
    }
    fn extension_type(&self) -> Option<ExtensionType> {
        self.0.extension_type()
    }
    fn member_role(&self) -> Option<MemberRole> {
        self.0.member_role()
    }
    fn origin(&self) -> u64 {
        self.1
    }
}

/// A partition that misses its last cell, to be spoiled at will.
struct Fault {
    /// The number of the partition among those that can be spoiled.
    target: usize,
    seen: usize,
    /// The position of its head.
    head: Option<u64>,
}

/// The recursive model.
struct Model {
    steps: Vec<Step>,
    fault: Fault,
}

/// What the model knows of the composites around an item.
struct Around<'a> {
    parent: Option<Kind>,
    depth: u8,
    index: u32,
    declared: u32,
    outer: Option<&'a Around<'a>>,
}

impl Around<'_> {
    fn torn(&self) -> Option<(u8, u32, u32)> {
        if self.parent.is_none() {
            None
        } else if self.index + 1 < self.declared {
            Some((self.depth, self.declared, self.index + 1))
        } else {
            self.outer.and_then(Around::torn)
        }
    }
}

impl Model {
    /// Adds an item with all it owns; tells whether it is whole.
    fn item(
        &mut self,
        tree: &Tree,
        width: u64,
        place: Option<(u64, Tile)>,
        around: &Around<'_>,
    ) -> bool {
        let role = (around.parent == Some(Kind::Overlay)).then_some(match around.index {
            0 => MemberRole::Base,
            _ => MemberRole::Correction,
        });
        let index = around.parent.map(|_| around.index);
        let mut item = Item {
            shape: vec![width],
            place,
            kind: None,
            role,
            origin: self.steps.len() as u64,
        };
        let (Tree::Node(kind, children), None) = (tree, role) else {
            let said = index.map_or(Outcome::Plain, |index| Outcome::Member {
                depth: around.depth,
                index,
            });
            self.steps.push(Step {
                item,
                begun: said,
                ended: said,
                torn: around.torn(),
            });
            return true;
        };
        let (mut children, mut width) = (children.clone(), width);
        match kind {
            // an overlay has a base
            Kind::Overlay if children.is_empty() => children.push(Tree::Leaf),
            // and a partition without members has nothing to cover
            Kind::Partition if children.is_empty() && index.is_none() => width = 0,
            Kind::Partition if children.is_empty() && width > 0 => children.push(Tree::Leaf),
            _ => {}
        }
        item.shape = vec![width];
        item.kind = Some((*kind, children.len() as u32));
        let depth = around.depth + 1;
        let members = children.len() as u32;
        let opened = Outcome::Opened {
            depth,
            members,
            index,
        };
        let origin = item.origin;
        let torn = match members {
            0 => around.torn(),
            _ => Some((depth, members, 0)),
        };
        self.steps.push(Step {
            item,
            begun: opened,
            ended: opened,
            torn,
        });
        let mut whole = true;
        for (k, child) in (0..).zip(&children) {
            let inner = Around {
                parent: Some(*kind),
                depth,
                index: k,
                declared: members,
                outer: Some(around),
            };
            let (place, size) = self.place(*kind, width, k, members, child, origin, &mut whole);
            whole &= self.item(child, size, place, &inner);
        }
        self.close(*kind, whole);
        whole
    }

    /// The place of a child: its share of a partition, all of an overlay.
    #[allow(clippy::too_many_arguments)] // what a child is told
    fn place(
        &mut self,
        kind: Kind,
        width: u64,
        k: u32,
        members: u32,
        child: &Tree,
        origin: u64,
        whole: &mut bool,
    ) -> (Option<(u64, Tile)>, u64) {
        if kind == Kind::Group {
            return (None, 1 + u64::from(k));
        }
        let (k, members) = (u64::from(k), u64::from(members));
        let (from, to) = match kind {
            Kind::Partition => (width * k / members, width * (k + 1) / members),
            _ => (0, width),
        };
        let mut size = to - from;
        let leaf = matches!(child, Tree::Leaf);
        if kind == Kind::Partition && k + 1 == members && leaf && size > 0 {
            if self.fault.seen == self.fault.target {
                size -= 1;
                *whole = false;
                self.fault.head = Some(origin);
            }
            self.fault.seen += 1;
        }
        let tile = Tile {
            offset: vec![from],
            shape: vec![size],
        };
        (Some((width, tile)), size)
    }

    /// The last item closes one level more.
    fn close(&mut self, kind: Kind, whole: bool) {
        let last = self.steps.last_mut().expect("a head at least");
        let (before, inner) = match last.ended {
            Outcome::Closed { levels, method, .. } => (levels, method),
            _ => (0, None),
        };
        let own = (kind == Kind::Partition).then_some(Method::Exact);
        last.ended = Outcome::Closed {
            levels: before + 1,
            complete: if whole { Ok(()) } else { Err(Rule::Gap) },
            method: inner.or(own),
        };
    }
}

fn model(tree: &Tree, target: usize) -> Model {
    let mut model = Model {
        steps: Vec::new(),
        fault: Fault {
            target,
            seen: 0,
            head: None,
        },
    };
    let around = Around {
        parent: None,
        depth: 0,
        index: 0,
        declared: 0,
        outer: None,
    };
    model.item(tree, 24, None, &around);
    model
}

fn validator(policy: Policy) -> CompositeValidator<Exact, Vec<u64>> {
    CompositeValidator::with_arena(Exact, Vec::new(), policy)
}

fn run(model: &Model, policy: Policy) -> Result<(), TestCaseError> {
    let mut validator = validator(policy);
    for step in &model.steps {
        let parent = step
            .item
            .place
            .as_ref()
            .map(|(width, _)| vec![*width])
            .unwrap_or_default();
        let d = At(step.item.spec(&parent), step.item.origin);
        let too_deep = matches!(step.begun, Outcome::Opened { depth, .. } if depth > 8);
        let begun = validator.begin(&d);
        if too_deep {
            let error = begun.expect_err("nine levels");
            prop_assert_eq!(error.kind.rule(), Some(Rule::CompositeDepth));
            prop_assert_eq!(error.origin, step.item.origin);
            return Ok(());
        }
        prop_assert_eq!(begun, Ok(step.begun));
        let ended = validator.end();
        let broken = matches!(
            step.ended,
            Outcome::Closed {
                complete: Err(_),
                ..
            }
        );
        if policy.mode == hrry::Mode::Strict && broken {
            let error = ended.expect_err("a gap");
            prop_assert_eq!(error.kind.rule(), Some(Rule::Gap));
            prop_assert_eq!(Some(error.origin), model.fault.head);
            return Ok(());
        }
        prop_assert_eq!(ended, Ok(step.ended));
        let torn = validator.finish().err().map(|error| error.kind);
        let expected = step
            .torn
            .map(|(level, declared, seen)| hrry::ErrorKind::Torn {
                level,
                declared,
                seen,
            });
        prop_assert_eq!(torn, expected);
    }
    prop_assert_eq!(validator.depth(), 0);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: (400 * scale()) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn trees_bind_as_the_model_says(tree in trees()) {
        let model = model(&tree, usize::MAX);
        run(&model, Policy::STRICT)?;
        run(&model, Policy::PERMISSIVE)?;
    }

    /// A gap refuses at the close of its partition, or flags everything around it.
    #[test]
    fn a_gap_anywhere_in_a_tree(tree in trees(), target in 0..4usize) {
        let model = model(&tree, target);
        run(&model, Policy::STRICT)?;
        run(&model, Policy::PERMISSIVE)?;
    }
}
