//! What belongs into which file of a client.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::client::Client;
use super::places::{Places, first_there};
use super::{disk, json, systemd, toml};

/// What the user asked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Wishes {
    /// The client's own edit tools are switched off.
    pub(super) replace: bool,
    /// By hooks, not by MCP.
    pub(super) hooks: bool,
    /// OpenCode 2.
    pub(super) second_version: bool,
}

/// What is to be in a client's files.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) files: Vec<FilePlan>,
    /// What the user should know.
    pub(super) notes: Vec<String>,
}

/// What is to be in one file.
#[derive(Debug)]
pub(super) struct FilePlan {
    pub(super) path: PathBuf,
    pub(super) content: Content,
}

/// What is to be in a file.
#[derive(Debug)]
pub(super) enum Content {
    /// These keys among others, in JSON with comments. Lists named by a JSON pointer keep what else they have.
    Json { keys: Value, lists: &'static [&'static str] },
    /// These keys among others, in TOML.
    Toml { keys: Value },
    /// This and nothing else.
    Whole(String),
}

impl FilePlan {
    /// What would be in a new file.
    pub(super) fn snippet(&self) -> String {
        match &self.content {
            Content::Json { keys, .. } => json::fresh(keys),
            Content::Toml { keys } => toml::fresh(keys),
            Content::Whole(text) => text.clone(),
        }
    }
}

/// What `client` needs.
///
/// # Errors
/// When the client has no such way, or a file that decides cannot be read.
pub(super) fn of(client: Client, wishes: Wishes, places: &Places) -> anyhow::Result<Plan> {
    if wishes.hooks && client != Client::ClaudeCode {
        anyhow::bail!("--hooks is for claude-code only; without it, {} is attached by MCP", client.name());
    }
    if wishes.second_version && client != Client::Opencode {
        anyhow::bail!("--v2 is for opencode only");
    }
    let program = places.program.as_str();
    let stdio = json!({ "type": "stdio", "command": program, "args": ["mcp"] });
    let plain = json!({ "command": program, "args": ["mcp"] });
    // These start their servers anywhere, and fill in the folder that is open.
    let in_folder =
        json!({ "type": "stdio", "command": program, "args": ["mcp", "--workspace", "${workspaceFolder}"] });
    let plan = match client {
        Client::ClaudeCode => claude_code(wishes, places, stdio),
        Client::Opencode => return opencode(wishes, places),
        Client::Codex => Plan::toml(places.codex(), json!({ "mcp_servers": { "landfall": plain } }))
            .note(places.is_project(), "Codex reads a project's file only in projects that you trust")
            .note(
                wishes.replace,
                "Codex has no setting that switches its apply_patch off: tell the model in AGENTS.md to edit with \
                 the landfall tools",
            ),
        Client::Gemini => gemini(wishes, places, plain),
        Client::Zed => {
            let path = places.project_or_config(".zed/settings.json", "zed/settings.json");
            Plan::json(path, json!({ "context_servers": { "landfall": plain } }), &[])
                .note(wishes.replace, "Zed's own edit tools are switched off in an agent profile, not here")
        }
        Client::Vscode => Plan::json(places.vscode(), json!({ "servers": { "landfall": in_folder } }), &[])
            .note(wishes.replace, "VS Code's own edit tools are switched off in the tool picker of the chat, not here"),
        Client::Cursor => {
            let path = places.project_or_home(".cursor/mcp.json", ".cursor/mcp.json");
            Plan::json(path, json!({ "mcpServers": { "landfall": in_folder } }), &[])
                .note(wishes.replace, "Cursor's own edit tools are switched off in a custom mode, not here")
        }
        Client::Crush => crush(wishes, places, stdio),
        Client::Systemd => {
            let text = systemd::unit(program, &std::env::var("PATH").unwrap_or_default());
            let content = Content::Whole(text);
            let plan = Plan { files: vec![FilePlan { path: places.systemd(), content }], notes: Vec::new() };
            plan.note(true, "start it: systemctl --user daemon-reload && systemctl --user enable --now landfall")
        }
    };
    Ok(plan)
}

