//! The hunks of one file, put into its text: in order, all or none.

use std::borrow::Cow;
use std::ops::Range;

use super::place::{self, Choice};
use super::refusal::{HunkRefused, Why};
use super::splice::{Lines, Spliced, splice};
use super::{PatchHunk, anchors};
use crate::replace::{self, Nearest, Query, RefusalCode, Refused};
use crate::text::LineRange;

/// All hunks are in.
#[derive(Debug, Clone, PartialEq)]
pub struct Applied {
    /// The whole new text.
    pub text: String,
    /// Each hunk as it landed, in order.
    pub each: Vec<HunkLanded>,
}

/// How one hunk went in.
#[derive(Debug, Clone, PartialEq)]
pub struct HunkLanded {
    /// How its place was found: `exact`, `inserted`, or the replacer's strategies joined by `+`.
    pub matched_via: String,
    /// How alike its old lines and what was found are, 0 to 1.
    pub similarity: f64,
    /// The lines of the new text that it made, 0-based; empty where it only took lines away.
    pub lines: LineRange,
}

/// Puts `hunks` into `text`, each into what the ones before made of it.
///
/// Old lines that stand in the text as whole lines are taken there; the rest goes to the replacer, within what the
/// anchors leave. Of several places the anchors, the end-of-file marker, the order of the hunks and the line number
/// settle one, or the hunk is refused.
///
/// # Errors
/// [`HunkRefused`] for the first hunk that has no certain place; nothing is changed then.
pub fn apply(text: &str, hunks: &[PatchHunk]) -> Result<Applied, HunkRefused> {
    let mark = '\u{FEFF}';
    let marked = text.starts_with(mark) && !hunks.iter().any(|hunk| hunk.old.starts_with(mark));
    let bare = if marked { &text[mark.len_utf8()..] } else { text };
    let mut work =
        Work { lines: bare.split_inclusive('\n').map(Cow::Borrowed).collect(), drift: 0, after: 0, each: Vec::new() };
    for (index, hunk) in hunks.iter().enumerate() {
        if let Err(why) = work.land(&hunks[index..]) {
            let text = work.lines.concat();
            let mut matched = vec![true; index];
            matched.push(false);
            matched.extend((index + 1..hunks.len()).map(|next| work.land(&hunks[next..]).is_ok()));
            return Err(HunkRefused { index, patch_line: hunk.patch_line, why, text, matched });
        }
    }
    let mut text = String::from(if marked { "\u{FEFF}" } else { "" });
    text.extend(work.lines);
    Ok(Applied { text, each: work.each })
}

/// A text on its way from hunk to hunk.
struct Work<'t> {
    lines: Lines<'t>,
    /// How far lines have moved against the numbers of the patch.
    drift: isize,
    /// The line behind what the last hunk changed.
    after: usize,
    each: Vec<HunkLanded>,
}

