#!/usr/bin/env python3
"""usage: errors.py NVM FOLDER: what can go wrong with a GPU, on the emulated device in FOLDER/device.

Each failure has its message, and the run has the same result, or stops with one clear error.
"""
import os
import subprocess
import sys
import tempfile

nvm, emu = (os.path.abspath(a) for a in sys.argv[1:3])
PROGRAM = """
function collatz(v, n) =
if n == 0 then v
else collatz({select(rem(x, 2) == 0, x / 2, 3 * x + 1) : x in v}, n - 1) $
let v = [1:3000]; w = collatz(v, 6)
in (sum(w), max_val(w), sum({float(x) / 2.0 : x in w; y in v | y > 100})) $
let v = {rem(i * 7919, 3001) : i in [0:3001]}; s = sort(v); p = permute(v, rank(v))
in (take(s, 3), sum({select(x == y, 0, 1) : x in s; y in p})) $
"""
WRONG = "let v = {rem(i, 7) : i in [0:3000]} in sum({100 / x : x in v}) $\n"
OUTSIDE = """let ns = {rem(i * 37, 50) + 2 : i in [0:100]}
in sum({sum(permute([0:n], {select(i == 1, n - m / 50, i) : i in [0:n]})) : n in ns; m in [0:100]}) $
"""
failures = 0


def check(what, condition, run):
    global failures
    if condition:
        return
    failures += 1
    print(f"{what}: status {run.returncode}\n--- out\n{run.stdout[:500]}\n--- err\n{run.stderr[:800]}")


with tempfile.TemporaryDirectory() as folder:
    def path(name, text=None):
        full = os.path.join(folder, name)
        if text is not None:
            with open(full, "w") as out:
                out.write(text)
        return full

    def run(program, device=os.path.join(emu, "device"), engine="cuda", jit="always", **settings):
        # Short lines: several, with vectors between them that stand on the device alone.
        env = dict(os.environ, NVM_ENGINE=engine, NVM_JIT=jit, NVM_REGION_LIMIT="12", LD_LIBRARY_PATH=device)
        env.setdefault("XDG_CACHE_HOME", path("cache"))
        env.update(settings)
        return subprocess.run([nvm, "run", program], env=env, capture_output=True, text=True)

    good = path("good.nesl", PROGRAM)
    wrong = path("wrong.nesl", WRONG)
    counts = path("counts")
    expected = run(good, engine="cpu", jit="off")
    fault = run(wrong, engine="cpu", jit="off")
    check("a program with an error", fault.returncode == 1 and "by zero" in fault.stderr, fault)

    def same(what, got, message):
        check(what, got.returncode == 0 and got.stdout == expected.stdout and message in got.stderr, got)

    whole = run(good, XDG_CACHE_HOME=path("cache"), NVM_EMU_COUNTS=counts)
    same("nothing wrong", whole, "")
    check("nothing wrong: quiet", whole.stderr == "" and "launches=0" not in open(counts).read(), whole)

    none = os.path.join(emu, "broken", "none")
    same("no driver", run(good, device=none), "no NVIDIA driver")
    quiet = run(good, device=none, engine="auto")
    check("no driver, and none asked for", quiet.stdout == expected.stdout and quiet.stderr == "", quiet)
    same("a driver that does not start", run(good, NVM_EMU="init=803"), "unsupported display driver")
    same("a driver that is too old", run(good, device=os.path.join(emu, "broken", "driver")), "the driver lacks cu")
    same("no device", run(good, NVM_EMU="devices=0"), "the driver shows no device")
    os.mkdir(path("old"))
    os.symlink(os.path.join(emu, "device", "libcuda.so.1"), path("old/libcuda.so.1"))
    os.symlink(os.path.join(emu, "broken", "nvrtc", "libnvrtc.so.13"), path("old/libnvrtc.so.13"))
    same("an NVRTC that is too old", run(good, device=path("old")), "is too old")

    same("a device that is too old", run(good, NVM_EMU="major=6"), "is too old: it has compute capability 6.0")
    same("an NVRTC too new for the driver", run(good, NVM_EMU="cuda=12040", CUDA_PATH=path("nowhere")),
         "is too new for the driver, which is for CUDA 12.4: install a newer driver, or NVRTC 12")

    # The driver, and of NVRTC only files that are no libraries, whatever else the loader would find.
    os.mkdir(path("driver"))
    os.symlink(os.path.join(emu, "device", "libcuda.so.1"), path("driver/libcuda.so.1"))
    for name in ("libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"):
        path("driver/" + name, "not a library")
    lone = run(good, device=path("driver"), CUDA_PATH=path("nowhere"))
    same("no NVRTC", lone, "install the CUDA toolkit's nvrtc package")
    same("no NVRTC: says which was no good", lone, "libnvrtc.so.13")
    check("no NVRTC: said once", lone.stderr.count("no CUDA engine") == 1, lone)
    env = dict(os.environ, LD_LIBRARY_PATH=path("driver"), CUDA_PATH=path("nowhere"))
    devices = subprocess.run([nvm, "devices"], env=env, capture_output=True, text=True)
    check("no NVRTC: nvm devices", "emulated device" in devices.stdout and "programs run on the CPU" in devices.stdout,
          devices)

    for text in ("", "nvm cubin 1\n", "x" * 5000):
        for name in os.listdir(path("cache/nvm")):
            path("cache/nvm/" + name, text)
        same("a damaged cache", run(good, XDG_CACHE_HOME=path("cache")), "")
    same("a cache that is no folder", run(good, XDG_CACHE_HOME=path("file", "")), "")

    same("no device memory at all", run(good, NVM_EMU="memory=1000"), "")
    same("little device memory", run(good, NVM_EMU="memory=60000"), "")

    for k in range(1, 9):
        short = run(good, NVM_EMU=f"short_launch={k}")
        same("a launch that finds no memory", short, "")
        check("a launch that finds no memory: quiet", short.stderr == "", short)

    trapped = run(wrong)
    check("a check fails on the device", (trapped.returncode, trapped.stderr) == (1, fault.stderr), trapped)

    outside = path("outside.nesl", OUTSIDE)
    fault = run(outside, engine="cpu", jit="off", NVM_ARG_CHECK="off")
    check("a place outside of its segment", fault.returncode == 1 and "has 2 elements" in fault.stderr, fault)
    trapped = run(outside, NVM_ARG_CHECK="off")
    check("a place outside, on the device", (trapped.returncode, trapped.stderr) == (1, fault.stderr), trapped)

    # Whatever the device fails in, the program goes on without it, or says what is lost and where.
    ends = {"same": 0, "stopped": 0}
    for kind, points in (("lose", list(range(1, 60)) + list(range(60, 400, 17))), ("bad_launch", range(1, 12))):
        for k in points:
            got = run(good, XDG_CACHE_HOME=path("cache"), NVM_EMU=f"{kind}={k}", NVM_EMU_COUNTS=counts)
            if got.returncode == 0:
                ends["same"] += 1
                check(f"{kind}={k}", got.stdout == expected.stdout, got)
            else:
                ends["stopped"] += 1
                clear = "the GPU failed while" in got.stderr and "are lost" in got.stderr and "good.nesl" in got.stderr
                check(f"{kind}={k}", got.returncode == 1 and clear, got)
            check(f"{kind}={k}: said once", got.stderr.count("the program goes on without it") <= 1, got)
    check("a device lost: both ends are met", ends["same"] > 5 and ends["stopped"] > 0, whole)
    print(f"device lost: {ends['same']} runs ended with the same result, {ends['stopped']} with one error")

print(f"{failures} failures")
sys.exit(failures != 0)
