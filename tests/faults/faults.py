#!/usr/bin/env python3
"""Makes one allocation or system call of a command fail, each in turn, and looks how that ends.

    faults.py NVM SHIM ROOT EXAMPLE_CPP EXAMPLE_C [--all [--each N]] [--only CASE,...] [--seed N] [--jobs N]

A command that was told of a failure ends by itself, with a status and with a message if that is not 0; where it is 0, its
output and files are those of a run without faults. Files that it was to write are whole or not there, what was there before
stays, and nothing is left beside them. Without --all, a sample; with it, more than ten thousand faults.

The seed decides which calls fail, and which commands find a cache that others have left; it is printed first, and what ended badly
with whether it found one. --seed, or NVM_FAULT_SEED, draws the same again; without them --all draws other ones.
"""

import collections
import concurrent.futures
import errno
import gzip
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile

import served

NVM, SHIM, ROOT, EXAMPLE_CPP, EXAMPLE_C = sys.argv[1:6]
ALL = "--all" in sys.argv
EACH = int(sys.argv[sys.argv.index("--each") + 1]) if "--each" in sys.argv else 420  # allocations of a command
ONLY = sys.argv[sys.argv.index("--only") + 1].split(",") if "--only" in sys.argv else []  # cases by name: a sweep in pieces
SEED = sys.argv[sys.argv.index("--seed") + 1] if "--seed" in sys.argv else os.environ.get("NVM_FAULT_SEED", str(random.SystemRandom().getrandbits(32)) if ALL else "26")
JOBS = int(sys.argv[sys.argv.index("--jobs") + 1]) if "--jobs" in sys.argv else 2
PROGRAMS = pathlib.Path(ROOT) / "programs"
SORT, SORT_VCODE = str(PROGRAMS / "quicksort.nesl"), str(PROGRAMS / "quicksort.vcode")
TABLE = "x,y\n1,2\n3,4.5\n"
GROUPS = ["--jit", "always", "--threads", "2", "--block-threshold", "2"]
PARALLEL = "sum({float(rem(i * 7, 1000)) * 2.0 : i in [0:200000]})"

