//! The declaration that a hit stands in, told by its first line.

use std::path::{Path, PathBuf};

use crate::report::{Inside, one_line};
use crate::search::{FileHits, Role};
use crate::syntax::{Language, heading, outline};
use crate::text::LineIndex;

/// Larger files are not parsed for this. Bytes.
const LARGEST_FILE: u64 = 512 * 1024;
/// Nor are more bytes than this in one call: parsing must stay cheap beside searching.
const MOST_BYTES: u64 = 1 << 20;
/// Most characters of a declaration.
const MOST_CHARACTERS: usize = 120;

/// For each file and each of its lines the declaration it stands in, where that is known.
pub(super) fn of_hits(files: &[(PathBuf, FileHits)]) -> Inside {
    let mut left = MOST_BYTES;
    files.iter().map(|(path, hits)| of_file(path, hits, &mut left)).collect()
}

fn of_file(path: &Path, hits: &FileHits, left: &mut u64) -> Vec<Option<String>> {
    let unknown = || vec![None; hits.lines.len()];
    let Some(language) = Language::of_path(path).filter(|_| !hits.lines.is_empty()) else { return unknown() };
    let size = std::fs::metadata(path).map_or(u64::MAX, |metadata| metadata.len());
    if size > LARGEST_FILE.min(*left) {
        return unknown();
    }
    *left -= size;
    let Ok(text) = std::fs::read_to_string(path) else { return unknown() };
    let index = LineIndex::new(&text);
    let symbols = outline(language, &text);
    let inside = |line: usize| Some(one_line(heading(&symbols, &index, &text, line)?, MOST_CHARACTERS));
    hits.lines
        .iter()
        .map(|line| (line.role == Role::Hit).then(|| inside(line.number.saturating_sub(1))).flatten())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Line;

    #[test]
    fn hits_are_told_the_declaration_around_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.go");
        std::fs::write(&path, "package p\n\nfunc (s *S) Put(k string) {\n\tx()\n}\n\nvar y = x\n").expect("writes");
        let line = |number| Line { number, text: String::new(), role: Role::Hit };
        let hits = FileHits { lines: [3, 4, 7].map(line).into(), count: 3, binary: false };
        let inside = of_hits(&[(path, hits.clone()), (folder.path().join("a.txt"), hits)]);
        assert_eq!(inside, [vec![None, Some("func (s *S) Put(k string)".to_owned()), None], vec![None; 3]]);
    }
}
