#!/usr/bin/env python3
"""Runs the conformance vectors of the VCODE reference through an interpreter and compares what it prints.

    run_vectors.py VINTERP VECTORS.tsv [ID ...]

Columns: id, flags (- for none), exit status, program, standard input, standard output, standard error. \\n and
\\\\ are escapes; a standard error of * is any text but none. Prints "N passed, M failed".
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile


def unescape(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), text)


def differences(interpreter, flags, status, program, stdin, out, err):
    with tempfile.TemporaryDirectory() as directory:
        (pathlib.Path(directory) / "p.vcode").write_text(unescape(program) + "\n", encoding="latin-1")
        words = shlex.split(interpreter) + ([] if flags == "-" else flags.split()) + ["p.vcode"]
        done = subprocess.run(words, cwd=directory, input=unescape(stdin).encode("latin-1"), capture_output=True,
                              check=False)
    got_out, got_err = done.stdout.decode("latin-1"), done.stderr.decode("latin-1")
    if done.returncode != int(status):
        yield f"exit status {done.returncode}, expected {status}"
    if got_out != unescape(out):
        yield f"standard output {got_out!r}, expected {unescape(out)!r}"
    if got_err != unescape(err) if err != "*" else not got_err:
        yield f"standard error {got_err!r}, expected {unescape(err)!r}"


def main():
    interpreter, table, *wanted = sys.argv[1:]
    passed = failed = 0
    for line in pathlib.Path(table).read_text(encoding="utf-8").splitlines()[1:]:
        name, *fields = line.split("\t")
        if wanted and name not in wanted:
            continue
        problems = list(differences(interpreter, *fields))
        passed, failed = (passed, failed + 1) if problems else (passed + 1, failed)
        for problem in problems:
            print(f"FAILED {name}: {problem}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
