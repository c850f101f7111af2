//! The lines that a hunk makes of lines that it was found at.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

use super::PatchHunk;
use super::body::Sign;
use super::place::bare;
use crate::text::LineRange;

/// The lines of a text, each with its ending.
pub(super) type Lines<'t> = Vec<Cow<'t, str>>;

/// What a splice did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spliced {
    /// The lines that went, in the old numbering, 0-based.
    pub(super) old: Range<usize>,
    /// The lines that stand there now, context included, in the new numbering, 0-based.
    pub(super) new: Range<usize>,
    /// Of these what is new, from the first changed line to the last.
    pub(super) changed: LineRange,
}

/// Puts a hunk in at `at`, where its old lines stand. Lines that it does not change keep their bytes; a new line ends
/// like the one it takes the place of, or else like its neighbours.
pub(super) fn splice(lines: &mut Lines<'_>, at: usize, hunk: &PatchHunk) -> Spliced {
    let default = ending_near(lines, at);
    let old: Vec<&str> = hunk.old.split_inclusive('\n').collect();
    let height = old.len();
    let present = &lines[at..at + height];
    // Where the patch has the very bytes of the file, its line endings are meant as they are.
    let literal = match height {
        0 => hunk.new.contains('\r'),
        _ => old.iter().zip(present).all(|(old, line)| *old == line),
    };
    let mut present: VecDeque<Cow<'_, str>> = present.iter().cloned().collect();
    let mut gone: VecDeque<&'static str> = VecDeque::new();
    let mut made: Lines<'_> = Vec::with_capacity(height);
    let mut changed: Option<(usize, usize)> = None;
    for line in &hunk.lines {
        match line.sign {
            Sign::Context => {
                gone.clear();
                made.extend(present.pop_front());
                continue;
            }
            Sign::Old => gone.extend(present.pop_front().map(|line| ending(&line))),
            Sign::New => {
                let local = gone.pop_front().filter(|ending| !ending.is_empty()).unwrap_or(default);
                made.push(Cow::Owned(match (literal, line.newline) {
                    (true, true) => format!("{}\n", line.text),
                    (true, false) => line.text.clone(),
                    (false, true) => format!("{}{local}", bare(&line.text)),
                    (false, false) => bare(&line.text).to_owned(),
                }));
            }
        }
        let first = changed.map_or(made.len() - usize::from(line.sign == Sign::New), |(first, _)| first);
        changed = Some((first, made.len()));
    }
    put(lines, at, height, made, default, changed.unwrap_or((0, 0)))
}

/// Replaces lines, and sees to it that none is glued to the next.
fn put<'t>(
    lines: &mut Lines<'t>,
    at: usize,
    height: usize,
    mut made: Lines<'t>,
    default: &str,
    changed: (usize, usize),
) -> Spliced {
    let is_end = at + height == lines.len();
    let followed = made.len() - usize::from(is_end && !made.is_empty());
    for line in made.iter_mut().take(followed).filter(|line| !line.ends_with('\n')) {
        line.to_mut().push_str(default);
    }
    if !made.is_empty()
        && let Some(above) = at.checked_sub(1).and_then(|above| lines.get_mut(above))
        && !above.ends_with('\n')
    {
        above.to_mut().push_str(default);
    }
    let spliced = Spliced {
        old: at..at + height,
        new: at..at + made.len(),
        changed: LineRange::new(at + changed.0, at + changed.1),
    };
    lines.splice(spliced.old.clone(), made);
    spliced
}

fn ending(line: &str) -> &'static str {
    if line.ends_with("\r\n") {
        "\r\n"
    } else if line.ends_with('\n') {
        "\n"
    } else {
        ""
    }
}

/// How lines end at `at`: as the nearest one above or else below does.
fn ending_near(lines: &Lines<'_>, at: usize) -> &'static str {
    let own = lines.get(at).into_iter();
    let near = own.chain(lines[..at.min(lines.len())].iter().rev().take(1)).chain(lines.first());
    near.map(|line| ending(line)).find(|ending| !ending.is_empty()).unwrap_or("\n")
}
