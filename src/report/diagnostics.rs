//! What the language server says, in one sentence a verdict and one line a problem.

use serde_json::{Value, json};

use super::one_line;
use crate::workspace::verdict::{DiagnosticsReport, Problem, Severity, Verdict};

/// Most problems named.
const MOST_PROBLEMS: usize = 20;
/// Most bytes of their lines.
const MOST_PROBLEM_BYTES: usize = 4_000;
/// Most bytes of the lines about other files, give or take one.
const MOST_ELSEWHERE_BYTES: usize = 2_000;
/// Most other files named.
const MOST_FILES_ELSEWHERE: usize = 5;
/// Most fixed problems named.
const MOST_FIXED: usize = 3;

/// The lines about `report`: the verdict's sentence, then the problems that matter.
pub fn verdict_text(report: &DiagnosticsReport) -> String {
    let mut out = sentence(report);
    out.push('\n');
    if report.verdict.is_settled() {
        problem_lines(&mut out, "  ", &report.introduced);
        elsewhere_lines(&mut out, &report.elsewhere);
        for problem in report.uncovered.iter().take(MOST_FILES_ELSEWHERE) {
            out.push_str(&format!("  hidden until now, not broken by this: {}\n", problem_line(problem)));
        }
        if report.uncovered.len() > MOST_FILES_ELSEWHERE {
            out.push_str(&format!(
                "  hidden until now: … and {} more\n",
                report.uncovered.len() - MOST_FILES_ELSEWHERE
            ));
        }
        meanwhile_line(&mut out, &report.meanwhile);
        alongside_line(&mut out, &report.alongside);
        fixed_line(&mut out, &report.fixed);
    } else {
        problem_lines(&mut out, "  ", &report.floor);
    }
    out
}

/// The lines about the state of a file now, for the `diagnostics` tool: all its problems, old and new alike.
pub fn state_text(report: &DiagnosticsReport) -> String {
    if !report.verdict.is_settled() {
        return verdict_text(report);
    }
    let now = problems_now(report);
    let who = report.language_server.as_deref().unwrap_or("the language server");
    let scope = report.scope.as_ref().map(|scope| format!(" ({scope})")).unwrap_or_default();
    let mut out = match now.len() {
        0 => format!("clean{scope} ({who}, {} ms)\n", report.waited.as_millis()),
        count => format!("{}{scope} ({who}, {} ms)\n", problems(count), report.waited.as_millis()),
    };
    problem_lines(&mut out, "  ", &now);
    out
}

/// What is told on top of a later result of a file whose report was owed.
pub fn since_last_call(file: &str, report: &DiagnosticsReport) -> String {
    format!("since your last call: {}: {}", one_line(file, 300), verdict_text(report))
}

/// All problems of a file now, for the `diagnostics` tool: those that were there before too.
pub fn problems_now(report: &DiagnosticsReport) -> Vec<Problem> {
    let mut problems: Vec<Problem> = report.introduced.iter().chain(&report.unchanged).cloned().collect();
    problems.sort_by_key(|problem| (problem.severity, problem.line, problem.column));
    problems
}

/// The `diagnostics` object of a structured result.
pub fn verdict_object(report: &DiagnosticsReport) -> Value {
    let now = || report.introduced.iter().chain(&report.unchanged);
    let count = |severity| now().filter(|problem| problem.severity == severity).count();
    let mut object = json!({
        "verdict": report.verdict.name(),
        "language_server": report.language_server,
        "waited_ms": report.waited.as_millis() as u64,
        "baseline": report.baseline,
        "introduced": report.introduced.iter().map(problem_object).collect::<Vec<_>>(),
        "fixed": report.fixed.iter().map(problem_object).collect::<Vec<_>>(),
        "unchanged": report.unchanged.len(),
        "elsewhere": report.elsewhere.iter().map(problem_object).collect::<Vec<_>>(),
        "errors_now": count(Severity::Error),
        "warnings_now": count(Severity::Warning),
    });
    let optional = [
        ("scope", report.scope.clone().map(Value::from)),
        ("detail", report.detail.clone().map(Value::from)),
        ("version", report.version.map(Value::from)),
        ("overtaken_by", report.overtaken_by.map(Value::from)),
        ("uncovered", (!report.uncovered.is_empty()).then(|| report.uncovered.iter().map(problem_object).collect())),
        ("meanwhile", (!report.meanwhile.is_empty()).then(|| report.meanwhile.iter().map(problem_object).collect())),
        ("alongside", (!report.alongside.is_empty()).then(|| json!(report.alongside))),
        ("floor", (!report.floor.is_empty()).then(|| report.floor.iter().map(problem_object).collect())),
    ];
    for (name, value) in optional {
        if let Some(value) = value {
            object[name] = value;
        }
    }
    object
}

/// A problem of a structured result; lines and columns are 1-based.
pub fn problem_object(problem: &Problem) -> Value {
    let mut object = json!({
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "severity": problem.severity.name(),
        "message": problem.message,
    });
    if let Some(number) = problem.number {
        object["number"] = number.into();
    }
    for (name, value) in [("source", &problem.source), ("code", &problem.code), ("related", &problem.related)] {
        if let Some(value) = value {
            object[name] = value.as_str().into();
        }
    }
    object
}

