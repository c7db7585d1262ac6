//! Covers of small grids: every method against cells that are painted one by one.

use hrry::{
    Arena, BufferHandle, CombineOp, CompositeHead, CompositeValidator, CompositionRule, Cover,
    DescriptorSpec, ElementType, ErrorKind, Exact, ExactThenKeyed, InlineArena, Key, Keyed, Layout,
    Policy, Rule, SetError, Shard, corners,
};

use crate::source::Source;

type Point = [u64; 3];

/// A box as half-open ranges in cells of the grid.
#[derive(Clone, Copy, Debug)]
struct Tile {
    from: Point,
    to: Point,
}

#[derive(Debug)]
struct Case {
    rank: usize,
    head: Tile,
    /// Length of a cell along each axis: the same grid at any size.
    cell: Point,
    tiles: Vec<Tile>,
}

/// Panics where a method differs from the painted grid.
pub fn composite(data: &[u8]) {
    let case = Case::new(&mut Source::new(data));
    let truth = case.truth();
    let key = Key([0x5eed, 0x0b0e]);

    let exact = case.validate(Exact, Vec::new());
    match truth {
        Truth::Covered => assert_eq!(exact, Ok(())),
        Truth::Gap => assert_eq!(rule(exact), Some(Rule::Gap)),
        Truth::Overlap { later, .. } => match exact.map_err(|error| error.kind) {
            Err(ErrorKind::Overlap {
                member,
                first,
                last,
            }) => {
                assert_eq!(member, later);
                assert!(first <= last && last < member);
                let span = first as usize..=last as usize;
                let other = &case.tiles[later as usize];
                assert!(case.tiles[span].iter().any(|tile| tile.overlaps(other)));
            }
            other => panic!("{other:?} for {truth:?}"),
        },
    }

    // less than the head is a gap, as much or more an overlap
    let keyed = case.validate(Keyed(key), InlineArena::<64>::new());
    let volume: u64 = case.tiles.iter().map(Tile::volume).sum();
    match truth {
        Truth::Covered => assert_eq!(keyed, Ok(())),
        _ if volume < case.head.volume() => assert_eq!(rule(keyed), Some(Rule::Gap)),
        _ => assert_eq!(rule(keyed), Some(Rule::Overlap)),
    }

    // an arena that has room for few boxes, so that the sum takes over
    let both = case.validate(ExactThenKeyed(key), InlineArena::<32>::new());
    assert_eq!(both.is_ok(), matches!(truth, Truth::Covered), "{both:?}");

    let whole_set = case.whole_set();
    match truth {
        Truth::Covered => assert_eq!(whole_set, Ok(())),
        Truth::Gap => assert_eq!(whole_set.map_err(|kind| kind.rule()), Err(Some(Rule::Gap))),
        Truth::Overlap { later, earlier } => assert_eq!(
            whole_set,
            Err(ErrorKind::Overlap {
                member: later,
                first: earlier,
                last: earlier
            })
        ),
    }
}

fn rule(result: Result<(), SetError>) -> Option<Rule> {
    result.err().and_then(|error| error.kind.rule())
}

#[derive(Clone, Copy, Debug)]
enum Truth {
    Covered,
    Gap,
    /// The smallest member that overlaps an earlier one, and the smallest of those.
    Overlap {
        later: u32,
        earlier: u32,
    },
}

impl Tile {
    fn sizes(&self) -> impl Iterator<Item = u64> {
        self.from
            .into_iter()
            .zip(self.to)
            .map(|(from, to)| to - from)
    }

    fn volume(&self) -> u64 {
        self.sizes().product()
    }

    fn overlaps(&self, other: &Tile) -> bool {
        self.volume() > 0
            && other.volume() > 0
            && (0..3).all(|k| self.from[k] < other.to[k] && other.from[k] < self.to[k])
    }

    fn holds(&self, cell: Point) -> bool {
        (0..3).all(|k| self.from[k] <= cell[k] && cell[k] < self.to[k])
    }
}