impl Work<'_> {
    /// Lands the first of `hunks`; the others are those that follow it.
    fn land(&mut self, hunks: &[PatchHunk]) -> Result<(), Why> {
        let Some(hunk) = hunks.first() else { return Ok(()) };
        if hunk.old == hunk.new {
            return Err(refused(RefusalCode::Identical));
        }
        if hunk.old.is_empty() {
            let at = self.insertion(hunk)?;
            let spliced = splice(&mut self.lines, at, hunk);
            self.landed(hunk, spliced, "inserted".into(), 1.0);
            return Ok(());
        }
        let anchored = anchors::find(&self.lines, &hunk.anchors);
        let binding: &[usize] = if hunk.old_line.is_none() { &anchored } else { &[] };
        let old: Vec<&str> = hunk.old.split_inclusive('\n').collect();
        let hits = place::hits(&self.lines, &old);
        if hits.is_empty() {
            return self.search(hunk, binding);
        }
        let at = self.choose(hunks, &old, binding, hits)?;
        let via = if place::is_exact(&self.lines, &old, at) { "exact" } else { "line_trimmed" };
        let spliced = splice(&mut self.lines, at, hunk);
        self.landed(hunk, spliced, via.into(), 1.0);
        Ok(())
    }

    fn choose(&self, hunks: &[PatchHunk], old: &[&str], anchored: &[usize], hits: Vec<usize>) -> Result<usize, Why> {
        let hunk = &hunks[0];
        let choice = Choice {
            lines: &self.lines,
            old,
            anchored,
            at_end_of_file: hunk.at_end_of_file,
            after: self.after,
            expected: self.expected(hunk),
        };
        let left = choice.among(hits.clone());
        match left[..] {
            [] => Err(Why::AboveAnchor {
                anchor: shown_anchor(hunk),
                anchor_line: anchored.iter().min().map_or(1, |line| line + 1),
                lines: hits.iter().map(|line| line + 1).collect(),
            }),
            [at] => Ok(at),
            // As many hunks of the same lines follow as there are places: each has its own.
            [at, ..] if is_one_each(hunks, left.len()) => Ok(at),
            _ => {
                let hits = left.iter().map(|at| LineRange::new(*at, at + old.len())).collect();
                Err(Why::Lines(Box::new(Refused { code: RefusalCode::Ambiguous, hits, nearest: None })))
            }
        }
    }

    /// The line (0-based) before which a hunk without old lines goes.
    fn insertion(&self, hunk: &PatchHunk) -> Result<usize, Why> {
        if let Some(expected) = self.expected(hunk) {
            return Ok(expected.min(self.lines.len()));
        }
        if hunk.anchors.is_empty() || hunk.at_end_of_file {
            return Ok(self.lines.len());
        }
        let mut found = anchors::find(&self.lines, &hunk.anchors);
        if found.len() > 1 && found.iter().any(|line| *line >= self.after) {
            found.retain(|line| *line >= self.after);
        }
        match found[..] {
            [] => Err(Why::AnchorMissing(shown_anchor(hunk))),
            [line] => Ok(line + 1),
            _ => Err(Why::AnchorAmbiguous {
                anchor: shown_anchor(hunk),
                lines: found.iter().map(|line| line + 1).collect(),
            }),
        }
    }

    /// Where a hunk should stand by its line number, 0-based.
    fn expected(&self, hunk: &PatchHunk) -> Option<usize> {
        Some((hunk.old_line? - 1).saturating_add_signed(self.drift))
    }

    /// Lets the replacer find what does not stand in the text line by line.
    fn search(&mut self, hunk: &PatchHunk, anchored: &[usize]) -> Result<(), Why> {
        let whole = anchored.iter().min().copied().unwrap_or(0)..self.lines.len();
        let mut refusal = match self.replaced(hunk, whole.clone()) {
            Ok(found) => return self.put(hunk, found),
            Err(refusal) => refusal,
        };
        if refusal.code == RefusalCode::Ambiguous {
            let blocks = anchored.iter().map(|anchor| anchors::block(&self.lines, *anchor));
            let mut found: Vec<_> = blocks.filter_map(|block| self.replaced(hunk, block).ok()).collect();
            if found.is_empty() && self.after > whole.start {
                match self.replaced(hunk, self.after..self.lines.len()) {
                    Ok(below) => found.push(below),
                    Err(below) if below.code == RefusalCode::Ambiguous => refusal = below,
                    Err(_) => {}
                }
            }
            if found.len() == 1 {
                return self.put(hunk, found.remove(0));
            }
        }
        Err(Why::Lines(Box::new(refusal)))
    }

    /// Asks the replacer about a stretch of the text; line numbers of a refusal are of the whole text.
    fn replaced(&self, hunk: &PatchHunk, within: Range<usize>) -> Result<Found, Refused> {
        let stretch = self.lines[within.clone()].concat();
        let expected = self.expected(hunk).or(hunk.at_end_of_file.then_some(self.lines.len()));
        let near_line = expected.map(|line| line.clamp(within.start, within.end) - within.start + 1);
        let query = Query { old: &hunk.old, new: &hunk.new, replace_all: false, near_line };
        let landed = replace::replace(&stretch, &query).map_err(|refused| moved(refused, within.start))?;
        if landed.matched_via.starts_with("exact") && cuts_a_line(&stretch, &landed) {
            return Err(moved(part_of_a_line(&stretch, &landed), within.start));
        }
        Ok(Found { within, landed })
    }

    fn put(&mut self, hunk: &PatchHunk, found: Found) -> Result<(), Why> {
        let Found { within, landed } = found;
        let before = within.len();
        let mut made: Lines<'_> = landed.text.split_inclusive('\n').map(|line| Cow::Owned(line.to_owned())).collect();
        if within.end < self.lines.len()
            && let Some(last) = made.last_mut().filter(|line| !line.ends_with('\n'))
        {
            last.to_mut().push('\n');
        }
        let after = made.len();
        let lines = landed.lines.iter().copied().reduce(|a, b| LineRange::new(a.start.min(b.start), a.end.max(b.end)));
        let lines = lines.unwrap_or(LineRange::new(0, 0));
        let changed = LineRange::new(within.start + lines.start, within.start + lines.end);
        // What went is what came, less what the text has grown by.
        let went = (changed.end + before).saturating_sub(after).max(changed.start);
        self.lines.splice(within, made);
        let spliced = Spliced { old: changed.start..went, new: changed.start..changed.end, changed };
        self.landed(hunk, spliced, landed.matched_via, landed.similarity);
        Ok(())
    }

    /// Keeps account of a hunk that is in.
    fn landed(&mut self, hunk: &PatchHunk, spliced: Spliced, matched_via: String, similarity: f64) {
        let grown = spliced.new.len() as isize - spliced.old.len() as isize;
        for earlier in &mut self.each {
            earlier.lines = spliced.carry(earlier.lines);
        }
        match hunk.old_line {
            Some(line) if matched_via == "exact" => {
                self.drift = spliced.old.start as isize - (line as isize - 1) + grown
            }
            _ => self.drift += grown,
        }
        self.after = spliced.new.end;
        self.each.push(HunkLanded { matched_via, similarity, lines: spliced.changed });
    }
}

