#!/usr/bin/env python3
"""Commands on files of Remora: `check` and `run` take them, the others refuse.

    commands_test.py NVM
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

NVM = sys.argv.pop() if len(sys.argv) > 1 else "nvm"


def nvm(*words, cwd):
    return subprocess.run([NVM, *words], capture_output=True, text=True, timeout=60, check=False, cwd=cwd,
                          stdin=subprocess.DEVNULL)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, text, name="p.remora"):
        (pathlib.Path(self.folder) / name).write_text(text, encoding="utf-8")

    def test_others_refuse(self):
        self.write("(+ 1 2)", "good.remora")
        self.write("{ no other language either", "wrong.remora")
        for command in ("compile", "explain", "profile", "tune", "disasm", "repl"):
            messages = {"good": f"nvm: good.remora: programs in Remora can be checked and run; nvm {command} is not for "
                                "them yet\n",
                        "wrong": "wrong.remora:1:1: error[syntax]: ",
                        "nowhere": "nvm: cannot read nowhere.remora: "}
            for name, message in messages.items():
                with self.subTest(command, name=name):
                    got = nvm(command, f"{name}.remora", cwd=self.folder)
                    self.assertEqual((got.returncode, got.stderr[:len(message)]), (2, message))
                    self.assertNotIn("VCODE", got.stdout + got.stderr)
                    if command != "tune":
                        self.assertEqual(got.stdout, "")

    def test_run(self):
        self.write("(define v [1 2 3])\n(+ 1 v)\nsum\n")
        got = nvm("run", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        self.assertEqual(got.stdout, "[2 3 4] : [int 3]\n#<function> : (Pi (@s1) (-> ([int @s1]) int))\n")

    def test_run_of_nothing(self):
        for text in ("", "(define a 1)"):
            self.write(text)
            got = nvm("run", "p.remora", cwd=self.folder)
            self.assertEqual((got.returncode, got.stdout, got.stderr), (0, "", ""))

    def test_what_fails(self):
        for text, error in (("(define a (/ 1 0))\n2", "1:11: error[division]: "),
                            ("(define (f [x int]) (% 7 x))\n(f [1 0])", "1:21: error[division]: "),
                            ("(item [1 2] [0 2])", "1:1: error[bounds]: "),
                            ("(item [1 2] -1)", "1:1: error[bounds]: "),
                            ("(reduce / [1 0])", "1:1: error[division]: "),
                            ("(floor 1e19)", "1:1: error[domain]: "),
                            ("(int->char 55296)", "1:1: error[domain]: ")):
            with self.subTest(text):
                self.write(text)
                got = nvm("run", "p.remora", cwd=self.folder)
                self.assertEqual((got.returncode, got.stdout), (1, ""))
                self.assertIn("p.remora:" + error, got.stderr)

    def test_what_is_not_computed_does_not_fail(self):
        for text, result in (("((fn ([x int]) (/ 1 0)) (array [0] int))", "[] : [int 0]"),
                             ("((fn ([x int]) (if (= x 0) 7 (/ 6 x))) [0 1 2])", "[7 6 3] : [int 3]"),
                             ("(if #t 1 (/ 1 0))", "1 : int"),
                             ("((fn ([x int]) (if #f (item [1] 5) (if (= x 0) 0 (/ 9 x)))) [0 3])", "[0 3] : [int 2]"),
                             ("(if #f ((fn ([x int]) (/ 1 x)) [0 1]) [5 6])", "[5 6] : [int 2]")):
            with self.subTest(text):
                self.write(text)
                got = nvm("run", "p.remora", cwd=self.folder)
                self.assertEqual((got.returncode, got.stdout, got.stderr), (0, result + "\n", ""))

    def test_limits_of_runs(self):
        self.write("iota{ | [100000000]}")
        if "NVM_SANITIZED" not in os.environ:  # whose heap tells no sizes
            got = nvm("run", "--memory", "64M", "p.remora", cwd=self.folder)
            self.assertEqual((got.returncode, got.stdout), (1, ""))
        self.write("(array [9999999999 0] int)")
        got = nvm("run", "--memory", "64M", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout), (1, ""))
        self.write("iota{ | [1000]}")
        got = nvm("run", "--output-limit", "1k", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout), (1, ""))

    def test_options_of_other_languages(self):
        self.write("(+ 1 2)")
        for words in (("-e", "1"), ("--in", "x=p.remora"), ("--out", "x.npy"), ("--stats",), ("--cost",),
                      ("--record", "r"), ("--int-bits", "32")):
            with self.subTest(words[0]):
                got = nvm("run", "p.remora", *words, cwd=self.folder)
                self.assertEqual((got.returncode, got.stdout), (2, ""))

    def test_types(self):
        self.write("(define (twice{ | @s} [x [int @s]]) (* 2 x))\n(define v [1 2 3])\n(twice v)\n")
        got = nvm("check", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        self.assertEqual(got.stdout, "twice : (Pi (@s1) (-> ([int @s1]) [int @s1]))\nv : [int 3]\nit : [int 3]\n")
        self.assertEqual(json.loads(nvm("check", "--json", "p.remora", cwd=self.folder).stdout), [])

    def test_an_empty_program(self):
        self.write("")
        got = nvm("check", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout, got.stderr), (0, "", ""))

    def test_all_errors_with_their_lines(self):
        self.write('(define s "äß")\n(+ "äöü" 1) (- 1 #t)\n')
        got = nvm("check", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout), (2, ""))
        self.assertIn("p.remora:2:4: error[argument-type]: ", got.stderr)
        self.assertIn("p.remora:2:18: error[argument-type]: ", got.stderr)
        self.assertIn("  (+ \"äöü\" 1) (- 1 #t)\n" + " " * 19 + "^", got.stderr)
        errors = json.loads(nvm("check", "--json", "p.remora", cwd=self.folder).stdout)
        self.assertEqual([(e["line"], e["column"], e["severity"]) for e in errors], [(2, 4, "error"), (2, 18, "error")])

    def test_many_definitions(self):
        self.write("(define (f [x int]) (+ x 1))\n" * 20000)
        got = nvm("check", "--memory", "1G", "p.remora", cwd=self.folder)  # a square of them would be 1.6 GB
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        self.assertEqual(got.stdout.count("f : (-> (int) int)\n"), 20000)

    def test_the_time_it_may_take(self):
        self.write("(define (f [x int]) (+ x 1))\n" * 20000)
        got = nvm("check", "--time-limit", "0.001", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout, got.stderr),
                         (1, "", "nvm: time limit reached while the program was checked\n"))

    def test_many_errors(self):
        self.write("(+ 1 #t)\n" * 60)
        got = nvm("check", "p.remora", cwd=self.folder)
        self.assertEqual(got.stderr.count("error["), 50)
        self.assertTrue(got.stderr.endswith("p.remora: 10 more messages not shown\n"))

    def test_files_that_cannot_be_read(self):
        for name in ("nowhere.remora", "folder.remora"):
            if name.startswith("folder"):
                (pathlib.Path(self.folder) / name).mkdir()
            got = nvm("check", name, cwd=self.folder)
            self.assertEqual((got.returncode, got.stdout), (2, ""))
            self.assertTrue(got.stderr.startswith(f"nvm: cannot read {name}: "), got.stderr)
            errors = json.loads(nvm("check", "--json", name, cwd=self.folder).stdout)
            self.assertEqual([(e["line"], e["kind"]) for e in errors], [(0, "file")])

    def test_no_inputs(self):
        self.write("1")
        got = nvm("check", "--in", "x=y.npy", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout), (2, ""))


if __name__ == "__main__":
    unittest.main()
