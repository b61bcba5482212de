#!/usr/bin/env python3
"""The tables of docs/benchmarks/primitives.md, from one run of prims_bench.

    primitives.py PRIMS_BENCH [--write FILE.md]

Prints Markdown: every primitive on ten million elements, the segmented ones from one segment to as many as
elements, and small vectors. --write puts it between the marks `<!-- begin: primitives -->` and
`<!-- end: primitives -->` of a document. Takes four minutes; let nothing else run.
"""

import datetime
import json
import pathlib
import re
import subprocess
import sys

SEGMENTS = ["1", "10", "1e3", "1e5", "1e6", "1e7", "power"]
SMALL_RUNS = 5


def run(bench, *options):
    out = subprocess.run([bench, "--benchmark_format=json", *options], capture_output=True, text=True, check=True).stdout
    return json.loads(out)


def processor():
    info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    return re.search(r"model name\s*: (.*)", info).group(1)


def machine(context):
    caches = {f"L{c['level']}": c["size"] >> 10 for c in context["caches"] if c["type"] != "Instruction"}
    return f"{processor()}, {context['num_cpus']} processors, " + ", ".join(f"{k} {v} KiB" for k, v in caches.items())


def by_threads(benchmarks):
    """{name: {threads: benchmark}} of what was measured on one thread and on two."""
    table = {}
    for b in benchmarks:
        if parts := re.fullmatch(r"(.*)/([12])/iterations:\d+/real_time", b["name"]):
            table.setdefault(parts[1], {})[parts[2]] = b
    return table


def many(table):
    yield "| primitive | 1 thread | of copy | 2 threads | of copy |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for name, runs in table.items():
        if "_segments:" not in name:
            cells = [f"{runs[t]['best_ms']:.1f} ms | {runs[t]['of_copy']:.2f}" for t in "12"]
            yield f"| {name} | " + " | ".join(cells) + " |"


def segments(table):
    yield "| segments | " + " | ".join(SEGMENTS) + " |"
    yield "| --- |" + " ---: |" * len(SEGMENTS)
    for name in dict.fromkeys(name.split("_segments:")[0] for name in table if "_segments:" in name):
        cells = [table[f"{name}_segments:{s}"] for s in SEGMENTS]
        yield f"| {name} | " + " | ".join(f"{c['1']['of_copy']:.2f}, {c['2']['of_copy']:.2f}" for c in cells) + " |"


def small(benchmarks):
    best = {}
    for b in benchmarks:
        best[b["name"]] = min(b["real_time"], best.get(b["name"], float("inf")))
    yield "| primitive | 1 element | 8 elements |"
    yield "| --- | ---: | ---: |"
    for name in dict.fromkeys(re.sub(r"_\d+_elements", "", n) for n in best):
        yield f"| {name} | " + " | ".join(f"{best[f'{name}_{n}_elements']:.0f} ns" for n in (1, 8)) + " |"


def copies(table):
    """The bandwidth of the copy beside each primitive, GB/s: least and most."""
    for threads in "12":
        rates = [runs[threads]["GB/s"] / runs[threads]["of_copy"] for runs in table.values()]
        yield f"{min(rates):.0f} to {max(rates):.0f} GB/s on {threads} thread{'s' if threads == '2' else ''}"


def document(bench):
    results = run(bench, "--benchmark_filter=/[12]/")
    table = by_threads(results["benchmarks"])
    few = [b for _ in range(SMALL_RUNS) for b in run(bench, "--benchmark_filter=_elements")["benchmarks"]]
    yield f"Machine: {machine(results['context'])}; {datetime.date.today()}. The copy moved {', '.join(copies(table))}."
    for title, lines in (("10 million elements", many(table)), ("From one segment to as many as elements", segments(table)),
                         ("Small vectors", small(few))):
        yield from ("", f"### {title}", "", *lines)


def write(path, lines):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    new, count = re.subn(r"(<!-- begin: primitives -->\n).*(<!-- end: primitives -->)",
                         lambda m: f"{m[1]}\n{lines}\n\n{m[2]}", text, flags=re.S)
    if count != 1:
        sys.exit(f"{path}: no marks to put the tables between")
    pathlib.Path(path).write_text(new, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) == 2:
        print("\n".join(document(sys.argv[1])))
    elif len(sys.argv) == 4 and sys.argv[2] == "--write":
        write(sys.argv[3], "\n".join(document(sys.argv[1])))
    else:
        sys.exit(__doc__)
