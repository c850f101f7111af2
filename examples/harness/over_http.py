#!/usr/bin/env python3
"""A harness in small: speaks MCP over HTTP to `landfall serve --http`. Usage: over_http.py URL TOKEN_FILE WORKSPACE"""
import itertools, json, sys, urllib.request

class Landfall:
    def __init__(self, url, token, workspace):
        self.url, self.ids = url, itertools.count(1)
        self.headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json",
                        "Accept": "application/json, text/event-stream",
                        "Landfall-Workspace": workspace, "Landfall-Structured": "true"}
        client = {"name": "my-harness", "version": "1"}
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.instructions = self.request("initialize", opening)["instructions"]  # belongs into the system prompt
        self.post(method="notifications/initialized")

    def post(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with urllib.request.urlopen(urllib.request.Request(self.url, body, self.headers)) as answer:
            if "Mcp-Session-Id" in answer.headers:
                self.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
            lines = [line.decode().removeprefix("data:") for line in answer if line[:1] in b"{d"]
        return [json.loads(line) for line in lines if line.strip()]

    def request(self, method, params):
        number = next(self.ids)
        return next(m["result"] for m in self.post(id=number, method=method, params=params) if m.get("id") == number)

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

url, token_file, workspace = sys.argv[1:]
landfall = Landfall(url, open(token_file).read().strip(), workspace)
result = landfall.call("edit", file_path="hello.txt", old_string="world", new_string="moon")
print(result["content"][0]["text"])  # for the model: the first line is the state of the disk
print("refused" if result["isError"] else "landed", result["structuredContent"].get("file"))
