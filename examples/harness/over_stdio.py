#!/usr/bin/env python3
"""A harness in small: attaches landfall over stdio and makes one edit. Usage: over_stdio.py WORKSPACE"""
import json, subprocess, sys

class Landfall:
    def __init__(self, workspace):
        command = ["landfall", "mcp", "--structured", "--workspace", workspace]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.last = 0
        client = {"name": "my-harness", "version": "1"}
        opening = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.instructions = self.request("initialize", opening)["instructions"]  # belongs into the system prompt
        self.send(method="notifications/initialized")

    def send(self, **message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.last += 1
        self.send(id=self.last, method=method, params=params)
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.last:
                return message["result"]
        sys.exit("landfall has ended; it says why on standard error")

    def call(self, tool, **arguments):
        return self.request("tools/call", {"name": tool, "arguments": arguments})

landfall = Landfall(sys.argv[1])
tools = landfall.request("tools/list", {})["tools"]  # name, description, inputSchema: what a model is given
result = landfall.call("edit", file_path="hello.txt", old_string="world", new_string="moon")
print(result["content"][0]["text"])  # for the model: the first line is the state of the disk
print(len(tools), "tools; refused" if result["isError"] else "tools; landed", result["structuredContent"].get("file"))
