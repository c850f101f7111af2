#!/usr/bin/env python3
"""Measures the daemon: many sessions on one workspace, many workspaces, the bridge, a cold start, idleness.

    tests/load/daemon.py LANDFALL [PART...]

LANDFALL is the program. The parts are cold, bridge, idle, raw, sessions and workspaces; without any, all of them run. Each
prints its figures and the limit they are held to; exit code 1 when one is over it. `raw`, `sessions` and `workspaces` need
gopls on PATH. Everything happens in a temporary folder, and the daemon ends with its part.
"""

import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

LANDFALL = ""
FAILED = []


def say(figure, value, limit, holds):
    print(f"  {figure:<58} {value:<24} {limit:<18} {'ok' if holds else 'NOT HELD'}", flush=True)
    if not holds:
        FAILED.append(figure)


class Seat:
    """A daemon's folders, and its end."""

    def __init__(self, config=""):
        self.folder = tempfile.mkdtemp(prefix="lf-")
        names = {"XDG_RUNTIME_DIR": "r", "XDG_STATE_HOME": "s", "XDG_CACHE_HOME": "c", "XDG_CONFIG_HOME": "o"}
        self.environment = dict(os.environ)
        for name, short in names.items():
            path = os.path.join(self.folder, short)
            os.makedirs(os.path.join(path, "landfall"), 0o700)
            self.environment[name] = path
        if config:
            write(os.path.join(self.folder, "o/landfall/servers.toml"), config)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.run("stop", "--force")
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, *arguments):
        return subprocess.run([LANDFALL, *arguments], env=self.environment, capture_output=True, text=True)

    def status(self):
        return json.loads(self.run("status", "--json").stdout)["daemons"][0]

    def log(self):
        folder = os.path.join(self.folder, "s/landfall/log")
        return "".join(open(os.path.join(folder, name)).read() for name in os.listdir(folder))


class Agent:
    """A client of `landfall mcp`."""

    def __init__(self, seat, workspace, *arguments):
        command = [LANDFALL, "mcp", "--structured", "--workspace", workspace, *arguments]
        self.process = subprocess.Popen(
            command, env=seat.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.next = 0
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "load", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit("the service ended")
            answer = json.loads(line)
            if answer.get("id") == self.next:
                return answer

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})["result"]

    def edit(self, path, old, new):
        return self.call("edit", file_path=path, old_string=old, new_string=new)

    def end(self):
        self.process.stdin.close()
        self.process.wait(20)


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def go_workspace(root, packages):
    write(f"{root}/go.mod", "module example.org/load\n\ngo 1.21\n")
    for number in range(packages):
        write(f"{root}/p{number}/p.go", f"package p{number}\n\nconst Value = 0\n\nfunc Get() int {{ return Value }}\n")
    lines = "".join(f"const Of{number} = 0\n" for number in range(packages))
    write(f"{root}/shared/shared.go", f"package shared\n\n{lines}")


def until_settled(agent, path):
    deadline = time.time() + 120
    while time.time() < deadline:
        verdict = agent.call("diagnostics", file_path=path)["structuredContent"].get("diagnostics", {}).get("verdict")
        if verdict in ("clean", "problems"):
            return
    raise SystemExit(f"{path} was never settled")


# --- the parts ------------------------------------------------------------------------------------------------------


def cold(rounds=10):
    """From the start of a bridge that finds no daemon to the list of tools."""
    times = []
    for _ in range(rounds):
        with Seat() as seat, tempfile.TemporaryDirectory() as workspace:
            write(f"{workspace}/a.txt", "one\n")
            began = time.perf_counter()
            agent = Agent(seat, workspace)
            agent.request("tools/list", {})
            times.append(1000 * (time.perf_counter() - began))
            agent.end()
    median = statistics.median(times)
    say("tools/list, no daemon running before", f"{median:.0f} ms (worst {max(times):.0f})", "<= 100 ms", median <= 100)


