//! `glob`: files by their names.

use super::searching::{self, ALL, LIMIT, PATH};
use super::{Arguments, Kind, Parameter, Tool};
use crate::report::{self, Asked, Reply, ToolError};
use crate::search::{Limits, Place, find_files};
use crate::session::Call;

pub(super) const TOOL: Tool = Tool {
    name: "glob",
    about: "Find or list files by name or pattern (find files, find file, list files, ls, locate, directory tree), such as \
            **/*.go, src/**/*.{java,zig} or Main.java: their paths, newest first. Hidden files and files in .gitignore are \
            left out.",
    parameters: &[
        Parameter::required(
            "pattern",
            &["glob", "glob_pattern", "file_pattern", "query", "name", "include"],
            Kind::Text,
            "File pattern: * within a name, ** across directories, {a,b} alternatives",
        ),
        PATH,
        LIMIT,
        ALL,
    ],
    read_only: true,
    run: |call, arguments| Box::pin(glob(call, arguments)),
};

async fn glob(call: &Call, arguments: Arguments) -> Result<Reply, ToolError> {
    let typed = arguments.required_text("pattern");
    let (base, pattern) = searching::path_and_glob(typed);
    let base = base.as_deref().or_else(|| arguments.text("path"));
    let target = searching::place(call, base)?;
    if target.absolute.is_file() {
        let error = ToolError::caller(
            "not_a_directory",
            format!("{} is a file; `glob` looks for files in a directory", searching::shown(&target)),
        );
        return Err(error
            .hint("give a directory as path, or call `grep` to search in the file")
            .about(&target.relative));
    }
    let (most, bytes) = searching::bounds(&arguments);
    let everything = arguments.flag("all");
    let place = Place { path: target.absolute.clone(), globs: vec![pattern], everything };
    let found = searching::blocking(call, move |cancel| find_files(&place, &Limits::new(most, cancel))).await?;
    let found = found.map_err(|error| report::bad_glob(&error))?;
    searching::unless_cancelled(found.end)?;
    let asked = Asked {
        pattern: typed,
        place: searching::shown(&target),
        include: None,
        everything,
        case_sensitive: true,
        root: call.workspace.root(),
        bytes,
    };
    Ok(searching::with_note(report::found_files(&asked, &found), &target))
}
