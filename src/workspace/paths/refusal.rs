//! The words of a refusal: what was typed, where it points, what differs, what is nearest.

use std::path::Path;

/// The longest message, characters; with the state of the disk before it and the hint behind it, it stays under 600.
const LONGEST: usize = 450;
/// The longest path that is shown whole, characters.
const LONGEST_PATH: usize = 300;
/// Longer typed paths are not looked for on disk, bytes; the kernel takes no more.
pub(super) const LONGEST_TYPED: usize = 4096;

/// Why a path was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PathCode {
    /// Nothing was typed.
    Empty,
    /// It holds control characters or is longer than any path.
    Malformed,
    /// It points into the workspace, where nothing stands.
    NotFound,
    /// It points outside the workspace.
    Outside,
    /// It stands in the workspace, but a link in it leads outside.
    LinkOutside,
    /// It may be read but not written.
    ReadOnly,
    /// A directory where a file is due.
    IsDirectory,
    /// A file where a directory is due.
    NotADirectory,
    /// A pipe, socket or device.
    NotAFile,
    /// Links that lead in a circle.
    LinkCircle,
    /// A new file in a new directory that is nearly the name of one that exists.
    NearDuplicate,
    /// The operating system does not let us look.
    Denied,
}

impl PathCode {
    /// Its name in structured results and the ledger.
    pub fn name(self) -> &'static str {
        match self {
            PathCode::Empty => "path_empty",
            PathCode::Malformed => "path_malformed",
            PathCode::NotFound => "path_not_found",
            PathCode::Outside => "path_outside",
            PathCode::LinkOutside => "path_link_outside",
            PathCode::ReadOnly => "path_read_only",
            PathCode::IsDirectory => "path_is_directory",
            PathCode::NotADirectory => "path_not_a_directory",
            PathCode::NotAFile => "path_not_a_file",
            PathCode::LinkCircle => "path_link_circle",
            PathCode::NearDuplicate => "path_near_duplicate",
            PathCode::Denied => "path_denied",
        }
    }
}

/// A path that was not taken, and what would help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathRefused {
    /// Why.
    pub code: PathCode,
    /// The evidence: the path as received, where it points, what differs, what is nearest. The state of the disk is the caller's
    /// to say, before it.
    pub message: String,
    /// What to do next, without `Hint:`.
    pub hint: Option<String>,
    /// The path that was probably meant, relative to the root (absolute when outside).
    pub suggestion: Option<String>,
}

/// A message that grows sentence by sentence while there is room.
pub(super) struct Message(String);

impl Message {
    /// Begins with what is wrong.
    pub(super) fn new(first: impl Into<String>) -> Message {
        Message(first.into())
    }

    /// Adds a line if it fits.
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if self.0.chars().count() + 1 + line.chars().count() <= LONGEST {
            self.0.push('\n');
            self.0.push_str(line);
        }
    }

    pub(super) fn refuse(self, code: PathCode, hint: Option<String>, suggestion: Option<String>) -> PathRefused {
        PathRefused { code, message: self.0, hint, suggestion }
    }
}

/// Refuses what is no path at all.
pub(super) fn malformed(typed: &str) -> Result<(), PathRefused> {
    let hint = Some("give a path relative to the workspace, such as `src/main.go`".to_owned());
    if typed.trim().is_empty() {
        return Err(Message::new("the path is empty").refuse(PathCode::Empty, hint, None));
    }
    if let Some(control) = typed.trim().chars().find(|character| character.is_control()) {
        let message = format!("the path holds the control character U+{:04X}: `{}`", u32::from(control), shown(typed));
        return Err(Message::new(message).refuse(PathCode::Malformed, hint, None));
    }
    if typed.len() > LONGEST_TYPED {
        let message = format!("the path is too long ({} bytes): `{}`", typed.len(), shown(typed));
        return Err(Message::new(message).refuse(PathCode::Malformed, hint, None));
    }
    Ok(())
}

/// A path as an agent may see it: on one line, no control or direction characters, bounded.
pub(super) fn shown(path: &str) -> String {
    let path = path.trim();
    if path.chars().nth(LONGEST_PATH).is_none() {
        return path.chars().map(harmless).collect();
    }
    let head: String = path.chars().take(120).map(harmless).collect();
    let tail: Vec<char> = path.chars().rev().take(60).map(harmless).collect();
    format!("{head}…{}", tail.iter().rev().collect::<String>())
}

pub(super) fn shown_path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

fn harmless(character: char) -> char {
    match character {
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// Where two paths part and meet again, for people: `…/runs_hb11/…` and `…/runs-hb11/…`.
pub(super) fn difference(typed: &[&str], real: &[&str]) -> (String, String) {
    let before = typed.iter().zip(real).take_while(|(a, b)| a == b).count();
    let shorter = typed.len().min(real.len());
    let after = typed.iter().rev().zip(real.iter().rev()).take(shorter - before).take_while(|(a, b)| a == b).count();
    let missing = typed.len() - after == before || real.len() - after == before;
    let (from, kept) = if missing { (before.saturating_sub(1), after.saturating_sub(1)) } else { (before, after) };
    (excerpt(typed, from, typed.len() - kept), excerpt(real, from, real.len() - kept))
}

fn excerpt(names: &[&str], from: usize, to: usize) -> String {
    const LONGEST: usize = 110;
    let front = if from == 0 { "/" } else { "…/" };
    let back = if to == names.len() { "" } else { "/…" };
    let middle = names[from..to].join("/");
    let cut: String = middle.chars().take(LONGEST).collect();
    let cut = if cut.len() < middle.len() { format!("{cut}…") } else { format!("{cut}{back}") };
    format!("{front}{}", shown(&cut))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_path_is_refused_and_shown_harmlessly() {
        for (typed, code) in [
            ("", Some(PathCode::Empty)),
            (" \n", Some(PathCode::Empty)),
            ("\0x", Some(PathCode::Malformed)),
            ("a\nb", Some(PathCode::Malformed)),
            ("a\u{1b}[31m", Some(PathCode::Malformed)),
            ("src/a.go\n", None),
        ] {
            assert_eq!(malformed(typed).err().map(|refused| refused.code), code, "{typed:?}");
        }
        let long = malformed(&"é".repeat(50_000)).unwrap_err();
        assert!(long.message.chars().count() < 300 && long.message.contains("100000 bytes"), "{long:?}");
        assert_eq!(shown("a\u{202e}b\u{7}"), "a\u{fffd}b\u{fffd}");
    }

    #[test]
    fn the_first_difference_is_shown_with_its_place() {
        for (typed, real, expected) in [
            ("w/runs_hb11/t14", "w/runs-hb11/t14", ("…/runs_hb11/…", "…/runs-hb11/…")),
            ("w/a/b/t14", "w/a-b/t14", ("…/a/b/…", "…/a-b/…")),
            ("home/work/t", "home/user/work/t", ("/home/work/…", "/home/user/work/…")),
            ("w/t", "w/u", ("…/t", "…/u")),
            ("w/w/t", "w/t", ("/w/w/t", "/w/t")),
        ] {
            let (typed, real): (Vec<&str>, Vec<&str>) = (typed.split('/').collect(), real.split('/').collect());
            let (left, right) = difference(&typed, &real);
            assert_eq!((left.as_str(), right.as_str()), expected);
        }
    }
}
