#!/usr/bin/env python3
"""Writes what editors must know of the languages' names: the TextMate grammars whole, and the lists in the Vim files.

Built-in names come from docs/builtins.md and, of Remora, frontend/remora/library.def, instructions from
bytecode/table/ops.def, the version of the VS Code extension from CMakeLists.txt.

    generate.py            write
    generate.py --check    say what is stale; status 1 if anything is
"""

import argparse
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CONTROL = "if then else let in function datatype import time".split()
WORD_OPERATORS = "and or xor nand nor".split()
TYPES = "int float bool char".split()
CLASSES = "any number ordinal logical".split()
VCODE_CONTROL = "FUNC RET CALL IF ELSE ENDIF".split()
VCODE_TYPES = "INT FLOAT BOOL CHAR SEGDES".split()
REMORA_FORMS = ("array box boxes def define define-index define-type field fn frame i-app i-fn iλ Iλ if lambda let lift over "
                "reify-dimension reify-shape reshape set t-app t-fn tλ Tλ unbox view λ").split()
REMORA_TYPES = "-> → Arr A Forall ∀ Pi Π Sigma Σ bool char float int".split()
REMORA_INDICES = "++ prod shape".split()
STREAMS = "STDIN STDOUT STDERR NULL_STREAM".split()


def builtins():
    """Built-in names of NESL that are words, without those that are keywords."""
    text = (ROOT / "docs/builtins.md").read_text(encoding="utf-8")
    names = set(re.findall(r"^\| `([a-z_][a-z0-9_]*)", text, re.M | re.I))
    return sorted(names - set(CONTROL + WORD_OPERATORS + TYPES))


def instructions():
    """Words of VCODE's instructions, longest first, so that one is not taken for the beginning of another."""
    text = (ROOT / "bytecode/table/ops.def").read_text(encoding="utf-8")
    words = set(re.findall(r'^OP\(k\w+,\s*"([^"]+)"', text, re.M))
    return sorted(words - set(VCODE_CONTROL), key=lambda w: (-len(w), w))


def library():
    """Names of Remora's library, longest first."""
    text = (ROOT / "frontend/remora/library.def").read_text(encoding="utf-8")
    names = set(re.findall(r'^LIBRARY\(k\w+, "([^"]+)"|^SYNONYM\("([^"]+)"', text, re.M))
    return sorted({a or b for a, b in names}, key=lambda w: (-len(w), w))


