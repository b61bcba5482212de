"""Traces obey Chrome's trace event format, say what the program did, and survive full disks and kills."""

import json
import os
import pathlib
import signal
import subprocess
import time

from common import FACTORIAL, NVM, QUICKSORT, RESULT, WORK, expect, finish, load, nvm, write

# By phase: the fields that must be there beside ph, pid, tid, ts and name.
FIELDS = {"X": {"dur": (int, float)}, "B": {}, "E": {}, "i": {"s": str}, "C": {"args": dict}, "M": {"args": dict},
          "s": {"id": int}, "f": {"id": int, "bp": str}}
EPSILON = 0.0011  # microseconds, a rounding


def check_schema(events, name):
    """Every event is well formed, slices of a track nest, and every arrow has two ends."""
    slices, stacks, arrows = {}, {}, {"s": set(), "f": set()}
    for e in events:
        expect(f"{name}: phase", e.get("ph") in FIELDS, e)
        for field, kind in {"pid": int, "tid": int, "ts": (int, float), "name": str, **FIELDS.get(e["ph"], {})}.items():
            expect(f"{name}: {field} of {e['ph']}", isinstance(e.get(field), kind), e)
        expect(f"{name}: time", e["ts"] >= 0 and e.get("dur", 0) >= 0, e)
        if e["ph"] == "X":
            slices.setdefault(e["tid"], []).append((e["ts"], e["ts"] + e["dur"], e["name"]))
        elif e["ph"] == "B":
            stacks.setdefault(e["tid"], []).append((e["ts"], e["name"]))
        elif e["ph"] == "E":
            expect(f"{name}: an end has a beginning", stacks.get(e["tid"]), e)
            if stacks.get(e["tid"]):
                at, title = stacks[e["tid"]].pop()
                slices.setdefault(e["tid"], []).append((at, e["ts"], title))
        elif e["ph"] in "sf":
            arrows[e["ph"]].add(e["id"])
        elif e["ph"] == "C":
            expect(f"{name}: counters are numbers", all(isinstance(v, (int, float)) for v in e["args"].values()), e)
    expect(f"{name}: arrows have two ends", arrows["s"] == arrows["f"])
    for track, all_slices in slices.items():
        open_slices = []
        for begin, end, title in sorted(all_slices, key=lambda s: (s[0], -s[1])):
            while open_slices and open_slices[-1][1] <= begin + EPSILON:
                open_slices.pop()
            if open_slices:
                expect(f"{name}: slices of track {track} nest", end <= open_slices[-1][1] + EPSILON,
                       f"{title} {begin}..{end} in {open_slices[-1]}")
            open_slices.append((begin, end, title))


def named(events, category, part=""):
    return [e for e in events if e.get("cat") == category and part in e["name"]]


