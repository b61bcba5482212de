#!/usr/bin/env python3
"""What an editor is told of programs: each question, by a real client over pipes.

    answers_test.py NVM ROOT
"""

import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

from client import Client

NVM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
URI = "file:///nowhere/a.nesl"
TEXT = """% comment: sum(x) %
function mean(v) = sum(v) / float(#v);
function twice(x, n := 2) : (int, int) -> int "Times n." = x * n;
datatype point(float, float);
xs = {mean([a, 2.0]) : a in [1.0, 2.0] | a > 0.5};
let (p, q) = (1, [2]); r = p + q[0] in (r, twice(r, n := 3));
{xs};
{* y + 1 : y in [1]};
function point_x(point(a, b)) = a;
"""


class Session(unittest.TestCase):
    encoding = "utf-16"

    def setUp(self):
        self.c = Client(NVM, encoding=self.encoding)
        self.addCleanup(self.c.close)
        self.c.start()

    def hover(self, words, **where):
        found = self.c.result("textDocument/hover", **self.c.at(URI, words, **where))
        return found and found["contents"]["value"]

    def check(self, path):
        """The same from nvm check."""
        done = subprocess.run([NVM, "check", "--json", path], capture_output=True, text=True, check=False)
        return json.loads(done.stdout)


class Nesl(Session):
    def setUp(self):
        super().setUp()
        self.c.open(URI, TEXT)

    def test_diagnostics(self):
        self.assertEqual(self.c.problems(URI), [])
        self.c.change(URI, "ff(1);\nfunction g(x y) = 1;\n1 + 2.0;\nfunction h(x) : int -> int;\n")
        lines = [(line, column) for line, column, _ in self.c.problems(URI)]
        self.assertEqual(lines, [(0, 0), (1, 13), (2, 4), (3, 9)])
        self.c.change(URI, "")
        self.assertEqual(self.c.problems(URI), [])

    def test_hover(self):
        self.assertIn("mean(v) : [float] -> float", self.hover("mean([a"))
        self.assertIn("sum(v) : [a] -> a :: (a in number)\n```\n\nSum of the elements.\n\n`sum([3, 1, 4])` is `8`\n\nhere: `[float] -> float`",
                      self.hover("sum(v)"))
        self.assertIn("Times n.", self.hover("twice(r"))
        self.assertIn("a : float", self.hover("a > 0.5"))
        self.assertIn("q : [int]\n```\n\nlocal variable", self.hover("q[0]"))
        self.assertIn("n : int\n```\n\nparameter", self.hover("n := 3"))
        self.assertIn("datatype", self.hover("point(a, b)"))
        self.assertIn("+ : (a, a) -> a", self.hover("+ q"))
        self.assertIsNone(self.hover("sum(x)"))  # in a comment
        self.assertIsNone(self.hover("0.5"))

    def test_definition(self):
        for use, definition in (("mean([a", "mean(v)"), ("a > 0.5", "a in [1.0"), ("r, twice", "r = p"), ("xs}", "xs ="),
                                ("n := 3", "n := 2"), ("point(a, b)", "point(float"), ("y + 1", "y in [1]")):
            found = self.c.result("textDocument/definition", **self.c.at(URI, use))
            with self.subTest(use=use):
                self.assertEqual((found["uri"], found["range"]["start"]), (URI, self.c.at(URI, definition)["position"]))
        self.assertIsNone(self.c.result("textDocument/definition", **self.c.at(URI, "sum(v)")))

    def test_declaration_leads_to_definition(self):
        self.c.change(URI, "function g(x) : int -> int;\ng(1);\nfunction g(x) = x + 1;\n")
        found = self.c.result("textDocument/definition", **self.c.at(URI, "g(1)"))
        self.assertEqual(found["range"]["start"], {"line": 2, "character": 9})

    def test_references(self):
        found = self.c.result("textDocument/references", context={"includeDeclaration": False}, **self.c.at(URI, "twice(x"))
        self.assertEqual([f["range"]["start"]["line"] for f in found], [5])
        found = self.c.result("textDocument/documentHighlight", **self.c.at(URI, "xs ="))
        self.assertEqual([f["range"]["start"]["line"] for f in found], [4, 6])

    def renamed(self, words, name, **where):
        found = self.c.result("textDocument/rename", newName=name, **self.c.at(URI, words, **where))
        return self.c.applied(URI, found["changes"][URI])

    def test_rename(self):
        self.assertEqual(self.renamed("mean(v)", "average"), TEXT.replace("mean", "average"))
        self.assertEqual(self.renamed("xs =", "ys"), TEXT.replace("xs =", "ys =").replace("{xs}", "{xs in ys}"))
        self.assertEqual(self.renamed("n := 2", "m"), TEXT.replace("n := ", "m := ").replace("x * n", "x * m"))
        self.assertEqual(self.renamed("y + 1", "t"), TEXT.replace("y + 1 : y", "t + 1 : t"))
        self.assertEqual(self.renamed("y + 1", "z"), TEXT.replace("y + 1 : y", "z + 1 : z"))
        self.assertEqual(self.renamed("point(float", "pt"), TEXT.replace("point(", "pt("))

    def test_rename_refused(self):
        for words, name, why in (("sum(v)", "x", "built in"), ("p, q", "q", "something else"), ("p, q", "let", "word of"),
                                 ("p, q", "1x", "no name"), ("p, q", "", "no name"), ("mean(v)", "sum", "something else"),
                                 ("0.5", "x", "no name stands here"), ("xs =", "t", "something else"), ("p, q", "F", "word of")):
            with self.subTest(words=words, name=name):
                error = self.c.error("textDocument/rename", newName=name, **self.c.at(URI, words))
                self.assertEqual(error["code"], -32803)
                self.assertIn(why, error["message"])
        self.assertIn("built in", self.c.error("textDocument/prepareRename", **self.c.at(URI, "sum(v)"))["message"])
        found = self.c.result("textDocument/prepareRename", **self.c.at(URI, "mean(v)", plus=2))
        self.assertEqual(self.c.words(URI, found), "mean")

    def labels(self, words, **where):
        found = self.c.result("textDocument/completion", **self.c.at(URI, words, **where))
        return {item["label"]: item for item in found["items"]}

    def test_completion(self):
        labels = self.labels("xs};", plus=1)
        self.assertEqual(labels["xs"]["detail"], "[float]")
        self.assertEqual(self.labels("sum(v)", plus=2).keys(), {"subseq", "sum"})
        self.assertEqual(self.labels("sum(x)", plus=2), {})  # in a comment
        self.assertIn("mean", self.labels("xs = {", plus=6))
        self.assertNotIn("twice", self.labels("sum(v)"))  # not defined yet
        self.assertIn("v", self.labels("sum(v)"))
        item = self.c.result("completionItem/resolve", **self.labels("sum(v)", plus=2)["sum"])
        self.assertEqual(item["detail"], "[a] -> a :: (a in number)")
        self.assertIn("Sum of the elements.", item["documentation"]["value"])

    def test_completion_while_typing(self):
        self.c.change(URI, "function mean(values, n) =\nlet other = 1;\n    x = {va")
        labels = self.labels("va", plus=2, occurrence=1)
        self.assertIn("values", labels)
        self.assertIn("other", self.labels("{va", plus=1))

    def test_signature(self):
        self.c.change(URI, TEXT + "twice(1, ")
        found = self.c.result("textDocument/signatureHelp", **self.c.at(URI, "twice(1, ", plus=9))
        signature = found["signatures"][0]
        self.assertEqual((signature["label"], found["activeParameter"]), ("twice(x, n) : (int, int) -> int", 1))
        self.assertEqual([signature["label"][b:e] for b, e in (p["label"] for p in signature["parameters"])], ["x", "n"])
        found = self.c.result("textDocument/signatureHelp", **self.c.at(URI, "sum(v)", plus=4))
        self.assertEqual(found["signatures"][0]["documentation"], "Sum of the elements.")
        self.assertIsNone(self.c.result("textDocument/signatureHelp", **self.c.at(URI, "datatype")))

    def test_signatures_of_what_has_no_named_parameters(self):
        uri = "file:///nowhere/signatures.nesl"
        self.c.open(uri, "datatype pt((int, int), float);\nlet g = (a, b) => a + b in g(1, 2);\npt((2, 3), 1.0);\n"
                         "inc = x => x + 1;\ninc(4);\nn = 5;\nn(6);\n"
                         "function twice(f, x) = f(f(x));\n")
        for words, plus, label, parts, active in (("pt((2", 11, "pt : ((int, int), float) -> pt", ["(int, int)", "float"], 1),
                                                  ("g(1, 2", 2, "g : (int, int) -> int", ["int", "int"], 0),
                                                  ("f(x)", 2, "f : a -> a :: (a in any)", ["a"], 0),
                                                  ("inc(4", 4, "inc : int -> int", ["int"], 0)):
            found = self.c.result("textDocument/signatureHelp", **self.c.at(uri, words, plus))
            signature = found["signatures"][0]
            self.assertEqual((signature["label"], found["activeParameter"]), (label, active))
            self.assertEqual([signature["label"][b:e] for b, e in (p["label"] for p in signature["parameters"])], parts)
        self.assertIsNone(self.c.result("textDocument/signatureHelp", **self.c.at(uri, "n(6", 2)))

    def test_all_ends_of_lines(self):
        uri = "file:///nowhere/ends.nesl"
        self.c.open(uri, "x = 1;\ry = x;\r\nz = y;\n\rq = zz;\r")
        self.assertEqual([p[:2] for p in self.c.problems(uri)], [(4, 4)])
        for line, name in ((1, "y"), (2, "z")):
            found = self.c.result("textDocument/hover", textDocument={"uri": uri}, position={"line": line, "character": 0})
            self.assertIn(f"{name} : int", found["contents"]["value"])

    def test_symbols(self):
        found = self.c.result("textDocument/documentSymbol", textDocument={"uri": URI})
        self.assertEqual([(s["name"], s["kind"]) for s in found],
                         [("mean", 12), ("twice", 12), ("point", 23), ("xs", 13), ("point_x", 12)])
        self.assertEqual(self.c.words(URI, found[3]["range"]), TEXT.splitlines()[4])
        self.assertEqual(self.c.words(URI, found[3]["selectionRange"]), "xs")

    def test_inlays(self):
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 5, "character": 99}}
        found = self.c.result("textDocument/inlayHint", textDocument={"uri": URI}, range=whole)
        self.assertEqual([(i["position"]["line"], i["label"]) for i in found],
                         [(1, ": [float] -> float"), (4, ": [float]"), (5, ": int"), (5, ": [int]"), (5, ": int")])

    def test_formatting(self):
        self.c.change(URI, "function   g( x )=x+1;\ng( 2 ) ;\n")
        edits = self.c.result("textDocument/formatting", textDocument={"uri": URI}, options={"tabSize": 8})
        self.assertEqual(self.c.applied(URI, edits), "function g(x) = x + 1;\ng(2);\n")
        self.c.change(URI, "g(x = ;\n1+1;\n")
        edits = self.c.result("textDocument/formatting", textDocument={"uri": URI}, options={})
        self.assertEqual(self.c.applied(URI, edits), "g(x = ;\n1 + 1;\n")
        self.assertIn("left as it is", self.c.note("window/logMessage")["message"])

    def test_edits_as_ranges(self):
        """Whatever is typed where, the server has the same text, and says the same as of a text that is opened."""
        draw = random.Random(33)
        pieces = ["", "x", " ", ";", "\n", "(", ")", "let ", "% ", "𝛼", "é", "sum", "function g(a) = a;\n", "xs", '"']
        other = "file:///nowhere/b.nesl"
        for step in range(60):
            text = self.c.texts[URI]
            begin = draw.randrange(len(text) + 1)
            end = min(len(text), begin + draw.choice([0, 0, 1, 5, 40]))
            self.c.edit(URI, begin, end, draw.choice(pieces), version=step + 2)
            here = self.c.problems(URI, step + 2)
            self.c.open(other, self.c.texts[URI], version=step + 2)
            there = self.c.problems(other, step + 2)
            self.c.notify("textDocument/didClose", textDocument={"uri": other})
            with self.subTest(step=step, text=self.c.texts[URI]):
                self.assertEqual(here, there)
            if step % 10 == 9:
                self.c.change(URI, TEXT)

    def test_many_documents(self):
        for k in range(1001):
            self.c.open(f"file:///nowhere/{k}.nesl", "1;")
        self.assertIn("1000", self.c.note("window/logMessage")["message"])


