//! What lies outside the workspace and may be used all the same: `--allow-path GLOB`.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// How far a rule goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Files may be read.
    ReadOnly,
    /// Files may be read, changed and made.
    ReadWrite,
}

/// A widening of the workspace.
#[derive(Debug, Clone)]
pub struct AllowRule {
    access: Access,
    matcher: GlobSet,
    base: PathBuf,
    /// As it can be parsed once more.
    written: String,
}

impl AllowRule {
    /// A rule for the real paths that match `glob`: absolute or beginning with `~/`; `*` stays within one name, `**` does not.
    /// Without any wildcard the path itself and everything beneath it is meant. Symlinks in the part before the first
    /// wildcard are resolved now.
    ///
    /// # Errors
    /// When `glob` is no glob, or not absolute.
    pub fn new(glob: &str, access: Access) -> Result<AllowRule, AllowError> {
        let home = std::env::home_dir();
        let expanded = match (glob.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => format!("{}/{rest}", home.display()),
            _ => glob.to_owned(),
        };
        if !expanded.starts_with('/') {
            return Err(AllowError::NotAbsolute(glob.to_owned()));
        }
        let names: Vec<&str> = expanded.split('/').filter(|name| !name.is_empty()).collect();
        let plain = names.iter().take_while(|name| !name.contains(['*', '?', '[', '{'])).count();
        let base = PathBuf::from("/").join(names[..plain].join("/"));
        let base = base.canonicalize().unwrap_or(base);
        let literal = globset::escape(&base.to_string_lossy());
        let rest = if plain == names.len() { "**".to_owned() } else { names[plain..].join("/") };
        let mut globs = GlobSetBuilder::new();
        let pattern = format!("{}/{rest}", literal.trim_end_matches('/'));
        globs.add(GlobBuilder::new(&pattern).literal_separator(true).build()?);
        if rest == "**" {
            globs.add(GlobBuilder::new(&literal).literal_separator(true).build()?);
        }
        let access_written = if access == Access::ReadWrite { "rw" } else { "ro" };
        let written = format!("{expanded}:{access_written}");
        Ok(AllowRule { access, matcher: globs.build()?, base, written })
    }

    /// The rule as [`AllowRule::parse`] reads it, without `~`.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// A rule as it is written on a command line: `GLOB`, `GLOB:ro` (the same) or `GLOB:rw`.
    ///
    /// # Errors
    /// As [`AllowRule::new`].
    pub fn parse(written: &str) -> Result<AllowRule, AllowError> {
        match (written.strip_suffix(":rw"), written.strip_suffix(":ro")) {
            (Some(glob), _) => AllowRule::new(glob, Access::ReadWrite),
            (None, glob) => AllowRule::new(glob.unwrap_or(written), Access::ReadOnly),
        }
    }

    /// Whether it holds for `real`, a path without links.
    pub(super) fn covers(&self, real: &Path) -> bool {
        self.matcher.is_match(real)
    }

    /// Whether it lets files be written.
    pub(super) fn is_writable(&self) -> bool {
        self.access == Access::ReadWrite
    }

    /// The directory that everything it covers is beneath. (For a rule about a single file: the file itself.)
    pub(super) fn base(&self) -> &Path {
        &self.base
    }
}

/// Why a glob cannot be a rule.
#[derive(Debug, thiserror::Error)]
pub enum AllowError {
    /// It says nothing of where it begins.
    #[error("{0:?} must be absolute or begin with ~/")]
    NotAbsolute(String),
    /// It is no glob.
    #[error(transparent)]
    Glob(#[from] globset::Error),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_covers_what_its_glob_says_and_no_more() {
        for (glob, path, covered) in [
            ("/data/**", "/data/a/b", true),
            ("/data/**", "/data", true),
            ("/data", "/data/a/b", true),
            ("/data/", "/data/a", true),
            ("/data/*.txt", "/data/a.txt", true),
            ("/data/*.txt", "/data/x/a.txt", false),
            ("/data/*/log", "/data/x/log", true),
            ("/data/**", "/database/a", false),
            ("/data", "/database", false),
        ] {
            let rule = AllowRule::new(glob, Access::ReadOnly).unwrap();
            let again = AllowRule::parse(rule.written()).unwrap();
            assert_eq!((again.covers(Path::new(path)), again.is_writable()), (covered, false), "{glob} written again");
            assert_eq!(rule.covers(Path::new(path)), covered, "{glob} {path}");
        }
        for (written, covers, writable) in [
            ("/data/**", "/data/a", false),
            ("/data/**:ro", "/data/a", false),
            ("/data/**:rw", "/data/a", true),
            ("/da:ta", "/da:ta/a", false),
        ] {
            let rule = AllowRule::parse(written).unwrap();
            assert!(rule.covers(Path::new(covers)), "{written}");
            assert_eq!(rule.is_writable(), writable, "{written}");
        }
        assert!(matches!(AllowRule::new("data/**", Access::ReadOnly), Err(AllowError::NotAbsolute(_))));
        assert!(matches!(AllowRule::new("/data/[", Access::ReadOnly), Err(AllowError::Glob(_))));
    }
}
