//! Bytes of a file to text and back, losing nothing on the way.

/// How a file's bytes stand for its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, with or without a byte order mark (which stays part of the text).
    Utf8,
    /// UTF-8 but for single bytes that do not decode; each stands in the text as one stand-in character.
    Utf8WithStrayBytes,
    /// UTF-16, little end first, with its byte order mark (which stays part of the text).
    Utf16Le,
    /// UTF-16, big end first, with its byte order mark (which stays part of the text).
    Utf16Be,
}

impl Encoding {
    const ALL: [(Encoding, &'static str); 4] = [
        (Encoding::Utf8, "utf-8"),
        (Encoding::Utf8WithStrayBytes, "utf-8 with stray bytes"),
        (Encoding::Utf16Le, "utf-16le"),
        (Encoding::Utf16Be, "utf-16be"),
    ];

    /// Its name, for keeping it.
    pub fn name(self) -> &'static str {
        Encoding::ALL.iter().find(|(encoding, _)| *encoding == self).map_or("utf-8", |(_, name)| name)
    }

    /// The one of that name.
    pub fn named(name: &str) -> Option<Encoding> {
        Encoding::ALL.iter().find(|(_, known)| *known == name).map(|(encoding, _)| *encoding)
    }
}

/// A file's text, and how to write it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The text. A byte order mark stands in front as U+FEFF, line endings are the file's own.
    pub text: String,
    /// What [`encode`] needs to make the file's bytes again.
    pub encoding: Encoding,
}

/// Why bytes are no text that could be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UndecodableText {
    /// A NUL byte in what is not UTF-16.
    #[error("it is a binary file (a NUL byte at offset {0})")]
    Binary(usize),
    /// UTF-16 by its byte order mark, with half a surrogate pair or an odd number of bytes.
    #[error("it begins like UTF-16 but does not decode")]
    BrokenUtf16,
    /// It holds the very characters that stand for undecodable bytes, so the way back would be ambiguous.
    #[error("it mixes undecodable bytes with private-use characters")]
    AmbiguousStandIns,
}

/// First of the 256 stand-ins: byte `b` that does not decode is `U+10FF00 + b`, in the last private-use plane.
const STAND_IN: u32 = 0x10_FF00;

/// Reads a file's bytes as text.
///
/// # Errors
/// [`UndecodableText`] when no edit of the text could be written back without loss.
pub fn decode(bytes: Vec<u8>) -> Result<Decoded, UndecodableText> {
    if let Some((encoding, little)) = match bytes.as_slice() {
        [0xFF, 0xFE, ..] => Some((Encoding::Utf16Le, true)),
        [0xFE, 0xFF, ..] => Some((Encoding::Utf16Be, false)),
        _ => None,
    } {
        return decode_utf16(&bytes, little).map(|text| Decoded { text, encoding });
    }
    if let Some(at) = memchr::memchr(0, &bytes) {
        return Err(UndecodableText::Binary(at));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Decoded { text, encoding: Encoding::Utf8 }),
        Err(error) => decode_stray(error.as_bytes()),
    }
}

/// The bytes of `text` in `encoding`: for an unchanged text exactly those that [`decode`] read.
pub fn encode(text: &str, encoding: Encoding) -> Vec<u8> {
    match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf8WithStrayBytes => encode_stray(text),
        Encoding::Utf16Le => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        Encoding::Utf16Be => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
    }
}

fn decode_utf16(bytes: &[u8], little: bool) -> Result<String, UndecodableText> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(UndecodableText::BrokenUtf16);
    }
    let units = pairs.iter().map(|pair| if little { u16::from_le_bytes(*pair) } else { u16::from_be_bytes(*pair) });
    char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| UndecodableText::BrokenUtf16)
}

fn decode_stray(bytes: &[u8]) -> Result<Decoded, UndecodableText> {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        if chunk.valid().chars().any(|character| stray_byte(character).is_some()) {
            return Err(UndecodableText::AmbiguousStandIns);
        }
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|byte| char::from_u32(STAND_IN + u32::from(*byte))));
    }
    Ok(Decoded { text, encoding: Encoding::Utf8WithStrayBytes })
}

fn encode_stray(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut buffer = [0; 4];
    for character in text.chars() {
        match stray_byte(character) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend_from_slice(character.encode_utf8(&mut buffer).as_bytes()),
        }
    }
    bytes
}

/// The byte that a character of a decoded text stands for, if it stands for one that did not decode. U+10FFFE and U+10FFFF (bytes FE and FF) are non-characters but valid `char`s.
pub fn stray_byte(character: char) -> Option<u8> {
    u32::from(character).checked_sub(STAND_IN).and_then(|byte| u8::try_from(byte).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        let cases: [(&[u8], Encoding); 6] = [
            (b"plain\n", Encoding::Utf8),
            (b"\xEF\xBB\xBFwith mark\r\n", Encoding::Utf8),
            (b"caf\xE9 au lait\n", Encoding::Utf8WithStrayBytes),
            (b"\xFF\x41\xFE\xC3", Encoding::Utf8WithStrayBytes),
            (b"\xFF\xFEa\0\r\0\n\0", Encoding::Utf16Le),
            (b"\xFE\xFF\0a\0\n", Encoding::Utf16Be),
        ];
        for (bytes, encoding) in cases {
            let decoded = decode(bytes.to_vec()).expect("decodes");
            assert_eq!(decoded.encoding, encoding, "{bytes:?}");
            assert_eq!(encode(&decoded.text, encoding), bytes);
            assert_eq!(Encoding::named(encoding.name()), Some(encoding));
        }
    }

    #[test]
    fn what_could_not_be_written_back_is_refused() {
        let cases: [(&[u8], UndecodableText); 3] = [
            (b"ELF\0\x01", UndecodableText::Binary(3)),
            (b"\xFF\xFEa", UndecodableText::BrokenUtf16),
            ("\u{10FF41}\n".as_bytes(), UndecodableText::AmbiguousStandIns),
        ];
        for (bytes, error) in cases {
            let mut bytes = bytes.to_vec();
            if error == UndecodableText::AmbiguousStandIns {
                bytes.push(0xFF);
            }
            assert_eq!(decode(bytes), Err(error));
        }
    }

    proptest::proptest! {
        #[test]
        fn decoding_and_encoding_is_lossless(bytes in proptest::collection::vec(1u8.., 0..64)) {
            if let Ok(decoded) = decode(bytes.clone()) {
                proptest::prop_assert_eq!(encode(&decoded.text, decoded.encoding), bytes);
            }
        }
    }
}
