//! Declarations: of a file, and of the workspace by name.

use serde_json::{Value, json};

use super::{MOST_HEADING, MOST_NAME, MOST_PATH, counted, hit_object, lack_in_words, may_know_later, object, source};
use crate::report::{Reply, one_line};
use crate::workspace::navigation::{Answer, FoundSymbols, SymbolHit};
use crate::workspace::symbols::Declared;

/// What `file` declares, at most `limit` of it in at most `most` bytes.
pub fn outline_of(file: &str, answer: &Answer<Vec<Declared>>, limit: usize, most: usize) -> Reply {
    let all = &answer.found;
    let shown_file = one_line(file, MOST_PATH);
    let lines: Vec<String> = all.iter().take(limit).map(outline_line).collect();
    let (body, shown) = fitting(&lines, most);
    let cut = if shown < all.len() { format!("; the first {shown} shown") } else { String::new() };
    let head = match (lack_in_words(answer), all.len()) {
        (Some(lack), _) => format!("not known: {lack}, and no grammar for {shown_file} is built in"),
        (None, 0) => format!("{shown_file} declares nothing{}", source(answer)),
        (None, total) => format!("{shown_file}: {}{}{cut}", counted(total, "declaration"), source(answer)),
    };
    let mut structured = object(None, answer, all.len());
    structured["file"] = file.into();
    structured["shown"] = shown.into();
    structured["symbols"] = all[..shown].iter().map(declared_object).collect();
    let mut reply = Reply::done(format!("{head}\n{body}").trim_end(), structured);
    if may_know_later(answer) {
        reply.note("Hint: call again in a few seconds for what the language server knows");
    } else if shown < all.len() {
        reply.note("Hint: call again with a larger limit, or with a query to find one by name");
    }
    reply
}

/// What a search by name found, in at most `most` bytes.
pub fn found_symbols(query: &str, answer: &Answer<FoundSymbols>, most: usize) -> Reply {
    let found = &answer.found;
    let query_shown = one_line(query, MOST_NAME);
    let lines: Vec<String> = found.shown.iter().map(symbol_line).collect();
    let (body, shown) = fitting(&lines, most);
    let at_least = if found.complete { "" } else { "at least " };
    let cut = if shown < found.total { format!("; the first {shown} shown, the likest first") } else { String::new() };
    let lack = lack_in_words(answer).map(|lack| format!("; {lack}: only Go, Java and Zig files were looked through"));
    let lack = lack.unwrap_or_default();
    let head = match found.total {
        0 => format!("no declaration has `{query_shown}` in its name{}{lack}", source(answer)),
        total => format!(
            "{at_least}{} with `{query_shown}` in the name{}{cut}{lack}",
            counted(total, "declaration"),
            source(answer)
        ),
    };
    let mut structured = object(None, answer, found.total);
    // Whatever a language server would add: of the files with a grammar all were looked through.
    structured["known"] = (found.complete && found.total > 0 || answer.lack.is_none()).into();
    structured["query"] = query.into();
    structured["complete"] = found.complete.into();
    structured["shown"] = shown.into();
    structured["symbols"] = found.shown[..shown].iter().map(symbol_object).collect();
    let mut reply = Reply::done(format!("{head}\n{body}").trim_end(), structured);
    if found.total == 0 {
        reply.note("Hint: call again with a shorter part of the name, or call `grep` for text that is no declaration");
    } else if shown < found.total {
        reply.note("Hint: call again with a longer part of the name, or a larger limit");
    }
    reply
}

/// As many of `lines` as fit, together, and how many these are.
fn fitting(lines: &[String], most: usize) -> (String, usize) {
    let (mut out, mut shown) = (String::new(), 0);
    for line in lines {
        if out.len() + line.len() > most {
            break;
        }
        out.push_str(line);
        shown += 1;
    }
    (out, shown)
}

fn outline_line(declared: &Declared) -> String {
    let (first, last) = declared.symbol.lines.one_based();
    let range = if first == last { first.to_string() } else { format!("{first}-{last}") };
    format!("{range:>11}  {} {}\n", declared.symbol.kind.name(), one_line(&declared.full_name(), MOST_NAME))
}

fn declared_object(declared: &Declared) -> Value {
    let (first, last) = declared.symbol.lines.one_based();
    json!({
        "name": declared.full_name(), "kind": declared.symbol.kind.name(), "file": declared.file,
        "line": declared.line, "column": declared.column, "start": first, "end": last,
    })
}

fn symbol_line(found: &SymbolHit) -> String {
    let hit = &found.hit;
    let heading =
        hit.text.as_deref().map(|text| format!(": {}", one_line(text.trim(), MOST_HEADING))).unwrap_or_default();
    let outside = if hit.outside { " (outside the workspace)" } else { "" };
    format!(
        "{}:{}:{} {} {}{outside}{heading}\n",
        one_line(&hit.file, MOST_PATH),
        hit.line,
        hit.column,
        found.kind.name(),
        one_line(&found.name, MOST_NAME)
    )
}

fn symbol_object(found: &SymbolHit) -> Value {
    let mut object = hit_object(&found.hit);
    object["name"] = found.name.as_str().into();
    object["kind"] = found.kind.name().into();
    object
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::navigation::tests::{answer, hit, spot};
    use crate::syntax::SymbolKind;
    use crate::workspace::navigation::{Basis, Lack};

    #[test]
    fn an_outline_names_each_declaration_with_its_lines() {
        let declared = spot().declared.expect("declared");
        let basis = Basis::Text { language_server: None };
        let reply = outline_of("s.go", &Answer { basis: basis.clone(), ..answer(vec![declared.clone()]) }, 9, 999);
        assert_eq!(reply.text, "s.go: 1 declaration\n        5-9  method Store.Put");
        assert_eq!((&reply.structured["symbols"][0]["start"], &reply.structured["known"]), (&json!(5), &json!(true)));
        let many = Answer { basis: basis.clone(), ..answer(vec![declared; 900]) };
        let reply = outline_of("s.go", &many, 100, 9_000);
        assert!(reply.text.starts_with("s.go: 900 declarations; the first 100 shown"), "{}", reply.text);
        let unsure = Answer { basis, lack: Some(Lack::NoLanguageServer), ..answer(vec![]) };
        assert!(outline_of("s.rs", &unsure, 9, 999).text.starts_with("not known: there is no language server"));
    }

    #[test]
    fn a_search_by_name_says_where_it_looked() {
        let one = SymbolHit {
            name: "Store.Put".into(),
            kind: SymbolKind::Method,
            hit: hit("a.go", 7, "\tfunc Put() {", None),
        };
        let found = |shown: Vec<SymbolHit>| FoundSymbols { total: shown.len(), shown, complete: true };
        let reply = found_symbols("put", &answer(found(vec![one])), 999);
        assert_eq!(
            reply.text,
            "1 declaration with `put` in the name (gopls, 31 ms)\na.go:7:1 method Store.Put: func Put() {"
        );
        let basis = Basis::Text { language_server: Some("gopls".into()) };
        let unsure = Answer { basis, lack: Some(Lack::Loading("1 s".into())), ..answer(found(vec![])) };
        let reply = found_symbols("x\ny", &unsure, 999);
        let expected = "no declaration has `x y` in its name; gopls is still loading (1 s): only Go, Java and Zig files were looked through\nHint: ";
        assert!(reply.text.starts_with(expected), "{}", reply.text);
        assert_eq!(reply.structured["known"], false);
    }
}
