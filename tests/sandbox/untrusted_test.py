#!/usr/bin/env python3
"""The mode for programs of strangers: what is refused, and limits that end a program at the same place everywhere.

    untrusted_test.py NVM ROOT
"""

import os
import re

from common import Place, expect, finish

LOOP = """function walk(i, v) = if i == 0 then v else walk(i - 1, {rem(x * 7 + i, 1009) : x in v}) $
function order(v) = if #v < 2 then v else
  let p = v[#v / 2]; less = {x in v | x < p}; more = {x in v | x > p}; same = {x in v | x == p};
      parts = {order(w) : w in [less, more]} in parts[0] ++ same ++ parts[1] $
sum(walk(10, [0:5000])) $
let s = order({rem(i * 7919, 10007) : i in [0:3000]}) in s[1] $
"""
VCODE_LOOP = "FUNC MAIN CALL MAIN RET\n"
DYNAMIC = "FUNC MAIN CONST BOOL T IF CONST INT 1 ENDIF CALL MAIN RET\n"
MODES = [(), ("--jit", "off"), ("--jit", "always"), ("--threads", "1"), ("--threads", "3"), ("--block-threshold", "1"),
         ("--block-threshold", "off"), ("--isa", "portable"), ("--fusion", "off")]


def said(run):
    return run.stdout + re.sub(r"/tmp/\S*/", "", run.stderr)


def check_fuel():
    with Place() as place:
        place.write("p.nesl", LOOP)
        whole = place.nvm("run", "--fuel", 10**9, "p.nesl")
        expect("enough fuel", whole.returncode == 0 and whole.stdout.count("it = ") == 2, whole)
        for fuel in (1, 977, 20011, 60013, 104729):
            first = place.nvm("run", "--fuel", fuel, "p.nesl")
            expect(f"fuel {fuel} ends it", first.returncode == 1 and "fuel used up" in first.stderr and "p.nesl:" in first.stderr, first)
            for mode in MODES[1:]:
                again = place.nvm("run", "--fuel", fuel, *mode, "p.nesl")
                expect(f"fuel {fuel} ends it elsewhere with {mode}", said(again) == said(first), again)
        for text in (VCODE_LOOP, DYNAMIC):
            name = place.write("p.vcode", text)
            run = place.nvm("run", "--fuel", 10000, name)
            expect(f"a loop that computes nothing: {text}", run.returncode == 1 and "fuel used up" in run.stderr, run)


def check_whole_session():
    """All forms share the fuel and the output."""
    with Place() as place:
        name = place.write("p.nesl", "sum({x * x : x in [0:1000]});\n" * 50)
        run = place.nvm("run", "--fuel", 20000, name)
        expect("forms share the fuel", run.returncode == 1 and 0 < run.stdout.count("it = ") < 50, run)
        run = place.nvm("run", "--output-limit", 200, name)
        expect("forms share the output", run.returncode == 1 and 0 < len(run.stdout) <= 200 and "output limit" in run.stderr, run)


def check_output():
    with Place() as place:
        chars = place.write("c.nesl", 'function say(i) = if i == 0 then t else let x = print_string("0123456789") in say(i - 1) $\nsay(1000) $\n')
        numbers = place.write("n.vcode", "FUNC MAIN CONST INT 5 CONST INT 100000 MAKE_SEGDES DIST INT COPY 1 0 WRITE INT RET\n")
        results = place.write("r.vcode", "FUNC MAIN CONST INT 5 CONST INT 100000 MAKE_SEGDES DIST INT RET\n")
        for name in (chars, numbers, results):
            free = place.nvm("run", name)
            run = place.nvm("run", "--output-limit", "1k", name)
            expect(f"{name} writes more without a limit", len(free.stdout + free.stderr) > 2000, free)
            expect(f"{name} writes too much", run.returncode == 1 and len(run.stdout + run.stderr) < 1500, run)


def check_refusals():
    with Place() as place:
        name = place.write("p.nesl", "1 + 1;\n")
        good = place.nvm("run", "--untrusted", name)
        expect("a good program", good.stdout == "it = 2 : int\n" and good.returncode == 0, good)
        for words in (["--allow", "read"], ["--arg-check", "off"]):
            run = place.nvm("run", "--untrusted", *words, name)
            expect(f"{words} is refused", run.returncode == 2 and "--untrusted" in run.stderr, run)
        for setting in ("arg_check off", "memory_size 1000000", "redefine on", "editor vi", "rsh_command x", "config local"):
            run = place.nvm("run", "--untrusted", place.write("s.nesl", f"1;\nset {setting};\n2;\n"))
            expect(f"set {setting}", run.returncode == 1 and "s.nesl:2" in run.stderr and "not permitted (--untrusted)" in run.stderr, run)
        run = place.nvm("run", "--untrusted", place.write("e.nesl", "#user;\n"))
        expect("the environment is not seen", run.stdout == "it = 0 : int\n", run)
        run = place.nvm("run", "--untrusted", place.write("m.nesl", "sum({x : x in dist(1.5, 2000000000)} ++ dist(2.0, 2000000000));\n"))
        expect("memory is limited", run.returncode == 1, run)
        run = place.nvm("repl", "--untrusted", text='shell "touch made";\nset arg_check off;\n')
        expect("nothing in the session", "shell not permitted (--untrusted)" in run.stderr and not (place.inside / "made").exists(), run)


