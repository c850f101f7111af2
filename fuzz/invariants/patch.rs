//! What holds of any patch on any text: no panic, the same answer twice, and words that stay on their lines.

use landfall::patch::{Change, apply, parse};

/// Checks it for one input: the patch and the text, apart by a NUL byte.
pub(crate) fn hold(data: &[u8]) {
    let Ok(input) = std::str::from_utf8(data) else { return };
    let (patch, text) = input.split_once('\0').unwrap_or((input, ""));
    let read = parse(patch);
    assert_eq!(read, parse(patch), "the same answer twice");
    let read = match read {
        Ok(read) => read,
        Err(error) => {
            assert!(
                (1..=patch.split('\n').count().max(1)).contains(&error.line),
                "{error} is about a line of the patch"
            );
            let words = format!("{error} {}", error.hint());
            assert!(!words.chars().any(char::is_control), "{words:?}");
            return;
        }
    };
    for file in &read.files {
        let Change::Update { hunks, .. } = &file.what else { continue };
        let applied = apply(text, hunks);
        assert_eq!(applied, apply(text, hunks), "the same answer twice");
        match applied {
            Ok(applied) => {
                assert_eq!(applied.each.len(), hunks.len(), "each hunk is told of");
                if hunks.is_empty() {
                    assert_eq!(applied.text, text, "what only moves stays as it is");
                }
            }
            Err(refused) => assert!(refused.index < hunks.len() && !refused.why.hint().is_empty()),
        }
    }
}
