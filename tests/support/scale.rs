//! How much of a large number of cases a run looks at, and random numbers that are the same every time.

/// `HRRY_TEST_SCALE`.
pub fn scale() -> usize {
    match std::env::var("HRRY_TEST_SCALE") {
        Ok(text) => text.parse().expect("HRRY_TEST_SCALE is a whole number"),
        Err(_) => 1,
    }
}

/// Distance of the cases that a test looks at which samples one of `k`.
pub fn every(k: usize) -> usize {
    (k / scale().max(1)).max(1)
}

/// SplitMix64.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// From 0 up to and without `end`, which is above 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    /// Up to 20 ascending cuts of an input; two of them may be the same.
    pub fn cuts(&mut self, len: usize) -> Vec<usize> {
        let count = 1 + self.below(20);
        let mut cuts: Vec<usize> = (0..count).map(|_| self.below(len + 1)).collect();
        cuts.sort_unstable();
        cuts
    }
}