impl Spliced {
    /// Where `lines` of the text before are in the text after; what of them went has no height.
    fn carry(&self, lines: LineRange) -> LineRange {
        let grown = self.new.len() as isize - self.old.len() as isize;
        let moved = |line: usize| match line {
            _ if line >= self.old.end => line.saturating_add_signed(grown),
            _ => line.min(self.new.end),
        };
        let start = moved(lines.start);
        // What is put in right behind them is none of them.
        let end = if lines.end <= self.old.start { lines.end } else { moved(lines.end) };
        LineRange::new(start, end.max(start))
    }
}

/// What the replacer made of a stretch of lines.
struct Found {
    within: Range<usize>,
    landed: replace::Landed,
}

fn refused(code: RefusalCode) -> Why {
    Why::Lines(Box::new(Refused { code, hits: Vec::new(), nearest: None }))
}

fn shown_anchor(hunk: &PatchHunk) -> String {
    super::error::shown(hunk.anchors.last().map_or("", String::as_str))
}

/// Whether the first of `hunks` is the first of `places` hunks that look for the same lines in the same way.
fn is_one_each(hunks: &[PatchHunk], places: usize) -> bool {
    let alike = |hunk: &&PatchHunk| hunk.old == hunks[0].old && hunk.anchors == hunks[0].anchors;
    hunks.iter().filter(alike).count() == places
}

fn moved(mut refused: Refused, by: usize) -> Refused {
    let ranges = refused.hits.iter_mut().chain(refused.nearest.as_mut().map(|nearest| &mut nearest.lines));
    for range in ranges {
        *range = LineRange::new(range.start + by, range.end + by);
    }
    refused
}

/// Refuses a literal match within a line, showing the line.
fn part_of_a_line(text: &str, landed: &replace::Landed) -> Refused {
    let nearest = landed.edits.first().map(|edit| {
        let first = text[..edit.span.start].matches('\n').count();
        let height = text[edit.span.start..edit.span.end].trim_end().matches('\n').count() + 1;
        let lines = LineRange::new(first, first + height);
        Nearest { lines, differs: "the line of the file begins with more".into(), similarity: 0.5 }
    });
    Refused { code: RefusalCode::NotFound, hits: Vec::new(), nearest }
}