def bridge(calls=1000):
    """What the way through the daemon adds to a call."""
    with Seat() as seat, tempfile.TemporaryDirectory() as workspace:
        write(f"{workspace}/a.txt", "one\n")
        agents = {"daemon": Agent(seat, workspace, "--no-lsp"), "here": Agent(seat, workspace, "--no-lsp", "--no-daemon")}
        times = {name: [] for name in agents}
        # In turn, so that both see the same machine.
        for _ in range(calls):
            for name, agent in agents.items():
                began = time.perf_counter()
                agent.call("read", file_path="a.txt")
                times[name].append(1000 * (time.perf_counter() - began))
        medians = {name: statistics.median(all_times) for name, all_times in times.items()}
        for agent in agents.values():
            agent.end()
    added = medians["daemon"] - medians["here"]
    say("read through the daemon, in process", f"{medians['daemon']:.2f}, {medians['here']:.2f} ms", "", True)
    say("the bridge adds", f"{added:.2f} ms", "<= 1 ms", added <= 1)


def idle(seconds=20):
    """Processor time of a daemon that nobody asks anything, with a language server and without."""
    has_gopls = shutil.which("gopls") is not None
    for name, arguments in [("no language server", ["--no-lsp"]), ("gopls at rest", [])]:
        if not has_gopls and not arguments:
            print("  skipped: gopls is not on PATH")
            continue
        with Seat() as seat, tempfile.TemporaryDirectory(prefix="load-") as workspace:
            go_workspace(workspace, 2)
            agent = Agent(seat, workspace, *arguments)
            if not arguments:
                until_settled(agent, "p0/p.go")
            for _ in range(20):
                agent.call("read", file_path="p0/p.go")
            pid = seat.status()["pid"]
            time.sleep(2)
            before, switches = ticks(pid), context_switches(pid)
            time.sleep(seconds)
            used, woken = ticks(pid) - before, context_switches(pid) - switches
            agent.end()
        milliseconds = 1000 * used / os.sysconf("SC_CLK_TCK")
        say(f"idle for {seconds} s, {name}: processor time", f"{milliseconds:.0f} ms, woken {max(woken, 0)} x", "<= 20 ms", milliseconds <= 20)


