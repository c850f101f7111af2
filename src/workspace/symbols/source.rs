//! A source file as it is on disk now.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Declared, SymbolRefused};
use crate::syntax::{Language, Surroundings, outline};
use crate::text::{LineIndex, decode};
use crate::workspace::paths::contained::read_file;
use crate::workspace::paths::{PathRules, Resolved};
use crate::workspace::snapshot::relative;

/// Larger files are not read for their declarations. Bytes.
const LARGEST: u64 = 4 << 20;
/// A package is declared within so many lines, or not at all.
const PACKAGE_WITHIN: usize = 200;

/// A file and its text.
#[derive(Debug, Clone)]
pub(in crate::workspace) struct SourceFile {
    pub(in crate::workspace) path: PathBuf,
    /// Relative to the workspace root.
    pub(in crate::workspace) file: String,
    pub(in crate::workspace) text: Arc<str>,
}

impl SourceFile {
    /// The file at `path` (absolute, in the workspace), if it is one, of bearable size, and text.
    pub(in crate::workspace) fn read(rules: &PathRules, path: &Path) -> Option<SourceFile> {
        let (absolute, file) = (path.to_owned(), relative(&rules.root, path));
        let target = Resolved { absolute, relative: file, note: None, exists: true };
        SourceFile::read_named(rules, &target).ok()
    }

    /// The file that a call names.
    pub(in crate::workspace) fn read_named(rules: &PathRules, target: &Resolved) -> Result<SourceFile, SymbolRefused> {
        let file = target.relative.clone();
        let found = match read_file(rules, target, LARGEST) {
            Ok(Some(found)) => found,
            Ok(None) => {
                return Err(SymbolRefused::Unreadable {
                    file,
                    error: std::io::Error::from(std::io::ErrorKind::NotFound).into(),
                });
            }
            Err(error) => return Err(SymbolRefused::Unreadable { file, error }),
        };
        match decode(found.bytes) {
            Ok(decoded) => Ok(SourceFile { path: target.absolute.clone(), file, text: decoded.text.into() }),
            Err(_) => Err(SymbolRefused::NoText { file }),
        }
    }

    /// What it declares, in its order.
    pub(in crate::workspace) fn declarations(&self, language: Language) -> Vec<Declared> {
        let index = LineIndex::new(&self.text);
        outline(language, &self.text).into_iter().map(|symbol| Declared::new(self, &index, symbol)).collect()
    }

    /// What may stand before the names it declares.
    pub(super) fn around(&self) -> Surroundings {
        let path = Path::new(&self.file);
        let name = |part: &std::ffi::OsStr| part.to_string_lossy().into_owned();
        let folders = path.parent().map(|folder| folder.iter().map(name).collect()).unwrap_or_default();
        Surroundings { folders, stem: path.file_stem().map(name).unwrap_or_default(), package: self.package() }
    }

    /// The name in `package a.b`, as Go and Java write it.
    fn package(&self) -> Option<String> {
        let clauses = self.text.lines().take(PACKAGE_WITHIN).filter_map(|line| line.strip_prefix("package "));
        let name = clauses.map(|rest| rest.split([';', '/']).next().unwrap_or_default().trim()).next()?;
        (!name.is_empty()).then(|| name.to_owned())
    }
}
