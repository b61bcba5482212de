#!/usr/bin/env python3
"""Tests the editors' files: that they are fresh, and what the grammars call the words of some lines.

The TextMate grammars are applied by a small matcher for what they use (match, begin and end, captures); the Vim syntax by
Vim, where there is one that has syntax highlighting.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EDITORS = ROOT / "docs/editors"

# Text, and of words in it: scope (its first parts) and Vim group.
NESL = """#!/usr/bin/env -S nvm run
% twice
  sum %
function norm2(v, intx) = sqrt(sum({x * x : x in v | x >= -1.5e3}));
"a\\"sum" ++ [`", `a];
function f(b) : bool -> int :: (a in number) = if t and b then 1 else iff;
"""
NESL_WORDS = [
    (1, "nvm", "comment", "neslComment"), (2, "twice", "comment", "neslComment"), (3, "sum", "comment", "neslComment"),
    (4, "function", "keyword.control", "neslStatement"), (4, "norm2", "entity.name.function", None),
    (4, "intx", None, None), (4, "sqrt", "support.function", "neslBuiltin"), (4, "in v", "keyword.control", "neslStatement"),
    (4, "1.5e3", "constant.numeric", "neslNumber"), (4, ">=", "keyword.operator", None),
    (5, "a\\", "string", "neslString"), (5, "sum", "string", "neslString"), (5, "++", "keyword.operator", None),
    (5, "`\"", "constant.character", "neslCharacter"), (5, "`a", "constant.character", "neslCharacter"),
    (6, "bool", "storage.type", "neslType"), (6, "number", "support.type", None), (6, "t and", "constant.language", "neslBoolean"),
    (6, "and", "keyword.operator.word", "neslOperator"), (6, "iff", None, None),
]
REMORA = """#| fold
reduce |#
(define (dot{ | d} [x [float d]] [@y-1 int]) ; sum
  (reduce/zero +. 0.5 (array [2] -1.5e3 -.5)))
(let [word "a\\"sum"] (if #t #\\space reduced))
(Sigma (d @s) [char d @s])
"""
REMORA_WORDS = [
    (1, "fold", "comment", "remoraComment"), (2, "reduce", "comment", "remoraComment"),
    (3, "define", "keyword.control", "remoraForm"), (3, "dot", "entity.name.function", None),
    (3, "float", "storage.type", "remoraType"), (3, "sum", "comment", "remoraComment"), (3, "@y", "variable.parameter", None),
    (4, "reduce/zero", "support.function", "remoraBuiltin"), (4, "+.", "support.function", "remoraBuiltin"),
    (4, "0.5", "constant.numeric", "remoraNumber"), (4, "array", "keyword.control", "remoraForm"),
    (4, "-1.5e3", "constant.numeric", "remoraNumber"), (4, "-.5", "constant.numeric", "remoraNumber"),
    (5, "let", "keyword.control", "remoraForm"), (5, "word", None, None), (5, "sum", "string", "remoraString"),
    (5, "if", "keyword.control", "remoraForm"), (5, "#t", "constant.language", "remoraBoolean"),
    (5, "#\\space", "constant.character", "remoraCharacter"), (5, "reduced", None, None),
    (6, "Sigma", "storage.type", "remoraType"), (6, "char", "storage.type", "remoraType"),
]
VCODE = """FUNC +_SUMS_1 {sum of
CONST}
CONST INT (1 -2 12a) +_REDUCE INT
CALL +_REDUCE
CONST CHAR "RET" CONST FLOAT 1.5e-3
if CONST BOOL T else + INT ENDIF RET
"""
VCODE_WORDS = [
    (1, "FUNC", "keyword.control", "vcodeStatementWord"), (1, "+_SUMS_1", "entity.name.function", "vcodeName"),
    (1, "sum", "comment", "vcodeComment"), (2, "CONST", "comment", "vcodeComment"),
    (3, "CONST", "support.function", "vcodeInstruction"), (3, "INT", "storage.type", "vcodeType"),
    (3, "-2", "constant.numeric", "vcodeNumber"), (3, "12a", None, None),
    (3, "+_REDUCE", "support.function", "vcodeInstruction"), (4, "+_REDUCE", "entity.name.function", "vcodeName"),
    (5, "RET", "string", "vcodeString"), (5, "1.5e-3", "constant.numeric", "vcodeNumber"),
    (6, "if", "keyword.control", "vcodeStatement"), (6, "T else", "constant.language", "vcodeConstant"),
    (6, "+", "support.function", "vcodeInstruction"), (6, "RET", "keyword.control", "vcodeStatement"),
]


LANGUAGES = (("nesl", NESL, NESL_WORDS), ("remora", REMORA, REMORA_WORDS), ("vcode", VCODE, VCODE_WORDS))