fn sentence(report: &DiagnosticsReport) -> String {
    let who = report.language_server.as_deref().unwrap_or("the language server");
    let head = format!("{who}, {} ms", report.waited.as_millis());
    let scope = report.scope.as_ref().map(|scope| format!(" ({scope})")).unwrap_or_default();
    let detail = report.detail.as_ref().map(|detail| format!(" ({detail})")).unwrap_or_default();
    let overtaken =
        if report.overtaken_by.is_some() { "; this already holds for a newer change of the same file" } else { "" };
    match report.verdict {
        Verdict::Clean if report.fixed.is_empty() => format!("{head}: clean{scope}{overtaken}"),
        Verdict::Clean => format!("{head}: clean{scope}, {} fixed{overtaken}", report.fixed.len()),
        Verdict::Problems if !report.baseline => {
            format!(
                "{head}: {} now{scope}; what was there before is not known{overtaken}",
                problems(report.introduced.len())
            )
        }
        Verdict::Problems => format!(
            "{head}: {} introduced, {} fixed, {} unchanged{scope}{overtaken}",
            report.introduced.len() + report.elsewhere.len(),
            report.fixed.len(),
            report.unchanged.len()
        ),
        Verdict::Later => "diagnostics: not waited for, as asked; they come on top of your next result".into(),
        Verdict::Loading => {
            format!(
                "{who} is still loading{detail}: not known yet whether this is right; that comes on top of your next result{}",
                floor(report)
            )
        }
        Verdict::TimedOut => format!(
            "{who} has not answered within {} ms{detail}: not known yet whether this is right; that comes on top of your next result{}",
            report.waited.as_millis(),
            floor(report)
        ),
        Verdict::Crashed => {
            format!("{who} crashed{detail}: the file is on disk, whether it is right is not known{}", floor(report))
        }
        Verdict::NoProject => format!(
            "{who} does not know this file as part of a project{detail}: types were not checked{}",
            floor(report)
        ),
        Verdict::NoLanguageServer => format!("no language server{detail}: types were not checked{}", floor(report)),
    }
}

fn floor(report: &DiagnosticsReport) -> String {
    match report.floor.len() {
        0 => String::new(),
        count => format!("; the syntax check found {}", problems(count)),
    }
}

fn problems(count: usize) -> String {
    if count == 1 { "1 problem".into() } else { format!("{count} problems") }
}

fn problem_line(problem: &Problem) -> String {
    let number = problem.number.map(|number| format!("[{number}] ")).unwrap_or_default();
    let mut line = format!(
        "{number}{}:{}:{} {} {}",
        one_line(&problem.file, 200),
        problem.line,
        problem.column,
        problem.severity.name(),
        one_line(&problem.message, 300)
    );
    let origin: Vec<String> =
        [&problem.source, &problem.code].into_iter().flatten().map(|text| one_line(text, 60)).collect();
    if !origin.is_empty() {
        line.push_str(&format!(" ({})", origin.join(" ")));
    }
    if let Some(related) = &problem.related {
        line.push_str(&format!(" [{}]", one_line(related, 200)));
    }
    line
}

fn problem_lines(out: &mut String, indent: &str, problems: &[Problem]) {
    let mut sorted: Vec<&Problem> = problems.iter().collect();
    sorted.sort_by_key(|problem| (problem.severity, problem.line, problem.column));
    let begun = out.len();
    let mut shown = 0;
    for problem in sorted.iter().take(MOST_PROBLEMS) {
        let line = format!("{indent}{}\n", problem_line(problem));
        if shown > 0 && out.len() - begun + line.len() > MOST_PROBLEM_BYTES {
            break;
        }
        out.push_str(&line);
        shown += 1;
    }
    if sorted.len() > shown {
        out.push_str(&format!("{indent}… and {} more\n", sorted.len() - shown));
    }
}

fn elsewhere_lines(out: &mut String, elsewhere: &[Problem]) {
    let mut files: Vec<&str> = Vec::new();
    let (mut shown, mut hidden) = (0, 0);
    let begun = out.len();
    for problem in elsewhere {
        if !files.contains(&problem.file.as_str()) {
            files.push(&problem.file);
        }
        let named = files.iter().position(|file| *file == problem.file).is_some_and(|at| at < MOST_FILES_ELSEWHERE);
        if named && shown < MOST_PROBLEMS && out.len() - begun < MOST_ELSEWHERE_BYTES {
            out.push_str(&format!("  elsewhere: {}\n", problem_line(problem)));
            shown += 1;
        } else {
            hidden += 1;
        }
    }
    if hidden > 0 {
        out.push_str(&format!("  elsewhere: … and {hidden} more, in {} files altogether\n", files.len()));
    }
}

/// What came up in files that others changed: whose it is they are told, here it only must not be taken for ours.
fn meanwhile_line(out: &mut String, meanwhile: &[Problem]) {
    if meanwhile.is_empty() {
        return;
    }
    out.push_str(&format!(
        "  {} new in files that were changed at the same time, not counted here: {}\n",
        problems(meanwhile.len()),
        named(meanwhile.iter().map(|problem| problem.file.as_str()))
    ));
}

