//! Why a tool did not do what it was asked, in a form an agent can act on.

/// A refusal at the door.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// A stable word for programs: `not_found`, `ambiguous`, `bad_arguments`, …
    pub code: &'static str,
    /// Whose fault it is.
    pub kind: FaultKind,
    /// The state of the disk, then the evidence.
    pub message: String,
    /// What to do next; at most one is shown.
    pub hints: Vec<String>,
    /// The file it is about: relative to the workspace where that is known, else as typed.
    pub file: Option<String>,
    /// The other files that the same call would have changed.
    pub with: Vec<String>,
    /// How the path was put right, if it was.
    pub path_note: Option<String>,
}

/// Whose fault a refusal is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultKind {
    /// The call's: another call can do better.
    Caller,
    /// The machine's: disk full, permission, a program that is missing.
    Environment,
    /// Ours.
    Bug,
}

impl ToolError {
    /// A fault of the call.
    pub fn caller(code: &'static str, message: impl Into<String>) -> ToolError {
        ToolError {
            code,
            kind: FaultKind::Caller,
            message: message.into(),
            hints: Vec::new(),
            file: None,
            with: Vec::new(),
            path_note: None,
        }
    }

    /// A fault of the machine.
    pub fn environment(code: &'static str, message: impl Into<String>) -> ToolError {
        ToolError { kind: FaultKind::Environment, ..ToolError::caller(code, message) }
    }

    /// A fault of ours.
    pub fn bug(message: impl Into<String>) -> ToolError {
        ToolError { kind: FaultKind::Bug, ..ToolError::caller("bug", message) }
    }

    /// With what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> ToolError {
        self.hints.push(hint.into());
        self
    }

    /// With how the path was put right, unless that is known already.
    #[must_use]
    pub fn put_right(mut self, note: Option<&String>) -> ToolError {
        self.path_note = self.path_note.or_else(|| note.cloned());
        self
    }

    /// With the file it is about.
    #[must_use]
    pub fn about(mut self, file: impl Into<String>) -> ToolError {
        self.file = Some(file.into());
        self
    }
}
