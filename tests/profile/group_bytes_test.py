"""Bytes of groups of block mode, derived by hand, and the same for profiles, --stats and traces."""

import json

from common import WORK, expect, finish, load, nvm, write
from lifted import MINUS, TIMES, factorial

N, GROUPS, ROUNDS = 2000, 8, 5
WHOLE, CUT = ("--block-threshold", "off", "--jit", "off"), ("--block-threshold", "2")


def profiled(path, words):
    run = nvm("profile", "--json", "--top", "0", "--by", "line", "--threads", "2", *words, path)
    expect(f"profile {words}", run.returncode == 0, run)
    rows = json.loads(run.stdout)["line"]
    return {r["line"]: r["bytes"] for r in rows if "line" in r}, sum(r["bytes"] for r in rows)


def counted(path, words):
    run = nvm("run", "--stats", "--threads", "2", *words, path)
    return int(next(line.split()[1] for line in run.stderr.splitlines() if line.startswith("bytes ")))


def traced(path, words):
    """Bytes of all groups, and of each: a trace has them where they are counted."""
    run = nvm("run", "--stats", "--trace", "groups.json", "--threads", "2", *words, path)
    expect(f"a trace {words}", run.returncode == 0, run)
    events = load(WORK / "groups.json")
    whole = [e["args"]["bytes"] for e in events if e.get("name") == "FACT in groups"]
    expect("one call is cut", len(whole) == 1, whole)
    return whole[0], [e["args"]["bytes"] for e in events if e.get("name", "").startswith("FACT group ")]


def replacing(n, shared):
    """Puts 7 into the vector 0, 3, 6, ..., which is wanted afterwards if it is shared; REPLACE is line 11 or 12."""
    segdes = ["CONST INT " + str(n), "MAKE_SEGDES"]
    share = ["COPY 1 0"] if shared else []
    return "\n".join(["FUNC MAIN", "CONST INT 0", "CONST INT 3", *segdes, "INDEX", *share, "CONST INT 5", "CONST INT 7",
                      *segdes, "REPLACE INT", "RET", ""])


def replaces():
    """What REPLACE puts into a vector moves, the vector only if somebody else has it."""
    moved = {}
    for n in (1000, 3000):
        for shared in (False, True):
            path = write("replace.vcode", replacing(n, shared))
            lines, _ = profiled(path, (*WHOLE, "--optimise", "off"))
            moved[n, shared] = lines[12 if shared else 11]
            _, whole = profiled(path, WHOLE)
            expect("--stats counts the same", counted(path, WHOLE) == whole, whole)
    expect("in place", moved[1000, False] == moved[3000, False] <= 3 * 8, moved)
    grown = moved[3000, True] - moved[1000, True]
    expect("not in place", grown > 0 and grown % 4000 == 0, moved)


def main():
    replaces()
    path = write("factorial.vcode", factorial(["5.0"] * N, "FLOAT"))
    whole, all_whole = profiled(path, WHOLE)
    cut, all_cut = profiled(path, CUT)
    # x - 1 reads and writes N numbers each round, and the one that is repeated: once in each group.
    expect("a difference in kernel mode", whole[MINUS] == ROUNDS * (2 * 8 * N + 8), whole)
    expect("a difference in groups", cut[MINUS] == ROUNDS * (2 * 8 * N + 8 * GROUPS), cut)
    # Two vectors and their product; but the innermost call gives one number, which is left repeated.
    expect("products in kernel mode", whole[TIMES] == ROUNDS * 3 * 8 * N - 8 * N + 8, whole)
    expect("products in groups", cut[TIMES] == ROUNDS * 3 * 8 * N - 8 * N + 8 * GROUPS, cut)
    expect("--stats in kernel mode", counted(path, WHOLE) == all_whole, all_whole)
    expect("--stats in groups", counted(path, CUT) == all_cut, all_cut)
    groups, each = traced(path, CUT)
    # Results are read and written once more when they are put together.
    expect("groups of a trace", len(each) == GROUPS and groups == sum(each) + 2 * 8 * N, (groups, each))
    expect("a trace counts the same", groups == all_cut, (groups, all_cut))
    compiled, _ = traced(path, (*CUT, "--jit", "always"))
    expect("what is counted is not compiled", compiled == groups, (compiled, groups))
    run = nvm("run", "--trace", "uncounted.json", "--threads", "2", *CUT, path)
    groups = [e["args"] for e in load(WORK / "uncounted.json") if "FACT group" in e.get("name", "")]
    expect("by itself a trace counts no bytes of groups", run.returncode == 0 and len(groups) == GROUPS and
           not any("bytes" in args for args in groups), groups)
    finish()


main()