def ticks(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def context_switches(pid):
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        text = open(f"/proc/{pid}/task/{task}/status").read()
        total += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", text, re.M)[1])
    return total


class Worker(threading.Thread):
    """One session's edits: its own file, the file that all share, and now and then an error of its own."""

    def __init__(self, number, agent, edits, pause):
        super().__init__()
        self.number, self.agent, self.edits, self.pause = number, agent, edits, pause
        self.times, self.faults = [], []

    def run(self):
        own, shared, value, in_shared = f"p{self.number}/p.go", "shared/shared.go", "0", 0
        for count in range(1, self.edits + 1):
            if count % 5 == 0:
                self.edit(shared, f"const Of{self.number} = {in_shared}\n", f"const Of{self.number} = {count}\n", None)
                in_shared = count
                continue
            wrong = f"missing{self.number}x{count}" if count % 5 == 2 else None
            new = wrong or str(count)
            self.edit(own, f"const Value = {value}\n", f"const Value = {new}\n", wrong)
            value = new
        self.last, self.last_shared = value, in_shared

    def edit(self, path, old, new, wrong):
        time.sleep(self.pause * random.uniform(0.5, 1.5))
        began = time.perf_counter()
        result = self.agent.edit(path, old, new)
        self.times.append(1000 * (time.perf_counter() - began))
        text = result["content"][0]["text"]
        if result.get("isError") or f"edited {path}" not in text:
            self.faults.append(f"lost: {path}: {text[:200]}")
        told = set(re.findall(r"missing(\d+)x\d+", text))
        if told - {str(self.number)}:
            self.faults.append(f"mixed up: {path}: {text}")
        verdict = result.get("structuredContent", {}).get("diagnostics", {}).get("verdict")
        if wrong and verdict in ("clean", "problems") and wrong not in text:
            self.faults.append(f"not told: {path}: {text[:300]}")
        if not wrong and verdict == "problems":
            self.faults.append(f"blamed: {path}: {text[:300]}")


def sessions(count=20, edits=50):
    """Many sessions edit one Go workspace at once."""
    if shutil.which("gopls") is None:
        print("  skipped: gopls is not on PATH")
        return
    # Without a pause every session has an edit under way at every moment; a model thinks in between.
    for pause in (0, 1):
        print(f"  {pause} s between the edits of a session")
        alone, _ = edited_by(1, count, edits, pause)
        together, facts = edited_by(count, count, edits, pause)
        single, many = statistics.median(alone), statistics.median(together)
        say(f"median edit, 1 session x {edits}", f"{single:.0f} ms", "", True)
        say(f"median edit, {count} sessions x {edits} at once", f"{many:.0f} ms", "<= 2 x alone", many <= 2 * single)
        say("edits a second", f"{len(together) / facts['seconds']:.1f}", "", True)
        say_facts(facts)


def raw(count=20, rounds=50):
    """gopls alone, told of the same changes and asked for all diagnostics: what any service over it has to wait for."""
    if shutil.which("gopls") is None:
        print("  skipped: gopls is not on PATH")
        return
    for at_once in (1, count):
        with tempfile.TemporaryDirectory(prefix="load-") as workspace:
            go_workspace(workspace, count)
            gopls = Gopls(workspace, [f"p{number}/p.go" for number in range(count)] + ["shared/shared.go"])
            times, processor = [], -ticks(gopls.process.pid)
            for number in range(rounds):
                began = time.perf_counter()
                for package in range(at_once):
                    wrong = number % 5 == 2
                    value = f"missing{package}x{number}" if wrong else str(number + 1)
                    gopls.change(f"p{package}/p.go", f"package p{package}\n\nconst Value = {value}\n\nfunc Get() int {{ return Value }}\n")
                gopls.diagnose()
                times.append(1000 * (time.perf_counter() - began))
            processor = (processor + ticks(gopls.process.pid)) * 1000 / os.sysconf("SC_CLK_TCK") / rounds
            gopls.process.kill()
        say(f"{at_once} changed, then asked: median", f"{statistics.median(times):.0f} ms", "", True)
        say("processor time of gopls for that", f"{processor:.0f} ms", "", True)


class Gopls:
    """A client of gopls that has all files open."""

    def __init__(self, root, paths):
        self.root, self.count, self.version = root, 0, 1
        self.settings = {"diagnosticsDelay": "10ms", "pullDiagnostics": True}
        self.process = subprocess.Popen(["gopls"], cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        capabilities = {"workspace": {"configuration": True}, "textDocument": {"publishDiagnostics": {"versionSupport": True}}}
        folders = [{"uri": self.uri(""), "name": "load"}]
        self.request("initialize", {"processId": os.getpid(), "rootUri": self.uri(""), "workspaceFolders": folders, "initializationOptions": self.settings, "capabilities": capabilities})
        self.send({"method": "initialized", "params": {}})
        self.files = [self.uri(path) for path in paths]
        for path in paths:
            document = {"uri": self.uri(path), "languageId": "go", "version": 1, "text": open(f"{root}/{path}").read()}
            self.send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        self.diagnose()
        self.diagnose()

    def uri(self, path):
        return f"file://{self.root}/{path}".rstrip("/")

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def request(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        while True:
            length = 0
            while (line := self.process.stdout.readline()).strip():
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            message = json.loads(self.process.stdout.read(length))
            if "method" in message and "id" in message:
                asked = message["method"] == "workspace/configuration"
                self.send({"id": message["id"], "result": [self.settings for _ in message["params"]["items"]] if asked else None})
            elif message.get("id") == self.count:
                return message["result"]

    def change(self, path, text):
        write(f"{self.root}/{path}", text)
        self.version += 1
        document = {"uri": self.uri(path), "version": self.version}
        self.send({"method": "textDocument/didChange", "params": {"textDocument": document, "contentChanges": [{"text": text}]}})
        self.send({"method": "textDocument/didSave", "params": {"textDocument": {"uri": self.uri(path)}}})

    def diagnose(self):
        self.request("workspace/executeCommand", {"command": "gopls.diagnose_files", "arguments": [{"Files": self.files}]})


def say_facts(facts):
    say("processes of gopls", str(facts["gopls"]), "1", facts["gopls"] == 1)
    say("lost edits, reports mixed up", str(len(facts["faults"])), "0", not facts["faults"])
    for fault in facts["faults"][:3]:
        print("   ", fault.replace("\n", "\n    "))
    say("our own memory", f"{facts['memory'] >> 20} MiB", "<= 60 MiB", facts["memory"] <= 60 << 20)


def edited_by(count, packages, edits, pause):
    with Seat() as seat, tempfile.TemporaryDirectory(prefix="load-") as workspace:
        go_workspace(workspace, packages)
        agents = [Agent(seat, workspace) for _ in range(count)]
        until_settled(agents[0], "p0/p.go")
        workers = [Worker(number, agent, edits, pause) for number, agent in enumerate(agents)]
        began = time.perf_counter()
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        seconds = time.perf_counter() - began
        status = seat.status()
        servers = [server for open_one in status["workspaces"] for server in open_one["language_servers"]]
        faults = [fault for worker in workers for fault in worker.faults]
        shared = open(f"{workspace}/shared/shared.go").read()
        for worker in workers:
            own = open(f"{workspace}/p{worker.number}/p.go").read()
            if f"const Value = {worker.last}\n" not in own or f"const Of{worker.number} = {worker.last_shared}\n" not in shared:
                faults.append(f"lost: what session {worker.number} wrote last is not on disk")
        for line, landed in enumerate(sorted(session["landed"] for session in status["sessions"])):
            if landed != edits:
                faults.append(f"ledger: session {line} has {landed} of {edits}")
        for agent in agents:
            agent.end()
    facts = {"gopls": sum(1 for server in servers if server["pid"]), "memory": status["memory_bytes"], "faults": faults, "seconds": seconds}
    return [each for worker in workers for each in worker.times], facts


def workspaces(count=200, budget=2048):
    """Many workspaces opened one after another within a memory budget."""
    if shutil.which("gopls") is None:
        print("  skipped: gopls is not on PATH")
        return
    with Seat(f"memory_mb = {budget}\n") as seat, tempfile.TemporaryDirectory(prefix="load-") as folder:
        peak, answered, own, done = [0], 0, [], threading.Event()
        agents = []

        def watch():
            while not done.wait(0.2):
                peak[0] = max(peak[0], resident_of("gopls"))

        watcher = threading.Thread(target=watch)
        watcher.start()
        began = time.perf_counter()
        for number in range(count):
            root = f"{folder}/w{number}"
            go_workspace(root, 1)
            agent = Agent(seat, root)
            agents.append(agent)
            until_settled(agent, "p0/p.go")
            result = agent.edit("p0/p.go", "const Value = 0", "const Value = wrong")
            answered += "edited p0/p.go" in result["content"][0]["text"] and "undefined: wrong" in result["content"][0]["text"]
            # Sessions come and go; some stay.
            if number % 10:
                agents.pop().end()
        seconds = time.perf_counter() - began
        done.set()
        watcher.join()
        own = seat.status()["memory_bytes"]
        evicted = len(re.findall(r"stopped to (?:save memory|make room)", seat.log()))
        for agent in agents:
            agent.end()
    say(f"{count} workspaces in {seconds:.0f} s: answered with a verdict", str(answered), str(count), answered == count)
    say("most memory of all language servers", f"{peak[0] >> 20} MiB", f"<= {budget} MiB", peak[0] <= budget << 20)
    say("evictions in the log", str(evicted), "> 0", evicted > 0)
    say("our own memory after that", f"{own >> 20} MiB", "", True)


def resident_of(name):
    """Resident memory of all processes of that name. Bytes."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if open(f"/proc/{pid}/comm").read().strip() == name:
                total += int(open(f"/proc/{pid}/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except (OSError, IndexError):
            pass
    return total


def main():
    global LANDFALL
    parts = {part.__name__: part for part in (cold, bridge, idle, raw, sessions, workspaces)}
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(parts):
        raise SystemExit(__doc__)
    LANDFALL = os.path.abspath(sys.argv[1])
    for name in sys.argv[2:] or parts:
        print(f"{name}: {parts[name].__doc__}", flush=True)
        parts[name]()
    raise SystemExit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
