//! Fences, line numbers and diff signs: what stands around or in front of lines.

/// The text inside a Markdown fence.
pub(super) fn without_fence(text: &str) -> Option<String> {
    let inner = text.trim_matches('\n');
    let (first, rest) = inner.split_once('\n')?;
    let (body, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
    let fenced = first.trim_start().starts_with("```") && last.trim() == "```" && rest.contains('\n');
    fenced.then(|| body.to_owned())
}

/// The text inside one pair of quotes, backticks or tags that stands around all of it.
pub(super) fn without_outer(text: &str) -> Option<String> {
    let inner = text.trim_matches('\n');
    let quoted = ["\"\"\"", "'''", "```", "`", "\"", "'"]
        .iter()
        .find_map(|mark| inner.strip_prefix(mark)?.strip_suffix(mark))
        .or_else(|| inside_tag(inner))?;
    Some(quoted.trim_matches('\n').to_owned())
}

/// The text between `<name>` and `</name>`.
fn inside_tag(text: &str) -> Option<&str> {
    let (name, rest) = text.strip_prefix('<')?.split_once('>')?;
    let is_name = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    let body = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    (!name.is_empty() && name.chars().all(is_name)).then_some(body)
}

/// Marks that mail and terminals put in front of every line of a quotation.
const QUOTE_MARKS: [&str; 5] = [">", "|", "│", "┃", "▏"];

/// The lines without the mark of a quotation, where `like`, the old text, has it in front of every line.
pub(super) fn without_quote_marks(text: &str, like: &str) -> Option<String> {
    let is_marked = |line: &str, mark: &str| line.starts_with(mark) || line.trim().is_empty();
    let mark = QUOTE_MARKS.into_iter().find(|mark| like.starts_with(mark))?;
    if !like.split('\n').all(|line| is_marked(line, mark)) {
        return None;
    }
    let bare = |line: &'_ str| line.strip_prefix(mark).map(str::to_owned);
    let is_spaced = |line: &str| bare(line).is_none_or(|rest| rest.is_empty() || rest.starts_with(' '));
    let blank = if like.split('\n').all(is_spaced) { " " } else { "" };
    let lines: Vec<&str> = text
        .split('\n')
        .map(|line| match line.strip_prefix(mark) {
            Some(rest) => rest.strip_prefix(blank).unwrap_or(rest),
            None => line,
        })
        .collect();
    Some(lines.join("\n"))
}

/// The lines without the numbers of a listing, where nearly all have one and they count up by one.
///
/// A single number among several lines is believed only where `like`, the other side, has such numbers too.
pub(super) fn without_line_numbers(text: &str, like: Option<&str>) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let mut marks: Vec<Option<Mark<'_>>> = lines.iter().map(|line| Mark::read(line)).collect();
    // The first line is often typed without its number, and may begin with one of its own.
    if let [Some(first), Some(second), Some(third), ..] = marks.as_slice()
        && first.number + 1 != second.number
        && second.number + 1 == third.number
    {
        marks[0] = None;
    }
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let numbered: Vec<&Mark<'_>> = marks.iter().flatten().collect();
    let first = numbered.first()?;
    let is_alone = numbered.len() < 2 && (filled > 1 || !first.is_plain());
    let is_like = |other: &str| other.split('\n').filter_map(Mark::read).any(|mark| mark.is_like(first));
    if numbered.len() + 1 < filled || is_alone && !like.is_some_and(is_like) {
        return None;
    }
    if numbered.windows(2).any(|pair| pair[1].number != pair[0].number + 1) {
        return None;
    }
    if numbered.iter().any(|mark| !mark.is_like(first)) {
        return None;
    }
    // Where every mark has a blank behind it, it belongs to the mark; an empty line may have lost it.
    let blank = first.may_be_spaced() && numbered.iter().all(|mark| mark.rest.starts_with(' ') || mark.rest.is_empty());
    let bare: Vec<&str> = lines
        .iter()
        .zip(&marks)
        .map(|(line, mark)| match mark {
            Some(mark) if blank => mark.rest.strip_prefix(' ').unwrap_or(mark.rest),
            Some(mark) => mark.rest,
            None => line,
        })
        .collect();
    Some(bare.join("\n"))
}

