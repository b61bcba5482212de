"""A client of the Language Server Protocol: framing, ids, notifications that come in between, positions by words."""

import json
import os
import select
import subprocess
import time

TIMEOUT = 60


class Client:
    def __init__(self, nvm, folder=".", encoding="utf-16"):
        self.process = subprocess.Popen([nvm, "lsp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder)
        self.buffer = b""
        self.ids = 0
        self.encoding = encoding
        self.notes = []  # notifications that nobody has looked at
        self.texts = {}

    def raw(self, data):
        """Writes, and reads what comes meanwhile: a server that waits for its reader reads nothing."""
        reads = [self.process.stdout]
        while data:
            ready, free, _ = select.select(reads, [self.process.stdin], [], TIMEOUT)
            if ready:
                more = self.process.stdout.read1(1 << 16)
                self.buffer += more
                reads = reads if more else []
            elif free:
                data = data[os.write(self.process.stdin.fileno(), data[:select.PIPE_BUF]):]
            else:
                raise TimeoutError("the server reads nothing")

    def send(self, message):
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def fill(self):
        ready, _, _ = select.select([self.process.stdout], [], [], TIMEOUT)
        if not ready:
            raise TimeoutError("the server says nothing")
        data = self.process.stdout.read1(1 << 16)
        if not data:
            raise EOFError
        self.buffer += data

    def read(self):
        """The next message, whose header must be exact."""
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        header, rest = self.buffer.split(b"\r\n\r\n", 1)
        name, number = header.split(b": ")
        assert name == b"Content-Length", header
        while len(rest) < int(number):
            self.fill()
            rest = self.buffer.split(b"\r\n\r\n", 1)[1]
        self.buffer = rest[int(number):]
        message = json.loads(rest[:int(number)])
        assert message["jsonrpc"] == "2.0", message
        return message

    def answer(self, number):
        while True:
            message = self.read()
            if "method" not in message and message["id"] == number:
                return message
            self.notes.append(message)

    def begin(self, method, **params):
        self.ids += 1
        self.send({"jsonrpc": "2.0", "id": self.ids, "method": method, "params": params})
        return self.ids

    def ask(self, method, **params):
        """The answer, whole."""
        return self.answer(self.begin(method, **params))

    def result(self, method, **params):
        answer = self.ask(method, **params)
        assert "result" in answer, answer
        return answer["result"]

    def error(self, method, **params):
        answer = self.ask(method, **params)
        assert "error" in answer, answer
        return answer["error"]

    def notify(self, method, **params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def start(self):
        general = {"positionEncodings": [self.encoding, "utf-16"]}
        result = self.result("initialize", processId=None, rootUri=None, capabilities={"general": general})
        assert result["capabilities"]["positionEncoding"] == self.encoding, result
        self.notify("initialized")
        return result

    def stop(self):
        """Shuts the server down as it should be; its exit status."""
        self.result("shutdown")
        self.notify("exit")
        status = self.process.wait(TIMEOUT)
        self.close()
        return status

    def close(self):
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass
        self.process.kill()
        self.process.wait()

    def note(self, method):
        """The next notification of a method."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            for k, message in enumerate(self.notes):
                if message.get("method") == method:
                    return self.notes.pop(k)["params"]
            self.notes.append(self.read())
        raise TimeoutError(method)

    # ---- documents

    def open(self, uri, text, language="nesl", version=1):
        self.texts[uri] = text
        self.notify("textDocument/didOpen",
                    textDocument={"uri": uri, "languageId": language, "version": version, "text": text})

    def change(self, uri, text, version=2):
        self.texts[uri] = text
        self.notify("textDocument/didChange", textDocument={"uri": uri, "version": version},
                    contentChanges=[{"text": text}])

    def edit(self, uri, begin, end, with_text, version=2):
        """Replaces characters begin to end, told as a range."""
        text = self.texts[uri]
        part = {"start": self.position(text, begin), "end": self.position(text, end)}
        self.texts[uri] = text[:begin] + with_text + text[end:]
        self.notify("textDocument/didChange", textDocument={"uri": uri, "version": version},
                    contentChanges=[{"range": part, "text": with_text}])

    def problems(self, uri, version=None):
        """(line, character, message) of the next diagnostics of a document, or of a version of it."""
        while True:
            params = self.note("textDocument/publishDiagnostics")
            if params["uri"] == uri and version in (None, params.get("version")):
                return [(d["range"]["start"]["line"], d["range"]["start"]["character"], d["message"])
                        for d in params["diagnostics"]]

    def units(self, text):
        return len(text.encode()) if self.encoding == "utf-8" else len(text.encode("utf-16-le")) // 2

    def position(self, text, offset):
        line = text.count("\n", 0, offset)
        begin = text.rfind("\n", 0, offset) + 1
        return {"line": line, "character": self.units(text[begin:offset])}

    def offset(self, text, position):
        lines = text.split("\n")
        line = lines[position["line"]]
        at = next(k for k in range(len(line) + 1) if self.units(line[:k]) == position["character"])
        return sum(len(x) + 1 for x in lines[:position["line"]]) + at

    def at(self, uri, words, plus=0, occurrence=0):
        """textDocument and position of the beginning of some words of the text."""
        text, offset = self.texts[uri], -1
        for _ in range(occurrence + 1):
            offset = text.index(words, offset + 1)
        return {"textDocument": {"uri": uri}, "position": self.position(text, offset + plus)}

    def words(self, uri, found):
        """The text of a range."""
        text = self.texts[uri]
        return text[self.offset(text, found["start"]):self.offset(text, found["end"])]

    def applied(self, uri, edits):
        text = self.texts[uri]
        for change in sorted(edits, key=lambda e: -self.offset(text, e["range"]["start"])):
            begin, end = (self.offset(text, change["range"][k]) for k in ("start", "end"))
            text = text[:begin] + change["newText"] + text[end:]
        return text
