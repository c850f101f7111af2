//! `landfall demo`: the main job on bundled projects, shown as an agent sees it.
//!
//! The real service runs in this process and is driven through a real MCP connection. Each language's steps are data
//! (`fixtures/demo/*.toml`); a step that does not do what it should makes the exit code 1.

mod play;
mod script;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use include_dir::{Dir, include_dir};
use rmcp::ServiceExt;

use super::service::{self, ServiceArguments};
use crate::mcp::McpFace;
use crate::service::Connecting;
use crate::session::Allowed;
use script::Script;

static WORKSPACES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/fixtures/workspaces");

/// The languages shown: the folder of the project, its script, and the language server to install for more.
const LANGUAGES: [(&str, &str, &str); 3] = [
    ("go", include_str!("../../fixtures/demo/go.toml"), "gopls"),
    ("java", include_str!("../../fixtures/demo/java.toml"), "jdtls"),
    ("zig", include_str!("../../fixtures/demo/zig.toml"), "zls"),
];

/// What to show.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    service: ServiceArguments,
    /// Only these languages (go, java, zig)
    #[arg(value_name = "LANGUAGE", value_parser = ["go", "java", "zig"])]
    languages: Vec<String>,
}

pub(super) fn run(arguments: Arguments, out: &mut (impl Write + Send)) -> anyhow::Result<ExitCode> {
    let runtime = service::runtime()?;
    let faults = runtime.block_on(async {
        let mut faults = Vec::new();
        for (language, script, server) in LANGUAGES {
            if arguments.languages.is_empty() || arguments.languages.iter().any(|wanted| wanted == language) {
                let script = Script::parse(script).with_context(|| format!("the script of the {language} demo"))?;
                faults.extend(show(language, &script, server, &arguments.service, out).await?);
            }
        }
        anyhow::Ok(faults)
    });
    runtime.shutdown_background();
    let faults = faults?;
    for fault in &faults {
        writeln!(out, "NOT AS IT SHOULD BE: {fault}")?;
    }
    if faults.is_empty() {
        writeln!(out, "Every edit did what it should.")?;
    }
    Ok(if faults.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Plays one language's script on a fresh copy of its project; what did not go as it should.
async fn show(
    language: &str,
    script: &Script,
    server: &str,
    arguments: &ServiceArguments,
    out: &mut (impl Write + Send),
) -> anyhow::Result<Vec<String>> {
    let folder = tempfile::Builder::new().prefix("landfall-demo-").tempdir().context("no temporary directory")?;
    let root = folder.path().canonicalize()?.join(language);
    copy(language, &root)?;
    writeln!(out, "━━━ {language}: a copy of fixtures/workspaces/{language} in {}\n", root.display())?;
    let service = service::service(arguments)?;
    let session = service.connect(Connecting { face: "stdio", home: root.clone(), allowed: Allowed::default() })?;
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let face = McpFace::new(session, true);
    let serving = tokio::spawn(async move { anyhow::Ok(face.serve(ours).await?.waiting().await?) });
    let client = ().serve(theirs).await.context("the in-process client was refused")?;
    let faults = play::play(&client, script, &root, server, out).await;
    client.cancel().await.ok();
    serving.await.ok();
    service.shutdown().await;
    Ok(faults?.into_iter().map(|fault| format!("{language}: {fault}")).collect())
}

fn copy(language: &str, root: &Path) -> anyhow::Result<()> {
    let project = WORKSPACES.get_dir(language).with_context(|| format!("no bundled project for {language}"))?;
    let mut open: Vec<&Dir<'_>> = vec![project];
    while let Some(dir) = open.pop() {
        open.extend(dir.dirs());
        for file in dir.files() {
            let relative: PathBuf = file.path().strip_prefix(language)?.to_owned();
            let target = root.join(relative);
            std::fs::create_dir_all(target.parent().unwrap_or(root))?;
            std::fs::write(&target, file.contents())
                .with_context(|| format!("{} cannot be written", target.display()))?;
        }
    }
    Ok(())
}
