#!/usr/bin/env python3
"""What `nvm check` says of every program here: types, or the kind and the place of the error.

    check_test.py NVM
"""

import json
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
WHEN_IT_RUNS = ("er_rt_", "er_hd_depth_of_recursive_box")  # errors of programs whose types are right
LEAST = 340  # programs that are compared


def check(nvm, *words):
    return subprocess.run([nvm, "check", *words], capture_output=True, text=True, timeout=60, check=False)


def wrong_types(path, run):
    """Against what is behind the last " : " of each line of the results."""
    if run.returncode != 0 or run.stderr:
        return f"status {run.returncode}: {run.stderr[:300]}"
    results = path.with_suffix(".out").read_text(encoding="utf-8").splitlines()
    wanted = [line.rsplit(" : ", 1)[-1] for line in results]
    found = [line.removeprefix("it : ") for line in run.stdout.splitlines() if line.startswith("it : ")]
    return "" if found == wanted else f"types {found}, expected {wanted}"


def wrong_error(nvm, path, run):
    kind, place = path.with_suffix(".err").read_text(encoding="utf-8").split()
    if run.returncode != 2 or run.stdout:
        return f"status {run.returncode}, expected an error [{kind}]; printed {run.stdout[:300]}"
    if f"{path}:{place}: error[{kind}]: " not in run.stderr:
        return f"expected [{kind}] at {place}: {run.stderr[:300]}"
    as_json = check(nvm, "--json", str(path))
    errors = [(e["kind"], f"{e['line']}:{e['column']}") for e in json.loads(as_json.stdout)]
    return "" if as_json.returncode == 2 and (kind, place) in errors else f"--json: {as_json.stdout[:300]}"


def main(nvm):
    compared, failures = 0, []
    for path in sorted(HERE.rglob("*.remora")):
        late = path.name.startswith(WHEN_IT_RUNS)
        run = check(nvm, str(path))
        if path.with_suffix(".out").exists():
            wrong = wrong_types(path, run)
        elif late:
            wrong = "" if run.returncode == 0 else f"status {run.returncode}: {run.stderr[:300]}"
        else:
            wrong = wrong_error(nvm, path, run)
        compared += not late
        if wrong:
            failures.append(f"{path.name}: {wrong}")
    print(*failures, f"{compared} compared, {len(failures)} failed", sep="\n")
    return 1 if failures or compared < LEAST else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
