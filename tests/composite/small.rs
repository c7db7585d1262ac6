//! Every way to check a partition against a painter, on small heads, cell by cell: 5,000 partitions for
//! each rank.

use crate::painter::{self, Painting};
use crate::support::{Rng, Tile, partition, scale};
use crate::tilings;
use hrry::{
    CompositeValidator, Cover, ErrorKind, Exact, ExactThenKeyed, InlineArena, Key, Keyed, Method,
    Outcome, Policy, Resource, Rule, SetError, corners,
};

/// Words of an arena that a few boxes fill: one of rank 4, six of rank 1.
const SMALL: usize = 24;

/// One partition and the painter's judgement.
struct Case {
    shape: Vec<u64>,
    tiles: Vec<Tile>,
    painting: Painting,
}

#[test]
fn rank_1_agrees_with_the_painter() {
    agree(1);
}

#[test]
fn rank_2_agrees_with_the_painter() {
    agree(2);
}

#[test]
fn rank_3_agrees_with_the_painter() {
    agree(3);
}

#[test]
fn rank_4_agrees_with_the_painter() {
    agree(4);
}

fn agree(rank: usize) {
    let mut rng = Rng(0xC0FE + rank as u64);
    let cases = 5_000 * scale();
    let (mut exact, mut overlap, mut gap, mut same_volume) = (0, 0, 0, 0);
    for _ in 0..cases {
        let case = Case::new(&mut rng, rank);
        case.check(&mut rng);
        let painting = &case.painting;
        exact += u64::from(painting.is_exact());
        overlap += u64::from(painting.overlap.is_some());
        gap += u64::from(!painting.complete);
        let equal = painting.painted == painting.asked && !painting.is_exact();
        same_volume += u64::from(equal);
    }
    // each kind is there in numbers
    assert!(exact > cases / 8, "{exact} exact");
    assert!(overlap > cases / 8, "{overlap} overlaps");
    assert!(gap > cases / 8, "{gap} gaps");
    assert!(
        same_volume > cases / 100,
        "{same_volume} wrong ones of the right volume"
    );
}

impl Case {
    fn new(rng: &mut Rng, rank: usize) -> Self {
        let shape = tilings::shape(rng, rank);
        let mut tiles = tilings::tiles(rng, &shape);
        for _ in 0..rng.below(3) {
            tilings::mutate(rng, &shape, &mut tiles);
        }
        if rng.below(4) > 0 {
            rng.shuffle(&mut tiles);
        }
        let painting = Painting::new(&shape, &tiles);
        Case {
            shape,
            tiles,
            painting,
        }
    }

    fn check(&self, rng: &mut Rng) {
        let key = Key([rng.next(), rng.next()]);
        let exact = self.run(Exact, InlineArena::<256>::new(), Policy::STRICT);
        self.is_exact_verdict(exact);
        let grown = self.run(ExactThenKeyed(key), Vec::new(), Policy::STRICT);
        assert_eq!(grown, exact, "{}", self.text());
        let keyed = self.run(Keyed(key), InlineArena::<SMALL>::new(), Policy::STRICT);
        assert_eq!(keyed, self.at_close(Method::Keyed), "{}", self.text());

        let small = self.run(Exact, InlineArena::<SMALL>::new(), Policy::STRICT);
        if small != exact {
            self.is_capacity(small);
        }
        let small = self.run(
            ExactThenKeyed(key),
            InlineArena::<SMALL>::new(),
            Policy::STRICT,
        );
        if small != exact {
            assert_eq!(small, keyed, "{}", self.text());
        }
        self.is_relaxed(
            self.run(Exact, Vec::new(), Policy::PERMISSIVE),
            Method::Exact,
        );
        let keyed = self.run(Keyed(key), Vec::new(), Policy::PERMISSIVE);
        self.is_relaxed(keyed, Method::Keyed);
        self.corners();
    }

    fn run<C: Cover, A: hrry::Arena>(
        &self,
        cover: C,
        arena: A,
        policy: Policy,
    ) -> Result<Outcome, SetError> {
        let mut validator = CompositeValidator::with_arena(cover, arena, policy);
        partition(&mut validator, &self.shape, &self.tiles)
    }

