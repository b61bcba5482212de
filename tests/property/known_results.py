"""Runs NESL programs whose results are known in several modes: --seed and --count of the tests that make such programs."""

import argparse
import random
import subprocess
import tempfile


def wrong_in(nvm, mode, made):
    """How many of the (text, expected line) give something else; says which."""
    wrong = 0
    # One run for all; after one that ends it, another for those that are left.
    while made:
        with tempfile.NamedTemporaryFile("w", suffix=".nesl") as file:
            file.write("".join(f"{text}\n" for text, _ in made))
            file.flush()
            done = subprocess.run([nvm, "run", *mode, file.name], capture_output=True, text=True, check=False)
        lines = done.stdout.splitlines()
        if done.returncode != 0 and len(lines) >= len(made):
            print(f"{' '.join(mode)}: status {done.returncode}\n{done.stderr}")
            wrong += 1
        for (text, expected), line in zip(made, lines):
            if line != expected:
                print(f"{' '.join(mode)}:\n{text}\n  {line}\n  expected {expected}")
                wrong += 1
        if len(lines) < len(made):
            print(f"{' '.join(mode)}:\n{made[len(lines)][0]}\n{done.stderr}")
            wrong += 1
        made = made[len(lines) + 1:]
    return wrong


def main(usage, parts):
    """Exit status. Of each part: modes, and programs(draw, count=N), which makes pairs of a text and a line."""
    words = argparse.ArgumentParser(usage=usage)
    words.add_argument("nvm")
    words.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    words.add_argument("--count", type=int, default=60)
    args = words.parse_args()
    print(f"seed {args.seed}")
    wrong = 0
    for k, (modes, programs) in enumerate(parts):
        made = programs(random.Random(args.seed + k), count=args.count)
        wrong += sum(wrong_in(args.nvm, mode, made) for mode in modes)
    return 1 if wrong else 0
