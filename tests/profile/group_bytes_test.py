"""Bytes of groups of block mode, derived by hand, and the same for profiles, --stats and traces."""

import json

from common import WORK, expect, finish, load, nvm, write

N, GROUPS, ROUNDS = 2000, 8, 5
# The factorial of N times 5, on FLOATs, which are stored in eight bytes however they are computed.
PROGRAM = "FUNC MAIN CONST FLOAT (" + "5.0 " * N + f""")
CONST INT {N} MAKE_SEGDES CALL FACT RET
FUNC FACT
COPY 1 1 CONST FLOAT 0.0 COPY 1 2 DIST FLOAT = FLOAT
COPY 1 1 LENGTHS COPY 1 1 B_TO_I COPY 1 3 +_REDUCE INT
COPY 1 1 CONST INT 0 = INT IF
  POP 5 0 CONST FLOAT ()
ELSE COPY 2 0 = INT IF
  POP 3 0 CONST FLOAT 1.0 CPOP 1 1 DIST FLOAT POP 1 1
ELSE COPY 1 0 CONST INT 0 = INT IF
  POP 3 0 COPY 1 1 CONST FLOAT 1.0 COPY 1 2 DIST FLOAT
  - FLOAT
  CPOP 1 1 CALL FACT
  * FLOAT
ELSE
  POP 2 0 NOT BOOL CONST INT 0 CONST INT 1 COPY 1 3 INDEX COPY 1 1 COPY 1 3 PACK INT
  COPY 1 4 COPY 1 2 COPY 1 5 COPY 1 3 BPERMUTE FLOAT
  COPY 1 0 CONST FLOAT 1.0 COPY 1 3 DIST FLOAT - FLOAT COPY 1 2 CALL FACT
  * FLOAT
  COPY 1 2 CONST FLOAT 1.0 COPY 1 6 DIST FLOAT COPY 1 3 COPY 1 7 DPERMUTE FLOAT
  POP 5 1
ENDIF ENDIF ENDIF RET
"""
MINUS, TIMES = 12, 14  # lines
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


def main():
    path = write("factorial.vcode", PROGRAM)
    whole, all_whole = profiled(path, WHOLE)
    cut, all_cut = profiled(path, CUT)
    # x - 1 reads and writes N numbers each round, and the one that is repeated: once in each group.
    expect("a difference in kernel mode", whole[MINUS] == ROUNDS * (2 * 8 * N + 8), whole)
    expect("a difference in groups", cut[MINUS] == ROUNDS * (2 * 8 * N + 8 * GROUPS), cut)
    # Two vectors and their product; but the innermost call gives one number, which groups leave repeated.
    expect("products in kernel mode", whole[TIMES] == ROUNDS * 3 * 8 * N, whole)
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
