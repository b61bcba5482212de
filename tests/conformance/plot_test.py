#!/usr/bin/env python3
"""Plotting sends what release 3.1 sent, byte by byte, and without the program that draws there is one message.

    plot_test.py NVM

Each plot/NAME.nesl runs with xneslplot.py in place of xneslplot; NAME.sent is what the legacy front end sent for the same
text, one record a window, NAME.out its results.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ALLOWED = ["--allow", "read,write,spawn"]


def records(data):
    """Windows may end in another order than they began."""
    return sorted(data.replace(b"END\n", b"END\n\0").split(b"\0"))


def check(nvm, program, folder):
    log = pathlib.Path(folder) / "log"
    log.unlink(missing_ok=True)
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "XNESLPLOT_LOG": str(log)}
    done = subprocess.run([nvm, "run", *ALLOWED, program], cwd=folder, env=environment, capture_output=True, check=False,
                          timeout=100)
    wrong = []
    if done.returncode != 0 or done.stderr:
        wrong.append(f"exit {done.returncode}: {done.stderr.decode()}")
    if done.stdout != program.with_suffix(".out").read_bytes():
        wrong.append(f"other results: {done.stdout.decode()}")
    sent, expected = log.read_bytes() if log.exists() else b"", program.with_suffix(".sent").read_bytes()
    if records(sent) != records(expected):
        lines = zip(sent.split(b"\n"), expected.split(b"\n"))
        first = next((f"{a!r} instead of {b!r}" for a, b in lines if a != b), "another length")
        wrong.append(f"other bytes: {first}")
    return wrong


def check_absent(nvm, folder, text):
    """No xneslplot: one message, no hang."""
    done = subprocess.run([nvm, "run", *ALLOWED, "-e", text], cwd=folder, env={**os.environ, "PATH": "/nowhere"},
                          capture_output=True, text=True, check=False, timeout=100)
    messages = [line for line in done.stderr.splitlines() if "no window can be made" in line]
    if len(messages) == 1 and "xneslplot" in messages[0] and done.returncode == 1:
        return []
    return [f"without xneslplot: exit {done.returncode}: {done.stderr}"]


# What stands in place of xneslplot and is none.
OTHERS = {
    "one that ends": "exit 3",
    "one that is killed": "kill -9 $$",
    "one that reads and says nothing": "head -c 1 >/dev/null",
    "one that says something else": "yes",
    "one that ends later": "echo '( 1 )'; exec head -c 60 >/dev/null",
}


def check_other(nvm, folder, name, script):
    """One message, no hang, and not the end of nvm by a signal."""
    other = pathlib.Path(folder) / "xneslplot"
    other.write_text(f"#!/bin/sh\n{script}\n")
    other.chmod(0o755)
    text = 'let w = make_window(default_window, bounding_box([(0, 1), (2, 3)]), "w", ":0") in draw_points(dist((1, 2), 9), w)'
    done = subprocess.run([nvm, "run", *ALLOWED, "-e", text], cwd=folder, capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, timeout=100)
    if done.returncode == 1 and done.stderr.count("ERROR: the program that draws ") == 1:
        return []
    return [f"{name}: exit {done.returncode}: {done.stdout}{done.stderr}"]


def main():
    nvm = str(pathlib.Path(sys.argv[1]).resolve())
    wrong = []
    programs = sorted((HERE / "plot").glob("*.nesl"))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HERE / "xneslplot.py", f"{folder}/xneslplot")
        for program in programs:
            wrong += [f"{program.name}: {w}" for w in check(nvm, program, folder)]
        for text in ('w_make_window(((0, 0), 10, 10), "w", w_white, ":0")',
                     'make_window(default_window, bounding_box([(0.0, 1.0), (2.0, 3.0)]), "w", ":0")'):
            wrong += check_absent(nvm, folder, text)
        for name, script in OTHERS.items():
            wrong += check_other(nvm, folder, name, script)
    print("\n".join(wrong))
    print(f"{len(programs)} programs, {len(wrong)} differences")
    sys.exit(bool(wrong) or not programs)


if __name__ == "__main__":
    main()
