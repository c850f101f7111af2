//! Places in the code: where a name is defined, used, implemented, called.

use serde_json::{Value, json};

use super::{
    MOST_HEADING, MOST_NAME, MOST_PATH, at, counted, hit_object, lack_in_words, may_know_later, notes, object, source,
};
use crate::report::listing::numbered;
use crate::report::{Reply, one_line};
use crate::workspace::navigation::{Answer, Callee, Definition, Hit, Hits, Spot};

/// Most characters of a line.
const MOST_COLUMNS: usize = 240;
/// Most lines on which a function is called that are named.
const MOST_LINES: usize = 12;

/// What was asked about a name, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Its uses.
    References,
    /// What implements it.
    Implementations,
    /// Calls of it.
    Callers,
}

impl Asked {
    fn in_words(self, count: usize) -> &'static str {
        match (self, count) {
            (Asked::References, 1) => "reference to",
            (Asked::References, _) => "references to",
            (Asked::Implementations, 1) => "implementation of",
            (Asked::Implementations, _) => "implementations of",
            (Asked::Callers, 1) => "call of",
            (Asked::Callers, _) => "calls of",
        }
    }

    /// What a search of the texts found instead.
    fn guess_in_words(self, count: usize, word: &str) -> String {
        match self {
            Asked::References if count == 1 => format!("1 line that holds the word `{word}`"),
            Asked::References => format!("{count} lines that hold the word `{word}`"),
            Asked::Callers if count == 1 => format!("1 line that looks like a call of `{word}`"),
            Asked::Callers => format!("{count} lines that look like a call of `{word}`"),
            Asked::Implementations => format!("{} that may implement `{word}`, by name", counted(count, "place")),
        }
    }
}

/// The places found for `asked` about the name at `spot`, in at most `most` bytes.
pub fn places(asked: Asked, spot: &Spot, answer: &Answer<Hits>, most: usize) -> Reply {
    let hits = &answer.found;
    let name = one_line(&spot.full_name(), MOST_NAME);
    let (body, shown) = listed(&hits.shown, most);
    let at_least = if hits.complete { "" } else { "at least " };
    let cut = if shown < hits.total { format!("; the first {shown} shown") } else { String::new() };
    let files = counted(hits.files_total, "file");
    let head = match (lack_in_words(answer), hits.total) {
        (None, 0) => format!("no {} {name}{}", asked.in_words(0), source(answer)),
        (None, total) => format!("{total} {} {name} in {files}{}{cut}", asked.in_words(total), source(answer)),
        (Some(lack), 0) => {
            format!(
                "not known: {lack}, and a search of the texts finds no {}",
                asked.guess_in_words(0, &name).replacen("0 ", "", 1)
            )
        }
        (Some(lack), total) => format!(
            "{lack}; by the text alone: {at_least}{} in {files}{cut} (other things of that name may be among them)",
            asked.guess_in_words(total, &one_line(spot.word(), MOST_NAME))
        ),
    };
    let mut text = format!("{head}\n");
    if let Some(declared) = &spot.declared {
        let heading = one_line(declared.heading.trim(), MOST_HEADING);
        text.push_str(&format!("declared at {}: {heading}\n", at(&declared.file, declared.line)));
    }
    text.push_str(&body);
    let mut structured = object(Some(spot), answer, hits.total);
    structured["files_total"] = hits.files_total.into();
    structured["complete"] = hits.complete.into();
    structured["shown"] = shown.into();
    structured["hits"] = hits.shown[..shown].iter().map(hit_object).collect();
    let mut reply = Reply::done(text.trim_end(), structured);
    notes(&mut reply, spot, answer);
    if may_know_later(answer) {
        reply.note("Hint: call again in a few seconds for what the language server knows");
    } else if shown < hits.total {
        reply.note("Hint: call again with a larger limit, or use `grep` with a path to see those of one folder");
    }
    reply
}

