//! What a search found, in the order of its files, within the bounds of a result.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::listing::numbered;
use super::{Reply, ToolError, one_line};
use crate::search::{End, FoundFiles, FoundLines, GlobError, Line, PatternError, Role};

/// Most bytes of a result unless more was asked for.
pub const USUAL_BYTES: usize = 9_000;
/// Most bytes of a result when more results than usual were asked for.
pub const LARGE_BYTES: usize = 40_000;
/// Most characters of a file's name.
const MOST_NAME: usize = 300;
/// Most characters of a line; the search has cut it already.
const MOST_COLUMNS: usize = 400;

/// What was searched for, and where.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The pattern as typed.
    pub pattern: &'a str,
    /// Where, relative to the workspace; `.` for all of it.
    pub place: &'a str,
    /// Which files, as typed, if that was said.
    pub include: Option<&'a str>,
    /// Whether hidden and ignored files counted too.
    pub everything: bool,
    /// Whether upper and lower case differed.
    pub case_sensitive: bool,
    /// The root that paths are shown relative to.
    pub root: &'a Path,
    /// Most bytes of the text.
    pub bytes: usize,
}

/// For each file of a result and each of its lines: the declaration that the line stands in.
pub type Inside = Vec<Vec<Option<String>>>;

/// The hits themselves.
pub fn hits(asked: &Asked<'_>, found: &FoundLines, inside: &Inside) -> Reply {
    let mut body = Body { asked, out: String::new(), hits: Vec::new(), cut: false };
    for ((path, file), inside) in found.files.iter().zip(inside) {
        let name = asked.name(path);
        if file.binary {
            body.push(&format!("{name}: a binary file with {} hits, which are not shown\n", file.count));
        } else if body.push(&format!("{name}\n")) {
            body.lines(&name, &file.lines, inside);
        }
    }
    let shown = body.hits.len();
    let (text, hits) = (body.out, Value::from(body.hits));
    let what = format!("{} in {}", counted(found.total, "hit"), counted(found.files_total, "file"));
    let narrow =
        "narrow it with `include`, `path` or a longer pattern; `output: count` tells which files have how many";
    let mut reply = asked.reply(&what, shown, found.total, "the first by path", found.end, &text, narrow);
    reply.structured.extend(object(
        json!({ "total": found.total, "files_total": found.files_total, "searched": found.searched, "hits": hits }),
    ));
    asked.finish(reply, found)
}

/// The names of the files with hits.
pub fn files_with_hits(asked: &Asked<'_>, found: &FoundLines) -> Reply {
    let names: Vec<String> = found.files.iter().map(|(path, _)| asked.name(path)).collect();
    let (text, shown) = asked.listed(names.iter().map(|name| format!("{name}\n")));
    let what = format!("{} with hits", counted(found.total, "file"));
    let narrow = "narrow it with `include`, `path` or a longer pattern";
    let mut reply = asked.reply(&what, shown, found.total, "the first by path", found.end, &text, narrow);
    reply
        .structured
        .extend(object(json!({ "total": found.total, "searched": found.searched, "files": names[..shown] })));
    asked.finish(reply, found)
}

/// How many hits there are, by file.
pub fn counts(asked: &Asked<'_>, found: &FoundLines) -> Reply {
    let files: Vec<(String, usize)> = found.files.iter().map(|(path, file)| (asked.name(path), file.count)).collect();
    let (text, shown) = asked.listed(files.iter().map(|(name, count)| format!("{count:>7}  {name}\n")));
    let what = format!("{} in {}", counted(found.total, "hit"), counted(found.files_total, "file"));
    let narrow = "narrow it with `include` or `path`";
    let mut reply =
        asked.reply(&what, shown, found.files_total, "the files with most hits first", found.end, &text, narrow);
    let counts: Vec<Value> =
        files[..shown].iter().map(|(file, count)| json!({ "file": file, "count": count })).collect();
    reply.structured.extend(object(json!({
        "total": found.total, "files_total": found.files_total, "searched": found.searched, "counts": counts,
    })));
    asked.finish(reply, found)
}

