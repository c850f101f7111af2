//! A place or a name as it is typed in a shell, and what the subcommands that ask about one have in common.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::one_call::{self, CallOptions};

/// What is asked about, and how.
#[derive(Debug, clap::Args)]
pub(super) struct Asking {
    /// A name or path of names (Put, Store.Put, pkg.Func), or a place in a file
    #[arg(value_name = "SYMBOL|FILE:LINE[:COLUMN]")]
    target: String,
    /// The file in which the name is looked for
    #[arg(long = "in", value_name = "FILE")]
    file: Option<String>,
    #[command(flatten)]
    patience: Patience,
    #[command(flatten)]
    options: CallOptions,
}

/// How long a language server that has just been started is waited for.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Patience {
    /// How long to wait for a language server that is still loading
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
}

/// How many results are shown.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct Limit {
    /// How many results to show [default: 100]
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
}

impl Patience {
    /// As a duration.
    pub(super) fn duration(self) -> Duration {
        Duration::from_secs(self.wait)
    }
}

impl Limit {
    /// As an argument of a tool.
    pub(super) fn argument(self) -> Value {
        self.limit.into()
    }
}

/// Calls `tool` about what is asked, with further arguments.
pub(super) fn ask(asking: &Asking, tool: &str, further: Value, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut arguments = arguments(&asking.target, asking.file.as_deref());
    if let Value::Object(further) = further {
        arguments.extend(further);
    }
    one_call::run_patiently(&asking.options, asking.patience.duration(), tool, arguments, out)
}

fn arguments(target: &str, file: Option<&str>) -> Map<String, Value> {
    let arguments = match place(target) {
        Some((path, line, column)) if file.is_none() => {
            json!({ "file_path": path, "line": line, "column": column })
        }
        _ => json!({ "symbol": target, "file_path": file }),
    };
    arguments.as_object().cloned().unwrap_or_default()
}

/// `FILE:LINE` or `FILE:LINE:COLUMN`; `None` for what is a name.
fn place(target: &str) -> Option<(&str, usize, Option<usize>)> {
    let target = target.trim_end_matches(':');
    let (before, last) = target.rsplit_once(':')?;
    let last: usize = last.parse().ok()?;
    match before.rsplit_once(':').and_then(|(path, line)| Some((path, line.parse::<usize>().ok()?))) {
        Some((path, line)) if !path.is_empty() => Some((path, line, Some(last))),
        _ if !before.is_empty() => Some((before, last, None)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_told_from_names() {
        for (target, expected) in [
            ("a.go:12", Some(("a.go", 12, None))),
            ("src/a.go:12:3", Some(("src/a.go", 12, Some(3)))),
            ("src/a.go:12:3:", Some(("src/a.go", 12, Some(3)))),
            ("c:/x.go:7", Some(("c:/x.go", 7, None))),
            ("Store.Put", None),
            ("a::b", None),
            (":12", None),
            ("a.go", None),
        ] {
            assert_eq!(place(target), expected, "{target}");
        }
        assert_eq!(Value::Object(arguments("Put", Some("a.go"))), json!({ "symbol": "Put", "file_path": "a.go" }));
    }
}
