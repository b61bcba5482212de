#!/usr/bin/env python3
"""usage: cubins.py BUILD SOURCE EMU NVRTC_CUBINS CONFIGURATION...

Every kernel that the conformance set and the gallery make, block mode included, compiled by NVRTC to cubin for sm_80 and
sm_90. The programs run on the processor, and the emulated compiler only gathers the sources; kernels that differ only in
how variables are numbered, in constants and in places of arguments and cells are compiled once. Without NVRTC the test is
skipped.
"""
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

from programs import END_OF_PRELUDE, Programs, settings_of

build, source, emu, tool = sys.argv[1:5]
settings = settings_of(sys.argv[5:])
KERNEL = re.compile(r"struct (\w+)_args \{\n.*?\nNVM_ENTRY\(\1, \1_args\)\n", re.S)
PER_BATCH = 60
NAME = "\0"  # stands for the name of a kernel; in no source
SKIPPED = 77


def kernels(text):
    """The kernels of a source, each named NAME; a source of something else as well (block mode) in one piece."""
    found = list(KERNEL.finditer(text))
    if "".join(k.group() for k in found) != text:
        return [re.sub(r"\bk(\d+)(_\w+)?\b", NAME + r"\1\2", text)]
    return [numbered(re.sub(rf"\b{k.group(1)}(_args)?\b", NAME + r"\1", k.group())) for k in found]


def numbered(kernel):
    """Variables numbered as they come (lx3 and ox3 belong to x3), one constant, one argument, one cell."""
    numbers = {}

    def name(word):
        if word.group() in ("i64", "u64", "i8", "u8"):
            return word.group()
        letters = word.group(1)
        known = numbers.setdefault(re.sub("^[lo](?=[xp])", "", letters), {})
        return letters + str(known.setdefault(word.group(2), len(known)))

    kernel = re.sub(r"\b([a-z]{1,4}|q_s)(\d+)\b", name, kernel)
    kernel = re.sub(r"0x[0-9a-f]+ull\) */\*.*?\*/", "0x1ull)", kernel)
    return re.sub(r"\ba\.s\[\d+\]", "a.s[0]", re.sub(r"\bC\[\d+\]", "C[1]", kernel))


def compile_batch(path):
    got = subprocess.run([tool, path], capture_output=True, text=True)
    return f"status {got.returncode}: {got.stdout}{got.stderr}" if got.returncode else ""


if subprocess.run([tool]).returncode == SKIPPED:
    sys.exit(SKIPPED)
with tempfile.TemporaryDirectory() as folder:
    names = Programs(build, source, emu).gather(folder, settings)
    prelude, distinct, count = "", {}, 0
    for name in names:
        prelude, rest = open(os.path.join(folder, name + ".cu")).read().split(END_OF_PRELUDE)
        for kernel in kernels(rest):
            distinct[kernel] = name
            count += 1
    pieces = sorted(distinct, key=len, reverse=True)
    batches = max(2, (len(pieces) + PER_BATCH - 1) // PER_BATCH)
    paths = []
    for b in range(batches):
        paths.append(os.path.join(folder, f"cubins{b}.cu"))
        with open(paths[-1], "w") as out:
            out.write(prelude)
            for i, kernel in enumerate(pieces[b::batches]):
                out.write(f"// {distinct[kernel]}\n" + kernel.replace(NAME, f"b{i}_"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [words for words in pool.map(compile_batch, paths) if words]
    for words in wrong:
        print(words)
    print(f"{len(names)} CUDA sources, {count} kernels, {len(pieces)} of them distinct; {batches} batches for "
          f"sm_80 and sm_90, {len(wrong)} failures")
    sys.exit(bool(wrong) or not names)
