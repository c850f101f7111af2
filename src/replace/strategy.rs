//! The names under which a match is reported: which of the known kinds of drift it got over.

use super::align::{Candidate, OldText};
use super::reading::Reading;
use super::regions::FileIndex;

/// The strategies that a match amounts to, joined by `+`.
pub(super) fn strategies(
    file: &FileIndex<'_>,
    old: &OldText<'_>,
    found: &Candidate,
    layers: &[&'static str],
) -> String {
    let mut names: Vec<&'static str> = layers.to_vec();
    let mut add = |name: &'static str| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    for (pair, likeness) in found.alignment.pairs.iter().zip(&found.likeness) {
        if pair.old.len() > 1 || pair.file.len() > 1 {
            add("whitespace_normalized");
            continue;
        }
        if let Some(name) = strategy(&old.lines[pair.old.start], file.lines.content(pair.file.start), *likeness) {
            add(name);
        }
    }
    if old.elided.contains(&true) {
        add("elided");
    }
    let missing = |i: &usize| !old.elided[*i] && found.alignment.pair(*i).is_none();
    let lost: Vec<usize> = (0..old.lines.len()).filter(missing).collect();
    if lost.iter().any(|i| !old.lines[*i].is_blank()) {
        let inner = lost.iter().filter(|i| !old.lines[**i].is_blank()).count();
        add(if inner * 2 > old.lines.len() { "block_anchor" } else { "context_aware" });
    } else if !lost.is_empty() {
        add("trimmed_boundary");
    }
    let gaps = found.alignment.pairs.windows(2).any(|two| {
        two[0].old.end == two[1].old.start
            && (two[0].file.end..two[1].file.start).any(|line| !file.lines.content(line).trim().is_empty())
    });
    if gaps {
        add("context_aware");
    }
    if names.is_empty() {
        names.push("line_trimmed");
    }
    names.join("+")
}

/// What had to be overlooked for one pair of lines; `None` where nothing had.
fn strategy(old: &Reading<'_>, file: &str, likeness: f32) -> Option<&'static str> {
    if old.text == file {
        return None;
    }
    let (mine, theirs) = (old.text.trim(), file.trim());
    if mine == theirs {
        return Some(if old.text.trim_end() == file.trim_end() { "line_trimmed" } else { "indentation_flexible" });
    }
    let reading = Reading::new(file);
    if reading.norm == old.norm {
        return Some(if old.text.is_ascii() && file.is_ascii() {
            "whitespace_normalized"
        } else {
            "unicode_normalized"
        });
    }
    if reading.key == old.key {
        let backslashes = |text: &str| text.matches('\\').count();
        return Some(match () {
            () if backslashes(mine) != backslashes(theirs) => "escape_normalized",
            () if mine.contains(['\'', '"']) && quotes(mine) != quotes(theirs) => "quotes_normalized",
            () => "whitespace_normalized",
        });
    }
    let part = likeness > 0.96 && (reading.key.ends_with(&old.key) || reading.key.starts_with(&old.key));
    Some(if part { "trimmed_boundary" } else { "fuzzy" })
}

fn quotes(text: &str) -> impl PartialEq + use<> {
    text.chars().filter(|character| matches!(character, '\'' | '"')).collect::<String>()
}
