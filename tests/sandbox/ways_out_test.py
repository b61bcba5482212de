#!/usr/bin/env python3
"""Goes through the table of all ways out (vm/interp/ways_out.def) in every command: nothing leaves without --allow.

    ways_out_test.py NVM ROOT
"""

import importlib.util
import pathlib
import re
import subprocess

from common import ROOT, SECRET, Place, expect, finish

OPEN = 'FUNC MAIN\nCONST CHAR "%s" CONST INT %d FOPEN POP 2 0\nCONST CHAR "x" COPY 1 1 FWRITE CHAR POP 2 0 FCLOSE POP 2 0\nCONST INT 1\nRET\n'
READ = 'FUNC MAIN\nCONST CHAR "@SECRET" CONST INT 1 FOPEN POP 2 0\nCONST CHAR "" CONST INT -1 CPOP 1 2 FREAD_CHAR POP 3 0\nRET\n'
RUN = 'FUNC MAIN\nCONST CHAR "touch @MARKER" CONST INT -1 CONST INT -1 CONST INT -1 SPAWN POP 2 0\nCOPY 1 0 FREAD CHAR POP 6 0\nRET\n'

# By row of the table: programs with the ending of their file's name, which take that way on their second line.
# Bindings, since compile runs those only.
EXAMPLES = {
    "kReadFile": [(".vcode", READ), (".nesl", 'x = 1;\ny = read_string_from_file("@SECRET");\ny;\n')],
    "kWriteFile": [(".vcode", OPEN % ("@MARKER", 2)), (".vcode", OPEN % ("@MARKER", 3)),
                   (".nesl", 'x = 1;\ny = write_string_to_file("a", "@MARKER");\n1;\n')],
    "kProcess": [(".nesl", 'x = 1;\ny = shell_command("touch @MARKER", "");\n1;\n'), (".vcode", RUN),
                 (".nesl", 'x = 1;\ny = get_environment_variable("PATH");\n1;\n'),
                 (".nesl", 'x = 1;\ny = xps_make_ps_window(((0, 0), 100, 100), "@MARKER");\n1;\n')],
    "kLoad": [(".nesl", 'x = 1;\nload "@SECRET";\n1;\n'), (".nesl", 'x = 1;\nload "../outside/secret";\n1;\n'),
              (".nesl", 'x = 1;\nload "link.nesl";\n1;\n')],
    "kImport": [(".nesl", 'x = 1;\nimport "@SECRET";\n1;\n'), (".nesl", 'x = 1;\nimport "../outside/secret";\n1;\n'),
                (".nesl", 'x = 1;\nimport "link.nesl";\n1;\n')],
    "kShell": [(".nesl", 'x = 1;\nshell "touch @MARKER";\n1;\n')],
    "kEdit": [(".nesl", 'set editor "touch @MARKER #";\nedit "f";\n1;\n'), (".nesl", 'set editor "touch @MARKER #";\nedit;\n1;\n')],
    "kDumpWorld": [(".nesl", 'x = 1;\ndump world "@MARKER";\n1;\n'), (".nesl", 'x = 1;\ndump world;\n1;\n')],
    "kDumpVcode": [(".nesl", 'x = 1;\ndump vcode "@MARKER" 1 + 1;\n1;\n')],
    "kPageSource": [(".vcode", '{nvm source @SECRET}\nFUNC MAIN {nvm function main}\n{nvm line 1}\nCONST INT 9\nRAND\nRET\n')],
}
INSTRUCTIONS = {"kReadFile", "kWriteFile", "kProcess"}  # not top level commands
SAID_BY = {"kPageSource": ()}  # a source that may not be shown is left out of the page

# Words before the file; whether expressions are run, VCODE is taken, and the command has effects at all.
COMMANDS = {
    "run": (["run"], True, True, True),
    "check": (["check"], False, True, False),
    "check --json": (["check", "--json"], False, True, False),
    "compile": (["compile"], False, False, False),
    "compile -o": (["compile", "-o", "made.vcode"], False, False, False),
    "disasm": (["disasm", "--stages", "vrs"], False, True, False),
    "explain": (["explain", "--jit", "always"], True, True, False),
    "profile": (["profile"], True, True, True),
    "profile --html": (["profile", "--html", "made.html"], True, True, True),
    "tune": (["tune"], True, True, True),
    "repl": (["repl"], True, False, True),
    "repl FILE": (["repl"], True, False, True),
    "replay": (["replay"], True, True, False),
    "serve": (["serve"], True, False, False),  # which allows nothing
}


