//! Which files of a large Go module gopls is asked about after a change: what was edited, what is open, and who imports
//! it. Asking about all of them takes as long as there are files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Up to this many files, all of them are asked about.
const ALL: usize = 400;
/// Imports stand in the first part of a file. Bytes.
const HEAD: u64 = 16 << 10;

/// Who imports whom, by file, for as long as the files do not change.
#[derive(Debug, Default)]
pub(super) struct Imports {
    of_file: HashMap<PathBuf, Vec<String>>,
}

/// What gopls is asked about.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) files: Vec<PathBuf>,
    /// What that leaves out, if anything.
    pub(super) scope: Option<String>,
}

impl Imports {
    /// Chooses among `all` the files to ask about. `edited` and `open` are files of the module at `root` or others.
    pub(super) fn choose(
        &mut self,
        root: &Path,
        all: Vec<PathBuf>,
        edited: &BTreeSet<PathBuf>,
        open: &[PathBuf],
    ) -> Asked {
        if all.len() <= ALL {
            return Asked { files: all, scope: None };
        }
        for path in edited {
            self.of_file.remove(path);
        }
        let mut by_folder: BTreeMap<&Path, Vec<&PathBuf>> = BTreeMap::new();
        for path in &all {
            by_folder.entry(path.parent().unwrap_or(path)).or_default().push(path);
        }
        let folders: BTreeSet<&Path> = edited.iter().filter_map(|path| path.parent()).collect();
        let packages: BTreeSet<String> = folders.iter().filter_map(|folder| import_path(root, folder)).collect();
        let mut chosen: BTreeSet<PathBuf> = open.iter().filter(|path| is_go(path)).cloned().collect();
        chosen.extend(folders.iter().filter_map(|folder| by_folder.get(folder)).flatten().map(|path| (*path).clone()));
        let importers: Vec<&PathBuf> = match packages.is_empty() {
            true => Vec::new(),
            false => all.iter().filter(|path| self.of(path).iter().any(|import| packages.contains(import))).collect(),
        };
        let (fitting, left) = (ALL.saturating_sub(chosen.len()), importers.len());
        chosen.extend(importers.into_iter().take(fitting).cloned());
        let scope = match left > fitting {
            true => format!("the edited package, open files and {fitting} of {left} files that import it"),
            false => "the edited package, open files and the files that import it".to_owned(),
        };
        Asked { files: chosen.into_iter().collect(), scope: Some(scope) }
    }

    fn of(&mut self, path: &Path) -> &[String] {
        self.of_file
            .entry(path.to_owned())
            .or_insert_with(|| read_head(path).map(|text| imports(&text)).unwrap_or_default())
    }
}

fn is_go(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "go")
}

/// What `folder` is imported as: the module's path and the way from its go.mod.
fn import_path(root: &Path, folder: &Path) -> Option<String> {
    let above = folder.ancestors().take_while(|above| above.starts_with(root));
    let module = above.filter(|above| above.join("go.mod").is_file()).map(Path::to_owned).next()?;
    let text = std::fs::read_to_string(module.join("go.mod")).ok()?;
    let name = text.lines().find_map(|line| line.trim().strip_prefix("module"))?.trim().trim_matches('"');
    let way = folder.strip_prefix(&module).ok()?.to_string_lossy().into_owned();
    Some(match (name, way.as_str()) {
        (_, "") => name.to_owned(),
        // The standard library's packages stand without its module's name.
        ("std", _) => way,
        _ => format!("{name}/{way}"),
    })
}

fn read_head(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(HEAD).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The paths in a file's import declarations. Good enough for choosing: a text that merely looks like one only makes
/// a file be asked about in vain.
fn imports(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines().map(str::trim) {
        if let Some(rest) = line.strip_prefix("import") {
            in_block = rest.trim_start().starts_with('(');
            found.extend(quoted(rest));
        } else if in_block {
            in_block = !line.starts_with(')');
            found.extend(quoted(line));
        } else if ["func ", "type ", "var ", "const "].iter().any(|word| line.starts_with(word)) {
            break;
        }
    }
    found
}

fn quoted(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('"')?;
    rest.split_once('"').map(|(path, _)| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_found_in_both_forms() {
        let text = "// x\npackage a\n\nimport \"fmt\"\nimport (\n\tx \"example.test/m/b\" // why\n\n\t_ \"embed\"\n)\n\nfunc f() { g(\"not/this\") }\n";
        assert_eq!(imports(text), ["fmt", "example.test/m/b", "embed"]);
        assert_eq!(imports("package a\n"), [""; 0]);
    }

    #[test]
    fn a_large_module_is_asked_about_in_part() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("inside")).expect("made");
            std::fs::write(&path, text).expect("written");
            path
        };
        put("go.mod", "module example.test/m\n");
        let edited = put("b/b.go", "package b\n");
        let other = put("b/c.go", "package b\n");
        let user = put("a/a.go", "package a\n\nimport \"example.test/m/b\"\n");
        let open = put("o/o.go", "package o\n");
        let mut all: Vec<PathBuf> = (0..ALL).map(|n| put(&format!("x/{n}.go"), "package x\n")).collect();
        let choose = |all: Vec<PathBuf>| {
            Imports::default().choose(root, all, &BTreeSet::from([edited.clone()]), std::slice::from_ref(&open))
        };
        assert_eq!(choose(all.clone()), Asked { files: all.clone(), scope: None });
        all.extend([edited.clone(), other.clone(), user.clone(), open.clone()]);
        let asked = choose(all);
        assert_eq!(asked.files, [user, edited.clone(), other, open.clone()]);
        assert_eq!(asked.scope.as_deref(), Some("the edited package, open files and the files that import it"));
    }
}
