//! Random tilings of small heads, and near-tilings.

use crate::support::{Rng, Tile};

/// Most members of a generated partition.
const MEMBERS: usize = 12;

/// A head of that rank with at most 200 cells; now and then one without cells.
pub fn shape(rng: &mut Rng, rank: usize) -> Vec<u64> {
    loop {
        let longest = [31, 14, 6, 6][rank - 1];
        let shape: Vec<u64> = (0..rank)
            .map(|_| match rng.below(40) {
                0 => 0,
                _ => 1 + rng.below(longest - 1),
            })
            .collect();
        if shape.iter().product::<u64>() <= 200 {
            return shape;
        }
    }
}

/// A tiling by cuts, by a pinwheel that cuts may follow, or boxes at random.
pub fn tiles(rng: &mut Rng, shape: &[u64]) -> Vec<Tile> {
    let whole = Tile {
        offset: vec![0; shape.len()],
        shape: shape.to_vec(),
    };
    let mut tiles = match rng.below(8) {
        0 => {
            let count = rng.below(6);
            return (0..count).map(|_| anywhere(rng, shape)).collect();
        }
        1..=3 => pinwheel(rng, &whole).unwrap_or_else(|| vec![whole]),
        _ => vec![whole],
    };
    for _ in 0..rng.below(9) {
        let k = rng.below(tiles.len() as u64) as usize;
        let axis = rng.below(shape.len() as u64) as usize;
        if tiles[k].shape[axis] >= 2 {
            let at = 1 + rng.below(tiles[k].shape[axis] - 1);
            let behind = cut(&mut tiles[k], axis, at);
            tiles.push(behind);
        }
    }
    tiles
}

/// Spoils a tiling in one of ten ways, some of which leave it whole.
pub fn mutate(rng: &mut Rng, shape: &[u64], tiles: &mut Vec<Tile>) {
    if tiles.is_empty() || tiles.len() >= MEMBERS {
        return;
    }
    let k = rng.below(tiles.len() as u64) as usize;
    let axis = rng.below(shape.len() as u64) as usize;
    let room = shape[axis] - tiles[k].shape[axis];
    match rng.below(10) {
        0 => tiles.push(tiles[k].clone()),
        1 => drop(tiles.remove(k)),
        // the same volume elsewhere
        2 => tiles[k].offset[axis] = rng.below(room + 1),
        3 => {
            let other = rng.below(shape.len() as u64) as usize;
            let mut swapped = tiles[k].clone();
            swapped.offset.swap(axis, other);
            swapped.shape.swap(axis, other);
            if inside(shape, &swapped) {
                tiles[k] = swapped;
            }
        }
        4 => {
            let mut grown = tiles[k].clone();
            grown.shape[axis] += 1;
            if rng.below(2) == 0 {
                grown.offset[axis] = grown.offset[axis].saturating_sub(1);
            }
            if inside(shape, &grown) {
                tiles[k] = grown;
            }
        }
        5 => {
            if tiles[k].shape[axis] > 0 {
                tiles[k].shape[axis] -= 1;
            }
        }
        6 | 7 => {
            let mut empty = anywhere(rng, shape);
            empty.shape[axis] = 0;
            tiles.push(empty);
        }
        // one tile twice, another of its shape never
        8 => {
            let twin = tiles
                .iter()
                .rposition(|other| other.shape == tiles[k].shape);
            tiles[k].offset = tiles[twin.unwrap_or(k)].offset.clone();
        }
        _ => tiles[k] = anywhere(rng, shape),
    }
}

/// A box in the head, sometimes without cells.
fn anywhere(rng: &mut Rng, shape: &[u64]) -> Tile {
    let ranges = shape.iter().map(|size| {
        let (a, b) = (rng.below(size + 1), rng.below(size + 1));
        (a.min(b), a.abs_diff(b))
    });
    let (offset, shape) = ranges.unzip();
    Tile { offset, shape }
}

fn inside(shape: &[u64], tile: &Tile) -> bool {
    (0..shape.len()).all(|k| tile.offset[k] + tile.shape[k] <= shape[k])
}

/// Cuts a tile in two and returns the part behind the cut.
fn cut(tile: &mut Tile, axis: usize, at: u64) -> Tile {
    let mut behind = tile.clone();
    behind.offset[axis] += at;
    behind.shape[axis] -= at;
    tile.shape[axis] = at;
    behind
}

/// Five boxes around a middle one, which no cut from side to side separates.
fn pinwheel(rng: &mut Rng, whole: &Tile) -> Option<Vec<Tile>> {
    let long: Vec<usize> = (0..whole.shape.len())
        .filter(|k| whole.shape[*k] >= 3)
        .collect();
    let [x, y] = *long.get(..2)? else { return None };
    let mut between = |size: u64| {
        let first = 1 + rng.below(size - 2);
        (first, first + 1 + rng.below(size - first - 1))
    };
    let (width, height) = (whole.shape[x], whole.shape[y]);
    let ((a, b), (c, d)) = (between(width), between(height));
    let ranges = [
        (0, b, 0, c),
        (b, width, 0, d),
        (a, width, d, height),
        (0, a, c, height),
        (a, b, c, d),
    ];
    let tile = |(from_x, to_x, from_y, to_y): (u64, u64, u64, u64)| {
        let mut tile = whole.clone();
        (tile.offset[x], tile.shape[x]) = (from_x, to_x - from_x);
        (tile.offset[y], tile.shape[y]) = (from_y, to_y - from_y);
        tile
    };
    Some(ranges.into_iter().map(tile).collect())
}
