#!/usr/bin/env python3
"""A harness in small: speaks to a running `landfall serve` over its socket. Usage: over_socket.py WORKSPACE"""
import json, os, socket, subprocess, sys

class Landfall:
    def __init__(self, workspace):
        status = json.loads(subprocess.check_output(["landfall", "status", "--json"]))
        daemon = status["daemons"][0]
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(daemon["socket"])
        self.stream = connection.makefile("rw", encoding="utf-8", newline="\n")
        ask = {"ask": "calls", "workspaces": [os.path.abspath(workspace)]}  # one session, with a ledger of its own
        welcome = self.exchange({"landfall": daemon["version"], **ask})
        if "refused" in welcome:
            sys.exit("landfall refused: " + welcome["refused"])

    def exchange(self, message):
        self.stream.write(json.dumps(message) + "\n")
        self.stream.flush()
        answer = self.stream.readline()
        return json.loads(answer) if answer else sys.exit("landfall has ended")

    def call(self, tool, **arguments):
        return self.exchange({"tool": tool, "arguments": arguments})

landfall = Landfall(sys.argv[1])
result = landfall.call("edit", file_path="hello.txt", old_string="world", new_string="moon")
print(result["text"])  # for the model: the first line is the state of the disk
print("refused" if result["is_error"] else "landed", result["structured"].get("file"))
