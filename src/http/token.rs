//! The token: read from a file that is its owner's alone, and compared in constant time.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::rand::{GetRandomFlags, getrandom};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Random bytes of a token that is made.
const RANDOM: usize = 32;
/// A shorter token is refused: it can be guessed. Characters.
const SHORTEST: usize = 20;
/// More of a file is not read. Bytes.
const LONGEST: u64 = 4096;

/// What a client must know. It is not kept itself, nor ever shown.
#[derive(Clone)]
pub struct Token {
    digest: [u8; 32],
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// Others can use the file.
    #[error("the token file {} can be used by others (mode {mode:03o}); mend it with: chmod 600 {}", path.display(), quoted(path))]
    Open {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// Somebody else made it.
    #[error("the token file {} belongs to user {owner}, not to you; mend it with: sudo chown {} {}", path.display(), rustix::process::geteuid().as_raw(), quoted(path))]
    NotOurs {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// What is in it is no token.
    #[error("the token file {} holds {what}; delete it, and a good one is made: rm {}", path.display(), quoted(path))]
    Unfit {
        /// The file.
        path: PathBuf,
        /// What is in it.
        what: &'static str,
    },
    /// It cannot be read or made.
    #[error("the token file {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl Token {
    /// The token in the file at `path`, which is made when there is none; whether it was made.
    ///
    /// # Errors
    /// When others can use the file, or what is in it is no token.
    pub fn load_or_make(path: &Path) -> Result<(Token, bool), TokenError> {
        let io = |error| TokenError::Io { path: path.to_owned(), error };
        loop {
            // A pipe that nobody writes to must not be waited for.
            match OpenOptions::new()
                .read(true)
                .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
                .open(path)
            {
                Ok(file) => return Ok((Token::read(file, path)?, false)),
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(io(error)),
                Err(_) => {}
            }
            match make(path) {
                Ok(text) => return Ok((Token::of(&text), true)),
                // Another process was faster; a link that leads nowhere never becomes a file.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.exists() => {}
                Err(error) => return Err(io(error)),
            }
        }
    }

    fn read(file: File, path: &Path) -> Result<Token, TokenError> {
        let io = |error| TokenError::Io { path: path.to_owned(), error };
        let path = || path.to_owned();
        // Of the open file, so that it cannot be another one by now.
        let found = file.metadata().map_err(io)?;
        if !found.is_file() {
            return Err(TokenError::Unfit { path: path(), what: "no text: it is no file" });
        }
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(TokenError::NotOurs { path: path(), owner: found.uid() });
        }
        if found.mode() & 0o077 != 0 {
            return Err(TokenError::Open { path: path(), mode: found.mode() & 0o777 });
        }
        let mut text = String::new();
        file.take(LONGEST).read_to_string(&mut text).map_err(io)?;
        let text = text.trim();
        let what = match text {
            "" => "nothing",
            text if !text.bytes().all(|byte| byte.is_ascii_graphic()) => "more than one word, or letters beyond ASCII",
            text if text.len() < SHORTEST => "a token so short that it can be guessed",
            _ => return Ok(Token::of(text)),
        };
        Err(TokenError::Unfit { path: path(), what })
    }

    /// The token with this text.
    pub(super) fn of(text: &str) -> Token {
        Token { digest: Sha256::digest(text.as_bytes()).into() }
    }

    /// Whether `text` is the token. How long it takes tells neither what it is nor how long it is.
    pub fn is(&self, text: &str) -> bool {
        Token::of(text).digest.ct_eq(&self.digest).into()
    }
}

/// Makes the file with a new token.
fn make(path: &Path) -> io::Result<String> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let text = random_text()?;
    // Whole or not at all: another process may be about to read it. A temporary file is its owner's alone.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(format!("{text}\n").as_bytes())?;
    file.persist_noclobber(path)?;
    Ok(text)
}

/// 256 random bits in hexadecimal.
pub(super) fn random_text() -> io::Result<String> {
    let mut bytes = [0; RANDOM];
    let mut filled = 0;
    while filled < RANDOM {
        filled += getrandom(&mut bytes[filled..], GetRandomFlags::empty())?;
    }
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_missing_file_is_made_for_its_owner_alone_and_found_again() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("below/token");
        let (token, made) = Token::load_or_make(&path).expect("is made");
        let text = std::fs::read_to_string(&path).expect("is there");
        assert!(made && token.is(text.trim()) && text.trim().len() == 2 * RANDOM, "{text}");
        assert_eq!(std::fs::metadata(&path).expect("is there").mode() & 0o777, 0o600);
        let (again, made) = Token::load_or_make(&path).expect("is read");
        assert!(!made && again.is(text.trim()));
        for wrong in ["", &text[1..], text.trim_end_matches('\n').get(..10).expect("long"), "x"] {
            assert!(!again.is(wrong), "{wrong}");
        }
        assert_eq!(format!("{token:?}"), "Token", "it is not shown");
    }

    #[test]
    fn a_file_that_will_not_do_is_refused_with_what_mends_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a token's file");
        let long = "0123456789abcdef0123456789abcdef";
        for (text, mode, expected) in [
            (long, 0o644, "chmod 600 '"),
            (long, 0o640, "(mode 640)"),
            (long, 0o601, "chmod 600"),
            ("", 0o600, "holds nothing"),
            ("secret", 0o600, "so short"),
            ("two words of some length here", 0o600, "more than one word"),
            ("kürbiskürbiskürbiskürbis", 0o600, "beyond ASCII"),
        ] {
            std::fs::write(&path, text).expect("written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("set");
            let said = Token::load_or_make(&path).map(|_| ()).expect_err("is refused").to_string();
            assert!(said.contains(expected), "{text} {mode:o}: {said}");
            assert!(text.is_empty() || !said.contains(text), "the token is not shown: {said}");
        }
        let said = Token::load_or_make(folder.path()).map(|_| ()).expect_err("is refused").to_string();
        assert!(said.contains("no file"), "{said}");
        let nowhere = folder.path().join("link");
        std::os::unix::fs::symlink(folder.path().join("missing"), &nowhere).expect("a link");
        assert!(Token::load_or_make(&nowhere).is_err(), "and ends");
    }
}
