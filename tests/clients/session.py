"""The session that every client plays: the same steps whatever tools carry them out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One call, in the words of landfall's own tools; paths are relative to the project."""

    title: str
    tool: str
    arguments: dict


def edit(title, path, old, new):
    return Step(title, "edit", {"file_path": path, "old_string": old, "new_string": new})


ACCOUNT = "account/account.go"

STEPS = (
    Step("read a file", "read", {"file_path": ACCOUNT}),
    # The file is indented by tabs.
    edit(
        "an edit whose old text drifted in white space",
        ACCOUNT,
        "    if amount > a.balance {\n"
        "        return &ShortError{Account: a.name, Missing: amount - a.balance}\n"
        "    }\n",
        "    if missing := amount - a.balance; missing > 0 {\n"
        "        return &ShortError{Account: a.name, Missing: missing}\n"
        "    }\n",
    ),
    edit("an edit that brings an error in", ACCOUNT, "\ta.balance += amount\n", "\ta.balance += amount - fee\n"),
    edit("the fix", ACCOUNT, "\ta.balance += amount - fee\n", "\ta.balance += amount\n"),
    edit(
        "an edit that breaks other files",
        ACCOUNT,
        "func (a *Account) Name() string {",
        "func (a *Account) Label() string {",
    ),
    edit("that one taken back", ACCOUNT, "func (a *Account) Label() string {", "func (a *Account) Name() string {"),
    edit("an edit that fits two places", ACCOUNT, "\tif amount <= 0 {\n", "\tif amount < 1 {\n"),
    # The frame is the file's, what stands in it is not: the model remembers another version.
    edit(
        "an edit of what the file does not say",
        ACCOUNT,
        "func (a *Account) Balance() int64 {\n\treturn a.total - a.held\n}\n",
        "func (a *Account) Balance() int64 {\n\treturn a.total\n}\n",
    ),
    Step("a read with a mistyped path", "read", {"file_path": "acount/errors.go"}),
    edit(
        "an edit with a mistyped path",
        "account/error.go",
        '"%s lacks %d cents"',
        '"%s is %d cents short"',
    ),
    Step("what has changed", "changes", {}),
)
