//! The replacer on any text: no panic, nothing changed outside what it names, the same answer twice.
//!
//! The input is three texts apart by NUL bytes (file, old, new) and a first byte of options.
#![no_main]

use landfall::replace::{Query, replace};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((options, rest)) = data.split_first() else { return };
    let Ok(rest) = std::str::from_utf8(rest) else { return };
    let mut parts = rest.splitn(3, '\0');
    let (Some(text), Some(old), Some(new)) = (parts.next(), parts.next(), parts.next()) else { return };
    let near_line = (options & 2 != 0).then_some(usize::from(options >> 2) + 1);
    let query = Query { old, new, replace_all: options & 1 != 0, near_line };
    let answer = replace(text, &query);
    if let Ok(landed) = &answer {
        let (mut out, mut from) = (String::new(), 0);
        for edit in &landed.edits {
            assert!(from <= edit.span.start, "edits are in order and apart");
            out += &text[from..edit.span.start];
            out += &edit.with;
            from = edit.span.end;
        }
        out += &text[from..];
        assert_eq!(out, landed.text, "the edits make up the text");
        assert_ne!(out, text, "what landed changed something");
    }
    assert_eq!(answer, replace(text, &query), "the same answer twice");
});
