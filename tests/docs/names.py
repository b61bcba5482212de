#!/usr/bin/env python3
"""Opens every file that a document names: the targets of links, relative to the document, and words in backquotes that
begin with one of the top folders, relative to the root. `{a,b}` and `*` in such a word are expanded. A link to a section
finds its heading.

    names.py --root ROOT DOCUMENT ...
"""

import argparse
import pathlib
import re
import sys

FOLDERS = "bytecode frontend gpu vm tests programs docs cmake .ci".split()
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)
WORD = re.compile(r"`((?:" + "|".join(map(re.escape, FOLDERS)) + r")/[^`\s]*)`")
FENCED = re.compile(r"^```.*?^```$", re.S | re.M)


def expanded(word):
    """The words that {a,b} stands for."""
    choice = re.search(r"\{([^{}]*)\}", word)
    if choice is None:
        return [word]
    return [w for part in choice.group(1).split(",")
            for w in expanded(word[:choice.start()] + part + word[choice.end():])]


def exists(root, name):
    return any(True for _ in root.glob(name)) if "*" in name else (root / name).exists()


def sections(path):
    """What links to the headings of a document end in."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in HEADING.findall(text)}


def dead(path, link, section):
    """Whether a link of a document leads nowhere."""
    target = path.parent / link if link else path
    return not target.exists() or bool(section) and target.suffix == ".md" and section not in sections(target)


def missing(path, root):
    """The names in a document behind which there is nothing."""
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    out = [link + (section and "#" + section) for link, section in LINK.findall(text)
           if "://" not in link and dead(path, link, section)]
    for word in WORD.findall(text):
        if re.search(r"FILE|NAME|[<>|]", word) is None:  # those are patterns of names
            out += [name for name in expanded(word) if not exists(root, name)]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("documents", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    problems = [f"{d}: there is no {name}" for d in options.documents for name in missing(d, options.root)]
    print("\n".join(problems + [f"{len(options.documents)} documents, {len(problems)} names without a file"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
