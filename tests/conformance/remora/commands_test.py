#!/usr/bin/env python3
"""The commands on programs in Remora.

    commands_test.py NVM
"""

import json
import math
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import unittest

NVM = sys.argv.pop() if len(sys.argv) > 1 else "nvm"
PATIENCE = 600 if os.environ.get("NVM_SANITIZED") else 60  # seconds
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent.parent
LIBRARY = re.compile(r'^(?:LIBRARY\((k\w+), "([^"]+)", "([^"]+)", "[^"]*", "([^"]+)"|SYNONYM\("([^"]+)", (k\w+))', re.M)


def nvm(*words, cwd, typed=""):
    return subprocess.run([NVM, *words], capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=cwd, input=typed)


def library():
    """Every name of the library with its type and what it means."""
    found, names = {}, {}
    for row, name, kind, meaning, synonym, of in LIBRARY.findall((ROOT / "frontend/remora/library.def").read_text()):
        if name:
            found[row] = (kind, meaning)
        names[name or synonym] = found[row or of]
    return names


def npy(shape, numbers):
    """A file of int64."""
    head = "{'descr': '<i8', 'fortran_order': False, 'shape': (" + "".join(f"{n}," for n in shape) + "), }"
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack(f"<{len(numbers)}q", *numbers)


