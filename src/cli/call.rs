//! `landfall call`: any tool, with its arguments as JSON.

use std::io::{Read, Write};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::builder::PossibleValuesParser;
use serde_json::{Map, Value};

use super::one_call::{self, CallOptions};
use crate::tools::{ALL, FILE_PATH};

/// Which tool, and with what.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The tool's name, as agents call it
    #[arg(value_parser = PossibleValuesParser::new(ALL.iter().map(|tool| tool.name)))]
    tool: String,
    /// Its arguments: a JSON object, @FILE to read one from a file, - from standard input
    #[arg(value_name = "JSON|@FILE|-", default_value = "{}")]
    arguments: String,
    /// With `write`: what the file holds goes, though nobody has read it
    #[arg(long)]
    overwrite: bool,
    #[command(flatten)]
    options: CallOptions,
}

pub(super) fn run(arguments: &Arguments, input: impl Read, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let (json, origin) = read(&arguments.arguments, input)?;
    let object = object(&json, &origin)?;
    if arguments.overwrite && arguments.tool != WRITE {
        bail!("--overwrite goes with `{WRITE}` alone");
    }
    // Agents must have read what they overwrite. Whoever says that it goes has the same done here.
    let first = arguments.overwrite.then(|| ("read", place_of(&object)));
    one_call::run_after(&arguments.options, first, &arguments.tool, object, out)
}

/// The tool that `--overwrite` is about.
const WRITE: &str = "write";

/// Which file of which workspace a call is about.
fn place_of(object: &Map<String, Value>) -> Map<String, Value> {
    let is_place = |name: &str| FILE_PATH.answers_to(name) || name == "workspace";
    object.iter().filter(|(name, _)| is_place(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// The JSON that `typed` stands for, and where it comes from.
fn read(typed: &str, mut input: impl Read) -> anyhow::Result<(String, String)> {
    if typed == "-" {
        let mut json = String::new();
        input.read_to_string(&mut json).context("standard input is no text")?;
        return Ok((json, "standard input".into()));
    }
    if let Some(file) = typed.strip_prefix('@') {
        let json = std::fs::read_to_string(file).with_context(|| format!("{file} cannot be read"))?;
        return Ok((json, file.into()));
    }
    Ok((typed.to_owned(), "the second argument".into()))
}

fn object(json: &str, origin: &str) -> anyhow::Result<Map<String, Value>> {
    match serde_json::from_str(json) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => bail!("{origin} is JSON, but not an object such as {{\"file_path\": \"src/main.go\"}}"),
        Err(error) => bail!("{origin} is not JSON: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_come_from_the_command_line_a_file_or_standard_input() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), r#"{"from": "a file"}"#).expect("writes");
        let input = || r#"{"from": "standard input"}"#.as_bytes();
        let at_file = format!("@{}", file.path().display());
        for (typed, from) in [(r#"{"from": "typed"}"#, "typed"), (at_file.as_str(), "a file"), ("-", "standard input")]
        {
            let (json, origin) = read(typed, input()).expect("reads");
            assert_eq!(object(&json, &origin).expect("an object")["from"], from);
        }
    }

    #[test]
    fn what_is_no_object_is_refused_with_its_place() {
        for (json, part) in [("[1]", "not an object"), ("{\"a\": }", "column 7"), ("", "is not JSON")] {
            let error = object(json, "standard input").expect_err("refuses").to_string();
            assert!(error.starts_with("standard input is") && error.contains(part), "{error}");
        }
        assert!(read("@/nowhere/at-all", std::io::empty()).is_err());
    }
}
