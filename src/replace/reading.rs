//! A line read ever more loosely: as it stands, blanks and typography folded, and only what it says.

use unicode_normalization::UnicodeNormalization;

/// Longer lines keep their Unicode form: composing them could cost more than the whole search.
const MAX_COMPOSED_BYTES: usize = 8 << 10;

/// Longer lines are read in part.
const MAX_READ_BYTES: usize = 16 << 10;
/// So much of them.
const ABRIDGED_BYTES: usize = 2 << 10;

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
    /// The key of the code in front of a comment, where the line has both.
    pub(super) code: Option<String>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(text: &'a str) -> Reading<'a> {
        let is_comment = is_comment(text);
        let norm = norm(text);
        let key = key_of_norm(&norm);
        // A comment is easily worded anew, left out or made up.
        let weight = weight(&key) * if is_comment { 0.6 } else { 1.0 };
        let code = if is_comment { None } else { tail_comment(&norm).map(|at| key_of_norm(&norm[..at])) };
        Reading { text, weight, is_comment, norm, key, code }
    }

    /// Whether the two lines are the same code, and one has a comment behind it that the other has not.
    pub(super) fn is_same_code(&self, other: &Reading<'_>) -> bool {
        (self.code.is_some() || other.code.is_some())
            && self.code.as_ref().unwrap_or(&self.key) == other.code.as_ref().unwrap_or(&other.key)
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

/// Where a comment begins behind the code of a line; what looks like one inside quotes is none.
fn tail_comment(norm: &str) -> Option<usize> {
    let at = [" //", " # "].iter().filter_map(|mark| memchr::memmem::find(norm.as_bytes(), mark.as_bytes())).min()?;
    let quotes = norm[..at].bytes().filter(|byte| matches!(byte, b'"' | b'\'' | b'`')).count();
    (quotes % 2 == 0).then_some(at)
}

/// Whether folding could change more than blanks: most lines are plain.
fn is_plain(line: &str) -> bool {
    line.is_ascii() && memchr::memmem::find(line.as_bytes(), b"\\u").is_none()
}

/// `line` with blanks collapsed and trimmed, typography and Unicode forms folded.
pub(super) fn norm(line: &str) -> String {
    if line.len() > MAX_READ_BYTES {
        return abridged(line);
    }
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

/// The beginning of a very long line, and a mark of all of it, so that only equal lines read alike.
fn abridged(line: &str) -> String {
    let head = &line[..line.floor_char_boundary(ABRIDGED_BYTES)];
    format!("{} {:016x}", norm(head), key_hash(line))
}

fn collapse(line: &str) -> String {
    let line = line.trim();
    let bytes = line.as_bytes();
    let is_even =
        !bytes.windows(2).any(|two| is_blank(two[0]) && (is_blank(two[1]) || two[0] != b' ')) && line.is_ascii();
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
    let body = without_tail(norm.as_bytes());
    let mut at = 0;
    while let Some(byte) = body.get(at) {
        at += 1;
        match CLASSES[usize::from(*byte)] {
            Class::Blank => {}
            Class::Backslash => at += usize::from(matches!(body.get(at), Some(b'n' | b't'))),
            Class::Apostrophe => key.push(b'"'),
            Class::Other => key.push(*byte),
        }
    }
    // Only whole ASCII characters are left out or replaced.
    String::from_utf8(key).unwrap_or_default()
}

/// A line without blanks, commas and semicolons at its end; where it has nothing else, the first of them.
fn without_tail(line: &[u8]) -> &[u8] {
    match line.iter().rposition(|byte| !is_blank(*byte) && !matches!(byte, b',' | b';')) {
        Some(last) => &line[..=last],
        None => line.iter().position(|byte| !is_blank(*byte)).map_or(&[], |first| &line[first..=first]),
    }
}

/// What a byte is to a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Other,
    Blank,
    Backslash,
    Apostrophe,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let blanks = [b' ', b'\t', b'\r', 0x0B, 0x0C];
    let mut at = 0;
    while at < blanks.len() {
        classes[blanks[at] as usize] = Class::Blank;
        at += 1;
    }
    classes[b'\\' as usize] = Class::Backslash;
    classes[b'\'' as usize] = Class::Apostrophe;
    classes
};

/// Hashes the keys of a text's lines without making the keys.
#[derive(Debug, Clone, Copy)]
pub(super) struct KeyHasher {
    all_plain: bool,
}

impl KeyHasher {
    /// For the lines of `text`.
    pub(super) fn new(text: &str) -> KeyHasher {
        KeyHasher { all_plain: is_plain(text) }
    }

    /// The hash of a line's key. Lines with equal keys have equal hashes, but for accents in an odd order.
    pub(super) fn hash(self, line: &str) -> u64 {
        if self.all_plain || is_plain(line) {
            return hash_key(line.as_bytes());
        }
        let mut taken_apart = String::with_capacity(line.len());
        for character in decode_unicode_escapes(line).chars() {
            fold_into(character, &mut taken_apart);
        }
        if !taken_apart.is_ascii() {
            let mut apart = String::with_capacity(taken_apart.len() * 2);
            for character in taken_apart.chars() {
                unicode_normalization::char::decompose_compatible(character, |part| apart.push(part));
            }
            taken_apart = apart;
        }
        hash_key(taken_apart.as_bytes())
    }
}

/// The hash of a single line's key.
pub(super) fn key_hash(line: &str) -> u64 {
    KeyHasher { all_plain: false }.hash(line)
}

/// Of a blank line's key.
pub(super) const BLANK_HASH: u64 = 0xcbf2_9ce4_8422_2325;

/// Hashes the key of a line whose typography is folded.
fn hash_key(line: &[u8]) -> u64 {
    let start = line.iter().position(|byte| !is_blank(*byte)).unwrap_or(line.len());
    let body = without_tail(&line[start..]);
    let mut hasher = KeyBytes { hash: BLANK_HASH, held: [0; CHUNK], count: 0, total: 0 };
    let mut from = 0;
    for at in memchr::memchr_iter(b'\\', body) {
        hasher.push(&body[from.min(at)..at]);
        from = at + 1 + usize::from(matches!(body.get(at + 1), Some(b'n' | b't')));
    }
    hasher.push(body.get(from..).unwrap_or_default());
    hasher.finish()
}

/// Bytes that are held back until they are hashed together.
const CHUNK: usize = 64;

/// The bytes of a key on their way into a hash.
struct KeyBytes {
    hash: u64,
    held: [u8; CHUNK],
    count: usize,
    total: u64,
}

impl KeyBytes {
    /// Takes in bytes without backslashes. Blanks are written and overwritten: that costs less than to branch.
    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let class = CLASSES[usize::from(*byte)];
            self.held[self.count] = if class == Class::Apostrophe { b'"' } else { *byte };
            self.count += usize::from(class != Class::Blank);
            if self.count == CHUNK {
                self.mix();
            }
        }
    }

    fn mix(&mut self) {
        let (words, _) = self.held.as_chunks::<8>();
        for word in &words[..self.count / 8] {
            self.hash = mixed(self.hash, u64::from_le_bytes(*word));
        }
        let rest = self.count % 8;
        if rest > 0 {
            // What stands behind the last byte is left over from before.
            let word = u64::from_le_bytes(words[self.count / 8]);
            self.hash = mixed(self.hash, word & (u64::MAX >> (64 - 8 * rest)));
        }
        self.total += self.count as u64;
        self.count = 0;
    }

    fn finish(mut self) -> u64 {
        self.mix();
        if self.total == 0 {
            return BLANK_HASH;
        }
        let hash = mixed(self.hash, self.total);
        hash ^ hash >> 32
    }
}

fn mixed(hash: u64, bytes: u64) -> u64 {
    (hash ^ bytes).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
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
    fn a_comment_behind_code_is_left_out_of_it() {
        let cases = [
            ("f(a),  // why", "f(a)", true),
            ("f(a) # why", "f(a) # because", true),
            ("f(a)", "f(a)", false),
            ("f(a) // why", "f(b)", false),
            ("say('no // comment')", "say('no", false),
            ("// f(a)", "f(a)", false),
        ];
        for (a, b, same) in cases {
            assert_eq!(Reading::new(a).is_same_code(&Reading::new(b)), same, "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_pointer_is_no_comment() {
        for (line, comment) in [("// x", true), (" * x", true), ("*p = x", false), ("# x", true), ("x # y", false)] {
            assert_eq!(is_comment(line), comment, "{line:?}");
        }
    }
}