/// What stands between a line's number and the line, longest first.
const SEPARATORS: [&str; 13] = ["\t", "→", " | ", "|", ":", " |", " │", "│", "]", ")", "-", "  ", " "];

/// A line number in front of a line.
struct Mark<'a> {
    /// The file that a search named in front of the number.
    path: &'a str,
    number: usize,
    separator: &'a str,
    rest: &'a str,
}

impl<'a> Mark<'a> {
    fn read(line: &'a str) -> Option<Mark<'a>> {
        let start = line.trim_start_matches([' ', '\t']);
        let (path, start) = Mark::path(start).unwrap_or(("", start));
        let digits = start.strip_prefix(['L', '[']).unwrap_or(start);
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let number = digits.get(..length)?.parse().ok()?;
        let behind = &digits[length..];
        let width = match SEPARATORS.into_iter().find(|separator| behind.starts_with(separator)) {
            Some(separator) => separator.len(),
            // A listing may have cut the blank behind an empty line's number.
            None if behind.is_empty() => 0,
            None => return None,
        };
        Some(Mark { path, number, separator: &behind[..width], rest: &behind[width..] })
    }

    /// A file's name and what follows it, as `grep -n` has them: `src/main.go:12:` or, for context, `src/main.go-12-`.
    fn path(line: &str) -> Option<(&str, &str)> {
        let is_path = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'/' | b'-');
        let length = line.bytes().take_while(|byte| is_path(byte)).count();
        let at = match line[length..].strip_prefix(':') {
            Some(_) => length,
            None => {
                let context = line[..length].trim_end_matches(|c: char| c != '-').strip_suffix('-')?;
                context.trim_end_matches(|c: char| c.is_ascii_digit()).strip_suffix('-')?.len()
            }
        };
        let (path, rest) = (&line[..at], &line[at + 1..]);
        (path.contains(['.', '/']) && rest.starts_with(|c: char| c.is_ascii_digit())).then_some((path, rest))
    }

    /// Whether its kind is one that a single line is believed to have.
    fn is_plain(&self) -> bool {
        self.path.is_empty() && matches!(self.separator, "\t" | "→" | " | " | "|" | ":" | " |")
    }

    fn may_be_spaced(&self) -> bool {
        !matches!(self.separator, "\t" | "→" | " | " | "  " | " ")
    }

    fn is_like(&self, other: &Mark<'_>) -> bool {
        let kind = |mark: &Mark<'_>| match mark.separator.trim() {
            "-" => ':',
            separator => separator.chars().next().unwrap_or(' '),
        };
        self.path == other.path
            && (kind(self) == kind(other) || self.separator.is_empty() || other.separator.is_empty())
    }
}

/// The lines without the signs of a diff: all have `sign` or a blank in front.
pub(super) fn without_diff_signs(text: &str, sign: char, other: &str, other_sign: char) -> Option<String> {
    if !all_signed(text, sign)
        || !(has_sign(text, sign) || all_signed(other, other_sign) && has_sign(other, other_sign))
    {
        return None;
    }
    let bare: Vec<&str> = text.split('\n').map(|line| line.get(1..).unwrap_or("")).collect();
    Some(bare.join("\n"))
}

/// Whether both sides are signed throughout and new has a sign: hardly anything else than a diff.
pub(super) fn is_plainly_diff(old: &str, new: &str) -> bool {
    all_signed(old, '-') && all_signed(new, '+') && (has_sign(new, '+') || has_sign(old, '-'))
}

fn all_signed(text: &str, sign: char) -> bool {
    !text.is_empty() && text.split('\n').filter(|line| !line.is_empty()).all(|line| line.starts_with([sign, ' ']))
}

