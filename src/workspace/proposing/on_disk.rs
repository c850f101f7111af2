//! The files an edit is about, as they are on disk now and only if they may be changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::text::decode;
use crate::workspace::paths::contained::read_file;
use crate::workspace::paths::{self, PathRules, Purpose};
use crate::workspace::rewriting::{Files, NotRewritten};

/// Larger files are not changed. Bytes.
const LARGEST: u64 = 64 << 20;

/// What was read so far.
pub(super) struct OnDisk<'r> {
    rules: &'r PathRules,
    read: BTreeMap<PathBuf, Option<Arc<str>>>,
}

impl<'r> OnDisk<'r> {
    pub(super) fn new(rules: &'r PathRules) -> OnDisk<'r> {
        OnDisk { rules, read: BTreeMap::new() }
    }

    /// Everything that was read; `None` for what is not there.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&PathBuf, &Option<Arc<str>>)> {
        self.read.iter()
    }

    fn read(&self, path: &Path) -> Result<Option<Arc<str>>, NotRewritten> {
        let file = || path.display().to_string();
        let unreadable = |why: String| NotRewritten::Unreadable { file: file(), why };
        let target = path.to_str().ok_or_else(|| unreadable("its name is not UTF-8".to_owned()))?;
        let target = paths::resolve(self.rules, target, Purpose::WriteFile)
            .map_err(|refused| NotRewritten::Outside { file: file(), why: refused.message })?;
        if target.note.is_some() {
            return Err(NotRewritten::Outside { file: file(), why: "it does not lie in the workspace".to_owned() });
        }
        let found = read_file(self.rules, &target, LARGEST).map_err(|error| unreadable(error.to_string()))?;
        let decoded = found.map(|found| decode(found.bytes)).transpose();
        Ok(decoded.map_err(|error| unreadable(error.to_string()))?.map(|decoded| decoded.text.into()))
    }
}

impl Files for OnDisk<'_> {
    fn text(&mut self, path: &Path) -> Result<Option<Arc<str>>, NotRewritten> {
        if let Some(known) = self.read.get(path) {
            return Ok(known.clone());
        }
        let text = self.read(path)?;
        self.read.insert(path.to_owned(), text.clone());
        Ok(text)
    }

    fn beneath(&mut self, folder: &Path, most: usize) -> Option<Vec<PathBuf>> {
        if !std::fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir()) {
            return None;
        }
        let (mut open, mut found) = (vec![folder.to_owned()], Vec::new());
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                // A link counts as a file: what it leads to is not in the folder.
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => open.push(entry.path()),
                    _ => found.push(entry.path()),
                }
                if found.len() > most {
                    return Some(found);
                }
            }
        }
        Some(found)
    }
}
