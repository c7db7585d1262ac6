//! Random trees of composites, through a stream and back.

use hrry::owned::descriptor::MemberRole;
use hrry::owned::layout::{
    CombineOp, CompositeLayout, CompositionRule, CooLayout, LayoutDescriptor,
};
use hrry::owned::{
    AlignedBuffer, Buffer, BufferHandle, Composite, ElementType, Item, ItemReader, Node, Shape,
    ShardDescriptor, Tensor, TensorDescriptor, TensorDescriptorBuilder,
};
use hrry::{Policy, StreamWriter};
use proptest::prelude::*;

use crate::support::scale::{Rng, scale};

const DEEPEST: u8 = 8;

/// Where an item goes: its shape, its type, and what the composite around it asks for.
#[derive(Clone)]
struct Place {
    element_type: ElementType,
    shape: Vec<u64>,
    /// Parent shape and offset.
    shard: Option<[Vec<u64>; 2]>,
    member_role: Option<MemberRole>,
}

impl Place {
    fn alone(rng: &mut Rng) -> Place {
        let types = [ElementType::UInt8, ElementType::Float32, ElementType::Int4];
        Place {
            element_type: types[rng.below(3)],
            shape: (0..1 + rng.below(2)).map(|_| rng.below(9) as u64).collect(),
            shard: None,
            member_role: None,
        }
    }

    /// From `offset` on along the first axis.
    fn part(&self, offset: u64, len: u64) -> Place {
        let mut part = self.clone();
        part.shape[0] = len;
        let mut from = vec![0; self.shape.len()];
        from[0] = offset;
        part.shard = Some([self.shape.clone(), from]);
        part
    }

    fn builder(&self) -> TensorDescriptorBuilder {
        let shape = Shape::new(self.shape.clone()).unwrap();
        let mut builder = TensorDescriptor::builder(self.element_type, shape);
        if let Some([parent, offset]) = &self.shard {
            let shard = ShardDescriptor::new(parent.clone(), offset.clone());
            builder = builder.shard(shard.unwrap());
        }
        if let Some(role) = self.member_role {
            builder = builder.member_role(role);
        }
        builder
    }

    fn tensor(&self, rng: &mut Rng) -> Item {
        let rank = self.shape.len() as u64;
        let elements: u64 = self.shape.iter().product();
        let bytes = |n: u64| (n * u64::from(self.element_type.bits())).div_ceil(8);
        let (layout, sizes) = match rng.below(3) {
            0 => {
                let nnz = elements / 2;
                let layout = LayoutDescriptor::Coo(CooLayout::new(nnz, false));
                (layout, vec![bytes(nnz), nnz * rank * 8])
            }
            1 => (LayoutDescriptor::ColumnMajor, vec![bytes(elements) + 1]),
            _ => (LayoutDescriptor::RowMajor, vec![bytes(elements)]),
        };
        let handles: Vec<_> = sizes.iter().map(|n| BufferHandle::cpu(*n, 64)).collect();
        let descriptor = self.builder().layout(layout).buffers(handles).build();
        let buffers = sizes.iter().map(|size| {
            let bytes: Vec<u8> = (0..*size).map(|_| rng.byte()).collect();
            match rng.below(2) {
                0 => Buffer::from(bytes),
                _ => Buffer::from(AlignedBuffer::copy_of(&bytes).unwrap()),
            }
        });
        let buffers = buffers.collect();
        Tensor::new(descriptor.unwrap(), buffers).unwrap().into()
    }

    fn head(&self, rule: CompositionRule, members: Vec<Item>) -> Item {
        let layout = CompositeLayout::new(rule, members.len() as u32).unwrap();
        let head = self.builder().layout(LayoutDescriptor::Composite(layout));
        Composite::new(head.build().unwrap(), members)
            .unwrap()
            .into()
    }
}

/// An item with exactly that many levels of heads.
fn tree(rng: &mut Rng, levels: u8, place: Place) -> Item {
    if levels == 0 {
        return place.tensor(rng);
    }
    // one member takes the tree down; the others stay flat
    let others = rng.below(4);
    let deep = rng.below(others + 1);
    let levels_of = |k, rng: &mut Rng| match k == deep {
        true => levels - 1,
        false => (rng.below(2) as u8).min(levels - 1),
    };
    match rng.below(if levels == 1 { 3 } else { 2 }) {
        0 => {
            let members = (0..=others).map(|k| {
                let levels = levels_of(k, rng);
                let place = Place::alone(rng);
                tree(rng, levels, place)
            });
            let members = members.collect();
            place.head(CompositionRule::Group, members)
        }
        1 => {
            let size = place.shape[0];
            let mut cuts: Vec<u64> = (0..others)
                .map(|_| rng.below(size as usize + 1) as u64)
                .collect();
            cuts.extend([0, size]);
            cuts.sort_unstable();
            let mut parts: Vec<(u64, u64)> = cuts.windows(2).map(|w| (w[0], w[1] - w[0])).collect();
            for k in (1..parts.len()).rev() {
                parts.swap(k, rng.below(k + 1));
            }
            let members = parts.into_iter().enumerate().map(|(k, (offset, len))| {
                let levels = levels_of(k, rng);
                tree(rng, levels, place.part(offset, len))
            });
            let members = members.collect();
            place.head(CompositionRule::Partition, members)
        }
        _ => {
            let mut members = Vec::new();
            for k in 0..=others {
                let size = place.shape[0];
                let offset = if k == 0 {
                    0
                } else {
                    rng.below(size as usize + 1) as u64
                };
                let mut part = place.part(offset, size - offset);
                part.member_role = Some(match k {
                    0 => MemberRole::Base,
                    _ => MemberRole::Correction,
                });
                members.push(part.tensor(rng));
            }
            let op = [CombineOp::Replace, CombineOp::Add][rng.below(2)];
            place.head(CompositionRule::Overlay(op), members)
        }
    }
}

