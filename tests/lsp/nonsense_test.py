#!/usr/bin/env python3
"""A client that sends nonsense gets one clear error for each thing, and the server goes on.

    nonsense_test.py NVM ROOT
"""

import json
import random
import sys
import unittest

from client import Client

NVM = sys.argv[1]
URI = "file:///nowhere/a.nesl"


class Nonsense(unittest.TestCase):
    def setUp(self):
        self.c = Client(NVM)
        self.addCleanup(self.c.close)

    def alive(self):
        self.assertEqual(self.c.error("no/such/method")["code"], -32601)

    def refused(self, data, code, word):
        """One answer without an id, and the next request is answered."""
        self.c.raw(data)
        answer = self.c.read()
        self.assertEqual((answer["id"], answer["error"]["code"]), (None, code), answer)
        self.assertIn(word, answer["error"]["message"])
        self.alive()

    @staticmethod
    def framed(body):
        return b"Content-Length: %d\r\n\r\n" % len(body) + body

    def test_bytes(self):
        for data, word in ((b"hello\r\n\r\n", "header field"), (b"Content-Length: x\r\n\r\n", "one number"),
                           (b"Content-Length: -5\r\n\r\n", "one number"), (b"Content-Type: a\r\n\r\n", "without Content-Length"),
                           (b"Content-Length: 1\r\nContent-Length: 1\r\n\r\n", "one number"),
                           (b"Content-Length: 99999999999999999999999\r\n\r\n", "one number"),
                           (b"\x00\xff" * 3000, "header"), (self.framed(b""), "no JSON"), (self.framed(b"{"), "no JSON"),
                           (self.framed(b"\xff\xfe"), "no JSON"), (self.framed(b'{"a": 1} x'), "no JSON"),
                           (self.framed(b"[" * 5000), "nested"), (self.framed(b'{"a":' * 101 + b"1" + b"}" * 101), "nested"),
                           (self.framed(b"[" + b"1," * 300000 + b"1]"), "values"),
                           (self.framed(b" " * ((16 << 20) + 1)), "are the most")):
            with self.subTest(data=data[:40]):
                self.refused(data, -32700, word)

    def test_shapes(self):
        """JSON that is no request."""
        for message, word in (([], "object"), (1, "object"), (None, "object"), ("x", "object"), ({}, "jsonrpc"),
                              ({"jsonrpc": "1.0", "method": "shutdown"}, "jsonrpc"), ({"jsonrpc": "2.0"}, "without a method"),
                              ({"jsonrpc": "2.0", "method": 3}, "string"),
                              ({"jsonrpc": "2.0", "id": 1.5, "method": "shutdown"}, "whole number"),
                              ({"jsonrpc": "2.0", "id": {}, "method": "shutdown"}, "whole number"),
                              ({"jsonrpc": "2.0", "id": None, "method": "shutdown"}, "whole number")):
            with self.subTest(message=message):
                self.refused(self.framed(json.dumps(message).encode()), -32600, word)
        self.c.send({"jsonrpc": "2.0", "id": "name", "method": "x", "params": 3})
        answer = self.c.read()
        self.assertEqual((answer["id"], answer["error"]["code"]), ("name", -32602))

    def test_pieces(self):
        """A message byte by byte, and two in one piece."""
        body = b'{"jsonrpc":"2.0","id":7,"method":"x"}'
        for byte in self.framed(body):
            self.c.raw(bytes([byte]))
        self.assertEqual(self.c.answer(7)["error"]["code"], -32601)
        self.c.raw(self.framed(body) + b"content-length: %d\n\n" % len(body) + body.replace(b"7", b"8"))
        self.assertEqual([self.c.read()["id"] for _ in range(2)], [7, 8])

    def test_order(self):
        self.assertEqual(self.c.error("textDocument/hover")["code"], -32002)
        self.c.start()
        self.assertEqual(self.c.error("initialize")["code"], -32600)
        self.c.result("shutdown")
        self.assertEqual(self.c.error("textDocument/hover")["code"], -32600)
        self.c.notify("exit")
        self.assertEqual(self.c.process.wait(60), 0)

    def test_endings(self):
        """Without shutdown, and a stream that ends anywhere, the status is 1."""
        self.c.notify("exit")
        self.assertEqual(self.c.process.wait(60), 1)
        for data in (b"", b"Content-Le", b"Content-Length: 10\r\n\r\n{"):
            client = Client(NVM)
            client.raw(data)
            client.process.stdin.close()
            self.assertEqual(client.process.wait(60), 1)
            client.close()

    def test_params(self):
        self.c.start()
        self.c.open(URI, "x = 1;\n")
        position = {"line": 0, "character": 0}
        document = {"uri": URI}
        for method in ("hover", "definition", "references", "documentHighlight", "completion", "signatureHelp",
                       "documentSymbol", "inlayHint", "formatting", "prepareRename", "rename"):
            for params in ({}, {"textDocument": 3}, {"textDocument": {"uri": 3}},
                           {"textDocument": {"uri": "file:///other"}, "position": position}):
                with self.subTest(method=method, params=params):
                    self.assertEqual(self.c.error("textDocument/" + method, **params)["code"], -32602)
        for bad in (None, 3, {}, {"line": -1, "character": 0}, {"line": 0.5, "character": 0}, {"line": 0},
                    {"line": 2 ** 31, "character": 0}, {"line": 10 ** 30, "character": 0}, {"line": "0", "character": "0"}):
            with self.subTest(position=bad):
                self.assertEqual(self.c.error("textDocument/hover", textDocument=document, position=bad)["code"], -32602)
        far = {"line": 2 ** 31 - 1, "character": 2 ** 31 - 1}
        for method in ("hover", "completion", "definition", "signatureHelp"):
            self.c.result("textDocument/" + method, textDocument=document, position=far)
        self.assertEqual(self.c.error("textDocument/rename", textDocument=document, position=position)["code"], -32602)
        self.assertEqual(self.c.error("completionItem/resolve")["code"], -32602)

    def test_notifications(self):
        """Those that make no sense are told of, once each."""
        self.c.start()
        self.c.notify("no/such/notification")
        self.c.notify("$/cancelRequest", id=99)
        self.c.notify("$/cancelRequest")
        self.c.open(URI, "x = 1;\n")
        self.c.open(URI, "x = 1;\n")
        self.assertIn("open already", self.c.note("window/logMessage")["message"])
        self.c.open("file:///a.txt", "", language="plaintext")
        self.assertIn("no program", self.c.note("window/logMessage")["message"])
        for params in ({}, {"textDocument": {"uri": URI}}, {"textDocument": {"uri": URI}, "contentChanges": [3]},
                       {"textDocument": {"uri": URI}, "contentChanges": [{"text": "", "range": {
                           "start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 1}}}]}):
            self.c.notify("textDocument/didChange", **params)
            self.assertIn("textDocument/didChange", self.c.note("window/logMessage")["message"])
        self.c.notify("textDocument/didClose", textDocument={"uri": "file:///other"})
        self.assertIn("is not open", self.c.note("window/logMessage")["message"])
        hover = self.c.result("textDocument/hover", textDocument={"uri": URI}, position={"line": 0, "character": 0})
        self.assertIn("x : int", hover["contents"]["value"])  # nothing was changed

    def test_cancellation(self):
        """Of requests that wait; each is answered once."""
        self.c.start()
        self.c.open(URI, "x = 1;\n" * 300)
        params = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
        data = b""
        for k in range(100, 120):
            data += self.framed(json.dumps({"jsonrpc": "2.0", "id": k, "method": "textDocument/hover", "params": params}).encode())
        data += self.framed(b'{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":119}}')
        self.c.raw(data)
        answers = {}
        while len(answers) < 20:
            message = self.c.read()
            if "method" not in message:
                self.assertNotIn(message["id"], answers)
                answers[message["id"]] = message
        self.assertEqual(sorted(answers), list(range(100, 120)))
        last = answers[119]
        self.assertTrue("result" in last or last["error"]["code"] == -32800)
        self.alive()

    def test_texts(self):
        """Texts that are hard to check, each with a limit that holds."""
        self.c.start()
        deep = 3000
        for text in ("(" * deep + "1" + ")" * deep + ";", "{" * deep, "-" * 100000 + "1;", "%", '"', "`", "'" * 5000,
                     "x = " + "[" * 900 + "1" + "]" * 900 + ";", "\x00" * 100, "é" * 1000, "\r\n" * 1000, ";" * 5000,
                     "".join(f"x{k} = (x{k - 1}, x{k - 1});" if k else "x0 = 1;" for k in range(60)),
                     "function g(x) = " + "if x then " * 2000 + "1", "let " * 3000, "1 + " * 20000 + "1;"):
            for uri, language in ((URI, "nesl"), ("file:///nowhere/a.remora", "remora")):
                with self.subTest(text=text[:30], language=language):
                    self.c.open(uri, text, language=language)
                    self.c.problems(uri)
                    for method in ("hover", "completion", "definition", "references", "signatureHelp", "documentSymbol",
                                   "formatting"):
                        at = self.c.position(text, len(text) // 2)
                        answer = self.c.ask("textDocument/" + method, textDocument={"uri": uri}, position=at, options={})
                        self.assertEqual("error" in answer, False, str(answer)[:300])
                    self.c.notify("textDocument/didClose", textDocument={"uri": uri})
                    self.c.notes.clear()
        self.alive()

    def test_random_messages(self):
        """Valid messages with one value replaced: never silence, never an end."""
        self.c.start()
        self.c.open(URI, "x = 1;\n")
        draw = random.Random(5)
        values = [None, 0, -1, 1e300, "", "x", [], {}, [[]], True, "file:///nowhere/a.nesl"]
        for k in range(400):
            params = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 1}, "newName": "y",
                      "range": {"start": {"line": 0, "character": 0}, "end": {"line": 1, "character": 0}},
                      "context": {"includeDeclaration": True}, "label": "sum", "data": URI}
            place = params
            while isinstance(place, dict):
                parent, key = place, draw.choice(sorted(place))
                place = place[key] if draw.random() < 0.6 else None
            parent[key] = draw.choice(values)
            method = draw.choice(["hover", "definition", "references", "completion", "rename", "inlayHint", "formatting",
                                  "documentSymbol", "prepareRename", "signatureHelp"])
            with self.subTest(method=method, params=params):
                answer = self.c.ask("textDocument/" + method, **params)
                self.assertEqual(("result" in answer) + ("error" in answer), 1)


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
