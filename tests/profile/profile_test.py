"""Profiles account for all time, agree with the cost model, and are lost with a message only."""

import csv
import io
import json

from common import FACTORIAL, QUICKSORT, RESULT, ROOT, WORK, expect, finish, nvm, write


def profile(program, *words):
    run = nvm("profile", "--json", "--top", "0", *words, program)
    expect(f"profile {words}", run.returncode == 0, run)
    return json.loads(run.stdout), run


def attributed(p):
    return p["line_seconds"] / p["run_seconds"]


def check_accounts(program):
    p, run = profile(program)
    for _ in range(4):  # a machine that stops the process where it starts or ends takes that time from no line
        again = profile(program) if attributed(p) < 0.98 else (p, run)
        p, run = max((p, run), again, key=lambda both: attributed(both[0]))
    expect("the program's result is on standard error", RESULT in run.stderr, run)
    expect("98 % of the runs' time is some line's", attributed(p) >= 0.98,
           (p["line_seconds"], p["run_seconds"]))
    total = sum(r["self"] for r in p["line"])
    expect("rows add up to everything", abs(total - p["seconds"]) < 0.001 * p["seconds"], (total, p["seconds"]))
    functions = {r["where"]: r for r in p["function"]}
    expect("functions and levels", {"quicksort", "quicksort level 0", "quicksort level 1"} <= set(functions))
    levels = [r for r in p["function"] if r.get("level") is not None and r["function"] == "quicksort"]
    for name in ("self", "calls", "work", "depth"):
        whole = functions["quicksort"][name]
        expect(f"levels add up to the function: {name}",
               abs(sum(r[name] for r in levels) - whole) <= 1e-9 + 1e-6 * abs(whole))
    for r in p["line"] + p["function"] + p["kernel"]:
        shares = sum(r[m] for m in ("interpreted", "fused", "block", "compile"))
        expect("shares are of the whole", r["self"] == 0 or r["where"][0] == "(" or abs(shares - 100) < 0.01, r)
        expect("self is part of wall", r["self"] <= r["wall"] * 1.000001 + 1e-12, r)
    lines = {r["line"] for r in p["line"] if r.get("function") == "quicksort" and "line" in r}
    expect("lines of NESL", {5, 6, 7} <= lines, lines)


def check_rest():
    """What no line of the program did has a name, however little the program does."""
    for program in (write("tiny.nesl", "1 + 1 $\n"), write("fact.vcode", FACTORIAL)):
        for words in ((), ("--threads", "1", "--block-threshold", "2")):
            shares = []
            for _ in range(5):
                p, _ = profile(program, *words)
                expect("rows of all times", {"(set up)", "(load)", "(clear up)"} <= {r["where"] for r in p["line"]}, p["line"])
                shares.append(sum(r["self"] for r in p["line"] if r["where"] == "(other)") / p["seconds"])
            expect("98 % of everything has a name", min(shares) < 0.02, shares)


def check_gallery():
    """Of every program of the gallery next to nothing is left without a name."""
    folder = ROOT / "programs"
    needs = {"word_count": ("--in", f"text={folder / 'word_count.txt'}"), "k_means": ("--in", f"points={folder / 'k_means.csv'}"),
             "mandelbrot_pgm": ("--allow", "write")}
    for program in sorted(folder.glob("*.nesl")):
        words, others = needs.get(program.stem, ()), []
        while len(others) < 4 and min(others, default=1) >= 0.02:
            p, _ = profile(str(program), *words)
            others.append(sum(r["self"] for r in p["line"] if r["where"] == "(other)") / p["seconds"])
        expect(f"98 % of {program.stem} has a name", min(others) < 0.02, others)


def check_costs(program):
    """Work and depth of the whole are those of --cost, however it ran, and what --assert compares."""
    cost = nvm("run", "--cost", "--block-threshold", "off", program)
    figures = dict(line.rsplit(None, 1) for line in cost.stderr.splitlines())
    bound = nvm("run", "--assert", f"work == {figures['work']}", "--assert", f"depth == {figures['depth']}", program)
    expect("a bound is about the whole", bound.returncode == 0, bound)
    for words in (("--jit", "off"), ("--jit", "always"), ("--jit", "hot")):
        again = nvm("run", "--cost", "--block-threshold", "off", *words, program)
        same = [line for line in cost.stderr.splitlines() if line.split()[0] in ("work", "depth")]
        expect(f"--cost {words}", all(line in again.stderr.splitlines() for line in same), (again, same))
        p, _ = profile(program, "--block-threshold", "off", *words)
        expect(f"work {words}", sum(r["work"] for r in p["line"]) == int(figures["work"]), (figures, words))
        expect(f"depth {words}", sum(r["depth"] for r in p["line"]) == int(figures["depth"]), (figures, words))
        if words[1] == "always":
            expect("kernels", p["kernel"] and all(k["calls"] > 0 and k["bytes"] > 0 for k in p["kernel"]))
            expect("fused time", any(r["fused"] > 0 for r in p["line"]))


