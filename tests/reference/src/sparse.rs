//! Sparse tensors built from the indexes of what they store, for the lookups of both sides.

use hrry::{BufferHandle, ElementType, check_content, encode, locate_stored};
use hurray_core::layout::addressing::{coo, csc, csf, csr};
use hurray_core::{Error, layout::addressing::csf::validate_index_buffers};

use crate::places::{Seen, indexes, same_place, their_byte};
use crate::plan::{LayoutPlan, Plan};
use crate::policy;
use crate::sizes::width;

/// A sparse tensor whose values are all the same.
#[derive(Clone, Debug)]
pub struct Sparse {
    pub plan: Plan,
    /// The buffers behind the values.
    pub numbers: Vec<Vec<u64>>,
}

impl Sparse {
    /// Entries in any order; `is_sorted` says whether it is that of their indexes.
    pub fn coo(
        element_type: ElementType,
        shape: &[u64],
        entries: &[Vec<u64>],
        is_sorted: bool,
    ) -> Self {
        let nnz = entries.len() as u64;
        let layout = LayoutPlan::Coo { nnz, is_sorted };
        Self::new(element_type, shape, layout, nnz, vec![entries.concat()])
    }

    /// Compressed rows, or columns: entries in any order.
    pub fn compressed(
        element_type: ElementType,
        shape: &[u64],
        entries: &[Vec<u64>],
        columns: bool,
    ) -> Self {
        let line = usize::from(columns);
        let mut entries = entries.to_vec();
        entries.sort_by_key(|entry| (entry[line], entry[1 - line]));
        let nnz = entries.len() as u64;
        let across = entries.iter().map(|entry| entry[1 - line]).collect();
        let before = |n: u64| entries.iter().filter(|entry| entry[line] < n).count() as u64;
        let pointers = (0..=shape[line]).map(before).collect();
        let layout = if columns {
            LayoutPlan::Csc(nnz)
        } else {
            LayoutPlan::Csr(nnz)
        };
        Self::new(element_type, shape, layout, nnz, vec![across, pointers])
    }

    /// Compressed fibres: entries in any order.
    pub fn csf(
        element_type: ElementType,
        shape: &[u64],
        entries: &[Vec<u64>],
        mode_order: &[u32],
    ) -> Self {
        let along = |entry: &Vec<u64>| mode_order.iter().map(|m| entry[*m as usize]).collect();
        let mut paths: Vec<Vec<u64>> = entries.iter().map(along).collect();
        paths.sort();
        let nodes = |depth: usize| {
            let mut nodes: Vec<Vec<u64>> =
                paths.iter().map(|path| path[..depth].to_vec()).collect();
            nodes.dedup();
            nodes
        };
        let mut numbers = Vec::new();
        for level in 0..shape.len() {
            // the root is there without any entry
            let parents = if level == 0 {
                vec![vec![]]
            } else {
                nodes(level)
            };
            let children = nodes(level + 1);
            let before = |parent: &Vec<u64>| {
                let first = children.iter().position(|node| node[..level] >= parent[..]);
                first.unwrap_or(children.len()) as u64
            };
            let mut pointers: Vec<u64> = parents.iter().map(before).collect();
            pointers.push(children.len() as u64);
            numbers.push(pointers);
            numbers.push(children.iter().map(|node| node[level]).collect());
        }
        let nnz = paths.len() as u64;
        let mode_order = mode_order.to_vec();
        let layout = LayoutPlan::Csf { nnz, mode_order };
        Self::new(element_type, shape, layout, nnz, numbers)
    }

    fn new(
        element_type: ElementType,
        shape: &[u64],
        layout: LayoutPlan,
        nnz: u64,
        numbers: Vec<Vec<u64>>,
    ) -> Self {
        let values = width(element_type, None).bytes(nnz);
        let sizes = numbers.iter().map(|numbers| numbers.len() as u64 * 8);
        let buffers = std::iter::once(values).chain(sizes);
        let buffers = buffers.map(|size| BufferHandle::cpu(size, 64)).collect();
        Sparse {
            plan: Plan::new(element_type, shape.to_vec(), layout, buffers),
            numbers,
        }
    }

