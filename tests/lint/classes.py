#!/usr/bin/env python3
"""Counts the functions of each class, public and private, in bytecode, frontend, gpu and vm. A class has at most 30:
what has more is several classes. Those that have more stand in classes.txt, "count class file"; their counts may only
fall.

    classes.py ROOT            check
    classes.py ROOT --record   write the present counts down, unless one has risen
"""

import pathlib
import re
import sys

OURS = ("bytecode", "frontend", "gpu", "vm")
SOURCES = {".h", ".hpp", ".cpp", ".cc"}
MOST = 30
LIST = "tests/lint/classes.txt"

CLASS = re.compile(r"\b(?:class|struct)\s+(?:alignas\([^)]*\)\s*)?(\w+(?:::\w+)*)\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{")
WORD = re.compile(r"(~?\w+|operator\s*\S+?)\s*\($")


def blank(text):
    """Without comments, strings, preprocessor lines."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', '""', text, flags=re.S)
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', " ", text, flags=re.S)
    return re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def closing(text, begin):
    """Where the brace that is open at `begin` is closed."""
    depth = 0
    for at in range(begin, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if depth == 0:
            return at
    return len(text)


def members(body):
    """What stands in the body of a class, one text each, without what is in braces."""
    member, at = "", 0
    while at < len(body):
        c = body[at]
        if c == "{":
            at = closing(body, at)
            rest = body[at + 1 :].lstrip()
            if rest[:1] not in (";", ",", "{"):  # not of an initialiser
                yield member
                member = ""
        elif c == ";":
            yield member
            member = ""
        else:
            member += c
        at += 1


def is_function(member):
    member = re.sub(r"\b(public|private|protected)\s*:(?!:)|\[\[[^\]]*\]\]|\balignas\([^)]*\)", " ", member).strip()
    while re.search(r"<[^<>()]*(\([^<>()]*\)[^<>()]*)*>", member):
        member = re.sub(r"<[^<>()]*(\([^<>()]*\)[^<>()]*)*>", " ", member)
    if re.match(r"(using|friend|enum|class|struct|union|static_assert|typedef)\b", member):
        return False
    head = member.split("(", 1)
    if len(head) == 1 or ("=" in head[0] and "operator" not in head[0]) or head[1].lstrip().startswith("*"):
        return False
    if re.search(r"=\s*(default|delete)\s*$", member):
        return False
    return WORD.search(head[0] + "(") is not None


def classes(text):
    """Name and number of functions of each class; a nested one counts for itself."""
    text = blank(text)
    for match in CLASS.finditer(text):
        begin = match.end() - 1
        body = text[begin + 1 : closing(text, begin)]
        yield match.group(1).split("::")[-1], sum(is_function(m) for m in members(body))


def large(root):
    found = {}
    for top in OURS:
        for path in sorted((root / top).rglob("*")):
            if path.suffix not in SOURCES or not path.is_file():
                continue
            for name, count in classes(path.read_text(encoding="utf-8")):
                if count > MOST:
                    found[(name, str(path.relative_to(root)))] = count
    return found


def recorded(root):
    lines = (root / LIST).read_text(encoding="utf-8").splitlines() if (root / LIST).exists() else []
    return {(name, file): int(count) for count, name, file in (line.split() for line in lines)}


def check(root):
    """What is wrong, one line each."""
    root = pathlib.Path(root)
    before = recorded(root)
    return [f"{file}: {name} has {count} functions, {before.get((name, file), MOST)} at most"
            for (name, file), count in large(root).items() if count > before.get((name, file), MOST)]


def main(root, *options):
    problems = check(root)
    if "--record" in options and not problems:
        rows = sorted((-count, name, file) for (name, file), count in large(pathlib.Path(root)).items())
        (pathlib.Path(root) / LIST).write_text("".join(f"{-count} {name} {file}\n" for count, name, file in rows))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
