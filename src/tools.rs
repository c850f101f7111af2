//! The tools an agent calls: one file each, one row each in [`ALL`].

mod apply_patch;
pub mod arguments;
mod bash;
mod calls;
mod changes;
mod changing;
mod definition;
mod diagnostics;
mod edit;
mod fix;
mod glob;
mod grep;
mod hover;
mod implementations;
mod multi_edit;
mod navigating;
mod read;
mod references;
mod rename;
mod rewriting;
mod searching;
mod symbol_edits;
mod symbols;
mod undo;
mod write;

use std::future::Future;
use std::pin::Pin;

pub use arguments::{Arguments, Kind, Parameter};

use crate::report::{Reply, ToolError};
use crate::session::{Allowed, Call};

/// A tool: what a client is told of it, and what it does.
#[derive(Debug)]
pub struct Tool {
    /// `[a-z_]` only, without a prefix of ours: clients add their own.
    pub name: &'static str,
    /// What the model is told. Holds the words a tool search would use.
    pub about: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// Whether it leaves the disk as it is; clients run such calls in parallel.
    pub read_only: bool,
    /// Carries out a call.
    pub run: Run,
}

impl Tool {
    /// Whether its work is to edit files, so that a refusal of it is an edit that is missing.
    pub fn edits(&self) -> bool {
        !self.read_only && self.name != bash::NAME
    }

    /// What it takes, with what every tool takes.
    pub(crate) fn all_parameters(&self) -> impl Iterator<Item = &'static Parameter> + use<> {
        self.parameters.iter().chain([&WORKSPACE])
    }

    /// Whether a session that may do `allowed` has it.
    pub fn is_allowed(&self, allowed: &Allowed) -> bool {
        self.name != bash::NAME || allowed.commands.is_some()
    }
}

/// The work of a tool on one call.
pub type Run = for<'c> fn(&'c Call, Arguments) -> Pin<Box<dyn Future<Output = Result<Reply, ToolError>> + Send + 'c>>;

/// Every tool, in the order a client lists them.
pub const ALL: &[&Tool] = &[
    &read::TOOL,
    &glob::TOOL,
    &grep::TOOL,
    &edit::TOOL,
    &multi_edit::TOOL,
    &apply_patch::TOOL,
    &symbol_edits::REPLACE,
    &symbol_edits::INSERT_AFTER,
    &symbol_edits::INSERT_BEFORE,
    &write::TOOL,
    &bash::TOOL,
    &diagnostics::TOOL,
    &definition::TOOL,
    &references::TOOL,
    &hover::TOOL,
    &symbols::TOOL,
    &implementations::TOOL,
    &calls::TOOL,
    &rename::TOOL,
    &fix::TOOL,
    &changes::TOOL,
    &undo::TOOL,
];

/// Taken by every tool beside its own.
const WORKSPACE: Parameter = Parameter::optional(
    "workspace",
    &["workspace_root", "project_root"],
    Kind::Text,
    "Its absolute path; only needed when there are several",
);

/// The path parameter of the tools that work on one file.
pub(crate) const FILE_PATH: Parameter = Parameter::required(
    "file_path",
    &["path", "file", "filename", "file_name", "filepath", "target_file", "target"],
    Kind::Text,
    "Path relative to the workspace (better), such as src/main.go, or absolute",
);
