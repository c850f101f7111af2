//! A patch as an agent types it: read into changes of files, and planned on the text of one of them.
//!
//! Two forms are read, mixed if need be: the `*** Begin Patch` envelope and plain unified (also git's) diffs. Pure: no
//! IO, no clock; a patch that cannot be read for certain is refused with its own line number.

mod anchors;
mod apply;
mod body;
mod envelope;
mod error;
mod lines;
mod marker;
mod names;
mod place;
mod refusal;
mod sections;
mod splice;
mod unified;

pub use apply::{Applied, HunkLanded, apply};
pub use error::{Fault, PatchError};
pub use refusal::{HunkRefused, Why};

use body::BodyLine;

/// What a patch wants, file by file, each file once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The files, in the order of the patch.
    pub files: Vec<FilePatch>,
    /// What the patch says beyond that and is not carried out, a few words each (a change of mode).
    pub ignored: Vec<String>,
}

/// What a patch wants of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// The path as typed; of a diff's `a/` and `b/` only what is certain has been taken off.
    pub path: String,
    /// Where the patch names the file, in lines of the patch, 1-based.
    pub patch_line: usize,
    /// What is wanted.
    pub what: Change,
}

/// The change that is wanted of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A new file.
    Add {
        /// Its whole content.
        content: String,
        /// Whether the same patch takes an old file of this path away first: the file is then meant to be replaced.
        replaces: bool,
    },
    /// The file goes.
    Delete,
    /// Parts of the file change.
    Update {
        /// The parts; none where the file is only moved.
        hunks: Vec<PatchHunk>,
        /// Its path afterwards, as typed, if it is moved.
        move_to: Option<String>,
    },
}

/// One part of a file that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchHunk {
    /// Lines that stand above the hunk, outermost first, as typed behind `@@`.
    pub anchors: Vec<String>,
    /// The line of the old file at which the hunk begins or before which it inserts, 1-based, from `@@ -a,b`.
    pub old_line: Option<usize>,
    /// Lines of context and lines that go; empty for a pure insertion.
    pub old: String,
    /// Lines of context and lines that come.
    pub new: String,
    /// Whether the hunk is said to reach to the end of the file.
    pub at_end_of_file: bool,
    /// Where the hunk begins, in lines of the patch, 1-based.
    pub patch_line: usize,
    /// What `old` and `new` were made from: which of the lines are context cannot be told from these two.
    lines: Vec<BodyLine>,
}

