//! Clients that hide tools behind a search must find the right one by the words a model has for it.
//!
//! What is searched differs: Codex ranks names, descriptions and parameter names, other searches read the parameters'
//! descriptions too, some part words at underscores or bring them to their stem. Whatever does it, the first hit is to
//! be the tool that is meant.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::support::Agent;

/// What a model that wants something may look for, and the tools of which one must come first.
const QUERIES: &[(&str, &[&str])] = &[
    ("modify file", &["edit"]),
    ("edit file", &["edit"]),
    ("edit a file", &["edit"]),
    ("replace text", &["edit"]),
    ("change a line", &["edit"]),
    ("change code", &["edit"]),
    ("fix code", &["edit"]),
    ("update code", &["edit"]),
    ("str_replace", &["edit"]),
    ("search and replace", &["edit"]),
    ("find and replace", &["edit"]),
    ("multi_edit", &["multi_edit"]),
    ("multiple edits in one file", &["multi_edit"]),
    ("open file", &["read"]),
    ("view file", &["read"]),
    ("read file", &["read"]),
    ("show file contents", &["read"]),
    ("print lines of a file", &["read"]),
    ("cat", &["read"]),
    ("cat file", &["read"]),
    ("create file", &["write"]),
    ("create a new file", &["write"]),
    ("write file", &["write"]),
    ("overwrite file", &["write"]),
    ("save file", &["write"]),
    ("apply diff", &["apply_patch"]),
    ("apply patch", &["apply_patch"]),
    ("unified diff", &["apply_patch"]),
    ("delete file", &["apply_patch"]),
    ("move file", &["apply_patch"]),
    ("search text", &["grep"]),
    ("search code", &["grep"]),
    ("regex search", &["grep"]),
    ("regular expression", &["grep"]),
    ("ripgrep", &["grep"]),
    ("grep", &["grep"]),
    ("find text in files", &["grep"]),
    ("search file contents", &["grep"]),
    ("find file by name", &["glob"]),
    ("find files", &["glob"]),
    ("list files", &["glob"]),
    ("file pattern", &["glob"]),
    ("list directory", &["glob", "read"]),
    ("run command", &["bash"]),
    ("shell", &["bash"]),
    ("execute command", &["bash"]),
    ("run tests", &["bash"]),
    ("terminal", &["bash"]),
    ("build project", &["bash"]),
    ("errors", &["diagnostics"]),
    ("compile errors", &["diagnostics"]),
    ("check for errors", &["diagnostics"]),
    ("type errors", &["diagnostics"]),
    ("lint", &["diagnostics"]),
    ("warnings", &["diagnostics"]),
    ("go to definition", &["definition"]),
    ("where is it defined", &["definition"]),
    ("find declaration", &["definition"]),
    ("who uses this", &["references"]),
    ("find references", &["references"]),
    ("find usages", &["references"]),
    ("who calls this function", &["calls"]),
    ("callers", &["calls"]),
    ("call hierarchy", &["calls"]),
    ("what does it call", &["calls"]),
    ("documentation of a function", &["hover"]),
    ("type of a variable", &["hover"]),
    ("function signature", &["hover"]),
    ("outline of a file", &["symbols"]),
    ("list functions", &["symbols"]),
    ("list symbols", &["symbols"]),
    ("find class", &["symbols"]),
    ("implementations of an interface", &["implementations"]),
    ("subclasses", &["implementations"]),
    ("overrides", &["implementations"]),
    ("rename", &["rename"]),
    ("rename symbol", &["rename"]),
    ("rename function", &["rename"]),
    ("rename variable", &["rename"]),
    ("quick fix", &["fix"]),
    ("code action", &["fix"]),
    ("add missing import", &["fix"]),
    ("what have I changed", &["changes"]),
    ("session history", &["changes"]),
    ("git status", &["changes"]),
    ("undo", &["undo"]),
    ("revert change", &["undo"]),
    ("take back last edit", &["undo"]),
    ("roll back", &["undo"]),
    ("replace function body", &["replace_symbol"]),
    ("rewrite a function", &["replace_symbol"]),
    ("add a method", &["insert_after_symbol"]),
    ("insert function after", &["insert_after_symbol"]),
    ("insert code before", &["insert_before_symbol"]),
];

