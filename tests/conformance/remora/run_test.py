#!/usr/bin/env python3
"""What `nvm run` does with every program here.

    run_test.py NVM

Those that runs.txt lists print their results, or fail as they should. All others are refused: nothing is printed, and
the message says what cannot be run yet, and where.
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def wrong(path, run, listed):
    """What is wrong with a run, or nothing."""
    if not listed:
        refused = run.returncode == 2 and not run.stdout
        return "" if refused and re.search(r":\d+:\d+: error\[unsupported\]: ", run.stderr) else "it is not refused"
    if path.with_suffix(".out").exists():
        wanted = path.with_suffix(".out").read_text(encoding="utf-8")
        return "" if (run.returncode, run.stdout, run.stderr) == (0, wanted, "") else f"expected {wanted}"
    kind, place = path.with_suffix(".err").read_text(encoding="utf-8").split()
    fails = run.returncode in (1, 2) and not run.stdout
    return "" if fails and f"{path}:{place}: error[{kind}]: " in run.stderr else f"expected [{kind}] at {place}"


def main(nvm):
    listed = set((HERE / "runs.txt").read_text(encoding="utf-8").split())
    failures, seen = [], set()
    for path in sorted(HERE.rglob("*.remora")):
        seen.add(path.stem)
        run = subprocess.run([nvm, "run", str(path)], capture_output=True, text=True, timeout=60, check=False,
                             stdin=subprocess.DEVNULL)
        what = wrong(path, run, path.stem in listed)
        if what:
            failures.append(f"{path.name}: {what}; status {run.returncode}, {run.stdout[:300]}{run.stderr[:300]}")
    failures += [f"{name}: there is no such program" for name in sorted(listed - seen)]
    print(*failures, f"{len(listed)} run, {len(seen - listed)} are refused, {len(failures)} failed", sep="\n")
    return 1 if failures or not listed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