# name, words, standard input, files that are written, in groups that allocate the same
Case = collections.namedtuple("Case", "name words stdin files")
CASES = [
    Case("nesl", [NVM, "run", SORT], "", []),
    Case("expression", [NVM, "run", "-e", "{x * x : x in [1:10]}"], "", []),
    Case("compiled", [NVM, "run", "--jit", "always", "--threads", "2", "-e", PARALLEL], "", []),
    Case("groups", [NVM, "run", *GROUPS, SORT], "", []),
    Case("ranks", [NVM, "run", "--ranks", "3", "--spread", "100", "--jit", "always", "-e", PARALLEL, "--out", "out.npy"], "", ["out.npy"]),
    Case("devices", [NVM, "run", "--devices", "cpu*2", "--jit", "always", "--threads", "4", "-e", PARALLEL], "", []),
    Case("vcode", [NVM, "run", SORT_VCODE, "--input", str(PROGRAMS / "quicksort.in")], "", []),
    Case("modules", [NVM, "run", "main.md"], "", []),
    Case("modules check", [NVM, "check", "--json", "main.md"], "", []),
    Case("limits", [NVM, "run", "--time-limit", "50", "--memory", "100M", "--stats", SORT], "", []),
    Case("compile", [NVM, "compile", "-e", "sum([1, 2])", "-o", "out.vcode"], "", ["out.vcode"]),
    Case("check", [NVM, "check", SORT], "", []),
    Case("check json", [NVM, "check", "--json", SORT_VCODE], "", []),
    Case("disasm", [NVM, "disasm", "--stages", "acfvs", "-e", "sum({x * x : x in [1, 2, 3]})"], "", []),
    Case("explain", [NVM, "explain", "--jit", "always", "--show", "gx", "-e", PARALLEL], "", []),
    Case("profile", [NVM, "profile", SORT, "--html", "out.html", "--folded", "out.txt"], "", ["out.html", "out.txt"]),
    Case("trace", [NVM, "run", "--trace", "out.json", SORT], "", ["out.json"]),
    Case("record", [NVM, "run", "--record", "out.rec", "--in", "tab=table.csv", "-e", "tab"], "", ["out.rec"]),
    Case("replay", [NVM, "replay", "given.rec"], "", []),
    Case("repl", [NVM, "repl"], "x = [1, 2, 3];\nsum(x);\nfunction g(a) = a + 1;\n{g(y) : y in x};\n", []),
    Case("npy", [NVM, "run", "--in", "a=given.npy", "-e", "{x + 1 : x in a}", "--out", "out.npy"], "", ["out.npy"]),
    Case("csv", [NVM, "run", "--in", "tab=table.csv", "-e", "{sum(r) : r in tab}", "--out", "out.csv"], "", ["out.csv"]),
    Case("text", [NVM, "run", "--in", "txt=table.txt", "-e", "txt ++ txt", "--out", "out.txt", "-o", "printed"], "", ["out.txt", "printed"]),
    Case("compressed", [NVM, "run", "--in", "tab=table.csv.gz", "-e", "{sum(r) : r in tab}", "--out", "out.jsonl"], "", ["out.jsonl"]),
    Case("archive", [NVM, "run", "--in", "z=given.npz", "-e", "z", "--out", "out.npz"], "", ["out.npz"]),
    Case("image", [NVM, "run", "--in", "p=given.png", "-e", "p", "--out", "out.png"], "", ["out.png"]),
    Case("charts", [NVM, "run", "-e", "titled(overlay(plot([1, 4, 9]), plot_bars([2])), \"a\")", "--out", "out.png", "--out", "out.svg"], "",
         ["out.png", "out.svg"]),
    Case("remora", [NVM, "run", "--in", "x:[int 100]=given.npy", "--jit", "always", "sum.remora", "--out", "out.npy"], "", ["out.npy"]),
    Case("remora check", [NVM, "check", "--json", str(PROGRAMS / "remora" / "histogram.remora")], "", []),
    Case("remora compile", [NVM, "compile", str(PROGRAMS / "remora" / "dot.remora"), "-o", "out.vcode"], "", ["out.vcode"]),
    Case("remora disasm", [NVM, "disasm", "--stages", "acfv", str(PROGRAMS / "remora" / "dot.remora")], "", []),
    Case("remora repl", [NVM, "repl", "--language", "remora"], "(define x [1 2 3])\n(+ x 1)\n", []),
    Case("tune", [NVM, "tune", SORT], "", []),
    Case("spawn", [NVM, "run", "--allow", "spawn,read,write", "spawn.vcode"], "", []),
    Case("vinterp", [NVM, "vinterp", SORT_VCODE], (PROGRAMS / "quicksort.in").read_text(), []),
    Case("serve", [NVM, "serve", "--port", "0"], "", []),
    Case("version", [NVM, "version"], "", []),
    Case("help", [NVM, "help", "run"], "", []),
    Case("libnvm C++", [EXAMPLE_CPP], "", []),
    Case("libnvm C", [EXAMPLE_C], "", []),
]
# What a command shows differs from run to run.
TIMED = {"profile", "limits", "trace", "tune", "explain"}
# These go on: a form that fails is one of several, a process that is not started is told to the program.
GO_ON = {"repl", "remora repl", "spawn", "serve"}
TERM = "term"  # no failure, but a signal
CUT = "cut"  # no failure, but another process shortens the file
ERRNOS = {"open": (errno.EACCES, errno.EMFILE, errno.EINTR, TERM), "fopen": (errno.EMFILE,), "read": (errno.EIO, errno.EINTR, "short", CUT),
          "write": (errno.ENOSPC, errno.EINTR, "short"), "writev": (errno.ENOSPC,), "fsync": (errno.EIO, TERM), "close": (errno.EIO,),
          "rename": (errno.EACCES, TERM), "unlink": (errno.EACCES, TERM), "linkat": (errno.EACCES, errno.EEXIST, errno.EXDEV, TERM), "stat": (errno.EACCES,),
          "fstat": (errno.EIO,), "lstat": (errno.EACCES,), "access": (errno.EACCES,), "mkdir": (errno.EACCES,),
          "realpath": (errno.EACCES, errno.ELOOP), "readlink": (errno.EACCES,), "fcntl": (errno.EMFILE,), "fdopen": (errno.ENOMEM,),
          "pipe2": (errno.EMFILE,), "posix_spawnp": (errno.EAGAIN, errno.ENOENT), "fork": (errno.EAGAIN,), "memfd_create": (errno.EMFILE,), "pthread_create": (errno.EAGAIN,),
          "mprotect": (errno.ENOMEM,), "fchmod": (errno.EPERM,), "fclose": (errno.EIO,), "fflush": (errno.ENOSPC,)}
