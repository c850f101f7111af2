//! What the fuzz targets check, on the stable toolchain and for a moment only.

#[path = "../fuzz/invariants/patch.rs"]
mod patch;
#[path = "../fuzz/invariants/paths.rs"]
mod paths;

use proptest::prelude::*;

/// Pieces that paths are made of, and mistyped with.
const PATH_PIECES: &str = "(\\{root\\}|/|\\.\\./|\\./|//|src|store|main\\.go|README\\.md|inside|outside|loop|dangling|up|etc|passwd\
    |runs[-_/]hb1[123]|flint-40b|flint_40b|t14-ledger-go|t14_ledger-go|file://|~/|:12|`|\"| |\\\\|%20|\u{202e}|\u{1b}|é|new|\\PC){0,12}";

/// Lines that patches are made of.
const PATCH_LINES: &str = "((\\*\\*\\* (Begin Patch|End Patch|Update File: a|Add File: b|Delete File: c|Move to: d|End of File|x)\
    |@@( -[0-9]{1,2}(,[0-9])? \\+[0-9]{1,2}(,[0-9])? @@)?( f)?|--- (a/a|/dev/null)|\\+\\+\\+ (b/a|/dev/null)|diff --git a/a b/a\
    |rename (from|to) a|[-+ ]{0,2}[a-c\t ]{0,3}|```|\\\\ No newline at end of file|\\PC{0,5})\r?\n?){0,16}\0?([a-c ]{0,3}\r?\n?){0,8}";

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn paths_lead_into_the_workspace(choice in 0u8..5, typed in PATH_PIECES) {
        paths::hold(&[&[choice][..], typed.as_bytes()].concat());
    }

    #[test]
    fn paths_of_any_bytes_lead_into_the_workspace(data in proptest::collection::vec(any::<u8>(), 0..60)) {
        paths::hold(&data);
    }

    #[test]
    fn patches_are_read_and_placed(data in PATCH_LINES) {
        patch::hold(data.as_bytes());
    }

    #[test]
    fn patches_of_any_bytes_are_read(data in proptest::collection::vec(any::<u8>(), 0..200)) {
        patch::hold(&data);
    }
}
