"""The four model APIs that coding agents speak, as far as one call a turn needs them.

A dialect reads a request (which tools are offered, how many calls the model has made, what it was shown since the last
one) and puts the next turn (one tool call, or a closing word) into the API's own form.
"""

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Offered:
    """A tool as a request offers it."""

    name: str
    namespace: str = ""
    parameters: tuple = ()

    def whole_name(self):
        return "/".join(part for part in (self.namespace, self.name) if part)


@dataclass(frozen=True)
class Shown:
    """One piece of what the model was shown: whose it is in the API's words, and its text."""

    kind: str
    text: str


@dataclass(frozen=True)
class Request:
    """What a request says."""

    offered: list
    calls: int
    shown: list


def text_of(content):
    """The text of a message's content, whatever its form; what is no text stands there as JSON."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict) and isinstance(content.get("text"), str):
        return content["text"]
    return json.dumps(content, ensure_ascii=False, sort_keys=True)


def names_of(schema):
    return tuple(sorted((schema or {}).get("properties", {})))


def after_last(items, is_models):
    """What stands after the last item of the model; nothing when it has not spoken yet."""
    places = [place for place, item in enumerate(items) if is_models(item)]
    return items[places[-1] + 1 :] if places else []


class Chat:
    """Chat Completions of OpenAI."""

    @staticmethod
    def is_for(path):
        return path.endswith("/chat/completions")

    @staticmethod
    def read(body):
        functions = [tool["function"] for tool in body.get("tools") or []]
        messages = body.get("messages", [])
        models = [message for message in messages if message["role"] == "assistant"]
        news = after_last(messages, lambda message: message["role"] == "assistant")
        return Request(
            offered=[Offered(f["name"], parameters=names_of(f.get("parameters"))) for f in functions],
            calls=sum(len(message.get("tool_calls") or []) for message in models),
            shown=[Shown(message["role"], text_of(message.get("content"))) for message in news],
        )

    @staticmethod
    def instructions(body):
        return text_of([m.get("content") for m in body.get("messages", []) if m["role"] in ("system", "developer")])

    @staticmethod
    def stream(number, tool, arguments, word):
        head = {"id": f"turn-{number}", "object": "chat.completion.chunk", "created": 0, "model": "scripted"}

        def chunk(delta, finish=None):
            return None, {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

        yield chunk({"role": "assistant", "content": word or ""})
        if tool:
            function = {"name": tool.name, "arguments": json.dumps(arguments)}
            call = {"index": 0, "id": f"call-{number}", "type": "function", "function": function}
            yield chunk({"tool_calls": [call]})
        yield chunk({}, "tool_calls" if tool else "stop")
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        yield None, {**head, "choices": [], "usage": usage}
        yield None, "[DONE]"

    @staticmethod
    def whole(number, tool, arguments, word):
        message = {"role": "assistant", "content": word or ""}
        if tool:
            function = {"name": tool.name, "arguments": json.dumps(arguments)}
            message["tool_calls"] = [{"id": f"call-{number}", "type": "function", "function": function}]
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if tool else "stop"}
        return {"id": f"turn-{number}", "object": "chat.completion", "created": 0, "choices": [choice]}


class Responses:
    """Responses of OpenAI."""

    CALLS = ("function_call", "custom_tool_call")

    @staticmethod
    def is_for(path):
        return path.endswith("/responses")

    @staticmethod
    def read(body):
        offered = []
        for tool in body.get("tools") or []:
            if tool.get("type") == "namespace":
                offered += [
                    Offered(inner["name"], tool["name"], names_of(inner.get("parameters"))) for inner in tool["tools"]
                ]
            else:
                offered.append(Offered(tool.get("name") or tool["type"], "", names_of(tool.get("parameters"))))
        items = body.get("input", [])

        def is_models(item):
            return item.get("type") in Responses.CALLS or item.get("role") == "assistant"

        news = after_last(items, is_models)
        return Request(
            offered=offered,
            calls=sum(item.get("type") in Responses.CALLS for item in items),
            shown=[Responses.shown(item) for item in news if item.get("type") != "reasoning"],
        )

    @staticmethod
    def shown(item):
        text = item.get("output", item.get("content", item))
        return Shown(item.get("role") or item.get("type", "?"), text_of(text))

    @staticmethod
    def instructions(body):
        said = [item.get("content") for item in body.get("input", []) if item.get("role") in ("developer", "system")]
        # Of a namespace it is the description that says what the server as a whole is.
        spaces = [tool.get("description", "") for tool in body.get("tools") or [] if tool.get("type") == "namespace"]
        return text_of([body.get("instructions") or "", said, spaces])

    @staticmethod
    def whole(number, tool, arguments, word):
        item = {
            "type": "message",
            "id": f"message-{number}",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": word or "", "annotations": []}],
        }
        if tool:
            item = {
                "type": "function_call",
                "id": f"item-{number}",
                "call_id": f"call-{number}",
                "name": tool.name,
                "arguments": json.dumps(arguments),
                "status": "completed",
            }
            if tool.namespace:
                item["namespace"] = tool.namespace
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
        head = {"id": f"turn-{number}", "object": "response", "created_at": 0, "model": "scripted"}
        return {**head, "status": "completed", "output": [item], "usage": usage}

    @staticmethod
    def stream(number, tool, arguments, word):
        whole = Responses.whole(number, tool, arguments, word)
        begun = {**whole, "status": "in_progress", "output": []}
        yield "response.created", {"type": "response.created", "response": begun}
        for name in ("response.output_item.added", "response.output_item.done"):
            yield name, {"type": name, "output_index": 0, "item": whole["output"][0]}
        yield "response.completed", {"type": "response.completed", "response": whole}


class Messages:
    """Messages of Anthropic."""

    @staticmethod
    def is_for(path):
        return path.endswith("/messages")

    @staticmethod
    def read(body):
        messages = body.get("messages", [])
        models = [message for message in messages if message["role"] == "assistant"]
        blocks = [block for message in models for block in Messages.blocks(message)]
        news = after_last(messages, lambda message: message["role"] == "assistant")
        return Request(
            offered=[
                Offered(tool["name"], parameters=names_of(tool.get("input_schema"))) for tool in body.get("tools") or []
            ],
            calls=sum(block.get("type") == "tool_use" for block in blocks),
            shown=[Messages.shown(block) for message in news for block in Messages.blocks(message)],
        )

    @staticmethod
    def blocks(message):
        content = message["content"]
        return [{"type": "text", "text": content}] if isinstance(content, str) else content

    @staticmethod
    def shown(block):
        if block.get("type") == "tool_result":
            return Shown("error" if block.get("is_error") else "result", text_of(block.get("content")))
        return Shown(block.get("type", "?"), text_of(block))

    @staticmethod
    def instructions(body):
        first = [text_of(message["content"]) for message in body.get("messages", [])[:3]]
        return text_of([body.get("system") or "", first])

    @staticmethod
    def head(number):
        usage = {"input_tokens": 1, "output_tokens": 1}
        head = {"id": f"turn-{number}", "type": "message", "role": "assistant", "model": "scripted"}
        return {**head, "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}

    @staticmethod
    def block(number, tool, arguments, word):
        if tool:
            return {"type": "tool_use", "id": f"call_{number}", "name": tool.name, "input": arguments}
        return {"type": "text", "text": word or ""}

    @staticmethod
    def whole(number, tool, arguments, word):
        block = Messages.block(number, tool, arguments, word)
        return {**Messages.head(number), "content": [block], "stop_reason": "tool_use" if tool else "end_turn"}

    @staticmethod
    def stream(number, tool, arguments, word):
        def event(kind, **fields):
            return kind, {"type": kind, **fields}

        block = Messages.block(number, tool, arguments, word)
        if tool:
            empty, delta = {**block, "input": {}}, {"type": "input_json_delta", "partial_json": json.dumps(arguments)}
        else:
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        yield event("message_start", message=Messages.head(number))
        yield event("content_block_start", index=0, content_block=empty)
        yield event("content_block_delta", index=0, delta=delta)
        yield event("content_block_stop", index=0)
        stop = {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}
        yield event("message_delta", delta=stop, usage={"output_tokens": 1})
        yield event("message_stop")


class Gemini:
    """generateContent of Google."""

    @staticmethod
    def is_for(path):
        return path.endswith(("enerateContent",))

    @staticmethod
    def read(body):
        declared = [f for tool in body.get("tools") or [] for f in tool.get("functionDeclarations", [])]
        turns = body.get("contents", [])
        parts = [part for turn in turns if turn.get("role") == "model" for part in turn["parts"]]
        news = after_last(turns, lambda turn: turn.get("role") == "model")
        return Request(
            offered=[
                Offered(f["name"], parameters=names_of(f.get("parametersJsonSchema") or f.get("parameters")))
                for f in declared
            ],
            calls=sum("functionCall" in part for part in parts),
            shown=[Gemini.shown(part) for turn in news for part in turn["parts"]],
        )

    @staticmethod
    def shown(part):
        response = part.get("functionResponse")
        if response is None:
            return Shown("user", text_of(part))
        said = response.get("response", {})
        for key in ("output", "error"):
            if list(said) == [key] and isinstance(said[key], str):
                return Shown(key, said[key])
        return Shown("response", text_of(said))

    @staticmethod
    def instructions(body):
        first = [text_of(turn["parts"]) for turn in body.get("contents", [])[:2]]
        return text_of([(body.get("systemInstruction") or {}).get("parts", []), first])

    @staticmethod
    def whole(number, tool, arguments, word):
        part = {"functionCall": {"name": tool.name, "args": arguments}} if tool else {"text": word or ""}
        candidate = {"index": 0, "content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}
        usage = {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted"}

    @staticmethod
    def stream(number, tool, arguments, word):
        yield None, Gemini.whole(number, tool, arguments, word)


DIALECTS = (Chat, Responses, Messages, Gemini)
