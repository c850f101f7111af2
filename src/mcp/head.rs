//! Which request a line is, found without understanding the rest of it: it may be too long, broken, or nonsense inside.

use serde_json::Value;

/// The longest key or id that is kept. Bytes.
const LONGEST: usize = 1024;

/// Reads a line piece by piece and keeps what says how to answer it.
#[derive(Debug, Default)]
pub(super) struct Head {
    depth: usize,
    in_string: bool,
    escaped: bool,
    reading: Reading,
    text: Vec<u8>,
    id: Option<Value>,
    has_method: bool,
}

/// What the text at the top of the message is.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Reading {
    #[default]
    Nothing,
    Key,
    Id,
}

impl Head {
    /// The id of the request that was read, if it is one and its id can be answered to.
    pub(super) fn request(&self) -> Option<&Value> {
        self.id.as_ref().filter(|_| self.has_method)
    }

    /// Reads on.
    pub(super) fn read(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.next(*byte));
    }

    fn next(&mut self, byte: u8) {
        if self.in_string {
            self.in_string = self.escaped || byte != b'"';
            self.escaped = !self.escaped && byte == b'\\';
            return self.keep(byte);
        }
        match byte {
            b'{' | b'[' => {
                self.depth += 1;
                if self.depth == 1 && byte == b'{' {
                    self.reading = Reading::Key;
                }
            }
            b'}' | b']' => {
                self.end_member(Reading::Nothing);
                self.depth = self.depth.saturating_sub(1);
            }
            b',' => self.end_member(Reading::Key),
            b':' if self.depth == 1 && self.reading == Reading::Key => self.end_key(),
            _ => {
                self.in_string = byte == b'"';
                self.keep(byte);
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.depth == 1 && self.reading != Reading::Nothing && self.text.len() < LONGEST {
            self.text.push(byte);
        }
    }

    fn end_key(&mut self) {
        let text = std::mem::take(&mut self.text);
        self.has_method |= text.trim_ascii() == b"\"method\"";
        self.reading = if text.trim_ascii() == b"\"id\"" { Reading::Id } else { Reading::Nothing };
    }

    fn end_member(&mut self, then: Reading) {
        if self.depth != 1 {
            return;
        }
        let text = std::mem::take(&mut self.text);
        if self.reading == Reading::Id && self.id.is_none() {
            let id = serde_json::from_slice(&text).ok();
            self.id = id.filter(|id: &Value| id.is_string() || id.is_i64());
        }
        self.reading = then;
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_id_is_found_wherever_it_stands_and_whatever_stands_around_it() {
        for (line, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"method":"x"}"#, Some(json!(7))),
            (r#"{"method":"x","params":{"id":8,"a":[{"id":9}]},"jsonrpc":"2.0","id":"seven"}"#, Some(json!("seven"))),
            (r#" { "method" : "x" , "id" : -7 , "params" : {"#, Some(json!(-7))),
            (r#"{"method":"x","params":{"text":"\"id\":9}\\"},"id":"a\"b,}"}"#, Some(json!("a\"b,}"))),
            (r#"{"id":7,"method":"x","params":{]}"#, Some(json!(7))),
            (r#"{"id":7,"id":8,"method":"x"}"#, Some(json!(7))),
            (r#"{"id":7,"result":{"method":"x"}}"#, None),
            (r#"{"method":"x","params":{"id":8}}"#, None),
            (r#"{"method":"x","id":7.5}"#, None),
            (r#"{"method":"x","id":null}"#, None),
            (r#"{"method":"x","id":{"id":7}}"#, None),
            (r#"{"method":"x","id":99999999999999999999}"#, None),
            (r#"[{"method":"x","id":7}]"#, None),
            (r#"}]{"method":"x","id":7}"#, Some(json!(7))),
            ("", None),
        ] {
            for piece in [1, 3, 1000] {
                let mut head = Head::default();
                line.as_bytes().chunks(piece).for_each(|piece| head.read(piece));
                assert_eq!(head.request(), expected.as_ref(), "{line}");
            }
        }
        let mut head = Head::default();
        let long = format!(r#"{{"method":"x","{0}":"{0}","id":7}}"#, "y".repeat(100_000));
        head.read(long.as_bytes());
        assert_eq!(head.request(), Some(&json!(7)));
    }
}
