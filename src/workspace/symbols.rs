//! Declarations by their names: what a call means by `Store.Put`, found in the texts as they are on disk.
//!
//! Where a grammar is built in no language server is asked, so that it is the same in the first second, after a crash, and
//! without one.

mod nearest;
mod source;
mod survey;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Workspace;
use super::paths::Resolved;
use super::paths::contained::ReadError;
use crate::search::StopOnDrop;
use crate::syntax::{Language, NamePath, Symbol, SymbolKind};
use crate::text::{LineIndex, PositionEncoding};

pub(super) use source::SourceFile;
pub(super) use survey::declared_like;

/// A declaration, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The file's real path.
    pub path: PathBuf,
    /// The file relative to the workspace root, with `/`.
    pub file: String,
    /// What is declared; its lines and bytes are those of the text it was found in.
    pub symbol: Symbol,
    /// The line of its name, 1-based.
    pub line: usize,
    /// The column of its name in characters, 1-based.
    pub column: usize,
    /// The line its name stands on, as it is in the file.
    pub heading: String,
}

/// The one declaration that was meant.
#[derive(Debug, Clone)]
pub struct FoundSymbol {
    /// The declaration.
    pub declared: Declared,
    /// The text of its file, as it was read.
    pub text: Arc<str>,
    /// Others of the same name that were not meant, because what was typed is the full path of this one.
    pub others: Vec<Declared>,
}

/// Why a name means no one declaration.
#[derive(Debug, thiserror::Error)]
pub enum SymbolRefused {
    /// There is no name in what was typed.
    #[error("`{typed}` is no name")]
    Nameless {
        /// What was typed.
        typed: String,
    },
    /// Nothing of that name is declared.
    #[error("nothing is declared as `{name}`")]
    NoSuch {
        /// The name, as it was read.
        name: String,
        /// The only file that was looked at, if one was named.
        file: Option<String>,
        /// What is declared under similar names, the most similar first.
        nearest: Vec<Declared>,
        /// Whether everything was looked at; if not, it may be declared all the same.
        complete: bool,
    },
    /// Several declarations fit equally well.
    #[error("`{name}` is declared {} times", candidates.len())]
    Ambiguous {
        /// The name, as it was read.
        name: String,
        /// The declarations, in the order of files and lines.
        candidates: Vec<Declared>,
    },
    /// The file that was named has no grammar built in.
    #[error("the declarations of {file} cannot be told")]
    NoGrammar {
        /// The file.
        file: String,
    },
    /// The file that was named cannot be read.
    #[error("{file} cannot be read: {error}")]
    Unreadable {
        /// The file.
        file: String,
        /// Why.
        error: ReadError,
    },
    /// The file that was named is no text.
    #[error("{file} is no text")]
    NoText {
        /// The file.
        file: String,
    },
}

impl Declared {
    pub(super) fn new(source: &SourceFile, index: &LineIndex, symbol: Symbol) -> Declared {
        let at = index.position(&source.text, symbol.name_span.start, PositionEncoding::Utf32);
        Declared {
            path: source.path.clone(),
            file: source.file.clone(),
            line: at.line as usize + 1,
            column: at.column as usize + 1,
            heading: index.line(&source.text, at.line as usize).to_owned(),
            symbol,
        }
    }

    /// Whether it only passes on what is declared elsewhere, as Zig writes an import: `const A = @import("a.zig").A;`
    fn is_alias(&self) -> bool {
        if self.symbol.kind != SymbolKind::Constant || !self.file.ends_with(".zig") {
            return false;
        }
        let value = self.heading.split_once('=').map_or("", |(_, value)| value.trim().trim_end_matches(';').trim_end());
        let is_own_name = value.strip_suffix(self.symbol.name.as_str()).is_some_and(|before| before.ends_with('.'));
        is_own_name || (value.starts_with("@import(") && value.ends_with(')'))
    }

    /// Its name after those of the types it stands in: `Store.Put`.
    pub fn full_name(&self) -> String {
        match &self.symbol.container {
            Some(container) => format!("{container}.{}", self.symbol.name),
            None => self.symbol.name.clone(),
        }
    }
}

impl Workspace {
    /// Finds the one declaration that `typed` names, in `file` or in the whole workspace.
    ///
    /// A full path (`Store.Put`) wins over declarations of which only the end was said. Waits for the disk only, but for a
    /// file without a grammar, whose language server is asked. Dropping the future ends the search.
    ///
    /// # Errors
    /// [`SymbolRefused`], with what comes near or with all that fit.
    pub async fn find_symbol(&self, typed: &str, file: Option<&Resolved>) -> Result<FoundSymbol, SymbolRefused> {
        let name = NamePath::parse(typed).ok_or_else(|| SymbolRefused::Nameless { typed: typed.to_owned() })?;
        match file {
            Some(file) => self.find_in_file(&name, file).await,
            None => {
                let workspace = self.clone();
                blocking(move |cancel| workspace.find_anywhere(&name, cancel)).await
            }
        }
    }

