//! What a file that is no text is, by its first bytes.

use std::fs::File;
use std::io::Read;

const SIGNATURES: [(&[u8], &str); 15] = [
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xFF\xD8\xFF", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"BM", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"\0\0\x01\0", "an icon"),
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive (or a jar, docx, xlsx …)"),
    (b"\x1F\x8B", "a gzip archive"),
    (b"\xFD7zXZ\0", "an xz archive"),
    (b"\x7FELF", "a program or library (ELF)"),
    (b"\xCA\xFE\xBA\xBE", "a Java class file"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\0asm", "a WebAssembly module"),
];

/// `a PNG image, 640 x 480 pixels, 12345 bytes`, if it is of a known kind.
pub(super) fn of(file: &mut File) -> Option<String> {
    let bytes = file.metadata().ok()?.len();
    let mut head = Vec::with_capacity(32);
    file.take(32).read_to_end(&mut head).ok()?;
    Some(format!("{}, {bytes} bytes", by_signature(&head)?))
}

fn by_signature(head: &[u8]) -> Option<String> {
    if head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP") {
        return Some("a WebP image".into());
    }
    let (_, what) = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature))?;
    let number = |at: usize| Some(u32::from_be_bytes(head.get(at..at + 4)?.try_into().ok()?));
    match (number(16), number(20)) {
        (Some(width), Some(height)) if head.starts_with(b"\x89PNG") => {
            Some(format!("{what}, {width} x {height} pixels"))
        }
        _ => Some((*what).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_their_first_bytes() {
        for (head, expected) in [
            (&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x02\x80\0\0\x01\xE0"[..], Some("a PNG image, 640 x 480 pixels")),
            (b"\x89PNG\r\n\x1a\n", Some("a PNG image")),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some("a WebP image")),
            (b"\xFF\xD8\xFF\xE0", Some("a JPEG image")),
            (b"\0\0\0\0", None),
            (b"", None),
        ] {
            assert_eq!(by_signature(head).as_deref(), expected, "{head:?}");
        }
    }
}
