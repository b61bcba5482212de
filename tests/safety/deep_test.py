#!/usr/bin/env python3
"""Programs that nest, or chain, far deeper than any stack: each ends with a result or a message.

    deep_test.py NVM [NAME ...]

Every program goes through each command below with a stack of 1 MB, and is run with one of 8 MB. A signal, an
abort, or a failure without a message is an error.
"""

import pathlib
import resource
import subprocess
import sys
import tempfile

LEVELS = 100_000
STACKS = (1 << 20, 8 << 20)
COMMANDS = (["run"], ["check"], ["compile", "-o", "out.vcode"], ["disasm", "--stages", "acfvrs"], ["run", "--jit", "always"])


def lines(template, n=LEVELS, first=1):
    return "".join(template.format(i=i, j=i - 1) for i in range(first, n))


def vcode(body):
    return "FUNC MAIN\n" + body + "\nRET\n"


VCODE = {
    "pairs_left": vcode("CONST INT 1\n" + "CONST INT 1\nPAIR\n" * LEVELS),
    "pairs_right": vcode("CONST INT 1\n" * LEVELS + "PAIR\n" * (LEVELS - 1)),
    "pairs_by_recursion": "FUNC MAIN\nCONST INT 1\nCONST INT 1000000\nCALL F\nRET\nFUNC F\nCOPY 1 0\nCONST INT 0\n= INT\n"
    "IF\nPOP 1 0\nELSE\nCPOP 1 1\nCONST INT 1\nPAIR\nCPOP 1 1\nCONST INT 1\n- INT\nCALL F\nENDIF\nRET\n",
    "pairs_and_unpairs": vcode("CONST INT 1\n" + "CONST INT 1\nPAIR\n" * 900 + "UNPAIR\nPOP 1 0\n" * 900),
    "conditionals": vcode("CONST INT 1\n" + "CONST BOOL T\nIF\n" * LEVELS + "ENDIF\n" * LEVELS),
    "else_branches": vcode("CONST BOOL F\nIF\nELSE\n" * 0 + "CONST INT 1\n" + "CONST BOOL F\nIF\nELSE\n" * LEVELS + "ENDIF\n" * LEVELS),
    "conditionals_in_a_row": vcode("CONST INT 1\n" + "COPY 1 0\nCONST INT 0\n> INT\nIF\nCONST INT 1\n+ INT\nENDIF\n" * (LEVELS // 10)),
    "additions": vcode("CONST INT 1\n" + "CONST INT 1\n+ INT\n" * LEVELS),
    "additions_unknown": vcode("CONST INT 7\nSRAND INT\nPOP 1 0\nCONST INT 5\nRAND\n" + "COPY 1 0\n+ INT\n" * LEVELS),
    "calls": "FUNC MAIN\nCONST INT 1\nCALL F1\nRET\n"
    + lines("FUNC F{i}\nCONST INT 1\n+ INT\nCALL F{j}\nCALL F{j}\nRET\n", 12, 2).replace("CALL F1\n", "CALL F0\n")
    + "FUNC F0\nRET\nFUNC F1\nCALL G9999\nRET\n"
    + lines("FUNC G{i}\nCALL G{j}\nRET\n", 10_000)
    + "FUNC G0\nRET\n",
    "comments": "{" * LEVELS + "}" * LEVELS + vcode("CONST INT 1"),
}


def nesl(expression):
    return expression + " $\n"


NESL = {
    "parentheses": nesl("(" * LEVELS + "1" + ")" * LEVELS),
    "brackets": nesl("[" * LEVELS + "1" + "]" * LEVELS),
    "brackets_allowed": nesl("[" * 900 + "1" + "]" * 900),
    "open_parentheses": nesl("(" * LEVELS),
    "sums": nesl("1" + " + 1" * LEVELS),
    "sums_allowed": nesl("1" + " + 1" * 2400),
    "powers": nesl("2" + " ^ 1" * LEVELS),
    "signs": nesl("-" * LEVELS + "1"),
    "calls": nesl("abs(" * LEVELS + "1" + ")" * LEVELS),
    "calls_allowed": nesl("abs(" * 900 + "1" + ")" * 900),
    "tuple": nesl("(" + "1, " * LEVELS + "1)"),
    "tuple_allowed": nesl("(" + "1, " * 900 + "1)"),
    "conditionals": nesl("if t then 1 else " * LEVELS + "1"),
    "let_nested": nesl("let a = 1 in " * LEVELS + "a"),
    "let_bindings": nesl("let " + lines("a{i} = a{j} + 1; ", LEVELS // 10).replace("a0 ", "1 ") + f"b = 1 in a{LEVELS // 10 - 1}"),
    "let_types": nesl("let a0 = 1; " + lines("a{i} = [a{j}]; ", 5000) + "b = 1 in #a4999"),
    "let_pairs": nesl("let a0 = 1; " + lines("a{i} = (a{j}, 1); ", 5000) + "b = 1 in b"),
    "let_functions": nesl("let f0 = (x => x); " + lines("f{i} = (x => f{j}(x)); ", 300) + "b = 1 in f299(1)"),
    "each": nesl("{" * LEVELS + "a : a in b" + "}" * LEVELS),
    "lambdas": nesl("x => " * LEVELS + "x"),
    "types": "function f(x) : " + "[" * LEVELS + "int" + "]" * LEVELS + " -> int = 1 $\n",
    "types_tuple": "function f(x) : (" + "int, " * LEVELS + "int) -> int = 1 $\n",
    "patterns": "function f(" + "(" * LEVELS + "x" + ")" * LEVELS + ") = x $\n",
    "datatypes": "datatype d0(int) $\n" + lines("datatype d{i}(d{j}) $\n", 3000) + "d0(1) $\n",
    "datatype_values": "datatype d0(int) $\nv0 = d0(1) $\n" + lines("datatype d{i}(d{j}) $\nv{i} = d{i}(v{j}) $\n", 600) + "v599 $\n",
    "values": "v0 = 1 $\n" + lines("v{i} = [v{j}] $\n", 300) + "v299 $\n",
    "value_pairs": "v0 = 1 $\n" + lines("v{i} = (v{j}, 1) $\n", 300) + "v299 $\n",
    "functions": "function f0(x) = x $\n" + lines("function f{i}(x) = f{j}(x) + 1 $\n", 5000) + "f4999(1) $\n",
    "functions_as_values": "function f0(x) = x $\n" + lines("function f{i}(x) = map(f{j}, [x])[0] $\n", 500) + "f499(1) $\n",
    "growing_types": "function f(x, n) = if n == 0 then 1 else f([x], n - 1) $\nf(1, 5) $\n",
    "growing_pairs": "function f(x, n) = if n == 0 then 1 else f((x, x), n - 1) $\nf(1, 5) $\n",
    "comments": "% " * LEVELS + "\n" + nesl("1"),
    "quotes": nesl("'" * LEVELS + "x"),
    "escapes": nesl('"' + "\\" * LEVELS * 2 + '"'),
    "recursion": "function f(n) = if n == 0 then 0 else 1 + f(n - 1) $\nf(10000000) $\n",
    "recursion_lifted": "function f(n) = if n == 0 then 0 else 1 + f(n - 1) $\nsum({f(i) : i in [10000:10003]}) $\n",
    "load_itself": 'load "program.nesl" $\n',
    "load_pair": 'load "other.nesl" $\n',
}
OTHER = {"other.nesl": 'load "program.nesl" $\n'}


def limited(stack):
    def apply():
        resource.setrlimit(resource.RLIMIT_STACK, (stack, stack))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return apply


def problem(nvm, command, stack, path, directory):
    words = [nvm, *command, "--memory", "1G", path] if command[0] == "run" else [nvm, *command, path]
    try:
        done = subprocess.run(words, cwd=directory, capture_output=True, check=False, timeout=120, preexec_fn=limited(stack))
    except subprocess.TimeoutExpired:
        return "no end after 120 s"
    text = done.stdout + done.stderr
    if done.returncode < 0 or done.returncode > 100 or b"internal error" in text:
        return f"status {done.returncode}: {text[-300:].decode('latin-1')}"
    return "failed without a message" if done.returncode != 0 and not text.strip() else ""


def main():
    nvm, *wanted = sys.argv[1:]
    failed = passed = 0
    for suffix, programs in ((".vcode", VCODE), (".nesl", NESL)):
        for name, text in programs.items():
            if wanted and name + suffix not in wanted and name not in wanted:
                continue
            with tempfile.TemporaryDirectory() as directory:
                for other, content in {**OTHER, "program" + suffix: text}.items():
                    (pathlib.Path(directory) / other).write_text(content, encoding="latin-1")
                for command in COMMANDS:
                    if suffix == ".vcode" and command[0] == "compile":
                        continue
                    for stack in STACKS if command == ["run"] else STACKS[:1]:
                        wrong = problem(nvm, command, stack, "program" + suffix, directory)
                        passed += not wrong
                        failed += bool(wrong)
                        if wrong:
                            print(f"FAILED {name}{suffix} {' '.join(command)}, stack {stack >> 20} MB: {wrong}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