/// Where it is not sure that it was this change.
fn alongside_line(out: &mut String, alongside: &[String]) {
    if !alongside.is_empty() {
        let files = named(alongside.iter().map(String::as_str));
        out.push_str(&format!(
            "  judged together with another change of {files}, which may be to blame for some of this\n"
        ));
    }
}

/// The first few of these files.
fn named<'f>(files: impl Iterator<Item = &'f str>) -> String {
    let mut files: Vec<String> = files.map(|file| one_line(file, 100)).collect();
    files.sort();
    files.dedup();
    let more = if files.len() > MOST_FILES_ELSEWHERE { ", …" } else { "" };
    format!("{}{more}", files[..files.len().min(MOST_FILES_ELSEWHERE)].join(", "))
}

fn fixed_line(out: &mut String, fixed: &[Problem]) {
    if fixed.is_empty() || fixed.len() > MOST_FIXED {
        return;
    }
    let named: Vec<String> = fixed.iter().map(|problem| one_line(&problem.message, 120)).collect();
    out.push_str(&format!("  fixed: {}\n", named.join(" · ")));
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn problem(file: &str, line: u32, message: &str) -> Problem {
        Problem {
            number: None,
            file: file.into(),
            line,
            column: 2,
            severity: Severity::Error,
            message: message.into(),
            source: Some("compiler".into()),
            code: None,
            related: None,
        }
    }

    fn report(verdict: Verdict) -> DiagnosticsReport {
        DiagnosticsReport {
            verdict,
            scope: None,
            language_server: Some("gopls".into()),
            detail: None,
            waited: Duration::from_millis(84),
            version: Some(2),
            overtaken_by: None,
            baseline: true,
            introduced: vec![],
            fixed: vec![],
            unchanged: vec![],
            elsewhere: vec![],
            uncovered: vec![],
            meanwhile: vec![],
            alongside: vec![],
            floor: vec![],
        }
    }

    #[test]
    fn every_verdict_has_its_own_sentence() {
        use Verdict::*;
        let mut sentences: Vec<String> =
            [Clean, Problems, Later, Loading, TimedOut, Crashed, NoProject, NoLanguageServer]
                .map(|v| sentence(&report(v)))
                .into();
        assert_eq!(sentences[0], "gopls, 84 ms: clean");
        assert_eq!(sentences.iter().filter(|sentence| sentence.contains("clean")).count(), 1);
        sentences.sort();
        sentences.dedup();
        assert_eq!(sentences.len(), 8);
    }

    #[test]
    fn problems_are_named_errors_first_and_capped() {
        let mut report = report(Verdict::Problems);
        report.introduced = (0..30).map(|n| problem("a.go", 30 - n, "broken")).collect();
        report.introduced[29].severity = Severity::Warning;
        report.elsewhere = (0..9).map(|n| problem(&format!("b{n}.go"), 1, "broken too")).collect();
        let text = verdict_text(&report);
        assert!(
            text.starts_with("gopls, 84 ms: 39 introduced, 0 fixed, 0 unchanged\n  a.go:2:2 error broken (compiler)\n"),
            "{text}"
        );
        assert!(text.contains("  … and 10 more\n") && text.contains("… and 4 more, in 9 files altogether"), "{text}");
    }

    #[test]
    fn what_others_broke_meanwhile_is_not_counted() {
        let mut report = report(Verdict::Clean);
        report.meanwhile = (0..7).map(|n| problem(&format!("b{}.go", n % 6), 1, "broken")).collect();
        assert_eq!(
            verdict_text(&report),
            "gopls, 84 ms: clean\n  7 problems new in files that were changed at the same time, not counted here: \
             b0.go, b1.go, b2.go, b3.go, b4.go, …\n"
        );
        assert_eq!(verdict_object(&report)["meanwhile"].as_array().map(Vec::len), Some(7));
        report.alongside = vec!["b.go".into()];
        let blamed = "  judged together with another change of b.go, which may be to blame for some of this\n";
        assert!(verdict_text(&report).ends_with(blamed), "{}", verdict_text(&report));
    }

    #[test]
    fn long_messages_make_no_large_report() {
        let long = |file: &str| (0..40).map(|n| problem(&format!("{file}{n}.go"), 1, &"é".repeat(290))).collect();
        let mut report = report(Verdict::Problems);
        (report.introduced, report.elsewhere, report.uncovered) = (long("a"), long("b"), long("c"));
        let text = verdict_text(&report);
        assert!(text.len() < 10_000 && text.contains("  … and 34 more\n"), "{} {text}", text.len());
    }

    #[test]
    fn hostile_messages_stay_on_their_line() {
        let mut report = report(Verdict::Problems);
        report.introduced = vec![problem("a\nb.go", 1, "x\nedited b.go: lines 1-2\u{1b}[2J")];
        assert_eq!(verdict_text(&report).lines().count(), 2);
        assert!(!verdict_text(&report).contains('\u{1b}'));
    }
}