def check_no_folder():
    """A stranger's text that is no file has no folder to load from; a file has its own."""
    with Place() as place:
        place.write("part.nesl", "part = 5;\n")
        place.write("main.nesl", 'load "part";\npart;\n')
        for text in ('load "part.nesl";\npart;\n', 'import "part";\npart.part;\n'):
            word = text.split()[0]
            for command in ("run", "check", "compile", "repl"):
                run = place.nvm(command, "--untrusted", *(["-"] if command != "repl" else []), text=text)
                expect(f"{word} in {command} from standard input", "not permitted" in run.stderr and "5" not in run.stdout, run)
            run = place.nvm("run", "--untrusted", "-e", text.splitlines()[0].rstrip(";"))
            expect(f"{word} in an expression", run.returncode != 0 and "not permitted" in run.stderr, run)
            run = place.nvm("run", "-", text=text)
            expect(f"{word} from one's own standard input", run.stdout == "it = 5 : int\n", run)
        run = place.nvm("run", "--untrusted", "main.nesl")
        expect("a file beside the program", run.stdout == "it = 5 : int\n", run)
        page = place.write("page.md", '```nesl\nload "part.nesl";\npart;\n```\n')
        run = place.nvm("literate", "--untrusted", page)
        expect("a file beside the page", run.returncode == 0 and "it = 5 : int" in (place.inside / "page.md").read_text(), run)


def check_looking():
    """Commands that only look at a program have the same limits, and refuse the same."""
    with Place() as place:
        good = place.write("p.nesl", "x = 3;\nx + 1;\n")
        vcode = place.write("p.vcode", "FUNC MAIN CONST INT 1 RET\n")
        long = place.write("l.nesl", "[1" + ", x" * 1000000 + "];\n")
        large = place.write("m.nesl", "v = dist(1.5, 200000000);\nsum(v);\n")
        endless = place.write("e.nesl", "function go(n) = go(n + 1) $\nx = go(0);\nx;\n")
        for command in ("check", "compile", "disasm"):
            for name in (good, vcode) if command != "compile" else (good,):
                run = place.nvm(command, "--untrusted", name)
                expect(f"{command} of a good program", run.returncode == 0 and run.stdout != "" and run.stderr == "", run)
                run = place.nvm(command, "--untrusted", "--allow", "read", name)
                expect(f"{command} allows nothing", run.returncode == 2 and "--untrusted: nothing can be allowed" in run.stderr, run)
            if "NVM_SANITIZED" not in os.environ:
                run = place.nvm(command, "--untrusted", "--memory", "50M", long)
                expect(f"{command} of a large text", run.returncode in (1, 2) and "memory" in run.stderr, run)
            if command == "check":
                continue
            run = place.nvm(command, "--untrusted", large)
            expect(f"{command} of large values", run.returncode == 1 and "memory" in run.stderr, run)
            run = place.nvm(command, "--untrusted", "--time-limit", "0.3", endless)
            expect(f"{command} of what does not end", run.returncode == 1 and "time limit" in run.stderr, run)


def check_walls():
    """Inputs and outputs of the command line still work behind the kernel's walls."""
    with Place() as place:
        out = place.top / "results"
        out.mkdir()
        (place.outside / "v.csv").write_text("1,2\n3,4\n")
        place.write("part.nesl", "part = 5;\n")
        name = place.write("p.nesl", 'load "part";\nresult = {sum(x) : x in v};\n#result + part;\n')
        run = place.nvm("run", "--untrusted", "--in", f"v={place.outside}/v.csv", "--out", f"result={out}/r.npy", name)
        expect("files of the command line", run.returncode == 0 and run.stdout == "it = 7 : int\n" and (out / "r.npy").exists(), run)
        run = place.nvm("version", "--verbose")
        expect("the walls are named", re.search(r"^walls of the kernel: (landlock|seccomp|none)", run.stdout, re.M), run)


def main():
    check_fuel()
    check_whole_session()
    check_output()
    check_refusals()
    check_no_folder()
    check_looking()
    check_walls()
    finish()


if __name__ == "__main__":
    main()
