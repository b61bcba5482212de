"""gdb learns the names of compiled kernels through its JIT interface, and forgets those that are gone."""

import re
import shutil
import subprocess
import sys

from common import NVM, QUICKSORT, WORK, expect, finish, write

COMMANDS = """
set pagination off
set confirm off
break nvm::vm::cpu::forget_in_gdb
run
python
def known(): return gdb.execute("info functions nvm:", to_string=True)
print("BEFORE\\n" + known())
for i in range(3): gdb.execute("continue", to_string=True)
print("AFTER\\n" + known())
end
quit
"""


def names(text):
    return re.findall(r"^0x[0-9a-f]+ +(nvm:.*)$", text, re.M)


def main():
    gdb = shutil.which("gdb")
    if gdb is None:
        print("there is no gdb")
        sys.exit(77)
    program = write("quicksort.nesl", QUICKSORT)
    script = write("commands.gdb", COMMANDS)
    out = subprocess.run([gdb, "-q", "-nx", "-batch", "-x", script, "--args", NVM, "run", "--jit", "always", program],
                         capture_output=True, text=True, cwd=WORK, check=False)
    if "ptrace" in out.stderr or "Python scripting is not supported" in out.stderr:
        print("gdb may not debug here")
        sys.exit(77)
    before, _, after = out.stdout.partition("BEFORE\n")[2].partition("AFTER\n")
    expect("kernels are named by NESL function and line", any(n.startswith("nvm:quicksort:") for n in names(before)),
           out.stdout + out.stderr)
    expect("three are gone", len(names(after)) == len(names(before)) - 3, (len(names(before)), len(names(after))))
    finish()


main()
