#!/usr/bin/env python3
"""Checks that files are opened and processes started only where the list below says why that is no program's doing.

What the text of a program asks for goes through vm/interp/gate.h (see vm/interp/ways_out.def). A call anywhere else
fails; so does a line of the list that nothing needs any more.

    outside.py [ROOT]
"""

import pathlib
import re
import sys

OURS = ("bytecode", "frontend", "gpu", "vm")
SOURCES = {".h", ".hpp", ".cpp", ".cc"}

CALL = re.compile(
    r"(?<![\w.>])(?:::|std::)?(?:fopen|fopen64|freopen|open64|openat|creat|popen|system|posix_spawnp?|exec[lv]p?e?|fexecve|"
    r"mkstemps?|mkostemps?|mkdtemp|tmpfile|dlopen|socket|syscall)\s*\("
    r"|(?<![\w:])::(?:open|v?fork|clone)\s*\("
    r"|std::(?:basic_)?[io]?f(?:stream|ilebuf)\b(?!\s*[&*>])"
    r"|\bcreate_in_place\s*\(|\bread_all\s*\(|\b(?:InFile|OutFile)\s+\w+\s*\(|make_unique<OutFile>|(?:, |: |  )(?:file|out)_?\([\w.]+, OutFile::"
    r"|\b(?:remove_all|create_director(?:y|ies)|copy_file|create_(?:directory_)?(?:symlink|hard_link)|resize_file)\s*\(")

ALLOWED = {
    "bytecode/base/out_file.cpp": "how files are written, by those below",
    "bytecode/base/out_file.h": "the same",
    "bytecode/base/read_file.cpp": "how files are read, by those below",
    "bytecode/base/read_file.h": "the same",
    "bytecode/base/disk_cache.cpp": "nvm's own cache",
    "bytecode/base/library.cpp": "the driver of a GPU, the libraries of formats of files",
    "vm/cmd/checkpoint.cpp": "the files of the command line: what is in them; that of a checkpoint, can it be written",
    "vm/cmd/bench.cpp": "nvm-bench, which stands beside nvm",
    "vm/cmd/fmt.cpp": "the files of the command line",
    "vm/cmd/history.cpp": "what was typed at the prompt",
    "vm/cmd/literate.cpp": "the files of the command line and the pictures beside them; /dev/null",
    "vm/cmd/machine.cpp": "files of options",
    "vm/cmd/language.cpp": "the file of the command line: is it a script",
    "vm/cmd/launched.cpp": "/dev/null",
    "vm/cmd/rank_files.cpp": "what files of the command line begin with, on each rank",
    "vm/cmd/run.cpp": "/dev/null, for tune",
    "vm/cpu/code_memory.cpp": "--perf map",
    "vm/cpu/jit_dump.cpp": "--perf dump",
    "vm/interp/beneath.cpp": "the gate's",
    "vm/interp/gate.cpp": "the gate",
    "vm/interp/spawn.cpp": "the gate's",
    "vm/interp/world.cpp": "the file of the command line",
    "vm/lib/confine.cpp": "the walls of the kernel",
    "vm/lib/files.cpp": "--in; what is in memory, as a file",
    "vm/lib/files.h": "the same",
    "vm/lib/memory.cpp": "the machine's memory",
    "vm/lib/trace.cpp": "--trace",
    "vm/serve/child.cpp": "nvm run --untrusted, for the playground",
    "vm/profile/machine_limits.cpp": "the machine's speed, measured once",
}


def code(text):
    """Without comments and the insides of strings, lines kept."""
    keep_lines = lambda m: "\n" * m.group().count("\n")
    text = re.sub(r"/\*.*?\*/|//[^\n]*", keep_lines, text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def check(root, allowed=None):
    """What is wrong, one line each."""
    root = pathlib.Path(root)
    allowed = ALLOWED if allowed is None else allowed
    wrong, used = [], set()
    for path in [p for top in OURS for p in sorted((root / top).rglob("*")) if p.suffix in SOURCES and p.is_file()]:
        where = path.relative_to(root).as_posix()
        for number, line in enumerate(code(path.read_text(encoding="utf-8", errors="replace")).splitlines(), 1):
            if not CALL.search(line):
                continue
            used.add(where)
            if where not in allowed:
                wrong.append(f"{where}:{number}: opens files or starts processes: {line.strip()}\n"
                             "  what a program asks for goes through vm/interp/gate.h; if it is none's doing, say so in tests/lint/outside.py")
    return wrong + [f"{where}: allowed in tests/lint/outside.py, but nothing there needs it" for where in sorted(set(allowed) - used)]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    wrong = check(root)
    print("\n".join(wrong + [f"{len(wrong)} ways around the gate"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