    /// An overlap is reported when it arrives, with a member that is really there.
    fn is_exact_verdict(&self, verdict: Result<Outcome, SetError>) {
        let Some((later, earlier)) = self.painting.overlap else {
            assert_eq!(verdict, self.at_close(Method::Exact), "{}", self.text());
            return;
        };
        let Err(SetError {
            kind:
                ErrorKind::Overlap {
                    member,
                    first,
                    last,
                },
            ..
        }) = verdict
        else {
            panic!("{verdict:?} {}", self.text());
        };
        assert_eq!(member, later, "{}", self.text());
        assert!(first <= last && last < later, "{}", self.text());
        let named = (first..=last).any(|k| earlier >> k & 1 == 1);
        assert!(named, "{first}..={last} {}", self.text());
        let before = &self.tiles[..later as usize];
        let mut pairs = (0..before.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        if !pairs.any(|(a, b)| painter::join(&before[a], &before[b])) {
            assert_eq!(first, last, "nothing merged {}", self.text());
        }
    }

    /// What the end of the last member says where nothing was found before.
    fn at_close(&self, method: Method) -> Result<Outcome, SetError> {
        if let Some(rule) = self.rule_at_close() {
            let violation = hrry::Violation {
                rule,
                field: hrry::Field::Shape,
                index: 0,
            };
            return Err(SetError {
                kind: violation.into(),
                origin: 0,
            });
        }
        Ok(closed(Ok(()), method))
    }

    /// Less than the head's volume is a gap; as much or more, and not the head, an overlap.
    fn rule_at_close(&self) -> Option<Rule> {
        let painting = &self.painting;
        if painting.is_exact() {
            None
        } else if painting.painted < painting.asked {
            Some(Rule::Gap)
        } else {
            Some(Rule::Overlap)
        }
    }

    /// Permissive mode takes every member and flags the composite.
    fn is_relaxed(&self, verdict: Result<Outcome, SetError>, method: Method) {
        let overlap = method == Method::Exact && self.painting.overlap.is_some();
        let broken = if overlap {
            Some(Rule::Overlap)
        } else {
            self.rule_at_close()
        };
        let complete = broken.map_or(Ok(()), Err);
        assert_eq!(verdict, Ok(closed(complete, method)), "{}", self.text());
    }

    fn is_capacity(&self, verdict: Result<Outcome, SetError>) {
        let Err(SetError {
            kind:
                ErrorKind::Capacity {
                    what: Resource::Arena,
                    needed,
                    available,
                },
            ..
        }) = verdict
        else {
            panic!("{verdict:?} {}", self.text());
        };
        assert_eq!(available, SMALL as u64);
        // one box more than there is room for
        let len = 2 * self.shape.len() as u64 + 1;
        assert!(needed > available && needed <= available + len);
    }

    /// The whole set at once names the smallest later member, then the smallest earlier one.
    fn corners(&self) {
        let numbers = |tile: &Tile| [&tile.offset[..], &tile.shape[..]].concat();
        let boxes: Vec<u64> = self.tiles.iter().flat_map(numbers).collect();
        let words = corners::scratch_words(&self.shape, &boxes).unwrap() as usize;
        let verdict = corners::exact_cover(&self.shape, &boxes, &mut vec![7; words]);
        let expected = match self.painting.overlap {
            Some((member, earlier)) => {
                let first = earlier.trailing_zeros();
                Err(ErrorKind::Overlap {
                    member,
                    first,
                    last: first,
                })
            }
            None => self
                .at_close(Method::Exact)
                .map(drop)
                .map_err(|error| error.kind),
        };
        assert_eq!(verdict, expected, "{}", self.text());
        if words > 0 {
            let short = corners::exact_cover(&self.shape, &boxes, &mut vec![7; words - 1]);
            let capacity = ErrorKind::Capacity {
                what: Resource::Arena,
                needed: words as u64,
                available: words as u64 - 1,
            };
            assert_eq!(short, Err(capacity), "{}", self.text());
        }
    }

    fn text(&self) -> String {
        format!("head {:?} members {:?}", self.shape, self.tiles)
    }
}

fn closed(complete: Result<(), Rule>, method: Method) -> Outcome {
    Outcome::Closed {
        levels: 1,
        complete,
        method: Some(method),
    }
}
