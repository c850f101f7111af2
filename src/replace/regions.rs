//! Where in the file `old` may stand: stretches that share lines or words with it.

use std::collections::HashMap;
use std::ops::Range;

use super::file_lines::FileLines;
use super::reading::{BLANK_HASH, Reading, key_hash, words};

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
        let hashes = (0..lines.count()).map(|line| key_hash(lines.content(line))).collect();
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
        let mut wanted: HashMap<u64, (f32, u32)> = HashMap::new();
        for line in old.iter().filter(|line| !line.is_blank()) {
            wanted.insert(key_hash(line.text), (line.weight, 0));
        }
        let filter = Filter::new(wanted.keys().copied());
        let mut hits: Vec<usize> = Vec::new();
        for (at, hash) in file.hashes.iter().enumerate() {
            if *hash != BLANK_HASH
                && filter.may_hold(*hash)
                && let Some((_, count)) = wanted.get_mut(hash)
            {
                *count += 1;
                hits.push(at);
            }
        }
        let mut values = vec![0.0; file.hashes.len()];
        for at in hits {
            let (weight, count) = wanted[&file.hashes[at]];
            if count <= MAX_FREQUENCY {
                values[at] = weight * (0.35 + 0.65 / count as f32);
            }
        }
        Heat { values }
    }

    /// By single words, the rarer the warmer; what whole lines have said already stays.
    pub(super) fn add_words(&mut self, file: &FileIndex<'_>, old: &[Reading<'_>]) {
        let mut wanted: HashMap<u64, (u32, usize)> = HashMap::new();
        for word in old.iter().flat_map(|line| words(&line.norm)).filter(|word| word.len() > 2) {
            wanted.insert(word_hash(word.as_bytes()), (0, usize::MAX));
        }
        let filter = Filter::new(wanted.keys().copied());
        let mut hits: Vec<(usize, u64)> = Vec::new();
        for line in 0..self.values.len() {
            for_each_word(file.lines.content(line), |hash| {
                if filter.may_hold(hash)
                    && let Some((count, last)) = wanted.get_mut(&hash)
                    && *last != line
                {
                    (*count, *last) = (*count + 1, line);
                    hits.push((line, hash));
                }
            });
        }
        for (line, hash) in hits {
            let count = wanted[&hash].0;
            if count <= MAX_FREQUENCY {
                self.values[line] += 0.3 / count as f32 + 0.02;
            }
        }
        for value in &mut self.values {
            *value = value.min(1.2);
        }
    }

    /// The warmest stretches of `height` lines, with `margin` lines around, none overlapping, in the file's order.
    pub(super) fn regions(&self, height: usize, margin: usize) -> Vec<Range<usize>> {
        let count = self.values.len();
        let height = height.clamp(1, count.max(1));
        let mut sums = Vec::with_capacity(count + 1);
        sums.push(0.0f64);
        for value in &self.values {
            sums.push(sums[sums.len() - 1] + f64::from(*value));
        }
        let windows = (count + 1).saturating_sub(height);
        let mut warmth: Vec<f32> = (0..windows).map(|at| (sums[at + height] - sums[at]) as f32).collect();
        let (mut found, mut best_of_all): (Vec<Range<usize>>, f32) = (Vec::new(), 0.0);
        while found.len() < MAX_REGIONS {
            let Some((at, best)) = warmest(&warmth) else { break };
            if best <= 0.02 || best < best_of_all * 0.2 {
                break;
            }
            best_of_all = best_of_all.max(best);
            found.push(at.saturating_sub(margin)..(at + height + margin).min(count));
            warmth[at.saturating_sub(height - 1)..(at + height).min(windows)].fill(0.0);
        }
        merged(found)
    }
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

/// Overlapping stretches as one.
fn merged(mut regions: Vec<Range<usize>>) -> Vec<Range<usize>> {
    regions.sort_by_key(|region| region.start);
    let mut out: Vec<Range<usize>> = Vec::new();
    for region in regions {
        match out.last_mut() {
            Some(last) if region.start <= last.end => last.end = last.end.max(region.end),
            _ => out.push(region),
        }
    }
    out
}

fn word_hash(word: &[u8]) -> u64 {
    word.iter().fold(BLANK_HASH, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3))
}

/// Calls `each` with the hash of every word of three bytes or more.
fn for_each_word(line: &str, mut each: impl FnMut(u64)) {
    let (mut hash, mut length) = (BLANK_HASH, 0);
    for byte in line.as_bytes() {
        if byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80 {
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

/// Says quickly that a hash is not among the wanted ones.
struct Filter([u64; 64]);

impl Filter {
    fn new(hashes: impl Iterator<Item = u64>) -> Filter {
        let mut bits = [0; 64];
        for hash in hashes {
            bits[(hash >> 58) as usize] |= 1 << ((hash >> 40) & 63);
        }
        Filter(bits)
    }

    fn may_hold(&self, hash: u64) -> bool {
        self.0[(hash >> 58) as usize] >> ((hash >> 40) & 63) & 1 == 1
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
        assert_eq!(Heat::of_lines(&file, &old).regions(2, 1), [Range { start: 59, end: 63 }]);
    }

    #[test]
    fn words_find_what_no_whole_line_does() {
        let text = "first line here\nsecond thing there\n".repeat(10) + "some quaint expression of taste\n";
        let file = FileIndex::new(&text);
        let old: Vec<Reading<'_>> = ["sme quaint expresion of taste"].map(Reading::new).to_vec();
        let mut heat = Heat::of_lines(&file, &old);
        assert_eq!(heat.regions(1, 0), []);
        heat.add_words(&file, &old);
        assert_eq!(heat.regions(1, 0), [Range { start: 20, end: 21 }]);
    }
}
