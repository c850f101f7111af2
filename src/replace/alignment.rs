//! Which lines of `old` stand for which lines of the text.

use std::ops::Range;

/// Lines of `old` and the lines of the text they are; one side may hold several where lines were joined or split.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Pair {
    pub(super) old: Range<usize>,
    pub(super) file: Range<usize>,
}

/// Pairs in rising order on both sides. Lines between them stand for nothing.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Alignment {
    pub(super) pairs: Vec<Pair>,
    /// The first line of `old` is only the rest of its line in the text.
    pub(super) cut_head: bool,
    /// The last line of `old` is only the beginning of its line in the text.
    pub(super) cut_tail: bool,
    /// For every line of `old` the pair it belongs to.
    place: Vec<Option<usize>>,
}

impl Alignment {
    pub(super) fn new(old_count: usize, pairs: Vec<Pair>) -> Alignment {
        let mut place = vec![None; old_count];
        for (at, pair) in pairs.iter().enumerate() {
            place[pair.old.clone()].fill(Some(at));
        }
        Alignment { pairs, cut_head: false, cut_tail: false, place }
    }

    /// The pair that line `old` belongs to.
    pub(super) fn pair(&self, old: usize) -> Option<&Pair> {
        self.place.get(old).copied().flatten().map(|at| &self.pairs[at])
    }

    /// The line of the text that line `old` stands for all alone.
    pub(super) fn single(&self, old: usize) -> Option<usize> {
        self.pair(old).filter(|pair| pair.old.len() == 1 && pair.file.len() == 1).map(|pair| pair.file.start)
    }

    /// The lines of the text from the first pair to the last.
    pub(super) fn file_range(&self) -> Range<usize> {
        let start = self.pairs.first().map_or(0, |pair| pair.file.start);
        start..self.pairs.last().map_or(start, |pair| pair.file.end)
    }
}
