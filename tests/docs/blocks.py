#!/usr/bin/env python3
"""Runs the code blocks of documents and compares what they print with what the documents say.

A block that begins with ```console is run: each line `$ COMMAND` by a shell in a copy of programs/ (as programs/ below an
empty folder), with nvm, neslvm, vinterp and ./nvmw being the binary under test; the lines behind it, up to the next
command, are all that it prints on standard output and standard error. A line `...` stands for any lines, or none.
A block with a NAME behind its language, such as ```nesl sums.nesl, is written to that file, for the commands of the same
document behind it. Where a command says $DIR, nvm is installed there.

    blocks.py --nvm PATH --root ROOT [--rebase] DOCUMENT ...

--rebase writes what is printed into the documents.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.S | re.M)


def steps(text):
    """(command, expected lines) of a console block."""
    out = []
    for line in text.splitlines():
        if line.startswith("$ "):
            out.append((line[2:], []))
        elif out:
            out[-1][1].append(line)
        else:
            raise ValueError(f"no command before: {line}")
    return out


def matches(expected, printed):
    """Whether the lines are those expected, where `...` stands for any number of lines; times in us differ."""
    expected, printed = ([re.sub(r"\b\d+ us\b", "N us", line) for line in lines] for lines in (expected, printed))
    pattern = "".join("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in printed)) is not None


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode("utf-8", "replace").splitlines()


def prepare(folder, nvm, root):
    """A folder to run in, and the environment."""
    names = folder / ".bin"
    names.mkdir()
    for name in ("nvm", "neslvm", "vinterp"):
        (names / name).symlink_to(nvm)
    (folder / "nvmw").symlink_to(nvm)
    shutil.copytree(root / "programs", folder / "programs")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NVM_")}
    return dict(kept, PATH=f"{names}:{os.environ['PATH']}", LC_ALL="C.UTF-8")


def install(build, prefix):
    """Installs nvm, and says where in variables."""
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    libraries = ":".join(str(folder) for folder in prefix.glob("lib*"))
    return {"DIR": str(prefix), "LD_LIBRARY_PATH": libraries}


def run_block(text, folder, environment):
    """(command, expected, printed, whether they match) of each step of a console block."""
    for command, expected in steps(text):
        printed = run(command, folder, environment)
        yield command, expected, printed, matches(expected, printed)


def check_document(path, nvm, root):
    """What is wrong, the number of commands that ran, and the document as it should be."""
    problems, counts = [], [0]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        environment = prepare(folder, nvm, root)

        def visit(block):
            kind, name, text = block.groups()
            if name:
                (folder / name).write_text(text, encoding="utf-8")
            if kind != "console":
                return block.group(0)
            lines = []
            if "$DIR" in text and "DIR" not in environment:
                environment.update(install(nvm.parent, folder / ".prefix"))
            for command, expected, printed, good in run_block(text, folder, environment):
                counts[0] += 1
                lines += ["$ " + command] + (expected if good else printed)
                if not good:
                    problems.append(f"{path}: $ {command}")
                    problems.extend(difflib.unified_diff(expected, printed, "document", "printed", lineterm=""))
            return "```console\n" + "".join(line + "\n" for line in lines) + "```"

        fresh = BLOCK.sub(visit, path.read_text(encoding="utf-8"))
    return problems, counts[0], fresh


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvm", required=True, type=pathlib.Path)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--rebase", action="store_true")
    parser.add_argument("documents", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    problems, count = [], 0
    for document in options.documents:
        found, ran, fresh = check_document(document, options.nvm.resolve(), options.root)
        problems += found
        count += ran
        if found and options.rebase:
            document.write_text(fresh, encoding="utf-8")
    print("\n".join(problems + [f"{count} commands of {len(options.documents)} documents"]))
    return 1 if count == 0 or (problems and not options.rebase) else 0


if __name__ == "__main__":
    sys.exit(main())
