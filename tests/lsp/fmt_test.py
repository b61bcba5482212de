#!/usr/bin/env python3
"""nvm fmt: comments and meaning stay, formatting twice is formatting once, and what cannot be formatted stays.

    fmt_test.py NVM ROOT
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

NVM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def fmt(text, *options):
    """Status, text and messages."""
    data = text if isinstance(text, bytes) else text.encode()
    done = subprocess.run([NVM, "fmt", *options, "-"], input=data, capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr.decode()


def tree(path):
    """All forms as they are parsed, as `show code` and disasm print them."""
    done = subprocess.run([NVM, "disasm", "--stages", "ac", path], capture_output=True, check=False)
    return done.returncode, done.stdout, re.sub(rb":\d+:\d+:.*", b"", done.stderr)


def words(text):
    """Comments, strings, characters and everything else between blanks that matters."""
    return re.findall(rb'%[^%]*%|"(?:\\.|[^"\\])*"|`.|[A-Za-z0-9_~.]+|[^\sA-Za-z0-9_]', text, re.S)


class Fmt(unittest.TestCase):
    def corpus(self):
        for folder in ("programs", "tests/conformance/nesl", "tests/conformance", "tests/oracle", "tests/bench/nesl"):
            yield from sorted((ROOT / folder).glob("*.nesl"))

    def test_corpus(self):
        files = list(self.corpus())
        self.assertGreater(len(files), 330)
        with tempfile.TemporaryDirectory() as name:
            once = pathlib.Path(name, "once.nesl")
            for path in files:
                with self.subTest(file=path.name):
                    text = path.read_bytes()
                    status, out, errors = fmt(text)
                    self.assertEqual(words(out), words(text))
                    self.assertEqual((status == 0), errors == "")
                    self.assertEqual(fmt(out)[1], out)
                    if out == text:
                        continue
                    once.write_bytes(out)
                    original = pathlib.Path(name, "original.nesl")
                    original.write_bytes(text)
                    before, after = tree(original), tree(once)
                    self.assertEqual(before[:2], after[:2])

    def test_markdown(self):
        """Blocks of NESL are laid out, all else stays; where a fence is indented, its block does, too."""
        page = "#  A `page`\r\n\n```nesl\ng  =  x=>x+1;\nlet y=2 in y\n```\n- a\n  ```nesl\n  1+1;\n  ```\n```sh\na=1;  b\n```\nend"
        wanted = page.replace("g  =  x=>x+1", "g = x => x + 1").replace("let y=2", "let y = 2")
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name, "page.md")
            for text, after, status in ((page, wanted, 0), (page.replace("x+1", "x+"), wanted.replace("g = x => x + 1", "g  =  x=>x+"), 2)):
                path.write_bytes(text.encode())
                done = subprocess.run([NVM, "fmt", path], capture_output=True, check=False)
                self.assertEqual((done.returncode, path.read_bytes().decode()), (status, after))
            self.assertIn(f"{path}:4:1: ".encode(), done.stderr)

    def test_gallery(self):
        """The layout is the gallery's: of its programs few are changed, and where several lines make a call."""
        done = subprocess.run([NVM, "fmt", "--check", *sorted((ROOT / "programs").glob("*.nesl"))], capture_output=True,
                              text=True, check=False)
        self.assertEqual({pathlib.Path(line).name for line in done.stdout.splitlines()},
                         {"black_scholes.nesl", "delaunay.nesl"})

    def test_layout(self):
        for text, wanted in (
                ("1", "1\n"), ("", ""), ("\n\n\n", ""), ("% only % ", "% only %\n"), ("a=1 ;b=2 $", "a = 1; b = 2 $\n"),
                ("x=-1;y = a - -b;z=#v+@w;", "x = -1; y = a - -b; z = #v + @w;\n"), ("[0 : n:2] ;", "[0:n:2];\n"),
                ("{* x:x in v|x>-1};", "{* x : x in v | x > -1};\n"), ("f (x) [1] (2);", "f(x)[1](2);\n"),
                ("[]  int ++ [] [int] ++[](int,int);", "[] int ++ [] [int] ++ [] (int, int);\n"),
                ("sum {x in v};sum{x in v};", "sum {x in v}; sum{x in v};\n"), ("not  (a)and(b) ;", "not(a) and (b);\n"),
                ("x = ` ;y=`%;", "x = ` ; y = `%;\n"), ('"a  %  b" ;', '"a  %  b";\n'), ("'+ ;", "'+;\n"),
                ("\n\n\nx=1;\n\n\n\ny=2;", "x = 1;\n\ny = 2;\n"), ("x = 1;   % why  %\n", "x = 1;   % why  %\n"),
                ("x =\n1 +\n2;", "x =\n  1 +\n  2;\n"), ("g(a,\nb);", "g(a,\n  b);\n"), ("g(\na\n);", "g(\n  a\n);\n"),
                ("function g(x)=\nlet y=1;\nz=\n2\nin\nif x then y\nelse\nz$",
                 "function g(x) =\nlet y = 1;\n    z =\n      2\nin\n  if x then y\n  else\n    z $\n"),
                ("if a then b\nelse if c then d\nelse e;", "if a then b\nelse if c then d\nelse e;\n"),
                ("let a = {x\n: x in v} in a;", "let a = {x\n         : x in v} in a;\n"),
                ("#!/usr/bin/env nvm run\nx=1;", "#!/usr/bin/env nvm run\nx = 1;\n"),
                ("#!/usr/bin/env nvm run\r\nx=1;\r\n", "#!/usr/bin/env nvm run\r\nx = 1;\r\n"),
                ("#!/usr/bin/env nvm run\nx=1;\r\nx;\n", "#!/usr/bin/env nvm run\nx = 1;\nx;\n"),
                ("x=1;\r\ny=\r\n2;\r\n", "x = 1;\r\ny =\r\n  2;\r\n"), ("\ufeffx=1;", "\ufeffx = 1;\n"),
                ("load  \"a b\" ;set  print_length   5;", "load  \"a b\"; set  print_length   5;\n"),
                ("function g(x) :int->int=x;", "function g(x) : int -> int = x;\n")):
            with self.subTest(text=text):
                status, out, errors = fmt(text)
                self.assertEqual(out.decode(), wanted)
                self.assertEqual(fmt(out)[1], out)
                del status, errors

    def test_mistakes_stay(self):
        text = "x=1;\nfunction  (y) = 2;\nz  =  3;\n"
        status, out, errors = fmt(text)
        self.assertEqual((status, out), (2, b"x = 1;\nfunction  (y) = 2;\nz = 3;\n"))
        self.assertIn("standard input:2:1: this form is left as it is: expected the name of a function", errors)
        self.assertEqual(len(errors.splitlines()), 1)
        for rest, why in (("% never closed", "inside of a comment"), ('"never closed', "inside of a string"),
                          ("100% sure;", "inside of a comment"), ("f(x", "to terminate the arguments"),
                          ("\x00", "unexpected character"), ("é;", "unexpected character")):
            with self.subTest(rest=rest):
                status, out, errors = fmt("x=1;\n" + rest)
                self.assertIn(why, errors)
                self.assertEqual(status, 2)
                self.assertEqual(out.decode().rstrip("\n"), "x = 1;\n" + rest)
                self.assertEqual(len(errors.splitlines()), 1)

    def test_files(self):
        with tempfile.TemporaryDirectory() as name:
            good, bad = pathlib.Path(name, "good.nesl"), pathlib.Path(name, "bad.nesl")
            good.write_text("x = 1;\n", encoding="utf-8")
            bad.write_text("x=1;\n", encoding="utf-8")
            os.chmod(bad, 0o640)
            done = subprocess.run([NVM, "fmt", "--check", good, bad], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (2, f"{bad}\n", ""))
            self.assertEqual(bad.read_text(encoding="utf-8"), "x=1;\n")
            before = good.stat()
            done = subprocess.run([NVM, "fmt", good, bad], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
            self.assertEqual(bad.read_text(encoding="utf-8"), "x = 1;\n")
            self.assertEqual(bad.stat().st_mode & 0o777, 0o640)
            self.assertEqual((good.stat().st_mtime_ns, good.stat().st_ino), (before.st_mtime_ns, before.st_ino))
            self.assertEqual(subprocess.run([NVM, "fmt", "--check", good, bad], check=False).returncode, 0)
            for path, why in ((f"{name}/none.nesl", "does not exist"), (name, "directory"), (f"{name}/a.remora", "in NESL")):
                done = subprocess.run([NVM, "fmt", path], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done)
                self.assertIn(why, done.stderr)
            self.assertEqual(subprocess.run([NVM, "fmt"], capture_output=True, check=False).returncode, 2)


if __name__ == "__main__":
    sys.exit(unittest.main(argv=sys.argv[:1]))
