//! Where the lines behind `@@` stand in a text, and how far their blocks reach.

use std::borrow::Cow;
use std::ops::Range;

/// Shorter anchors are looked for as whole lines only.
const MIN_PART: usize = 4;

/// The lines (0-based) at which the anchors, one within the other, lead into the text; empty if they are not in it.
pub(super) fn find(lines: &[Cow<'_, str>], anchors: &[String]) -> Vec<usize> {
    let squeezed: Vec<String> = lines.iter().map(|line| squeeze(line)).collect();
    let mut found: Option<Vec<usize>> = None;
    for anchor in anchors {
        let here = occurrences(&squeezed, &squeeze(anchor));
        let next = match found {
            None => here,
            Some(above) => {
                let mut next: Vec<usize> =
                    above.iter().filter_map(|line| here.iter().copied().find(|at| at > line)).collect();
                next.dedup();
                next
            }
        };
        found = Some(next);
    }
    found.unwrap_or_default()
}

/// The lines that are `anchor`; where there are none, those that begin with it, or else hold it.
fn occurrences(lines: &[String], anchor: &str) -> Vec<usize> {
    let all = |is: &dyn Fn(&str) -> bool| -> Vec<usize> {
        lines.iter().enumerate().filter(|(_, line)| is(line)).map(|(at, _)| at).collect()
    };
    let mut found = all(&|line| line == anchor);
    if found.is_empty() && anchor.len() >= MIN_PART {
        found = all(&|line| line.starts_with(anchor));
    }
    if found.is_empty() && anchor.len() >= MIN_PART {
        found = all(&|line| line.contains(anchor));
    }
    found
}

/// Without blanks at the ends, and each stretch of blanks one.
fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// The block that line `at` heads: up to the next line that is indented no deeper and does not merely close or open it.
pub(super) fn block(lines: &[Cow<'_, str>], at: usize) -> Range<usize> {
    let depth = |line: &str| line.len() - line.trim_start().len();
    let limit = depth(&lines[at]);
    let ends = |line: &str| {
        let bare = line.trim_start();
        !bare.is_empty() && depth(line) <= limit && !bare.starts_with([')', '}', ']', '{'])
    };
    let end = (at + 1..lines.len()).find(|next| ends(&lines[*next])).unwrap_or(lines.len());
    at..end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<Cow<'_, str>> {
        text.split_inclusive('\n').map(Cow::Borrowed).collect()
    }

    #[test]
    fn anchors_lead_from_one_into_the_next() {
        let text = "class A(Base):\n    def run(self):\n        x\nclass B:\n    def run(self):\n        x\n";
        let cases: [(&[&str], &[usize]); 7] = [
            (&["class A(Base):"], &[0]),
            (&["class A"], &[0]),
            (&["def  run(self):"], &[1, 4]),
            (&["class B", "def run"], &[4]),
            (&["class A", "def run(self):"], &[1]),
            (&["class C"], &[]),
            (&["x"], &[2, 5]),
        ];
        for (anchors, expected) in cases {
            let anchors: Vec<String> = anchors.iter().map(|anchor| (*anchor).to_owned()).collect();
            assert_eq!(find(&lines(text), &anchors), expected, "{anchors:?}");
        }
    }

    #[test]
    fn a_block_reaches_to_the_next_of_its_depth() {
        let text = "func a(\n\tx int,\n) {\n\ty()\n\n}\n\nfunc b() {\n}\n";
        assert_eq!(block(&lines(text), 0), 0..7);
        assert_eq!(block(&lines(text), 7), 7..9);
        assert_eq!(block(&lines(text), 3), 3..5 + 2);
    }
}
