#!/usr/bin/env python3
"""Measures the hooks: what `landfall hook` costs a harness, with a daemon and without a usable one.

    tests/load/hooks.py LANDFALL [ROUNDS]

LANDFALL is the program. Each line is a kind of call: the median and the slowest of ROUNDS (50) runs of the whole process,
from its start to its end; after an edit the time that the language server was waited for is taken off. Exit code 1 when
a median is over its limit. With gopls on PATH the edits are judged by it, else the syntax alone is. Beside it stands what
`landfall --version` takes: the start of a process, on which no work can be saved. Everything happens in a temporary
folder, and the daemon ends with it.
"""

import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

LANDFALL = ""
FAILED = []
HARNESSES = {
    "claude": ("PreToolUse", "PostToolUse", "Read", "Edit"),
    "codex": ("PreToolUse", "PostToolUse", None, "apply_patch"),
    "gemini": ("BeforeTool", "AfterTool", "read_file", "replace"),
}
GO = "package store\n\ntype Store struct{ prices map[string]int }\n\nfunc (s *Store) Price(name string) int {\n\treturn s.prices[name]\n}\n"


def say(figure, times, limit):
    median, slowest = statistics.median(times), max(times)
    holds = median <= limit
    text = f"{median:6.1f} ms, slowest {slowest:6.1f}"
    print(f"  {figure:<46} {text:<30} <= {limit:<4} {'ok' if holds else 'NOT HELD'}", flush=True)
    if not holds:
        FAILED.append(figure)


class Play:
    """A project and a daemon's folders."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="lf-")
        self.root = os.path.join(self.folder, "project-2024")
        os.makedirs(os.path.join(self.root, ".git"))
        self.file = os.path.join(self.root, "store.go")
        self.write(GO)
        with open(os.path.join(self.root, "go.mod"), "w") as file:
            file.write("module example.org/store\n\ngo 1.21\n")
        self.environment = dict(os.environ)
        for name in ["XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"]:
            self.environment[name] = self.folder

    def write(self, text):
        with open(self.file, "w") as file:
            file.write(text)

    def run(self, *arguments):
        return subprocess.run([LANDFALL, *arguments], env=self.environment, capture_output=True, text=True)

    def status(self):
        told = json.loads(self.run("status", "--json").stdout or "{}").get("daemons") or [{}]
        return told[0]

    def hook(self, harness, event, tool, right=True):
        """Milliseconds that a hook takes, and what it says."""
        path = self.file if right else self.file.replace("project-2024", "project_2024")
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-\treturn s.prices[name]\n+\treturn s.price[name]\n*** End Patch"
        given = {"file_path": path, "old_string": "s.prices[name]", "new_string": "s.price[name]", "command": patch}
        message = {"session_id": harness, "cwd": self.root, "hook_event_name": event, "tool_name": tool, "tool_input": given}
        began = time.perf_counter()
        done = subprocess.run(
            [LANDFALL, "hook", harness], input=json.dumps(message), env=self.environment, capture_output=True, text=True
        )
        took = 1000 * (time.perf_counter() - began)
        assert done.returncode == 0, done
        return took, done.stdout

    def wait_for_daemon(self):
        self.hook("claude", "PreToolUse", "Read")
        deadline = time.monotonic() + 30
        while "socket" not in self.status():
            assert time.monotonic() < deadline, "no daemon came"
            time.sleep(0.05)
        return self.status()

    def end(self):
        self.run("stop", "--force")
        shutil.rmtree(self.folder, ignore_errors=True)


def with_a_daemon(play, rounds):
    print("with a daemon (limit: 30 ms over the time that the language server is waited for)")
    play.wait_for_daemon()
    say("the start of a process (--version)", [timed(play, "--version") for _ in range(rounds)], 30)
    # A cold language server is not what is measured.
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and "introduced" not in edited(play, "claude")[1]:
        pass
    for harness, (before, _, look, change) in HARNESSES.items():
        play.write(GO)
        if look:
            say(f"{harness}: before a read", [play.hook(harness, before, look)[0] for _ in range(rounds)], 30)
            say(f"{harness}: before a read of a mistyped path", mistyped(play, harness, before, look, rounds), 30)
        say(f"{harness}: before an edit", [play.hook(harness, before, change)[0] for _ in range(rounds)], 30)
        say(f"{harness}: before an edit of a mistyped path", mistyped(play, harness, before, change, rounds), 30)
        say(f"{harness}: after an edit, without the wait", [edited(play, harness)[0] for _ in range(rounds)], 30)


def timed(play, *arguments):
    began = time.perf_counter()
    play.run(*arguments)
    return 1000 * (time.perf_counter() - began)


def mistyped(play, harness, event, tool, rounds):
    times = []
    play.write(GO)
    for _ in range(rounds):
        took, said = play.hook(harness, event, tool, right=False)
        assert "path put right" in said, said
        times.append(took)
    return times


def edited(play, harness):
    """One edit as a harness makes it; milliseconds of the hook after it less the wait, and what it said."""
    before, after, _, tool = HARNESSES[harness]
    play.write(GO)
    play.hook(harness, before, tool)
    play.write(GO.replace("s.prices[name]", "s.price[name]"))
    took, said = play.hook(harness, after, tool)
    assert "edited store.go" in said, said
    waited = re.search(r"\b(\d+(?:\.\d+)?) (m?s)\b(?=[:,])", json.loads(said)["hookSpecificOutput"]["additionalContext"])
    wait = float(waited[1]) * (1 if waited[2] == "ms" else 1000) if waited else 0.0
    return took - wait, said


def without(play, rounds):
    print("without a usable daemon (limit: 100 ms)")
    status = play.wait_for_daemon()
    os.kill(status["pid"], signal.SIGSTOP)
    unusable(play, "hung: the process is stopped", rounds)
    os.kill(status["pid"], signal.SIGCONT)
    play.run("stop", "--force")
    path = status["socket"]
    while os.path.exists(path):
        time.sleep(0.02)
    for what, greeting in [
        ("hung: nobody takes the connection", None),
        ("of another version", b'{"landfall":"9.9.9","pid":1}\n'),
        ("it talks nonsense", b"nonsense\n"),
    ]:
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(path)
        listener.listen(128)
        if greeting:
            threading.Thread(target=greet, args=(listener, greeting), daemon=True).start()
        unusable(play, what, rounds)
        listener.close()
        os.remove(path)
    down = []
    for _ in range(min(rounds, 10)):
        took, said = play.hook("claude", "PreToolUse", "Edit")
        assert said == "", said
        down.append(took)
        play.wait_for_daemon()
        play.run("stop", "--force")
        while os.path.exists(path):
            time.sleep(0.02)
    say("down (one is started for later)", down, 100)


def greet(listener, greeting):
    while True:
        try:
            connection = listener.accept()[0]
            connection.recv(1 << 16)
            connection.sendall(greeting)
            connection.close()
        except OSError:
            return


def unusable(play, what, rounds):
    play.write(GO)
    times = []
    for _ in range(rounds):
        took, said = play.hook("claude", "PreToolUse", "Edit", right=False)
        assert said == "", said
        times.append(took)
    assert open(play.file).read() == GO
    say(what, times, 100)


def main():
    global LANDFALL
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    LANDFALL = os.path.abspath(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    play = Play()
    try:
        with_a_daemon(play, rounds)
        without(play, rounds)
    finally:
        play.end()
    if FAILED:
        sys.exit(f"not held: {', '.join(FAILED)}")


if __name__ == "__main__":
    main()