fn claude_code(wishes: Wishes, places: &Places, entry: Value) -> Plan {
    if wishes.hooks {
        let lists = &["/hooks/PreToolUse", "/hooks/PostToolUse", "/hooks/PostToolUseFailure"];
        return Plan::json(places.claude_settings(), claude_hooks(&places.program), lists)
            .note(true, "/hooks in Claude Code shows them");
    }
    let mut plan = Plan::json(places.claude_servers(), json!({ "mcpServers": { "landfall": entry } }), &[])
        .note(!places.is_project(), "Claude Code writes this file too: do this while it is not running")
        .note(true, "`claude mcp list` shows it");
    if wishes.replace {
        let keys = json!({ "permissions": { "deny": ["Edit", "MultiEdit", "Write", "NotebookEdit"] } });
        let content = Content::Json { keys, lists: &["/permissions/deny"] };
        plan.files.push(FilePlan { path: places.claude_settings(), content });
    }
    plan
}

/// Mistyped paths are put right before a call, what came of it is said after.
fn claude_hooks(program: &str) -> Value {
    let entry = |matcher: &str| {
        let command = format!("{} hook claude", shell_word(program));
        json!([{ "matcher": matcher, "hooks": [{ "type": "command", "command": command, "timeout": 15 }] }])
    };
    let changing = "Edit|MultiEdit|Write|NotebookEdit";
    json!({ "hooks": {
        "PreToolUse": entry(&format!("Read|{changing}")),
        "PostToolUse": entry(changing),
        "PostToolUseFailure": entry(changing),
    } })
}

/// A program's path as one word of a command line.
fn shell_word(program: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    if program.chars().all(plain) { program.to_owned() } else { format!("'{}'", program.replace('\'', r"'\''")) }
}

/// OpenCode 1 has servers directly under `mcp`, OpenCode 2 under `mcp.servers`.
fn opencode(wishes: Wishes, places: &Places) -> anyhow::Result<Plan> {
    let place =
        |ending: &str| places.project_or_config(&format!("opencode.{ending}"), &format!("opencode/opencode.{ending}"));
    let path = first_there([place("json"), place("jsonc")]);
    let second = wishes.second_version || has_servers_of_second_version(&path)?;
    let entry = json!({ "type": "local", "command": [places.program, "mcp"] });
    let servers = json!({ "landfall": entry });
    let mut keys = json!({ "mcp": if second { json!({ "servers": servers }) } else { servers } });
    if wishes.replace && !second {
        keys["permission"] = json!({ "edit": "deny" });
    }
    Ok(Plan::json(path, keys, &[])
        .note(wishes.replace && second, "OpenCode 2: deny its own `edit` in its permissions, not written here")
        .note(!second, "these are the keys of OpenCode 1; for OpenCode 2 add --v2")
        .note(true, "`opencode mcp list` shows it"))
}

fn has_servers_of_second_version(path: &std::path::Path) -> anyhow::Result<bool> {
    let Some(text) = disk::read(path)? else { return Ok(false) };
    let parsed = json::value(text.strip_prefix(disk::MARK).unwrap_or(&text)).map_err(|fault| fault.of(path))?;
    // A server may be called so: then it has a type.
    Ok(parsed.pointer("/mcp/servers").is_some_and(|servers| servers.is_object() && !servers["type"].is_string()))
}

fn gemini(wishes: Wishes, places: &Places, entry: Value) -> Plan {
    let path = places.project_or_home(".gemini/settings.json", ".gemini/settings.json");
    let mut keys = json!({ "mcpServers": { "landfall": entry } });
    if wishes.replace {
        keys["tools"] = json!({ "exclude": ["replace", "write_file"] });
    }
    Plan::json(path, keys, &["/tools/exclude"])
        .note(true, "Gemini CLI asks before each call; \"trust\": true beside the command ends that")
}

fn crush(wishes: Wishes, places: &Places, entry: Value) -> Plan {
    let path = match places.is_project() {
        true => first_there([places.project_or_config("crush.json", ""), places.project_or_config(".crush.json", "")]),
        false => places.project_or_config("", "crush/crush.json"),
    };
    let mut keys = json!({ "mcp": { "landfall": entry } });
    if wishes.replace {
        keys["options"] = json!({ "disabled_tools": ["edit", "multiedit", "write"] });
    }
    Plan::json(path, keys, &["/options/disabled_tools"])
}

impl Plan {
    fn json(path: PathBuf, keys: Value, lists: &'static [&'static str]) -> Plan {
        Plan { files: vec![FilePlan { path, content: Content::Json { keys, lists } }], notes: Vec::new() }
    }

    fn toml(path: PathBuf, keys: Value) -> Plan {
        Plan { files: vec![FilePlan { path, content: Content::Toml { keys } }], notes: Vec::new() }
    }

    /// With a note, when it applies.
    fn note(mut self, applies: bool, note: &str) -> Plan {
        if applies {
            self.notes.push(note.to_owned());
        }
        self
    }
}