def check_what_it_says(events):
    calls = named(events, "call", "quicksort")
    expect("calls by NESL function", calls)
    expect("calls say their level", {e["args"]["level"] for e in calls if "args" in e} >= {0, 1})
    expect("lines by function and number", any(e["args"]["line"] > 1 for e in named(events, "line", "quicksort:")))
    expect("regions say why they ended", all(" " in e["args"]["ended because"] for e in named(events, "region")) and
           named(events, "region"))
    expect("compilations", named(events, "compile"))
    kernels = [e for e in named(events, "kernel") if e["tid"] == 2]
    expect("kernels", kernels)
    for field in ("combinators", "elements", "bytes", "GB/s", "mode", "lines"):
        expect(f"kernels say {field}", all(field in e["args"] for e in kernels))
    levels = [e for e in named(events, "level", "quicksort level") if "lengths" in e["args"]]
    expect("segments at levels", levels)
    for e in levels:
        counted = sum(e["args"]["lengths"].values())
        expect("a histogram counts every segment", counted == e["args"]["segments"], e)
    tracks = {e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    expect("tracks have names", {"host", "kernels"} <= tracks, tracks)
    memory = [e["args"] for e in events if e["ph"] == "C" and e["name"] == "memory"]
    expect("memory counters", memory and all({"live", "pool", "peak"} == set(m) for m in memory))


def check_blocks():
    program = write("fact.vcode", FACTORIAL)
    run = nvm("run", "--block-threshold", "2", "--threads", "2", "--trace", "b.json", program)
    alone = nvm("run", "--block-threshold", "off", program)
    expect("result beside a trace of block mode", run.returncode == 0 and run.stdout == alone.stdout, run)
    events = load(WORK / "b.json")
    check_schema(events, "blocks")
    groups = named(events, "block", " group ")
    expect("groups of block mode on the tracks of workers", groups and all(e["tid"] >= 10 for e in groups))
    expect("the call in groups on the host", any(e["args"]["groups"] > 0 for e in named(events, "block", "in groups")))


def check_bad_output(program):
    run = nvm("run", "--trace", "/dev/full", program)
    expect("the result is there, without a trace", run.stdout == RESULT and run.returncode == 1, run)
    expect("complains about the disk", "/dev/full: No space left on device" in run.stderr, run)
    run = nvm("run", "--trace", str(WORK / "no" / "dir.json"), program)
    expect("nothing runs if there can be no file", run.stdout == "" and run.returncode == 2 and "No such file" in run.stderr, run)


def check_kill():
    """A run that is killed leaves a file that can be read, with the calls that were open."""
    endless = write("endless.nesl", "function deep(n) = if n == 0 then 0 else deep(n - 1) $\n"
                    "function go(n) = if n == 0 then 0 else let x = deep(1000) in x + go(n - 1) $\ngo(100000000) $\n")
    path = WORK / "k.json.part"  # as it is called until it is whole
    process = subprocess.Popen([NVM, "run", "--trace", str(WORK / "k.json"), endless], stdout=subprocess.DEVNULL)
    for _ in range(3000):
        time.sleep(0.02)
        if path.exists() and '"ph":"B"' in path.read_text():
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    events = load(path)
    expect("calls that were open when it was killed", any(e["ph"] == "B" for e in events))
    expect("their functions", any(e["name"] == "go" for e in events))


def check_left_out():
    """A program of very many short calls is not slowed down: what is not noted is said."""
    fib = write("fib.nesl", "function fib(n) = if n < 2 then n else fib(n - 1) + fib(n - 2) $\nfib(21) $\n")
    run = nvm("run", "--trace", "f.json", fib)
    expect("fib", run.stdout == "it = 10946 : int\n", run)
    events = load(WORK / "f.json")
    check_schema(events, "fib")
    left_out = named(events, "trace", "left out")
    noted = len(named(events, "call"))
    expect("says how many calls it left out", left_out and left_out[0]["args"]["calls"] > 1000)
    expect("bounded", noted < 20000, noted)


def check_small_regions():
    """Nor is one of very many short fused lines, which are followed as without a trace."""
    sweeps = write("sweeps.nesl", "function sweep(v, k) = if k == 0 then v else sweep({(a + b + c) / 3.0 : a in rotate(v, 1);"
                   " b in v; c in rotate(v, -1)}, k - 1) $\nmax_val(sweep(dist(1.0, 5000), 20000)) $\n")
    run = nvm("run", "--trace", "r.json", sweeps)
    expect("sweeps", run.stdout == "it = 1.0 : float\n", run)
    events = load(WORK / "r.json")
    check_schema(events, "sweeps")
    left_out = named(events, "trace", "left out")
    noted = len(named(events, "region"))
    expect("says how many regions it left out", left_out and left_out[0]["args"]["regions"] > 1000, left_out)
    expect("some are noted, with their kernels", 0 < noted < 10000 and any(e["tid"] == 2 for e in named(events, "kernel")), noted)


def check_fault():
    run = nvm("run", "--trace", "e.json", "-e", "let v = [1, 2, 3] in {v[i + 5] : i in [0:3]}")
    expect("a fault stays one", run.returncode == 1, run)
    check_schema(load(WORK / "e.json"), "fault")


def check_commands(program):
    explain = write("p.vcode", "FUNC MAIN CONST INT (1 2 3) CONST INT (4 5 6) + INT RET\n")
    for words, out in ((["vinterp", "--trace", "v.json", explain], "( 5 7 9 )\n"), (["explain", "--trace", "v.json", explain], None)):
        run = nvm(*words)
        expect(f"{words[0]} runs", run.returncode == 0 and (out is None or run.stdout == out), run)
        check_schema(load(WORK / "v.json"), words[0])
        os.remove(WORK / "v.json")
    nvm("repl", "--trace", "v.json", stdin="1 + 2;\n")
    check_schema(load(WORK / "v.json"), "repl")


def main():
    program = write("quicksort.nesl", QUICKSORT)
    run = nvm("run", "--jit", "always", "--block-threshold", "off", "--trace", "t.json", program)
    expect("the result, beside a trace", run.stdout == RESULT and run.stderr == "", run)
    expect("the file is JSON as it is", json.loads(pathlib.Path(WORK / "t.json").read_text()))
    events = load(WORK / "t.json")
    check_schema(events, "quicksort")
    check_what_it_says(events)
    check_blocks()
    check_bad_output(program)
    check_kill()
    check_left_out()
    check_small_regions()
    check_fault()
    check_commands(program)
    finish()


main()