    async fn find_in_file(&self, name: &NamePath, file: &Resolved) -> Result<FoundSymbol, SymbolRefused> {
        let source = SourceFile::read_named(self.paths(), file)?;
        let all = match Language::of_path(&source.path) {
            Some(language) => source.declarations(language),
            // Without a grammar the file's language server is asked, if it has one.
            None => match self.told_outline(&source, None).await {
                Ok((all, _)) => all,
                Err(_) => return Err(SymbolRefused::NoGrammar { file: source.file }),
            },
        };
        let fitting = all.iter().filter_map(|declared| Some((name.fit(&declared.symbol, &source.around())?, declared)));
        let fitting: Vec<(usize, Declared)> = fitting.map(|(unsaid, declared)| (unsaid, declared.clone())).collect();
        if fitting.is_empty() {
            let nearest = nearest::of(name, all);
            let (name, file) = (name.whole().to_owned(), Some(source.file));
            return Err(SymbolRefused::NoSuch { name, file, nearest, complete: true });
        }
        let (declared, others) = the_one(name, fitting)?;
        Ok(FoundSymbol { declared, text: source.text, others })
    }

    fn find_anywhere(&self, name: &NamePath, cancel: &AtomicBool) -> Result<FoundSymbol, SymbolRefused> {
        let survey = survey::declarations_of(self.paths(), name, cancel);
        if survey.fitting.is_empty() {
            let nearest = survey::nearest(self.paths(), name, cancel);
            let (name, complete) = (name.whole().to_owned(), survey.complete);
            return Err(SymbolRefused::NoSuch { name, file: None, nearest, complete });
        }
        let (declared, others) = the_one(name, survey.fitting)?;
        let source = SourceFile::read(self.paths(), &declared.path).map(|source| source.text);
        // It was read a moment ago; should it be gone now, that is as if it had never been there.
        let text = source.ok_or_else(|| SymbolRefused::NoText { file: declared.file.clone() })?;
        Ok(FoundSymbol { declared, text, others })
    }
}

/// Of those that fit the one of which most was said; a type rather than its own constructor, and what is declared
/// rather than a constant that only passes it on.
fn the_one(name: &NamePath, mut fitting: Vec<(usize, Declared)>) -> Result<(Declared, Vec<Declared>), SymbolRefused> {
    fitting.sort_by_cached_key(|(unsaid, declared)| {
        (declared.is_alias(), *unsaid, declared.file.clone(), declared.symbol.name_span.start)
    });
    let first = fitting.first().map(|(unsaid, declared)| (declared.is_alias(), *unsaid));
    let least = first.map_or(0, |(_, unsaid)| unsaid);
    let is_best = |(unsaid, declared): &&(usize, Declared)| Some((declared.is_alias(), *unsaid)) == first;
    let best = fitting.iter().filter(is_best).count();
    let rivals =
        fitting.iter().filter(|(_, declared)| first.is_some_and(|(alias, _)| alias == declared.is_alias())).count();
    if best == 1 && (least == 0 || rivals == 1) {
        let mut all = fitting.into_iter().map(|(_, declared)| declared);
        let first = all.next().unwrap_or_else(|| unreachable!("one was counted"));
        return Ok((first, all.collect()));
    }
    // Where a full path was typed, what it names only in part is not meant.
    let meant = if least == 0 { best } else { rivals };
    let candidates = fitting.into_iter().map(|(_, declared)| declared).take(meant).collect();
    Err(SymbolRefused::Ambiguous { name: name.whole().to_owned(), candidates })
}

