//! Small containers made by hand.

use hrry::{BufferHandle, CombineOp, CompositeHead, CompositionRule, ElementType, Policy};

use super::equal::as_read_there;
use super::here::{Here, view};
use crate::plan::{LayoutPlan, Plan, ShardPlan};
use crate::tree::Tree;

/// Eight bytes in host memory.
pub fn eight() -> Tree {
    tensor(&[8], BufferHandle::cpu(8, 64))
}

/// A row-major tensor of bytes.
pub fn tensor(shape: &[u64], handle: BufferHandle) -> Tree {
    Tree::Tensor {
        buffers: vec![vec![7; handle.byte_size as usize]],
        plan: Plan::new(
            ElementType::UInt8,
            shape.to_vec(),
            LayoutPlan::RowMajor,
            vec![handle],
        ),
    }
}

/// The head of a composite of bytes.
pub fn head(rule: CompositionRule, shape: &[u64], member_count: u32) -> Plan {
    let layout = LayoutPlan::Composite(CompositeHead {
        composition_rule: rule,
        combine_op: CombineOp::None,
        member_count,
    });
    Plan::new(ElementType::UInt8, shape.to_vec(), layout, vec![])
}

/// A composite of these members.
pub fn composite(rule: CompositionRule, shape: &[u64], members: Vec<Tree>) -> Tree {
    let head = head(rule, shape, members.len() as u32);
    Tree::Composite { head, members }
}

/// The tensor at that place of a whole.
pub fn part(mut tree: Tree, parent_shape: &[u64], shard_offset: &[u64]) -> Tree {
    tree.each_plan(&mut |plan| {
        plan.shard = Some(ShardPlan {
            parent_shape: parent_shape.to_vec(),
            shard_offset: shard_offset.to_vec(),
        });
    });
    tree
}

/// What both read alike.
pub fn both_read(file: &[u8]) -> Here {
    let here = view(file, Policy::STRICT).unwrap();
    as_read_there(file, &here, &Policy::STRICT).unwrap();
    here
}
