//! Decisions from a list of numbers: what is built from smaller numbers is simpler, so that a failing
//! case shrinks with its list.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

/// Decisions still to be made; all are the simplest when the numbers are used up.
#[derive(Debug)]
pub struct Choices<'a> {
    left: std::slice::Iter<'a, u32>,
}

impl<'a> Choices<'a> {
    /// Decides by these numbers.
    pub fn new(numbers: &'a [u32]) -> Self {
        Choices {
            left: numbers.iter(),
        }
    }

    /// Any number of 64 bits.
    pub fn any(&mut self) -> u64 {
        let mut half = || u64::from(self.left.next().copied().unwrap_or(0));
        half() << 32 | half()
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.below(256) as u8
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        u64::from(self.left.next().copied().unwrap_or(0)) % n
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == n - 1
    }

    /// One of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len() as u64) as usize]
    }
}

/// Runs `test` on random lists of `len` numbers, the same lists in every run.
pub fn check(cases: u32, len: usize, test: impl Fn(&mut Choices<'_>) -> Result<(), String>) {
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = proptest::test_runner::TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let numbers = proptest::collection::vec(any::<u32>(), len).prop_map(Numbers);
    let outcome = runner.run(&numbers, |Numbers(numbers)| {
        test(&mut Choices::new(&numbers)).map_err(TestCaseError::fail)
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// A list that prints without the zeros at its end.
struct Numbers(Vec<u32>);

impl std::fmt::Debug for Numbers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end = self.0.iter().rposition(|n| *n != 0).map_or(0, |k| k + 1);
        write!(f, "{:?}", &self.0[..end])
    }
}