/// Does `work` on a thread that may block; its flag is set when nobody waits for it any more.
pub(super) async fn blocking<T: Send + 'static>(work: impl FnOnce(&AtomicBool) -> T + Send + 'static) -> T {
    let cancel = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(Arc::clone(&cancel));
    match tokio::task::spawn_blocking(move || work(&cancel)).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // Only a runtime that shuts down cancels such work, and then nobody polls this again.
        Err(_) => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Servers;
    use crate::dirs::Dirs;
    use crate::workspace::WorkspaceOptions;
    use crate::workspace::paths::{Purpose, resolve};

    const STORE: &str = "package store\n\n// Store keeps.\ntype Store struct{ size int }\n\nfunc (s *Store) Put(k string) error {\n\treturn check(k)\n}\n\nfunc (s *Store) Len() int { return s.size }\n\nfunc check(k string) error { return nil }\n";
    const DISK: &str =
        "package store\n\ntype Disk struct{}\n\nfunc (d *Disk) Put(k string) error { return nil }\n\nfunc Put() {}\n";
    const ZIG: &str = "const std = @import(\"std\");\nconst Account = @import(\"b.zig\").Account;\n";
    const LEDGER: &str = "package shop.ledger;\n\nclass Ledger {\n    Ledger() {}\n\n    void put(int a) {}\n\n    void put(String a) {}\n}\n";

    fn workspace() -> (tempfile::TempDir, Workspace) {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("there");
        for (path, text) in [
            ("go/store/store.go", STORE),
            ("go/store/disk.go", DISK),
            ("java/shop/ledger/Ledger.java", LEDGER),
            ("zig/a.zig", ZIG),
            ("zig/b.zig", "pub const Account = struct {};\n\ntest \"it holds\" {}\n"),
            ("notes.txt", "Put\n"),
        ] {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("inside")).expect("made");
            std::fs::write(path, text).expect("written");
        }
        let home = root.clone();
        let dirs = Dirs::from(|name| (name == "HOME").then(|| home.clone().into())).expect("a home");
        let workspace = Workspace::open(root, WorkspaceOptions::new(Servers::built_in(), false, &dirs));
        (folder, workspace)
    }

    async fn told(workspace: &Workspace, typed: &str, file: Option<&str>) -> String {
        let file = file.map(|file| resolve(workspace.paths(), file, Purpose::ReadFile).expect("resolves"));
        let place = |declared: &Declared| {
            let name = declared.file.rsplit('/').next().unwrap_or_default();
            format!("{name}:{}:{} {}", declared.line, declared.column, declared.full_name())
        };
        match workspace.find_symbol(typed, file.as_ref()).await {
            Ok(found) => {
                let span = found.declared.symbol.name_span;
                assert_eq!(found.text[span.start..span.end], found.declared.symbol.name);
                let others: Vec<String> = found.others.iter().map(place).collect();
                format!(
                    "{}{}",
                    place(&found.declared),
                    others.iter().map(|other| format!(" not {other}")).collect::<String>()
                )
            }
            Err(SymbolRefused::Ambiguous { candidates, .. }) => {
                format!("ambiguous: {}", candidates.iter().map(place).collect::<Vec<_>>().join(", "))
            }
            Err(SymbolRefused::NoSuch { nearest, complete, .. }) => {
                assert!(complete);
                format!("none, near: {}", nearest.iter().map(place).collect::<Vec<_>>().join(", "))
            }
            Err(other) => other.to_string(),
        }
    }

    #[tokio::test]
    async fn a_name_means_one_declaration_or_the_refusal_says_what_it_could_mean() {
        let (_folder, workspace) = workspace();
        for (typed, file, expected) in [
            ("Store.Put", None, "store.go:6:17 Store.Put"),
            ("(*Store).Put", None, "store.go:6:17 Store.Put"),
            ("Put", Some("go/store/store.go"), "store.go:6:17 Store.Put"),
            ("Put", None, "disk.go:7:6 Put not disk.go:5:16 Disk.Put not store.go:6:17 Store.Put"),
            ("store.check", None, "store.go:12:6 check"),
            ("size", None, "store.go:4:20 Store.size"),
            ("Ledger", None, "Ledger.java:3:7 Ledger not Ledger.java:4:5 Ledger.Ledger"),
            ("shop.ledger.Ledger", None, "Ledger.java:3:7 Ledger not Ledger.java:4:5 Ledger.Ledger"),
            ("Ledger#put", None, "ambiguous: Ledger.java:6:10 Ledger.put, Ledger.java:8:10 Ledger.put"),
            (
                "Store.Pus",
                None,
                "none, near: store.go:6:17 Store.Put, disk.go:5:16 Disk.Put, disk.go:7:6 Put, Ledger.java:6:10 Ledger.put, Ledger.java:8:10 Ledger.put",
            ),
            ("store.put", Some("go/store/disk.go"), "none, near: disk.go:5:16 Disk.Put, disk.go:7:6 Put"),
            ("Account", None, "b.zig:1:11 Account not a.zig:2:7 Account"),
            ("std", None, "a.zig:1:7 std"),
            ("it holds", None, "b.zig:3:7 it holds"),
            ("chekc", None, "none, near: store.go:12:6 check"),
            ("()", None, "`()` is no name"),
            ("Put", Some("notes.txt"), "the declarations of notes.txt cannot be told"),
        ] {
            assert_eq!(told(&workspace, typed, file).await, expected, "{typed} in {file:?}");
        }
    }
}
