//! Why an address means no one place in the code.

use super::{MOST_HEADING, MOST_NAME, at};
use crate::report::{ToolError, one_line, symbol_refused};
use crate::workspace::navigation::SpotRefused;

/// Most names of a line that are told.
const MOST_NAMES: usize = 12;
/// Most lines that are told.
const MOST_LINES: usize = 12;

/// The error for a place that was not found.
pub fn spot_refused(refused: &SpotRefused) -> ToolError {
    match refused {
        SpotRefused::Symbol(refused) => symbol_refused(refused),
        SpotRefused::Nothing { has_file } => {
            let message =
                if *has_file { "`file_path` alone names no symbol" } else { "neither `symbol` nor `line` was given" };
            ToolError::caller("bad_arguments", message)
                .hint("give symbol (for example Store.Put), or file_path with line")
        }
        SpotRefused::NoLine { file, line, lines } => {
            let message = format!("there is no line {line}: {} has {lines} lines", one_line(file, 300));
            ToolError::caller("no_such_line", message)
                .hint("give symbol instead of line, or call `read` to see the lines")
                .about(file)
        }
        SpotRefused::NoColumn { file, line, column, characters } => {
            let message = format!("there is no column {column}: {} has {characters} characters", at(file, *line));
            ToolError::caller("no_such_column", message)
                .hint("leave column out and give symbol: it is then found on the line")
                .about(file)
        }
        SpotRefused::NotOnLine { file, line, name, text, stands_on } => {
            let name = one_line(name, MOST_NAME);
            let mut message = format!(
                "`{name}` is not on line {line} of {} nor near it; that line is: {}",
                one_line(file, 300),
                one_line(text.trim(), MOST_HEADING)
            );
            let error = |message| ToolError::caller("not_on_line", message).about(file);
            if stands_on.is_empty() {
                return error(message)
                    .hint("leave file_path and line out: it is then looked for in the whole workspace");
            }
            let lines: Vec<String> = stands_on.iter().take(MOST_LINES).map(usize::to_string).collect();
            let more = if stands_on.len() > MOST_LINES { ", …" } else { "" };
            message.push_str(&format!("\nit stands on line {}{more}", lines.join(", ")));
            error(message).hint(format!("call again with line {}", lines.first().map_or("", String::as_str)))
        }
        SpotRefused::NoOneName { file, line, text, names } => no_one_name(file, *line, text, names),
    }
}

fn no_one_name(file: &str, line: usize, text: &str, names: &[(String, usize)]) -> ToolError {
    let shown = one_line(text.trim(), MOST_HEADING);
    let place = at(file, line);
    if names.is_empty() {
        let message = format!("{place} holds no name: {shown}");
        return ToolError::caller("no_name", message).hint("call `read` to find the line, or give symbol").about(file);
    }
    let listed: Vec<String> = names
        .iter()
        .take(MOST_NAMES)
        .map(|(name, column)| format!("{} (column {column})", one_line(name, MOST_NAME)))
        .collect();
    let message = format!("{place} holds several names: {shown}\n  {}", listed.join(", "));
    let first = names.first().map_or("", |(name, _)| name.as_str());
    ToolError::caller("several_names", message)
        .hint(format!("call again with symbol too, for example symbol: {}", one_line(first, MOST_NAME)))
        .about(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_refusal_says_what_is_there_and_what_to_do() {
        let file = || "a.go".to_owned();
        for (refused, code, parts) in [
            (
                SpotRefused::Nothing { has_file: true },
                "bad_arguments",
                vec!["`file_path` alone", "symbol (for example"],
            ),
            (
                SpotRefused::NoLine { file: file(), line: 99, lines: 7 },
                "no_such_line",
                vec!["no line 99", "has 7 lines"],
            ),
            (
                SpotRefused::NoColumn { file: file(), line: 3, column: 80, characters: 12 },
                "no_such_column",
                vec!["a.go:3 has 12 characters"],
            ),
            (
                SpotRefused::NotOnLine {
                    file: file(),
                    line: 3,
                    name: "Put".into(),
                    text: "\tx\u{1b}()".into(),
                    stands_on: vec![40, 88],
                },
                "not_on_line",
                vec!["that line is: x ()", "it stands on line 40, 88", "call again with line 40"],
            ),
            (
                SpotRefused::NoOneName {
                    file: file(),
                    line: 3,
                    text: "a(b)".into(),
                    names: vec![("a".into(), 1), ("b".into(), 3)],
                },
                "several_names",
                vec!["a.go:3 holds several names: a(b)", "a (column 1), b (column 3)", "symbol: a"],
            ),
            (
                SpotRefused::NoOneName { file: file(), line: 3, text: "}".into(), names: vec![] },
                "no_name",
                vec!["holds no name: }"],
            ),
        ] {
            let error = spot_refused(&refused);
            let told = format!("{}\n{}", error.message, error.hints.join("\n"));
            assert_eq!((error.code, error.hints.len()), (code, 1), "{told}");
            for part in parts {
                assert!(told.contains(part), "{part} in {told}");
            }
        }
    }
}
