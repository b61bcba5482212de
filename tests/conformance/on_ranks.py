"""Programs on several ranks, all vectors distributed, print what they print without: the VCODE corpus, NESL and
the gallery. Output, messages and status are compared, and of a last value that can be an .npy its bytes: what is printed has 15
digits. Without NVM_TESTS=all of eight programs one, each on one number of ranks.

  on_ranks.py NVM [--every N] [--ranks LIST] [--only NAME]
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
GALLERY = HERE.parent.parent / "programs"
SECONDS = 300
NPY = "last.npy"


def corpus():
    """Name, file, options and standard input."""
    for row in (HERE / "vcode" / "index.tsv").read_text().splitlines()[1:]:
        name, category = row.split("\t")[:2]
        if category in ("cli", "int32", "rand"):
            continue
        file = HERE / "vcode" / f"{name}.vcode"
        given, args = file.with_suffix(".in"), file.with_suffix(".args")
        options = ["--rand", "libc", "--allow", "read,write,spawn"] + (args.read_text().split() if args.exists() else [])
        yield name, file, options, given if given.exists() else None
    for file in sorted((HERE / "nesl").glob("*.nesl")) + sorted(HERE.glob("*.nesl")):
        yield file.stem, file, [], None
    for file in sorted(GALLERY.glob("*.nesl")):
        given = file.with_suffix(".in")
        yield file.stem, file, ["--seed", "1"], given if given.exists() else None


def run(command, given, folder):
    with open(given or "/dev/null", "rb") as source:
        done = subprocess.run(command, stdin=source, capture_output=True, cwd=folder, timeout=SECONDS)
    value = pathlib.Path(folder or ".") / NPY
    return done.returncode, done.stdout, done.stderr, value.read_bytes() if value.exists() else None


def on(nvm, file, options, given, more):
    """One run in a folder of its own, that has nothing but the program."""
    with tempfile.TemporaryDirectory() as folder:
        local = pathlib.Path(shutil.copy(file, folder)).name
        try:
            return run([nvm, "run", *options, *more, local], given, folder)
        except subprocess.TimeoutExpired:
            return "it takes too long", b"", b"", None


def alone(nvm, file, options, given):
    """With the options for its last value to be written, if it can be."""
    written = ["--out", NPY]
    end = on(nvm, file, options, given, written)
    if b"--out" not in end[2]:
        return written, end
    return [], on(nvm, file, options, given, [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nvm")
    parser.add_argument("--every", type=int, default=1 if os.environ.get("NVM_TESTS") == "all" else 8,
                        help="of so many programs one, and one number of ranks")
    parser.add_argument("--ranks", default="1,2,3,5,8")
    parser.add_argument("--only")
    chosen = parser.parse_args()
    nvm = str(pathlib.Path(chosen.nvm).resolve())
    ranks = chosen.ranks.split(",")
    tried, written, wrong = 0, 0, []
    for number, (name, file, options, given) in enumerate(corpus()):
        if number % chosen.every or (chosen.only and chosen.only != name):
            continue
        takes = ranks if chosen.every == 1 else [ranks[number // chosen.every % len(ranks)]]
        more, expected = alone(nvm, file, options, given)
        tried += len(takes)
        written += len(takes) if expected[-1] is not None else 0
        for n in takes:
            end = on(nvm, file, options, given, [*more, "--ranks", n, "--spread", "1"])
            if end != expected:
                wrong.append(name)
                print(f"{name} on {n} ranks: {end}\n  alone: {expected}"[:1200])
    # Not alone each: a scan tells something.
    told = run([nvm, "run", "--ranks", "3", "--spread", "1", "--stats", "-e", "sum({rand(10) : i in [0:9]}) >= 0"], None, None)[2]
    if not re.search(rb"^rounds +[1-9]", told, re.M):
        wrong.append("no-rounds")
        print(f"--ranks 3 takes no round: {told}")
    print(f"{tried} runs on ranks, {written} with values written, {len(wrong)} differ: {' '.join(sorted(set(wrong)))}")
    return 1 if wrong or tried == 0 or (written == 0 and not chosen.only) else 0


if __name__ == "__main__":
    sys.exit(main())
