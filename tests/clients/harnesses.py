"""The clients: where they are, how each is set up by `landfall config`, started, and kept from the outside world."""

import json
import re
import shutil
from pathlib import Path

from model import ScriptedModel
from sandbox import ROOT
from session import ACCOUNT
from stdio import warm_up
from transcript import Played

PROMPT = "Go."
DEADLINE = 300.0


def of_readme(words):
    """The configuration that README gives with these words in it."""
    blocks = re.findall(r"```json\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    return next(json.loads(block) for block in blocks if words in block)


class Harness:
    """One client attached in one way."""

    name = title = program = ""
    # Below `node_modules`, the program itself before the script that starts it.
    places = ()
    env = {}
    # How the client's own tools are called, when the session is played with these; else landfall's are.
    own_tools = None
    # Whether the daemon must be there, with its language server loaded, before the client is started.
    warm = False

    def find(self, folder):
        """The client's program, or None."""
        for place in self.places if folder else ():
            for below in ("node_modules", "*/node_modules"):
                for found in sorted(Path(folder).glob(f"{below}/{place}")):
                    return str(found)
        return shutil.which(self.program)

    def play(self, sandbox, program, steps):
        """The client's session with a scripted model."""
        with ScriptedModel(steps, self.choose(sandbox)) as model:
            self.prepare(sandbox, model.url)
            if self.warm:
                warm_up(sandbox, ACCOUNT)
            code, said, errors = sandbox.run_to_end(self.command(program), self.env, deadline=DEADLINE)
        faults = model.faults
        if not model.is_over():
            words = f"{said}\n{errors}"[-3000:]
            faults.append(f"the session did not come to its end (exit code {code}); the client said:\n{words}")
        return Played(model.calls, model.shown, model.offered or [], model.instructions, faults)

    def choose(self, sandbox):
        """How this client's model carries out a step: with which of the offered tools, and which arguments."""

        def landfalls(step, offered):
            name = re.compile(rf"landfall[_/]+{step.tool}$")
            tool = next((tool for tool in offered if name.search(tool.whole_name())), None)
            if tool is None:
                raise LookupError(f"no `{step.tool}` of landfall is offered: {[tool.whole_name() for tool in offered]}")
            return tool, step.arguments

        def own(step, offered):
            name, arguments = self.own_tools(step, sandbox.project)
            tool = next((tool for tool in offered if tool.name == name), None)
            if tool is None:
                raise LookupError(f"no `{name}` is offered: {[tool.whole_name() for tool in offered]}")
            return tool, arguments

        return own if self.own_tools else landfalls


class ClaudeCode(Harness):
    name, title, program = "claude-code", "Claude Code, by MCP, its own edit tools denied", "claude"
    places = ("@anthropic-ai/claude-code-*/claude", ".bin/claude")
    allowed = ["mcp__landfall"]
    config = ["claude-code", "--replace"]

    def prepare(self, sandbox, url):
        # Something of the user's stands there already.
        sandbox.write(".claude/settings.json", json.dumps({"permissions": {"allow": self.allowed}}))
        sandbox.run(["landfall", "config", *self.config, "--write"])
        self.env = {
            "ANTHROPIC_BASE_URL": url,
            "ANTHROPIC_API_KEY": "none",
            "ANTHROPIC_MODEL": "claude-scripted",
            "ANTHROPIC_SMALL_FAST_MODEL": "claude-scripted",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def command(self, program):
        return [program, "--print", PROMPT]


class ClaudeCodeHooks(ClaudeCode):
    name, title = "claude-code-hooks", "Claude Code, by hooks alone, with its own edit tools"
    allowed = ["Read", "Edit", "Bash(git diff:*)"]
    config = ["claude-code", "--hooks"]
    warm = True

    @staticmethod
    def own_tools(step, project):
        arguments = dict(step.arguments)
        if step.tool == "changes":
            return "Bash", {"command": "git diff --stat", "description": "What has changed"}
        arguments["file_path"] = str(project / arguments["file_path"])
        return {"read": "Read", "edit": "Edit"}[step.tool], arguments


class OpenCode(Harness):
    name, title, program = "opencode", "OpenCode, by MCP, its own edit tools denied", "opencode"
    places = ("opencode-linux-x64/bin/opencode", ".bin/opencode")
    attach = ["--replace"]
    settings = {}

    def prepare(self, sandbox, url):
        provider = {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
            "models": {"scripted": {"name": "Scripted", "tool_call": True, "limit": {"context": 200000, "output": 9000}}},
        }
        settings = {
            "autoupdate": False,
            "share": "disabled",
            "snapshot": False,
            "model": "scripted/scripted",
            "small_model": "scripted/scripted",
            "enabled_providers": ["scripted"],
            "provider": {"scripted": provider},
            **self.settings,
        }
        sandbox.write(".config/opencode/opencode.json", json.dumps(settings))
        if self.attach:
            sandbox.run(["landfall", "config", "opencode", *self.attach, "--write"])
        switches = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE", "DEFAULT_PLUGINS", "CLAUDE_CODE", "PRUNE")
        self.env = {f"OPENCODE_DISABLE_{switch}": "1" for switch in switches}

    def command(self, program):
        return [program, "run", "--model", "scripted/scripted", PROMPT]


class OpenCodeLsp(OpenCode):
    name, title = "opencode-lsp", "OpenCode, by the LSP face alone, with its own edit tools"
    attach = []
    warm = True
    settings = of_readme('"landfall", "lsp"')

    @staticmethod
    def own_tools(step, project):
        arguments = dict(step.arguments)
        if step.tool == "changes":
            return "bash", {"command": "git diff --stat", "description": "What has changed"}
        words = {"file_path": "filePath", "old_string": "oldString", "new_string": "newString"}
        arguments = {words[name]: value for name, value in arguments.items()}
        arguments["filePath"] = str(project / arguments["filePath"])
        return step.tool, arguments


class OpenCodeAlone(OpenCodeLsp):
    name, title = "opencode-alone", "OpenCode without landfall, with its own edit tools and its own gopls"
    warm = False
    settings = {"lsp": True}


class Codex(Harness):
    name, title, program = "codex", "Codex, by MCP, a model without apply_patch", "codex"
    places = ("@openai/codex-*/vendor/*/bin/codex", ".bin/codex")

    def prepare(self, sandbox, url):
        catalog = sandbox.write(".codex/models.json", json.dumps({"models": [model_of_codex()]}))
        sandbox.write(".codex/config.toml", CODEX.format(url=url, catalog=catalog))
        sandbox.run(["landfall", "config", "codex", "--write"])

    def command(self, program):
        return [program, "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT]


CODEX = """\
model = "scripted"
model_provider = "scripted"
model_catalog_json = "{catalog}"
check_for_update_on_startup = false

[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
requires_openai_auth = false
supports_websockets = false

[analytics]
enabled = false
"""


def model_of_codex():
    """A model that Codex gives no edit tool and shows every tool at once; all but that is as little as it takes."""
    return {
        "slug": "scripted",
        "display_name": "Scripted",
        "base_instructions": "You are a coding agent.",
        "apply_patch_tool_type": None,
        "supports_search_tool": False,
        "experimental_supported_tools": [],
        "supported_reasoning_levels": [],
        "support_verbosity": False,
        "shell_type": "shell_command",
        "truncation_policy": {"mode": "tokens", "limit": 10000},
        "visibility": "list",
        "supported_in_api": True,
        "priority": 1,
    }


class Gemini(Harness):
    name, title, program = "gemini", "Gemini CLI, by MCP, its own edit tools excluded", "gemini"
    places = (".bin/gemini",)

    def prepare(self, sandbox, url):
        settings = {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False},
            "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        }
        sandbox.write(".gemini/settings.json", json.dumps(settings, indent=2))
        sandbox.run(["landfall", "config", "gemini", "--replace", "--write"])
        self.env = {
            "GEMINI_API_KEY": "none",
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_MODEL": "gemini-2.5-pro",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
            "NO_BROWSER": "1",
        }

    def command(self, program):
        return [program, "--yolo", "--prompt", PROMPT]


HARNESSES = (ClaudeCode, ClaudeCodeHooks, OpenCode, OpenCodeLsp, OpenCodeAlone, Codex, Gemini)
