//! `replace_symbol`, `insert_after_symbol`, `insert_before_symbol`: edits addressed by a declaration's name.

use super::changing::{SETTLE, SETTLE_MS, budget, land_on};
use super::{Arguments, Kind, Parameter, Tool};
use crate::landing::Wanted;
use crate::report::{self, Reply, ToolError, one_line};
use crate::session::Call;
use crate::syntax::{Amendment, Language, NotAmended, amend, outline};
use crate::workspace::paths::{self, Purpose, Resolved};
use crate::workspace::symbols::{Declared, FoundSymbol};

/// How often it begins anew because the file was changed while the new text was worked out.
const ATTEMPTS: usize = 3;
/// Most characters of a declaration's line in a result.
const MOST_HEADING: usize = 160;

pub(super) const REPLACE: Tool = Tool {
    name: "replace_symbol",
    about: "Replace (rewrite) a whole declaration by its name: function body, method, type, class, field, constant; the \
            old code need not be copied. Give the whole new declaration, signature included. The comment above it stays \
            unless the new one begins with a comment; annotations (@Override) belong to the declaration. Go, Java and \
            Zig.",
    parameters: &[SYMBOL, NEW_TEXT, FILE, SETTLE, SETTLE_MS],
    read_only: false,
    run: |call, arguments| Box::pin(amend_symbol(call, REPLACE.name, Amendment::Replace, arguments)),
};

pub(super) const INSERT_AFTER: Tool = Tool {
    name: "insert_after_symbol",
    about: "Insert code after a declaration that is named (add a method, add a function, add a test, add a field below \
            it). Indentation and empty lines are put right. Go, Java and Zig.",
    parameters: &[SYMBOL, NEW_TEXT, FILE, SETTLE, SETTLE_MS],
    read_only: false,
    run: |call, arguments| Box::pin(amend_symbol(call, INSERT_AFTER.name, Amendment::InsertAfter, arguments)),
};

pub(super) const INSERT_BEFORE: Tool = Tool {
    name: "insert_before_symbol",
    about: "Insert code before a declaration that is named, above its comment. Like insert_after_symbol otherwise.",
    parameters: &[SYMBOL, NEW_TEXT, FILE, SETTLE, SETTLE_MS],
    read_only: false,
    run: |call, arguments| Box::pin(amend_symbol(call, INSERT_BEFORE.name, Amendment::InsertBefore, arguments)),
};

const SYMBOL: Parameter = Parameter::required(
    "symbol",
    &["name", "name_path", "symbol_name", "function", "method", "target"],
    Kind::Text,
    "Its name, or its path when the name alone is not unique: Store.Put, Outer.Inner.method",
);

const NEW_TEXT: Parameter = Parameter::required(
    "new_text",
    &["body", "new_body", "code", "content", "text", "new_code", "new_string", "replacement", "insertion"],
    Kind::Text,
    "The code to put there",
);

const FILE: Parameter = Parameter::optional(
    "file_path",
    &["path", "file", "filename", "filepath", "relative_path"],
    Kind::Text,
    "Its file, relative to the workspace; only needed when several files declare such a name",
);

async fn amend_symbol(
    call: &Call,
    tool: &'static str,
    amendment: Amendment,
    arguments: Arguments,
) -> Result<Reply, ToolError> {
    let mut attempt = 1;
    loop {
        let (found, target) = find(call, &arguments).await?;
        let declared = &found.declared;
        let all = Language::of_path(&declared.path).map(|language| outline(language, &found.text)).unwrap_or_default();
        let to = amend(&found.text, &declared.symbol, &all, amendment, arguments.required_text("new_text"))
            .map_err(|why| not_amended(declared, &why).put_right(target.note.as_ref()))?;
        let wanted = Wanted::Become { from: Some(found.text.clone()), to: Some(to.into()) };
        match land_on(call, tool, target, wanted, budget(&arguments)).await {
            Err(error) if error.code == "changed_meanwhile" && attempt < ATTEMPTS => attempt += 1,
            outcome => return outcome.map(|reply| told(reply, amendment, declared)),
        }
    }
}

/// The declaration that is meant, and its file.
async fn find(call: &Call, arguments: &Arguments) -> Result<(FoundSymbol, Resolved), ToolError> {
    let resolve = |typed: &str| {
        paths::resolve(call.workspace.paths(), typed, Purpose::EditFile)
            .map_err(|refused| report::path_refused(&refused))
    };
    let file = arguments.text("file_path").filter(|typed| !typed.trim().is_empty()).map(resolve).transpose()?;
    let found = call.workspace.find_symbol(arguments.required_text("symbol"), file.as_ref()).await;
    let note = file.as_ref().and_then(|target| target.note.as_ref());
    let found = found.map_err(|refused| report::symbol_refused(&refused).put_right(note))?;
    let target = match file {
        Some(target) => target,
        None => resolve(&found.declared.file)?,
    };
    Ok((found, target))
}

/// The reply with a second line that says what was meant by the name.
fn told(mut reply: Reply, amendment: Amendment, declared: &Declared) -> Reply {
    let did = match amendment {
        Amendment::Replace => "replaced",
        Amendment::InsertBefore => "inserted before",
        Amendment::InsertAfter => "inserted after",
    };
    let name = one_line(&declared.full_name(), MOST_HEADING);
    let line = format!("{did} {name}: {}", one_line(declared.heading.trim(), MOST_HEADING));
    reply.text = match reply.text.split_once('\n') {
        Some((first, rest)) => format!("{first}\n{line}\n{rest}"),
        None => format!("{}\n{line}", reply.text),
    };
    reply.structured.insert("symbol".into(), name.into());
    reply
}

fn not_amended(declared: &Declared, why: &NotAmended) -> ToolError {
    let name = one_line(&declared.full_name(), MOST_HEADING);
    let (first, last) = declared.symbol.lines.one_based();
    let message = format!("{name} (line {}): {}", declared.line, one_line(&why.to_string(), 300));
    let error = match why {
        NotAmended::Empty => ToolError::caller("empty", message)
            .hint("give the whole new code as new_text; to delete a declaration use `edit` with an empty new_string"),
        NotAmended::Shared(_) => {
            ToolError::caller("shared_declaration", message).hint(format!("change lines {first}-{last} with `edit`"))
        }
        NotAmended::AmongOthers { line } => ToolError::caller("not_alone_on_line", message)
            .hint(format!("call `edit` with near_line {line}, and the new code beside the old one in new_string")),
        NotAmended::Same => ToolError::caller("already_applied", message),
    };
    error.about(&declared.file)
}
