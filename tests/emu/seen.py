#!/usr/bin/env python3
"""usage: seen.py NVM FOLDER: what traces, profiles and NVIDIA's tools see of a GPU, on the emulated device in FOLDER/device."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from lifted import factorial

nvm, emu = sys.argv[1:3]
PROGRAM = """
function collatz(v, n) =
if n == 0 then v
else collatz({select(rem(x, 2) == 0, x / 2, 3 * x + 1) : x in v}, n - 1) $
let v = [1:3000]; w = collatz(v, 6) in (sum(w), max_val(w)) $
"""
failures = 0


def check(what, condition, detail=""):
    global failures
    if not condition:
        failures += 1
        print(f"{what}\n  {str(detail)[:2000]}")


with tempfile.TemporaryDirectory() as folder:
    path = lambda name: os.path.join(folder, name)
    with open(path("p.nesl"), "w") as out:
        out.write(PROGRAM)

    def run(command, *words, device="device", file="p.nesl", **settings):
        env = dict(os.environ, NVM_ENGINE="cuda", NVM_JIT="always", NVM_REGION_LIMIT="12",
                   LD_LIBRARY_PATH=os.path.join(emu, device), **settings)
        env.setdefault("XDG_CACHE_HOME", path("cache"))
        got = subprocess.run([nvm, command, *words, path(file)], env=env, capture_output=True, text=True)
        check(f"{command} {words}", got.returncode == 0, got)
        return got

    plain = run("run", NVM_EMU_NVTX=path("nvtx"))
    check("no complaints", plain.stderr == "", plain)
    ranges = open(path("nvtx")).read().splitlines()
    depth = 0
    for line in ranges:
        depth += 1 if line.startswith("push") else -1
        check("ranges are closed", depth in (0, 1), ranges)
    check("ranges name the function and line", depth == 0 and any("collatz:4" in line for line in ranges), ranges)

    os.mkdir(path("bare"))
    for library in ("libcuda.so.1", "libnvrtc.so.13"):
        os.symlink(os.path.join(emu, "device", library), path("bare/" + library))
    without = run("run", device=path("bare"))
    check("nothing is missed without NVTX", without.stdout == plain.stdout and without.stderr == "", without)

    def counts(*words):
        run("run", *words, NVM_EMU_COUNTS=path("counts"))
        with open(path("counts")) as text:
            return text.read()

    check("--stats changes nothing of what the device and its driver do", counts("--stats") == counts(), counts("--stats"))

    traced = run("run", "--trace", path("t.json"))
    check("the same result", traced.stdout == plain.stdout, traced)
    with open(path("t.json")) as text:
        events = json.load(text)
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    tracks = [tid for tid, name in names.items() if name.startswith("GPU stream")]
    check("a track of the GPU", len(tracks) == 1, names)
    kernels = [e for e in events if e["ph"] == "X" and e["tid"] in tracks]
    check("kernels on it", len(kernels) >= 6 and all(e["args"]["mode"] == "cuda" for e in kernels), kernels)
    check("that take time", all(e["dur"] > 0 and e["args"]["elements"] > 0 and e["args"]["bytes"] > 0 for e in kernels), kernels)
    check("by name", any("collatz:4" in e["name"] for e in kernels), kernels)
    starts = {e["id"]: e for e in events if e["ph"] == "s"}
    ends = [e for e in events if e["ph"] == "f" and e["tid"] in tracks]
    check("an arrow to each", len(ends) == len(kernels), (len(ends), len(kernels)))
    check("from the host, before it begins", all(names[starts[e["id"]]["tid"]] == "host" and starts[e["id"]]["ts"] <= e["ts"]
                                               for e in ends), ends)
    regions = [e for e in events if e["ph"] == "X" and e.get("cat") == "region"]
    inside = lambda e: any(r["ts"] <= e["ts"] and e["ts"] + e["dur"] <= r["ts"] + r["dur"] + 1 for r in regions)
    check("while the region runs", all(inside(e) for e in kernels), (kernels, regions))

    profile = json.loads(run("profile", "--json", "--top", "0").stdout)
    rows = [r for r in profile["kernel"] if "collatz" in r["where"]]
    check("kernels in a profile", rows and all(r["calls"] > 0 and r["self"] > 0 for r in rows), profile["kernel"])

# Kernels that code generation adds, as that of the offsets of what a nested filter keeps, are no kernels of the plan; those
# left to primitives run on the host.
with tempfile.TemporaryDirectory() as folder:
    with open(path("p.nesl"), "w") as out:
        out.write("""a = {{rem(i * j, 17) : j in [0:i]} : i in [0:200]} $
