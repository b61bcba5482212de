"""Rounds and messages of programs on 2, 4, 8 and 16 ranks, which are threads: rounds do not follow from how many ranks there
are. A recursion is finished by each rank alone as soon as there is about as much for each: twice as many ranks want a few more levels.

  rounds.py NVM
"""
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
PROGRAMS = HERE.parent.parent / "programs"
RANKS = (2, 4, 8, 16)
SPREAD, SEED = "500", "1"

# Gallery program whose functions it has, expression, most rounds on so many ranks.
CASES = (
    ("quicksort", "sum(quicksort({rand(1000000000) : i in [0:30000]}))", (40, 75, 110, 200)),
    ("quickhull", "#quickhull({(float(rand(100000)), float(rand(100000))) : i in [0:30000]})", (50, 95, 95, 95)),
    ("spmv", "let n = 10000; m = {{(j, 1.5) : j in [max(0, i - 1):min(n, i + 2)]} : i in [0:n]}; y = spmv(m, dist(1.0, n)) in sum(y)",
     (12, 12, 12, 12)),
    ("nbody", "let n = 600; bodies = {((float(rand(100)), float(rand(100)), float(rand(100))), 1.0) : i in [0:n]} in "
     "sum({tenths(x) : ((x, y, z), m) in run(bodies, dist((0.0, 0.0, 0.0), n), 0.01, 2)})", (44, 44, 44, 44)),
)


def definitions(name):
    """The functions of a gallery program, without what it evaluates."""
    text = (PROGRAMS / f"{name}.nesl").read_text()
    return "".join(form + "$\n" for form in text.split("$") if "function " in form)


def counted(end, what):
    found = re.search(rf"^{what} +(\d+)", end.stderr, re.M)
    return int(found[1]) if found else 0


def main(nvm):
    wrong = []
    for name, expression, bounds in CASES:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / f"{name}.nesl"
            path.write_text(f"{definitions(name)}{expression};\n")
            words = [nvm, "run", path, "--threads", "1", "--seed", SEED, "--spread", SPREAD, "--stats"]
            alone = subprocess.run(words, capture_output=True, text=True, check=True).stdout
            for ranks, most in zip(RANKS, bounds):
                end = subprocess.run([*words, "--ranks", str(ranks)], capture_output=True, text=True, check=True)
                rounds, messages, sent = (counted(end, what) for what in ("rounds", "messages", "bytes sent"))
                print(f"{name} on {ranks} ranks: {rounds} rounds, {messages} messages, {sent} bytes")
                if end.stdout != alone:
                    wrong.append(f"{name} on {ranks} ranks gives {end.stdout}, not {alone}")
                if not 0 < rounds <= most:
                    wrong.append(f"{name} on {ranks} ranks: {rounds} rounds, at most {most}")
                if messages > rounds * (ranks - 1):
                    wrong.append(f"{name} on {ranks} ranks: {messages} messages")
    print("\n".join(wrong) or "right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
