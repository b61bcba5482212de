#!/usr/bin/env python3
"""Runs the code blocks of documents and compares what they print with what the documents say.

A block that begins with ```console is run: each line `$ COMMAND` by a shell in a copy of programs/ (as programs/ below an
empty folder), with nvm, neslvm, vinterp and ./nvmw being the binary under test; the lines behind it, up to the next
command, are all that it prints on standard output and standard error. A line `...` stands for any lines, or none.
In a block that begins with ```console measured what is printed differs from run to run: the commands must succeed, and print
those lines that have no digit, such as the heads of tables; words of them may be left out.
A block with a NAME behind its language, such as ```nesl sums.nesl, is written to that file, for the commands of the same
document behind it; one that begins with ````markdown may hold blocks. Where a command says $DIR, nvm is installed there.
A document with a block that begins with ```output is a literate page, whose program `nvm literate` runs.
Any other block stands behind a line <!-- not run: REASON -->; generated parts are somebody else's. Code by indentation is
refused.

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

BLOCK = re.compile(r"^(````?)(\w*)(?: (\S+))?\n(.*?)^\1$", re.S | re.M)
GENERATED = re.compile(r"<!-- generated: (\w+) -->\n.*?<!-- end: \1 -->", re.S)
EXCUSE = re.compile(r"<!-- not run: \S.* -->\n(?:\n)?$")
INDENTED = re.compile(r"(?:^|\n)\n(    [^\s*-].*)|^( +```.*)", re.M)


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


def same_shape(expected, printed):
    """Whether the lines without a digit are printed, in order; of their words some may be left out."""
    rest = iter(printed)
    return all(any(among(line.split(), other.split()) for other in rest)
               for line in expected if line != "..." and not re.search(r"\d", line))


def among(some, words):
    """Whether some of the words are these, in order."""
    rest = iter(words)
    return all(word in rest for word in some)


def run(command, folder, environment):
    """What a command prints, and its exit status."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.decode("utf-8", "replace").splitlines(), done.returncode


def prepare(folder, nvm, root):
    """A folder to run in, and the environment."""
    names = folder / ".bin"
    names.mkdir()
    for name in ("nvm", "neslvm", "vinterp"):
        (names / name).symlink_to(nvm)
    (folder / "nvmw").symlink_to(nvm)
    shutil.copytree(root / "programs", folder / "programs")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("NVM_")}
    kept.setdefault("CMAKE_GENERATOR", "Ninja")  # which builds nvm; make need not be there
    return dict(kept, PATH=f"{names}:{os.environ['PATH']}", LC_ALL="C.UTF-8")


def install(build, prefix):
    """Installs nvm, and says where in variables."""
    subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, stdout=subprocess.DEVNULL)
    libraries = ":".join(str(folder) for folder in prefix.glob("lib*"))
    return {"DIR": str(prefix), "LD_LIBRARY_PATH": libraries}


def run_block(text, measured, folder, environment):
    """(command, expected, printed, whether they match, what a document is to show) of each step of a console block."""
    for command, expected in steps(text):
        printed, status = run(command, folder, environment)
        good = status == 0 and same_shape(expected, printed) if measured else matches(expected, printed)
        # What could not be measured replaces no figures.
        yield command, expected, printed, good, expected if good or (measured and status != 0) else printed


def is_literate(text):
    return any(kind == "output" for _, kind, _, _ in BLOCK.findall(text))


def literate(page, folder, environment):
    """What is wrong with a literate page, and the page as it should be."""
    copy = folder / "page.md"
    copy.write_text(page, encoding="utf-8")
    problems = run("nvm literate --check page.md", folder, environment)[0]
    if problems:
        problems += run("nvm literate page.md", folder, environment)[0]
    return problems, copy.read_text(encoding="utf-8")


def neither_run_nor_excused(text):
    """First lines of the blocks that show something that nobody runs, without saying why."""
    text = GENERATED.sub("", text)
    out = []
    literate = is_literate(text)
    last_run = max((m.start() for m in BLOCK.finditer(text) if m.group(2) == "console"), default=-1)
    for block in BLOCK.finditer(text):
        _, kind, name, body = block.groups()
        used = kind == "console" or (name is not None and block.start() < last_run) or (literate and kind in ("nesl", "output"))
        if not used and not EXCUSE.search(text[:block.start()]):
            out.append(f"```{kind} {body.partition(chr(10))[0]}")
    return out + [a or b for a, b in INDENTED.findall(BLOCK.sub("", text))]


def check_document(path, nvm, root):
    """What is wrong, the number of commands that ran, and the document as it should be."""
    problems, counts = [], [0]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        environment = prepare(folder, nvm, root)

        def visit(block):
            fence, kind, name, text = block.groups()
            if kind != "console":
                if name:
                    (folder / name).write_text(text, encoding="utf-8")
                return block.group(0)
            lines = []
            if "$DIR" in text and "DIR" not in environment:
                environment.update(install(nvm.parent, folder / ".prefix"))
            for command, expected, printed, good, shown in run_block(text, name == "measured", folder, environment):
                counts[0] += 1
                lines += ["$ " + command] + shown
                if not good:
                    problems.append(f"{path}: $ {command}")
                    problems.extend(difflib.unified_diff(expected, printed, "document", "printed", lineterm=""))
            return f"{fence}{' '.join(filter(None, (kind, name)))}\n" + "".join(line + "\n" for line in lines) + fence

        page = path.read_text(encoding="utf-8")
        fresh = BLOCK.sub(visit, page)
        if is_literate(page):
            counts[0] += 1
            stale, fresh = literate(fresh, folder, environment)
            problems += [f"{path}: {line}" for line in stale]
        problems += [f"{path}: neither run nor excused: {line}" for line in neither_run_nor_excused(page)]
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