/// The files that a pattern of names found.
pub fn found_files(asked: &Asked<'_>, found: &FoundFiles) -> Reply {
    let names: Vec<String> = found.files.iter().map(|file| asked.name(&file.path)).collect();
    let (text, shown) = asked.listed(names.iter().map(|name| format!("{name}\n")));
    let what = format!("{} match", counted(found.total, "file"));
    let order = if found.total > 1 { "newest first" } else { "" };
    let narrow = "narrow it with `path` or a longer pattern";
    let mut reply = asked.reply(&what, shown, found.total, order, found.end, &text, narrow);
    if found.total == 0 {
        reply.text =
            format!("no file matches `{}` in {}{}", one_line(asked.pattern, 200), asked.place, asked.left_out());
        let hint = if asked.pattern.contains('/') {
            "begin the pattern with **/ to find it at any depth"
        } else {
            "call `read` with a directory to see what is there"
        };
        reply.note(&format!("Hint: {hint}"));
    }
    reply.structured.extend(object(json!({ "total": found.total, "files": names[..shown] })));
    asked.missed(reply, found.unreadable, found.first_unreadable.as_deref())
}

/// The error for a pattern that is no regular expression.
pub fn bad_pattern(pattern: &str, error: &PatternError) -> ToolError {
    let place = error.column.map(|column| format!(" at character {column}")).unwrap_or_default();
    let shown = one_line(pattern, 200);
    let mut message = format!("the pattern is no regular expression: {}{place}", one_line(&error.reason, 300));
    if let Some(column) = error.column.filter(|column| *column <= 200) {
        message.push_str(&format!("\n  {shown}\n  {}^", " ".repeat(column - 1)));
    }
    let hint =
        "to find this very text, call `grep` again with literal: true; else put a \\ before ( ) [ ] { } . * + ? |";
    ToolError::caller("bad_pattern", message).hint(hint)
}

/// The error for a pattern of names that is none.
pub fn bad_glob(error: &GlobError) -> ToolError {
    let message = format!("`{}` is no file pattern: {}", one_line(&error.glob, 200), one_line(&error.reason, 200));
    ToolError::caller("bad_pattern", message).hint("patterns look like *.go, **/*_test.go or src/**/*.{java,zig}")
}

impl Asked<'_> {
    fn name(&self, path: &Path) -> String {
        one_line(&path.strip_prefix(self.root).unwrap_or(path).to_string_lossy(), MOST_NAME)
    }

    /// As many of `lines` as fit, and how many these are.
    fn listed(&self, lines: impl Iterator<Item = String>) -> (String, usize) {
        let (mut out, mut shown) = (String::new(), 0);
        for line in lines {
            if out.len() + line.len() > self.bytes {
                break;
            }
            out.push_str(&line);
            shown += 1;
        }
        (out, shown)
    }

    fn left_out(&self) -> &'static str {
        if self.everything { "" } else { " (hidden and ignored files left out; `all: true` includes them)" }
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of one sentence")]
    fn reply(&self, what: &str, shown: usize, total: usize, order: &str, end: End, body: &str, narrow: &str) -> Reply {
        let complete = end == End::Complete;
        let at_least = if complete { "" } else { "at least " };
        let mut text = format!("{at_least}{what}");
        if shown < total {
            text.push_str(&format!("; {shown} shown"));
        }
        if !order.is_empty() && (shown < total || order == "newest first") {
            text.push_str(&format!(", {order}"));
        }
        match end {
            End::Complete | End::Cancelled => {}
            End::Enough => text.push_str("; the search stopped there"),
            End::OutOfTime => text.push_str("; the search took too long and was stopped"),
        }
        text.push('\n');
        text.push_str(body);
        if shown < total || !complete {
            text.push_str(&format!("Hint: {narrow}"));
        }
        let structured = json!({ "pattern": self.pattern, "path": self.place, "complete": complete, "shown": shown });
        Reply::done(text.trim_end(), structured)
    }

    /// Says why there may be nothing, and what could not be searched.
    fn finish(&self, mut reply: Reply, found: &FoundLines) -> Reply {
        if found.files_total == 0 {
            let pattern = one_line(self.pattern, 200);
            reply.text = match self.include {
                Some(include) if found.searched == 0 => {
                    format!(
                        "no hits: no file in {} matches include `{}`{}",
                        self.place,
                        one_line(include, 200),
                        self.left_out()
                    )
                }
                _ => format!(
                    "no hits for `{pattern}` in {}: {} searched{}",
                    self.place,
                    counted(found.searched, "file"),
                    self.left_out()
                ),
            };
            if found.end == End::OutOfTime {
                reply.note("the search took too long and was stopped: there may be hits in what it did not reach");
            }
            if self.case_sensitive && found.searched > 0 && self.pattern.chars().any(char::is_alphabetic) {
                reply.note("Hint: call again with case: insensitive, or with a shorter pattern");
            }
        }
        self.missed(reply, found.unreadable, found.first_unreadable.as_deref())
    }

    fn missed(&self, mut reply: Reply, count: usize, first: Option<&Path>) -> Reply {
        if count > 0 {
            let first = first.map(|path| format!(", the first is {}", self.name(path))).unwrap_or_default();
            reply.note(&format!("note: {} could not be looked into{first}", counted(count, "file or folder")));
            reply.structured.insert("unreadable".into(), count.into());
        }
        reply
    }
}

