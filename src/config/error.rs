//! What can be wrong with a configuration file, said so that it can be mended.

use std::path::PathBuf;

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file that was named, or that is there, cannot be read.
    #[error("cannot read {}: {source}. Check the path and its permissions", file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something in a file is wrong.
    #[error("{}:{line}: {}{problem}", file.display(), key_in_front(key))]
    Invalid {
        /// The file; `servers.toml (built in)` for the embedded one.
        file: PathBuf,
        /// 1-based.
        line: usize,
        /// The key with its tables (`servers.gopls.memory_mb`); empty where the text is not TOML at all.
        key: String,
        /// What is wrong, and what to do about it.
        problem: String,
    },
}

fn key_in_front(key: &str) -> String {
    if key.is_empty() { String::new() } else { format!("`{key}`: ") }
}