def package():
    """The description of the VS Code extension, with this version."""
    version = re.search(r"project\(nvm VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    old = (HERE / "vscode/package.json").read_text(encoding="utf-8")
    return re.sub(r'("version": )"[^"]*"', rf'\1"{version}"', old)


def words(names):
    return r"(?i)(?<![A-Za-z0-9_])(?:" + "|".join(names) + r")(?![A-Za-z0-9_])"


def nesl_grammar():
    def rule(name, match):
        return {"name": f"{name}.nesl", "match": match}

    return {
        "name": "NESL",
        "scopeName": "source.nesl",
        "fileTypes": ["nesl"],
        "firstLineMatch": r"^#!.*\bn(esl)?vm\b",
        "patterns": [
            rule("comment.line.shebang", r"^#!.*$"),
            {"name": "comment.block.nesl", "begin": "%", "end": "%"},
            {"name": "string.quoted.double.nesl", "begin": '"', "end": '"',
             "patterns": [rule("constant.character.escape", r"\\.")]},
            rule("constant.character", r"`."),
            {"match": r"(?i)(?<![A-Za-z0-9_])(function|datatype)\s+([A-Za-z_][A-Za-z0-9_]*)",
             "captures": {"1": {"name": "keyword.control.nesl"}, "2": {"name": "entity.name.function.nesl"}}},
            rule("keyword.control", words(CONTROL)),
            rule("keyword.operator.word", words(WORD_OPERATORS)),
            rule("constant.language", words(["t", "f"])),
            rule("storage.type", words(TYPES)),
            rule("support.type", r"(?i)(?<=\sin )(?:" + "|".join(CLASSES) + r")(?=\s*[;)])"),
            rule("support.function", words(builtins())),
            rule("constant.numeric", r"(?<![A-Za-z0-9_])(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"),
            rule("keyword.operator", r"\+\+|->|<-|\|\||==|/=|<=|>=|=>|::|&=|\|=|:=|[-+*/^#@<>=|]"),
            rule("punctuation.terminator", r"[;$]"),
        ],
    }


def remora_grammar():
    def rule(name, match):
        return {"name": f"{name}.remora", "match": match}

    begins, ends = r"(?<![^\s()\[\]{}|])", r"(?=[\s()\[\]{}|;\"]|$)"

    def alone(names):
        return begins + "(?:" + "|".join(map(re.escape, names)) + ")" + ends

    return {
        "name": "Remora",
        "scopeName": "source.remora",
        "fileTypes": ["remora"],
        "patterns": [
            rule("comment.line", r";.*$"),
            {"name": "comment.block.remora", "begin": r"#\|", "end": r"\|#"},
            {"name": "string.quoted.double.remora", "begin": '"', "end": '"',
             "patterns": [rule("constant.character.escape", r"\\.")]},
            rule("constant.character", r"#\\(?:space|newline|tab|nul|x[0-9a-fA-F]+|.)"),
            {"match": r"(?<=\()(define|def)\s+\(?([^\s()\[\]{}|;\"]+)",
             "captures": {"1": {"name": "keyword.control.remora"}, "2": {"name": "entity.name.function.remora"}}},
            rule("keyword.control", r"(?<=\()(?:" + "|".join(map(re.escape, REMORA_FORMS)) + ")" + ends),
            rule("constant.numeric", begins + r"-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?" + ends),
            rule("constant.language", begins + r"#(?:t|f|true|false)" + ends),
            rule("storage.type", alone(REMORA_TYPES)),
            rule("keyword.operator.index", r"(?<=\()(?:" + "|".join(map(re.escape, REMORA_INDICES)) + ")" + ends),
            rule("variable.parameter", begins + r"@[^\s()\[\]{}|;\"]+"),
            rule("support.function", alone(library())),
        ],
    }


def vcode_grammar():
    def alone(names):
        return r"(?i)(?<!\S)(?:" + "|".join(map(re.escape, names)) + r")(?=[\s(\"{]|$)"

    def rule(name, match):
        return {"name": f"{name}.vcode", "match": match}

    return {
        "name": "VCODE",
        "scopeName": "source.vcode",
        "fileTypes": ["vcode"],
        "patterns": [
            {"name": "comment.block.vcode", "begin": r"\{", "end": r"\}"},
            {"name": "string.quoted.double.vcode", "begin": '"', "end": '"',
             "patterns": [rule("constant.character.escape", r"\\.")]},
            {"match": r"(?i)(?<!\S)(FUNC|CALL)\s+(\S+)",
             "captures": {"1": {"name": "keyword.control.vcode"}, "2": {"name": "entity.name.function.vcode"}}},
            rule("keyword.control", alone(VCODE_CONTROL)),
            rule("support.function", alone(instructions())),
            rule("storage.type", alone(VCODE_TYPES)),
            rule("constant.language", r"(?i)(?<![^\s(])(?:T|F|" + "|".join(STREAMS) + r")(?=[\s)]|$)"),
            rule("constant.numeric", r"(?<![^\s(])[-+]?\d+(?:\.\d*(?:[eE][-+]?\d+)?)?(?=[\s)]|$)"),
        ],
    }


def vim_list(group, names, width=110):
    """`syn keyword GROUP NAME ...`, over as many lines as needed."""
    lines, line = [], f"syn keyword {group}"
    for name in names:
        if len(line) + len(name) >= width:
            lines.append(line)
            line = f"syn keyword {group}"
        line += " " + name
    return "\n".join([*lines, line]) + "\n"


def with_list(path, text):
    """The Vim file with `text` between its marks."""
    old = path.read_text(encoding="utf-8")
    return re.sub(r'(" generated\n).*?(" end\n)', lambda m: m.group(1) + text + m.group(2), old, flags=re.S)


def outputs():
    syntaxes, vim = HERE / "vscode/syntaxes", HERE / "vim/syntax"
    plain = [w for w in instructions() if re.fullmatch(r"[A-Z_]+", w)]
    special = [re.sub(r"([*~.\\/^$\[\]])", r"\\\1", w) for w in instructions() if w not in plain]
    odd = "".join(f'syn match vcodeInstruction "\\%(^\\|\\s\\)\\zs{w}\\ze\\%([[:space:](]\\|$\\)"\n'
                  for w in reversed(special))
    return {
        HERE / "vscode/package.json": package(),
        syntaxes / "nesl.tmLanguage.json": json.dumps(nesl_grammar(), indent=2) + "\n",
        syntaxes / "remora.tmLanguage.json": json.dumps(remora_grammar(), indent=2, ensure_ascii=False) + "\n",
        syntaxes / "vcode.tmLanguage.json": json.dumps(vcode_grammar(), indent=2) + "\n",
        vim / "nesl.vim": with_list(vim / "nesl.vim", vim_list("neslBuiltin", builtins())),
        vim / "remora.vim": with_list(vim / "remora.vim", vim_list("remoraBuiltin", sorted(library()))),
        vim / "vcode.vim": with_list(vim / "vcode.vim", vim_list("vcodeInstruction", sorted(plain)) + odd),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = 0
    for path, text in outputs().items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{path}: {'stale' if options.check else 'written'}")
        if not options.check:
            path.write_text(text, encoding="utf-8")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
