"""A model on the loopback that plays a list of calls and keeps what it is shown of each one's result."""

import gzip
import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from dialects import DIALECTS

LAST_WORD = "That was all."


class ScriptedModel:
    """Serves on a free port from entering the context to leaving it.

    `choose(step, offered)` names the tool and the arguments with which a client's model would carry out a step. Which
    step comes next is told by the calls that the conversation holds already, so that a request that is sent twice gets
    the same answer twice.
    """

    def __init__(self, steps, choose):
        self.steps, self.choose = steps, choose
        self.shown = {}
        self.calls = {}
        self.offered = None
        self.instructions = ""
        self.faults = []
        self.requests = []
        self.lock = threading.Lock()

    def __enter__(self):
        model = self

        class Handler(Conversation):
            scripted = model

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def is_over(self):
        """Whether the result of the last call has been shown."""
        return len(self.steps) - 1 in self.shown

    def answer(self, dialect, body):
        """The next turn: number, tool, arguments, word."""
        with self.lock:
            request = dialect.read(body)
            # Titles and summaries are asked for without tools, and are no part of the session.
            if not request.offered:
                return 0, None, None, "A session"
            if self.offered is None:
                self.offered, self.instructions = request.offered, dialect.instructions(body)
            number = request.calls
            if number and number - 1 not in self.shown:
                self.shown[number - 1] = request.shown
            if number >= len(self.steps):
                return number, None, None, LAST_WORD
            try:
                tool, arguments = self.choose(self.steps[number], request.offered)
            except LookupError as error:
                self.faults.append(str(error))
                return number, None, None, f"I cannot go on: {error}"
            self.calls[number] = (tool, arguments)
            return number, tool, arguments, None


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that goes away in the middle of an answer is no news."""


class Conversation(BaseHTTPRequestHandler):
    """One connection of a client."""

    protocol_version = "HTTP/1.1"
    scripted = None

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send({"object": "list", "data": [{"id": "scripted", "object": "model"}], "models": []})

    do_HEAD = do_GET

    def do_POST(self):
        text = self.body()
        path = urllib.parse.urlsplit(self.path).path
        dialect = next((dialect for dialect in DIALECTS if dialect.is_for(path)), None)
        try:
            body = json.loads(text)
        except ValueError:
            body = {}
        if dialect is None:
            # Telemetry, token counts.
            return self.send({"input_tokens": 1, "totalTokens": 1})
        self.scripted.requests.append(body)
        turn = self.scripted.answer(dialect, body)
        if body.get("stream") or "stream" in path:
            self.stream(dialect.stream(*turn))
        else:
            self.send(dialect.whole(*turn))

    def body(self):
        if "chunked" in self.headers.get("transfer-encoding", "").lower():
            text = b""
            while size := int(self.rfile.readline().split(b";")[0] or b"0", 16):
                text += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            text = self.rfile.read(int(self.headers.get("content-length") or 0))
        return gzip.decompress(text) if self.headers.get("content-encoding") == "gzip" else text

    def send(self, message):
        text = json.dumps(message).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def stream(self, events):
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, event in events:
            text = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"{f'event: {name}' + chr(10) if name else ''}data: {text}\n\n".encode())
        self.wfile.flush()