# One file that cannot be looked at is another's matter: what is optional is done without.
OLD = "what was there before\n"


def given(folder, warm, cached):
    """The files that cases read, and if it is `cached` what others have left in the cache."""
    (folder / "table.csv").write_text(TABLE)
    (folder / "table.txt").write_text(TABLE)
    (folder / "spawn.vcode").write_text(
        'FUNC MAIN\nCONST CHAR "/bin/echo hello"\nCONST INT -1\nCONST INT 1\nCONST INT 2\nSPAWN\nPOP 3 0\nRET\n')
    (folder / "main.md").write_text('```nesl\nimport "m";\nm.twice(m.a)\n```\n')
    (folder / "m.nesl").write_text("a = [1, 2];\nfunction twice(v) = {2 * x : x in v};\n")
    (folder / "sum.remora").write_text("(+ x 1)\n")
    (folder / "table.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    for name in ("given.npy", "given.rec", "given.npz", "given.png"):
        shutil.copy(warm / name, folder / name)
    if cached and (warm / "cache").exists():
        shutil.copytree(warm / "cache", folder / "cache")


def run(case, folder, **variables):
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_CACHE_HOME": str(folder / "cache"), "LC_ALL": "C.UTF-8", **variables}
    if variables:
        environment["LD_PRELOAD"] = SHIM
    if case.name == "serve":
        return served.run(case.words, folder, environment)
    return subprocess.run(case.words, cwd=folder, input=case.stdin.encode(), env=environment, capture_output=True, check=False, timeout=300)


def contents(folder):
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


class Sweep:
    def __init__(self, scratch):
        self.scratch = scratch
        self.warm = scratch / "warm"
        self.warm.mkdir()
        self.count = 0
        self.ends = collections.Counter()
        self.bad = []

    def prepare(self):
        run(Case("", [NVM, "run", "-e", "[0:100]", "--out", "given.npy"], "", []), self.warm)
        run(Case("", [NVM, "run", "-e", "([1, 2], [0.5])", "--out", "given.npz"], "", []), self.warm)
        run(Case("", [NVM, "run", "-e", "[[0, 100], [200, 255]]", "--out", "given.png"], "", []), self.warm)
        (self.warm / "table.csv").write_text(TABLE)
        run(Case("", [NVM, "run", "--record", "given.rec", "--in", "tab=table.csv", "-e", "{sum(r) : r in tab}"], "", []), self.warm)
        run(Case("", [NVM, "tune", SORT], "", []), self.warm)

    def counts(self, case, cached):
        """How often each function is called, and what comes out, without faults."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        given(folder, self.warm, cached)
        done = run(case, folder, NVM_FAULT_COUNTS=str(self.scratch / "counts"))
        if done.returncode != 0:
            sys.exit(f"{case.name}: without a fault it ends with {done.returncode}: {done.stderr.decode()}")
        counts = {k: int(n) for k, n in (line.split() for line in (self.scratch / "counts").read_text().splitlines())}
        files = contents(folder)
        shutil.rmtree(folder)
        return counts, done, {name: files[name] for name in case.files}

    def one(self, case, expected, files, cached, function, at, kind, goes_on):
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.scratch))
        given(folder, self.warm, cached)
        old = at % 2 == 0
        for name in case.files:
            if old:
                (folder / name).write_text(OLD)
        before = contents(folder)
        variables = {"NVM_FAULT": function, "NVM_FAULT_AT": str(at), "NVM_FAULT_AS": str(kind)}
        if goes_on:
            variables["NVM_FAULT_ON"] = "1"
        wrong = []
        try:
            done = run(case, folder, **variables)
        except subprocess.TimeoutExpired:
            return function, None, ["hangs"], variables
        after = contents(folder)
        killed = kind == TERM and done.returncode == -signal.SIGTERM
        if (done.returncode < 0 or done.returncode > 2) and not killed:
            wrong.append(f"ends with {done.returncode}")
        told_json = "--json" in case.words and b'"message"' in done.stdout
        if done.returncode != 0 and not killed and not done.stderr.strip() and not told_json:
            wrong.append("says nothing")
        if b"also to end in order" in done.stderr:
            self.ends["by the last resort"] += 1
            if os.environ.get("NVM_FAULT_SHOW"):
                print(f"{case.name}: {variables}: by the last resort", flush=True)
        if b"internal error" in done.stderr:
            wrong.append("internal error")
        if done.returncode == 0:
            told = case.name == "spawn" or (case.name in GO_ON and done.stderr)
            if case.name not in TIMED and not told and done.stdout != expected.stdout:
                wrong.append("another output")
            for name in case.files:
                if name not in after or (case.name not in TIMED and name != "out.rec" and after[name] != files[name]):
                    wrong.append(f"{name} is missing or differs")
        for name in case.files:
            if done.returncode != 0 and after.get(name) not in (before.get(name), files[name]) and case.name not in (*TIMED, "record"):
                wrong.append(f"{name} is half-written")
        # To unlink what is to be removed may be what fails.
        left = set(after) - set(before) - set(case.files)
        if left and (function != "unlink" or kind == TERM) and not (goes_on and function in ("close", "rename", "linkat")):
            wrong.append(f"leaves {sorted(left)}")
        shutil.rmtree(folder)
        return function, done, wrong, variables

    def places(self, case, counts):
        """Which calls fail: all if they are few, else some, evenly and at random."""
        chosen = []
        for function, n in counts.items():
            kinds = (errno.ENOMEM,) if function == "memory" else ERRNOS.get(function, ())
            if not ALL:
                limit = 5 if function == "memory" else 1
            else:
                limit = EACH if function == "memory" else 30
            for kind in kinds:
                some = range(1, n + 1) if n <= limit else random.sample(range(1, n + 1), limit)
                for at in some:
                    chosen.append((function, at, kind, False))
                    if function in ("memory", "pthread_create", "write", "open") and at % (2 if ALL else 5) == 0 and kind not in (errno.EINTR, TERM):
                        chosen.append((function, at, kind, True))
        return chosen if ALL else random.sample(chosen, min(len(chosen), 14))

    def run_all(self):
        self.prepare()
        with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
            for case in CASES:
                if ONLY and case.name not in ONLY:
                    continue
                # Drawn here, for each case by itself: neither the order of threads nor other cases change what fails.
                random.seed(f"{SEED} {case.name}")
                counts, expected, files = self.counts(case, random.random() < 0.5)
                places = [(random.random() < 0.5, *place) for place in self.places(case, counts)]
                jobs = [pool.submit(self.one, case, expected, files, *place) for place in places]
                for place, job in zip(places, jobs):
                    function, done, wrong, variables = job.result()
                    self.count += 1
                    self.ends[f"status {done.returncode}" if done else "none"] += 1
                    if wrong:
                        self.bad.append((case, variables, wrong, done))
                        words = " ".join(f"{k}={v}" for k, v in variables.items()) + (", with" if place[0] else ", without") + " a cache"
                        print(f"{case.name}: {words}: {'; '.join(wrong)}: {done.stderr.decode(errors='replace')[-200:] if done else ''}", flush=True)
                if ALL:
                    print(f"{case.name}: {len(places)} faults", flush=True)


def main():
    print(f"seed {SEED}", flush=True)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="nvm_faults_"))
    sweep = Sweep(scratch)
    try:
        sweep.run_all()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    print(f"{sweep.count} faults, {len(sweep.bad)} that ended badly; {dict(sweep.ends)}")
    return 1 if sweep.bad else 0


if __name__ == "__main__":
    sys.exit(main())