    /// Every buffer.
    pub fn bytes(&self) -> Vec<Vec<u8>> {
        // float8_e8m0 has no zero
        let value = match self.plan.element_type {
            ElementType::Float8E8M0 => 0x7F,
            _ => 0,
        };
        let values = vec![value; self.plan.buffers[0].byte_size as usize];
        let le = |numbers: &Vec<u64>| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        std::iter::once(values)
            .chain(self.numbers.iter().map(le))
            .collect()
    }

    /// Whether we accept the index buffers: the number of the rule they break.
    pub fn our_rule(&self) -> Option<&'static str> {
        let mut scratch = vec![0; 8 * self.numbers[0].len()];
        let checked = self
            .plan
            .with_spec(|spec| check_content(spec, &self.bytes(), &mut scratch, &policy()));
        let rule = |e: hrry::ContentError| e.rule().map_or("no rule", |rule| rule.id());
        checked.err().map(rule)
    }

    /// Whether the reference accepts the index buffers of compressed fibres.
    pub fn they_accept(&self) -> bool {
        let LayoutPlan::Csf { nnz, mode_order } = &self.plan.layout else {
            panic!("not compressed fibres");
        };
        let (pos, crd) = self.levels();
        validate_index_buffers(*nnz, mode_order, &self.plan.shape, &pos, &crd).is_ok()
    }

    fn levels(&self) -> (Vec<&[u64]>, Vec<&[u64]>) {
        let (pointers, coordinates) = self.numbers.iter().map(Vec::as_slice).enumerate().fold(
            (vec![], vec![]),
            |(mut pointers, mut coordinates), (k, numbers)| {
                if k % 2 == 0 {
                    &mut pointers
                } else {
                    &mut coordinates
                }
                .push(numbers);
                (pointers, coordinates)
            },
        );
        (pointers, coordinates)
    }

    /// Where among the values an element is, by the reference.
    pub fn their_position(&self, index: &[u64]) -> Result<Option<u64>, Error> {
        let numbers = &self.numbers;
        match &self.plan.layout {
            LayoutPlan::Coo { is_sorted, .. } => {
                coo::element_offset(index, *is_sorted, &numbers[0])
            }
            LayoutPlan::Csr(_) => csr::element_offset(index, &numbers[0], &numbers[1]),
            LayoutPlan::Csc(_) => csc::element_offset(index, &numbers[0], &numbers[1]),
            LayoutPlan::Csf { mode_order, .. } => {
                let (pos, crd) = self.levels();
                csf::element_offset(index, mode_order, &pos, &crd)
            }
            other => panic!("not sparse: {other:?}"),
        }
    }

    /// Compares at every index, after both have accepted the tensor; returns how many elements are stored.
    pub fn compare(&self) -> Result<u64, String> {
        let mut out = [0; 1000];
        let written = self
            .plan
            .with_spec(|spec| encode(spec, &mut out, &policy()));
        written.map_err(|error| format!("we write: {error}"))?;
        if let Some(rule) = self.our_rule() {
            return Err(format!("buffers break {rule} here"));
        }
        if matches!(self.plan.layout, LayoutPlan::Csf { .. }) && !self.they_accept() {
            return Err("buffers are refused there".into());
        }
        let bytes = self.bytes();
        let buffers: Vec<&[u8]> = bytes.iter().map(Vec::as_slice).collect();
        let mut stored = Seen::default();
        for index in indexes(&self.plan.shape) {
            let ours = self
                .plan
                .with_spec(|spec| locate_stored(spec, &buffers, &index));
            let theirs = self.their_position(&index);
            let compared = match (ours, theirs) {
                (Ok(None), Ok(None)) => continue,
                (Ok(Some(ours)), Ok(Some(position))) => {
                    let theirs = their_byte(&self.plan, position);
                    same_place(Ok(ours), theirs, self.plan.buffers[0].byte_size)
                }
                (ours, theirs) => Err(format!("{ours:?} here, {theirs:?} there")),
            };
            stored += compared.map_err(|error| format!("{index:?}: {error}"))?;
        }
        Ok(stored.placed)
    }
}
