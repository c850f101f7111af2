//! Facts to words and to structured results. Pure.
//!
//! Invariant: the first line of a result is the state of the disk; text from a file or a language server never begins
//! a line of ours.

mod change;
mod changes;
mod command;
mod diagnostics;
mod error;
mod listing;
pub mod navigation;
pub mod refusal;
mod rewrites;
mod search;
mod symbols;
mod unlanded;

use serde_json::{Map, Value, json};

pub use change::{change, several};
pub use changes::{SessionChanges, changes};
pub use command::{RanCommand, command};
pub use diagnostics::{problem_object, problems_now, since_last_call, state_text, verdict_object, verdict_text};
pub use error::{FaultKind, ToolError};
pub use listing::{Listing, MOST_BYTES, MOST_LINES, listing, snippet};
pub use rewrites::{Rewritten, rewritten};
pub use search::{
    Asked, Inside, LARGE_BYTES, USUAL_BYTES, bad_glob, bad_pattern, counts, files_with_hits, found_files, hits,
};
pub use symbols::symbol_refused;
pub use unlanded::{path_refused, read_error, unlanded};

/// What a call gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// What the agent reads.
    pub text: String,
    /// The same facts for programs; holds everything but `text`.
    pub structured: Map<String, Value>,
    /// Whether the call did not do what it was asked.
    pub is_error: bool,
}

impl Reply {
    /// A result that did what was asked.
    pub fn done(text: impl Into<String>, structured: Value) -> Reply {
        let structured = match structured {
            Value::Object(object) => object,
            other => Map::from_iter([("result".to_owned(), other)]),
        };
        Reply { text: text.into(), structured, is_error: false }
    }

    /// A refusal. `writes` says whether the tool would have changed the disk: then the first words say it did not.
    pub fn refused(error: &ToolError, writes: bool) -> Reply {
        let mut text = String::new();
        match (&error.file, writes) {
            (Some(file), true) => text.push_str(&format!("not edited {}: ", one_line(file, 300))),
            (None, true) => text.push_str("Nothing was written. "),
            (Some(file), false) if !error.message.contains(file.as_str()) => {
                text.push_str(&format!("{}: ", one_line(file, 300)));
            }
            (_, false) => {}
        }
        text.push_str(&error.message);
        if let Some(note) = &error.path_note {
            text.push_str(&format!("\n{note}"));
        }
        if let Some(hint) = error.hints.first() {
            text.push_str(&format!("\nHint: {hint}"));
        }
        let mut structured = Map::new();
        structured.insert("code".into(), error.code.into());
        if let Some(file) = &error.file {
            structured.insert("file".into(), file.as_str().into());
        }
        if let Some(note) = &error.path_note {
            structured.insert("path_note".into(), note.as_str().into());
        }
        if writes {
            structured.insert("landed".into(), false.into());
        }
        structured.insert("hints".into(), json!(error.hints));
        Reply { text, structured, is_error: true }
    }

    /// All of it as one object, the text first.
    pub fn into_object(self) -> Map<String, Value> {
        let mut object = self.structured;
        object.shift_insert(0, "text".to_owned(), self.text.into());
        object
    }

    /// Puts `block` on top, set off by an empty line.
    pub fn put_on_top(&mut self, block: &str) {
        self.text = format!("{}\n\n{}", block.trim_end(), self.text);
    }

    /// Adds a line at the end.
    pub fn note(&mut self, note: &str) {
        self.text = format!("{}\n{note}", self.text.trim_end());
    }
}

/// `text` on one line, control characters as spaces, at most `limit` characters; what would end it or turn its
/// direction is shown.
pub fn one_line(text: &str, limit: usize) -> String {
    let harmless = |character: char| match character {
        '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        character if character.is_control() => ' ',
        character => character,
    };
    let mut out: String = text.chars().take(limit).map(harmless).collect();
    if text.chars().nth(limit).is_some() {
        out.push('…');
    }
    out
}
