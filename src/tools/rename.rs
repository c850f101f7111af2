//! `rename`: a symbol under another name, everywhere it is used.

use super::changing::{SETTLE, SETTLE_MS, budget, patience};
use super::navigating::{self, COLUMN, FILE, LINE, SYMBOL};
use super::rewriting::{self, ATTEMPTS, not_proposed};
use super::{Arguments, Kind, Parameter, Tool};
use crate::report::{Reply, ToolError, one_line};
use crate::session::Call;
use crate::workspace::proposing::NotProposed;

pub(super) const TOOL: Tool = Tool {
    name: "rename",
    about: "Rename a symbol (rename function, rename method, rename type, rename variable) in all files at once, by the \
            language server: its declaration and every use, and nothing else of the same spelling. All files are changed \
            or none. Give symbol, or file_path with line.",
    parameters: &[
        SYMBOL,
        Parameter::required(
            "new_name",
            &["to", "new", "newname", "rename_to", "new_symbol"],
            Kind::Text,
            "The new name, without its path: Store.Put is renamed to Get by new_name Get",
        ),
        FILE,
        LINE,
        COLUMN,
        SETTLE,
        SETTLE_MS,
    ],
    read_only: false,
    run: |call, arguments| Box::pin(rename(call, arguments)),
};

/// What to do where no language server does it.
const BY_HAND: &str = "find its places with `grep` and change them with `edit` or `apply_patch`";

async fn rename(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let new_name = arguments.required_text("new_name").trim().to_owned();
    if !is_name(&new_name) {
        let message = format!("`{}` is no name that code could have", one_line(&new_name, 80));
        return Err(ToolError::caller("bad_name", message).hint("give the bare new name as new_name, such as Get"));
    }
    for attempt in 1.. {
        let target = navigating::target(call, &arguments).await?;
        let spot = &target.spot;
        if spot.word() == new_name {
            let message = format!("it is called {new_name} already (line {})", spot.line);
            return Err(ToolError::caller("already_applied", message).about(&spot.file));
        }
        let asked = call.workspace.renaming(spot, &new_name, patience(&arguments));
        let outcome = match navigating::waited(call, asked).await? {
            Ok(proposal) => {
                let what = format!("{} is now {new_name}", spot.word());
                rewriting::land(call, TOOL.name, &proposal, &what, budget(&arguments)).await
            }
            Err(NotProposed::Moving) if attempt < ATTEMPTS => continue,
            Err(why) => Err(not_proposed(&why, BY_HAND)),
        };
        match outcome {
            Err(error) if error.code == "changed_meanwhile" && attempt < ATTEMPTS => {}
            Err(error) if error.file.is_none() => return Err(error.about(&spot.file)),
            outcome => return outcome.map(|reply| target.with_note(reply)),
        }
    }
    unreachable!("the last attempt returns")
}

/// Whether code could have such a name: letters, digits and `_`; Java's `$`; a quoted name of Zig.
fn is_name(name: &str) -> bool {
    if let Some(quoted) = name.strip_prefix("@\"").and_then(|rest| rest.strip_suffix('"')) {
        return !quoted.is_empty() && !quoted.contains(|c: char| c == '"' || c.is_control());
    }
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    !name.is_empty() && name.chars().all(is_part) && !name.starts_with(|c: char| c.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::is_name;

    #[test]
    fn only_what_code_could_have_is_a_name() {
        for name in ["Get", "_x1", "größe", "a$b", "@\"a b\""] {
            assert!(is_name(name), "{name}");
        }
        for name in ["", "1x", "a b", "Store.Get", "a-b", "x\ny", "@\"\"", "f()"] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
