#!/usr/bin/env python3
"""Programs whose kernels devices share give the bytes that they give alone, and the same messages: devices.py NVM."""

import pathlib
import re
import subprocess
import sys
import tempfile

N = 300001
PROGRAMS = {
    "sum": f"sum({{sqrt(float(i)) : i in [0:{N}]}})",
    "minimum": f"min_val({{float(rem(i * 7919, 10007)) - 0.5 : i in [0:{N}]}})",
    "scan": f"plus_scan({{1.0 / float(i + 1) : i in [0:{N}]}})",
    "integers": f"plus_scan({{rem(i, 13) : i in [0:{N}]}})",
    "filter": f"{{x * 2 : x in {{rem(i * 7919, 10007) : i in [0:{N}]}} | rem(x, 7) == 3}}",
    "kept sum": f"sum({{1.0 / float(i + 1) : i in [0:{N}] | rem(i, 3) == 1}})",
    "segments": "{sum({1.0 / float(j + 1) : j in [0:rem(i * i, 900)]}) : i in [0:2000]}",
    "one segment": f"{{sum({{1.0 / float(j + i) : j in [0:n]}}) : i in [1, 2]; n in [{N}, 5]}}",
    "gather": f"let v = {{float(rem(i * 31, 1009)) : i in [0:{N}]}} in {{v[rem(i * 7, {N})] + 1.0 : i in [0:{N}]}}",
}
WRONG = f"let v = {{i * 2 : i in [0:{N}]}} in sum({{v[i + i / {N - 1}] : i in [0:{N}]}})"
SETS = ("cpu*2", "cpu*3=1:2:5", "cpu*5")


def run(nvm, folder, text, devices, threads):
    out = folder / "out.npy"
    out.unlink(missing_ok=True)
    command = [nvm, "run", "--jit", "always", "--stats", "--threads", str(threads), "--out", str(out), "-e", text]
    done = subprocess.run(command + (["--devices", devices] if devices else []), capture_output=True, text=True)
    parts = [int(n) for n in re.findall(r"^  cpu/\d+ +(\d+) \d+$", done.stderr, re.M)]
    messages = "\n".join(line for line in done.stderr.splitlines() if line.startswith("nvm") or "error" in line)
    return done.returncode, out.read_bytes() if out.exists() else b"", messages, parts


def main():
    nvm = sys.argv[1]
    wrong = []
    cut = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for what, text in [*PROGRAMS.items(), ("out of range", WRONG)]:
            alone = run(nvm, folder, text, "", 2)
            if (alone[0] == 0) != (what != "out of range"):
                wrong.append(f"{what}: status {alone[0]} alone: {alone[2]}")
            for devices in SETS:
                for threads in (1, 4):
                    shared = run(nvm, folder, text, devices, threads)
                    if shared[:3] != alone[:3]:
                        wrong.append(f"{what}: --devices {devices} --threads {threads}: {shared[0]} {shared[2]}")
                    if shared[0] == 0 and len(shared[3]) != int(devices[4]):
                        wrong.append(f"{what}: --devices {devices}: {len(shared[3])} devices in --stats")
                    cut += min(shared[3], default=0) > 0
    if cut < 3 * len(PROGRAMS):
        wrong.append(f"only {cut} runs were shared by all devices")
    print("\n".join(wrong) or f"the same bytes; {cut} runs were shared by all devices")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
