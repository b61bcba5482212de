#!/usr/bin/env python3
"""Makes the site of the documents: one folder of HTML with a search, which needs no server.

    build.py FOLDER

Needs mkdocs (Debian: mkdocs). The documents keep their places relative to each other, and the files they link to come
along, so that every link that works in a clone works on the site; one that does not is an error.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
CODE = re.compile(r"(`+)[^`].*?\1")
FENCED = re.compile(r"^```.*?^```$", re.S | re.M)


def documents():
    yield from (ROOT / "docs").rglob("*.md")
    yield ROOT / "programs/README.md"
    yield from ROOT.glob("*.md")


def linked(path):
    """What a document links to in this tree: files, and for a folder its README."""
    for link in LINK.findall(FENCED.sub("", path.read_text(encoding="utf-8"))):
        target = (path.parent / link).resolve()
        if "://" not in link and target.is_file():
            yield target


def as_page(text):
    """Links to folders go to their README, which is what a site shows there. Behind a block's language nothing may stand, and it
    begins behind an empty line. In code of a table a bar needs no backslash, which would be shown."""
    text = re.sub(r"^\|.*", lambda row: CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), text, flags=re.M)
    text = re.sub(r"\]\(((?:\.\./)*[\w./-]*)/\)", r"](\1/README.md)", text)
    return re.sub(r"\n*^(````?)(\w*)[^\n]*\n(.*?)^\1\n", r"\n\n\1\2\n\3\1\n\n", text, flags=re.S | re.M)


def unformatted(site):
    """Pages that show the marks of a block or of a table."""
    for page in sorted(site.rglob("*.html")):
        whole = page.read_text(encoding="utf-8")
        text = re.sub(r"<(code|script)\b.*?</\1>", "", whole, flags=re.S)
        if "```" in text or re.search(r"^\|.*\|$", text, re.M) or re.search(r"<td.*\\\|", whole):
            yield page


def stage(source):
    files = {d for d in documents()}
    files |= {target for d in files for target in linked(d)}
    for file in sorted(files):
        to = source / file.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        if file.suffix == ".md":
            to.write_text(as_page(file.read_text(encoding="utf-8")), encoding="utf-8")
        else:
            shutil.copyfile(file, to)


def colours():
    """A script that colours blocks of code by the grammars that editors use, as the playground does."""
    grammars = {language: json.loads((ROOT / f"docs/editors/vscode/syntaxes/{language}.tmLanguage.json").read_text(encoding="utf-8"))
                for language in ("nesl", "remora", "vcode")}
    parts = [(ROOT / "vm/serve/page/highlight.js").read_text(encoding="utf-8"), f"const grammars = {json.dumps(grammars)};",
             pathlib.Path(__file__).with_name("colours.js").read_text(encoding="utf-8").replace("'use strict';\n", "")]
    return "\n".join(parts)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    if shutil.which("mkdocs") is None:
        print("mkdocs is not installed", file=sys.stderr)
        return 77
    out = pathlib.Path(sys.argv[1]).resolve()
    shutil.rmtree(out / "source", ignore_errors=True)
    stage(out / "source")
    shutil.copyfile(pathlib.Path(__file__).with_name("mkdocs.yml"), out / "mkdocs.yml")
    shutil.copyfile(pathlib.Path(__file__).with_name("site.css"), out / "source/site.css")
    (out / "source/colours.js").write_text(colours(), encoding="utf-8")
    status = subprocess.run(["mkdocs", "build", "--quiet", "--strict", "--clean"], cwd=out, check=False).returncode
    bad = list(unformatted(out / "site"))
    for page in bad:
        print(f"{page}: a block or a table is not shown as one", file=sys.stderr)
    return status or (1 if bad else 0)


if __name__ == "__main__":
    sys.exit(main())
