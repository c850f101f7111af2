"""What a model saw, in words that are the same in every run, and whether it is what was seen before."""

import difflib
import json
import re
from dataclasses import dataclass, field

# Tools of the clients' own that change files.
EDITORS = {"edit", "multiedit", "write", "patch", "apply_patch", "notebookedit", "replace", "write_file"}
# The first words that landfall says of itself.
INSTRUCTIONS = "landfall edits files and checks them"
UNSTEADY = (
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|seconds)\b"), "TIME"),
    # With seconds: `41:18` is a place in a file.
    (re.compile(r"\b(\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(\.\d+)?Z?\b"), "CLOCK"),
    (re.compile(r"\b127\.0\.0\.1:\d+"), "127.0.0.1:PORT"),
)


@dataclass
class Played:
    """What became of a session: by the number of the step, the call and what was shown of it."""

    calls: dict
    shown: dict
    offered: list
    instructions: str
    faults: list = field(default_factory=list)


def render(title, steps, played, sandbox):
    """The transcript of a session, and what is on the disk after it."""
    own = {tool.name for tool in played.offered if tool.name.lower() in EDITORS and not tool.namespace}
    parts = [
        title,
        f"edit tools of the client's own: {', '.join(sorted(own)) or 'none'}",
        f"landfall's instructions: {'shown' if INSTRUCTIONS in played.instructions else 'not shown'}",
    ]
    for number, step in enumerate(steps):
        parts += ["", f"== {step.title}"]
        if number not in played.calls:
            parts.append("(never came to it)")
            continue
        tool, arguments = played.calls[number]
        parts.append(f"-> {tool.whole_name()} {json.dumps(arguments, ensure_ascii=False)}")
        if number not in played.shown:
            parts.append("(its result was never shown)")
        for shown in played.shown.get(number, []):
            parts += [f"<- {shown.kind}", shown.text.rstrip("\n")]
    changed = sandbox.run(["git", "diff"]) + sandbox.run(["git", "status", "--short", "--untracked-files=all"])
    return masked("\n".join([*parts, "", f"== the disk in the end\n{changed}"]), sandbox)


def masked(text, sandbox):
    """The text without what differs from run to run."""
    for folder, name in ((sandbox.project, "PROJECT"), (sandbox.home, "HOME"), (sandbox.root, "TEMPORARY")):
        text = text.replace(str(folder), name)
    for pattern, name in UNSTEADY:
        text = pattern.sub(name, text)
    return text


def difference(expected, seen, name):
    """The lines that differ, empty when none does."""
    lines = (text.splitlines(keepends=True) for text in (expected, seen))
    diff = difflib.unified_diff(*lines, fromfile=f"{name} as kept", tofile=f"{name} as seen")
    return "".join(line if line.endswith("\n") else line + "\n" for line in diff)
