#!/usr/bin/env python3
"""Command lines that documents mention, in any block or between backquotes, name commands and options that there are; and
the examples of the help pages run.

    commands_test.py --nvm PATH --root ROOT DOCUMENT ...
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import blocks

MENTION = re.compile(r"(?:^|[\s`/(])(?:nvm|neslvm|nvmw) ([a-z]+)\b([^`\n]*)", re.M)
OPTION = re.compile(r"(?<=\s)--([a-z][a-z-]*)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.S | re.M)
SCRIPT = ("build", "install", "test", "packages", "which")  # words of ./nvmw that are no commands of nvm


def page(nvm, command):
    done = subprocess.run([nvm, "help", command], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def unknown(text, pages):
    """What is mentioned in a text, in code, and does not exist. `pages` gives a command's help."""
    out = []
    for code in CODE.findall(text):
        for command, rest in MENTION.findall(code):
            if command in SCRIPT:
                continue
            known = pages(command)
            if known is None:
                out.append(f"nvm {command}")
                continue
            for other in re.findall(r"\[OPTIONS of ([a-z]+)\]", known):
                known += pages(other)
            own = re.split(r"[|#;]|&&", rest)[0]  # the rest belongs to another command, or is a comment
            out += [f"nvm {command} --{o}" for o in OPTION.findall(own)
                    if not re.search(rf"--{re.escape(o)}\b", known) and o != "help"]
    return out


def examples(text):
    """The examples of a help page."""
    _, mark, rest = text.partition("\nexamples:\n")
    return [line.strip() for line in rest.splitlines() if line.strip()] if mark else []


def failures(nvm, root, commands):
    """Examples that fail, with what they say."""
    out = []
    for command in commands:
        with tempfile.TemporaryDirectory() as place:
            environment = blocks.prepare(pathlib.Path(place), nvm, root)
            for line in examples(page(nvm, command)):
                done = subprocess.run(["bash", "-c", line], cwd=place, env=environment, stdin=subprocess.DEVNULL,
                                      capture_output=True, check=False)
                if done.returncode != 0:
                    out.append(f"nvm help {command}: {line}: status {done.returncode}: {done.stderr.decode()}")
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvm", required=True, type=pathlib.Path)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("documents", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    nvm, cache = options.nvm.resolve(), {}

    def pages(command):
        if command not in cache:
            cache[command] = page(nvm, command)
        return cache[command]

    problems = [f"{d}: there is no {u}" for d in options.documents for u in unknown(d.read_text("utf-8"), pages)]
    overview = subprocess.run([nvm, "help"], capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", overview, re.M)
    problems += failures(nvm, options.root, commands)
    print("\n".join(problems + [f"{len(cache)} commands mentioned, {len(commands)} with examples"]))
    return 1 if problems or not cache else 0


if __name__ == "__main__":
    sys.exit(main())
