#!/usr/bin/env python3
"""What ends a run ends it, too, if it comes when the program has looked at its budget and is about to wait.

gdb stops at read() of standard input, behind that look, and lets Ctrl-C, or the end of --time-limit, come there; the program
then waits in the kernel with nothing to read. Needs gdb; 77 without."""

import shutil
import subprocess
import sys
import tempfile

PROGRAM = "FUNC MAIN READ INT RET\n"
# The first signal is over when read() begins: only one that comes again ends the wait.
WAYS = {
    "interrupted": ([], "disable\nsignal SIGINT"),
    "time limit reached": (["--time-limit", "1"], "disable\nshell sleep 2\ncontinue"),
}


def said(nvm, words, resume, folder):
    script = f"""set pagination off
set breakpoint pending on
handle SIGURG nostop noprint pass
handle SIGALRM nostop noprint pass
break -qualified read if $rdi == 0
set args run {' '.join(words)} {folder}/p.vcode < {folder}/pipe > {folder}/out 2> {folder}/err
run
{resume}
quit
"""
    with open(f"{folder}/commands.gdb", "w", encoding="utf-8") as f:
        f.write(script)
    with open(f"{folder}/p.vcode", "w", encoding="utf-8") as f:
        f.write(PROGRAM)
    # The pipe has a writer as long as the shell is there, and nobody writes.
    command = f"rm -f {folder}/pipe; mkfifo {folder}/pipe; sleep 60 > {folder}/pipe & writer=$!; " \
              f"gdb -q -nx -batch -x {folder}/commands.gdb {nvm}; kill $writer"
    try:
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=40, check=False)
    except subprocess.TimeoutExpired:
        subprocess.run(["pkill", "-f", f"{folder}/p.vcode"], check=False)
        return "(goes on)", ""
    with open(f"{folder}/err", encoding="utf-8") as f:
        return f.read(), done.stdout + done.stderr


def main():
    if shutil.which("gdb") is None:
        print("there is no gdb")
        sys.exit(77)
    failed = 0
    for want, (words, resume) in WAYS.items():
        with tempfile.TemporaryDirectory() as folder:
            err, log = said(sys.argv[1], words, resume, folder)
        if "ptrace" in log:
            print("gdb may not debug here")
            sys.exit(77)
        if want not in err or "Breakpoint 1" not in log.split("Starting program")[-1]:
            failed += 1
            print(f"FAILED: {want}\n{err}\n{log[-2000:]}")
    print(f"{len(WAYS) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


main()
