//! Block-paged tensors, for the lookups of both sides.

use hrry::{
    AddressError, BlockPaged, BlockTableIndexType, BufferHandle, ElementType, KvRole, Pages,
    check_content, locate_stored,
};
use hurray_core::Error;
use hurray_core::layout::addressing::block_paged::{
    element_offset_u32, element_offset_u64, validate_index_buffers_u32, validate_index_buffers_u64,
};

use crate::choices::Choices;
use crate::places::{same_place, their_byte};
use crate::plan::{LayoutPlan, Plan};
use crate::policy;
use crate::sizes::width;

/// Pages as numbers.
#[derive(Clone, Debug)]
pub struct Paged {
    page_size: u32,
    num_pages: u64,
    heads: u64,
    dimensions: u64,
    /// Pages of the sequences, one sequence after the other.
    pub table: Vec<u64>,
    /// Where in the table each sequence starts, and where the last one ends.
    pub sequences: Vec<u64>,
}

impl Paged {
    /// Pages by choices.
    pub fn random(c: &mut Choices<'_>) -> Self {
        let num_pages = 1 + c.below(5);
        let mut sequences = vec![0];
        for _ in 0..c.below(4) {
            sequences.push(sequences.last().unwrap() + c.below(4));
        }
        let logical = *sequences.last().unwrap();
        Paged {
            page_size: 1 + c.below(4) as u32,
            num_pages,
            heads: 1 + c.below(3),
            dimensions: 1 + c.below(3),
            // pages may be shared
            table: (0..logical).map(|_| c.below(num_pages)).collect(),
            sequences,
        }
    }

    fn num_seqs(&self) -> u32 {
        self.sequences.len() as u32 - 1
    }

    fn slots(&self) -> u64 {
        self.table.len() as u64 * u64::from(self.page_size)
    }

    fn plan(&self, element_type: ElementType, wide: bool) -> Plan {
        let number = if wide { 8 } else { 4 };
        let pool = self.num_pages * u64::from(self.page_size) * self.heads * self.dimensions;
        let sizes = [
            width(element_type, None).bytes(pool),
            self.table.len() as u64 * number,
            self.sequences.len() as u64 * number,
        ];
        let layout = LayoutPlan::BlockPaged(BlockPaged {
            page_size: self.page_size,
            num_pages: self.num_pages,
            paged_axis: 0,
            num_seqs: self.num_seqs(),
            kv_role: KvRole::Key,
            layer_index: 0,
            block_table_index_type: BlockTableIndexType(wide.into()),
        });
        let buffers = sizes.map(|size| BufferHandle::cpu(size, 64)).to_vec();
        let shape = vec![self.slots(), self.heads, self.dimensions];
        Plan::new(element_type, shape, layout, buffers)
    }

    /// Position in the pool, by the reference.
    fn theirs(&self, [s, t, h, d]: [u64; 4], wide: bool) -> Result<u64, Error> {
        let (size, pages) = (self.page_size, self.num_pages);
        let (heads, dimensions) = (self.heads, self.dimensions);
        if wide {
            let (table, sequences) = (&self.table, &self.sequences);
            return element_offset_u64(
                s, t, h, d, size, pages, heads, dimensions, table, sequences,
            );
        }
        let (table, sequences) = (narrow(&self.table), narrow(&self.sequences));
        element_offset_u32(
            s, t, h, d, size, pages, heads, dimensions, &table, &sequences,
        )
    }

    /// Every buffer.
    fn bytes(&self, plan: &Plan, wide: bool) -> [Vec<u8>; 3] {
        let le = |numbers: &[u64]| {
            let bytes = numbers.iter().flat_map(|n| n.to_le_bytes());
            let kept = bytes.enumerate().filter(|(k, _)| wide || k % 8 < 4);
            kept.map(|(_, byte)| byte).collect()
        };
        let pool = vec![0; plan.buffers[0].byte_size as usize];
        [pool, le(&self.table), le(&self.sequences)]
    }

    /// Whether we accept the index buffers: the number of the rule they break.
    pub fn our_rule(&self, wide: bool) -> Option<&'static str> {
        let plan = self.plan(ElementType::UInt8, wide);
        let bytes = self.bytes(&plan, wide);
        let checked = plan.with_spec(|spec| check_content(spec, &bytes, &mut [], &policy()));
        checked
            .err()
            .map(|e| e.rule().map_or("no rule", |rule| rule.id()))
    }

    /// Whether the reference accepts them.
    pub fn they_accept(&self, wide: bool) -> bool {
        let (pages, num_seqs) = (self.num_pages, self.num_seqs());
        if wide {
            return validate_index_buffers_u64(pages, num_seqs, &self.sequences, &self.table)
                .is_ok();
        }
        let (sequences, table) = (narrow(&self.sequences), narrow(&self.table));
        validate_index_buffers_u32(pages, num_seqs, &sequences, &table).is_ok()
    }

    /// Compares every token of every sequence (AMB-41), and one past each end.
    pub fn compare(&self, element_type: ElementType, wide: bool) -> Result<(), String> {
        let plan = self.plan(element_type, wide);
        let bytes = self.bytes(&plan, wide);
        let buffers = [&bytes[0][..], &bytes[1], &bytes[2]];
        let parts: Vec<[u64; 2]> = (0..=self.heads)
            .flat_map(|h| (0..=self.dimensions).map(move |d| [h, d]))
            .collect();
        plan.with_spec(|spec| {
            let pages = Pages::new(spec, &buffers).map_err(|e| e.to_string())?;
            // every slot is a token here, so that its place along dimension 0 names it
            let mut place = 0;
            for s in 0..=self.num_seqs() {
                let slots = pages.slots(s).unwrap_or(0);
                for t in 0..=slots {
                    for [h, d] in &parts {
                        let theirs = self.theirs([s.into(), t, *h, *d], wide);
                        let position = match (pages.position(s, t, *h, *d), theirs) {
                            (Ok(ours), Ok(theirs)) if ours == theirs => theirs,
                            (
                                Err(AddressError::OutOfRange { .. }),
                                Err(Error::IndexOutOfRange { .. }),
                            ) => continue,
                            (ours, theirs) => {
                                let index = [u64::from(s), t, *h, *d];
                                return Err(format!("{index:?}: {ours:?} here, {theirs:?} there"));
                            }
                        };
                        let ours = locate_stored(spec, &buffers, &[place, *h, *d]);
                        let ours = ours.map(|e| e.expect("pages store every element"));
                        let theirs = their_byte(&plan, position);
                        same_place(ours, theirs, plan.buffers[0].byte_size)?;
                    }
                    place += u64::from(t < slots);
                }
            }
            let all = place == self.slots();
            all.then_some(()).ok_or_else(|| format!("{place} tokens"))
        })
    }
}

fn narrow(numbers: &[u64]) -> Vec<u32> {
    numbers.iter().map(|n| *n as u32).collect()
}
