//! What holds for every text and every query.

use proptest::prelude::*;

use super::{Landed, Query, replace, replace_many};

fn applied(text: &str, landed: &Landed) -> String {
    let (mut out, mut from) = (String::new(), 0);
    for edit in &landed.edits {
        assert!(from <= edit.span.start, "edits are in order and apart");
        out += &text[from..edit.span.start];
        out += &edit.with;
        from = edit.span.end;
    }
    out + &text[from..]
}

/// Lines as code has them, few enough to repeat.
fn line() -> impl Strategy<Value = String> {
    let bodies = [
        "alpha(one, two)",
        "beta = \"x\\n\"",
        "if gamma {",
        "}",
        "",
        "// a comment here",
        "return delta;",
        "“é” … \u{a0}z",
        "12: epsilon",
        "...",
        "- zeta",
        "&lt;eta&gt;",
        "\\\"theta\\\"",
    ];
    let indents = ["", "  ", "    ", "\t", "\t\t"];
    let ends = ["\n", "\n", "\r\n", " \n"];
    (0..bodies.len(), 0..indents.len(), 0..ends.len())
        .prop_map(move |(body, indent, end)| format!("{}{}{}", indents[indent], bodies[body], ends[end]))
}

fn lines(most: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(line(), 0..most).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn edits_make_up_the_text(text in lines(14), old in lines(6), new in lines(6), replace_all: bool, near_line in proptest::option::of(1usize..15)) {
        let query = Query { old: &old, new: &new, replace_all, near_line };
        if let Ok(landed) = replace(&text, &query) {
            prop_assert_eq!(applied(&text, &landed), landed.text.clone());
            prop_assert_ne!(&landed.text, &text);
            prop_assert!(landed.occurrences >= 1 && (0.0..=1.0).contains(&landed.similarity));
        }
        prop_assert_eq!(replace(&text, &query), replace(&text, &query));
    }

    #[test]
    fn any_text_is_survived(text in "\\PC{0,60}\n?\\PC{0,20}", old in "\\PC{0,30}", new in "\\PC{0,30}") {
        let query = Query { old: &old, new: &new, replace_all: false, near_line: None };
        if let Ok(landed) = replace(&text, &query) {
            prop_assert_eq!(applied(&text, &landed), landed.text);
        }
    }

    #[test]
    fn a_stretch_of_the_text_that_stands_once_is_replaced_literally(text in lines(12), start in 0usize..200, length in 1usize..40) {
        // The stretch stays on one line.
        let line = text.split('\n').nth(start % 12).unwrap_or_default();
        let from = line.floor_char_boundary((start / 12).min(line.len()));
        let old = &line[from..line.floor_char_boundary((from + length).min(line.len()))];
        if old.trim().is_empty() || text.matches(old).count() != 1 {
            return Ok(());
        }
        let query = Query { old, new: "something else", replace_all: false, near_line: None };
        // Overlapping occurrences count as well, so it may be ambiguous.
        if let Ok(landed) = replace(&text, &query) {
            prop_assert_eq!(landed.text, text.replacen(old, "something else", 1));
        }
    }

    #[test]
    fn depth_is_no_obstacle(names in proptest::collection::hash_set("[a-z]{6,12}", 3..9), at in 0usize..8, shift in 1usize..4, tabs: bool) {
        let names: Vec<String> = names.into_iter().collect();
        let at = at % names.len();
        let unit = if tabs { "\t" } else { "    " };
        let file: String = names.iter().map(|name| format!("{unit}{name}({name});\n")).collect();
        let indent = "  ".repeat(shift);
        let shown = |changed: bool| -> String {
            let line = |(place, name): (usize, &String)| match place == at && changed {
                true => format!("{indent}changed({name});\n"),
                false => format!("{indent}{name}({name});\n"),
            };
            names.iter().enumerate().map(line).collect()
        };
        prop_assume!(!file.contains(&shown(false)));
        let query = Query { old: &shown(false), new: &shown(true), replace_all: false, near_line: None };
        let landed = replace(&file, &query).expect("only the depth differs");
        let expected = file.replacen(&format!("{unit}{0}({0});", names[at]), &format!("{unit}changed({});", names[at]), 1);
        prop_assert_eq!(landed.text, expected);
    }

    #[test]
    fn many_edits_are_all_or_none(text in lines(10), olds in proptest::collection::vec(lines(3), 1..4)) {
        let queries: Vec<Query<'_>> =
            olds.iter().map(|old| Query { old, new: "new();\n", replace_all: false, near_line: None }).collect();
        match replace_many(&text, &queries) {
            Ok(landed) => prop_assert_eq!(landed.each.len(), queries.len()),
            Err(refused) => prop_assert!(!refused.matched[refused.index] && refused.matched.len() == queries.len()),
        }
    }
}
