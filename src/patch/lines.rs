//! The lines of a patch, out of what is wrapped around it: code fences, heredocs, prose, an indent, CRLF.

use super::error::{Fault, PatchError};
use super::marker::{self, Marker};
use super::unified;

/// A line of the patch without its line ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line<'p> {
    /// Its number in the patch as typed, 1-based.
    pub(super) number: usize,
    /// Its text. A `\r` stays where not all lines of the patch end in one: it is then content.
    pub(super) text: &'p str,
}

/// The lines from the first that means something to the end of the patch.
///
/// # Errors
/// [`PatchError`] when none does.
pub(super) fn lines(patch: &str) -> Result<Vec<Line<'_>>, PatchError> {
    let mut lines = split(patch.strip_prefix('\u{FEFF}').unwrap_or(patch));
    if let Some(number) = escaped(&lines) {
        return Err(PatchError::at(number, Fault::OneLine));
    }
    let Some(first) = (0..lines.len()).find(|at| begins(&lines, *at)) else {
        return Err(no_beginning(&lines));
    };
    if let Some(end) = closing(&lines, first) {
        lines.truncate(end);
    }
    lines.drain(..first);
    // `apply_patch "*** Begin Patch`
    if !lines[0].text.trim_start().starts_with("***")
        && let Some(at) = lines[0].text.find(BEGIN)
    {
        lines[0].text = &lines[0].text[at..];
    }
    dedent(&mut lines);
    Ok(lines)
}

const BEGIN: &str = "*** Begin Patch";

fn split(patch: &str) -> Vec<Line<'_>> {
    let newlines = patch.matches('\n').count();
    let carried = newlines > 0 && newlines == patch.matches("\r\n").count();
    let bare = |text| if carried { str::strip_suffix(text, '\r').unwrap_or(text) } else { text };
    let whole = patch.strip_suffix('\n').unwrap_or(patch);
    whole.split('\n').enumerate().map(|(at, text)| Line { number: at + 1, text: bare(text) }).collect()
}

/// The only line of a patch whose line breaks came as letters.
fn escaped(lines: &[Line<'_>]) -> Option<usize> {
    let mut filled = lines.iter().filter(|line| !line.text.trim().is_empty());
    let (Some(line), None) = (filled.next(), filled.next()) else { return None };
    let patch = ["*** ", "@@", "--- "].iter().any(|sign| line.text.contains(sign));
    (patch && line.text.contains("\\n")).then_some(line.number)
}

/// Whether a patch, or a part of one, begins at this line.
fn begins(lines: &[Line<'_>], at: usize) -> bool {
    let text = lines[at].text;
    let known = marker::marker(text).is_some_and(|marker| !matches!(marker, Marker::Unknown | Marker::EndOfFile));
    known || text.trim_end().ends_with(BEGIN) || text.starts_with("@@") || unified::begins(lines, at)
}

fn no_beginning(lines: &[Line<'_>]) -> PatchError {
    let numbered = |wanted: fn(&Line<'_>) -> bool| lines.iter().find(|line| wanted(line)).map(|line| line.number);
    if let Some(line) = numbered(|line| line.text.starts_with("***************")) {
        return PatchError::at(line, Fault::ContextDiff);
    }
    if let Some(line) = numbered(|line| line.text.starts_with("Binary files ") || line.text == "GIT binary patch") {
        return PatchError::at(line, Fault::Binary);
    }
    PatchError::at(1, Fault::Empty)
}

/// The line that closes what was opened before `first`: a code fence or a heredoc.
fn closing(lines: &[Line<'_>], first: usize) -> Option<usize> {
    lines[..=first].iter().rev().find_map(|line| {
        let tag = fence(line.text).or_else(|| heredoc_tag(line.text))?;
        (first + 1..lines.len()).rev().find(|at| lines[*at].text.trim() == tag)
    })
}

fn fence(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let length = text.len() - text.trim_start_matches(['`', '~']).len();
    (length >= 3).then(|| &text[..length])
}

/// `EOF` of `apply_patch <<'EOF'`.
fn heredoc_tag(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("<<")?;
    let rest = rest.trim_start_matches(['-', '~', ' ', '\'', '"', '\\']);
    let length = rest.find(|character: char| !character.is_alphanumeric() && character != '_').unwrap_or(rest.len());
    (length > 0).then(|| &rest[..length])
}

/// Takes off an indent that all lines share with the first.
fn dedent(lines: &mut [Line<'_>]) {
    let Some(first) = lines.first() else { return };
    let indent = &first.text[..first.text.len() - first.text.trim_start().len()];
    let shared = |line: &Line<'_>| line.text.starts_with(indent) || line.text.trim().is_empty();
    if indent.is_empty() || !lines.iter().all(shared) {
        return;
    }
    for line in lines {
        line.text = line.text.strip_prefix(indent).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(patch: &str) -> Vec<(usize, &str)> {
        lines(patch).expect("a patch").iter().map(|line| (line.number, line.text)).collect()
    }

    #[test]
    fn wrappings_come_off_and_numbers_stay() {
        let bare = ["*** Begin Patch", "*** Delete File: a", "*** End Patch"];
        let cases = [
            (1, "*** Begin Patch\n*** Delete File: a\n*** End Patch"),
            (1, "*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\n"),
            (1, "*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch"),
            (1, "\u{FEFF}*** Begin Patch\n*** Delete File: a\n*** End Patch\n"),
            (2, "```diff\n*** Begin Patch\n*** Delete File: a\n*** End Patch\n```\n"),
            (4, "Here it is:\n\n```\n*** Begin Patch\n*** Delete File: a\n*** End Patch\n```\nDone."),
            (2, "apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF\n"),
            (2, "<<EOF\n*** Begin Patch\n*** Delete File: a\n*** End Patch\nEOF"),
            (1, "apply_patch \"*** Begin Patch\n*** Delete File: a\n*** End Patch"),
            (1, "    *** Begin Patch\n    *** Delete File: a\n    *** End Patch\n"),
        ];
        for (first, patch) in cases {
            let expected: Vec<_> = bare.iter().enumerate().map(|(at, text)| (first + at, *text)).collect();
            assert_eq!(texts(patch), expected, "{patch:?}");
        }
    }

    #[test]
    fn a_carriage_return_in_some_lines_is_content() {
        assert_eq!(texts("--- a\n+++ a\n@@ -1 +1 @@\n-x\r\n+y\r\n")[3], (4, "-x\r"));
    }

    #[test]
    fn what_is_no_patch_is_told_apart() {
        let cases = [
            ("", 1, Fault::Empty),
            ("please change a to b\n", 1, Fault::Empty),
            ("\n*** Begin Patch\\n*** Delete File: a\\n*** End Patch", 2, Fault::OneLine),
            ("*** a.c 2020\n--- b.c 2020\n***************\n*** 1,2 ****\n", 3, Fault::ContextDiff),
            ("Binary files a/x.png and b/x.png differ\n", 1, Fault::Binary),
        ];
        for (patch, line, fault) in cases {
            assert_eq!(lines(patch).expect_err(patch), PatchError::at(line, fault));
        }
    }
}
