//! Drift that new repeats: what old has around or inside its lines and the file has not would reach the file with it.

use super::alignment::Alignment;
use super::file_lines::FileLines;
use super::line_diff::Op;
use super::reading::Reading;

/// Shorter keys stand inside others by chance.
const MIN_KEY: usize = 4;

/// Whether lines that the edit brings carry something that `old` has and the lines it was found in have not: a mark in
/// front of every line, a level of escaping, entities.
pub(super) fn is_carried(file: &FileLines<'_>, old: &[&str], new: &[&str], alignment: &Alignment, ops: &[Op]) -> bool {
    let brought: Vec<&str> = ops.iter().filter(|op| !op.equal).flat_map(|op| op.new.clone()).map(|j| new[j]).collect();
    if brought.is_empty() {
        return false;
    }
    let pairs: Vec<(&str, &str)> = (0..old.len())
        .filter(|i| !old[*i].trim().is_empty())
        .filter_map(|i| Some((old[i], file.content(alignment.single(i)?))))
        .collect();
    if pairs.iter().all(|(old, file)| old.trim() == file.trim()) {
        return false;
    }
    inside(&pairs).iter().any(|mark| brought.iter().any(|line| line.contains(mark.as_str())))
        || around(&pairs)
            .is_some_and(|mark| brought.iter().any(|line| shape(&Reading::new(line).key).starts_with(&mark)))
}

/// Escapes and entities that old has more of than the file.
fn inside(pairs: &[(&str, &str)]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (old, file) in pairs.iter().filter(|(old, _)| old.contains(['\\', '&'])) {
        for mark in marks(old) {
            if old.matches(mark).count() > file.matches(mark).count() && !found.iter().any(|known| known == mark) {
                found.push(mark.to_owned());
            }
        }
    }
    found
}

/// Every escape (a backslash and a sign) and entity of a line.
fn marks(line: &str) -> impl Iterator<Item = &str> {
    line.char_indices().filter_map(|(at, character)| match character {
        '\\' => {
            let sign = line[at + 1..].chars().next()?;
            (!sign.is_alphanumeric()).then(|| &line[at..at + 1 + sign.len_utf8()])
        }
        '&' => {
            let name = line[at + 1..].split_once(';')?.0;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'#';
            (!name.is_empty() && name.len() < 9 && name.bytes().all(is_name)).then(|| &line[at..at + name.len() + 2])
        }
        _ => None,
    })
}

/// What stands in front of the lines of old, and not of the file's, where that is the same on all that differ: as a
/// shape, digits being alike.
fn around(pairs: &[(&str, &str)]) -> Option<String> {
    let mut mark: Option<String> = None;
    for (old, file) in pairs {
        let (old, file) = (Reading::new(old).key, Reading::new(file).key);
        if old == file || file.len() < MIN_KEY {
            continue;
        }
        let front = shape(old.strip_suffix(&file)?);
        if front.chars().all(char::is_alphabetic) || mark.as_ref().is_some_and(|mark| *mark != front) {
            return None;
        }
        mark = Some(front);
    }
    mark
}

/// A text with every number as one sign.
fn shape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        let character = if character.is_ascii_digit() { '0' } else { character };
        if !(character == '0' && out.ends_with('0')) {
            out.push(character);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::{Query, RefusalCode, replace};

    #[test]
    fn what_the_file_has_not_does_not_reach_it() {
        let text = "alpha = compute(one, two)\nbeta = compute(three, four)\ngamma = finish(alpha, beta)\n";
        let cases: [fn(&str) -> String; 2] = [|line| format!("~~ {line}"), |line| line.replace('=', "&equals;")];
        for drift in cases {
            let lines = |lines: &[&str]| lines.iter().map(|line| drift(line) + "\n").collect::<String>();
            let kept: Vec<&str> = text.lines().collect();
            let (old, new) = (lines(&kept), lines(&[kept[0], kept[1], "delta = 7", kept[2]]));
            let query = Query { old: &old, new: &new, replace_all: false, near_line: None };
            let code = replace(text, &query).map_err(|refused| refused.code);
            assert!(matches!(code, Err(RefusalCode::Stale | RefusalCode::NotFound)), "{code:?}");
        }
    }

    #[test]
    fn what_new_does_not_repeat_does_no_harm() {
        let text = "alpha = compute(one, two)\nbeta = compute(three, four)\ngamma = finish(alpha, beta)\n";
        let old: String = text.lines().map(|line| format!("~~ {line}\n")).collect();
        let new = old.replace("~~ gamma", "delta = 7\n~~ gamma");
        let landed = replace(text, &Query { old: &old, new: &new, replace_all: false, near_line: None });
        assert_eq!(landed.expect("lands").text, text.replace("gamma", "delta = 7\ngamma"));
    }
}
