//! Language servers that misbehave, each with the verdict it must give: `fixtures/scripted/*.toml`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use landfall::config::Servers;
use landfall::dirs::Dirs;
use landfall::workspace::verdict::{DiagnosticsReport, FileChange, Problem, Verdict};
use landfall::workspace::{Workspace, WorkspaceOptions};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    why: String,
    #[serde(default = "before")]
    before: String,
    #[serde(default)]
    after: String,
    /// Instead of `after`: so many lines, the second of them bad.
    after_lines: Option<usize>,
    /// Whether the first round is waited for before the change.
    #[serde(default = "yes")]
    warm: bool,
    #[serde(default = "patience")]
    budget_ms: u64,
    #[serde(default = "patience")]
    request_ms: u64,
    /// How the language server gives its diagnostics.
    #[serde(default = "auto")]
    diagnostics: String,
    expect: Expected,
    /// What a second, patient wait gives.
    late: Option<Expected>,
    #[serde(rename = "script")]
    _script: Option<toml::Table>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    verdict: String,
    /// Lines, 1-based.
    introduced: Option<Vec<u32>>,
    #[serde(default)]
    fixed: Vec<u32>,
    #[serde(default)]
    elsewhere: Vec<String>,
    message: Option<String>,
}

fn before() -> String {
    "one\ntwo\n".to_owned()
}

fn auto() -> String {
    "auto".to_owned()
}

fn yes() -> bool {
    true
}

fn patience() -> u64 {
    10_000
}

/// The example is built with the tests, beside them.
fn scripted_language_server() -> PathBuf {
    let own = std::env::current_exe().expect("a path");
    let target = own.parent().and_then(Path::parent).expect("in target/*/deps");
    let program = target.join("examples/scripted_language_server");
    assert!(program.exists(), "{} is missing: cargo build --examples", program.display());
    program
}

fn open(folder: &Path, scenario: &Scenario, script: &Path) -> Workspace {
    let servers = folder.join("servers.toml");
    let text = format!(
        "[servers.scripted]\ncommand = {:?}\nargs = [{:?}]\nlanguages = [{{ id = \"scripted\", extensions = [\"scripted\"] }}]\n\
         quiet_ms = 250\ndiagnostics = {:?}\n[servers.scripted.timeouts]\nrequest_ms = {}\n",
        scripted_language_server(),
        script,
        scenario.diagnostics,
        scenario.request_ms,
    );
    std::fs::write(&servers, text).expect("written");
    let home = folder.as_os_str().to_owned();
    let dirs = Dirs::from(|name| (name == "HOME").then(|| home.clone())).expect("a home");
    let servers = Servers::from_files(&[servers]).expect("valid");
    let options = WorkspaceOptions::new(servers, true, &dirs);
    Workspace::open(folder.join("w").canonicalize().expect("there"), options)
}