fn has_sign(text: &str, sign: char) -> bool {
    text.split('\n').any(|line| line.starts_with(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fences_come_off_only_in_pairs() {
        for (text, bare) in
            [("```\na\nb\n```", Some("a\nb")), ("\n```rs\na\n```\n", Some("a")), ("```\na", None), ("```\n```", None)]
        {
            assert_eq!(without_fence(text).as_deref(), bare, "{text:?}");
        }
    }

    #[test]
    fn numbers_come_off_when_they_count_up() {
        let cases = [
            ("    9\ta\n   10\t\n   11\t  b", Some("a\n\n  b")),
            ("L9: a\nL10: b", Some("a\nb")),
            ("00009| a\n00010|   b", Some("a\n  b")),
            ("9 | a\n10 | b", Some("a\nb")),
            ("9→a\n10→\tb", Some("a\n\tb")),
            ("a\n10: b\n11: c", Some("a\nb\nc")),
            ("9: a\n11: b", None),
            ("1: a\nb\nc", None),
            ("a\nb", None),
            ("7:a\n8-  b\n9-c", Some("a\n  b\nc")),
            ("[7] a\n[8]   b", Some("a\n  b")),
            ("7) a\n8) b", Some("a\nb")),
            (" 7  a\n 8    b", Some("a\n  b")),
            ("  7 │ a\n  8 │   b", Some("a\n  b")),
            ("src/main.go:7: a\nsrc/main.go:8:   b", Some("a\n  b")),
            ("x-1.go-7-a\nx-1.go-8-b", Some("a\nb")),
            ("7) b", None),
            ("3 or 4.\n8→a\n9→b", Some("3 or 4.\na\nb")),
        ];
        for (text, bare) in cases {
            assert_eq!(without_line_numbers(text, None).as_deref(), bare, "{text:?}");
        }
    }

    #[test]
    fn what_stands_around_all_of_it_comes_off_in_pairs() {
        let cases = [
            ("\"\"\"a\nb\"\"\"", Some("a\nb")),
            ("`f(a)`", Some("f(a)")),
            ("'a", None),
            ("<code>\na\nb\n</code>\n", Some("a\nb")),
            ("<a>b</c>", None),
            ("List<a>", None),
        ];
        for (text, bare) in cases {
            assert_eq!(without_outer(text).as_deref(), bare, "{text:?}");
        }
    }

    #[test]
    fn marks_of_a_quotation_come_off_when_every_line_has_one() {
        let cases = [
            ("> a\n>   b\n>", Some("a\n  b\n")),
            (">a\n> b", Some("a\n b")),
            ("> a\nb", None),
            ("│ a\n\n│ b", Some("a\n\nb")),
            ("a", None),
        ];
        for (text, bare) in cases {
            assert_eq!(without_quote_marks(text, text).as_deref(), bare, "{text:?}");
        }
        assert_eq!(without_quote_marks("> a\nb", "> a\n> c").as_deref(), Some("a\nb"));
    }

    #[test]
    fn a_single_number_needs_company() {
        assert_eq!(without_line_numbers("a\n7: b", None), None);
        assert_eq!(without_line_numbers("a\n7: b", Some("a\n7: b\n8: c")).as_deref(), Some("a\nb"));
        assert_eq!(without_line_numbers("7: b", None).as_deref(), Some("b"));
    }

    #[test]
    fn signs_come_off_when_every_line_has_its_place_for_one() {
        assert_eq!(without_diff_signs("-a\n b", '-', "", '+').as_deref(), Some("a\nb"));
        assert_eq!(without_diff_signs(" a\n\n b", '-', "+x\n a", '+').as_deref(), Some("a\n\nb"));
        assert_eq!(without_diff_signs(" a\n b", '-', " a\n c", '+'), None);
        assert_eq!(without_diff_signs("-a\nb", '-', "+a", '+'), None);
    }
}
