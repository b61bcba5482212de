#!/usr/bin/env python3
"""Runs golden cases: one file each, with a command, its input files and the output expected.

    what it shows, in a line or a few
    $ TOOL ARGUMENT ...
    --- input.vcode        a file that the command finds in its directory, or below it; any number of them
    ...
    --- in                 standard input
    --- env                NAME=VALUE of the environment, one a line
    --- interrupt          out or err: the command gets a SIGINT after its first line on that stream
    --- sh NAME            a shell command that prints such a file, for large ones
    --- out                expected standard output
    --- err                expected standard error
    --- status             expected exit status

Missing expectations mean: nothing on that stream, status 0. TOOL is resolved by --tool NAME=PATH.

    run_cases.py --tool vcode=build/tests/golden/golden_vcode DIR-OR-CASE ...   run, show differences
    run_cases.py ... --rebase                                                  accept what comes out; read the diff
"""

import argparse
import difflib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile

EXPECTED = ("out", "err", "status")
NO_FILE = (*EXPECTED, "in", "env", "interrupt")


class BadCase(Exception):
    pass


def parse(path):
    """The head (with the command line) and the sections of a case, in order."""
    head, sections, current = [], {}, None
    for line in re.findall(r"[^\n]*\n|[^\n]+", path.read_bytes().decode("latin-1")):
        if line.startswith("--- "):
            current = line[4:].strip()
            if current in sections:
                raise BadCase(f"section {current} twice")
            sections[current] = ""
        elif current is None:
            head.append(line)
        else:
            sections[current] += line
    commands = [line[2:].strip() for line in head if line.startswith("$ ")]
    if len(commands) != 1:
        raise BadCase(f"{len(commands)} command lines, expected one")
    if not head[0].strip() or head[0].startswith("$ "):
        raise BadCase("the first line must say what the case shows")
    return "".join(head), commands[0], sections


def make_file(directory, name, text):
    if name.startswith("sh "):
        with open(directory / name[3:], "wb") as file:
            subprocess.run(["sh", "-c", text], cwd=directory, stdout=file, check=True)
    else:
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(text.encode("latin-1"))


def run(command, sections, tools):
    """The sections out, err and status that the command gives."""
    words = shlex.split(command)
    if words[0] not in tools:
        raise BadCase(f"no --tool {words[0]}=PATH was given")
    words[0] = tools[words[0]]
    with tempfile.TemporaryDirectory() as directory:
        for name, text in sections.items():
            if name not in NO_FILE:
                make_file(pathlib.Path(directory), name, text)
        environment = dict(line.split("=", 1) for line in sections.get("env", "").splitlines())
        with subprocess.Popen(words, cwd=directory, env={**os.environ, **environment}, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            begun = {"out": b"", "err": b""}
            if "interrupt" in sections:
                stream = sections["interrupt"].strip()
                begun[stream] = (process.stdout if stream == "out" else process.stderr).readline()
                process.send_signal(signal.SIGINT)
                try:  # with its standard input still open, so that what reads must end by the signal
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    begun["err"] += b"(goes on)\n"
            out, err = process.communicate(sections.get("in", "").encode("latin-1"))
    return {
        "out": (begun["out"] + out).decode("latin-1"),
        "err": (begun["err"] + err).decode("latin-1"),
        "status": f"{process.returncode}\n",
    }


def wanted(sections):
    result = {name: sections.get(name, "") for name in EXPECTED}
    result["status"] = sections.get("status", "0\n")
    return result


def render(head, sections, got):
    text = head
    for name, body in sections.items():
        if name not in EXPECTED:
            text += f"--- {name}\n{body}"
    for name in EXPECTED:
        if got[name] and (name, got[name]) != ("status", "0\n"):
            text += f"--- {name}\n{got[name]}"
    return text


def difference(expect, got):
    lines = []
    for name in EXPECTED:
        lines += difflib.unified_diff(expect[name].splitlines(), got[name].splitlines(), f"{name} expected",
                                      f"{name} found", lineterm="")
    return "\n".join(lines) or "only line ends differ"


def one(path, tools, rebase):
    """None if the case passes, else what is wrong."""
    head, command, sections = parse(path)
    got = run(command, sections, tools)
    expect = wanted(sections)
    if rebase:
        for name in ("out", "err"):
            if got[name] and not got[name].endswith("\n"):
                raise BadCase(f"{name} does not end with a newline, so a case cannot hold it")
        path.write_bytes(render(head, sections, got).encode("latin-1"))
    if got == expect:
        return None
    return difference(expect, got)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--rebase", action="store_true")
    parser.add_argument("where", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    tools = {name: str(pathlib.Path(path).resolve()) for name, path in (t.split("=", 1) for t in options.tool)}
    cases = []
    for where in options.where:
        cases += sorted(where.rglob("*.case")) if where.is_dir() else [where]
    failed = 0
    for path in cases:
        try:
            problem = one(path, tools, options.rebase)
        except (BadCase, OSError) as error:
            problem = str(error)
        if problem is not None:
            failed += 1
            print(f"{'rebased' if options.rebase else 'FAILED'}: {path}\n{problem}")
    print(f"{len(cases)} cases, {failed} {'rebased' if options.rebase else 'failed'}")
    return 1 if not cases or (failed and not options.rebase) else 0


if __name__ == "__main__":
    sys.exit(main())
