//! How alike two strings are: twice the longest common subsequence over both lengths.

use super::budget::Budget;

/// Bytes of a line that are compared; what lies behind counts as different only by its length.
const MAX_COMPARED: usize = 1024;

/// A string made ready to be compared with many.
#[derive(Debug)]
pub(super) struct Pattern<'a> {
    bytes: &'a [u8],
    histogram: Histogram,
    /// For each byte value and 64-byte block of the string, where the byte stands in it.
    masks: Vec<[u64; 256]>,
}

impl<'a> Pattern<'a> {
    pub(super) fn new(text: &'a str) -> Pattern<'a> {
        let bytes = compared(text);
        Pattern { bytes, histogram: Histogram::new(text), masks: Vec::new() }
    }

    /// Likeness to `other`, 0 to 1; 0 where it is below `cutoff`.
    pub(super) fn likeness(&mut self, other: &str, histogram: &Histogram, cutoff: f32, budget: &mut Budget) -> f32 {
        let bytes = compared(other);
        let total = self.bytes.len() + bytes.len();
        if total == 0 {
            return 1.0;
        }
        let needed = cutoff * total as f32 / 2.0;
        let most = self.bytes.len().min(bytes.len());
        if (most as f32) < needed || (self.histogram.shared(histogram) as f32) < needed {
            return 0.0;
        }
        let blocks = self.bytes.len().div_ceil(64);
        if !budget.spend(bytes.len() * blocks) {
            return 0.0;
        }
        let likeness = 2.0 * self.common(bytes) as f32 / total as f32;
        if likeness < cutoff { 0.0 } else { likeness }
    }

    /// Length of the longest common subsequence, 64 rows at a time (Hyyrö 2004).
    fn common(&mut self, other: &[u8]) -> usize {
        if self.masks.is_empty() {
            self.masks = vec![[0; 256]; self.bytes.len().div_ceil(64)];
            for (at, byte) in self.bytes.iter().enumerate() {
                self.masks[at / 64][usize::from(*byte)] |= 1 << (at % 64);
            }
        }
        if let [mask] = self.masks.as_slice() {
            let mut row = u64::MAX;
            for byte in other {
                let matches = row & mask[usize::from(*byte)];
                row = row.wrapping_add(matches) | (row - matches);
            }
            return (!row).count_ones() as usize;
        }
        let mut rows = vec![u64::MAX; self.masks.len()];
        for byte in other {
            let mut carry = 0;
            for (row, mask) in rows.iter_mut().zip(&self.masks) {
                let matches = *row & mask[usize::from(*byte)];
                let (sum, first) = row.overflowing_add(matches);
                let (sum, second) = sum.overflowing_add(carry);
                carry = u64::from(first || second);
                *row = sum | (*row - matches);
            }
        }
        rows.iter().map(|row| (!row).count_ones() as usize).sum()
    }
}

fn compared(text: &str) -> &[u8] {
    &text.as_bytes()[..text.len().min(MAX_COMPARED)]
}

/// How often each kind of byte occurs: an upper bound of what two strings have in common, at a glance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Histogram {
    counts: [u8; 32],
    /// Some kind occurs too often to be counted.
    is_full: bool,
}

impl Histogram {
    pub(super) fn new(text: &str) -> Histogram {
        let mut counts = [0u8; 32];
        for byte in compared(text) {
            let count = &mut counts[usize::from(*byte & 31)];
            *count = count.saturating_add(1);
        }
        Histogram { is_full: counts.contains(&u8::MAX), counts }
    }

    /// No fewer than the bytes that both have; saturated counts stand for any number.
    fn shared(&self, other: &Histogram) -> usize {
        if self.is_full || other.is_full {
            return usize::MAX;
        }
        self.counts.iter().zip(&other.counts).map(|(a, b)| u32::from((*a).min(*b))).sum::<u32>() as usize
    }
}

/// Likeness of two strings once; 0 to 1.
pub(super) fn likeness(a: &str, b: &str) -> f32 {
    if a == b {
        return 1.0;
    }
    Pattern::new(a).likeness(b, &Histogram::new(b), 0.0, &mut Budget::of(1 << 22))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(a: &str, b: &str) -> f32 {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        let mut row = vec![0usize; b.len() + 1];
        for x in a {
            let mut diagonal = 0;
            for (j, y) in b.iter().enumerate() {
                let above = row[j + 1];
                row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
                diagonal = above;
            }
        }
        if a.is_empty() && b.is_empty() { 1.0 } else { 2.0 * row[b.len()] as f32 / (a.len() + b.len()) as f32 }
    }

    #[test]
    fn likeness_is_the_common_share() {
        for (a, b, expected) in [("", "", 1.0), ("abc", "abc", 1.0), ("abcd", "abxd", 0.75), ("ab", "cd", 0.0)] {
            assert_eq!(likeness(a, b), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn below_the_cutoff_it_is_nothing() {
        let mut pattern = Pattern::new("abcdef");
        let other = "abcxyz";
        let mut ask = |cutoff| pattern.likeness(other, &Histogram::new(other), cutoff, &mut Budget::of(1000));
        assert_eq!((ask(0.6), ask(0.4)), (0.0, 0.5));
    }

    proptest::proptest! {
        #[test]
        fn bits_count_as_the_table_does(a in "[a-d]{0,150}", b in "[a-d]{0,150}") {
            proptest::prop_assert!((likeness(&a, &b) - slow(&a, &b)).abs() < 1e-6);
        }
    }
}
