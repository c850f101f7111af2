//! The names of files that are about to become others. Pure.

use std::ffi::{OsStr, OsString};

/// What they begin with.
const PREFIX: &str = ".landfall-";

/// Whether `name` is one of ours: it stands beside a file that is being replaced, or a crash left it behind.
pub fn is_temporary(name: &OsStr) -> bool {
    let random = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    random.is_some_and(|random| random.len() == 16 && random.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// A name that nothing has: every hasher of the standard library has keys of its own.
pub fn unused_name() -> OsString {
    use std::hash::{BuildHasher, Hasher};
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    format!("{PREFIX}{random:016x}").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_names_are_known_from_others() {
        assert!(is_temporary(&unused_name()));
        assert_ne!(unused_name(), unused_name());
        for other in [".landfall-", ".landfall.toml", ".landfall-0123456789abcdeg", "x.landfall-0123456789abcdef"] {
            assert!(!is_temporary(OsStr::new(other)), "{other}");
        }
    }
}
