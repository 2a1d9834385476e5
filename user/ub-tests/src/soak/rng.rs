// SPDX-License-Identifier: GPL-2.0

//! Numbers that look random and come again from the same seed.

/// A generator.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed and a path of numbers under it.
    pub fn new(seed: u64, path: &[u64]) -> Self {
        let mut rng = Rng(seed | 1);
        for step in path {
            rng.0 ^= step.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            rng.next();
        }
        rng
    }

    /// The next number.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A number below a limit; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit.max(1)
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_again() {
        let list = |seed, path: &[u64]| {
            let mut rng = Rng::new(seed, path);
            (0..9).map(|_| rng.next()).collect::<Vec<_>>()
        };
        assert_eq!(list(7, &[1, 2]), list(7, &[1, 2]));
        assert_ne!(list(7, &[1, 2]), list(7, &[2, 1]));
        assert_ne!(list(7, &[]), list(9, &[]));
    }
}
