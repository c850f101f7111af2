//! Where in the file `old` may stand: stretches that share lines or words with it.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use super::file_lines::FileLines;
use super::reading::{BLANK_HASH, KeyHasher, Reading, key_hash, words};

/// Most stretches that are aligned.
const MAX_REGIONS: usize = 6;
/// A hit on a line that the file has more often than this says nothing.
const MAX_FREQUENCY: u32 = 4000;

/// The file and the hash of what each line says.
#[derive(Debug)]
pub(super) struct FileIndex<'t> {
    pub(super) lines: FileLines<'t>,
    pub(super) hashes: Vec<u64>,
}

impl<'t> FileIndex<'t> {
    pub(super) fn new(text: &'t str) -> FileIndex<'t> {
        let lines = FileLines::new(text);
        let hasher = KeyHasher::new(text);
        let hashes = (0..lines.count()).map(|line| hasher.hash(lines.content(line))).collect();
        FileIndex { lines, hashes }
    }
}

/// How strongly each line of the file resembles some line of `old`.
pub(super) struct Heat {
    values: Vec<f32>,
}

impl Heat {
    /// By whole lines that say the same.
    pub(super) fn of_lines(file: &FileIndex<'_>, old: &[Reading<'_>]) -> Heat {
        let mut wanted = Wanted::default();
        let mut weights: Vec<f32> = Vec::new();
        for line in old.iter().filter(|line| !line.is_blank()) {
            if wanted.add(key_hash(line.text)) {
                weights.push(line.weight);
            }
        }
        let mut hits: Vec<(usize, usize)> = Vec::new();
        for (at, hash) in file.hashes.iter().enumerate() {
            if let Some(slot) = wanted.hit(*hash) {
                hits.push((at, slot));
            }
        }
        let mut values = vec![0.0; file.hashes.len()];
        for (at, slot) in hits {
            let count = wanted.counts[slot];
            if count <= MAX_FREQUENCY {
                values[at] = weights[slot] * (0.35 + 0.65 / count as f32);
            }
        }
        Heat { values }
    }

    /// By single words, the rarer the warmer; what whole lines have said already stays.
    pub(super) fn add_words(&mut self, file: &FileIndex<'_>, old: &[Reading<'_>]) {
        let mut wanted = Wanted::default();
        for word in old.iter().flat_map(|line| words(&line.norm)).filter(|word| word.len() > 2) {
            wanted.add(word_hash(word.as_bytes()));
        }
        let mut hits: Vec<(usize, usize)> = Vec::new();
        for line in 0..self.values.len() {
            for_each_word(file.lines.content(line), |hash| hits.extend(wanted.hit(hash).map(|slot| (line, slot))));
        }
        let mut last = vec![usize::MAX; wanted.counts.len()];
        for (line, slot) in hits {
            let count = wanted.counts[slot];
            if count <= MAX_FREQUENCY && last[slot] != line {
                self.values[line] += 0.3 / count as f32 + 0.02;
            }
            last[slot] = line;
        }
        for value in &mut self.values {
            *value = value.min(1.2);
        }
    }

    /// The stretches of `height` lines that are warm, with `margin` lines around, none overlapping, warmest first.
    pub(super) fn regions(&self, height: usize, margin: usize) -> Vec<Region> {
        let count = self.values.len();
        let height = height.clamp(1, count.max(1));
        let mut sum: f64 = self.values[..height.min(count)].iter().map(|value| f64::from(*value)).sum();
        let mut warmth: Vec<f32> = Vec::with_capacity((count + 1).saturating_sub(height));
        for at in 0..(count + 1).saturating_sub(height) {
            if at > 0 {
                sum += f64::from(self.values[at + height - 1]) - f64::from(self.values[at - 1]);
            }
            warmth.push(sum as f32);
        }
        let mut found: Vec<Region> = Vec::new();
        while found.len() < MAX_REGIONS {
            let Some((at, best)) = warmest(&warmth) else { break };
            if best <= 0.02 || found.first().is_some_and(|first| best < first.warmth * 0.2) {
                break;
            }
            let lines = at.saturating_sub(margin)..(at + height + margin).min(count);
            found.push(Region { lines, warmth: best });
            let windows = warmth.len();
            warmth[at.saturating_sub(height - 1)..(at + height).min(windows)].fill(0.0);
        }
        merged(found)
    }
}

/// A stretch of the file in which `old` may stand.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Region {
    pub(super) lines: Range<usize>,
    pub(super) warmth: f32,
}

