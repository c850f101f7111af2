//! The floor under every report: the syntax problems a change introduced, told by a parser alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::verdict::{FileChange, Problem};
use crate::syntax::{Language, SyntaxTree};

/// So many trees are kept: an edit of a text whose tree is known costs its own lines only.
const MOST_TREES: usize = 16;
/// Trees of larger texts are not kept. Bytes.
const LARGEST_KEPT: usize = 1 << 20;

/// The syntax trees of the files edited last.
#[derive(Debug, Default)]
pub(super) struct Floor {
    trees: Mutex<Trees>,
}

#[derive(Debug, Default)]
struct Trees {
    of_file: HashMap<PathBuf, (u64, SyntaxTree)>,
    uses: u64,
}

impl Floor {
    /// The syntax problems that `change` introduced; none for a language without a grammar.
    #[tracing::instrument(level = "debug", name = "floor", skip_all)]
    pub(super) async fn introduced(self: &Arc<Self>, file: &str, change: &FileChange) -> Vec<Problem> {
        if Language::of_path(&change.path).is_none() || change.after.is_none() {
            return Vec::new();
        }
        if self.knows(&change.path) {
            return self.find(file, change);
        }
        let (floor, name, change) = (Arc::clone(self), file.to_owned(), change.clone());
        tokio::task::spawn_blocking(move || floor.find(&name, &change)).await.unwrap_or_default()
    }

    /// Makes the tree of a text that was read, so that the first edit of it is as quick as the next.
    pub(super) fn prepare(self: &Arc<Self>, path: &Path, text: &Arc<str>) {
        let Some(language) = Language::of_path(path).filter(|_| !self.knows(path)) else { return };
        let (floor, path, text) = (Arc::clone(self), path.to_owned(), Arc::clone(text));
        tokio::task::spawn_blocking(move || {
            if let Some(tree) = SyntaxTree::parse(language, text) {
                floor.keep(&path, tree);
            }
        });
    }

    fn find(&self, file: &str, change: &FileChange) -> Vec<Problem> {
        let (Some(after), Some(language)) = (&change.after, Language::of_path(&change.path)) else { return Vec::new() };
        let found = match &change.before {
            Some(before) => {
                let Some(before) = self.tree(&change.path, language, before) else { return Vec::new() };
                let Some(after) = before.edited(Arc::clone(after)) else { return Vec::new() };
                let found = after.new_problems(&before);
                self.keep(&change.path, after);
                found
            }
            None => {
                let Some(after) = SyntaxTree::parse(language, Arc::clone(after)) else { return Vec::new() };
                let found = after.problems();
                self.keep(&change.path, after);
                found
            }
        };
        found.into_iter().map(|found| Problem::of_syntax(file, found)).collect()
    }

    /// The tree of `text`, made from the one that is known of the file if there is one.
    fn tree(&self, path: &Path, language: Language, text: &Arc<str>) -> Option<SyntaxTree> {
        let known = self.lock().of_file.get(path).map(|(_, tree)| tree.clone());
        match known {
            Some(tree) if tree.text() == text => Some(tree),
            Some(tree) => tree.edited(Arc::clone(text)),
            None => SyntaxTree::parse(language, Arc::clone(text)),
        }
    }

    fn keep(&self, path: &Path, tree: SyntaxTree) {
        if tree.text().len() > LARGEST_KEPT {
            return;
        }
        let mut trees = self.lock();
        trees.uses += 1;
        let now = trees.uses;
        trees.of_file.insert(path.to_owned(), (now, tree));
        if trees.of_file.len() > MOST_TREES {
            let oldest = trees.of_file.iter().min_by_key(|(_, (used, _))| *used).map(|(path, _)| path.clone());
            oldest.and_then(|path| trees.of_file.remove(&path));
        }
    }

    fn knows(&self, path: &Path) -> bool {
        self.lock().of_file.contains_key(path)
    }

    fn lock(&self) -> MutexGuard<'_, Trees> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_edit_is_compared_with_the_text_before_it() {
        let floor = Arc::new(Floor::default());
        let steps = [
            (None, "package a\n", 0),
            (Some("package a\n"), "package a\n\nfunc f( {}\n", 1),
            (Some("package a\n\nfunc f( {}\n"), "package a\n\n// more\nfunc f( {}\n", 0),
            // Something else changed the file in between.
            (Some("package b\n"), "package b\n\nvar x = = 1\n", 1),
        ];
        for (before, after, expected) in steps {
            let change =
                FileChange { path: "/w/a.go".into(), before: before.map(Into::into), after: Some(after.into()) };
            let found = floor.introduced("a.go", &change).await;
            assert_eq!(found.len(), expected, "{after:?}: {found:?}");
        }
    }

    #[test]
    fn the_oldest_tree_goes() {
        let floor = Floor::default();
        for number in 0..=MOST_TREES {
            let tree = SyntaxTree::parse(Language::Go, "package a\n").expect("parsed");
            floor.keep(Path::new(&format!("/{number}.go")), tree);
        }
        assert!(!floor.knows(Path::new("/0.go")) && floor.knows(Path::new("/1.go")));
    }
}