def rows():
    text = (ROOT / "vm/interp/ways_out.def").read_text(encoding="utf-8")
    return dict(re.findall(r"^WAY_OUT\((\w+),\s*k(\w+),", text, re.M))


def playground():
    """tests/serve/common.py, whose name is taken here."""
    path = pathlib.Path(__file__).resolve().parents[1] / "serve" / "common.py"
    spec = importlib.util.spec_from_file_location("serve_common", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SERVE = playground()


def start(place, command, name, allow=()):
    """Runs a program under a command; replay is that of a run under the same words."""
    words = COMMANDS[command][0]
    if command == "serve":
        with SERVE.Playground() as server:
            done = server.run((place.inside / name).read_text())
        status = {"good": 0, "failed": 1, "refused": 2}.get(done["end"], 3)
        return subprocess.CompletedProcess(words, status, done["out"], done["err"])
    if command == "repl":
        return place.nvm(*words, *allow, text=(place.inside / name).read_text())
    if command == "replay":
        place.nvm("run", "--record", "made.rec", *allow, name)
        place.marker.unlink(missing_ok=True)
        (place.inside / "world.nesl").unlink(missing_ok=True)
        return place.nvm("replay", "made.rec")
    return place.nvm(*words, *allow, name)


def escaped(place, run):
    """What left the sandbox, or came in."""
    made = [p for p in place.inside.iterdir() if p.name.startswith("made.") and p.suffix != ".rec"]
    texts = [run.stdout, run.stderr] + [p.read_text(errors="replace") for p in made]
    if place.marker.exists() or (place.inside / "world.nesl").exists():
        return "it was done"
    codes = " ".join(str(ord(c)) for c in SECRET)  # as VCODE shows a text
    return "the file is shown" if any(SECRET in text or codes in text for text in texts) else ""


def check(way, command, ending, text):
    _, runs, takes_vcode, _ = COMMANDS[command]
    if ending == ".vcode" and not takes_vcode:
        return
    with Place() as place:
        (place.inside / "link.nesl").symlink_to(place.secret)
        name = place.write("p" + ending, text)
        run = start(place, command, name)
        what = f"{way} in {command}: {text!r}"
        expect(f"{what}: {escaped(place, run)}", escaped(place, run) == "", run)
        silent = way in INSTRUCTIONS and (not runs and (ending == ".vcode" or "check" in command))
        if way in SAID_BY or silent:
            return
        if command == "serve" and way == "kEdit":
            return expect(f"{what}: the editor can be set", "set editor not permitted (--untrusted)" in run.stderr, run)
        said = run.stdout + run.stderr
        line = '"line":2' if "--json" in command else ":1" if command == "repl" else ":2"
        expect(f"{what}: no message with line and cure",
               said.count("not permitted") == 1 and ("--untrusted" if command == "serve" else "--allow ") in said and line in said.replace(" ", ""), run)
        if runs and command not in ("repl", "repl FILE"):
            expect(f"{what}: it did not fail", run.returncode != 0, run)


def check_allowed(way, command, ending, text):
    """With everything allowed: commands that have effects have this one, the others have none."""
    _, _, takes_vcode, effects = COMMANDS[command]
    needs_effects = rows()[way] != "Read"
    if way == "kPageSource":
        return check_page(command)
    if (ending == ".vcode" and not takes_vcode) or (not needs_effects and command != "run"):
        return
    with Place() as place:
        (place.inside / "link.nesl").symlink_to(place.secret)
        run = start(place, command, place.write("p" + ending, text), ["--allow", "read,write,spawn"])
        what = f"{way} allowed in {command}: {text!r}"
        expect(f"{what}: {escaped(place, run) or 'it was not done'}", (escaped(place, run) != "") == effects, run)


def check_page(command):
    """The source is shown if that is allowed."""
    with Place() as place:
        name = place.write("p.vcode", EXAMPLES["kPageSource"][0][1])
        if command == "profile --html":
            run = start(place, command, name, ["--allow", f"read={place.outside}"])
            expect("the source is not on the page", escaped(place, run) == "the file is shown", run)


def main():
    table = rows()
    expect(f"examples for {sorted(set(table) ^ set(EXAMPLES))}", set(table) == set(EXAMPLES))
    for way, examples in EXAMPLES.items():
        for command in COMMANDS:
            for ending, text in examples:
                check(way, command, ending, text)
            check_allowed(way, command, *examples[0])
    finish()


if __name__ == "__main__":
    main()
