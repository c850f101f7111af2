"""What the check itself rests on: python3 -m unittest discover tests/clients"""

import json
import re
import types
import unittest
from pathlib import Path

from dialects import DIALECTS, Chat, Gemini, Messages, Offered, Responses
from model import LAST_WORD, ScriptedModel
from session import Step
from transcript import difference, masked

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures/clients"
SANDBOX = types.SimpleNamespace(project="/tmp/lf-1/tally", home="/tmp/lf-1/home", root="/tmp/lf-1")


class Masks(unittest.TestCase):
    def test_what_differs_from_run_to_run_is_masked(self):
        for one, other in (
            ("gopls, 84 ms: clean", "gopls, 1.2 s: clean"),
            ("Wall time: 0.0077 seconds", "Wall time: 5.6 seconds"),
            ("at 2026-12-01T06:04:05Z", "at 2026-12-02 23:59:59.5Z"),
            ("on http://127.0.0.1:4123/", "on http://127.0.0.1:55555/"),
        ):
            self.assertEqual(masked(one, SANDBOX), masked(other, SANDBOX))
        self.assertEqual(masked("/tmp/lf-1/tally/a.go /tmp/lf-1/home/x /tmp/lf-1/y", SANDBOX), "PROJECT/a.go HOME/x TEMPORARY/y")

    def test_any_other_change_of_a_transcript_shows(self):
        kept = sorted(FIXTURES.glob("*.txt"))
        self.assertTrue(kept)
        for fixture in kept:
            text = fixture.read_text()
            self.assertEqual(masked(text, SANDBOX), text, f"{fixture.name}: something is kept unmasked")
            lines = text.splitlines(keepends=True)
            for number, line in enumerate(lines):
                for altered in alterations(line):
                    changed = "".join([*lines[:number], altered, *lines[number + 1 :]])
                    self.assertNotEqual(difference(text, masked(changed, SANDBOX), ""), "", f"{fixture.name}: {altered}")

    def test_a_line_too_many_or_too_few_shows(self):
        for expected, seen in (("a\nb\n", "a\n"), ("a\n", "a\nb\n"), ("a\n", "a"), ("", "a\n")):
            self.assertNotEqual(difference(expected, seen, ""), "")


def alterations(line):
    """A line with its first letter, and with each of its numbers, altered."""
    if letter := re.search("[a-z]", line):
        yield line[: letter.start()] + ("y" if letter.group() == "x" else "x") + line[letter.end() :]
    for number in re.finditer(r"\d+", line):
        yield line[: number.start()] + str(int(number.group()) + 1) + line[number.end() :]


TOOL = Offered("edit")
# For each API: the tools of a request, and the conversation before it, with one call and its result.
CONVERSATIONS = {
    Chat: {
        "tools": [{"type": "function", "function": {"name": "edit"}}],
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
            {"role": "tool", "tool_call_id": "1", "content": [{"type": "text", "text": "edited"}]},
        ],
    },
    Responses: {
        "tools": [{"type": "function", "name": "edit"}],
        "input": [
            {"role": "user", "content": [{"type": "input_text", "text": "Go."}]},
            {"type": "function_call", "call_id": "1"},
            {"type": "function_call_output", "call_id": "1", "output": "edited"},
        ],
    },
    Messages: {
        "tools": [{"name": "edit"}],
        "messages": [
            {"role": "user", "content": "Go."},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1"}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "edited"}]},
        ],
    },
    Gemini: {
        "tools": [{"functionDeclarations": [{"name": "edit"}]}],
        "contents": [
            {"role": "user", "parts": [{"text": "Go."}]},
            {"role": "model", "parts": [{"functionCall": {"name": "edit"}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "edit", "response": {"output": "edited"}}}]},
        ],
    },
}


class Models(unittest.TestCase):
    def test_every_api_tells_the_calls_and_what_was_shown_of_the_last(self):
        self.assertEqual(set(CONVERSATIONS), set(DIALECTS))
        for dialect, body in CONVERSATIONS.items():
            request = dialect.read(body)
            self.assertEqual(([tool.name for tool in request.offered], request.calls), (["edit"], 1), dialect)
            self.assertEqual([shown.text for shown in request.shown], ["edited"], dialect)

    def test_a_tool_of_a_namespace_is_called_in_it(self):
        space = {"type": "namespace", "name": "mcp__landfall", "tools": [{"type": "function", "name": "edit"}]}
        (tool,) = Responses.read({"tools": [space]}).offered
        self.assertEqual(tool.whole_name(), "mcp__landfall/edit")
        call = Responses.whole(0, tool, {}, None)["output"][0]
        self.assertEqual((call["name"], call["namespace"]), ("edit", "mcp__landfall"))

    def test_a_request_that_is_sent_twice_gets_the_same_answer(self):
        steps = [Step("first", "edit", {"n": 0}), Step("second", "edit", {"n": 1})]
        model = ScriptedModel(steps, lambda step, offered: (offered[0], step.arguments))
        for dialect, body in CONVERSATIONS.items():
            answers = [model.answer(dialect, body) for _ in range(2)]
            self.assertEqual(answers[0], answers[1])
            self.assertEqual(answers[0][2], {"n": 1})
        self.assertEqual([shown.text for shown in model.shown[0]], ["edited"])
        self.assertFalse(model.is_over())

    def test_the_session_ends_with_a_word(self):
        model = ScriptedModel([Step("only", "edit", {})], lambda step, offered: (offered[0], step.arguments))
        self.assertEqual(model.answer(Chat, CONVERSATIONS[Chat])[1:], (None, None, LAST_WORD))
        self.assertTrue(model.is_over())

    def test_what_comes_without_tools_is_no_part_of_the_session(self):
        model = ScriptedModel([], None)
        for dialect, body in CONVERSATIONS.items():
            self.assertIsNone(model.answer(dialect, {**body, "tools": []})[1])
        self.assertIsNone(model.offered)

    def test_streams_say_what_whole_answers_say(self):
        for dialect in DIALECTS:
            for turn in ((1, TOOL, {"a": "é"}, None), (2, None, None, "Done.")):
                streamed = json.dumps(list(dialect.stream(*turn)))
                for word in ("edit", "a") if turn[1] else ("Done.",):
                    self.assertIn(word, streamed)
                    self.assertIn(word, json.dumps(dialect.whole(*turn)))


if __name__ == "__main__":
    unittest.main()
