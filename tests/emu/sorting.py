#!/usr/bin/env python3
"""usage: sorting.py NVM FOLDER PROGRAM: what the host does for the sorts of PROGRAM, counted by the emulated device in
FOLDER/device. Vectors stay there, in kernel mode and in groups."""
import math
import os
import re
import subprocess
import sys
import tempfile

nvm, emu, program = (os.path.abspath(a) for a in sys.argv[1:4])
N = 16384
failures = []


def expect(what, condition):
    if not condition:
        failures.append(what)


with tempfile.TemporaryDirectory() as folder, open(program) as text:
    source = re.sub(r"(?m)^n = \d+ \$", f"n = {N} $", text.read())
    source = source[:source.index("best(3, t)")]

    def run(which, threshold):
        """Counts of one sort of keys that stand on the device."""
        path, counts = os.path.join(folder, "sort.nesl"), os.path.join(folder, "counts")
        with open(path, "w") as out:
            out.write(f"{source}best(1, {which}) $\n")
        env = dict(os.environ, LD_LIBRARY_PATH=os.path.join(emu, "device"), NVM_EMU_COUNTS=counts, NVM_ENGINE="cuda",
                   NVM_JIT="always", NVM_BLOCK_THRESHOLD=threshold, NVM_THREADS="2")
        got = subprocess.run([nvm, "run", path], env=env, capture_output=True, text=True)
        seconds = re.search(r"it = ([-\d.e]+) : float", got.stdout)
        expect(f"{which} {threshold}: {got.stdout}{got.stderr}", seconds and float(seconds[1]) > 0)
        with open(counts) as lines:
            out = {name: int(n) for name, n in re.findall(r"(\w+)=(\d+)", lines.read())}
        print(which, threshold, out)
        return out

    kernels, groups = run("t", "off"), run("t", "100")
    expect("quicksort copies more than its keys", kernels["uploads"] == 1 and kernels["downloads"] == 0)
    expect("quicksort in groups copies more than its keys", groups["uploads"] == 1 and groups["downloads"] == 0)
    for what, times in (("launches", 4), ("waits", 4), ("calls", 4), ("allocations", 2)):
        expect(f"quicksort in groups has too many {what}", times * groups[what] < kernels[what])
    bitonic = run("f", "off")
    stages = int(math.log2(N)) * (int(math.log2(N)) + 1) // 2
    expect("Batcher's sort copies more than its keys", bitonic["uploads"] == 1 and bitonic["downloads"] == 0)
    expect("Batcher's sort launches too much", bitonic["launches"] <= 5.5 * stages)
    expect("Batcher's sort waits too often", bitonic["waits"] <= 2 * stages)
print("\n".join(failures))
sys.exit(1 if failures else 0)
