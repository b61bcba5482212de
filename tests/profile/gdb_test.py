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
for i in range(3):
    print("STOP\\n" + known())
    gdb.execute("finish", to_string=True)
    print("FORGOTTEN\\n" + known())
    gdb.execute("continue", to_string=True)
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
    stops = [stop.partition("FORGOTTEN\n") for stop in out.stdout.split("STOP\n")[1:]]
    expect("kernels are named by NESL function and line", any(n.startswith("nvm:quicksort:") for n in names(stops[0][0])),
           out.stdout + out.stderr)
    expect("each that goes is forgotten", [len(names(before)) - len(names(after)) for before, _, after in stops] == [1, 1, 1],
           [(len(names(before)), len(names(after))) for before, _, after in stops])
    finish()


main()
