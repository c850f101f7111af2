"""A few calls over `landfall mcp`, by hand: what warms a daemon up before a client comes."""

import json
import subprocess
import threading

DEADLINE = 120.0


def warm_up(sandbox, path):
    """Starts the sandbox's daemon and waits until its language server has judged a file."""
    server = subprocess.Popen(
        ["landfall", "mcp"],
        cwd=sandbox.project,
        env=sandbox.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    # Ends the reading below as well.
    watchdog = threading.Timer(DEADLINE, server.kill)
    watchdog.start()
    try:
        client = {"name": "warm-up", "version": "1"}
        ask(server, 1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        send(server, {"method": "notifications/initialized"})
        answer = ask(server, 2, "tools/call", {"name": "diagnostics", "arguments": {"file_path": path}})
        text = answer.get("result", {}).get("content", [{}])[0].get("text", "")
        if "clean" not in text:
            raise RuntimeError(f"the language server did not warm up: {answer}")
    finally:
        watchdog.cancel()
        server.stdin.close()
        server.stdout.close()
        server.wait(DEADLINE)


def send(server, message):
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def ask(server, number, method, parameters):
    """The answer to one request; what the server says in between is passed over."""
    send(server, {"id": number, "method": method, "params": parameters})
    for line in server.stdout:
        answer = json.loads(line)
        if answer.get("id") == number and "method" not in answer:
            return answer
    raise RuntimeError(f"`landfall mcp` ended before it answered {method}")
