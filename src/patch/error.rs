//! What is wrong with a patch, in words that say what to write instead.

/// A patch that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("patch line {line}: {fault}")]
pub struct PatchError {
    /// The line of the patch, 1-based.
    pub line: usize,
    /// What is wrong there.
    pub fault: Fault,
}

/// What can be wrong with a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is no patch in the text.
    #[error("the patch names no file to change")]
    Empty,
    /// Line breaks arrived as `\n` in letters.
    #[error("the patch is one single line: its line breaks are written as \\n")]
    OneLine,
    /// A hunk stands before any file is named.
    #[error("a hunk stands here, but no line above says which file it changes")]
    HunkWithoutFile,
    /// A line belongs to nothing.
    #[error("this line belongs to no file and no hunk: {0}")]
    Stray(String),
    /// A `***` line that is not known.
    #[error("this *** line is not known: {0}")]
    UnknownMarker(String),
    /// A header without a path.
    #[error("no path stands behind the header")]
    NoPath,
    /// A file is to be changed, but how is not said.
    #[error("no hunk follows for {0}")]
    NoHunks(String),
    /// A hunk without lines.
    #[error("no lines follow the @@ line")]
    EmptyHunk,
    /// A hunk that would change nothing.
    #[error("this hunk has no - line and no + line, so it changes nothing")]
    NoChange,
    /// Lines to insert, but not where.
    #[error("this hunk has only + lines and no @@ line, so it does not say where they go")]
    NoPlace,
    /// A line of a new file without its sign.
    #[error("this line of the new file has no + in front: {0}")]
    Unsigned(String),
    /// The patch ends within a hunk.
    #[error("the patch breaks off here, in the middle of a change")]
    Truncated,
    /// `*** Move to:` where no file is updated.
    #[error("*** Move to: stands here without an *** Update File: line above it")]
    StrayMove,
    /// A new file that claims to have old lines.
    #[error("{0} is a new file, but a hunk shows lines that it has already")]
    NewWithOldLines(String),
    /// The two names of a diff are of different files.
    #[error("the --- and +++ lines name two different files, {old} and {new}")]
    TwoNames {
        /// Behind `---`.
        old: String,
        /// Behind `+++`.
        new: String,
    },
    /// A copy.
    #[error("the patch copies a file, which is not possible here")]
    Copy,
    /// Binary content.
    #[error("the patch changes a binary file, which is not possible here")]
    Binary,
    /// Nothing but a change of mode.
    #[error("the patch changes only the mode of {0}, which is not possible here")]
    OnlyMode(String),
    /// The old context format.
    #[error("this is a context diff, which is not read here")]
    ContextDiff,
    /// Changes of one file that exclude each other.
    #[error("{0} stands in the patch twice, with changes that do not go together")]
    Twice(String),
}

impl PatchError {
    pub(super) fn at(line: usize, fault: Fault) -> PatchError {
        PatchError { line, fault }
    }

    /// What to write instead. Without the word `Hint:`.
    pub fn hint(&self) -> &'static str {
        match &self.fault {
            Fault::Empty => {
                "write *** Begin Patch, then *** Update File: PATH, then @@, then the lines with -, + or a space in \
                 front, then *** End Patch."
            }
            Fault::OneLine => "send the patch with real line breaks.",
            Fault::HunkWithoutFile => "write *** Update File: PATH above the @@ line.",
            Fault::Stray(_) => {
                "begin each file with *** Update File: PATH, each hunk with @@, each line of a hunk with -, + or a space."
            }
            Fault::UnknownMarker(_) => {
                "use one of *** Add File: PATH, *** Update File: PATH, *** Delete File: PATH, *** Move to: PATH, *** End Patch."
            }
            Fault::NoPath => "write the path of the file behind the colon.",
            Fault::NoHunks(_) => {
                "write @@ on the next line, then the old lines with - and the new lines with + in front."
            }
            Fault::EmptyHunk => {
                "below @@ write the old lines with - and the new lines with + in front, or remove the @@ line."
            }
            Fault::NoChange => {
                "put - in front of each line that goes and + in front of each line that comes, or leave this hunk out."
            }
            Fault::NoPlace => {
                "write @@ and a line of the file above them to insert below that line, or *** Add File: PATH for a new file."
            }
            Fault::Unsigned(_) => "put + in front of every line of the new file, also in front of empty ones.",
            Fault::Truncated => "send the whole patch again, with *** End Patch as its last line.",
            Fault::StrayMove => "write *** Update File: OLD_PATH and on the next line *** Move to: NEW_PATH.",
            Fault::NewWithOldLines(_) => {
                "put + in front of every line of a new file, or use *** Update File: PATH if it exists."
            }
            Fault::TwoNames { .. } => {
                "name the same file in both; to move a file write *** Update File: OLD_PATH and *** Move to: NEW_PATH."
            }
            Fault::Copy => "write the copy as a new file: *** Add File: PATH and all its lines with + in front.",
            Fault::Binary | Fault::OnlyMode(_) => "leave this file out of the patch.",
            Fault::ContextDiff => {
                "write a unified diff (lines with -, + or a space in front) or *** Begin Patch … *** End Patch."
            }
            Fault::Twice(_) => "name each file once and put all its hunks below that line.",
        }
    }
}

/// A line of the patch as it may be shown: short, and without control characters.
pub(super) fn shown(text: &str) -> String {
    const MOST: usize = 60;
    let mut out: String = text.trim().chars().filter(|character| !character.is_control()).take(MOST + 1).collect();
    if out.chars().count() > MOST {
        out.pop();
        out.push('…');
    }
    out
}