#[test]
fn a_search_finds_the_tool_that_is_meant() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut agent = Agent::start(folder.path(), &["--no-lsp", "--allow", "bash"], &[]);
    let listed = agent.request("tools/list", json!({}))["result"]["tools"].clone();
    let tools = listed.as_array().expect("a list");
    let mut missed = Vec::new();
    for searched in [Searched::Described, Searched::WithParameters, Searched::WithAll] {
        for split in [true, false] {
            for stemmed in [true, false] {
                let index = Index::of(tools, searched, Words { split, stemmed });
                for (query, meant) in QUERIES {
                    let found = index.search(query);
                    let first = &found[0];
                    if !meant.contains(&first.1) || first.0 <= found[1].0 {
                        missed.push(format!("{query:?} in {searched:?}, {split} {stemmed}: {:?}", &found[..3]));
                    }
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} misses:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn every_tool_is_looked_for() {
    let looked_for: HashSet<&str> = QUERIES.iter().flat_map(|(_, meant)| meant.iter().copied()).collect();
    let missing: Vec<&str> =
        landfall::tools::ALL.iter().map(|tool| tool.name).filter(|name| !looked_for.contains(name)).collect();
    assert!(missing.is_empty(), "no query is for {missing:?}");
}

/// What of a tool is searched.
#[derive(Debug, Clone, Copy)]
enum Searched {
    /// Its name and description.
    Described,
    /// The names of its parameters too.
    WithParameters,
    /// Their descriptions too.
    WithAll,
}

/// How a text becomes words.
#[derive(Debug, Clone, Copy)]
struct Words {
    /// `file_path` is two words, not one.
    split: bool,
    /// Endings are cut off.
    stemmed: bool,
}

impl Words {
    fn of(self, text: &str) -> Vec<String> {
        let apart = |c: char| !c.is_alphanumeric() && (self.split || c != '_');
        let words = text.split(apart).filter(|word| !word.is_empty()).map(str::to_lowercase);
        let telling = words.filter(|word| !EMPTY_WORDS.contains(&word.as_str()));
        telling.map(|word| if self.stemmed { stem(&word) } else { word }).collect()
    }
}

/// Words that searches leave out.
const EMPTY_WORDS: &[&str] = &[
    "a", "about", "after", "all", "an", "and", "any", "are", "as", "at", "be", "before", "between", "but", "by", "can",
    "did", "do", "does", "for", "from", "had", "has", "have", "here", "how", "i", "if", "in", "into", "is", "it",
    "its", "just", "me", "my", "no", "not", "now", "of", "on", "only", "or", "other", "our", "own", "same", "should",
    "so", "some", "than", "that", "the", "then", "there", "these", "this", "those", "to", "too", "very", "was", "we",
    "were", "what", "when", "where", "which", "who", "whom", "why", "will", "with", "you", "your",
];

/// A word without its commonest endings.
fn stem(word: &str) -> String {
    const ENDINGS: &[(&str, &str)] =
        &[("ies", "i"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", ""), ("y", "i")];
    let ending = ENDINGS.iter().find(|(ending, _)| {
        let rest = word.strip_suffix(ending);
        rest.is_some_and(|rest| rest.len() > 2 && !(*ending == "s" && rest.ends_with('s')))
    });
    let Some((ending, instead)) = ending else { return word.to_owned() };
    format!("{}{instead}", &word[..word.len() - ending.len()])
}

/// An index that ranks as Okapi BM25 does, with the usual constants.
struct Index<'t> {
    tools: Vec<(&'t str, Vec<String>)>,
    words: Words,
}

impl<'t> Index<'t> {
    fn of(tools: &'t [Value], searched: Searched, words: Words) -> Index<'t> {
        let tools = tools.iter().map(|tool| {
            let name = tool["name"].as_str().expect("a name");
            let mut text = format!("{name} {}", tool["description"].as_str().expect("a description"));
            for (parameter, schema) in tool["inputSchema"]["properties"].as_object().into_iter().flatten() {
                if !matches!(searched, Searched::Described) {
                    text.push_str(&format!(" {parameter}"));
                }
                if matches!(searched, Searched::WithAll) {
                    text.push_str(&format!(" {}", schema["description"].as_str().expect("a description")));
                }
            }
            (name, words.of(&text))
        });
        Index { tools: tools.collect(), words }
    }

    /// All tools, the likeliest first.
    fn search(&self, query: &str) -> Vec<(f64, &'t str)> {
        let query = self.words.of(query);
        let mut found: Vec<_> = self.tools.iter().map(|(name, words)| (self.score(&query, words), *name)).collect();
        found.sort_by(|one, other| other.0.total_cmp(&one.0));
        found
    }

    fn score(&self, query: &[String], words: &[String]) -> f64 {
        let (saturation, by_length) = (1.2, 0.75);
        let all = self.tools.len() as f64;
        let usual = self.tools.iter().map(|(_, words)| words.len()).sum::<usize>() as f64 / all;
        let length = 1.0 - by_length + by_length * words.len() as f64 / usual;
        let score_of = |word: &String| {
            let having = self.tools.iter().filter(|(_, words)| words.contains(word)).count() as f64;
            let often = words.iter().filter(|other| *other == word).count() as f64;
            let telling = ((all - having + 0.5) / (having + 0.5) + 1.0).ln();
            telling * often * (saturation + 1.0) / (often + saturation * length)
        };
        query.iter().map(score_of).sum()
    }
}