impl Case {
    /// A tiling from repeated cuts, shuffled, and then often broken.
    fn new(source: &mut Source<'_>) -> Self {
        let rank = 1 + source.below(3);
        let mut head = Tile {
            from: [0; 3],
            to: [1; 3],
        };
        let mut cell = [1; 3];
        for (size, edge) in head.to.iter_mut().zip(&mut cell).take(rank) {
            *size = source.below(7) as u64;
            *edge = source.pick(&[1, 1, 3, 1 << 20, 1 << 60, u64::MAX / 7]);
        }
        let mut tiles = vec![head];
        for _ in 0..source.below(16) {
            let k = source.below(tiles.len());
            let axis = source.below(rank);
            let (mut left, mut right) = (tiles[k], tiles[k]);
            let size = left.to[axis] - left.from[axis];
            // a cut at either end leaves an empty member
            let at = left.from[axis] + source.below(size as usize + 1) as u64;
            (left.to[axis], right.from[axis]) = (at, at);
            tiles[k] = left;
            tiles.insert(source.below(tiles.len() + 1), right);
        }
        for _ in 0..source.below(3) {
            let k = source.below(tiles.len());
            match source.below(4) {
                0 if tiles.len() > 1 => drop(tiles.remove(k)),
                1 => tiles.insert(source.below(tiles.len() + 1), tiles[k]),
                2 => {
                    let axis = source.below(rank);
                    tiles[k].from[axis] = source.below(tiles[k].to[axis] as usize + 1) as u64;
                }
                3 => {
                    let axis = source.below(rank);
                    let room = head.to[axis] - tiles[k].to[axis];
                    let by = source.below(room as usize + 1) as u64;
                    tiles[k].from[axis] += by;
                    tiles[k].to[axis] += by;
                }
                _ => {}
            }
        }
        Case {
            rank,
            head,
            cell,
            tiles,
        }
    }

    fn truth(&self) -> Truth {
        for (later, tile) in self.tiles.iter().enumerate() {
            let before = &self.tiles[..later];
            if let Some(earlier) = before.iter().position(|other| other.overlaps(tile)) {
                let (later, earlier) = (later as u32, earlier as u32);
                return Truth::Overlap { later, earlier };
            }
        }
        let [x, y, z] = self.head.to;
        let mut cells =
            (0..x).flat_map(|x| (0..y).flat_map(move |y| (0..z).map(move |z| [x, y, z])));
        let covered = cells.all(|cell| self.tiles.iter().any(|tile| tile.holds(cell)));
        if covered { Truth::Covered } else { Truth::Gap }
    }

    fn scaled(&self, numbers: impl Iterator<Item = u64>) -> Vec<u64> {
        numbers
            .zip(self.cell)
            .map(|(n, cell)| n * cell)
            .take(self.rank)
            .collect()
    }

    fn validate<C: Cover, A: Arena>(&self, cover: C, arena: A) -> Result<(), SetError> {
        let mut validator = CompositeValidator::with_arena(cover, arena, Policy::STRICT);
        let shape = self.scaled(self.head.to.into_iter());
        let head = Layout::Composite(CompositeHead {
            composition_rule: CompositionRule::Partition,
            combine_op: CombineOp::None,
            member_count: self.tiles.len() as u32,
        });
        validator.begin(&DescriptorSpec::new(ElementType::UInt8, &shape, head, &[]))?;
        validator.end()?;
        let buffers = [BufferHandle::cpu(64, 64)];
        for tile in &self.tiles {
            let (offset, size) = (
                self.scaled(tile.from.into_iter()),
                self.scaled(tile.sizes()),
            );
            let member = DescriptorSpec {
                shard: Some(Shard {
                    parent_shape: shape.as_slice().into(),
                    shard_offset: offset.as_slice().into(),
                }),
                ..DescriptorSpec::new(ElementType::UInt8, &size, Layout::RowMajor, &buffers)
            };
            validator.begin(&member)?;
            validator.end()?;
        }
        validator.finish()
    }

    fn whole_set(&self) -> Result<(), ErrorKind> {
        let head = self.scaled(self.head.to.into_iter());
        let boxes: Vec<u64> = self
            .tiles
            .iter()
            .flat_map(|tile| {
                let mut numbers = self.scaled(tile.from.into_iter());
                numbers.extend(self.scaled(tile.sizes()));
                numbers
            })
            .collect();
        let words = corners::scratch_words(&head, &boxes)?;
        corners::exact_cover(&head, &boxes, &mut vec![0; words as usize])
    }
}
