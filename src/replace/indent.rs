//! From the query's indentation to the file's, by what aligned lines show.

use super::file_lines::leading;

/// One aligned line: how deep the query has it, and the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Seen<'a> {
    pub(super) query: &'a str,
    pub(super) file: &'a str,
}

/// How the query's indentation becomes the file's.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Reindent {
    rule: Rule,
}

/// Invariant: every rule maps equal indents to equal indents.
#[derive(Debug, Clone, PartialEq)]
enum Rule {
    /// As the query has it.
    Keep,
    /// So many characters more (or, negative, fewer), of this kind.
    Shift { by: isize, with: char },
    /// `from` characters of the query's kind are one level, `to` is one of the file's; and so many levels on top.
    Units { from: Unit, to: String, levels: isize },
}

/// One level of indentation as the query writes it: so many columns, a tab being so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unit {
    tab: usize,
    width: usize,
}

impl Reindent {
    /// The query's indentation as it stands.
    pub(super) fn keep() -> Reindent {
        Reindent { rule: Rule::Keep }
    }

    /// Finds the rule that explains most of what was seen; the plainest one where several do.
    ///
    /// `file_unit` is one level of the file's, `inserted` are the indents that are to be mapped. Lines that are off by a
    /// column here and there are slips of the query and make no rule.
    pub(super) fn learn(seen: &[Seen<'_>], file_unit: &str, inserted: &[&str]) -> Reindent {
        let explained = |rule: &Rule| seen.iter().filter(|seen| rule.apply(seen.query) == seen.file).count();
        let mut best = (explained(&Rule::Keep), Rule::Keep);
        let off_grid = inserted.iter().filter(|indent| indent.len() % file_unit.len().max(1) != 0).count();
        for rule in candidates(seen, file_unit) {
            let count = explained(&rule);
            let believed = if rule.is_by_levels(file_unit) {
                count as f32 >= LEVELS_SHARE * seen.len() as f32
            } else {
                count as f32 >= COLUMNS_SHARE * seen.len() as f32 && count > 1 && off_grid * 2 > inserted.len()
            };
            if count > best.0 && believed {
                best = (count, rule);
            }
        }
        Reindent { rule: best.1 }
    }

    /// `line` with the file's indentation; a blank line has none.
    pub(super) fn line(&self, line: &str) -> String {
        let indent = leading(line);
        let rest = &line[indent.len()..];
        if rest.trim().is_empty() {
            return String::new();
        }
        format!("{}{rest}", self.indent(indent))
    }

    /// An indent of the query as the file would have it.
    pub(super) fn indent(&self, indent: &str) -> String {
        self.rule.apply(indent)
    }
}

/// Share of the lines that a rule by whole levels must explain.
const LEVELS_SHARE: f32 = 0.55;
/// Share of the lines that a rule by single columns must explain.
const COLUMNS_SHARE: f32 = 0.8;

impl Rule {
    /// Whether it adds or takes whole levels of the file's.
    fn is_by_levels(&self, file_unit: &str) -> bool {
        match self {
            Rule::Keep => true,
            Rule::Shift { by, .. } => by.unsigned_abs() % file_unit.len().max(1) == 0,
            Rule::Units { from, .. } => !matches!(from.width, 1 | 3),
        }
    }

    fn apply(&self, indent: &str) -> String {
        match self {
            Rule::Keep => indent.to_owned(),
            Rule::Shift { by, with } if *by >= 0 => {
                let mut out: String = std::iter::repeat_n(*with, by.unsigned_abs()).collect();
                out.push_str(indent);
                out
            }
            Rule::Shift { by, .. } => indent.get(by.unsigned_abs().min(indent.len())..).unwrap_or("").to_owned(),
            Rule::Units { from, to, levels } => {
                let (whole, rest) = from.measure(indent);
                let levels = (whole as isize + levels).max(0).unsigned_abs();
                // What is left over aligns something by single columns; it stays so, in the file's scale.
                let rest = if to.starts_with('\t') { rest } else { rest * to.len() / from.width };
                to.repeat(levels) + &" ".repeat(rest)
            }
        }
    }
}

impl Unit {
    fn of(width: usize) -> Unit {
        Unit { tab: width, width }
    }

