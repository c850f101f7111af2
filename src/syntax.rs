//! The floor under every diagnostic report: what a parser alone can say of a file, without any language server.
//!
//! Pure: no IO. The work is bounded by counted parser steps, so that the same text gives the same answer everywhere; a
//! clock only stops what is made to stall a parser.

mod amend;
mod brackets;
mod finding;
mod name_path;
mod outline;
mod problems;
mod tree;

use std::path::Path;

pub use amend::{Amendment, NotAmended, amend};
pub use name_path::{NamePath, Surroundings};
pub use outline::{Symbol, SymbolKind, heading, outline};
pub use problems::{MAX_PROBLEMS, SyntaxProblem, new_problems};
pub use tree::SyntaxTree;

/// A language with a grammar built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Language {
    Go,
    Java,
    Zig,
}

impl Language {
    /// Every language there is a grammar for.
    pub const ALL: [Language; 3] = [Language::Go, Language::Java, Language::Zig];

    /// The language of a file, by its extension; `None` without a grammar for it.
    pub fn of_path(path: &Path) -> Option<Language> {
        match path.extension()?.to_str()? {
            "go" => Some(Language::Go),
            "java" => Some(Language::Java),
            "zig" => Some(Language::Zig),
            _ => None,
        }
    }

    /// The language-server protocol's id (`go`, `java`, `zig`).
    pub fn id(self) -> &'static str {
        match self {
            Language::Go => "go",
            Language::Java => "java",
            Language::Zig => "zig",
        }
    }

    fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::Go => tree_sitter_go::LANGUAGE.into(),
            Language::Java => tree_sitter_java::LANGUAGE.into(),
            Language::Zig => tree_sitter_zig::LANGUAGE.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_its_extension() {
        for language in Language::ALL {
            assert_eq!(Language::of_path(Path::new("a/b").with_extension(language.id()).as_path()), Some(language));
        }
        for path in ["build.zig.zon", "go", "go.mod", "A.JAVA", ""] {
            assert_eq!(Language::of_path(Path::new(path)), None, "{path:?}");
        }
    }
}