class Bytes(Nesl):
    """The same where columns count bytes."""
    encoding = "utf-8"


class Files(Session):
    def test_same_as_check(self):
        """Of every program, right or wrong, what nvm check says."""
        files = sorted((ROOT / "tests/conformance/nesl").glob("*.nesl")) + sorted((ROOT / "programs").glob("*.nesl"))
        self.assertGreater(len(files), 300)
        differ = []
        for path in files:
            text = path.read_bytes()
            try:
                text = text.decode()
            except UnicodeDecodeError:
                continue
            uri = f"file://{path}"
            self.c.open(uri, text)
            found = sorted((line + 1, message) for line, _, message in self.c.problems(uri))
            wanted = sorted((m["line"], m["message"]) for m in self.check(path))
            self.c.notify("textDocument/didClose", textDocument={"uri": uri})
            if found != wanted:
                differ.append((path.name, found, wanted))
        self.assertEqual(differ, [])

    def test_same_as_check_of_mistakes(self):
        """The same of the programs of the golden tests that are a user's mistakes."""
        differ, seen = [], 0
        # Of a name with a prime nvm check says so once, an editor in each form; and what is wrong with a function for
        # some types is told where it is called. Of a file that is not read each says why in its own words.
        each_form = {"name_primed.case", "order_of_functions.case", "import.case",
                     "import_module.case"}
        for case in sorted((ROOT / "tests/golden/wrong").glob("*.case")):
            parts = case.read_text(encoding="utf-8").split("\n--- p.nesl\n")
            if len(parts) != 2 or case.name in each_form:
                continue
            text = parts[1].split("\n--- ")[0] + "\n"
            with tempfile.TemporaryDirectory() as name:
                path = pathlib.Path(name, "p.nesl")
                path.write_text(text, encoding="utf-8")
                wanted = sorted((m["line"], m["message"]) for m in self.check(path))
            seen += 1
            self.c.open(URI, text)
            found = sorted((line + 1, message) for line, _, message in self.c.problems(URI))
            self.c.notify("textDocument/didClose", textDocument={"uri": URI})
            self.c.problems(URI)
            if found != wanted:
                differ.append((case.name, found, wanted))
        self.assertGreater(seen, 80)
        self.assertEqual(differ, [])

    def test_load(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve() / "a folder"
            (folder / "below").mkdir(parents=True)
            (folder / "below/lib.nesl").write_text("function helper(x) = x + 1;\nok = 1;\n", encoding="utf-8")
            (folder / "bad.nesl").write_text("good = 2;\nuntrue(3);\n", encoding="utf-8")
            (folder / "self.nesl").write_text('load "self.nesl";\n', encoding="utf-8")
            pathlib.Path(name, "outside.nesl").write_text("x = 1;", encoding="utf-8")
            uri = (folder / "main.nesl").as_uri()
            self.c.open(uri, 'load "below/lib.nesl";\nhelper(2);\n')
            self.assertEqual(self.c.problems(uri), [])
            found = self.c.result("textDocument/definition", **self.c.at(uri, "helper(2)"))
            self.assertEqual(found["uri"], (folder / "below/lib.nesl").as_uri())
            self.assertEqual(found["range"]["start"], {"line": 0, "character": 9})
            for text, message in (('load "bad.nesl"; good;\n', "bad.nesl:2:1: UNTRUE is undefined"),
                                  ('load "self";\n', "loads itself"), ('load "../outside.nesl";\n', "not below the folder"),
                                  (f'load "{name}/outside.nesl";\n', "not below the folder"),
                                  ('load "/etc/passwd";\n', "not below the folder"), ('load "none.nesl";\n', "does not exist")):
                with self.subTest(text=text):
                    self.c.change(uri, text)
                    problems = self.c.problems(uri)
                    self.assertEqual(len(problems), 1, problems)
                    self.assertIn(message, problems[0][2])
            # What is open counts as it stands in the editor.
            self.c.change(uri, 'load "below/lib.nesl";\nother(2);\n')
            self.assertEqual(len(self.c.problems(uri)), 1)
            self.c.open((folder / "below/lib.nesl").as_uri(), "function other(x) = x;\n")
            self.assertEqual(self.c.problems(uri), [])
            # A file that is known only when it is run may define any name, as long as it is not known.
            for first, words in (('load @1 ++ "lib";', "known only when it runs"), ("", "UNHEARD is undefined"),
                                 ('load @1 ++ "lib";', "known only when it runs"),
                                 ('load "below/lib.nesl";', "UNHEARD is undefined")):
                self.c.change(uri, f"{first}\nunheard(2);\n")
                problems = self.c.problems(uri)
                self.assertEqual(len(problems), 1, problems)
                self.assertIn(words, problems[0][2])

    def test_import(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve() / "a folder"
            (folder / "lib").mkdir(parents=True)
            files = {"lib/stats.nesl": "import \"helper\";\nfunction mean(v, by := 1.0) \"The mean.\" = helper.half(sum(v)) / by;\n"
                                       "unit = 1.0;\ndatatype point(float, float);\n",
                     "lib/helper.nesl": "function half(x) = x / 2.0;\n", "bad.nesl": "good = 2;\nuntrue(3);\n1 + 2.0;\n",
                     "bare.nesl": "function h(x) : int -> int;\n", "loads.nesl": 'load "bad.nesl";\n',
                     "a.nesl": 'import "b";\n', "b.nesl": 'import "a";\n', "self.nesl": 'import "self.nesl";\n'}
            for file, text in files.items():
                (folder / file).write_text(text, encoding="utf-8")
            pathlib.Path(name, "outside.nesl").write_text("x = 1;", encoding="utf-8")
            uri = (folder / "main.nesl").as_uri()
            text = ('import "lib/stats";\nfunction mean(v) = #v;\nx = stats.mean([1.0], by := stats.unit);\n'
                    "let stats.point(a, b) = stats.point(1.0, 2.0) in a;\nmean([2]);\n")
            self.c.open(uri, text)
            self.assertEqual(self.c.problems(uri), [])
            at = lambda words, plus=0: self.c.at(uri, words, plus)
            for use, file, line in (("stats.mean([", "lib/stats.nesl", 1), ("mean([1", "lib/stats.nesl", 1), ("stats.unit", "lib/stats.nesl", 2),
                                    ("stats.point(1", "lib/stats.nesl", 3), ("stats.point(a", "lib/stats.nesl", 3), ("mean([2]", "main.nesl", 1)):
                found = self.c.result("textDocument/definition", **at(use))
                with self.subTest(use=use):
                    self.assertEqual((found["uri"], found["range"]["start"]["line"]), ((folder / file).as_uri(), line))
            for declared, lines in ((True, [("main.nesl", 2), ("lib/stats.nesl", 1)]), (False, [("main.nesl", 2)])):
                found = self.c.result("textDocument/references", context={"includeDeclaration": declared}, **at("mean([1"))
                self.assertEqual([(f["uri"], f["range"]["start"]["line"]) for f in found],
                                 [((folder / file).as_uri(), line) for file, line in lines])
            hover = self.c.result("textDocument/hover", **at("mean([1"))["contents"]["value"]
            self.assertIn("stats.mean(v, by) : ([float], float) -> float", hover)
            self.assertIn("The mean.", hover)
            self.assertIn("defined in", self.c.error("textDocument/rename", newName="m", **at("stats.unit"))["message"])
            labels = [i["label"] for i in self.c.result("textDocument/completion", **at("stats.unit", 6))["items"]]
            self.assertEqual(labels, ["mean", "point", "unit"])
            labels = [i["label"] for i in self.c.result("textDocument/completion", **at("stats.unit", 2))["items"]]
            self.assertIn("stats.unit", labels)
            self.assertNotIn("helper.half", labels)
            found = self.c.result("textDocument/signatureHelp", **at("stats.mean([", 12))
            self.assertTrue(found["signatures"][0]["label"].startswith("stats.mean(v, by) : "), found)
            for text, message in (('import "bad"; bad.good;\n', "and 1 more in that file"),
                                  ('import "a"; a.x;\n', "b.nesl:1:1: modules cannot import each other: a.nesl imports b.nesl imports a.nesl"),
                                  ('import "main.nesl" as own;\n', "main.nesl imports main.nesl"), ('import "bare";\n', "no body for function H"),
                                  ('import "loads";\n', "no commands of the top level"), ('import "self"; self.x;\n', "self.nesl imports self.nesl"),
                                  ('import "../outside.nesl";\n', "not below the folder"), ('import "/etc/passwd";\n', "not below the folder"),
                                  ('import "none"; none.x;\n', "does not exist"), ('import "lib/stats" x;\n', "expected import"),
                                  ('import "lib/stats"; import "lib/helper" as stats;\n', "already"),
                                  ('import "lib/stats"; stats.men([1.0]);\n', "did you mean stats.mean"), ("p.x;\n", "P is no module")):
                with self.subTest(text=text):
                    self.c.change(uri, text)
                    problems = self.c.problems(uri)
                    self.assertEqual(len(problems), 1, problems)
                    self.assertIn(message, problems[0][2])
            self.c.change(uri, 'import "lib/stats"; stats.pp(a, b) = 3;\n')  # no name for a function
            self.assertEqual([p[2] for p in self.c.problems(uri)], ["record type STATS.PP is undefined"])
            # What is open counts as it stands in the editor, also of what a module imports.
            self.c.change(uri, 'import "lib/stats";\nstats.mean([1.0]) + 1.0;\nimport "lib/helper";\nhelper.third(3);\n')
            self.assertEqual([p[:2] for p in self.c.problems(uri)], [(3, 0)])
            helper = (folder / "lib/helper.nesl").as_uri()
            self.c.open(helper, "function half(x) = x / 2.0;\nfunction third(x) = x / 3;\n")
            self.assertEqual(self.c.problems(uri), [])
            self.c.change(helper, "function half(x) = round(x);\nfunction third(x) = x / 3;\n")
            self.assertIn("the function stats.mean", self.c.problems(uri)[0][2])

    def test_no_effects(self):
        """Whatever the program asks for, nothing is written, read or started."""
        with tempfile.TemporaryDirectory() as name:
            marks = [f"{name}/{k}" for k in range(6)]
            text = (f'shell "touch {marks[0]}";\ndump world "{marks[1]}";\ndump vcode "{marks[2]}" 1 + 1;\n'
                    f'edit "{marks[3]}";\nspawn("touch {marks[4]}", stdin, stdout, stderr);\n'
                    f'write_object_to_file(1, "{marks[5]}");\nx |= 1;\ny &= 2;\nexit;\nmissing;\n')
            uri = f"file://{name}/a.nesl"
            self.c.open(uri, text)
            self.c.problems(uri)
            self.c.result("textDocument/documentSymbol", textDocument={"uri": uri})
            self.assertEqual(list(pathlib.Path(name).iterdir()), [])


class Markdown(Session):
    """A document whose blocks are the program: each place is that of the document."""
    uri = "file:///nowhere/a.md"
    text = """# Means, 100% "of them

```nesl
function  mean(v)=sum(v) / float(#v);
xs = [1.0, 2.0]
```

The mean of `xs` is mean(xs):

```sh
mean(xs)
```

```nesl
mean(xs);
```
"""

    def setUp(self):
        super().setUp()
        self.c.open(self.uri, self.text, language="markdown")

    def test_diagnostics(self):
        self.assertEqual(self.c.problems(self.uri), [])
        self.c.change(self.uri, self.text.replace("mean(xs);", "meen(xs);"))
        self.assertEqual([p[:2] for p in self.c.problems(self.uri)], [(14, 0)])
        self.c.change(self.uri, self.text.replace("```sh", "```nesl\nlet y = 2\n```\n```sh"))
        self.assertEqual([p[:2] for p in self.c.problems(self.uri)], [(10, 9)])

    def test_same_as_check(self):
        text = self.text.replace("mean(xs);", "meen(xs) +;\n1 + 2.0;").replace("xs =", "xs")
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name, "page.md")
            path.write_text(text, encoding="utf-8")
            wanted = sorted((m["line"], m["message"]) for m in self.check(path))
        self.c.problems(self.uri)
        self.c.change(self.uri, text)
        self.assertGreater(len(wanted), 2)
        self.assertEqual(sorted((line + 1, message) for line, _, message in self.c.problems(self.uri)), wanted)

    def test_only_blocks_know_names(self):
        self.assertIn("[float] -> float", self.hover_at("mean(xs);"))
        self.assertIn("[float] -> float", self.hover_at("mean(v)"))
        for prose in ("mean(xs):", "mean(xs)\n```", "xs` is"):
            self.assertIsNone(self.hover_at(prose))
            self.assertIsNone(self.c.result("textDocument/definition", **self.c.at(self.uri, prose)))
            found = self.c.result("textDocument/completion", **self.c.at(self.uri, prose, plus=2))
            self.assertEqual(found["items"], [])
        found = self.c.result("textDocument/completion", **self.c.at(self.uri, "mean(xs);", plus=2))
        self.assertIn("mean", [item["label"] for item in found["items"]])

    def hover_at(self, words):
        found = self.c.result("textDocument/hover", **self.c.at(self.uri, words))
        return found and found["contents"]["value"]

    def test_rename(self):
        edits = self.c.result("textDocument/rename", newName="average", **self.c.at(self.uri, "mean(v)"))["changes"][self.uri]
        wanted = self.text.replace("mean(v)", "average(v)").replace("mean(xs);", "average(xs);")
        self.assertEqual(self.c.applied(self.uri, edits), wanted)

    def test_formatting(self):
        edits = self.c.result("textDocument/formatting", textDocument={"uri": self.uri}, options={})
        wanted = self.text.replace("function  mean(v)=sum", "function mean(v) = sum")
        self.assertEqual(self.c.applied(self.uri, edits), wanted)

    def test_load(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            (folder / "page.md").write_text(self.text, encoding="utf-8")
            uri = (folder / "main.nesl").as_uri()
            self.c.open(uri, 'load "page.md";\nmean([1.0]);\n')
            self.assertEqual(self.c.problems(uri), [])
            found = self.c.result("textDocument/definition", **self.c.at(uri, "mean([1"))
            self.assertEqual(found["range"]["start"], {"line": 3, "character": 10})


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