    /// Whole levels in `indent`, and columns left over.
    fn measure(self, indent: &str) -> (usize, usize) {
        let tabs = indent.bytes().filter(|byte| *byte == b'\t').count();
        let columns = tabs * self.tab + (indent.len() - tabs);
        (columns / self.width, columns % self.width)
    }
}

fn candidates(seen: &[Seen<'_>], file_unit: &str) -> Vec<Rule> {
    let mut rules = Vec::new();
    let with = file_unit.chars().next().unwrap_or(' ');
    let mut push = |rule: Rule| {
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    };
    let sample: Vec<&Seen<'_>> = seen.iter().take(64).collect();
    for seen in sample.iter().filter(|seen| is_only(seen.query, with) && is_only(seen.file, with)) {
        push(Rule::Shift { by: seen.file.len() as isize - seen.query.len() as isize, with });
    }
    let mut units: Vec<Unit> = [4, 2, 8].map(Unit::of).to_vec();
    if with == ' ' {
        // A tab may also stand for several of the file's levels.
        let width = file_unit.len().max(1);
        units.extend([2, 4].map(|levels| Unit { tab: levels * width, width }));
    }
    if sample.iter().any(|seen| seen.query != sample[0].query) {
        // Odd widths are believed only where they explain more than one depth.
        units.extend([3, 1].map(Unit::of));
    }
    for from in units {
        for seen in &sample {
            let (mine, _) = from.measure(seen.query);
            let theirs = if with == '\t' { Unit { tab: 1, width: 1 } } else { Unit::of(file_unit.len().max(1)) };
            let (levels, _) = theirs.measure(seen.file);
            push(Rule::Units { from, to: file_unit.to_owned(), levels: levels as isize - mine as isize });
        }
    }
    // Fewer levels on top are the plainer rule.
    rules.sort_by_key(|rule| match rule {
        Rule::Keep => 0,
        Rule::Shift { .. } => 1,
        Rule::Units { levels, .. } => 2 + levels.unsigned_abs(),
    });
    rules
}

fn is_only(indent: &str, character: char) -> bool {
    indent.chars().all(|found| found == character)
}

/// One level of indentation in `lines`: a tab, or the commonest step between a line and a deeper one below it.
pub(super) fn unit_of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let (mut tabs, mut spaces, mut steps, mut last) = (0usize, 0usize, [0usize; 9], 0usize);
    for line in lines.filter(|line| !line.trim().is_empty()) {
        let indent = leading(line);
        tabs += usize::from(indent.starts_with('\t'));
        spaces += usize::from(indent.starts_with("  "));
        if !indent.contains('\t') {
            if let Some(step) = indent.len().checked_sub(last).filter(|step| (2..=8).contains(step)) {
                steps[step] += 1;
            }
            last = indent.len();
        }
    }
    if tabs > spaces {
        return Some("\t".to_owned());
    }
    let best = (2..=8).max_by_key(|step| (steps[*step], usize::from(*step == 4)))?;
    (steps[best] > 0).then(|| " ".repeat(best))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seen: &[(&str, &str)], file_unit: &str, line: &str, expected: &str) {
        let seen: Vec<Seen<'_>> = seen.iter().map(|(query, file)| Seen { query, file }).collect();
        assert_eq!(Reindent::learn(&seen, file_unit, &[leading(line)]).line(line), expected, "{seen:?} {line:?}");
    }

    #[test]
    fn indents_follow_what_was_seen() {
        check(&[("", "\t"), ("    ", "\t\t")], "\t", "        x", "\t\t\tx");
        check(&[("    ", "\t"), ("        ", "\t\t")], "\t", "            x", "\t\t\tx");
        check(&[("\t", "    ")], "    ", "\t\tx", "        x");
        check(&[("", "    "), ("  ", "      ")], "  ", "    x", "        x");
        check(&[("  ", "    "), ("    ", "        ")], "    ", "      x", "            x");
        check(&[("      ", "    "), ("          ", "        ")], "    ", "      x", "    x");
    }

    #[test]
    fn a_slip_on_one_line_is_no_rule() {
        check(&[("   ", "    "), ("    ", "    "), ("        ", "        ")], "    ", "    x", "    x");
        check(&[("   ", "    ")], "    ", "    x", "    x");
    }

    #[test]
    fn a_unit_is_the_common_step() {
        for (text, unit) in [("a\n\tb\n", Some("\t")), ("a\n  b\n    c\n  d\n", Some("  ")), ("a\nb\n", None)] {
            assert_eq!(unit_of(text.lines()).as_deref(), unit, "{text:?}");
        }
    }
}