/// Where the name at `spot` is defined.
pub fn definitions(spot: &Spot, answer: &Answer<Vec<Definition>>) -> Reply {
    let found = &answer.found;
    let name = one_line(&spot.full_name(), MOST_NAME);
    let head = match (lack_in_words(answer), found.len()) {
        (None, 0) => format!("no definition of {name} is known{}", source(answer)),
        (None, 1) => format!("{name} is defined at {}{}", place(&found[0].hit), source(answer)),
        (None, count) => format!("{count} definitions of {name}{}", source(answer)),
        (Some(lack), 0) => {
            format!("not known: {lack}, and nothing is declared as `{name}` in the workspace's Go, Java and Zig files")
        }
        (Some(lack), 1) => format!("{lack}; by its name alone {name} is declared at {}", place(&found[0].hit)),
        (Some(lack), count) => format!("{lack}; by its name alone {name} is declared {count} times"),
    };
    let mut text = format!("{head}\n");
    for definition in found {
        if found.len() > 1 {
            text.push_str(&format!("{}\n", place(&definition.hit)));
        }
        for (line, shown) in &definition.lines {
            text.push_str(&numbered(line - 1, shown, MOST_COLUMNS));
        }
        let more = definition.of - definition.lines.len().min(definition.of);
        if more > 0 && !definition.lines.is_empty() {
            text.push_str(&format!("       … {more} more lines\n"));
        }
    }
    let mut structured = object(Some(spot), answer, found.len());
    structured["definitions"] = found.iter().map(definition_object).collect();
    let mut reply = Reply::done(text.trim_end(), structured);
    notes(&mut reply, spot, answer);
    if may_know_later(answer) {
        reply.note("Hint: call again in a few seconds for what the language server knows");
    }
    reply
}

/// What the function at `spot` calls, in at most `most` bytes.
pub fn callees(spot: &Spot, answer: &Answer<Vec<Callee>>, most: usize) -> Reply {
    let name = one_line(&spot.full_name(), MOST_NAME);
    let total = answer.found.len();
    let lines: Vec<String> = answer.found.iter().map(callee_line).collect();
    let shown = fitting(&lines, most);
    let cut = if shown < total { format!("; the first {shown} shown") } else { String::new() };
    let head = match (lack_in_words(answer), total) {
        (None, 0) => format!("{name} calls nothing{}", source(answer)),
        (None, _) => format!("{name} calls {}{}{cut}", counted(total, "function"), source(answer)),
        (Some(lack), 0) => format!("not known: {lack}, and the text of {name} shows no call"),
        (Some(lack), _) => format!("{lack}; by the text alone {name} calls {}{cut}", counted(total, "function")),
    };
    let text = format!("{head}\n{}", lines[..shown].concat());
    let mut structured = object(Some(spot), answer, total);
    structured["shown"] = shown.into();
    structured["calls"] = answer.found[..shown].iter().map(callee_object).collect();
    let mut reply = Reply::done(text.trim_end(), structured);
    notes(&mut reply, spot, answer);
    if may_know_later(answer) {
        reply.note("Hint: call again in a few seconds for what the language server knows");
    }
    reply
}

/// The hits under their files and declarations, as many as fit.
fn listed(hits: &[Hit], most: usize) -> (String, usize) {
    let (mut out, mut shown) = (String::new(), 0);
    let (mut file, mut within, mut line) = (None, None, 0);
    for hit in hits {
        let mut lines = String::new();
        if file != Some(&hit.file) {
            lines.push_str(&format!("{}\n", one_line(&hit.file, MOST_PATH)));
            within = None;
        }
        if within != Some(&hit.within)
            && let Some(heading) = &hit.within
        {
            lines.push_str(&format!("  in: {}\n", one_line(heading, MOST_HEADING)));
        }
        // Of several on one line the line is shown once.
        if file != Some(&hit.file) || line != hit.line {
            lines.push_str(&line_of(hit));
        }
        if out.len() + lines.len() > most {
            break;
        }
        (file, within, line) = (Some(&hit.file), Some(&hit.within), hit.line);
        out.push_str(&lines);
        shown += 1;
    }
    (out, shown)
}