def check_blocks():
    p, _ = profile(write("fact.vcode", FACTORIAL), "--block-threshold", "2")
    expect("time in groups", any(r["block"] > 0 for r in p["function"]), p["function"])
    lines = [r for r in p["line"] if r["block"] > 0 and r.get("line", 0) > 3]
    expect("by line", len(lines) >= 5 and all(r["calls"] > 0 for r in lines), p["line"])
    p, _ = profile(write("blocks.nesl", QUICKSORT), "--block-threshold", "2", "--threads", "1")
    lines = {r["line"] for r in p["line"] if r["block"] > 0 and "line" in r}
    expect("by NESL line", lines >= {5, 6, 7, 8, 9}, p["line"])
    shares = sum(r["share"] for r in p["line"])
    expect("nothing is lost or counted twice", 98 < shares < 102, shares)
    levels = {r["level"]: r for r in p["function"] if r.get("function") == "quicksort" and r.get("level") is not None}
    expect("levels inside of groups", len(levels) > 8 and all(levels[k]["block"] > 0 and levels[k]["work"] > 0 for k in range(2, 8)),
           levels)
    whole = nvm("run", "--cost", "--block-threshold", "off", str(WORK / "blocks.nesl"))
    figures = dict(line.rsplit(None, 1) for line in whole.stderr.splitlines())
    # The groups compute each for itself what is the same for all instances.
    work = sum(r["work"] for r in p["line"])
    expect("work in groups is that of --cost", int(figures["work"]) <= work < 1.05 * int(figures["work"]), (work, figures))
    expect("groups are no deeper", sum(r["depth"] for r in p["line"]) <= int(figures["depth"]), figures)


def check_vcode(program):
    """Annotated VCODE is charged to lines of its NESL source, other VCODE to its own."""
    compiled = WORK / "q.vcode"
    expect("compile", nvm("compile", "-o", str(compiled), program).returncode == 0)
    p, _ = profile(str(compiled))
    expect("NESL lines of VCODE", any(r.get("file", "").endswith(".nesl") and r.get("line") == 5 for r in p["line"]), p["line"])
    plain = write("plain.vcode", "FUNC MAIN\nCONST INT (9 9)\nRAND\nCONST INT (4 5)\n+ INT\nRET\n")
    p, _ = profile(plain)
    expect("lines of VCODE", any(r.get("line") == 5 and r["file"].endswith("plain.vcode") for r in p["line"]), p["line"])


def check_forms(program):
    run = nvm("profile", "--csv", "--by", "function", "--columns", "self,calls", "--sort", "calls", program)
    rows = list(csv.DictReader(io.StringIO(run.stdout)))
    expect("CSV", rows and list(rows[0]) == ["table", "where", "file", "line", "column", "level", "self", "calls"], run.stdout[:200])
    calls = [float(r["calls"]) for r in rows]
    expect("sorted", calls == sorted(calls, reverse=True), calls)
    run = nvm("profile", "--top", "3", program)
    expect("tables as text", "GB/s to memory" in run.stdout and "quicksort" in run.stdout and "more\n" in run.stdout, run)
    run = nvm("profile", "--folded", "f.txt", "--speedscope", "s.json", program)
    expect("exports", run.returncode == 0, run)
    folded = (WORK / "f.txt").read_text().splitlines()
    expect("folded stacks", folded and all(line.rsplit(" ", 1)[1].isdigit() for line in folded))
    expect("a stack of recursion", any("quicksort;quicksort;" in line for line in folded))
    scope = json.loads((WORK / "s.json").read_text())
    one = scope["profiles"][0]
    frames = len(scope["shared"]["frames"])
    expect("speedscope", len(one["samples"]) == len(one["weights"]) > 0)
    expect("speedscope frames", all(0 <= f < frames for s in one["samples"] for f in s))
    expect("speedscope weights", abs(sum(one["weights"]) - one["endValue"]) < 1e-6)


def check_bad(program):
    for words, said in ((("--columns", "wal"), "did you mean wall?"), (("--sort", "nonsense"), "there is no column nonsense"),
                        (("--by", "lines"), "did you mean line?"), (("--json", "--csv"), "one of them")):
        run = nvm("profile", *words, program)
        expect(f"{words} is refused", run.returncode == 2 and said in run.stderr and run.stdout == "", run)
    for option in ("--html", "--folded", "--speedscope"):
        run = nvm("profile", option, "/dev/full", program)
        expect(f"{option} to a full disk", run.returncode == 1 and "cannot write /dev/full" in run.stderr, run)
        expect("the result is not lost", RESULT in run.stderr)
    run = nvm("profile", "-e", "1 / 0")
    expect("a program that fails", run.returncode == 1, run)


def check_cache(program):
    """The machine's limits are measured once, and again if what is kept is damaged."""
    kept = sorted((WORK / "cache" / "nvm").glob("limits-*"), reverse=True)  # of one thread and of all
    expect("kept", kept)
    before = kept[0].read_text()
    first, _ = profile(program)
    expect("used", kept[0].read_text() == before)
    kept[0].write_text("damaged\n")
    second, _ = profile(program)
    expect("measured again", second["machine"]["bytes_per_second"] > 0 and kept[0].read_text() != "damaged\n")
    run = nvm("profile", program, env={"XDG_CACHE_HOME": "/proc/nowhere"})
    expect("without a cache", run.returncode == 0, run)
    expect("machine", first["machine"]["operations_per_second"] > 0)


def main():
    program = write("quicksort.nesl", QUICKSORT)
    check_accounts(program)
    check_rest()
    check_gallery()
    check_costs(program)
    check_blocks()
    check_vcode(program)
    check_forms(program)
    check_bad(program)
    check_cache(program)
    finish()


main()