/// Whether a literal match begins within a line: `foo` is not the line `barfoo`.
fn cuts_a_line(text: &str, landed: &replace::Landed) -> bool {
    landed.edits.first().is_some_and(|edit| {
        let start = text[..edit.span.start].rfind('\n').map_or(0, |at| at + 1);
        !text[start..edit.span.start].trim().is_empty()
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Change, parse};
    use super::*;

    fn hunks(body: &str) -> Vec<PatchHunk> {
        let patch = parse(&format!("*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n")).expect(body);
        match &patch.files[0].what {
            Change::Update { hunks, .. } => hunks.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn lines_are_those_of_the_final_text() {
        let text = "a\nb\nc\nd\n";
        let applied = apply(text, &hunks("@@\n-d\n+D\n+DD\n@@\n+e\n@@ a\n+a2\n@@\n-b\n c\n")).expect("all");
        assert_eq!(applied.text, "a\na2\nc\nD\nDD\ne\n");
        let lines: Vec<_> = applied.each.iter().map(|hunk| (hunk.lines.start, hunk.lines.end)).collect();
        assert_eq!(lines, [(3, 5), (5, 6), (1, 2), (2, 2)]);
    }

    #[test]
    fn a_later_hunk_carries_the_lines_of_an_earlier_one_with_it() {
        for (text, body, after, lines) in [
            ("x\n", "@@\n+alpha\n@@\n-x\n-alpha\n \n", "", [(0, 0), (0, 0)]),
            ("a\nz\n", "@@\n-a\n+b\n+c\n+d\n@@\n-c\n", "b\nd\nz\n", [(0, 2), (1, 1)]),
            ("a\nz\n", "@@\n-a\n+b\n+c\n@@\n-c\n-z\n+y\n", "b\ny\n", [(0, 2), (1, 2)]),
            ("a\nz\n", "@@\n-z\n+y\n@@\n-a\n+b\n+c\n", "b\nc\ny\n", [(2, 3), (0, 2)]),
        ] {
            let applied = apply(text, &hunks(body)).expect(body);
            let told: Vec<_> = applied.each.iter().map(|hunk| (hunk.lines.start, hunk.lines.end)).collect();
            assert_eq!((applied.text.as_str(), told.as_slice()), (after, lines.as_slice()), "{body}");
        }
    }

    #[test]
    fn a_drifted_hunk_below_an_anchor_is_told_in_lines_of_the_whole_text() {
        let text = "class A:\n    def run(self):\n        return self.value\nclass B:\n    def run(self):\n        return self.value\n";
        let applied =
            apply(text, &hunks("@@ class B:\n def run(self):\n-  return self.value\n+  return self.value + 1\n"))
                .expect("lands");
        assert!(
            applied.text.ends_with("class B:\n    def run(self):\n        return self.value + 1\n"),
            "{}",
            applied.text
        );
        assert_eq!(applied.each[0].lines, LineRange::new(5, 6));
        assert_ne!(applied.each[0].matched_via, "exact");
    }

    #[test]
    fn a_refusal_tells_of_all_hunks_and_of_the_text_it_met() {
        let refused = apply("a\nb\nlong enough a line\n", &hunks("@@\n-a\n+A\n@@\n-nowhere at all\n+x\n@@\n-b\n+B\n"))
            .expect_err("second");
        assert_eq!(
            (refused.index, refused.patch_line, refused.matched.as_slice()),
            (1, 6, [true, false, true].as_slice())
        );
        assert_eq!(refused.text, "A\nb\nlong enough a line\n");
        assert!(
            refused.to_string().starts_with("hunk 2 (patch line 6): its context and - lines are not in the file"),
            "{refused}"
        );
    }

    #[test]
    fn the_nearest_line_of_a_refusal_is_of_the_whole_text() {
        let refused = apply("one\nclass A\ndiscount = 1\n", &hunks("@@ class A\n-count = 1\n+count = 2\n"))
            .expect_err("part of a line");
        let Why::Lines(lines) = &refused.why else { panic!("{refused}") };
        assert_eq!(lines.nearest.as_ref().map(|nearest| nearest.lines), Some(LineRange::new(2, 3)));
        assert!(refused.why.hint().contains("read line 3 of"));
    }

    proptest::proptest! {
        #[test]
        fn applying_never_panics_and_keeps_the_rest(
            text in "((|alpha|  beta gamma|return value|}|x)\r?\n){0,8}(alpha|x)?",
            body in "(@@( alpha| x)?\n([-+ ](|alpha|beta  gamma|return values?|}|x)\n){1,4}){1,3}",
        ) {
            let Ok(patch) = parse(&format!("*** Update File: f\n{body}")) else { return Ok(()) };
            let Change::Update { hunks, .. } = &patch.files[0].what else { panic!("an update") };
            if let Ok(applied) = apply(&text, hunks) {
                proptest::prop_assert_eq!(applied.each.len(), hunks.len());
                let height = crate::text::count_lines(&applied.text);
                proptest::prop_assert!(applied.each.iter().all(|hunk| hunk.lines.end <= height), "{:?}", applied);
            }
        }

        #[test]
        fn without_line_numbers_distinct_lines_are_found_all_the_same(
            keep in proptest::collection::vec((0usize..3, 0usize..3), 1..12),
            radius in 1usize..4,
        ) {
            let old: String = (0..keep.len()).map(|line| format!("old {line}\n")).collect();
            let new: String = keep.iter().enumerate().map(|(line, (stays, more))| {
                let own = if *stays > 0 { format!("old {line}\n") } else { String::new() };
                own + &(0..*more).map(|more| format!("new {line} {more}\n")).collect::<String>()
            }).collect();
            let diff = similar::TextDiff::from_lines(&old, &new).unified_diff().context_radius(radius).to_string();
            let body: String = diff.lines().map(|line| if line.starts_with("@@") { "@@\n".into() } else { format!("{line}\n") }).collect();
            if old != new {
                proptest::prop_assert_eq!(apply(&old, &hunks(&body)).expect("applies").text, new);
            }
        }
    }
}
