"""The official SDKs of the protocol as clients, without a model behind them."""

import json
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from dialects import Offered, Shown
from transcript import Played

HERE = Path(__file__).resolve().parent


class Sdk:
    """One SDK; what `harnesses.Harness` is for a client with a model."""

    name = title = ""
    own_tools = None

    def play(self, sandbox, program, steps):
        calls = [(step.tool, step.arguments) for step in steps]
        with self.attached(sandbox) as server:
            wanted = {"calls": calls, **server}
            code, said, errors = sandbox.run_to_end(program, input=json.dumps(wanted))
        lines = [json.loads(line) for line in said.splitlines()]
        head, results = (lines[0], lines[1:]) if lines else ({}, [])
        faults = []
        if code or len(results) != len(steps):
            faults.append(f"the session did not come to its end (exit code {code}); the client said:\n{errors[-3000:]}")
        return Played(
            calls={number: (Offered(name), arguments) for number, (name, arguments) in enumerate(calls)},
            shown={number: shown(result) for number, result in enumerate(results)},
            offered=[Offered(name, "landfall") for name in head.get("tools", [])],
            instructions=head.get("instructions", ""),
            faults=faults,
        )


    @contextmanager
    def attached(self, sandbox):
        """What the client is told to speak to, while it does."""
        yield {"command": ["landfall", "mcp"]}


class OverHttp:
    """An SDK that speaks to `landfall serve --http`."""

    @contextmanager
    def attached(self, sandbox):
        with sandbox.serving() as (url, token):
            yield {"url": url, "token": token}


class Python(Sdk):
    name, title = "sdk-python", "The Python SDK, over standard input and output"

    def find(self, folder):
        """The command that runs our client with a Python that has the SDK, or None."""
        below = sorted([*Path(folder).glob("bin/python"), *Path(folder).glob("*/bin/python")]) if folder else []
        for python in [*map(str, below), sys.executable]:
            # The client needs what came with the second version.
            if subprocess.run([python, "-c", "from mcp import Client"], stderr=subprocess.DEVNULL).returncode == 0:
                return [python, str(HERE / "sdk_client.py")]
        return None


class PythonOverHttp(OverHttp, Python):
    name, title = "sdk-python-http", "The Python SDK, over HTTP"


class TypeScript(Sdk):
    name, title = "sdk-typescript", "The TypeScript SDK, over standard input and output"

    def find(self, folder):
        node = shutil.which("node")
        for below in (".", "*") if folder and node else ():
            for found in sorted(Path(folder).glob(f"{below}/node_modules/@modelcontextprotocol/sdk/package.json")):
                return [node, str(HERE / "sdk_client.mjs"), str(found.parents[3])]
        return None


class TypeScriptOverHttp(OverHttp, TypeScript):
    name, title = "sdk-typescript-http", "The TypeScript SDK, over HTTP"


def shown(result):
    """What a harness is given of one result."""
    text = "\n".join(part.get("text", f"({part.get('type')})") for part in result.get("content", []))
    pieces = [Shown("error" if result.get("isError") else "result", text)]
    if "structuredContent" in result:
        pieces.append(Shown("structured", json.dumps(result["structuredContent"], sort_keys=True, indent=1)))
    return pieces


SDKS = (Python, PythonOverHttp, TypeScript, TypeScriptOverHttp)
