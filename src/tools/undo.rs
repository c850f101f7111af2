//! `undo`: takes back this session's last change.

use super::changing::{SETTLE, SETTLE_MS, budget, land_all};
use super::{Arguments, Kind, Parameter, Tool};
use crate::landing::{Order, Undo, Wanted};
use crate::report::{self, Reply, ToolError};
use crate::session::Call;
use crate::workspace::ledger::{Entry, LandedEntry};
use crate::workspace::paths::{self, Purpose};

pub(super) const TOOL: Tool = Tool {
    name: "undo",
    about: "Undo (revert, roll back, take back, restore) what this session did last, or what it did last in file_path. \
            Only done when the files are still as it left them.",
    parameters: &[
        Parameter::optional(
            "file_path",
            &["path", "file", "filename", "filepath"],
            Kind::Text,
            "The file whose last change is undone; without it the last change of all",
        ),
        SETTLE,
        SETTLE_MS,
    ],
    read_only: false,
    run: |call, arguments| Box::pin(undo(call, arguments)),
};

async fn undo(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let resolve = |typed: &str| {
        paths::resolve(call.workspace.paths(), typed, Purpose::WriteFile)
            .map_err(|refused| report::path_refused(&refused))
    };
    let file = arguments.text("file_path").map(resolve).transpose()?;
    let entries = call.session.ledger().entries_of(call.workspace.root());
    let last = last_change(&entries, file.as_ref().map(|target| target.relative.as_str()));
    if last.is_empty() {
        let error =
            ToolError::caller("nothing_to_undo", "this session has made no such change that is not undone already");
        return Err(error.hint("call `changes` to see what it has done"));
    }
    let order = |(number, entry): (u64, &LandedEntry)| {
        let target = resolve(&entry.file)?;
        let seen = call.session.seen(&target.absolute);
        let wanted = Wanted::Undo(Box::new(Undo { number, entry: entry.clone() }));
        Ok(Order { target, wanted, seen })
    };
    let orders = last.into_iter().map(order).collect::<Result<Vec<Order>, ToolError>>()?;
    land_all(call, TOOL.name, orders, budget(&arguments)).await
}

/// What the last call (that changed `file`) changed and that neither was undone nor undid another; of `file` alone if
/// one is named. The last first, so that what was made of a moved file goes only after it is back.
fn last_change<'e>(entries: &'e [Entry], file: Option<&str>) -> Vec<(u64, &'e LandedEntry)> {
    let landed = || entries.iter().filter_map(|entry| Some((entry, entry.landed()?)));
    let undone: Vec<u64> = landed().filter_map(|(_, change)| change.undoes).collect();
    let standing: Vec<(&Entry, &LandedEntry)> = landed()
        .filter(|(entry, change)| change.undoes.is_none() && !undone.contains(&entry.number))
        .filter(|(_, change)| file.is_none_or(|file| change.file == file))
        .collect();
    let Some((last, _)) = standing.last() else { return Vec::new() };
    let together = |entry: &Entry| entry.number == last.number || (file.is_none() && entry.call == last.call);
    standing.iter().rev().filter(|(entry, _)| together(entry)).map(|(entry, change)| (entry.number, *change)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{LineCounts, hunks};
    use crate::workspace::ledger::{Action, Outcome};

    fn entry(number: u64, call: u64, file: &str, undoes: Option<u64>) -> Entry {
        let hunks = hunks("a", "b");
        let counts = LineCounts::of(&hunks, "b");
        let mut landed = LandedEntry::new(file, Action::Edited, Some("a"), Some("b"), &hunks, counts);
        landed.undoes = undoes;
        let (at, tool, workspace) = (String::new(), String::new(), String::new());
        Entry { number, at, tool, workspace, call, outcome: Outcome::Landed(landed) }
    }

    #[test]
    fn what_landed_together_is_undone_together() {
        let entries = [entry(1, 1, "a", None), entry(2, 2, "a", None), entry(3, 2, "b", None)];
        let last = |entries: &[Entry], file| -> Vec<u64> {
            last_change(entries, file).into_iter().map(|(number, _)| number).collect()
        };
        assert_eq!(last(&entries, None), [3, 2]);
        assert_eq!(last(&entries, Some("a")), [2]);
        let undone = [&entries[..], &[entry(4, 4, "b", Some(3)), entry(5, 4, "a", Some(2))]].concat();
        assert_eq!(last(&undone, None), [1]);
        assert_eq!(last(&undone, Some("b")), [0u64; 0]);
    }
}
