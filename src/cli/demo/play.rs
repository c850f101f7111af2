//! Plays a script through an MCP client and holds each result against what it should be.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use rmcp::model::CallToolRequestParams;
use rmcp::service::{RoleClient, RunningService};
use serde_json::{Map, Value, json};

use super::script::{Expect, Script, Step};

/// How long a language server may take to load a bundled project; jdtls on a cold, slow machine needs most of it.
const LOADING: Duration = Duration::from_secs(180);
/// Between two looks at whether it has loaded.
const PAUSE: Duration = Duration::from_millis(500);

type Client = RunningService<RoleClient, ()>;

/// A result as a client gets it.
struct Answer {
    text: String,
    structured: Value,
    elapsed: Duration,
}

/// Plays `script` on the project at `root`; what did not go as it should.
pub(super) async fn play(
    client: &Client,
    script: &Script,
    root: &Path,
    server: &str,
    out: &mut (impl Write + Send),
) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    if let Some(first) = script.steps.iter().find_map(|step| step.args.get("file_path")) {
        wait_until_loaded(client, first, server, out).await?;
    }
    for (number, step) in script.steps.iter().enumerate() {
        writeln!(out, "── {}. {}", number + 1, step.title)?;
        let arguments = filled(&step.args, root);
        writeln!(out, "→ {} {}", step.tool, Value::Object(arguments.clone()))?;
        let answer = call(client, &step.tool, arguments).await?;
        writeln!(out, "← {} ms\n{}\n", answer.elapsed.as_millis(), indented(&answer.text))?;
        let answer = settled(client, step, answer).await?;
        faults.extend(
            compare(&step.expect, &answer.structured)
                .into_iter()
                .map(|fault| format!("step {}, {}: {fault}", number + 1, step.title)),
        );
    }
    Ok(faults)
}

/// Shows that a cold language server is told as such, and waits until it has loaded.
async fn wait_until_loaded(
    client: &Client,
    file: &Value,
    server: &str,
    out: &mut (impl Write + Send),
) -> anyhow::Result<()> {
    let start = Instant::now();
    loop {
        let answer = call(client, "diagnostics", Map::from_iter([("file_path".to_owned(), file.clone())])).await?;
        match answer.structured["diagnostics"]["verdict"].as_str() {
            Some("loading" | "timed_out") if start.elapsed() < LOADING => tokio::time::sleep(PAUSE).await,
            Some("no_language_server") => {
                writeln!(
                    out,
                    "{server} is not installed, so results carry the syntax check alone. To get it: landfall servers install {server}\n"
                )?;
                return Ok(());
            }
            _ => {
                writeln!(
                    out,
                    "(ready after {:.1} s: {})\n",
                    start.elapsed().as_secs_f64(),
                    answer.text.lines().next().unwrap_or_default()
                )?;
                return Ok(());
            }
        }
    }
}

/// `answer`, or where its verdict had not settled in time the one that came later.
async fn settled(client: &Client, step: &Step, mut answer: Answer) -> anyhow::Result<Answer> {
    let start = Instant::now();
    while matches!(answer.structured["diagnostics"]["verdict"].as_str(), Some("loading" | "timed_out"))
        && start.elapsed() < LOADING
    {
        tokio::time::sleep(PAUSE).await;
        let file = step.args.get("file_path").cloned().unwrap_or_default();
        let later = call(client, "diagnostics", Map::from_iter([("file_path".to_owned(), file)])).await?;
        if let Some(report) = later.structured["since_last_call"].as_array().and_then(|reports| reports.first()) {
            answer.structured["diagnostics"] = report.clone();
        }
    }
    Ok(answer)
}

async fn call(client: &Client, tool: &str, arguments: Map<String, Value>) -> anyhow::Result<Answer> {
    let start = Instant::now();
    let result = client
        .call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments))
        .await
        .with_context(|| format!("the call of {tool} was not answered"))?;
    let elapsed = start.elapsed();
    let text: Vec<String> =
        result.content.iter().filter_map(|block| block.as_text()).map(|text| text.text.clone()).collect();
    Ok(Answer { text: text.join("\n"), structured: result.structured_content.unwrap_or_else(|| json!({})), elapsed })
}

/// The arguments with the workspace's path, or a misspelling of it, filled in.
fn filled(args: &Map<String, Value>, root: &Path) -> Map<String, Value> {
    let root = root.display().to_string();
    let typo = misspelt(&root);
    let fill = |value: &Value| match value {
        Value::String(text) => Value::from(text.replace("{workspace_typo}", &typo).replace("{workspace}", &root)),
        other => other.clone(),
    };
    args.iter().map(|(name, value)| (name.clone(), fill(value))).collect()
}

/// One separator of the temporary directory's name mistyped, as models do.
fn misspelt(root: &str) -> String {
    root.replacen("landfall-demo", "landfall_demo", 1)
}

fn compare(expect: &Expect, got: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    let report = &got["diagnostics"];
    let verdict = report["verdict"].as_str();
    let mut check = |what: &str, wanted: Option<&str>, holds: bool| {
        if let Some(wanted) = wanted.filter(|_| !holds) {
            faults.push(format!("{what} should be {wanted}; the result is {got}"));
        }
    };
    let landed = got["landed"].as_bool();
    check("landed", expect.landed.map(|landed| if landed { "true" } else { "false" }), landed == expect.landed);
    let via = got["matched_via"].as_str().unwrap_or_default();
    check(
        "matched_via",
        expect.matched_via_contains.as_deref(),
        expect.matched_via_contains.as_deref().is_some_and(|part| via.contains(part)),
    );
    check("code", expect.code.as_deref(), got["code"].as_str() == expect.code.as_deref());
    let put_right = got.get("path_note").is_some();
    check(
        "path_put_right",
        expect.path_put_right.map(|right| if right { "true" } else { "false" }),
        expect.path_put_right == Some(put_right),
    );
    if verdict == Some("no_language_server") {
        return faults;
    }
    let any = |list: &str, field: &str, part: Option<&str>| {
        let problems = report[list].as_array().map(Vec::as_slice).unwrap_or_default();
        part.is_some_and(|part| {
            problems.iter().any(|problem| problem[field].as_str().is_some_and(|text| text.contains(part)))
        })
    };
    check("the verdict", expect.verdict.as_deref(), verdict == expect.verdict.as_deref());
    check(
        "introduced",
        expect.introduced_contains.as_deref(),
        any("introduced", "message", expect.introduced_contains.as_deref()),
    );
    check("elsewhere", expect.elsewhere_file.as_deref(), any("elsewhere", "file", expect.elsewhere_file.as_deref()));
    faults
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_that_is_not_as_it_should_be_is_told() {
        let expect = Expect {
            landed: Some(true),
            verdict: Some("problems".into()),
            introduced_contains: Some("undefined".into()),
            elsewhere_file: Some("b.go".into()),
            ..Expect::default()
        };
        let good = json!({ "landed": true, "diagnostics": {
            "verdict": "problems", "introduced": [{ "message": "undefined: x" }], "elsewhere": [{ "file": "b.go" }] } });
        assert_eq!(compare(&expect, &good), Vec::<String>::new());
        assert_eq!(compare(&expect, &json!({ "landed": false, "diagnostics": { "verdict": "clean" } })).len(), 4);
        assert_eq!(
            compare(&expect, &json!({ "landed": true, "diagnostics": { "verdict": "no_language_server" } })).len(),
            0
        );
    }
}
