//! `landfall replace`: the replacer alone, as a filter over JSON lines.

use std::io::{BufRead, Result, Write};
use std::time::Instant;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::replace::{Landed, Query, replace};
use crate::report::refusal::explain;
use crate::text::{LineCounts, hunks};

/// One line of input.
#[derive(Debug, Deserialize)]
struct Request {
    #[serde(default)]
    id: Option<Value>,
    text: String,
    old_string: String,
    new_string: String,
    #[serde(default)]
    replace_all: Option<bool>,
    #[serde(default)]
    near_line: Option<usize>,
}

/// One line of output.
#[derive(Debug, Default, Serialize)]
struct Answer {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    outcome: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    matched_via: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    occurrences: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lines: Option<Lines>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// The input line (1-based) that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    elapsed_us: Option<f64>,
}

/// What the edit did in lines.
#[derive(Debug, Serialize)]
struct Lines {
    added: usize,
    removed: usize,
    total: usize,
    /// First and last line of the new text that each occurrence made, 1-based.
    ranges: Vec<(usize, usize)>,
}

/// Answers each line of `input` with one on `output`, in order and flushed, until the input ends.
///
/// A line that is no request is answered with code `malformed` and its number; blank lines are skipped.
///
/// # Errors
/// When `input` cannot be read or `output` cannot be written.
pub(super) fn run(mut input: impl BufRead, mut output: impl Write) -> Result<()> {
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        serde_json::to_writer(&mut output, &answer(&line, number))?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
}

fn answer(line: &[u8], number: usize) -> Answer {
    match serde_json::from_slice::<Request>(line) {
        Ok(request) => carry_out(request),
        Err(error) => Answer {
            id: serde_json::from_slice::<Value>(line).ok().and_then(|value| value.get("id").cloned()),
            outcome: "refused",
            code: Some("malformed"),
            message: Some(format!("line {number} is no request: {error}")),
            line: Some(number),
            ..Answer::default()
        },
    }
}

fn carry_out(request: Request) -> Answer {
    let query = Query {
        old: &request.old_string,
        new: &request.new_string,
        replace_all: request.replace_all.unwrap_or(false),
        near_line: request.near_line,
    };
    let started = Instant::now();
    let outcome = replace(&request.text, &query);
    let elapsed_us = Some(started.elapsed().as_nanos() as f64 / 1000.0);
    match outcome {
        Ok(landed) => Answer { id: request.id, elapsed_us, ..describe(&request.text, landed) },
        Err(refused) => {
            let explained = explain(&request.text, &query, &refused);
            let hint = explained.hint.map(|hint| format!("\nHint: {hint}")).unwrap_or_default();
            Answer {
                id: request.id,
                outcome: "refused",
                code: Some(refused.code.name()),
                message: Some(explained.message + &hint),
                similarity: refused.nearest.map(|nearest| nearest.similarity),
                elapsed_us,
                ..Answer::default()
            }
        }
    }
}

fn describe(before: &str, landed: Landed) -> Answer {
    let counts = LineCounts::of(&hunks(before, &landed.text), &landed.text);
    let ranges = landed.lines.iter().map(|range| range.one_based()).collect();
    Answer {
        outcome: "landed",
        matched_via: Some(landed.matched_via),
        similarity: Some(landed.similarity),
        occurrences: Some(landed.occurrences),
        lines: Some(Lines { added: counts.added, removed: counts.removed, total: counts.total, ranges }),
        text: Some(landed.text),
        ..Answer::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &str) -> Vec<Value> {
        let mut output = Vec::new();
        run(input.as_bytes(), &mut output).expect("runs");
        let output = String::from_utf8(output).expect("UTF-8");
        output.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    #[test]
    fn each_request_has_its_answer_in_order() {
        let found = answers(concat!(
            r#"{"id":7,"text":"a\nb\n","old_string":"b","new_string":"c"}"#,
            "\n\n",
            r#"{"id":"x","text":"a\na\n","old_string":"a","new_string":"c"}"#,
        ));
        assert_eq!(found.len(), 2);
        assert_eq!(
            (&found[0]["id"], &found[0]["outcome"], &found[0]["text"]),
            (&7.into(), &"landed".into(), &"a\nc\n".into())
        );
        assert_eq!(found[0]["lines"]["ranges"][0], serde_json::json!([2, 2]));
        assert_eq!((&found[1]["id"], &found[1]["code"]), (&"x".into(), &"ambiguous".into()));
        assert!(found.iter().all(|answer| answer["elapsed_us"].is_f64()));
    }

    #[test]
    fn a_malformed_line_is_named_and_the_stream_goes_on() {
        let found = answers(
            "{nonsense\n{\"id\":1,\"text\":\"a\"}\n{\"text\":\"a\",\"old_string\":\"a\",\"new_string\":\"b\"}\n",
        );
        assert_eq!((&found[0]["code"], &found[0]["line"]), (&"malformed".into(), &1.into()));
        assert_eq!((&found[1]["id"], &found[1]["line"]), (&1.into(), &2.into()));
        assert_eq!(found[2]["text"], "b");
    }
}
