//! The best so many of a stream of results.

use std::collections::BTreeMap;

/// Keeps the entries with the smallest keys that together weigh at least `most`; heavier totals lose their last entries.
#[derive(Debug)]
pub(super) struct Best<K, V> {
    most: usize,
    weight: usize,
    kept: BTreeMap<K, (usize, V)>,
}

impl<K: Ord, V> Best<K, V> {
    pub(super) fn new(most: usize) -> Best<K, V> {
        Best { most, weight: 0, kept: BTreeMap::new() }
    }

    /// Whether an entry with this key would be kept.
    pub(super) fn wants(&self, key: &K) -> bool {
        !self.is_full() || self.kept.last_key_value().is_some_and(|(last, _)| key < last)
    }

    pub(super) fn is_full(&self) -> bool {
        self.weight >= self.most
    }

    pub(super) fn add(&mut self, key: K, weight: usize, value: V) {
        if !self.wants(&key) {
            return;
        }
        self.weight += weight;
        self.kept.insert(key, (weight, value));
        while let Some((_, (last, _))) = self.kept.last_key_value()
            && self.weight - last >= self.most
        {
            self.weight -= last;
            self.kept.pop_last();
        }
    }

    /// What was kept, smallest key first.
    pub(super) fn into_sorted(self) -> impl Iterator<Item = (K, V)> {
        self.kept.into_iter().map(|(key, (_, value))| (key, value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_are_kept_up_to_the_weight() {
        let mut best = Best::new(4);
        for (key, weight) in [(5, 3), (9, 2), (1, 1), (7, 9), (2, 1)] {
            best.add(key, weight, ());
        }
        assert!(!best.wants(&6) && best.wants(&3));
        let keys: Vec<i32> = best.into_sorted().map(|(key, ())| key).collect();
        assert_eq!(keys, [1, 2, 5], "2 would do with 5's three, 9 and 7 are past the weight");
    }
}
