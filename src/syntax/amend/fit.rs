//! New text indented and ended as the text around it.

/// A file that is indented by blanks, but shows no step, has this one.
const USUAL_STEP: usize = 4;
/// Lines of a text that are looked at for its indentation.
const LOOKED_AT: usize = 2_000;

/// `new` without empty lines at its ends, indented from `indent` on and with the line endings of `text`; without a last
/// line ending. `None` when nothing is left.
pub(super) fn fitted(new: &str, indent: &str, text: &str) -> Option<String> {
    let lines: Vec<&str> = new.lines().map(|line| line.trim_end_matches('\r')).collect();
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    let last = lines.iter().rposition(|line| !line.trim().is_empty())?;
    let lines = &lines[first..=last];
    let own = own_indent(lines);
    let convert = conversion(lines, text);
    let fit = |(number, line): (usize, &&str)| {
        if line.trim().is_empty() {
            return String::new();
        }
        // A first line that was copied without its indentation.
        let inner = line.strip_prefix(own).unwrap_or(if number == 0 { line.trim_start() } else { line });
        let deeper = indent_of(inner);
        format!("{indent}{}{}", convert.of(deeper), &inner[deeper.len()..])
    };
    let fitted: Vec<String> = lines.iter().enumerate().map(fit).collect();
    Some(fitted.join(newline(text)).trim_end().to_owned())
}

/// The white space a line begins with.
pub(super) fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The line ending of a text, by its first.
pub(super) fn newline(text: &str) -> &'static str {
    match text.split_once('\n') {
        Some((line, _)) if line.ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The indentation that all lines share; of a closing bracket alone, where only the first line lacks it.
fn own_indent<'l>(lines: &[&'l str]) -> &'l str {
    let last = lines.last().copied().unwrap_or_default();
    let first = lines.first().copied().unwrap_or_default();
    let closing = indent_of(last);
    let closes = last.trim_start().starts_with(['}', ')', ']']);
    let rest_shares = lines.iter().skip(1).all(|line| line.trim().is_empty() || line.starts_with(closing));
    if closes && rest_shares && indent_of(first).len() < closing.len() {
        return closing;
    }
    let filled = lines.iter().filter(|line| !line.trim().is_empty());
    let shared = |a: &'l str, b: &&'l str| {
        let same = a.bytes().zip(indent_of(b).bytes()).take_while(|(a, b)| a == b).count();
        &a[..same]
    };
    filled.fold(indent_of(first), shared)
}

/// How one kind of indentation becomes the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conversion {
    None,
    /// So many blanks are a tab.
    ToTabs(usize),
    /// A tab is so many blanks.
    ToBlanks(usize),
}

impl Conversion {
    fn of(self, indent: &str) -> String {
        match self {
            Conversion::None => indent.to_owned(),
            Conversion::ToTabs(step) => {
                format!("{}{}", "\t".repeat(indent.len() / step), " ".repeat(indent.len() % step))
            }
            Conversion::ToBlanks(step) => indent.replace('\t', &" ".repeat(step)),
        }
    }
}

/// What makes the indentation of `lines` that of `text`; nothing where they mix, because then blanks may be content.
fn conversion(lines: &[&str], text: &str) -> Conversion {
    let (ours, theirs) = (Kind::of(lines.iter().copied()), Kind::of(text.lines().take(LOOKED_AT)));
    match (ours, theirs) {
        (Kind::Blanks(step), Kind::Tabs) => Conversion::ToTabs(step),
        (Kind::Tabs, Kind::Blanks(step)) => Conversion::ToBlanks(step),
        _ => Conversion::None,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Tabs,
    /// The narrowest step.
    Blanks(usize),
    Neither,
}

impl Kind {
    fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Kind {
        let (mut tabs, mut blanks, mut step) = (false, false, usize::MAX);
        let mut before = 0;
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let indent = indent_of(line);
            // A block comment's inner lines begin with one blank more.
            if line.trim_start().starts_with('*') {
                continue;
            }
            tabs |= indent.contains('\t');
            blanks |= indent.starts_with(' ');
            let deeper = indent.len().saturating_sub(before);
            if deeper > 1 && indent.starts_with(' ') {
                step = step.min(deeper);
            }
            before = indent.len();
        }
        match (tabs, blanks) {
            (true, false) => Kind::Tabs,
            (false, true) => Kind::Blanks(if step == usize::MAX { USUAL_STEP } else { step }),
            _ => Kind::Neither,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_text_takes_the_indentation_and_line_endings_around_it() {
        let blanks = "class A {\n    int x;\n}\n";
        let tabs = "func a() {\n\tb()\n}\n";
        for (new, indent, text, expected) in [
            ("int f() {\n    return 1;\n}", "    ", blanks, "    int f() {\n        return 1;\n    }"),
            ("    int f() {\n        return 1;\n    }\n", "    ", blanks, "    int f() {\n        return 1;\n    }"),
            ("int f() {\n        return 1;\n    }", "    ", blanks, "    int f() {\n        return 1;\n    }"),
            ("int f() {\n\treturn 1;\n}", "    ", blanks, "    int f() {\n        return 1;\n    }"),
            ("func f() {\n    if x {\n        y()\n    }\n}", "", tabs, "func f() {\n\tif x {\n\t\ty()\n\t}\n}"),
            ("func f() {\n  x()\n}", "", tabs, "func f() {\n\tx()\n}"),
            ("a\n\n  \n\tb", "", tabs, "a\n\n\n\tb"),
            ("f\n\tx\n", "", "a\r\nb\r\n", "f\r\n\tx"),
            ("\n \nx\n\n", "  ", blanks, "  x"),
            ("/**\n * A.\n */\nint f();", "    ", blanks, "    /**\n     * A.\n     */\n    int f();"),
        ] {
            assert_eq!(fitted(new, indent, text).as_deref(), Some(expected), "{new:?}");
        }
        assert_eq!(fitted(" \n\t\n", "", tabs), None);
    }
}
