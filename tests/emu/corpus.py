#!/usr/bin/env python3
"""usage: corpus.py BUILD SOURCE EMU COMPILER FLAGS CONFIGURATION...

Every program of the conformance set and the gallery, but two that take too long, on the emulated device (folder
EMU/device), every line compiled: what they print must be what is expected of them. A first round gathers the CUDA
sources, which are then built in batches, since compiling them one by one takes most of the time; what it did not meet is
built alone.

CONFIGURATION: words NAME=VALUE with commas between, put into the environment.
"""
import concurrent.futures
import glob
import os
import re
import subprocess
import sys
import tempfile

build, source, emu, compiler, flags = sys.argv[1:6]
configurations = sys.argv[6:]
nvm = os.path.join(build, "nvm")
conformance = os.path.join(source, "tests", "conformance")
PER_BATCH = 150
TOO_LONG = {"mandelbrot.nesl", "mandelbrot_pgm.nesl"}  # hundreds of millions of operations: minutes, emulated
END_OF_PRELUDE = "// ---- end of the prelude ----\n"


def environment(extra):
    out = dict(os.environ)
    out["LD_LIBRARY_PATH"] = os.path.join(emu, "device") + ":" + out.get("LD_LIBRARY_PATH", "")
    out["NVM_ENGINE"] = "cuda"
    out["NVM_JIT"] = "always"
    out.update(extra)
    return out


def gallery():
    programs = sorted(glob.glob(os.path.join(source, "programs", "*.nesl")))
    return [p for p in programs if os.path.basename(p) not in TOO_LONG] + sorted(
        glob.glob(os.path.join(conformance, "*.nesl")))


def run_gallery(env):
    wrong = []
    for program in gallery():
        options = []
        first = open(program).readline()
        if first.startswith("#!") and "nvm run" in first:
            options = first.split("nvm run", 1)[1].split()
        with tempfile.TemporaryDirectory() as folder:
            for data in glob.glob(os.path.join(os.path.dirname(program), "*.[ct][sx][vt]")):
                os.symlink(data, os.path.join(folder, os.path.basename(data)))
            got = subprocess.run([nvm, "run"] + options + [program], env=env, cwd=folder, capture_output=True)
        if got.returncode != 0 or got.stdout != open(program + ".out", "rb").read():
            wrong.append(f"{program}: status {got.returncode}: {got.stderr.decode()[:500]}")
    return wrong


def run_suite(arguments, env):
    got = subprocess.run(arguments, env=env, capture_output=True, text=True)
    return [] if got.returncode == 0 else [got.stdout + got.stderr]


def run_all(env):
    """What went wrong, in words."""
    wide = []
    for line in open(os.path.join(conformance, "vcode", "index.tsv")):
        name, category = line.split("\t")[:2]
        if category not in ("category", "cli", "int32"):
            wide.append(name)
    suites = [
        [os.path.join(conformance, "nesl", "run.sh"), nvm + " run -v"],
        [os.path.join(conformance, "vcode", "run.sh"), nvm + " run --rand libc --allow read,write,spawn"] + wide,
    ]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        parts = [pool.submit(run_suite, suite, env) for suite in suites] + [pool.submit(run_gallery, env)]
        return [line for part in parts for line in part.result()]


def gather(folder, settings):
    """Runs everything on the processor, only to see the sources, and builds them. How many there were."""
    for setting in settings:
        run_all(environment(dict(setting, NVM_EMU_GATHER=folder, XDG_CACHE_HOME="/nowhere")))
    names = sorted(os.path.basename(p)[:-3] for p in glob.glob(os.path.join(folder, "*.cu")))
    batches = [names[i:i + PER_BATCH] for i in range(0, len(names), PER_BATCH)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda b: build_batch(folder, *b), enumerate(batches)))
    return len(names)


def build_batch(folder, number, names):
    """One library of many sources, each with names of its own."""
    parts = []
    for i, name in enumerate(names):
        text = open(os.path.join(folder, name + ".cu")).read()
        begin, rest = text.split(END_OF_PRELUDE)
        if i == 0:
            parts.append(begin)
        parts.append(re.sub(r"\bk(\d+)(_\w+)?\b", lambda m: f"b{i}_{m.group()}", rest))
    path = os.path.join(folder, f"batch{number}")
    with open(path + ".cc", "w") as out:
        out.write(open(os.path.join(source, "tests", "emu", "cuda_emu.h")).read() + "\n" + "\n".join(parts))
    subprocess.run([compiler] + flags.split() + ["-O0", "-o", path + ".so", path + ".cc", "-lsleef"], check=True)
    for i, name in enumerate(names):
        with open(os.path.join(folder, name + ".batch"), "w") as out:
            out.write(f"emulated\n{path}.so\nb{i}_")


def launches(env):
    """Kernels that one program of the gallery launches: what ran ran on the device."""
    counts = env["NVM_EMU_COUNTS"]
    subprocess.run([nvm, "run", os.path.join(source, "programs", "quicksort.nesl")], env=env, capture_output=True)
    return int(re.search(r"launches=(\d+)", open(counts).read()).group(1))


failed = 0
with tempfile.TemporaryDirectory() as folder:
    caches = {"XDG_CACHE_HOME": os.path.join(folder, "cache")}
    settings = [dict(word.split("=", 1) for word in c.split(",")) for c in configurations]
    gathered = gather(folder, settings)
    for text, setting in zip(configurations, settings):
        env = environment(dict(setting, NVM_EMU_BATCH=folder, NVM_EMU_COUNTS=os.path.join(folder, "counts"), **caches))
        wrong = run_all(env)
        if launches(env) == 0:
            wrong.append("nothing ran on the device")
        for line in wrong:
            print(f"{text}: {line}")
        failed += len(wrong)
    print(f"{gathered} CUDA sources in batches, {len(settings)} configurations, {failed} failures")
sys.exit(failed != 0)
