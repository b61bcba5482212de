#!/usr/bin/env python3
"""Is the VCODE that `nvm compile` writes legal for the legacy interpreter, once its comments are gone?

    legacy_grammar.py NVM ROUTES PROGRAM.nesl ...

Of the programs named, as a whole and form by form; of the programs of the golden cases, and of random ones, form by form.
A recogniser of the legacy grammar of its own, written from the language's description and sharing nothing with
our reader: scanner, instruction classes, conditionals, names that resolve and fit the legacy limits.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(TESTS / "oracle"))
import nesl_run  # pylint: disable=wrong-import-position
import oracle  # pylint: disable=wrong-import-position

RANDOM = 500 if os.environ.get("NVM_TESTS") == "all" else 150

UNTYPED = set(
    """% LSHIFT RSHIFT RAND FLOOR CEIL TRUNC ROUND LOG SQRT EXP SIN COS TAN ASIN ACOS ATAN SINH COSH TANH I_TO_F
    I_TO_B B_TO_I INDEX MAKE_SEGDES LENGTHS PAIR UNPAIR EXIT START_TIMER STOP_TIMER FOPEN FCLOSE FREAD_CHAR SPAWN
    IF ELSE ENDIF""".split())
FOLDS = [f"{op}_{kind}" for kind in ("SCAN", "REDUCE") for op in ("+", "*", "MAX", "MIN")]
TYPED = {
    **dict.fromkeys("+ - * / < <= > >= = != RANK_UP RANK_DOWN".split() + FOLDS, {"INT", "FLOAT"}),
    **dict.fromkeys([op + kind for op in ("AND", "OR", "XOR") for kind in ("", "_SCAN", "_REDUCE")] + ["NOT"],
                    {"INT", "BOOL"}),
    **dict.fromkeys("SELECT PERMUTE DPERMUTE FPERMUTE BPERMUTE BFPERMUTE DFPERMUTE DIST LENGTH EXTRACT REPLACE PACK"
                    .split(), {"INT", "BOOL", "FLOAT"}),
    **dict.fromkeys(("READ", "WRITE", "FREAD", "FWRITE"), {"INT", "BOOL", "FLOAT", "SEGDES", "CHAR"}),
    "SRAND": {"INT"},
}  # yapf: disable
COUNTED = {"COPY", "POP", "CPOP"}
TYPES = {"INT", "BOOL", "FLOAT", "SEGDES", "CHAR"}
STREAMS = {"STDIN", "STDOUT", "STDERR", "NULL_STREAM"}
KEYWORDS = UNTYPED | set(TYPED) | COUNTED | TYPES | STREAMS | {"CALL", "RET", "FUNC", "CONST", "T", "F", "I", "O"}
INT, FLOAT = re.compile(r"[+-]?\d+"), re.compile(r"[+-]?\d+\.\d*([eE][+-]?\d+)?")
TOKEN = re.compile(r'[ \t\n]+|\{[^}]*\}|"[^"]*"|[()]|[A-Za-z0-9_.!=<>%/*+-]+')
LONGEST_NAME = 49
LONGEST_STRING = 97  # of longer ones the scanner warns
MOST_MOVED = 100  # more by one CPOP corrupt its memory
MOST_OPEN = 50


class Illegal(Exception):
    pass


def scan(text):
    at = 0
    while at < len(text):
        token = TOKEN.match(text, at)
        if not token:
            raise Illegal(f"unexpected character {text[at]!r}")
        if token[0][0] not in " \t\n{":
            yield token[0]
        at = token.end()


class Recogniser:
    def __init__(self, text):
        self.tokens = [*scan(text), ""]
        self.at = 0
        self.defined, self.called = set(), set()

    def next(self, what, test):
        token = self.tokens[self.at]
        if not test(token):
            raise Illegal(f"{token!r} after {' '.join(self.tokens[max(0, self.at - 4):self.at])}: expected {what}")
        self.at += 1
        return token

    def word(self, *words):
        return self.next(" or ".join(words), lambda token: token in words)

    def match(self, what, pattern):
        return self.next(what, lambda token: pattern.fullmatch(token))

    def name(self):
        def good(token):
            plain = TOKEN.fullmatch(token) and token[0] not in '"({) \t\n' and len(token) <= LONGEST_NAME
            return plain and token not in KEYWORDS and not INT.fullmatch(token) and not FLOAT.fullmatch(token)

        return self.next("a name", lambda token: token == "MAIN" or good(token))

    def constant(self):
        kind = self.word(*TYPES)
        if kind == "CHAR":
            return self.next("a string, not too long",
                             lambda token: token.startswith('"') and len(token) - 2 <= LONGEST_STRING)
        if kind == "INT" and self.tokens[self.at] in STREAMS:
            return self.word(*STREAMS)
        one = {"INT": INT, "FLOAT": FLOAT, "BOOL": re.compile("[TF]"), "SEGDES": INT}[kind]
        if self.tokens[self.at] != "(":
            return self.match(kind, one)
        self.at += 1
        while self.tokens[self.at] != ")" and kind != "SEGDES":  # no descriptor of several segments
            self.match(kind, one)
        self.next(")", lambda token: token == ")")
        return None

    def instruction(self, op, conditionals):
        if op in TYPED:
            self.word(*TYPED[op])
        elif op in COUNTED:
            count, _ = self.match("a count", INT), self.match("a depth", INT)
            if op == "CPOP" and int(count) > MOST_MOVED:
                raise Illegal(f"CPOP of {count}")
        elif op == "CALL":
            self.called.add(self.name())
        elif op == "CONST":
            self.constant()
        elif op == "IF":
            conditionals.append(False)
        elif op == "ELSE":
            if not conditionals or conditionals[-1]:
                raise Illegal("ELSE without IF")
            conditionals[-1] = True
        elif op == "ENDIF":
            if not conditionals:
                raise Illegal("ENDIF without IF")
            conditionals.pop()

    def function(self):
        self.word("FUNC")
        name = self.name()
        if name == "MAIN" and name in self.defined:
            raise Illegal("MAIN twice")
        self.defined.add(name)
        conditionals = []
        known = UNTYPED | set(TYPED) | COUNTED | {"CALL", "CONST", "RET"}
        while (op := self.next("an instruction", lambda token: token in known)) != "RET":
            self.instruction(op, conditionals)
            if len(conditionals) > MOST_OPEN:
                raise Illegal(f"more than {MOST_OPEN} open IFs")
        if conditionals:
            raise Illegal("RET inside of an IF")

    def program(self):
        while self.tokens[self.at] or not self.defined:
            self.function()
        if missing := self.called - self.defined:
            raise Illegal(f"calls of {sorted(missing)}")


def judge(nvm, program, folder):
    """What is wrong with the VCODE of a NESL program; "" if nothing is."""
    compiled = pathlib.Path(folder) / "out.vcode"
    options = re.match(r"#!.*neslvm run(.*)", program.read_text(encoding="utf-8"))
    words = [w for w in (options[1].split() if options else []) if w not in ("--allow", "write")]
    done = subprocess.run([nvm, "compile", *words, program, "-o", compiled], capture_output=True, text=True,
                          check=False, cwd=program.parent)
    if done.returncode != 0:
        return f"nvm compile: exit {done.returncode}: {done.stderr}"
    try:
        Recogniser(compiled.read_text(encoding="latin-1")).program()
    except Illegal as why:
        return str(why)
    return ""


def self_test():
    """The recogniser refuses what it must."""
    good = "FUNC MAIN CONST BOOL T IF CONST INT (1 -2) ELSE CONST INT () ENDIF CALL a<=b_1 RET FUNC a<=b_1 CONST SEGDES 3 " \
           'CONST SEGDES () CONST INT STDERR CONST CHAR "it\\" RET'
    Recogniser(good).program()
    for text in ("", "FUNC MAIN", "FUNC MAIN + RET", "FUNC MAIN = BOOL RET", "FUNC MAIN CONST FLOAT 5 RET",
                 "FUNC MAIN CALL X RET", "FUNC MAIN IF RET", "FUNC MAIN ELSE RET", "FUNC MAIN CONST INT (1 2.0) RET",
                 "FUNC T RET", "FUNC 12 RET", "FUNC " + "A" * 50 + " RET", "FUNC MAIN COPY 1 RET",
                 "FUNC MAIN CPOP 101 0 RET", "FUNC MAIN ; RET",
                 "FUNC MAIN CONST SEGDES (2 1) RET", "FUNC MAIN CONST SEGDES (2) RET", "FUNC STDIN RET",
                 f'FUNC MAIN CONST CHAR "{"a" * 98}" RET', "FUNC MAIN RET FUNC MAIN RET",
                 "FUNC MAIN CONST INT (STDIN) RET", "FUNC MAIN CONST FLOAT .5 RET", "FUNC MAIN CONST FLOAT 1e5 RET",
                 "FUNC MAIN CONST BOOL 1 RET", "FUNC MAIN NOT FLOAT RET", "FUNC MAIN RAND INT RET"):
        try:
            Recogniser(text).program()
        except Illegal:
            continue
        sys.exit(f"accepted: {text}")


def extremes(folder):
    """Programs beyond each limit, and what they print."""
    nested, name, many = "0", "a" * 60, 250
    for i in reversed(range(130)):
        nested = f"(if x > {i} then {nested} else {i})"
    xs = [f"x{i}" for i in range(many)]
    turned = ", ".join(xs[1:] + xs[:1])
    programs = {
        "deep": (f"function g(x) = {nested} $\n[g(3), g(129), g(200)] ++ {{g(x) : x in [51, 500]}};", [5, 3, 129, 0, 51, 0]),
        "names": (f"function {name}(x) = if x < 1 then 7 else {name}(x - 1) $\n"
                  f"function {name}b(x) = if x < 1 then 8 else {name}b(x - 1) $\n[{name}(2), {name}b(2)];", [2, 7, 8]),
        "wide": (f"function g(n, {', '.join(xs)}) = if n == 0 then [{', '.join(xs)}] else g(n - 1, {turned}) $\n"
                 f"g(3, {', '.join(map(str, range(many)))});", [many, *range(3, many), 0, 1, 2]),
    }
    for file, (text, numbers) in programs.items():
        path = pathlib.Path(folder) / f"{file}.nesl"
        path.write_text(text + "\n", encoding="utf-8")
        yield path, numbers


def beyond(nvm, folder):
    """How many of the extremes are not legal or print something else."""
    wrong = 0
    for program, numbers in extremes(folder):
        why = judge(nvm, program, folder)
        done = subprocess.run([nvm, "vinterp", "-c", pathlib.Path(folder) / "out.vcode"], capture_output=True, text=True,
                              check=False)
        if why or [int(x) for x in re.findall(r"-?\d+", done.stdout)] != numbers:
            wrong += 1
            print(f"{program.name}: {why or done.stdout + done.stderr}")
    return wrong


def golden(folder):
    """The programs of the golden cases."""
    for case in sorted((TESTS / "golden").glob("*/*.case")):
        parts = re.split(r"^--- (.*)\n", case.read_text(encoding="latin-1"), flags=re.M)
        for name, text in zip(parts[1::2], parts[2::2]):
            if name.endswith(".nesl") and not name.startswith("sh "):
                path = pathlib.Path(folder) / f"{case.stem}-{name.replace('/', '-')}"
                path.write_text(text, encoding="latin-1")
                yield path


def drawn(folder):
    """Random programs, the same ones in every run."""
    nesl = oracle.Nesl(32)
    for seed in range(RANDOM):
        path = pathlib.Path(folder) / f"random-{seed}.nesl"
        path.write_text(nesl_run.BITS + nesl.text(nesl.draw(seed)), encoding="latin-1")
        yield path


def judge_forms(routes, programs):
    """How many forms have a value, and how many of them are not legal."""
    done = subprocess.run([routes, "--write", *programs], capture_output=True, check=True)
    forms, failed = done.stdout.decode("latin-1").split("\0")[1:], 0
    for form in forms:
        place, text = form.split("\n", 1)
        try:
            Recogniser(text).program()
        except Illegal as why:
            failed += 1
            print(f"{place}: {why}")
    return len(forms), failed


def main():
    self_test()
    nvm, routes, programs = sys.argv[1], sys.argv[2], [pathlib.Path(p).resolve() for p in sys.argv[3:]]
    with tempfile.TemporaryDirectory() as folder:
        failed = beyond(nvm, folder)
        for program in programs:
            if wrong := judge(nvm, program, folder):
                failed += 1
                print(f"{program.name}: {wrong}")
        forms, illegal = judge_forms(routes, [*programs, *golden(folder), *drawn(folder)])
    print(f"{len(programs)} programs, {failed} illegal; {forms} forms, {illegal} illegal")
    sys.exit(failed + illegal != 0 or not programs or forms < 500)


if __name__ == "__main__":
    main()
