//! Looking through the workspace for declarations, without an index: a search for the word, then the outlines of the
//! files that have it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::source::SourceFile;
use super::{Declared, nearest};
use crate::search::{Case, End, Limits, Pattern, PatternOptions, Place, Wanted, find_files, find_lines};
use crate::syntax::{Language, NamePath};
use crate::workspace::paths::PathRules;

/// Most files whose outlines are made.
const MOST_FILES: usize = 2_000;
/// How long outlines are made.
const PARSING: Duration = Duration::from_millis(2_000);
/// How long it is looked for names that come near.
const LOOKING_NEAR: Duration = Duration::from_millis(1_000);

/// What was found.
#[derive(Debug)]
pub(super) struct Survey {
    /// How much of the path was left unsaid, and the declaration.
    pub(super) fitting: Vec<(usize, Declared)>,
    /// Whether everything was looked at.
    pub(super) complete: bool,
}

/// The declarations that `name` fits.
pub(super) fn declarations_of(rules: &PathRules, name: &NamePath, cancel: &AtomicBool) -> Survey {
    // Only a test's name has blanks in it, and is no path.
    let words: &[&str] = match name.whole().contains(' ') {
        true => &[name.name(), name.whole()],
        false => &[name.name()],
    };
    let (mut files, mut complete) = files_with(rules, words, cancel);
    // Should there not be time for all, those that lie where the name says come first.
    let is_elsewhere = |path: &PathBuf| {
        let has = |part: &std::ffi::OsStr| name.qualifier().is_some_and(|qualifier| part == qualifier);
        !(path.file_stem().is_some_and(has) || path.parent().and_then(Path::file_name).is_some_and(has))
    };
    files.sort_by_key(is_elsewhere);
    let mut fitting = Vec::new();
    complete &= each_outline(rules, files, PARSING, cancel, |source, all| {
        let around = source.around();
        fitting.extend(all.into_iter().filter_map(|declared| Some((name.fit(&declared.symbol, &around)?, declared))));
    });
    Survey { fitting, complete }
}

/// The declarations whose names hold `part`, whatever their case, or that it names in full; and whether everything was
/// looked at.
pub(in crate::workspace) fn declared_like(rules: &PathRules, part: &str, cancel: &AtomicBool) -> (Vec<Declared>, bool) {
    let Some(name) = NamePath::parse(part) else { return (Vec::new(), true) };
    let own = name.name().to_lowercase();
    let options = PatternOptions { literal: true, case: Case::Insensitive, ..PatternOptions::default() };
    let Ok(pattern) = Pattern::new(&own, options) else { return (Vec::new(), false) };
    let Ok(found) = find_lines(&sources(rules), &pattern, Wanted::Files, &Limits::new(MOST_FILES, cancel)) else {
        return (Vec::new(), false);
    };
    let files = found.files.into_iter().map(|(path, _)| path).collect();
    let mut like = Vec::new();
    let seen_all = each_outline(rules, files, PARSING, cancel, |source, all| {
        let around = source.around();
        like.extend(all.into_iter().filter(|declared| match name.qualifier() {
            Some(_) => name.fit(&declared.symbol, &around).is_some(),
            None => declared.symbol.name.to_lowercase().contains(&own),
        }));
    });
    (like, seen_all && found.end == End::Complete)
}

/// The declarations whose names come near, as far as there is time to look.
pub(super) fn nearest(rules: &PathRules, name: &NamePath, cancel: &AtomicBool) -> Vec<Declared> {
    let limits = Limits { deadline: LOOKING_NEAR, ..Limits::new(MOST_FILES, cancel) };
    let Ok(found) = find_files(&sources(rules), &limits) else { return Vec::new() };
    let files = found.files.into_iter().map(|file| file.path).collect();
    let mut near = Vec::new();
    each_outline(rules, files, LOOKING_NEAR, cancel, |_, mut all| {
        all.append(&mut near);
        near = nearest::of(name, all);
    });
    near
}

/// The source files that hold one of `words` where it may be declared.
fn files_with(rules: &PathRules, words: &[&str], cancel: &AtomicBool) -> (Vec<PathBuf>, bool) {
    let Ok(pattern) = Pattern::new(&declaring(words), PatternOptions::default()) else { return (Vec::new(), false) };
    match find_lines(&sources(rules), &pattern, Wanted::Files, &Limits::new(MOST_FILES, cancel)) {
        Ok(found) => (found.files.into_iter().map(|(path, _)| path).collect(), found.end == End::Complete),
        Err(_) => (Vec::new(), false),
    }
}

/// A pattern for places where a name may be declared: as a whole word, and not as a member of something.
fn declaring(words: &[&str]) -> String {
    let is_word =
        |character: Option<char>| character.is_some_and(|character| character.is_alphanumeric() || character == '_');
    let of = |word: &&str| {
        let before = if is_word(word.chars().next()) { r"(?:^|[^.\w])" } else { "" };
        let after = if is_word(word.chars().next_back()) { r"\b" } else { "" };
        format!("{before}{}{after}", regex_syntax::escape(word))
    };
    words.iter().map(of).collect::<Vec<_>>().join("|")
}

/// Every file with a grammar built in.
fn sources(rules: &PathRules) -> Place {
    let globs = Language::ALL.iter().map(|language| format!("*.{}", language.id())).collect();
    Place { globs, ..Place::new(rules.root.clone()) }
}

/// Hands the declarations of each file to `take`; whether it got through all of them in time.
fn each_outline(
    rules: &PathRules,
    files: Vec<PathBuf>,
    time: Duration,
    cancel: &AtomicBool,
    mut take: impl FnMut(&SourceFile, Vec<Declared>),
) -> bool {
    let begun = Instant::now();
    for path in files {
        if begun.elapsed() > time || cancel.load(Ordering::Relaxed) {
            return false;
        }
        let source = Language::of_path(&path).zip(SourceFile::read(rules, &path));
        if let Some((language, source)) = source {
            take(&source, source.declarations(language));
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::declaring;

    #[test]
    fn the_pattern_passes_over_members_and_parts_of_words() {
        let is_found = matches(&declaring(&["Put"]));
        for (line, expected) in [
            ("func (s *Store) Put(k string) {", true),
            ("Put", true),
            ("s.Put(k)", false),
            ("Puts(k)", false),
            ("xPut(k)", false),
        ] {
            assert_eq!(is_found(line), expected, "{line}");
        }
        assert!(matches(&declaring(&["a+b"]))("a+b c"));
    }

    fn matches(pattern: &str) -> impl Fn(&str) -> bool + use<> {
        use grep_matcher::Matcher;
        let matcher = grep_regex::RegexMatcherBuilder::new().multi_line(true).build(pattern).expect("a pattern");
        move |line| matcher.is_match(line.as_bytes()).expect("matches")
    }
}