def scopes(grammar, text):
    """For each character of the text the innermost name, line by line."""
    lines, inside = [], None
    for line in text.splitlines():
        names, at = [None] * len(line), 0
        while at < len(line):
            rules = grammar["patterns"] if inside is None else inside.get("patterns", [])
            found = [(m.start(), n, rule, m) for n, rule in enumerate(rules)
                     if (m := re.compile(rule.get("match") or rule["begin"]).search(line, at))]
            if inside is not None and (end := re.compile(inside["end"]).search(line, at)):
                found.append((end.start(), -1, None, end))
            if not found:
                if inside is not None:
                    names[at:] = [inside["name"]] * (len(line) - at)
                break
            start, _, rule, m = min(found, key=lambda f: f[:2])
            if inside is not None:
                names[at:start] = [inside["name"]] * (start - at)
            name = inside["name"] if rule is None else rule.get("name")
            names[start:m.end()] = [name] * (m.end() - start)
            for group, capture in (rule or {}).get("captures", {}).items():
                names[m.start(int(group)):m.end(int(group))] = [capture["name"]] * len(m.group(int(group)))
            if rule is None:
                inside = None
            elif "begin" in rule:
                inside = rule
            at = max(m.end(), at + (m.end() == at))
        lines.append(names)
    return lines


def vim_groups(language, text, places):
    """What Vim calls the characters at (line, column)."""
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder, f"a.{language}"), pathlib.Path(folder, "out")
        source.write_text(text, encoding="utf-8")
        script = pathlib.Path(folder, "script.vim")
        script.write_text("\n".join(
            [f"set rtp^={EDITORS}/vim", "filetype plugin on", "syntax on", f"edit {source}", "let g:o = []",
             *[f"call add(g:o, synIDattr(synID({line}, {column}, 1), 'name'))" for line, column in places],
             "call add(g:o, &makeprg)", f"call writefile(g:o, '{out}')", "qa!"]), encoding="utf-8")
        subprocess.run(["vim", "-N", "-u", "NONE", "-es", "-S", script], stdin=subprocess.DEVNULL, timeout=60,
                       capture_output=True, check=False)
        return out.read_text(encoding="utf-8").splitlines()


def has_vim():
    if shutil.which("vim") is None:
        return False
    about = subprocess.run(["vim", "--version"], capture_output=True, text=True, check=False).stdout
    return "+syntax" in about and "+eval" in about


class Editors(unittest.TestCase):
    def test_fresh(self):
        done = subprocess.run([EDITORS / "generate.py", "--check"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_grammars(self):
        for language, text, words in LANGUAGES:
            path = EDITORS / f"vscode/syntaxes/{language}.tmLanguage.json"
            lines = scopes(json.loads(path.read_text(encoding="utf-8")), text)
            for line, word, scope, _ in words:
                column = text.splitlines()[line - 1].index(word)
                found = lines[line - 1][column]
                with self.subTest(language=language, line=line, word=word):
                    self.assertEqual(found if scope is None else (found or "")[:len(scope)], scope)

    def test_extension(self):
        """All that package.json names is there and is JSON."""
        package = json.loads((EDITORS / "vscode/package.json").read_text(encoding="utf-8"))["contributes"]
        for path in [g["path"] for g in package["grammars"]] + [l["configuration"] for l in package["languages"]]:
            json.loads((EDITORS / "vscode" / path).read_text(encoding="utf-8"))
        pattern = package["problemMatchers"][0]["pattern"]["regexp"]
        self.assertEqual(re.match(pattern, "a.nesl:2:13: error: no").groups(), ("a.nesl", "2", "13", "error", "no"))
        self.assertEqual(re.match(pattern, "a.remora:2:13: error[frame]: no").groups(),
                         ("a.remora", "2", "13", "error", "no"))

    def test_scripts(self):
        """A program without a suffix is known by its first line, whichever name of the command that has."""
        grammar = json.loads((EDITORS / "vscode/syntaxes/nesl.tmLanguage.json").read_text(encoding="utf-8"))
        package = json.loads((EDITORS / "vscode/package.json").read_text(encoding="utf-8"))["contributes"]
        first = [l["firstLine"] for l in package["languages"] if "firstLine" in l] + [grammar["firstLineMatch"]]
        detect = (EDITORS / "vim/ftdetect/nesl.vim").read_text(encoding="utf-8")
        vim = re.search("'(.*)'", detect).group(1).replace(r"\(", "(").replace(r"\)", ")").replace(r"\=", "?")
        first.append(vim.replace(r"\<", r"\b").replace(r"\>", r"\b"))
        for pattern in first:
            for line, known in (("#!/usr/bin/env -S neslvm run", True), ("#!/usr/bin/env -S nvm run", True),
                                ("#!/bin/sh", False), ("#!/usr/bin/lvm run", False)):
                with self.subTest(pattern=pattern, line=line):
                    self.assertEqual(re.search(pattern, line) is not None, known)

    @unittest.skipUnless(has_vim(), "no vim with syntax highlighting")
    def test_vim(self):
        for language, text, words in LANGUAGES:
            places = [(line, text.splitlines()[line - 1].index(word) + 1) for line, word, _, _ in words]
            *groups, make = vim_groups(language, text, places)
            self.assertEqual(make, "neslvm check %:S")
            for (line, word, _, group), found in zip(words, groups, strict=True):
                with self.subTest(language=language, line=line, word=word):
                    self.assertEqual(found, group or "")


if __name__ == "__main__":
    sys.exit(unittest.main())
