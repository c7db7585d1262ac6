//! What can be said of many numbers: extremes, mean, deviation, zeros.

use super::element;
use crate::model::Statistics;

/// Extremes, mean, deviation and counts of numbers that are added one by one, in float64.
///
/// NaNs are counted and left out of everything else, infinities out of mean and deviation. These two follow
/// every number by updating (Welford), so that a mean far from 0 costs no digits.
///
/// ```
/// use hrry::Summary;
/// let mut summary = Summary::new();
/// summary.extend([2.0, 4.0, 0.0, f64::NAN, 6.0]);
/// assert_eq!((summary.min(), summary.max()), (Some(0.0), Some(6.0)));
/// assert_eq!((summary.mean(), summary.stddev()), (Some(3.0), Some(5f64.sqrt())));
/// assert_eq!((summary.count(), summary.zeros(), summary.nans()), (5, 1, 1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "defmt", derive(defmt::Format))]
pub struct Summary {
    count: u64,
    zeros: u64,
    nans: u64,
    infinities: u64,
    min: f64,
    max: f64,
    mean: f64,
    /// Sum of the squares of the distances from the mean.
    squares: f64,
}

impl Summary {
    /// Of no numbers.
    #[must_use]
    pub fn new() -> Self {
        Summary::default()
    }

    /// Takes in a number.
    pub fn add(&mut self, x: f64) {
        self.add_times(x, 1);
    }

    /// Takes in a number so many times, as the zeros of a sparse tensor.
    pub fn add_times(&mut self, x: f64, times: u64) {
        if times == 0 {
            return;
        }
        let more = |count: &mut u64| *count = count.saturating_add(times);
        more(&mut self.count);
        if x.is_nan() {
            more(&mut self.nans);
            return;
        }
        if x == 0.0 {
            more(&mut self.zeros);
        }
        (self.min, self.max) = if self.numbers() == times {
            (x, x)
        } else {
            (self.min.min(x), self.max.max(x))
        };
        if x.is_infinite() {
            more(&mut self.infinities);
            return;
        }
        let times = element::nearest_f64(times);
        let distance = x - self.mean;
        self.mean += distance * (times / element::nearest_f64(self.finite()));
        self.squares += times * distance * (x - self.mean);
    }

    /// All numbers, NaNs too. Counts stop at `u64::MAX`, and more numbers than that are not told apart.
    #[must_use]
    pub const fn count(&self) -> u64 {
        self.count
    }

    /// Numbers that are 0, of either sign.
    #[must_use]
    pub const fn zeros(&self) -> u64 {
        self.zeros
    }

    /// NaNs.
    #[must_use]
    pub const fn nans(&self) -> u64 {
        self.nans
    }

    /// Infinities of either sign.
    #[must_use]
    pub const fn infinities(&self) -> u64 {
        self.infinities
    }

    /// The smallest number; none where there is none.
    #[must_use]
    pub fn min(&self) -> Option<f64> {
        (self.numbers() > 0).then_some(self.min)
    }

    /// The largest number.
    #[must_use]
    pub fn max(&self) -> Option<f64> {
        (self.numbers() > 0).then_some(self.max)
    }