class Commands(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, text, name="p.remora"):
        (pathlib.Path(self.folder) / name).write_text(text, encoding="utf-8")

    def events(self, name):
        events = json.loads((pathlib.Path(self.folder) / name).read_text(encoding="utf-8"))
        return events["traceEvents"] if isinstance(events, dict) else events

    def test_wrong_programs(self):
        self.write("{ no other language either", "wrong.remora")
        for command in ("run", "check", "compile", "explain", "profile", "tune", "disasm"):
            for name, message in (("wrong", "wrong.remora:1:1: error[syntax]: "), ("nowhere", "nvm: cannot read nowhere.remora: ")):
                with self.subTest(command, name=name):
                    got = nvm(command, f"{name}.remora", cwd=self.folder)
                    self.assertEqual((got.returncode, got.stderr[:len(message)]), (2, message))
                    self.assertEqual(got.stdout, "")

    def test_compile(self):
        self.write("(define (half [x int]) (/ 12 x))\n(+ 1 2)\n(half [1 2 3])\n")
        got = nvm("compile", "p.remora", "-o", "p.vcode", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout, got.stderr), (0, "", ""))
        self.assertIn("12 6 4", nvm("run", "p.vcode", cwd=self.folder).stdout)
        self.assertIn("{nvm line 1:24}", (pathlib.Path(self.folder) / "p.vcode").read_text())
        self.write("(/ 1 (length{int | 0 []} (array [0] int)))")
        nvm("compile", "p.remora", "-o", "p.vcode", cwd=self.folder)
        failed = nvm("run", "p.vcode", cwd=self.folder)
        self.assertIn("p.remora:1:1: RUNTIME ERROR: division: ", failed.stderr)
        self.write("(define a 1)")
        self.assertEqual(nvm("compile", "p.remora", cwd=self.folder).returncode, 2)

    def test_disasm(self):
        self.write("(define (f{t | d} [x [t d]]) (append x (reverse x)))\n(f [1 2])\n")
        got = nvm("disasm", "--stages", "acfvrs", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        for part in ("(define f : (Pi (d1) (Forall (t1) (-> ([t1 d1]) [t1 (* 2 d1)]))) (i-fn (d) (t-fn (t) ",
                     "(fn ([x [t d]]) (append{t | d d []} x (reverse{t | d []} x)))", "f{int | 2}", "FUNC main"):
            self.assertIn(part.lower(), got.stdout.lower())

    def test_what_disasm_writes_is_a_program(self):
        for name in ("dot", "life", "weekdays", "sparse", "k_means"):
            with self.subTest(name):
                path = ROOT / "programs/remora" / f"{name}.remora"
                kinds = nvm("check", str(path), cwd=self.folder).stdout
                self.write(nvm("disasm", "--stages", "a", str(path), cwd=self.folder).stdout)
                again = nvm("check", "p.remora", cwd=self.folder)
                self.assertEqual(again.stderr, "")
                self.assertLessEqual(set(again.stdout.splitlines()), set(kinds.splitlines()))

    def test_explain_profile_and_trace_name_places(self):
        """Lines with columns; two applications of a line are two places."""
        self.write("(define v iota{ | [100000]})\n(define (f [x int]) (+ (* x x) (% x 7)))\n(reduce + (f v))\n")
        here = {(1, 11), (2, 21), (2, 24), (2, 32), (3, 1)}
        got = nvm("explain", "p.remora", "--jit", "always", "--show", "tp", cwd=self.folder)
        self.assertEqual(got.returncode, 0)
        for place in ("2:21", "2:24", "2:32"):
            self.assertIn(f"(line {place})", got.stdout)
        self.assertRegex(got.stdout, r"region at main, p\.remora:\d+:\d+: 1 run")
        got = nvm("profile", "p.remora", "--json", "--html", "p.html", cwd=self.folder)
        self.assertEqual(got.returncode, 0)
        report = json.loads(got.stdout)
        rows = [row for row in report["line"] if "line" in row]
        places = {(row["line"], row["column"]) for row in rows}
        self.assertTrue(places <= here and {(2, 24), (2, 32)} <= places, places)
        self.assertEqual({row["where"] for row in rows}, {f"main:{l}:{c}" for l, c in places})
        self.assertTrue(all((row["line"], row["column"]) in here for row in report["kernel"]))
        self.assertRegex((pathlib.Path(self.folder) / "p.html").read_text(encoding="utf-8"), r'"line": ?2, ?"column": ?24')
        table = nvm("profile", "p.remora", "--csv", "--by", "line", cwd=self.folder).stdout.splitlines()
        self.assertTrue(table[0].startswith("table,where,file,line,column,level,"), table[0])
        self.assertTrue(any(row.startswith("line,main:2:24,p.remora,2,24,,") for row in table), table)
        self.assertRegex(nvm("profile", "p.remora", cwd=self.folder).stdout, r"(?m) main:2:24$")
        self.assertEqual(nvm("profile", "p.remora", "--folded", "p.txt", cwd=self.folder).returncode, 0)
        self.assertIn("main:2:", (pathlib.Path(self.folder) / "p.txt").read_text())
        nvm("run", "p.remora", "--trace", "t.json", cwd=self.folder)
        args = [e["args"] for e in self.events("t.json") if e.get("args", {}).get("line")]
        self.assertTrue(args and {(a["line"], a["column"]) for a in args} <= here, args)

    def test_places_are_of_the_text_they_stand_in(self):
        self.write("\n\n(define (f [x int]) (* x x))\n")
        texts = ("p.remora", "-e", "(define v iota{ | [100000]})", "-e", "(reduce + (f v))")
        got = nvm("explain", *texts, "--jit", "always", "--show", "t", cwd=self.folder)
        self.assertIn("(line 3:21)", got.stdout)
        self.assertIn("(line 1:1 of -e)", got.stdout)
        got = nvm("profile", "--json", "--by", "line", *texts, cwd=self.folder)
        rows = [row for row in json.loads(got.stdout)["line"] if "line" in row]
        self.assertTrue({(row["file"], row["line"], row["column"]) for row in rows} <=
                        {("p.remora", 3, 21), ("-e", 1, 11), ("-e", 1, 1)}, rows)
        got = nvm("run", "p.remora", "-e", "\n(f (/ 1 0))", cwd=self.folder)
        self.assertIn("-e:2:4: error[division]", got.stderr)

    def test_places_far_to_the_right(self):
        self.write("(define v [" + "1 " * 700 + "0])\n" + " " * 1200 + "(/ 1 v) " + " " * 500 + "(/ 2 v)")
        got = nvm("run", "p.remora", cwd=self.folder)
        self.assertEqual(got.returncode, 1)
        self.assertIn("p.remora:2:1201: error[division]: ", got.stderr)

    def test_top_level(self):
        typed = ("(define (f [x int]) (/ 10 x))\n(define v\n  [1 2\n   5])\n(f v)\n(f 0)\n(+ 1 #t)\n(define v (f v))\nv\n"
                 "(define g (array [2] 1 2))\n(+ g w)\n(+ g 1)\nexit\n(+ 1 1)\n")
        got = nvm("repl", "--language", "remora", cwd=self.folder, typed=typed)
        self.assertEqual(got.returncode, 1, "of a pipe some of which failed")
        self.assertEqual(got.stdout, "f : (-> (int) int)\nv : [int 3]\n[10 5 2] : [int 3]\nv : [int 3]\n[10 5 2] : [int 3]\n"
                                     "g : [int 2]\n[2 3] : [int 2]\n")
        self.assertIn("input:1:21: error[division]: a division by zero\n  (define (f [x int]) (/ 10 x))\n", got.stderr)
        self.assertIn("input:1:6: error[argument-type]: ", got.stderr)
        self.assertIn("input:1:6: error[unbound-variable]: ", got.stderr)
        self.write("(define a 7)\n")
        self.assertEqual(nvm("repl", "p.remora", cwd=self.folder, typed="(* a 6)\n").stdout, "a : int\n42 : int\n")

    def test_values_are_computed_once(self):
        """What was defined at a top level is kept: it does not run again for each line."""
        counts = []
        for n in (1, 20):
            typed = "(define v (sum iota{ | [1000]}))\n" + "(+ v 1)\n" * n
            once = nvm("repl", "--language", "remora", "--trace", "t.json", cwd=self.folder, typed=typed)
            self.assertEqual(once.stdout, "v : int\n" + "499501 : int\n" * n)
            counts.append(sum(e.get("args", {}).get("column") == 11 for e in self.events("t.json")))
        self.assertEqual(counts[0], counts[1])
        self.assertGreater(counts[0], 0)

    def test_describe(self):
        names = library()
        self.assertGreater(len(names), 120)
        got = nvm("repl", "--language", "remora", cwd=self.folder, typed="".join(f"describe {n}\n?{n}\n" for n in names))
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        lines = got.stdout.splitlines()
        pairs = list(zip(lines, lines[1:]))
        for name, (kind, meaning) in names.items():
            self.assertEqual(pairs.count((f"{name} : {kind}", f"  {meaning}")), 2, name)
        page = (ROOT / "docs/remora-library.md").read_text()
        for name, (kind, meaning) in names.items():
            self.assertIn(f"`{name}`", page)
            self.assertIn(f"`{kind}` | {meaning.replace('|', chr(92) + '|')} |", page)
        got = nvm("repl", "--language", "remora", cwd=self.folder, typed="?reduc\nhelp\n")
        self.assertIn("nothing is called reduc\n", got.stderr)
        self.assertIn("describe NAME", got.stdout)

    def test_files(self):
        folder = pathlib.Path(self.folder)
        for shape in ((), (3,), (0,), (2, 3), (2, 0, 3), (1, 2, 1, 2)):
            numbers = list(range(10, 10 + math.prod(shape)))
            (folder / "x.npy").write_bytes(npy(shape, numbers))
            dims = " ".join(map(str, shape))
            kind = f"[int {dims}]" if shape else "int"
            with self.subTest(shape):
                for word, text in (("x", "x"), (f"x:{kind}", "x")):
                    got = nvm("run", "--language", "remora", "--in", f"{word}=x.npy", "-e", text, "--out", "y.npy", cwd=self.folder)
                    self.assertEqual((got.returncode, got.stderr), (0, ""))
                    again = nvm("run", "--language", "remora", "--in", f"x:{kind}=y.npy", "-e", "(equal x x)", cwd=self.folder)
                    self.assertEqual((again.returncode, again.stdout, again.stderr), (0, "#t : bool\n", ""))
        (folder / "x.npy").write_bytes(npy((2, 3), range(6)))
        for words, error in ((("--in", "x:[int 3 2]=x.npy"), "the file has the shape [2 3], not [3 2]"),
                             (("--in", "x:[float 2 3]=x.npy"), "the file has atoms of type int, not float"),
                             (("--in", "x:[int d]=x.npy"), ""), (("--in", "x=nowhere.npy"), ""), (("--in", "(=x.npy"), ""),
                             (("--in", "x:foo=x.npy"), "and foo is no type of a file"),
                             (("--in", "x:[int 2=x.npy"), "and [int 2 is no type of a file"),
                             (("--in", "x:(Sigma (a) [int a])=x.npy"), "and (Sigma (a) [int a]) is no type of a file")):
            with self.subTest(words):
                got = nvm("run", "--language", "remora", *words, "-e", "1", cwd=self.folder)
                self.assertEqual((got.returncode, got.stdout), (2, ""))
                self.assertIn(error, got.stderr)
        (folder / "t.csv").write_text("1.5,2\n3,4\n")
        (folder / "t.txt").write_text("aä")
        got = nvm("run", "--language", "remora", "--in", "t=t.csv", "--in", "s=t.txt", "--in", "n=7", "-e", "t s (+ n 1)",
                  "--out", "n.npy", "--out", "s=s.txt", cwd=self.folder)
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        self.assertEqual(got.stdout, "(box [[1.5 2.0] [3.0 4.0]]) : (Sigma (d1 d2) [float d1 d2])\n"
                                     "(box \"aä\") : (Sigma (d1) [char d1])\n8 : int\n")
        got = nvm("run", "--language", "remora", "-e", "[[1 2] [3 4]]", "--out", "m.csv", cwd=self.folder)
        self.assertEqual((got.returncode, (folder / "m.csv").read_text()), (0, "1,2\n3,4\n"))
        got = nvm("run", "--language", "remora", "-e", "(define (f [x int]) x)", "--out", "f=f.npy", cwd=self.folder)
        self.assertEqual(got.returncode, 2)

    def test_record_and_replay(self):
        self.write("(reduce + iota{ | [10]})")
        self.assertEqual(nvm("run", "--record", "r", "p.remora", cwd=self.folder).returncode, 0)
        (pathlib.Path(self.folder) / "p.remora").unlink()
        self.assertEqual(nvm("replay", "r", cwd=self.folder).stdout, "45 : int\n")

    def test_run(self):
        self.write("(define v [1 2 3])\n(+ 1 v)\nsum\n")
        got = nvm("run", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        self.assertEqual(got.stdout, "[2 3 4] : [int 3]\n#<function> : (Pi (@s1) (-> ([int @s1]) int))\n")

    def test_reductions_of_every_length(self):
        """Columns, and operators that do not commute, against a fold; rows are combined in blocks, items by eights."""
        lengths = [*range(1, 34), 63, 64, 65, 71, 72, 127, 128, 129, 130, 511, 512, 513, 1000]
        text = """
(define-type step {(m int) (a int)})
(define (after [f step] [g step]) : step
  {(m (% (* (field f m) (field g m)) 1000003)) (a (% (+ (* (field g m) (field f a)) (field g a)) 1000003))})
(define (steps{ | d} [v [int d]]) {(m [] (+ 1 (% v 5))) (a [] (% v 7))})
(define none {(m 1) (a 0)})
"""
        for k in lengths:
            for n in (0, 5) if k % 8 == 0 else (3,):
                text += f"(let [m (% (* 7919 iota{{ | [{k} {n}]}}) 101)] (and (and"
                for op in ("+", "max"):
                    rows = f"(fn ([a [int {n}]] [r [int {n}]]) ({op} a r))"
                    text += f"(equal (reduce {op} m) (fold {rows} (head m) (tail m)))"
                text += ") (and (equal (reduce/zero min -3 m) (min -3 (reduce min m)))"
                text += " (equal (int->float (reduce max m)) (reduce max. (int->float m))))))\n"
            text += f"(let [v (steps (* 7919 iota{{ | [{k}]}}))] (and"
            text += f" (equal (reduce after v) (fold after none v)) (equal (reduce/zero after {{(m 3) (a 5)}} v)"
            text += f" (fold after {{(m 3) (a 5)}} v))))\n"
        self.write(text)
        for mode in ([], ["--jit", "always"], ["--jit", "off"]):
            got = nvm("run", "p.remora", *mode, cwd=self.folder)
            self.assertEqual((got.stderr, set(got.stdout.splitlines())), ("", {"#t : bool"}), mode)

    def test_extremes_of_floats(self):
        """Beyond what the machine's own maxima start from, and with nothing to reduce."""
        values = ("[[-1e300 -2e300] [-3e300 -1e308]]", "[[1.0 -1e300] [2.0 -2e300]]", "[[1e300 2e300] [1e301 1e302]]")
        for m in values:
            (a, b), (c, d) = json.loads(m.replace(" ", ", "))
            self.write(f"(define m {m})\n(reduce max. m)\n(reduce min. m)\n(reduce max. (ravel m))\n(scan min. (ravel m))\n"
                       f"((fn ([r [float 2]]) (reduce max. r)) m)\n(reduce/zero max. -1e305 (array [0] float))\n"
                       "(exscan/zero min. 1e305 (ravel m))\n(unbox (box ((n 2)) [float n 2] m) (x n) (reduce/zero max. -1e305 x))\n")
            got = [json.loads(line.split(" : ")[0].replace(" ", ", "))
                   for line in nvm("run", "p.remora", cwd=self.folder).stdout.splitlines()]
            first = [a, min(a, b), min(a, b, c), min(a, b, c, d)]
            self.assertEqual(got, [[max(a, c), max(b, d)], [min(a, c), min(b, d)], max(a, b, c, d), first,
                                   [max(a, b), max(c, d)], -1e305, [1e305, *(min(1e305, x) for x in first[:3])],
                                   [max(-1e305, a, c), max(-1e305, b, d)]])

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
        for large in ("iota{ | [100000000]}", "(array [9999999999 0] int)"):
            self.write(large)
            if "NVM_SANITIZED" not in os.environ:  # whose heap tells no sizes
                got = nvm("run", "--memory", "64M", "p.remora", cwd=self.folder)
                self.assertEqual((got.returncode, got.stdout), (1, ""))
        self.write("iota{ | [1000]}")
        got = nvm("run", "--output-limit", "1k", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout), (1, ""))

    def test_options_of_other_languages(self):
        self.write("(+ 1 2)")
        for words in (("--int-bits", "32"), ("--arg-check", "off"), ("--language", "nesl")):
            with self.subTest(words[0]):
                got = nvm("run", "p.remora", *words, cwd=self.folder)
                self.assertEqual((got.returncode, got.stdout), (2, ""))
                self.assertIn(words[0], got.stderr)
        got = nvm("run", "p.remora", "--stats", "--cost", "-e", "(* 2 3)", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout), (0, "3 : int\n6 : int\n"))
        self.assertIn("work", got.stderr)

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
                         (1, "", "nvm: time limit reached while Remora was compiled or shown\n"))

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
            self.assertEqual([(e["line"], e["severity"]) for e in errors], [(0, "error")])

    def test_inputs_are_checked(self):
        self.write("(unbox x (v n) (sum v))")
        (pathlib.Path(self.folder) / "y.npy").write_bytes(npy((2,), [1, 2]))
        got = nvm("check", "--in", "x=y.npy", "p.remora", cwd=self.folder)
        self.assertEqual((got.returncode, got.stdout), (0, "x : (Sigma (d1) [int d1])\nit : int\n"))


if __name__ == "__main__":
    unittest.main()
