//! Whether a place is certain enough to act on.

use super::RefusalCode;
use super::align::{Candidate, OldText, SAME_KEY, STRONG};
use super::line_diff::Op;
use super::naming::names_differ;
use super::reading::{Reading, key_hash, words};
use super::regions::FileIndex;

/// Least share of old's weight that must be found.
const MIN_SCORE: f32 = 0.8;
/// Least share where the rest of the evidence is beyond doubt.
const MIN_SCORE_IF_PLAIN: f32 = 0.5;
/// Least distance to the best place that does not overlap.
const MIN_MARGIN: f32 = 0.1;
/// A distance to it that leaves no doubt.
const CLEAR_MARGIN: f32 = 0.25;
/// Texts of less weight are found literally or not at all.
const MIN_WEIGHT: f32 = 0.35;
/// A single line of less weight is no misspelt one.
const MIN_WEIGHT_MISSPELT: f32 = 0.5;
/// A single line of less weight may be meant as a part of lines.
const MIN_WEIGHT_WHOLE: f32 = 0.75;
/// A neighbour of less weight says nothing about a place by itself.
const MIN_WEIGHT_BESIDE: f32 = 0.2;
/// A line that the file has more often than this tells no place.
const MOST_OFTEN: usize = 3;
/// A line that is to change must be at least so like the file's.
const MIN_CHANGED: f32 = 0.55;
/// Lines of the file that old may leave out without saying so, besides one for three that it has.
const MOST_SKIPPED: usize = 2;
/// Share of old's weight that must be paired at all.
const MIN_FOUND: f32 = 0.55;
/// Share of old's weight that may name something else.
const MOST_DIFFERING: f32 = 0.34;
/// The same where nothing else in the file is like old.
const MOST_DIFFERING_ALONE: f32 = 0.6;
/// Lines that are looked for elsewhere.
const MOST_SOUGHT: usize = 64;
/// Lines around a place that still belong to it.
const NEIGHBOURHOOD: usize = 6;
/// A line so like the file's whose words are the same or misspelt is nearly as good as the same line.
const MISSPELT: f32 = 0.75;

/// What speaks for and against a place.
pub(super) struct Evidence<'a> {
    pub(super) file: &'a FileIndex<'a>,
    pub(super) old: &'a OldText<'a>,
    pub(super) best: &'a Candidate,
    pub(super) rival: Option<&'a Candidate>,
}