fn line_of(hit: &Hit) -> String {
    match (&hit.text, hit.past_end) {
        (_, Some(lines)) => format!(
            "{:>5} | (the file has only {lines} lines: the language server does not see it as it is)\n",
            hit.line
        ),
        (Some(text), None) => numbered(hit.line - 1, text, MOST_COLUMNS),
        (None, None) => format!("{:>5} |\n", hit.line),
    }
}

fn fitting(lines: &[String], most: usize) -> usize {
    let mut size = 0;
    lines
        .iter()
        .take_while(|line| {
            size += line.len();
            size <= most
        })
        .count()
}

fn place(hit: &Hit) -> String {
    let place = format!("{}:{}", at(&hit.file, hit.line), hit.column);
    let past = hit.past_end.map(|lines| format!(" (the file has only {lines} lines)")).unwrap_or_default();
    format!("{place}{}{past}", if hit.outside { ", outside the workspace" } else { "" })
}

fn callee_line(callee: &Callee) -> String {
    let at = callee.place.as_ref().map_or_else(|| "(where it is declared is not known)".to_owned(), place);
    let lines: Vec<String> = callee.lines.iter().take(MOST_LINES).map(usize::to_string).collect();
    let more = if callee.lines.len() > MOST_LINES { ", …" } else { "" };
    let called = if lines.is_empty() { String::new() } else { format!(", called on line {}{more}", lines.join(", ")) };
    format!("  {} {at}{called}\n", one_line(&callee.name, MOST_NAME))
}

fn callee_object(callee: &Callee) -> Value {
    json!({ "name": callee.name, "declared": callee.place.as_ref().map(hit_object), "called_on": callee.lines })
}

