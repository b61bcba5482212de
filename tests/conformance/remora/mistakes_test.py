#!/usr/bin/env python3
"""Programs with one wrong token: each message has a kind and a place in the program, and nothing crashes.

    mistakes_test.py NVM

Tokens of the gallery and of the conformance programs are left out, doubled, exchanged for another one of the
same file, or misspelt. Most programs are wrong then; a thousand wrong ones are looked at.
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent
GALLERY = FOLDER.parent.parent.parent / "programs" / "remora"
WANTED = 1000
TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|#\\(?:[a-z]+|.)|;[^\n]*|#\|.*?\|#|[()\[\]{}|]|[^\s()\[\]{}|";]+', re.S)
MESSAGE = re.compile(r"^(.*\.remora):(\d+):(\d+): error\[([a-z-]+)\]: .+")
KINDS = set(
    "syntax unbound-variable unbound-type unbound-index duplicate sort kind element-count element-type not-an-atom "
    "not-a-function arity not-polymorphic argument-type cell-shape frame ambiguous annotation condition branches "
    "not-a-box box-type escape not-a-record field reshape".split()
)


def tokens(text):
    return [m for m in TOKEN.finditer(text) if m[0][0] != ";" and not m[0].startswith("#|")]


def mistake(text, draw):
    """The text with one token changed."""
    found = tokens(text)
    token = draw.choice(found)
    kind = draw.randrange(4)
    other = draw.choice(found)[0]
    word = {0: "", 1: f"{token[0]} {token[0]}", 2: other, 3: f"{token[0]}x"}[kind]
    return text[: token.start()] + word + text[token.end() :]


def complaint(text, run):
    """What is wrong with the answer; nothing if it is as it should be."""
    if run.returncode == 0:
        return "" if not run.stderr else "messages, and exit status 0"
    if run.returncode != 2:
        return f"exit status {run.returncode}"
    lines = text.split("\n")
    places = 0
    for line in run.stderr.splitlines():
        if line.startswith("  "):
            continue
        message = MESSAGE.match(line)
        if message is None:
            return f"a message without place or kind: {line}"
        row, column = int(message[2]), int(message[3])
        if message[4] not in KINDS:
            return f"no kind of the language: {message[4]}"
        if not (1 <= row <= len(lines) and 1 <= column <= len(lines[row - 1]) + 1):
            return f"{row}:{column} is not in the program"
        places += 1
    return "" if places > 0 else "no message"


def main():
    nvm = pathlib.Path(sys.argv[1]).resolve()
    programs = sorted(GALLERY.glob("*.remora"))
    programs += [p for p in sorted(FOLDER.glob("*.remora")) if p.with_suffix(".out").exists()]
    texts = [p.read_text(encoding="utf-8") for p in programs]
    draw = random.Random(30)
    wrong, tried, failed = 0, 0, 0
    kinds = set()
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mistake.remora"
        while wrong < WANTED and tried < 4 * WANTED:
            tried += 1
            # The gallery every other time: it is what users copy from.
            text = mistake(draw.choice(texts[:12] if tried % 2 else texts), draw)
            path.write_text(text, encoding="utf-8")
            run = subprocess.run([nvm, "check", path.name], cwd=folder, capture_output=True, text=True, check=False,
                                 stdin=subprocess.DEVNULL, timeout=60)
            wrong += run.returncode != 0
            kinds.update(m[4] for m in map(MESSAGE.match, run.stderr.splitlines()) if m)
            if why := complaint(text, run):
                failed += 1
                print(f"---- {why}\n{text}\n{run.stderr}")
    print(f"{tried} programs, {wrong} of them wrong, {failed} badly answered; kinds: {' '.join(sorted(kinds))}")
    assert wrong == WANTED and len(kinds) > 12
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
