#!/usr/bin/env python3
"""usage: corpus.py BUILD SOURCE EMU COMPILER FLAGS CONFIGURATION...

Programs of the conformance set and the gallery on the emulated device (folder EMU/device), every line compiled: one in 24, or
with NVM_TESTS=all all but two that take too long. What they print must be what is expected of them. Rounds before gather the CUDA
sources, which are then built in batches, since compiling them one by one takes most of the time: the first round meets
what is recorded while the processor runs everything, the next ones what is recorded beside what runs on the device.
What they did not meet is built alone.

CONFIGURATION: words NAME=VALUE with commas between, put into the environment.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

from programs import END_OF_PRELUDE, Programs, settings_of

build, source, emu, compiler, flags = sys.argv[1:6]
configurations = sys.argv[6:]
programs = Programs(build, source, emu)
PER_BATCH = 150
ROUNDS = 3
FEW = 50


def gather_and_build(folder, settings):
    """How many sources were built in batches."""
    built = 0
    for number in range(ROUNDS):
        names = programs.gather(folder, settings)
        if number > 0 and len(names) < FEW:
            break
        build_all(folder, number, names)
        built += len(names)
    return built


def build_all(folder, number, names):
    size = min(PER_BATCH, -(-len(names) // os.cpu_count()))
    batches = [(f"{number}_{i}", names[i:i + size]) for i in range(0, len(names), size)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda b: build_batch(folder, *b), batches))


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
    subprocess.run([compiler] + flags.split() + ["-O0", "-o", path + ".so", path + ".cc", "-lboost_context", "-lsleef"], check=True)
    for i, name in enumerate(names):
        with open(os.path.join(folder, name + ".batch"), "w") as out:
            out.write(f"emulated\n{path}.so\nb{i}_")


def launches(env):
    """Kernels that one program of the gallery launches: what ran ran on the device."""
    counts = env["NVM_EMU_COUNTS"]
    subprocess.run([programs.nvm, "run", os.path.join(source, "programs", "quicksort.nesl")], env=env,
                   capture_output=True)
    return int(re.search(r"launches=(\d+)", open(counts).read()).group(1))


failed = 0
with tempfile.TemporaryDirectory() as folder:
    caches = {"XDG_CACHE_HOME": os.path.join(folder, "cache")}
    settings = settings_of(configurations)
    gathered = gather_and_build(folder, settings)
    for text, setting in zip(configurations, settings):
        env = programs.environment(
            dict(setting, NVM_EMU_BATCH=folder, NVM_EMU_COUNTS=os.path.join(folder, "counts"), **caches))
        wrong = programs.run(env)
        if launches(env) == 0:
            wrong.append("nothing ran on the device")
        for line in wrong:
            print(f"{text}: {line}")
        failed += len(wrong)
    print(f"{gathered} CUDA sources in batches, {len(settings)} configurations, {failed} failures")
sys.exit(failed != 0)
