//! A line read ever more loosely: as it stands, blanks and typography folded, and only what it says.

use unicode_normalization::UnicodeNormalization;

/// Longer lines keep their Unicode form: composing them could cost more than the whole search.
const MAX_COMPOSED_BYTES: usize = 8 << 10;

/// A line and its looser readings.
#[derive(Debug, Clone)]
pub(super) struct Reading<'a> {
    /// As it stands.
    pub(super) text: &'a str,
    /// Blanks collapsed and trimmed, typography and Unicode forms folded.
    pub(super) norm: String,
    /// What is left without blanks, quote styles, backslashes, and a comma or semicolon at the end.
    pub(super) key: String,
    /// How much it tells about a place: hardly anything for a blank line, 1 for a long one.
    pub(super) weight: f32,
    pub(super) is_comment: bool,
}

impl<'a> Reading<'a> {
    pub(super) fn new(text: &'a str) -> Reading<'a> {
        let norm = norm(text);
        let key = key_of_norm(&norm);
        let is_comment = is_comment(text);
        // A comment is easily worded anew, left out or made up.
        let weight = weight(&key) * if is_comment { 0.6 } else { 1.0 };
        Reading { text, weight, is_comment, norm, key }
    }

    /// Whether the line says nothing.
    pub(super) fn is_blank(&self) -> bool {
        self.key.is_empty()
    }
}

/// The weight of a line with this key.
fn weight(key: &str) -> f32 {
    if key.is_empty() { 0.05 } else { (0.12 + key.len() as f32 / 30.0).min(1.0) }
}

/// Whether a line is a comment of its own.
pub(super) fn is_comment(line: &str) -> bool {
    let line = line.trim_start();
    // A bare `*` begins a comment's line only as in a block comment, not as in `*p = x`.
    ["//", "#", "/*", "*/", "* ", "--", "<!--"].iter().any(|mark| line.starts_with(mark)) || line == "*"
}

/// Whether folding could change more than blanks: most lines are plain.
fn is_plain(line: &str) -> bool {
    line.is_ascii() && memchr::memmem::find(line.as_bytes(), b"\\u").is_none()
}

/// `line` with blanks collapsed and trimmed, typography and Unicode forms folded.
pub(super) fn norm(line: &str) -> String {
    if is_plain(line) {
        return collapse(line);
    }
    let decoded = decode_unicode_escapes(line);
    let mut folded = String::with_capacity(decoded.len());
    for character in decoded.chars() {
        fold_into(character, &mut folded);
    }
    if folded.len() <= MAX_COMPOSED_BYTES && !folded.is_ascii() {
        folded = folded.nfkc().collect();
    }
    collapse(&folded)
}

fn collapse(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

/// Typographic characters as they are typed; invisible ones vanish.
pub(super) fn fold_into(character: char, out: &mut String) {
    match character {
        '\u{2010}'..='\u{2015}' | '\u{2212}' => out.push('-'),
        '\u{2018}'..='\u{201B}' => out.push('\''),
        '\u{201C}'..='\u{201F}' => out.push('"'),
        '\u{2026}' => out.push_str("..."),
        '\u{200B}'..='\u{200D}' | '\u{00AD}' | '\u{FEFF}' | '\u{2060}' => {}
        '\u{00A0}' | '\u{2000}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}' => out.push(' '),
        _ => out.push(character),
    }
}

/// `\u00e9` as the character it stands for, outside ASCII only.
fn decode_unicode_escapes(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = memchr::memmem::find(rest.as_bytes(), b"\\u") {
        out.push_str(&rest[..at]);
        let digits = rest.get(at + 2..at + 6).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let decoded = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
        match decoded.filter(|character| !character.is_ascii()) {
            Some(character) => {
                out.push(character);
                rest = &rest[at + 6..];
            }
            None => {
                out.push_str("\\u");
                rest = &rest[at + 2..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn key_of_norm(norm: &str) -> String {
    let mut key = Vec::with_capacity(norm.len());
    KeyBytes::new(norm.as_bytes()).for_each(|byte| key.push(byte));
    while key.len() > 1 && matches!(key.last(), Some(b',' | b';')) {
        key.pop();
    }
    // Only whole ASCII characters are left out or replaced.
    String::from_utf8(key).unwrap_or_default()
}

/// The hash of a line's key, made without making the key where the line is plain.
pub(super) fn key_hash(line: &str) -> u64 {
    if is_plain(line) {
        return hash_key_bytes(KeyBytes::new(line.as_bytes()));
    }
    hash_key_bytes(KeyBytes::new(norm(line).as_bytes()))
}

/// Of a blank line's key.
pub(super) const BLANK_HASH: u64 = 0xcbf2_9ce4_8422_2325;

fn hash_key_bytes(bytes: impl Iterator<Item = u8>) -> u64 {
    // Hash of all, and of all up to where only commas and semicolons follow (but for a first one).
    let (mut all, mut kept, mut first) = (BLANK_HASH, BLANK_HASH, true);
    for byte in bytes {
        all = (all ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(5);
        if first || !matches!(byte, b',' | b';') {
            kept = all;
        }
        first = false;
    }
    kept
}

/// The bytes of a key, a comma or semicolon at the end still on.
struct KeyBytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> KeyBytes<'a> {
    fn new(bytes: &'a [u8]) -> KeyBytes<'a> {
        KeyBytes { bytes, at: 0 }
    }
}

impl Iterator for KeyBytes<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            match byte {
                b' ' | b'\t' | b'\r' | 0x0B | 0x0C => {}
                b'\\' => {
                    if matches!(self.bytes.get(self.at), Some(b'n' | b't')) {
                        self.at += 1;
                    }
                }
                b'\'' => return Some(b'"'),
                _ => return Some(byte),
            }
        }
    }
}

/// The words of a line: runs of letters, digits and underscores.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|character: char| !(character.is_alphanumeric() || character == '_')).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looser_readings_leave_out_more() {
        let cases = [
            ("  a  =  b; ", "a = b;", "a=b"),
            ("say(\\\"hi\\\\n\\\")", "say(\\\"hi\\\\n\\\")", "say(\"hi\")"),
            ("x = 'it’s' — “so”…", "x = 'it's' - \"so\"...", "x=\"it\"s\"-\"so\"..."),
            ("cafe\u{301} \\u00e9 \\u0041", "café é \\u0041", "caféé"),
            ("a\u{a0}b\u{200b}c\u{3000}d", "a bc d", "abcd"),
            (";", ";", ";"),
            ("\t", "", ""),
        ];
        for (line, norm, key) in cases {
            let reading = Reading::new(line);
            assert_eq!(reading.norm, norm, "{line:?}");
            assert!(reading.key.starts_with(key), "{line:?}: {:?}", reading.key);
        }
    }

    #[test]
    fn a_hash_is_that_of_the_key() {
        let same = [("\tfoo( \"a\" );", "foo('a')"), ("café", "cafe\u{301}"), ("a,;", "a"), ("", "  ")];
        for (a, b) in same {
            assert_eq!(key_hash(a), key_hash(b), "{a:?} {b:?}");
        }
        assert_ne!(key_hash("a;b"), key_hash("ab"));
        assert_eq!(key_hash(" "), BLANK_HASH);
    }

    #[test]
    fn a_pointer_is_no_comment() {
        for (line, comment) in [("// x", true), (" * x", true), ("*p = x", false), ("# x", true), ("x # y", false)] {
            assert_eq!(is_comment(line), comment, "{line:?}");
        }
    }
}