async fn play(path: &Path) {
    let text = std::fs::read_to_string(path).expect("readable");
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("w");
    std::fs::create_dir(&root).expect("made");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, text.replace("MARK", &folder.path().join("mark").to_string_lossy())).expect("written");
    let mut scenario: Scenario = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    if let Some(lines) = scenario.after_lines {
        scenario.after = format!("one\nBAD two\n{}", "a line that is neither good nor bad\n".repeat(lines));
    }
    for name in ["a.scripted", "b.scripted"] {
        std::fs::write(root.join(name), &scenario.before).expect("written");
    }
    let workspace = open(folder.path(), &scenario, &script);
    let file = workspace.root().join("a.scripted");
    if scenario.warm {
        let ready = workspace.diagnostics(Some(&file), Some(Duration::from_secs(30))).await;
        assert!(ready[0].verdict.is_settled(), "{}: not ready, {:?}", path.display(), ready[0]);
    }
    std::fs::write(&file, &scenario.after).expect("written");
    let change = FileChange {
        path: file,
        before: Some(scenario.before.as_str().into()),
        after: Some(scenario.after.as_str().into()),
    };
    let settling = workspace.landed(vec![change]);
    let reports = settling.wait(Some(Duration::from_millis(scenario.budget_ms))).await;
    check(path, &scenario, "at first", &reports, &scenario.expect);
    if let Some(late) = &scenario.late {
        let reports = settling.wait(Some(Duration::from_secs(30))).await;
        check(path, &scenario, "in the end", &reports, late);
    }
    let pids: Vec<u32> = workspace.servers().iter().filter_map(|status| status.pid).collect();
    workspace.shutdown().await;
    for pid in pids {
        let alive = || std::fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty());
        let deadline = std::time::Instant::now() + Duration::from_secs(5);
        while alive() {
            assert!(std::time::Instant::now() < deadline, "{}: process {pid} is left", path.display());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

fn check(path: &Path, scenario: &Scenario, when: &str, reports: &[DiagnosticsReport], expected: &Expected) {
    let [report] = reports else { panic!("{}: {} reports", path.display(), reports.len()) };
    let context = || format!("{} {when}: {}\n{report:#?}", path.display(), scenario.why);
    assert_eq!(report.verdict.name(), expected.verdict, "{}", context());
    let lines = |problems: &[Problem]| problems.iter().map(|problem| problem.line).collect::<Vec<_>>();
    if let Some(introduced) = &expected.introduced {
        assert_eq!(lines(&report.introduced), *introduced, "{}", context());
    }
    assert_eq!(lines(&report.fixed), expected.fixed, "{}", context());
    let elsewhere: Vec<&str> = report.elsewhere.iter().map(|problem| problem.file.as_str()).collect();
    assert_eq!(elsewhere, expected.elsewhere, "{}", context());
    if let Some(message) = &expected.message {
        assert_eq!(report.introduced[0].message, *message, "{}", context());
    }
    if report.verdict == Verdict::Clean {
        assert!(report.introduced.is_empty() && report.unchanged.is_empty(), "{}", context());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_scenario_gives_its_verdict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/scripted");
    let mut scenarios: Vec<PathBuf> =
        std::fs::read_dir(&folder).expect("there").map(|entry| entry.expect("readable").path()).collect();
    scenarios.sort();
    assert!(scenarios.len() >= 20, "scenarios are missing");
    let only = std::env::var("SCENARIO").unwrap_or_default();
    let played = scenarios.into_iter().filter(|path| path.to_string_lossy().contains(&only));
    let tasks: Vec<_> = played.map(|path| tokio::spawn(async move { play(&path).await })).collect();
    let mut failed = 0;
    for task in tasks {
        failed += usize::from(task.await.is_err());
    }
    assert_eq!(failed, 0, "scenarios failed; see above");
}

/// Room for three: the fourth is let in when one has not been used for a while, and never while all are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_workspaces_share_one_memory_budget() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.toml");
    std::fs::write(&script, "[script]\nstart = [{ do = \"grow\", megabytes = 55 }]\n").expect("written");
    let servers = folder.path().join("servers.toml");
    let text = format!(
        "memory_mb = 200\n[servers.scripted]\ncommand = {:?}\nargs = [{script:?}]\nmemory_mb = 128\n\
         languages = [{{ id = \"scripted\", extensions = [\"scripted\"] }}]\n",
        scripted_language_server(),
    );
    std::fs::write(&servers, text).expect("written");
    let home = folder.path().as_os_str().to_owned();
    let dirs = Dirs::from(|name| (name == "HOME").then(|| home.clone())).expect("a home");
    let options = WorkspaceOptions::new(Servers::from_files(&[servers]).expect("valid"), true, &dirs);
    let registry = landfall::workspace::Registry::new(options);
    let mut open = Vec::new();
    let running = |open: &[Workspace]| open.iter().flat_map(Workspace::servers).filter(|one| one.pid.is_some()).count();
    for number in 0..4 {
        let root = folder.path().join(number.to_string());
        std::fs::create_dir(&root).expect("made");
        std::fs::write(root.join("a.scripted"), "one\n").expect("written");
        let workspace = registry.open(&root).expect("opened");
        let file = workspace.root().join("a.scripted");
        let reports = workspace.diagnostics(Some(&file), Some(Duration::from_secs(60))).await;
        assert_eq!(reports[0].verdict, Verdict::Clean, "{number}: {:?}", reports[0]);
        open.push(workspace);
        assert!(running(&open) <= 3, "{number}: {} run", running(&open));
    }
    assert!(open[0].servers()[0].pid.is_none(), "the least recently used made room: {:?}", open[0].servers());
    registry.shutdown().await;
}
