//! Fences, line numbers and diff signs: what stands around or in front of lines.

/// The text inside a Markdown fence.
pub(super) fn without_fence(text: &str) -> Option<String> {
    let inner = text.trim_matches('\n');
    let (first, rest) = inner.split_once('\n')?;
    let (body, last) = rest.rsplit_once('\n').unwrap_or(("", rest));
    let fenced = first.trim_start().starts_with("```") && last.trim() == "```" && rest.contains('\n');
    fenced.then(|| body.to_owned())
}

/// The lines without the numbers of a listing, where nearly all have one and they count up by one.
///
/// A single number among several lines is believed only where `like`, the other side, has such numbers too.
pub(super) fn without_line_numbers(text: &str, like: Option<&str>) -> Option<String> {
    let lines: Vec<&str> = text.split('\n').collect();
    let marks: Vec<Option<Mark<'_>>> = lines.iter().map(|line| Mark::read(line)).collect();
    let filled = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let numbered: Vec<&Mark<'_>> = marks.iter().flatten().collect();
    let first = numbered.first()?;
    // The first line is often typed without its number.
    let is_alone = numbered.len() < 2 && filled > 1;
    let is_like = |other: &str| other.split('\n').filter_map(Mark::read).any(|mark| mark.separator == first.separator);
    if numbered.len() + 1 < filled || is_alone && !like.is_some_and(is_like) {
        return None;
    }
    if numbered.windows(2).any(|pair| pair[1].number != pair[0].number + 1) {
        return None;
    }
    let separator = first.separator;
    if numbered.iter().any(|mark| mark.separator.trim() != separator.trim()) {
        return None;
    }
    // Where every mark has a blank behind it, it belongs to the mark; an empty line may have lost it.
    let blank = matches!(separator, ":" | "|")
        && numbered.iter().all(|mark| mark.rest.starts_with(' ') || mark.rest.is_empty());
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

/// A line number in front of a line.
struct Mark<'a> {
    number: usize,
    separator: &'a str,
    rest: &'a str,
}

impl<'a> Mark<'a> {
    fn read(line: &'a str) -> Option<Mark<'a>> {
        let start = line.trim_start_matches([' ', '\t']);
        let digits = start.strip_prefix('L').unwrap_or(start);
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        let number = digits.get(..length)?.parse().ok()?;
        let behind = &digits[length..];
        let width =
            ["\t", "→", " | ", "|", ":", " |"].into_iter().find(|separator| behind.starts_with(separator))?.len();
        Some(Mark { number, separator: &behind[..width], rest: &behind[width..] })
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
        ];
        for (text, bare) in cases {
            assert_eq!(without_line_numbers(text, None).as_deref(), bare, "{text:?}");
        }
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