impl Evidence<'_> {
    /// Judges the place of an edit.
    ///
    /// # Errors
    /// The code of the refusal.
    pub(super) fn judge(&self, ops: &[Op]) -> Result<(), RefusalCode> {
        self.is_certain()?;
        self.stands_alone()?;
        for op in ops.iter().filter(|op| !op.equal) {
            if op.old.is_empty() { self.insertion_is_clear(op)? } else { self.changed_lines_are_there(op)? }
        }
        Ok(())
    }

    /// Whether something else than white space, quote styles and the like had to be overlooked.
    pub(super) fn is_drifted(&self) -> bool {
        self.tier(self.best).is_none()
    }

    /// Whether every line stands there and nothing between them.
    pub(super) fn is_complete(&self) -> bool {
        self.tier(self.best).is_some()
    }

    fn is_certain(&self) -> Result<(), RefusalCode> {
        if self.old.total < MIN_WEIGHT {
            return Err(RefusalCode::TooLittleInformation);
        }
        let rival = self.rival.map_or(0.0, |rival| rival.score.max(0.0));
        if let Some(tier) = self.tier(self.best) {
            return match self.rival.and_then(|rival| self.tier(rival)) {
                Some(other) if other >= tier => Err(RefusalCode::Ambiguous),
                _ => Ok(()),
            };
        }
        if self.best.score < MIN_SCORE_IF_PLAIN {
            return Err(RefusalCode::NotFound);
        }
        if self.stands_elsewhere() {
            return Err(RefusalCode::Ambiguous);
        }
        let (strong, found, differing) = self.strength();
        if found < MIN_FOUND * self.old.total || !self.is_compact() {
            return Err(RefusalCode::NotFound);
        }
        if differing > 0.0 && rival >= 0.5 && !self.has_advantage() {
            return Err(RefusalCode::Ambiguous);
        }
        let margin = self.best.score - rival;
        if margin < CLEAR_MARGIN && self.lacks_what_tells() {
            return Err(RefusalCode::NotFound);
        }
        let plain = strong >= 0.5 * self.old.total && strong >= 1.0 && margin >= 0.2;
        if self.best.score < MIN_SCORE && !(plain && self.best.score >= MIN_SCORE_IF_PLAIN) {
            return Err(RefusalCode::NotFound);
        }
        if margin < MIN_MARGIN && !self.dominates() {
            return Err(RefusalCode::Ambiguous);
        }
        let no_doubt = margin >= CLEAR_MARGIN && differing == 0.0;
        if strong < 0.3 * self.old.total && strong < 1.0 && !no_doubt {
            return Err(RefusalCode::NotFound);
        }
        let tolerated = if margin >= 0.3 { MOST_DIFFERING_ALONE } else { MOST_DIFFERING };
        if differing > tolerated * self.old.total {
            return Err(RefusalCode::NotFound);
        }
        Ok(())
    }

    /// Whether a single line that says little is not a part of other lines too: a fragment could be meant.
    fn stands_alone(&self) -> Result<(), RefusalCode> {
        let mut told = (0..self.old.lines.len()).filter(|i| !self.old.lines[*i].is_blank());
        let (Some(i), None) = (told.next(), told.next()) else { return Ok(()) };
        let Some(line) = self.best.alignment.single(i) else { return Ok(()) };
        let mine = &self.old.lines[i];
        if mine.weight < MIN_WEIGHT_MISSPELT && self.likeness_of(self.best, i) < STRONG {
            return Err(RefusalCode::TooLittleInformation);
        }
        let is_whole = mine.weight >= MIN_WEIGHT_WHOLE || mine.text.starts_with([' ', '\t']);
        if !is_whole && self.occurs_elsewhere(self.file.lines.content(line).trim(), line) {
            return Err(RefusalCode::Ambiguous);
        }
        Ok(())
    }

    /// Whether `part` stands, as whole words, on another line than `line`.
    fn occurs_elsewhere(&self, part: &str, line: usize) -> bool {
        let (text, own) = (self.file.lines.text, self.file.lines.span(line));
        let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
        let bytes = text.as_bytes();
        memchr::memmem::find_iter(bytes, part).any(|at| {
            let end = at + part.len();
            let inside = is_word(at.checked_sub(1).and_then(|before| bytes.get(before))) && is_word(bytes.get(at))
                || is_word(bytes.get(end)) && is_word(bytes.get(end - 1));
            !inside && (at < own.start || end > own.end)
        })
    }

    /// The least likeness of a place where every line says the same and no code stands between; `None` elsewhere.
    fn tier(&self, candidate: &Candidate) -> Option<f32> {
        let complete = (0..self.old.lines.len())
            .all(|i| self.old.elided[i] || self.old.lines[i].is_blank() || candidate.alignment.pair(i).is_some());
        let pairs = &candidate.alignment.pairs;
        let unbroken = pairs.windows(2).all(|two| {
            let elided = self.old.elided[two[0].old.end..two[1].old.start].contains(&true);
            elided
                || (two[0].file.end..two[1].file.start)
                    .all(|line| Reading::new(self.file.lines.content(line)).is_blank())
        });
        let least = candidate.likeness.iter().copied().fold(1.0, f32::min);
        (complete && unbroken && least >= STRONG && !self.old.elided.contains(&true)).then_some(least)
    }

    /// Whether the line that says most is missing, and those that are there stand in many a file.
    fn lacks_what_tells(&self) -> bool {
        let lines = || 0..self.old.lines.len();
        let is_found = |i: &usize| self.best.alignment.pair(*i).is_some();
        let most = lines().filter(is_found).map(|i| self.old.weight(i)).fold(0.0, f32::max);
        most < MIN_WEIGHT_MISSPELT && lines().filter(|i| !is_found(i)).any(|i| self.old.weight(i) > most)
    }

    /// The weight of old's lines that match strongly, that match at all, and that name something else.
    fn strength(&self) -> (f32, f32, f32) {
        let (mut strong, mut found, mut differing) = (0.0, 0.0, 0.0);
        for pair in &self.best.alignment.pairs {
            let weight: f32 = pair.old.clone().map(|i| self.old.weight(i)).sum();
            found += weight;
            if self.likeness_of(self.best, pair.old.start) >= STRONG {
                strong += weight;
            } else if self.names_something_else(pair.old.start) {
                differing += weight;
            } else if self.likeness_of(self.best, pair.old.start) >= MISSPELT {
                strong += 0.7 * weight;
            }
        }
        (strong, found, differing)
    }

    /// Whether few lines of the file stand between those that were found.
    fn is_compact(&self) -> bool {
        let pairs = &self.best.alignment.pairs;
        let between = pairs.windows(2).filter(|two| !self.old.elided[two[0].old.end..two[1].old.start].contains(&true));
        let skipped = between
            .flat_map(|two| two[0].file.end..two[1].file.start)
            .filter(|line| !self.file.lines.content(*line).trim().is_empty())
            .count();
        skipped <= MOST_SKIPPED + pairs.len() / 3
    }

    /// Whether a line is not the file's by a name; comments may be worded as they like.
    fn names_something_else(&self, i: usize) -> bool {
        let old = &self.old.lines[i];
        !old.is_comment
            && self.likeness_of(self.best, i) < STRONG
            && self.best.alignment.single(i).is_some_and(|line| names_differ(&old.norm, &self.file_norm(line)))
    }

    /// Whether some telling line matches here strongly and at the rival's place does not.
    fn has_advantage(&self) -> bool {
        (0..self.old.lines.len()).filter(|i| self.old.weight(*i) > 0.3).any(|i| {
            let theirs = self.rival.map_or(0.0, |rival| self.likeness_of(rival, i));
            self.likeness_of(self.best, i) >= STRONG && theirs < STRONG
        })
    }

    /// Whether a telling line of old that the best place lacks stands somewhere else word by word.
    fn stands_elsewhere(&self) -> bool {
        // What stands right beside the place was only left out for a dearer pair.
        let range = self.best.alignment.file_range();
        let range = range.start.saturating_sub(NEIGHBOURHOOD)..range.end + NEIGHBOURHOOD;
        let mut lacking = (0..self.old.lines.len())
            .filter(|i| !self.old.elided[*i] && !self.old.lines[*i].is_comment && self.old.lines[*i].weight > 0.3)
            .filter(|i| self.likeness_of(self.best, *i) < STRONG)
            .take(MOST_SOUGHT);
        lacking.any(|i| {
            let hash = key_hash(self.old.lines[i].text);
            let mut places = self.file.hashes.iter().enumerate().filter(|(_, other)| **other == hash).peekable();
            let is_apart = |(line, _): (usize, &u64)| !range.contains(&line);
            // A line that stands all over the file tells no place.
            places.peek().is_some() && places.clone().nth(MOST_OFTEN).is_none() && places.any(is_apart)
        })
    }

    /// Whether no line speaks for the rival, and one that the best place has names something else there.
    fn dominates(&self) -> bool {
        let Some(rival) = self.rival else { return true };
        let mut decisive = false;
        for i in (0..self.old.lines.len()).filter(|i| !self.old.lines[*i].is_blank() && !self.old.elided[*i]) {
            let (mine, theirs) = (self.likeness_of(self.best, i), self.likeness_of(rival, i));
            if theirs > mine + 0.001 {
                return false;
            }
            let telling = mine >= SAME_KEY && theirs < SAME_KEY && self.old.lines[i].weight > 0.3;
            decisive |= telling
                && rival
                    .alignment
                    .pair(i)
                    .is_none_or(|pair| names_differ(&self.old.lines[i].norm, &self.file_norm(pair.file.start)));
        }
        decisive
    }

    fn likeness_of(&self, candidate: &Candidate, i: usize) -> f32 {
        let pairs = candidate.alignment.pairs.iter().zip(&candidate.likeness);
        pairs.filter(|(pair, _)| pair.old.contains(&i)).map(|(_, likeness)| *likeness).next().unwrap_or(0.0)
    }

    fn file_norm(&self, line: usize) -> String {
        super::reading::norm(self.file.lines.content(line))
    }

    /// Every line that the edit changes or deletes stands there and names the same things.
    fn changed_lines_are_there(&self, op: &Op) -> Result<(), RefusalCode> {
        for i in op.old.clone().filter(|i| !self.old.lines[*i].is_blank()) {
            if self.best.alignment.pair(i).is_none() {
                return Err(RefusalCode::Stale);
            }
            let Some(line) = self.best.alignment.single(i) else { continue };
            let likeness = self.likeness_of(self.best, i);
            if likeness >= STRONG {
                continue;
            }
            let other = self.old.lines[i].weight > 0.3 && self.names_something_else(i);
            if likeness < MIN_CHANGED || other || self.is_another_line(i, line) {
                return Err(RefusalCode::Stale);
            }
        }
        Ok(())
    }

    /// Whether a line of several words is the file's but for one word.
    fn differs_by_one_word(&self, i: usize) -> bool {
        let Some(line) = self.best.alignment.single(i) else { return false };
        let theirs = self.file_norm(line);
        let (mine, theirs): (Vec<&str>, Vec<&str>) =
            (words(&self.old.lines[i].norm).collect(), words(&theirs).collect());
        mine.len() >= 4 && mine.len() == theirs.len() && mine.iter().zip(&theirs).filter(|(a, b)| a != b).count() == 1
    }

    /// Whether `line` of the file is word by word what old has elsewhere and misses there: then it is not line `i`
    /// misspelt.
    fn is_another_line(&self, i: usize, line: usize) -> bool {
        let hash = self.file.hashes[line];
        (0..self.old.lines.len()).any(|other| {
            other != i && key_hash(self.old.lines[other].text) == hash && self.likeness_of(self.best, other) < STRONG
        })
    }

    /// The lines beside the insertion stand there and name the same things.
    fn insertion_is_clear(&self, op: &Op) -> Result<(), RefusalCode> {
        let alignment = &self.best.alignment;
        let above = (0..op.old.start).rev().find(|i| !self.old.lines[*i].is_blank());
        let below = (op.old.end..self.old.lines.len()).find(|i| !self.old.lines[*i].is_blank());
        let is_found = |i: Option<usize>| i.is_some_and(|i| alignment.pair(i).is_some());
        let is_other = |i: Option<usize>| i.is_some_and(|i| self.names_something_else(i));
        let alone = self.rival.is_none_or(|rival| rival.score < 0.5);
        let is_slip = |i: Option<usize>| alone && i.is_some_and(|i| self.differs_by_one_word(i));
        let is_mine = |i: Option<usize>| !is_other(i) || is_slip(i);
        let is_missing = |i: Option<usize>| i.is_some_and(|i| !self.old.elided[i] && alignment.pair(i).is_none());
        let is_light = |i: Option<usize>| {
            i.is_none_or(|i| self.old.weight(i) < MIN_WEIGHT_BESIDE || self.likeness_of(self.best, i) < STRONG)
        };
        if is_missing(above) && is_light(below) || is_missing(below) && is_light(above) {
            return Err(RefusalCode::Stale);
        }
        let clear = (is_found(above) || is_found(below)) && is_mine(above) && is_mine(below);
        let gone = [above, below].into_iter().flatten().any(|i| self.gave_way_to_code(i));
        if clear && !gone { Ok(()) } else { Err(RefusalCode::Stale) }
    }

    /// Where line `i` of old stands in the few lines of the file from `start` on.
    fn stands_soon_after(&self, start: usize, i: usize) -> Option<usize> {
        let hash = key_hash(self.old.lines[i].text);
        let mut near = start..(start + NEIGHBOURHOOD).min(self.file.hashes.len());
        near.find(|line| self.file.hashes[*line] == hash)
    }

    /// Whether a comment of old is not there and code stands in its place: what was to go beside it has no place then.
    fn gave_way_to_code(&self, i: usize) -> bool {
        let alignment = &self.best.alignment;
        let is_code = |line: usize| {
            let line = Reading::new(self.file.lines.content(line));
            !line.is_blank() && !line.is_comment
        };
        if !self.old.lines[i].is_comment || self.old.elided[i] {
            return false;
        }
        if alignment.pair(i).is_some() {
            return alignment.single(i).is_some_and(is_code);
        }
        let before = alignment.pairs.iter().rfind(|pair| pair.old.end <= i).map(|pair| pair.file.end);
        let after = alignment.pairs.iter().find(|pair| pair.old.start > i).map(|pair| pair.file.start);
        let after = after.or_else(|| before.and_then(|before| self.stands_soon_after(before, i)));
        before.zip(after).is_some_and(|(before, after)| (before..after).any(is_code))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Query, replace};
    use super::*;

    #[test]
    fn nothing_is_inserted_beside_a_comment_that_gave_way_to_code() {
        let insert = |text: &str| {
            let old = "values.add(friend, zoe)\n// encode gives name and friend\nprint(values.get(name))\n";
            let new = "values.add(friend, zoe)\n// encode gives name and friend\ncount += 1\nprint(values.get(name))\n";
            replace(text, &Query { old, new, replace_all: false, near_line: None })
        };
        let code = insert("values.add(friend, zoe)\nprint(values.encode())\nprint(values.get(name))\n");
        assert_eq!(code.expect_err("stale").code, RefusalCode::Stale);
        let comment = insert("values.add(friend, zoe)\n// encodes both\nprint(values.get(name))\n");
        assert!(comment.expect("lands").text.contains("// encodes both\ncount += 1\nprint"));
    }

    #[test]
    fn a_comment_that_stands_behind_more_code_is_no_neighbour() {
        let (above, below) = ("import java.io.Reader;\nimport java.io.StringReader;\n", "\n/**\n * Builds.\n */\n");
        let text = &format!("{above}import java.util.List;\n{below}");
        let (old, new) = (&format!("{above}{below}"), &format!("{above}\nimport static text.Names;\n{below}"));
        let query = Query { old, new, replace_all: false, near_line: None };
        assert_eq!(replace(text, &query).map_err(|refused| refused.code), Err(RefusalCode::Stale));
    }

    #[test]
    fn lines_that_stand_elsewhere_too_are_no_place_when_the_telling_one_is_missing() {
        let text = concat!(
            "        for (Range range : set) {\n            check(range);\n        }\n        return false;\n    }\n",
            "\n    // Basics\n    /**\n     * Compares two sets.\n     */\n    boolean equals(final Object obj) {\n",
            "        if (!(obj instanceof CharSet)) {\n            return false;\n        }\n",
        );
        let query = |comment: &str| {
            let new = format!("        return false;\n    }}\n\n    /**\n     * {comment}\n     *");
            let old = format!("        }}\n{new}");
            replace(text, &Query { old: &old, new: &new, replace_all: false, near_line: None }).map_err(|it| it.code)
        };
        assert_eq!(query("Gets the key from this pair.").map(|landed| landed.text), Err(RefusalCode::NotFound));
        assert!(query("Compares two sets").is_ok());
    }
}