/// Reads a patch.
///
/// # Errors
/// [`PatchError`] with the line of the patch at which it cannot be what was meant.
pub fn parse(patch: &str) -> Result<Patch, PatchError> {
    sections::read(&lines::lines(patch)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a patch says, in one line a file.
    fn told(patch: &str) -> String {
        match parse(patch) {
            Ok(patch) => patch.files.iter().map(of_file).collect::<Vec<_>>().join("\n"),
            Err(error) => error.to_string(),
        }
    }

    fn of_file(file: &FilePatch) -> String {
        let what = match &file.what {
            Change::Add { content, replaces } => format!("add {content:?}{}", if *replaces { " replaces" } else { "" }),
            Change::Delete => "delete".into(),
            Change::Update { hunks, move_to } => {
                let hunks: Vec<String> = hunks.iter().map(of_hunk).collect();
                let moved = move_to.as_ref().map(|to| format!(" to {to}")).unwrap_or_default();
                format!("update{moved} {}", hunks.join(" "))
            }
        };
        format!("{} {what}", file.path)
    }

    fn of_hunk(hunk: &PatchHunk) -> String {
        let line = hunk.old_line.map(|line| line.to_string()).unwrap_or_default();
        let end = if hunk.at_end_of_file { "$" } else { "" };
        format!("{line}[{}]{:?}>{:?}{end}", hunk.anchors.join("|"), hunk.old, hunk.new)
    }

    #[track_caller]
    fn check(cases: &[(&str, &str)]) {
        for (patch, expected) in cases {
            assert_eq!(told(patch), *expected, "{patch}");
        }
    }

    #[test]
    fn the_envelope_is_read() {
        check(&[
            (
                "*** Begin Patch\n*** Add File: a\n+x\n+\n*** Update File: b\n*** Move to: c\n@@ class A\n@@  def f\n k\n-x\n+y\n*** End of File\n@@\n-p\n*** Delete File: d\n*** End Patch\n",
                "a add \"x\\n\\n\"\nb update to c [class A|def f]\"k\\nx\\n\">\"k\\ny\\n\"$ []\"p\\n\">\"\"\nd delete",
            ),
            ("*** Update File: a\n-x\n+y", "a update []\"x\\n\">\"y\\n\""),
            ("*** Begin Patch\n  *** Update File: a\n@@\n-x\n+y\n *** End Patch ", "a update []\"x\\n\">\"y\\n\""),
            ("*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch", "a update to b "),
            (
                "*** Begin Patch\n*** Update File: a\n@@ -3,2 +3,2 @@ fn f\n x\n-y\n+z\n*** End Patch",
                "a update 3[fn f]\"x\\ny\\n\">\"x\\nz\\n\"",
            ),
            (
                "*** Begin Patch\n*** Update File: a\n@@ ... @@\n-x\n+y\n@@\n*** End Patch",
                "a update []\"x\\n\">\"y\\n\"",
            ),
            (
                "*** Begin Patch\n*** Update File: a\n--- a/a\n+++ b/a\n@@\n-x\n+y\n*** End Patch",
                "a update []\"x\\n\">\"y\\n\"",
            ),
            ("*** Begin Patch\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n*** End Patch", "a update 1[]\"x\\n\">\"y\\n\""),
            ("*** Begin Patch\n*** Delete File: a\n*** Add File: a\n+x\n*** End Patch", "a add \"x\\n\" replaces"),
            (
                "*** Begin Patch\n*** Add File: a\npackage a\n\nfunc f()\n*** End Patch",
                "a add \"package a\\n\\nfunc f()\\n\"",
            ),
            ("*** Begin Patch\n*** Add File: a\n*** End Patch", "a add \"\""),
            (
                "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** Update File: a\n@@\n-p\n+q\n*** End Patch",
                "a update []\"x\\n\">\"y\\n\" []\"p\\n\">\"q\\n\"",
            ),
        ]);
    }

    #[test]
    fn lines_of_a_hunk_are_read_as_they_are_typed() {
        let hunk = |body: &str| told(&format!("*** Begin Patch\n*** Update File: a\n@@\n{body}\n*** End Patch"));
        let cases = [
            (" x\n\n-y\n+z", r#"a update []"x\n\ny\n">"x\n\nz\n""#),
            ("-y\n+z\n\n", r#"a update []"y\n">"z\n""#),
            ("func f() {\n-y\n+z\n}", r#"a update []"func f() {\ny\n}\n">"func f() {\nz\n}\n""#),
            (" *** End of File\n-y\n+z", r#"a update []"*** End of File\ny\n">"*** End of File\nz\n""#),
            (" *** Update File: b\n-y\n+z", r#"a update []"*** Update File: b\ny\n">"*** Update File: b\nz\n""#),
            ("-y\n\\ No newline at end of file\n+z", r#"a update []"y">"z\n"$"#),
            ("+z", r#"a update []"">"z\n""#),
        ];
        for (body, expected) in cases {
            assert_eq!(hunk(body), expected, "{body}");
        }
    }

    #[test]
    fn diffs_are_read() {
        check(&[
            ("--- a/x.go\n+++ b/x.go\n@@ -1,2 +1,2 @@\n k\n-x\n+y\n", "x.go update 1[]\"k\\nx\\n\">\"k\\ny\\n\""),
            (
                "--- x.c\t2024-01-01 00:00:00\n+++ x.c\t2024-01-02 00:00:00\n@@ -9,0 +10 @@ int f(void)\n+y\n",
                "x.c update 10[int f(void)]\"\">\"y\\n\"",
            ),
            // Counts that are right say what is a header and what a line.
            ("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n k\n", "x update 1[]\"-- a\\nk\\n\">\"++ b\\nk\\n\""),
            // Counts that are wrong are passed over.
            (
                "--- a/x\n+++ b/x\n@@ -1,9 +1,9 @@\n-a\n+b\n@@ -20,1 +20,1 @@\n k\n\n-c\n+d\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-e\n+f\n",
                "x update 1[]\"a\\n\">\"b\\n\" 20[]\"k\\n\\nc\\n\">\"k\\n\\nd\\n\"\ny update 1[]\"e\\n\">\"f\\n\"",
            ),
            (
                "diff --git a/n b/n\nnew file mode 100644\nindex 000..111\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+x\n+y\n\\ No newline at end of file\n",
                "n add \"x\\ny\"",
            ),
            ("diff --git a/e b/e\nnew file mode 100644\nindex 000..111\n", "e add \"\""),
            ("diff --git a/n b/n\ndeleted file mode 100644\n--- a/n\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "n delete"),
            ("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n", "o update to n "),
            (
                "Subject: x\n---\n a | 2 +-\n\ndiff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n-- \n2.43.0\n",
                "a update 1[]\"x\\n\">\"y\\n\"",
            ),
            ("```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n```\nThat is all.", "x update 1[]\"x\\n\">\"y\\n\""),
        ]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_at_its_line() {
        check(&[
            ("*** Begin Patch\n*** End Patch\n", "patch line 1: the patch names no file to change"),
            ("@@ -1 +1 @@\n-x\n+y\n", "patch line 1: a hunk stands here, but no line above says which file it changes"),
            (
                "*** Begin Patch\n*** Frobnicate File: a\n*** End Patch",
                "patch line 2: this *** line is not known: *** Frobnicate File: a",
            ),
            ("*** Begin Patch\n*** Update File: a\n*** End Patch", "patch line 2: no hunk follows for a"),
            ("*** Begin Patch\n*** Update File: a\n@@\n*** End Patch", "patch line 3: no lines follow the @@ line"),
            (
                "*** Begin Patch\n*** Update File: a\n@@\n x\n*** End Patch",
                "patch line 3: this hunk has no - line and no + line, so it changes nothing",
            ),
            (
                "*** Begin Patch\n*** Update File: a\n+x\n*** End Patch",
                "patch line 3: this hunk has only + lines and no @@ line, so it does not say where they go",
            ),
            (
                "*** Begin Patch\n*** Update File:\n@@\n-x\n*** End Patch",
                "patch line 2: no path stands behind the header",
            ),
            (
                "*** Begin Patch\n*** Add File: a\n+x\ny\n*** End Patch",
                "patch line 4: this line of the new file has no + in front: y",
            ),
            (
                "*** Begin Patch\n*** Delete File: a\nfoo\n*** End Patch",
                "patch line 3: this line belongs to no file and no hunk: foo",
            ),
            (
                "*** Begin Patch\n*** Move to: a\n*** End Patch",
                "patch line 2: *** Move to: stands here without an *** Update File: line above it",
            ),
            (
                "*** Begin Patch\n*** Update File: a\n@@\n x\n-y",
                "patch line 5: the patch breaks off here, in the middle of a change",
            ),
            (
                "*** Begin Patch\n*** Update File: a\n@@ f",
                "patch line 3: the patch breaks off here, in the middle of a change",
            ),
            (
                "*** Begin Patch\n*** Update File: a",
                "patch line 2: the patch breaks off here, in the middle of a change",
            ),
            (
                "*** Begin Patch\n*** Delete File: a\n*** Update File: a\n@@\n-x\n*** End Patch",
                "patch line 3: a stands in the patch twice, with changes that do not go together",
            ),
            (
                "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-x\n+y\n",
                "patch line 1: the --- and +++ lines name two different files, a/x and b/y",
            ),
            (
                "--- a/x\n+++ b/x\n@@ -1,4 +1,4 @@\n k\n-x\n",
                "patch line 5: the patch breaks off here, in the middle of a change",
            ),
            (
                "--- /dev/null\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n",
                "patch line 1: x is a new file, but a hunk shows lines that it has already",
            ),
            (
                "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
                "patch line 1: the patch changes only the mode of x, which is not possible here",
            ),
            (
                "diff --git a/x b/x\nindex 1..2\nBinary files a/x and b/x differ\n",
                "patch line 3: the patch changes a binary file, which is not possible here",
            ),
            (
                "diff --git a/x b/y\ncopy from x\ncopy to y\n",
                "patch line 2: the patch copies a file, which is not possible here",
            ),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n\n+z\n", "x update 1[]\"x\\n\\n\">\"y\\n\\nz\\n\""),
        ]);
    }

    #[test]
    fn a_change_of_mode_beside_others_is_told() {
        let patch =
            parse("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-x\n+y\n")
                .expect("read");
        assert_eq!(patch.ignored, ["the mode of x is not changed (100755)"]);
    }

    /// The unified diff of two texts with `radius` lines of context. (A lone `\r`, at which it too parts lines, is in none.)
    fn diff(old: &str, new: &str, radius: usize) -> String {
        similar::TextDiff::from_lines(old, new).unified_diff().context_radius(radius).header("a/f", "b/f").to_string()
    }

    proptest::proptest! {
        #[test]
        fn reading_never_panics(patch in "((\\*\\*\\* (Begin Patch|End Patch|Update File: a|Add File: b|Delete File: c|Move to: d|End of File|x)|@@( -1,2 \\+1,3 @@)?( f)?|--- a/a|\\+\\+\\+ b/a|diff --git a/a b/a|[-+ \\\\]?[a-c]{0,2}|```|<<EOF|EOF|é|\\PC{0,6})\r?\n?){0,14}") {
            let _ = parse(&patch);
        }

        #[test]
        fn the_diff_of_two_texts_makes_one_of_the_other(
            old in "((|a|b|  a|-- a|\\+\\+ b|@@ x|c ddd eee)\r?\n){0,14}(a|b)?",
            new in "((|a|b|  a|-- a|\\+\\+ b|@@ x|c ddd eee)\r?\n){0,14}(a|b)?",
            radius in 0usize..4,
        ) {
            // Without any context nothing tells how a lone new line should end.
            let patch = diff(&old, &new, if old.contains('\r') { radius.max(1) } else { radius });
            if old != new {
                let patch = parse(&patch).expect("read");
                let Change::Update { hunks, .. } = &patch.files[0].what else { panic!("an update") };
                let applied = apply(&old, hunks).expect("applies");
                proptest::prop_assert_eq!(applied.text, new);
                proptest::prop_assert!(applied.each.iter().all(|hunk| hunk.matched_via == "exact" || hunk.matched_via == "inserted"));
            }
        }
    }
}
