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
        let is_comment = is_comment(text);
        let norm = norm(text);
        let key = key_of_norm(&norm);
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
    let line = line.trim();
    let bytes = line.as_bytes();
    let is_even = !bytes.windows(2).any(|two| is_blank(two[0]) && (is_blank(two[1]) || two[0] != b' ')) && line.is_ascii();
    if is_even {
        return line.to_owned();
    }
    let mut out = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C)
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
    for_each_key_byte(norm.as_bytes(), |byte| key.push(byte));
    while key.len() > 1 && matches!(key.last(), Some(b',' | b';')) {
        key.pop();
    }
    // Only whole ASCII characters are left out or replaced.
    String::from_utf8(key).unwrap_or_default()
}

/// Hashes the keys of a text's lines without making the keys where lines are plain.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyHasher {
    all_plain: bool,
}

impl KeyHasher {
    /// For the lines of `text`.
    pub(super) fn new(text: &str) -> KeyHasher {
        KeyHasher { all_plain: is_plain(text) }
    }

    pub(super) fn hash(self, line: &str) -> u64 {
        if self.all_plain || is_plain(line) { hash_key(line.as_bytes()) } else { hash_key(norm(line).as_bytes()) }
    }
}

/// The hash of a single line's key.
pub(super) fn key_hash(line: &str) -> u64 {
    KeyHasher { all_plain: false }.hash(line)
}

/// Of a blank line's key.
pub(super) const BLANK_HASH: u64 = 0xcbf2_9ce4_8422_2325;

/// Hashes the key of a line whose blanks and typography are folded or plain, eight bytes at a time.
fn hash_key(line: &[u8]) -> u64 {
    let mut hasher = EightBytes { hash: BLANK_HASH, held: 0, count: 0 };
    // Commas and semicolons count only when something follows them, but for a first one.
    let (mut waiting, mut waiting_count) = ([0u8; 8], 0);
    let mut any = false;
    for_each_key_byte(line, |byte| {
        if any && matches!(byte, b',' | b';') && waiting_count < waiting.len() {
            waiting[waiting_count] = byte;
            waiting_count += 1;
            return;
        }
        for held in &waiting[..waiting_count] {
            hasher.push(*held);
        }
        waiting_count = 0;
        any = true;
        hasher.push(byte);
    });
    hasher.finish()
}

struct EightBytes {
    hash: u64,
    held: u64,
    count: u32,
}

impl EightBytes {
    fn push(&mut self, byte: u8) {
        self.held = self.held << 8 | u64::from(byte);
        self.count += 1;
        if self.count.is_multiple_of(8) {
            self.mix();
        }
    }

    fn mix(&mut self) {
        self.hash = (self.hash ^ self.held).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
        self.held = 0;
    }

    fn finish(mut self) -> u64 {
        if self.count == 0 {
            return BLANK_HASH;
        }
        self.held ^= u64::from(self.count) << 56;
        self.mix();
        self.hash ^ self.hash >> 32
    }
}

/// Calls `each` with the bytes of a key, a comma or semicolon at the end still on.
fn for_each_key_byte(line: &[u8], mut each: impl FnMut(u8)) {
    let mut at = 0;
    while let Some(byte) = line.get(at) {
        at += 1;
        match byte {
            b' ' | b'\t' | b'\r' | 0x0B | 0x0C => {}
            b'\\' => at += usize::from(matches!(line.get(at), Some(b'n' | b't'))),
            b'\'' => each(b'"'),
            _ => each(*byte),
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
        for (a, b) in [("a;b", "ab"), ("a,;b", "a;,b"), ("abcdefgh", "abcdefg"), (";", "")] {
            assert_ne!(key_hash(a), key_hash(b), "{a:?} {b:?}");
        }
        let many = "a".to_owned() + &";".repeat(20);
        assert_eq!(key_hash(&many), key_hash(&(many.clone() + " ")));
        assert_eq!(key_hash(" "), BLANK_HASH);
    }

    #[test]
    fn a_pointer_is_no_comment() {
        for (line, comment) in [("// x", true), (" * x", true), ("*p = x", false), ("# x", true), ("x # y", false)] {
            assert_eq!(is_comment(line), comment, "{line:?}");
        }
    }
}