/// The growing list of hits.
struct Body<'a> {
    asked: &'a Asked<'a>,
    out: String,
    hits: Vec<Value>,
    cut: bool,
}

impl Body<'_> {
    /// Adds `text` if it fits; after the first that does not, nothing does.
    fn push(&mut self, text: &str) -> bool {
        self.cut |= self.out.len() + text.len() > self.asked.bytes;
        if !self.cut {
            self.out.push_str(text);
        }
        !self.cut
    }

    fn lines(&mut self, name: &str, lines: &[Line], inside: &[Option<String>]) {
        let marked = lines.iter().any(|line| line.role == Role::Context);
        let (mut previous, mut place) = (None, None);
        for (line, inside) in lines.iter().zip(inside) {
            let mut text = String::new();
            if marked && previous.is_some_and(|previous| previous + 1 != line.number) {
                text.push_str("       …\n");
            }
            if line.role == Role::Hit && *inside != place {
                if let Some(inside) = inside {
                    text.push_str(&format!("  in: {inside}\n"));
                }
                place.clone_from(inside);
            }
            let mark = if !marked {
                ""
            } else if line.role == Role::Context {
                " "
            } else {
                ">"
            };
            text.push_str(&format!("{mark}{}", numbered(line.number.saturating_sub(1), &line.text, MOST_COLUMNS)));
            if !self.push(&text) {
                return;
            }
            previous = Some(line.number);
            self.note(name, line, inside.as_deref());
        }
    }

    fn note(&mut self, name: &str, line: &Line, inside: Option<&str>) {
        match line.role {
            Role::Hit => {
                let mut hit = json!({ "file": name, "line": line.number, "text": line.text });
                if let Some(inside) = inside {
                    hit["in"] = inside.into();
                }
                self.hits.push(hit);
            }
            Role::Rest => {
                if let Some(Value::String(text)) = self.hits.last_mut().and_then(|hit| hit.get_mut("text")) {
                    text.push('\n');
                    text.push_str(&line.text);
                }
            }
            Role::Context => {}
        }
    }
}

