"""A home, a project and a daemon of their own for one client, with nothing left behind."""

import ctypes
import os
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "fixtures/workspaces/go"
# A busy machine is slow, and what is not known in time is said in other words: the transcript would differ.
PATIENCE = """\
[servers.gopls.timeouts]
settle_ms = 45000
loading_ms = 45000
"""
TO_END = 20.0
TO_END_A_COMMAND = 120.0
PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans():
    """Makes this process the parent of every descendant that loses its own, so that none escapes."""
    try:
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (AttributeError, OSError):
        pass  # Not Linux: only what `landfall stop` ends is ended.


class Sandbox:
    """Folders that a client may think are a user's: `home`, `project`, and `bin` first on PATH."""

    def __init__(self, landfall, keep=False):
        # Short: the path of a socket may have a hundred bytes.
        self.root = Path(tempfile.mkdtemp(prefix="lf-"))
        self.home, self.project, self.bin = self.root / "home", self.root / "tally", self.root / "bin"
        self.keep = keep
        self.left_over = []
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "GOTOOLCHAIN": "local",
            "GOTELEMETRY": "off",
        }
        self.bin.mkdir()
        (self.bin / "landfall").symlink_to(Path(landfall).resolve())
        self.write(".config/landfall/servers.toml", PATIENCE)
        shutil.copytree(PROJECT, self.project)
        self.repository()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.run(["landfall", "stop", "--force"], check=False)
            self.left_over = end_descendants()
        finally:
            if not self.keep:
                shutil.rmtree(self.root, ignore_errors=True)

    def write(self, name, text):
        """A file of the home."""
        path = self.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def repository(self):
        """Clients look for a repository, and `git diff` says what is on the disk in the end."""
        git = ["git", "-c", "user.name=nobody", "-c", "user.email=nobody@localhost", "-c", "init.defaultBranch=main"]
        for words in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message", "As it was"]):
            self.run([*git, *words])

    def run(self, command, check=True):
        """Runs a command in the project and gives its standard output."""
        code, said, errors = self.run_to_end(command)
        if check and code:
            raise RuntimeError(f"{' '.join(map(str, command))}: exit code {code}\n{said}{errors}")
        return said

    @contextmanager
    def serving(self):
        """`landfall serve --http` for the project, while it is used: the address of MCP, and the token."""
        token, errors = self.root / "token", self.root / "service.txt"
        command = ["landfall", "serve", "--http", "127.0.0.1:0", "--token-file", token, "--root", self.project]
        with errors.open("wb") as error:
            service = subprocess.Popen(
                command, cwd=self.root, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=error, text=True
            )
        with service:
            try:
                said = "serving http on "
                address = next((line.removeprefix(said) for line in service.stdout if line.startswith(said)), None)
                if address is None:
                    raise RuntimeError(f"landfall serve --http ended:\n{errors.read_text()}")
                yield address.strip(), token.read_text().strip()
            finally:
                service.terminate()

    def run_to_end(self, command, env=None, input="", deadline=TO_END_A_COMMAND):
        """Runs a command in the project; its exit code (None when it did not end in time), and what it said on
        standard output and standard error. Nothing of its process group is left."""
        said, errors = self.root / "said.txt", self.root / "errors.txt"
        asked = self.root / "asked.txt"
        asked.write_text(input)
        with said.open("wb") as out, errors.open("wb") as error, asked.open("rb") as into:
            program = subprocess.Popen(
                command,
                cwd=self.project,
                env={**self.env, **(env or {})},
                stdin=into,
                stdout=out,
                stderr=error,
                start_new_session=True,
            )
            try:
                code = program.wait(deadline)
            except subprocess.TimeoutExpired:
                code = None
            finally:
                end_group(program.pid)
                program.wait(TO_END)
        return code, said.read_text(errors="replace"), errors.read_text(errors="replace")


def end_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass


def descendants():
    """Every process below this one, with its name; those that have ended are collected."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass
    children, names = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            name, _, fields = (entry / "stat").read_text().partition("(")[2].rpartition(") ")
        except OSError:
            continue
        children.setdefault(int(fields.split()[1]), []).append(int(entry.name))
        names[int(entry.name)] = name
    found, wanted = [], [os.getpid()]
    while wanted:
        below = children.get(wanted.pop(), [])
        found += below
        wanted += below
    return [(pid, names[pid]) for pid in found]


def end_descendants():
    """Waits until nothing that was started here runs any more; what had to be killed, by name."""
    killed = []
    for patience, kind in ((TO_END, None), (0.0, signal.SIGKILL), (TO_END, None)):
        if kind:
            for pid, name in descendants():
                killed.append(name)
                try:
                    os.kill(pid, kind)
                except ProcessLookupError:
                    pass
        deadline = time.monotonic() + patience
        while descendants() and time.monotonic() < deadline:
            time.sleep(0.05)
    return killed
