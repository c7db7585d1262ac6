//! The judge: paints every cell.

use crate::support::Tile;

/// Boxes painted in the order of their members.
pub struct Painting {
    /// The first member that paints over others, and those: one bit for each member.
    pub overlap: Option<(u32, u64)>,
    pub complete: bool,
    /// Cells of the head, and of all members.
    pub asked: u64,
    pub painted: u64,
}

impl Painting {
    pub fn new(shape: &[u64], tiles: &[Tile]) -> Self {
        let asked = shape.iter().product::<u64>();
        let mut cells = vec![0u64; asked as usize];
        let mut painting = Painting {
            overlap: None,
            complete: true,
            asked,
            painted: 0,
        };
        for (member, tile) in (0..).zip(tiles) {
            let mut others = 0;
            for (index, cell) in cells.iter_mut().enumerate() {
                if holds(shape, tile, index as u64) {
                    others |= *cell;
                    *cell |= 1 << member;
                    painting.painted += 1;
                }
            }
            if others != 0 && painting.overlap.is_none() {
                painting.overlap = Some((member, others));
            }
        }
        painting.complete = cells.iter().all(|cell| *cell != 0);
        painting
    }

    pub fn is_exact(&self) -> bool {
        self.complete && self.overlap.is_none()
    }
}

/// Whether two disjoint boxes make one box.
pub fn join(a: &Tile, b: &Tile) -> bool {
    let volume = |sizes: &[u64]| sizes.iter().product::<u64>();
    let hull = (0..a.shape.len()).map(|k| {
        let end = (a.offset[k] + a.shape[k]).max(b.offset[k] + b.shape[k]);
        end - a.offset[k].min(b.offset[k])
    });
    hull.product::<u64>() == volume(&a.shape) + volume(&b.shape)
}

/// Whether a cell, counted row by row, lies in a box.
fn holds(shape: &[u64], tile: &Tile, index: u64) -> bool {
    let mut rest = index;
    (0..shape.len()).rev().all(|k| {
        let place = rest % shape[k];
        rest /= shape[k];
        tile.offset[k] <= place && place < tile.offset[k] + tile.shape[k]
    })
}