let kept = {{x * 2 : x in r | x > 5} : r in a}; more = {{x + sum(r) : x in r | x > 7} : r in kept}
in sum({max_val(r) : r in more | #r > 0}) $
sum({x * i : x in rank({rem(i * i, 91) : i in [0:3000]}); i in [0:3000]}) $
""")
    plain = run("run")
    traced = run("run", "--trace", path("t.json"))
    check("the same result of nested filters", traced.stdout == plain.stdout and "nvm:" not in plain.stderr, traced)
    profile = json.loads(run("profile", "--json", "--top", "0").stdout)
    check("their kernels are named", all(r["where"] for r in profile["kernel"]), profile["kernel"])

with tempfile.TemporaryDirectory() as folder:
    with open(path("p.nesl"), "w") as out:
        out.write("function fact(n) = if n < 2 then 1 else n * fact(n - 1) $\nsum({fact(rem(i, 9)) : i in [0:300]}) $\n")
    plain = run("run", "--block-threshold", "off")
    traced = run("run", "--block-threshold", "2", "--trace", path("b.json"))
    check("the same result in groups", traced.stdout == plain.stdout, traced)
    with open(path("b.json")) as text:
        events = json.load(text)
    names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
    groups = [e for e in events if e["ph"] == "X" and names[e["tid"]].startswith("GPU stream") and e.get("cat") == "block"]
    check("groups on the track of the GPU", groups and all("fact" in e["name"] and e["args"]["groups"] > 1 and e["dur"] > 0
                                                           for e in groups), events)
    waits = [e for e in events if e["ph"] == "X" and names[e["tid"]] == "host" and e["name"] == "fact in groups"]
    check("while the host waits", all(any(w["ts"] <= e["ts"] and e["ts"] + e["dur"] <= w["ts"] + w["dur"] + 1 for w in waits)
                                      for e in groups), (groups, waits))
    starts, ends = ([e["id"] for e in events if e["ph"] == phase] for phase in "sf")
    check("arrows have two ends", sorted(starts) == sorted(ends) and len(ends) >= len(groups), (starts, ends))

    # Bytes of groups, of 2000 FLOATs and 5 rounds. An instance has, with a FLOAT and an INT in 8 bytes and a flag in 1:
    #   each round  DIST 8, = 17, B_TO_I 9, +_REDUCE 8, DIST 8, - 24, * 24, its result moved down 16: 114
    #   the last    DIST 8, = 17, B_TO_I 9, +_REDUCE 8, DIST 8: 50
    #   once        copied in 16, out 16, and put together 16: 48
    # A group has single numbers: LENGTHS 8, +_REDUCE 8, two DIST 16, and comparisons of 17, three or, in the last round, two.
    with open(path("f.vcode"), "w") as out:
        out.write(factorial(["5.0"] * 2000, "FLOAT"))
    grouped = ("--block-threshold", "2")
    run("run", *grouped, "--stats", "--trace", path("f.json"), file="f.vcode")
    with open(path("f.json")) as text:
        events = json.load(text)
    calls = [e["args"] for e in events if e["name"] == "FACT in groups"]
    check("one call in groups", len(calls) == 1, calls)
    derived = 2000 * (5 * 114 + 50 + 48) + calls[0]["groups"] * (5 * 83 + 66)
    check("bytes of groups", calls[0]["bytes"] == derived, (calls, derived))
    ran = [e["args"] for e in events if e["name"] == "FACT groups on the GPU"]
    check("all but putting together was on the device", sum(e["bytes"] for e in ran) == derived - 2000 * 16, (ran, derived))
    stats = run("run", *grouped, "--stats", file="f.vcode").stderr
    counted = [int(line.split()[1]) for line in stats.splitlines() if line.startswith("bytes ")]
    check("--stats has them too", counted and derived <= counted[0] <= derived + 100, (counted, derived))
    check("--stats says where", f"group on device   {calls[0]['groups']}" in stats, stats)
    rows = json.loads(run("profile", "--json", "--top", "0", "--by", "function", *grouped, file="f.vcode").stdout)["function"]
    check("a profile has them by function", any(r["function"] == "FACT" and r["bytes"] == derived for r in rows), rows)
    run("run", *grouped, "--trace", path("f.json"), file="f.vcode")
    with open(path("f.json")) as text:
        events = json.load(text)
    check("by itself a trace counts none", not any("bytes" in e.get("args", {}) for e in events if "FACT" in e["name"]), events)

sys.exit(1 if failures else 0)
