#!/usr/bin/env python3
"""What an editor is told of programs in Remora, by a real client over pipes.

    remora_test.py NVM ROOT
"""

import sys
import unittest

from client import Client

NVM = sys.argv[1]


class Remora(unittest.TestCase):
    def setUp(self):
        self.c = Client(NVM)
        self.addCleanup(self.c.close)
        self.c.start()

    def test_remora(self):
        uri = "file:///nowhere/a.remora"
        text = "(define xs [1 2 3])\n(define (inc [n int]) (+ n 1)) ; é\n(inc xs)\n(oops 1)\n(let [y 2] (+ y y))\n"
        self.c.open(uri, text, language="remora")
        problems = self.c.problems(uri)
        self.assertEqual([p[:2] for p in problems], [(3, 1)])
        at = lambda words, plus=0: self.c.at(uri, words, plus)
        self.assertIn("xs : [int 3]", self.c.result("textDocument/hover", **at("xs)"))["contents"]["value"])
        found = self.c.result("textDocument/definition", **at("inc xs"))
        self.assertEqual(self.c.words(uri, found["range"]), "inc")
        self.assertEqual(found["range"]["start"]["line"], 1)
        edits = self.c.result("textDocument/rename", newName="up", **at("inc xs"))["changes"][uri]
        self.assertEqual(self.c.applied(uri, edits), text.replace("inc", "up"))
        labels = [i["label"] for i in self.c.result("textDocument/completion", **at("inc xs", 2))["items"]]
        self.assertIn("inc", labels)
        self.assertEqual([s["name"] for s in self.c.result("textDocument/documentSymbol", textDocument={"uri": uri})],
                         ["xs", "inc"])
        self.assertIn("int", self.c.result("textDocument/signatureHelp", **at("inc xs", 4))["signatures"][0]["label"])

    def test_an_open_bracket(self):
        """While a form cannot be read, the others are known."""
        uri = "file:///nowhere/b.remora"
        text = "(define (ff [x int] [y [float 2]]) x)\n(ff 1 \n(define zz (ff 1 [2. 3.]))\n"
        self.c.open(uri, text, language="remora")
        self.assertEqual([p[:2] for p in self.c.problems(uri)], [(1, 0)])
        at = lambda words, plus=0: self.c.at(uri, words, plus)
        for words, plus, active in (("ff 1 \n", 3, 0), ("ff 1 \n", 5, 1), ("ff 1 [", 5, 1)):
            found = self.c.result("textDocument/signatureHelp", **at(words, plus))
            signature = found["signatures"][0]
            self.assertEqual((signature["label"], found["activeParameter"]), ("ff : (-> (int [float 2]) int)", active))
            self.assertEqual([signature["label"][b:e] for b, e in (p["label"] for p in signature["parameters"])], ["int", "[float 2]"])
        labels = [i["label"] for i in self.c.result("textDocument/completion", **at("ff 1 \n", 1))["items"]]
        self.assertIn("ff", labels)
        self.assertIn("ff : ", self.c.result("textDocument/hover", **at("ff 1 \n"))["contents"]["value"])
        self.assertIn("zz : int", self.c.result("textDocument/hover", **at("zz"))["contents"]["value"])


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