fn definition_object(definition: &Definition) -> Value {
    let mut object = hit_object(&definition.hit);
    let source: Vec<&str> = definition.lines.iter().map(|(_, text)| text.as_str()).collect();
    object["source"] = source.join("\n").into();
    object["source_lines"] = definition.of.into();
    if let Some(name) = &definition.name {
        object["name"] = name.as_str().into();
    }
    if let Some(kind) = definition.kind {
        object["kind"] = kind.name().into();
    }
    object
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::report::navigation::tests::{answer, hit, spot};
    use crate::workspace::navigation::{Basis, Lack, Opened};

    fn hits(shown: Vec<Hit>, total: usize) -> Hits {
        Hits { files_total: 2.min(total), shown, total, complete: true }
    }

    #[test]
    fn references_stand_under_their_files_and_declarations() {
        let shown = vec![
            hit("a.go", 3, "x.Put(1)", Some("func a()")),
            hit("a.go", 4, "x.Put(2)\u{1b}[0m", Some("func a()")),
            hit("b.go", 9, "var y = Put", None),
        ];
        let reply = places(Asked::References, &spot(), &answer(hits(shown, 3)), 999);
        let expected = "3 references to Store.Put in 2 files (gopls, 31 ms)\ndeclared at s.go:5: func (s *Store) Put() {\n\
                        a.go\n  in: func a()\n    3 | x.Put(1)\n    4 | x.Put(2)\u{FFFD}[0m\nb.go\n    9 | var y = Put";
        assert_eq!(reply.text, expected);
        assert_eq!(reply.structured["hits"][1]["in"], "func a()");
        assert_eq!((&reply.structured["state"], &reply.structured["known"]), (&json!("ready"), &json!(true)));
    }

    #[test]
    fn none_is_only_said_by_a_language_server() {
        let none = || hits(vec![], 0);
        let sure = places(Asked::References, &spot(), &answer(none()), 999);
        assert!(sure.text.starts_with("no references to Store.Put (gopls, 31 ms)\n"), "{}", sure.text);
        for (lack, state) in [
            (Lack::Loading("3 s so far".into()), "loading"),
            (Lack::NoLanguageServer, "no_language_server"),
            (Lack::NotInstalled, "not_installed"),
            (Lack::Late(Duration::from_secs(8)), "timed_out"),
            (Lack::Crashed("signal 9".into()), "crashed"),
            (Lack::Refused("no".into()), "error"),
            (Lack::Unable, "unsupported"),
        ] {
            let basis = Basis::Text { language_server: Some("gopls".into()) };
            for (found, start) in [(none(), "not known: "), (hits(vec![hit("a.go", 3, "Put", None)], 1), "")] {
                let unsure = Answer { lack: Some(lack.clone()), basis: basis.clone(), ..answer(found) };
                let reply = places(Asked::References, &spot(), &unsure, 999);
                assert!(reply.text.starts_with(start) && !reply.text.starts_with("no "), "{}", reply.text);
                assert_eq!((&reply.structured["state"], &reply.structured["known"]), (&json!(state), &json!(false)));
                assert_eq!(reply.structured["source"], "text");
            }
        }
    }

    #[test]
    fn what_is_cut_or_missing_is_counted() {
        let many: Vec<Hit> = (1..=100).map(|line| hit("a.go", line, &"y".repeat(300), None)).collect();
        let mut partial = answer(hits(many, 5000));
        partial.opened = Some(Opened { files: 150, of: 400, unmentioned: vec!["b.zig".into()], ..Opened::default() });
        partial.basis = Basis::LanguageServer { name: "zls".into(), still_loading: Some("indexing".into()) };
        let reply = places(Asked::Callers, &spot(), &partial, 9_000);
        assert!(reply.text.len() < 10_000, "{}", reply.text.len());
        let shown = reply.structured["shown"].as_u64().expect("a number");
        assert!(
            reply
                .text
                .starts_with(&format!("5000 calls of Store.Put in 2 files (zls, 31 ms); the first {shown} shown\n")),
            "{}",
            reply.text
        );
        assert!(
            reply.text.contains("only 150 of the 400 files") && reply.text.contains("zls is still loading (indexing)")
        );
        assert_eq!(reply.structured["state"], "loading");
    }

    #[test]
    fn a_definition_shows_its_lines_and_where_it_lies() {
        let one = Definition {
            hit: Hit { outside: true, ..hit("/go/src/fmt/print.go", 313, "func Println() {", None) },
            name: Some("Println".into()),
            kind: Some(crate::syntax::SymbolKind::Function),
            lines: vec![(313, "func Println() {".into()), (314, "\treturn".into())],
            of: 5,
        };
        let reply = definitions(&spot(), &answer(vec![one.clone()]));
        assert_eq!(
            reply.text,
            "Store.Put is defined at /go/src/fmt/print.go:313:1, outside the workspace (gopls, 31 ms)\n  313 | func Println() {\n  314 | \treturn\n       … 3 more lines"
        );
        let past = Definition {
            hit: Hit { past_end: Some(4), text: None, ..one.hit.clone() },
            lines: vec![],
            of: 0,
            ..one.clone()
        };
        let reply = definitions(&spot(), &answer(vec![one, past]));
        assert!(
            reply.text.starts_with("2 definitions of Store.Put") && reply.text.contains("the file has only 4 lines"),
            "{}",
            reply.text
        );
    }

    #[test]
    fn callees_stand_with_their_places() {
        let place = Some(hit("a.go", 7, "func check() {", None));
        let one = Callee { name: "check".into(), place, lines: vec![41, 45] };
        let reply = callees(&spot(), &answer(vec![one]), 999);
        assert_eq!(reply.text, "Store.Put calls 1 function (gopls, 31 ms)\n  check a.go:7:1, called on line 41, 45");
        assert_eq!(reply.structured["calls"][0]["called_on"], json!([41, 45]));
    }
}
