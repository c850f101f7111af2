//! Our connection against two implementations of the protocol that we did not write: async-lsp and tower-lsp-server.
//!
//! The far end is this very test program, started again for one test. What the test runner prints around it on standard
//! output is junk to our codec, as it is with real language servers.

use std::path::Path;
use std::time::Duration;

use landfall::config::Servers;
use landfall::dirs::Dirs;
use landfall::workspace::verdict::{FileChange, Verdict};
use landfall::workspace::{Workspace, WorkspaceOptions};
use serde_json::{Value, json};

/// Set for the far end.
const FAR_END: &str = "LANDFALL_TEST_FAR_END";

/// Every line with `BAD` in it is an error.
fn diagnostics(text: &str) -> Vec<Value> {
    let bad = text.lines().enumerate().filter(|(_, line)| line.contains("BAD"));
    bad.map(|(line, text)| {
        let at = |column: usize| json!({ "line": line, "character": column });
        json!({ "range": { "start": at(0), "end": at(3) }, "severity": 1, "message": format!("bad: {text}") })
    })
    .collect()
}

fn is_far_end() -> bool {
    std::env::var_os(FAR_END).is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn async_lsp_understands_us() {
    if is_far_end() {
        far_ends::async_lsp().await;
    } else {
        edits_are_judged("async_lsp_understands_us").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tower_lsp_server_understands_us() {
    if is_far_end() {
        far_ends::tower_lsp_server().await;
    } else {
        edits_are_judged("tower_lsp_server_understands_us").await;
    }
}

async fn edits_are_judged(test: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let workspace = open(folder.path(), test);
    let file = workspace.root().join("a.scripted");
    let ready = workspace.diagnostics(Some(&file), Some(Duration::from_secs(30))).await;
    assert_eq!(ready[0].verdict, Verdict::Clean, "{:?}", ready[0]);
    let mut before = "one\ntwo\n".to_owned();
    for round in 0..20 {
        let bad = round % 2 == 0;
        let after = format!("one\n{}\n# {round}\n", if bad { "BAD 𝄞 é" } else { "two" });
        std::fs::write(&file, &after).expect("written");
        let change =
            FileChange { path: file.clone(), before: Some(before.as_str().into()), after: Some(after.as_str().into()) };
        let reports = workspace.landed(vec![change]).wait(Some(Duration::from_secs(20))).await;
        let lines: Vec<u32> = reports[0].introduced.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, if bad { vec![2] } else { vec![] }, "round {round}: {:?}", reports[0]);
        assert_eq!(reports[0].fixed.len(), usize::from(!bad), "round {round}: {:?}", reports[0]);
        before = after;
    }
    workspace.shutdown().await;
}

fn open(folder: &Path, test: &str) -> Workspace {
    let root = folder.join("w");
    std::fs::create_dir(&root).expect("made");
    std::fs::write(root.join("a.scripted"), "one\ntwo\n").expect("written");
    let own = std::env::current_exe().expect("a path");
    let servers = folder.join("servers.toml");
    let text = format!(
        "[servers.far]\ncommand = {own:?}\nargs = [\"--exact\", {test:?}, \"--nocapture\"]\nenv = {{ {FAR_END} = \"1\" }}\n\
         languages = [{{ id = \"scripted\", extensions = [\"scripted\"] }}]\nquiet_ms = 250\n"
    );
    std::fs::write(&servers, text).expect("written");
    let home = folder.as_os_str().to_owned();
    let dirs = Dirs::from(|name| (name == "HOME").then(|| home.clone())).expect("a home");
    let servers = Servers::from_files(&[servers]).expect("valid");
    Workspace::open(root.canonicalize().expect("there"), WorkspaceOptions::new(servers, true, &dirs))
}

mod far_ends {
    use std::ops::ControlFlow;

    use async_lsp::lsp_types::{notification, request};
    use async_lsp::router::Router;
    use async_lsp::server::LifecycleLayer;
    use serde_json::json;
    use tower::ServiceBuilder;

    use super::diagnostics;

    pub(crate) async fn async_lsp() {
        let (server, _) = async_lsp::MainLoop::new_server(|client| {
            let publish = move |uri: &str, version: i32, text: &str| {
                let params = json!({ "uri": uri, "version": version, "diagnostics": diagnostics(text) });
                let params = serde_json::from_value(params).expect("a publish");
                client.notify::<notification::PublishDiagnostics>(params).expect("sent");
            };
            let mut router = Router::new(publish);
            router
                .request::<request::Initialize, _>(|_, _| async {
                    let result = json!({ "capabilities": { "textDocumentSync": 1 } });
                    Ok(serde_json::from_value(result).expect("a result"))
                })
                .notification::<notification::Initialized>(|_, _| ControlFlow::Continue(()))
                .notification::<notification::DidChangeConfiguration>(|_, _| ControlFlow::Continue(()))
                .notification::<notification::DidChangeWatchedFiles>(|_, _| ControlFlow::Continue(()))
                .notification::<notification::DidSaveTextDocument>(|_, _| ControlFlow::Continue(()))
                .notification::<notification::DidOpenTextDocument>(|publish, params| {
                    let document = params.text_document;
                    publish(document.uri.as_str(), document.version, &document.text);
                    ControlFlow::Continue(())
                })
                .notification::<notification::DidChangeTextDocument>(|publish, params| {
                    let document = params.text_document;
                    publish(document.uri.as_str(), document.version, &params.content_changes[0].text);
                    ControlFlow::Continue(())
                });
            ServiceBuilder::new().layer(LifecycleLayer::default()).service(router)
        });
        let stdin = async_lsp::stdio::PipeStdin::lock_tokio().expect("a pipe");
        let stdout = async_lsp::stdio::PipeStdout::lock_tokio().expect("a pipe");
        let _ = server.run_buffered(stdin, stdout).await;
        std::process::exit(0);
    }

    struct Backend {
        client: tower_lsp_server::Client,
    }

    impl Backend {
        async fn publish(&self, uri: tower_lsp_server::ls_types::Uri, version: i32, text: &str) {
            let diagnostics = diagnostics(text).into_iter();
            let diagnostics = diagnostics.map(|item| serde_json::from_value(item).expect("a diagnostic")).collect();
            self.client.publish_diagnostics(uri, diagnostics, Some(version)).await;
        }
    }

    use tower_lsp_server::ls_types as types;

    impl tower_lsp_server::LanguageServer for Backend {
        async fn initialize(
            &self,
            _: types::InitializeParams,
        ) -> tower_lsp_server::jsonrpc::Result<types::InitializeResult> {
            let result = json!({ "capabilities": { "textDocumentSync": 1 } });
            Ok(serde_json::from_value(result).expect("a result"))
        }

        async fn shutdown(&self) -> tower_lsp_server::jsonrpc::Result<()> {
            Ok(())
        }

        async fn did_open(&self, params: types::DidOpenTextDocumentParams) {
            let document = params.text_document;
            self.publish(document.uri, document.version, &document.text).await;
        }

        async fn did_change(&self, params: types::DidChangeTextDocumentParams) {
            let document = params.text_document;
            self.publish(document.uri, document.version, &params.content_changes[0].text).await;
        }
    }

    pub(crate) async fn tower_lsp_server() {
        let (service, socket) = tower_lsp_server::LspService::new(|client| Backend { client });
        tower_lsp_server::Server::new(tokio::io::stdin(), tokio::io::stdout(), socket).serve(service).await;
        std::process::exit(0);
    }
}
