//! Files as `file:` URIs and back.

use std::path::{Path, PathBuf};

use lsp_types::Url;

/// The URI of an absolute path.
pub fn of_path(path: &Path) -> String {
    // It fails only for a relative path; then the language server will say that it knows no such file.
    Url::from_file_path(path).map_or_else(|()| format!("file:{}", path.display()), String::from)
}

/// The path that a `file:` URI names; `None` for any other URI.
pub fn to_path(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    let path = url.to_file_path().ok()?;
    // jdtls ends the URI of a project with a slash.
    Some(path.components().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_go_there_and_back() {
        for path in ["/a/b.go", "/with space/é.zig", "/100%/#x?y.java"] {
            assert_eq!(to_path(&of_path(Path::new(path))).as_deref(), Some(Path::new(path)));
        }
    }

    #[test]
    fn other_spellings_of_language_servers_are_read() {
        assert_eq!(to_path("file:///w/project/").as_deref(), Some(Path::new("/w/project")));
        assert_eq!(to_path("file:/w/A.java").as_deref(), Some(Path::new("/w/A.java")));
        assert_eq!(to_path("jdt://contents/A.class"), None);
        assert_eq!(to_path("untitled:1"), None);
    }
}
