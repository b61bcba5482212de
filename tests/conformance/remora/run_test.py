#!/usr/bin/env python3
"""What `nvm run` does with every program here.

    run_test.py NVM

They print their results, or fail as they should.
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent


def wrong(path, run):
    """What is wrong with a run, or nothing."""
    if path.with_suffix(".out").exists():
        wanted = path.with_suffix(".out").read_text(encoding="utf-8")
        return "" if (run.returncode, run.stdout, run.stderr) == (0, wanted, "") else f"expected {wanted}"
    kind, place = path.with_suffix(".err").read_text(encoding="utf-8").split()
    fails = run.returncode in (1, 2) and not run.stdout
    return "" if fails and f"{path}:{place}: error[{kind}]: " in run.stderr else f"expected [{kind}] at {place}"


def main(nvm):
    failures = []
    programs = sorted(HERE.rglob("*.remora"))
    for path in programs:
        run = subprocess.run([nvm, "run", str(path)], capture_output=True, text=True, timeout=60, check=False,
                             stdin=subprocess.DEVNULL)
        what = wrong(path, run)
        if what:
            failures.append(f"{path.name}: {what}; status {run.returncode}, {run.stdout[:300]}{run.stderr[:300]}")
    print(*failures, f"{len(programs)} programs, {len(failures)} failed", sep="\n")
    return 1 if failures or not programs else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