fn warmest(warmth: &[f32]) -> Option<(usize, f32)> {
    let mut best: Option<(usize, f32)> = None;
    for (at, value) in warmth.iter().enumerate() {
        if best.is_none_or(|(_, most)| *value > most) {
            best = Some((at, *value));
        }
    }
    best
}

/// Overlapping stretches as one, warmest first.
fn merged(mut regions: Vec<Region>) -> Vec<Region> {
    regions.sort_by_key(|region| region.lines.start);
    let mut out: Vec<Region> = Vec::new();
    for region in regions {
        match out.last_mut() {
            Some(last) if region.lines.start <= last.lines.end => {
                last.lines.end = last.lines.end.max(region.lines.end);
                last.warmth = last.warmth.max(region.warmth);
            }
            _ => out.push(region),
        }
    }
    out.sort_by(|a, b| b.warmth.total_cmp(&a.warmth));
    out
}

fn word_hash(word: &[u8]) -> u64 {
    word.iter().fold(BLANK_HASH, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

/// Bytes that words are made of.
const IS_WORD: [bool; 256] = {
    let mut is_word = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        is_word[byte] = (byte as u8).is_ascii_alphanumeric() || byte == b'_' as usize || byte >= 0x80;
        byte += 1;
    }
    is_word
};

/// Calls `each` with the hash of every word of three bytes or more.
fn for_each_word(line: &str, mut each: impl FnMut(u64)) {
    let (mut hash, mut length) = (BLANK_HASH, 0);
    for byte in line.as_bytes() {
        if IS_WORD[usize::from(*byte)] {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
            length += 1;
        } else {
            if length > 2 {
                each(hash);
            }
            (hash, length) = (BLANK_HASH, 0);
        }
    }
    if length > 2 {
        each(hash);
    }
}

/// Hashes that are looked for, how often each was met, and a filter that says quickly that one is not among them.
#[derive(Default)]
struct Wanted {
    slots: HashMap<u64, usize, BuildHasherDefault<AsItIs>>,
    counts: Vec<u32>,
    filter: Vec<u64>,
}

impl Wanted {
    /// Adds a hash; `false` if it was there.
    fn add(&mut self, hash: u64) -> bool {
        if self.slots.contains_key(&hash) {
            return false;
        }
        self.filter.resize(FILTER_WORDS, 0);
        let (word, bit) = filter_place(hash);
        self.filter[word] |= bit;
        self.slots.insert(hash, self.counts.len());
        self.counts.push(0);
        true
    }

    /// Counts a hash that was met; its number if it is wanted.
    fn hit(&mut self, hash: u64) -> Option<usize> {
        let (word, bit) = filter_place(hash);
        if self.filter.get(word).is_none_or(|bits| bits & bit == 0) {
            return None;
        }
        let slot = *self.slots.get(&hash)?;
        self.counts[slot] += 1;
        Some(slot)
    }
}

/// 4096 bits of filter: a query has a few hundred words at most.
const FILTER_WORDS: usize = 64;

fn filter_place(hash: u64) -> (usize, u64) {
    ((hash >> 58) as usize, 1 << ((hash >> 40) & 63))
}

/// Hashes are hashed already.
#[derive(Default)]
struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash << 8 | u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stretch_that_shares_most_is_found() {
        let text =
            "alpha(one)\nbeta\n}\n".repeat(20) + "needle(x)\n  haystack ( 'y' );\n}\n" + &"gamma\n}\n".repeat(20);
        let file = FileIndex::new(&text);
        let old: Vec<Reading<'_>> = ["needle(x)", "haystack(\"y\")"].map(Reading::new).to_vec();
        assert_eq!(Heat::of_lines(&file, &old).regions(2, 1)[0].lines, Range { start: 59, end: 63 });
    }

    #[test]
    fn words_find_what_no_whole_line_does() {
        let text = "first line here\nsecond thing there\n".repeat(10) + "some quaint expression of taste\n";
        let file = FileIndex::new(&text);
        let old: Vec<Reading<'_>> = ["sme quaint expresion of taste"].map(Reading::new).to_vec();
        let mut heat = Heat::of_lines(&file, &old);
        assert!(heat.regions(1, 0).is_empty());
        heat.add_words(&file, &old);
        assert_eq!(heat.regions(1, 0)[0].lines, Range { start: 20, end: 21 });
    }
}