    /// The arithmetic mean of the finite numbers; NaN or infinite where their differences are too large for
    /// float64.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.finite() > 0).then_some(self.mean)
    }

    /// The population standard deviation of the finite numbers.
    #[must_use]
    pub fn stddev(&self) -> Option<f64> {
        let variance = self.squares / element::nearest_f64(self.finite().max(1));
        (self.finite() > 0).then(|| root(variance))
    }

    /// A statistics section that says so, with what cannot be said left out; the N:M pattern is not known here.
    ///
    /// In a sparse tensor `nnz` is the number of stored elements (STAT-04), which may be zeros too: state that
    /// of the layout there.
    ///
    /// ```
    /// use hrry::{F64Bits, Statistics, Summary};
    /// let mut summary = Summary::new();
    /// summary.extend([1.0, 0.0, -3.0, 0.0]);
    /// let statistics = summary.statistics();
    /// assert_eq!((statistics.nnz, statistics.sparsity_ratio), (2, F64Bits::from(0.5)));
    /// assert_eq!(statistics.value_abs_max, F64Bits::from(3.0));
    /// assert_eq!(statistics.computed_mask & Statistics::NM_SPARSITY_VALID, 0);
    /// ```
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let known = |mask: u32, holds: bool| if holds { mask } else { 0 };
        let (min, max) = (self.min().unwrap_or(0.0), self.max().unwrap_or(0.0));
        let (mean, stddev) = (self.mean().unwrap_or(0.0), self.stddev().unwrap_or(0.0));
        // sums of the largest numbers overflow
        let sums = self.mean().is_some() && mean.is_finite() && stddev.is_finite();
        let nonzero = self.count.saturating_sub(self.zeros);
        let ratio = element::nearest_f64(self.zeros) / element::nearest_f64(self.count.max(1));
        Statistics {
            computed_mask: Statistics::NNZ_VALID
                | Statistics::NAN_INF_VALID
                | known(Statistics::SPARSITY_VALID, self.count > 0)
                | known(Statistics::VALUE_RANGE_VALID, self.min().is_some())
                | known(Statistics::VALUE_STATS_VALID, sums),
            nnz: nonzero,
            sparsity_ratio: ratio.into(),
            value_min: min.into(),
            value_max: max.into(),
            value_abs_max: max.max(-min).into(),
            value_mean: mean.into(),
            value_stddev: stddev.into(),
            nm_n: 0,
            nm_m: 0,
            has_nan: (self.nans > 0).into(),
            has_inf: (self.infinities > 0).into(),
        }
    }

    fn numbers(&self) -> u64 {
        self.count.saturating_sub(self.nans)
    }

    fn finite(&self) -> u64 {
        self.numbers().saturating_sub(self.infinities)
    }
}

impl Extend<f64> for Summary {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, numbers: I) {
        for x in numbers {
            self.add(x);
        }
    }
}

/// The square root, rounded to nearest: the core library has none.
fn root(x: f64) -> f64 {
    if x.is_nan() || x <= 0.0 || x.is_infinite() {
        // -0.0 and 0.0, infinity and NaN are their own
        return x;
    }
    let bits = x.to_bits();
    let exponent = bits.wrapping_shr(52);
    let fraction = bits & ((1 << 52) - 1);
    // x = significand x 2^power
    let (significand, power) = match exponent {
        0 => (fraction, -1074i64),
        _ => (
            fraction | (1 << 52),
            exponent.cast_signed().wrapping_sub(1075),
        ),
    };
    // so that the root has 55 bits or more, two more than are kept, and the power is even
    let shift = significand.leading_zeros().wrapping_add(46);
    let odd = power.wrapping_sub(shift.into()) & 1 != 0;
    let shift = shift.wrapping_add(odd.into());
    let square = u128::from(significand).wrapping_shl(shift);
    let floor = square.isqrt();
    let exact = floor.wrapping_mul(floor) == square;
    // what is cut off leaves its trace in a bit of its own
    let twice = u64::try_from(floor).unwrap_or(0).wrapping_shl(1) | u64::from(!exact);
    let half = power
        .wrapping_sub(shift.into())
        .wrapping_shr(1)
        .wrapping_sub(1);
    // the root of a float is far from the smallest and the largest one
    let near = element::nearest_f64(twice).to_bits();
    f64::from_bits(near.wrapping_add(half.cast_unsigned().wrapping_shl(52)))
}

#[cfg(test)]
mod tests {
    use super::root;

    #[test]
    fn roots_are_those_of_the_standard_library() {
        let mut bits = 0x0123_4567_89AB_CDEFu64;
        let count = if cfg!(miri) { 200 } else { 20_000 };
        for _ in 0..count {
            // a linear congruential generator, for patterns all over the positive floats
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let x = f64::from_bits(bits >> 1);
            if !x.is_nan() {
                assert_eq!(root(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
            }
        }
        for x in [
            0.0,
            -0.0,
            1.0,
            4.0,
            2.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            f64::INFINITY,
        ] {
            assert_eq!(root(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
        }
    }
}