/// The stream of an item, put together piece by piece.
fn model(item: &Item, out: &mut Vec<u8>) {
    out.extend(item.descriptor().encode_to_vec().unwrap());
    match item {
        Item::Tensor(tensor) => {
            for buffer in tensor.buffers() {
                out.extend(&buffer[..]);
            }
        }
        Item::Composite(composite) => {
            for member in composite.members() {
                model(member, out);
            }
        }
    }
}

fn levels(item: &Item) -> u8 {
    match item {
        Item::Tensor(_) => 0,
        Item::Composite(composite) => {
            let below = composite.members().iter().map(levels).max();
            1 + below.unwrap_or(0)
        }
    }
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: (300 * scale()) as u32,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn trees_come_back_equal(seed in any::<u64>(), depth in 0..=DEEPEST) {
        let mut rng = Rng(seed);
        let place = Place::alone(&mut rng);
        let item = tree(&mut rng, depth, place);
        prop_assert_eq!(levels(&item), depth);

        let mut expected = Vec::new();
        model(&item, &mut expected);
        let stream = item.encode_to_vec().unwrap();
        prop_assert_eq!(&stream, &expected);

        let both = stream.repeat(2);
        let mut reader = ItemReader::new(Policy::STRICT);
        let mut items = Vec::new();
        let mut start = 0;
        for end in rng.cuts(both.len()).into_iter().chain([both.len()]) {
            let mut chunk = &both[start..end];
            start = end;
            while let Some(item) = reader.next_item(&mut chunk).unwrap() {
                items.push(item);
            }
        }
        prop_assert_eq!(reader.finish(), Ok(()));
        prop_assert_eq!(items, vec![item.clone(), item]);
    }
}

#[test]
fn the_ninth_level_is_refused() {
    let mut rng = Rng(9);
    let place = Place::alone(&mut rng);
    let deepest = tree(&mut rng, DEEPEST, place.clone());
    let layout = CompositeLayout::new(CompositionRule::Group, 1).unwrap();
    let head = place.builder().layout(LayoutDescriptor::Composite(layout));
    let error = Composite::new(head.build().unwrap(), vec![deepest]).unwrap_err();
    assert_eq!(error.rule().unwrap().id(), "COMP-20");
}

#[test]
fn items_come_in_the_order_of_a_stream() {
    let tensor = |len: u64| {
        let place = Place {
            element_type: ElementType::UInt8,
            shape: vec![len],
            shard: None,
            member_role: None,
        };
        place.tensor(&mut Rng(len))
    };
    let group = |len: u64, members| {
        let place = Place {
            element_type: ElementType::UInt8,
            shape: vec![len],
            shard: None,
            member_role: None,
        };
        place.head(CompositionRule::Group, members)
    };
    let inner = group(3, vec![tensor(4), group(5, vec![])]);
    let outer = group(1, vec![tensor(2), inner, tensor(6)]);
    let order: Vec<(bool, u64)> = outer
        .items()
        .map(|node| {
            let head = matches!(node, Node::Head(_));
            let shape = node.descriptor().view().shape();
            (head, shape.get(0).unwrap())
        })
        .collect();
    let expected = [
        (true, 1),
        (false, 2),
        (true, 3),
        (false, 4),
        (true, 5),
        (false, 6),
    ];
    assert_eq!(order, expected);
}

#[test]
fn writers_refuse_a_member_that_does_not_belong() {
    let mut rng = Rng(4);
    let place = Place::alone(&mut rng);
    let whole = tree(&mut rng, 1, place);
    let mut writer = StreamWriter::growing(Vec::new(), Policy::STRICT);
    let layout = CompositeLayout::new(CompositionRule::Partition, 1).unwrap();
    let head = TensorDescriptor::builder(ElementType::Bool, Shape::new([3]).unwrap())
        .layout(LayoutDescriptor::Composite(layout))
        .build()
        .unwrap();
    writer.tensor(&head, &[]).unwrap();
    assert!(whole.write_to(&mut writer).is_err());
}
