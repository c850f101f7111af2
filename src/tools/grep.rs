//! `grep`: lines by their content.

mod enclosing;

use super::searching::{self, ALL, LIMIT, PATH};
use super::{Arguments, Kind, Parameter, Tool};
use crate::report::{self, Asked, Reply, ToolError};
use crate::search::{Case, Limits, Pattern, PatternOptions, Place, Wanted, find_lines};
use crate::session::Call;

/// Most lines of context on each side of a hit.
const MOST_CONTEXT: usize = 20;

pub(super) const TOOL: Tool = Tool {
    name: "grep",
    about: "Search text in files by regular expression (grep, ripgrep, regex search, search code, find text, search file \
            contents): the lines that match, with file, line number and the function around them. Hidden and binary files \
            and those in .gitignore are left out. Narrow it with include (*.go) and path.",
    parameters: &[
        Parameter::required(
            "pattern",
            &["regex", "query", "search", "search_term", "text", "q"],
            Kind::Text,
            "Regular expression (Rust, as in ripgrep), or plain text with literal: true",
        ),
        PATH,
        Parameter::optional(
            "include",
            &["glob", "file_pattern", "includes", "file_glob", "filter", "include_pattern"],
            Kind::Text,
            "Which files: *.go, *.{java,zig}, src/**; !*_test.go leaves out",
        ),
        Parameter::optional(
            "output",
            &["output_mode", "mode"],
            Kind::Choice(&["lines", "files", "count"]),
            "lines (default): the hits; files: only names of files with hits; count: how many hits, by file",
        ),
        Parameter::optional(
            "case",
            &["case_sensitivity"],
            Kind::Choice(&["sensitive", "insensitive", "smart"]),
            "sensitive (default), insensitive, or smart: insensitive unless the pattern has upper case",
        ),
        Parameter::optional(
            "context",
            &["context_lines", "_c", "lines_around"],
            Kind::Count,
            "Lines to show before and after each hit (default 0)",
        ),
        Parameter::optional(
            "multiline",
            &["multi_line"],
            Kind::Flag,
            "A match may go over several lines, and . matches a line end (default false)",
        ),
        Parameter::optional(
            "literal",
            &["fixed_strings", "fixed_string", "is_literal", "plain"],
            Kind::Flag,
            "The pattern is plain text, not a regular expression (default false)",
        ),
        LIMIT,
        ALL,
    ],
    read_only: true,
    run: |call, arguments| Box::pin(grep(call, arguments)),
};

async fn grep(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let typed = arguments.required_text("pattern");
    if typed.is_empty() {
        return Err(ToolError::caller("bad_pattern", "`pattern` is empty").hint("give the text to look for"));
    }
    let options = options(&arguments);
    let pattern = Pattern::new(typed, options).map_err(|error| report::bad_pattern(typed, &error))?;
    let target = searching::place(call, arguments.text("path"))?;
    let (most, bytes) = searching::bounds(&arguments);
    let include = arguments.text("include").filter(|include| !include.trim().is_empty());
    let everything = arguments.flag("all");
    let wanted = wanted(&arguments);
    let place =
        Place { path: target.absolute.clone(), globs: include.map(searching::globs).unwrap_or_default(), everything };
    let done = searching::blocking(call, move |cancel| {
        let found = find_lines(&place, &pattern, wanted, &Limits::new(most, cancel))?;
        let inside = enclosing::of_hits(&found.files);
        Ok((found, inside))
    });
    let (found, inside) = done.await?.map_err(|error| report::bad_glob(&error))?;
    searching::unless_cancelled(found.end)?;
    let asked = Asked {
        pattern: typed,
        place: searching::shown(&target),
        include,
        // Of a file that is named nothing is left out.
        everything: everything || target.absolute.is_file(),
        case_sensitive: options.case != Case::Insensitive,
        root: call.workspace.root(),
        bytes,
    };
    let reply = match wanted {
        Wanted::Files => report::files_with_hits(&asked, &found),
        Wanted::Counts => report::counts(&asked, &found),
        Wanted::Lines { .. } => report::hits(&asked, &found, &inside),
    };
    Ok(searching::with_note(reply, &target))
}

fn options(arguments: &Arguments) -> PatternOptions {
    let case = match arguments.text("case") {
        Some("insensitive") => Case::Insensitive,
        Some("smart") => Case::Smart,
        _ => Case::Sensitive,
    };
    PatternOptions { literal: arguments.flag("literal"), case, multiline: arguments.flag("multiline") }
}

fn wanted(arguments: &Arguments) -> Wanted {
    match arguments.text("output") {
        Some("files") => Wanted::Files,
        Some("count") => Wanted::Counts,
        _ => Wanted::Lines { context: arguments.count("context").unwrap_or(0).min(MOST_CONTEXT) },
    }
}
