#!/usr/bin/env python3
"""Sets what our VCODE of some NESL programs executes against VCODE that another compiler made of them.

    flat_code.py NVM DIRECTORY [--match REGEX] [--list] [-- OPTION ...]

DIRECTORY has that compiler's PROGRAM.N.vcode, whose MAIN calls the program with the constant N; ours are the
functions `run` of nesl/*.nesl here. Both are run on NVM for the same sizes, by default without compiled regions
and block mode, so that every instruction is counted; printed are instructions executed and bytes of their
operands and results, and ours as a part of theirs: first of the VCODE as it was written, then of what remains when
it has been loaded, which removes from both programs what is done twice or for nothing; at the end the geometric means of
those parts. Results are compared but for
the last number, which is a time, and where the other program's are no numbers. Arguments are checked in ours if
they are in the other's. --list prints of each program, for its first size, which instructions of the VCODE as it was
written execute how often and move how many bytes, those that move the most first.
"""

import argparse
import collections
import csv
import math
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Name here, file there with its size, sizes to run.
PROGRAMS = [
    ("batcher", "batcher.1000000", [1024, 65536]),  # powers of two
    ("barnes_hut", "bh.1000", [1000, 10000]),
    ("black_scholes", "black-scholes.1000", [1000, 100000]),
    ("dotp", "dotp.1000", [1000, 100000]),
    ("qs", "qs.1000", [1000, 100000]),
    ("quickhull", "quickhull.1000", [1000, 100000]),
    ("radix", "radix.1000000", [10000, 1000000]),
]
CHECK = "RUNTIME ERROR"  # what a checked argument's message begins with
DEFAULT_OPTIONS = ["--rand", "lcg48", "--int-bits", "32", "--jit", "off", "--block-threshold", "off"]


def run(nvm, options, words):
    """(counters, numbers printed) of a run."""
    done = subprocess.run([nvm, "run", "--stats", *options, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0 or "ERROR" in done.stdout:
        sys.exit(f"{' '.join(words)}: {done.stderr}{done.stdout}")
    counters = dict(re.findall(r"^(\S+)\s+(\d+)$", done.stderr, re.MULTILINE))
    text = done.stdout.split(" : ")[0]
    numbers = [float(number) for number in re.findall(r"-?nan|-?\d+\.?\d*(?:[eE][-+]?\d+)?", text)]
    return (int(counters["instructions"]) + int(counters["uncharged"]), int(counters["bytes"])), numbers[:-1]


def listed(nvm, options, file):
    """What the VCODE executes, as it was written: (times, bytes) by instruction and type."""
    words = [nvm, "profile", *options, "--optimise", "off", "--by", "line", "--columns", "depth,bytes", "--csv", "--top", "0"]
    done = subprocess.run([*words, str(file)], capture_output=True, text=True, check=True)
    lines = file.read_text().splitlines()
    found = collections.defaultdict(lambda: [0, 0])
    for row in csv.DictReader(done.stdout.splitlines()):
        if row["file"] and int(row["depth"]) > 0:
            instruction = " ".join(lines[int(row["line"]) - 1].split()[:2])
            found[instruction][0] += int(row["depth"])
            found[instruction][1] += int(row["bytes"])
    return found


def list_both(nvm, options, checks, ours, theirs, n):
    """The listing of one program and size; `theirs` is VCODE."""
    with tempfile.TemporaryDirectory() as folder:
        files = [pathlib.Path(folder) / name for name in ("theirs.vcode", "ours.vcode")]
        files[0].write_text(theirs)
        subprocess.run([nvm, "compile", str(ours), "--arg-check", checks, "-e", f"run({n})", "-o", str(files[1])], check=True)
        files[1].write_text(re.sub(r"\{[^}]*\}", "", files[1].read_text()))  # so that lines are those of this text
        both = [listed(nvm, options, file) for file in files]
    print(f"  {'instruction':18} {'theirs':>8} {'ours':>8}  {'bytes of theirs':>15} {'of ours':>15}")
    moved = {name: [part.get(name, (0, 0)) for part in both] for name in {*both[0], *both[1]}}
    for name, (them, us) in sorted(moved.items(), key=lambda item: (-max(part[1] for part in item[1]), item[0])):
        print(f"  {name:18} {them[0]:8} {us[0]:8}  {them[1]:15} {us[1]:15}")


def mean(ratios):
    return math.exp(sum(math.log(ratio) for ratio in ratios) / len(ratios))


def same(ours, theirs):
    return len(ours) == len(theirs) and all(
        math.isnan(y) or math.isclose(x, y, rel_tol=1e-9) for x, y in zip(ours, theirs))


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("nvm")
    words.add_argument("directory", type=pathlib.Path)
    words.add_argument("--match", default="")
    words.add_argument("--list", action="store_true")
    words.add_argument("options", nargs="*")
    args = words.parse_args()
    options = args.options or DEFAULT_OPTIONS
    ratios = {"written": ([], []), "loaded": ([], [])}  # of instructions, of bytes
    if not args.list:
        print(f"{'program':14} {'n':>8} {'executed':>9} {'instructions':>21} {'ratio':>6}  {'bytes':>25} {'ratio':>6}  results")
    for name, other, sizes in PROGRAMS:
        if not re.search(args.match, name):
            continue
        ours, theirs = HERE / "nesl" / f"{name}.nesl", args.directory / f"{other}.vcode"
        missing = [str(file) for file in (ours, theirs) if not file.exists()]
        if missing:
            print(f"{name:14} skipped: no {', no '.join(missing)}", flush=True)
            continue
        for n in sizes:
            text = theirs.read_text()
            text = re.sub(rf"^CONST INT {other.split('.')[1]}$", f"CONST INT {n}", text, count=1, flags=re.MULTILINE)
            # Arguments are checked here where they are there.
            checks = "on" if CHECK in text else "off"
            if args.list and n == sizes[0]:
                print(f"{name} {n}")
                list_both(args.nvm, options, checks, ours, text, n)
            if args.list:
                continue
            with tempfile.NamedTemporaryFile("w", suffix=".vcode") as file:
                file.write(text)
                file.flush()
                for executed, optimise in [("written", "off"), ("loaded", "on")]:
                    how = [*options, "--optimise", optimise]
                    them, expected = run(args.nvm, how, [file.name])
                    us, results = run(args.nvm, [*how, "--arg-check", checks], [str(ours), "-e", f"run({n})"])
                    for k in (0, 1):
                        ratios[executed][k].append(us[k] / them[k])
                    print(f"{name:14} {n:8} {executed:>9} {them[0]:10} {us[0]:10} {us[0] / them[0]:6.2f}  "
                          f"{them[1]:12} {us[1]:12} {us[1] / them[1]:6.2f}  "
                          f"{'same' if same(results, expected) else 'DIFFERENT'}", flush=True)
    for executed, (instructions, moved) in ratios.items():
        if instructions:
            print(f"{'geometric mean':14} {'':8} {executed:>9} {'':21} {mean(instructions):6.2f}  {'':25} {mean(moved):6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
