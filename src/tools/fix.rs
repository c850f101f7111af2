//! `fix`: a quick fix of the language server for a problem that it has told.

use std::sync::Arc;

use super::changing::{SETTLE, SETTLE_MS, budget, patience};
use super::navigating::{self, FILE, LINE};
use super::rewriting::{self, ATTEMPTS, not_proposed};
use super::{Arguments, Kind, Parameter, Tool};
use crate::landing;
use crate::report::{self, Reply, ToolError, one_line};
use crate::session::Call;
use crate::workspace::paths::{self, Purpose, Resolved};
use crate::workspace::proposing::{NotProposed, Offered, Problematic};

pub(super) const TOOL: Tool = Tool {
    name: "fix",
    about: "Apply a quick fix, an action of the language server, for an error or warning (add missing import, remove \
            unused variable, add missing methods). Give the number that stands in [ ] before a problem, or file_path with \
            line. Where there are several they are listed, to be chosen from with choice.",
    parameters: &[
        Parameter::optional(
            "number",
            &["problem", "diagnostic", "n", "id", "problem_number"],
            Kind::Count,
            "The number before the problem, as last shown: 3 for [3]",
        ),
        FILE,
        LINE,
        Parameter::optional(
            "choice",
            &["option", "which", "fix", "fix_number"],
            Kind::Count,
            "Which fix, when several were listed: 1 for the first",
        ),
        SETTLE,
        SETTLE_MS,
    ],
    read_only: false,
    run: |call, arguments| Box::pin(fix(call, arguments)),
};

/// What to do where no language server does it.
const BY_HAND: &str = "make the change with `edit`";
/// Most fixes listed.
const MOST_LISTED: usize = 20;

async fn fix(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    for attempt in 1.. {
        let (file, at) = place(call, &arguments)?;
        let about = |error: ToolError| if error.file.is_none() { error.about(&file.relative) } else { error };
        let asked = call.workspace.fixes(&at, patience(&arguments));
        let offered = match navigating::waited(call, asked).await? {
            Ok(offered) => offered,
            Err(NotProposed::Moving) if attempt < ATTEMPTS => continue,
            Err(why) => return Err(about(not_proposed(&why, BY_HAND))),
        };
        let which = chosen(&offered, &at, arguments.count("choice")).map_err(about)?;
        let what = format!("fixed by \"{}\"", offered.titles()[which]);
        let asked = call.workspace.fixing(&offered, which);
        let outcome = match navigating::waited(call, asked).await? {
            Ok(proposal) => rewriting::land(call, TOOL.name, &proposal, &what, budget(&arguments)).await,
            Err(NotProposed::Moving) if attempt < ATTEMPTS => continue,
            Err(why) => Err(not_proposed(&why, BY_HAND)),
        };
        match outcome {
            Err(error) if error.code == "changed_meanwhile" && attempt < ATTEMPTS => {}
            outcome => return outcome.map_err(about),
        }
    }
    unreachable!("the last attempt returns")
}

/// Where the problem is that a call means.
fn place(call: &Call, arguments: &Arguments) -> Result<(Resolved, Problematic), ToolError> {
    let (typed, line, message) = match arguments.count("number") {
        Some(number) => {
            let shown = u32::try_from(number).ok().and_then(|number| call.session.shown(number));
            let shown = shown.filter(|shown| shown.root == call.workspace.root()).ok_or_else(|| {
                ToolError::caller("no_such_problem", format!("no problem was shown with the number {number}"))
                    .hint("call `diagnostics` to see the problems and their numbers")
            })?;
            (shown.problem.file, shown.problem.line, Some(shown.problem.message))
        }
        None => {
            let typed = arguments.text("file_path").map(str::trim).filter(|typed| !typed.is_empty());
            let line = arguments.count("line").or_else(|| typed.and_then(|typed| navigating::places_in(typed).0));
            let (Some(typed), Some(line)) = (typed, line) else {
                let error = ToolError::caller("bad_arguments", "neither a number nor a file_path with line was given");
                return Err(error.hint("call `diagnostics` to see the problems and their numbers"));
            };
            (typed.to_owned(), u32::try_from(line).unwrap_or(u32::MAX), None)
        }
    };
    let file = paths::resolve(call.workspace.paths(), &typed, Purpose::EditFile)
        .map_err(|refused| report::path_refused(&refused))?;
    let present = landing::read(&call.workspace, &file)
        .and_then(|present| present.ok_or(landing::Unlanded::Missing))
        .map_err(|unlanded| report::unlanded(&file.relative, &unlanded))?;
    let text: Arc<str> = present.decoded.text.into();
    let path = file.absolute.clone();
    Ok((file, Problematic { path, text, line, message }))
}

/// The place in the list of the fix to take, 0-based.
fn chosen(offered: &Offered, at: &Problematic, choice: Option<usize>) -> Result<usize, ToolError> {
    let titles = offered.titles();
    let who = one_line(&offered.language_server, 60);
    if titles.is_empty() {
        let message = match offered.problems.as_slice() {
            [] if at.message.is_some() => format!("{who} does not tell this problem any more"),
            [] => format!("{who} tells of no problem on line {}", at.line),
            [(line, message), ..] => format!("{who} offers no fix for line {line}: {}", one_line(message, 200)),
        };
        return Err(ToolError::caller("no_fix", message).hint(BY_HAND));
    }
    let which = match choice {
        Some(choice) => choice.checked_sub(1).filter(|which| *which < titles.len()),
        None => offered.obvious(),
    };
    which.ok_or_else(|| {
        let mut message = format!("{who} offers {} fixes for line {}:", titles.len(), at.line);
        for (index, title) in titles.iter().take(MOST_LISTED).enumerate() {
            message.push_str(&format!("\n  {}. {}", index + 1, one_line(title, 200)));
        }
        if titles.len() > MOST_LISTED {
            message.push_str(&format!("\n  … and {} more", titles.len() - MOST_LISTED));
        }
        ToolError::caller("choose", message).hint("make the same call with choice, such as choice 1")
    })
}