/// `1 hit`, `1,234 hits`.
fn counted(count: usize, what: &str) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    let plural = if what.starts_with("file or folder") { "files or folders".to_owned() } else { format!("{what}s") };
    if count == 1 { format!("1 {what}") } else { format!("{out} {plural}") }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::search::FileHits;

    fn asked(bytes: usize) -> Asked<'static> {
        Asked {
            pattern: "Put",
            place: ".",
            include: None,
            everything: false,
            case_sensitive: true,
            root: Path::new("/w"),
            bytes,
        }
    }

    fn line(number: usize, text: &str, role: Role) -> Line {
        Line { number, text: text.into(), role }
    }

    fn found(files: Vec<(&str, Vec<Line>)>, total: usize, end: End) -> FoundLines {
        let files: Vec<(PathBuf, FileHits)> = files
            .into_iter()
            .map(|(name, lines)| (Path::new("/w").join(name), FileHits { count: lines.len(), lines, binary: false }))
            .collect();
        let files_total = files.len();
        FoundLines { files, total, files_total, searched: 7, end, unreadable: 0, first_unreadable: None }
    }

    #[test]
    fn hits_stand_under_their_file_and_declaration() {
        let lines = vec![
            line(3, "x.Put(1)", Role::Hit),
            line(4, "x.Put(2)\u{1b}[0m", Role::Hit),
            line(9, "y", Role::Hit),
            line(10, "z", Role::Rest),
        ];
        let inside = vec![vec![Some("func a()".to_owned()), Some("func a()".to_owned()), None, None]];
        let reply = hits(&asked(999), &found(vec![("s/a.go", lines)], 3, End::Complete), &inside);
        let expected = "3 hits in 1 file\ns/a.go\n  in: func a()\n    3 | x.Put(1)\n    4 | x.Put(2)\u{FFFD}[0m\n    9 | y\n   10 | z";
        assert_eq!(reply.text, expected);
        assert_eq!(reply.structured["hits"][2], json!({ "file": "s/a.go", "line": 9, "text": "y\nz" }));
        assert_eq!((&reply.structured["hits"][0]["in"], &reply.structured["total"]), (&json!("func a()"), &json!(3)));
    }

    #[test]
    fn context_is_told_from_hits() {
        let lines = vec![line(1, "a", Role::Context), line(2, "hit", Role::Hit), line(8, "hit", Role::Hit)];
        let reply = hits(&asked(999), &found(vec![("a", lines)], 2, End::Complete), &vec![vec![None; 3]]);
        assert_eq!(reply.text, "2 hits in 1 file\na\n     1 | a\n>    2 | hit\n       …\n>    8 | hit");
    }

    #[test]
    fn a_cut_says_how_much_is_missing_and_how_to_narrow() {
        let lines: Vec<Line> = (1..=100).map(|n| line(n, &"y".repeat(300), Role::Hit)).collect();
        let reply =
            hits(&asked(USUAL_BYTES), &found(vec![("a.go", lines)], 5321, End::Complete), &vec![vec![None; 100]]);
        let shown = reply.structured["shown"].as_u64().expect("a number");
        assert!(reply.text.len() < 10_000 && (20..30).contains(&shown), "{}", reply.text.len());
        assert!(
            reply.text.starts_with(&format!("5,321 hits in 1 file; {shown} shown, the first by path\na.go\n")),
            "{}",
            reply.text
        );
        assert!(reply.text.ends_with("tells which files have how many"));
        let stopped =
            hits(&asked(999), &found(vec![("a", vec![line(1, "x", Role::Hit)])], 9, End::Enough), &vec![vec![None]]);
        assert!(
            stopped
                .text
                .starts_with("at least 9 hits in 1 file; 1 shown, the first by path; the search stopped there\n")
        );
    }

    #[test]
    fn nothing_found_says_what_was_searched() {
        let reply = hits(&asked(999), &found(vec![], 0, End::Complete), &vec![]);
        assert!(reply.text.starts_with("no hits for `Put` in .: 7 files searched (hidden and ignored files left out; `all: true` includes them)\nHint: "));
        let error = bad_pattern("é(foo", &PatternError { reason: "unclosed group".into(), column: Some(2) });
        assert_eq!(error.message, "the pattern is no regular expression: unclosed group at character 2\n  é(foo\n   ^");
        assert!(error.hints[0].contains("literal: true"));
    }
}
