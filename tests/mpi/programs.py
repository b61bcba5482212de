#!/usr/bin/env python3
"""`nvm run` under a real launcher: what programs print on several ranks is what they print on one; what goes wrong
is said once, by the rank that it happens to, with a status that is not 0, and nothing is left running.

    programs.py MPI BUILD NVM SOURCE
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import launch

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "conformance"))
import on_ranks

# Short ones of the gallery, with every kind of instruction among them.
GALLERY = ("dot_product", "line_fit", "mandelbrot", "quicksort", "primes", "histogram", "matrix", "mcss", "nbody")
SOON = 30  # seconds: a run that does not hang is over long before


class Checks:
    def __init__(self, mpi, build, nvm):
        self.mpi, self.build, self.nvm, self.wrong = mpi, build, nvm, []
        self.plugin = str(launch.plugin(build, mpi))

    def run(self, ranks, *words, **env):
        return launch.run(self.mpi, ranks, [self.nvm, "run", *words], **{"NVM_MPI": self.plugin, **env})

    def expect(self, what, good, result):
        if not good:
            self.wrong.append(f"{what}: status {result[0]}\n{result[1][:1000]}{result[2][:2000]}")

    def same(self, what, ranks, *words, **env):
        """The output of one process without a launcher."""
        alone = subprocess.run([self.nvm, "run", *words], capture_output=True, text=True, timeout=launch.LIMIT)
        result = self.run(ranks, *words, **env)
        self.expect(f"{what} on {ranks} ranks", result[:2] == (alone.returncode, alone.stdout), result)

    def fails(self, what, said, ranks, *words, **env):
        """Not with status 0, within the limit, and says that once."""
        begin = time.monotonic()
        result = self.run(ranks, *words, **env)
        good = result[0] != 0 and result[2].count(said) == 1 if said else result[0] != 0
        self.expect(f"{what} on {ranks} ranks", good and time.monotonic() - begin < SOON, result)
        return result


def counted(what, stats):
    found = re.search(rf"^{what} +(\d+)$", stats, re.M)
    return int(found[1]) if found else 0


def programs(checks, source):
    if os.environ.get("NVM_TESTS") == "all":
        for path in sorted((source / "programs").glob("*.nesl")):
            checks.same(path.name, 3, path, "--spread", "1")
    for name in GALLERY:
        path = source / "programs" / f"{name}.nesl"
        checks.same(name, 2, path, "--spread", "1")
    result = checks.run(2, "-e", "sum({rand(10) : i in [0:9]}) >= 0", "--spread", "1", "--stats")
    checks.expect("ranks that talk", counted("messages", result[2]) > 0, result)
    for ranks in (1, 3):
        checks.same("quicksort", ranks, source / "programs" / "quicksort.nesl", "--spread", "1")


def corpus(checks, folder):
    """Of the corpus and the gallery some, with the bytes of their last values."""
    every = 7 if os.environ.get("NVM_TESTS") == "all" else 41
    value, compared = folder / on_ranks.NPY, 0
    for number, (name, file, options, given) in enumerate(on_ranks.corpus()):
        if number % every or "spawn" in name:
            continue
        more, expected = on_ranks.alone(checks.nvm, file, options, given)
        value.unlink(missing_ok=True)
        words = [*options, *(["--out", value] if more else []), "--spread", "1", file]
        text = given.read_text() if given else ""
        ranks = 1 + number // every % 3
        result = launch.start([*launch.LAUNCHERS[checks.mpi], "-n", ranks, checks.nvm, "run", *words], stdin=text,
                              cwd=folder, NVM_MPI=checks.plugin)
        same = (result[0] != 0) == (expected[0] != 0) and result[1].encode() == expected[1]
        checks.expect(f"{name} on {ranks} ranks", same and (not value.exists() or value.read_bytes() == expected[3]), result)
        compared += value.exists()
    checks.expect("values are written", compared > 0, (0, str(compared), ""))


def files(checks, folder):
    """What the first rank writes is, byte for byte, what one process writes; all ranks read what is bound."""
    made = "{sqrt(float(i)) / 3.0 : i in [0:100000]}"
    for name, ranks in (("one.npy", 1), ("two.npy", 2), ("three.npy", 3)):
        result = checks.run(ranks, "--spread", "1", "--out", folder / name, "-e", made)
        checks.expect(f"--out of {ranks} ranks", result[0] == 0, result)
    first, *others = ((folder / name).read_bytes() for name in ("one.npy", "two.npy", "three.npy"))
    checks.expect("bytes of --out", all(other == first for other in others), (0, "", ""))
    checks.same("--in", 2, "--in", f"v={folder / 'one.npy'}", "--spread", "1", "-e", "sum({x / 7.0 : x in v})")


def endings(checks, folder):
    bad = folder / "bad.nesl"
    bad.write_text("1 + ;\n")
    fault = folder / "fault.nesl"
    fault.write_text("sum({1 / (x - 500) : x in [0:1000]});\n")
    good = folder / "good.nesl"
    good.write_text("sum({x * x : x in [0:100000]});\n")
    other = folder / "other.nesl"
    other.write_text("sum({x + x : x in [0:100000]});\n")
    checks.fails("a program that is wrong", "bad.nesl", 2, bad)
    checks.fails("no such program", "nowhere.nesl", 2, folder / "nowhere.nesl")
    checks.fails("a fault of the program", "fault.nesl", 3, fault, "--spread", "1")
    checks.fails("--ranks", "--ranks: the launcher", 2, good, "--ranks", "2")
    for words in (["--untrusted"], ["--fuel", "1000"], ["--cost"], ["--assert", "work <= 3"]):
        checks.fails(words[0], words[0] + ": work is not counted on ranks", 2, good, *words)
    result = checks.run(2, good, "--ranks", "1")
    checks.expect("--ranks 1, each alone", result[0] == 0 and result[1].count("it = ") == 2, result)
    for command in ("profile", "explain"):
        result = launch.run(checks.mpi, 2, [checks.nvm, command, good])
        checks.expect(command, result[0] == 0 and result[2].count(f"2 processes runs {command} for itself") == 1, result)
    checks.fails("--wait-limit x", "--wait-limit", 2, good, "--wait-limit", "x")
    checks.fails("--output into no folder", "nowhere", 2, good, "--output", folder / "nowhere" / "x")
    for call in (3, 8):
        for rank in (0, 1):
            where = f"rank={rank} call={call}"
            checks.fails(f"killed, {where}", "", 2, good, "--spread", "1", NVM_RANK_FAULTS=f"{where} do=kill")
            checks.fails(f"failing, {where}", f"rank {rank}: failed at call {call}", 2, good, "--spread", "1",
                         NVM_RANK_FAULTS=f"{where} do=fail")
            checks.fails(f"stopped, {where}", f"rank {rank}: does not answer", 2, good, "--spread", "1",
                         "--wait-limit", "2,stop", NVM_RANK_FAULTS=f"{where} do=stop")
    result = checks.run(2, good, "--spread", "1", "--wait-limit", "1",
                        NVM_RANK_FAULTS="rank=1 call=5 do=delay seconds=3")
    late = result[2].count("rank 0 has waited 1 s for rank 1") == 1
    checks.expect("a slow rank", result[0] == 0 and late and result[1].count("\n") == 1, result)
    words = launch.LAUNCHERS[checks.mpi]
    command = ["-n", "1", checks.nvm, "run", good, ":", "-n", "1", checks.nvm, "run", other]
    result = launch.start([*words, *command], NVM_MPI=checks.plugin)
    checks.expect("two programs", result[0] != 0 and result[2].count("has another command line than rank 0") == 1, result)
    more = folder / "more.nesl"
    more.write_text("let v = {float(i) : i in [0:4000000]}; w = {x * 3.0 : x in v} in sum({a + b : a in v; b in w});\n")
    command = ["-n", "1", checks.nvm, "run", more, ":", "-n", "1", checks.nvm, "run", "--memory", "4M", more]
    result = launch.start([*words, *command], NVM_MPI=checks.plugin)
    checks.expect("a rank of little memory", result[0] != 0 and result[2].count("rank 1: ran out of") == 1, result)
    text = good.read_text()
    result = launch.start([*words, "-n", "2", checks.nvm, "run", "-"], stdin=text, NVM_MPI=checks.plugin)
    checks.expect("a program on standard input", result[0] == 0 and result[1].count("\n") == 1, result)


def given(checks, folder):
    """Standard input is the first rank's, who sends it; of other files each rank has its own, which are the same."""
    table = "1,2\n3,4\n5,6\n"
    words = [*launch.LAUNCHERS[checks.mpi], "-n", "3", checks.nvm, "run"]
    for name in ("v:csv=-", "v=csv:/dev/stdin"):
        result = launch.start([*words, "--in", name, "-e", "(#v, sum({sum(r) : r in v}))", "--spread", "1"], stdin=table,
                              NVM_MPI=checks.plugin)
        checks.expect(f"--in {name}", result[:2] == (0, "it = (3, 21.0) : int, float\n"), result)
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    for what in (["--in", f"v:csv={pipe}", "-e", "#v"], [pipe]):
        checks.fails("a pipe", f"{pipe} is a pipe", 2, *what)
    for name, text in (("p.nesl", "#v;\n"), ("v.csv", table)):
        for place in ("here", "there"):
            (folder / place).mkdir(exist_ok=True)
            (folder / place / name).write_text(text)
    command = ["-n", "1", "sh", "-c", 'cd "$0" && exec "$1" run p.nesl --in v:csv=v.csv']
    here, there = folder / "here", folder / "there"
    for name, text, what in (("v.csv", "1,2\n3,7\n5,6\n", "input v.csv"), ("p.nesl", "# v;\n", "program p.nesl")):
        (there / name).write_text(text)
        result = launch.start([*launch.LAUNCHERS[checks.mpi], *command, here, checks.nvm, ":", *command, there, checks.nvm], NVM_MPI=checks.plugin)
        said = re.search(rf"rank 1 \(.*\) has another {what} than rank 0: {len(text)} bytes, checksum [0-9a-f]+, not \d+ bytes", result[2])
        checks.expect(f"another {what}", result[0] != 0 and said, result)


def waits(checks, folder):
    """Ranks that do not come are missed, by the second rank if it is the first, and before MPI has begun, too."""
    good = folder / "good.nesl"
    good.write_text("sum({x * x : x in [0:100000]});\n")
    slow = checks.run(2, good, "--spread", "1", "--wait-limit", "1", NVM_RANK_FAULTS="rank=0 call=10 do=delay seconds=3")
    checks.expect("a slow first rank", slow[0] == 0 and slow[2].count("rank 1 has waited 1 s for rank 0") == 1, slow)
    checks.fails("before a run", "rank 0: does not answer", 2, good, "--wait-limit", "1,stop",
                 NVM_RANK_FAULTS="rank=0 call=2 do=delay seconds=4")
    for number, others in enumerate((["true"], ["sleep", "20"])):
        begin = time.monotonic()
        limit = ("--time-limit", "2") if number else ("--wait-limit", "1,stop")
        nvm = ["-n", "1", checks.nvm, "run", good, *limit]
        words = [*nvm, ":", "-n", "1", *others] if number else ["-n", "1", *others, ":", *nvm]
        result = launch.start([*launch.LAUNCHERS[checks.mpi], *words], NVM_MPI=checks.plugin)
        said = result[2].count("time limit reached" if number else "rank 1 has waited 2 s for MPI to begin") == 1
        checks.expect(f"beside {others}", result[0] != 0 and said and time.monotonic() - begin < SOON / 2, result)


def crash(checks, folder):
    """What is said of a crash begins with the rank."""
    path = folder / "crash.nesl"
    path.write_text("sum({x * x : x in [0:100000]});\n")
    words = [*launch.LAUNCHERS[checks.mpi], "-n", "2", checks.nvm, "run", str(path), "--spread", "1"]
    env = {**os.environ, **launch.ROOT, "NVM_MPI": checks.plugin, "NVM_RANK_FAULTS": "rank=1 call=8 do=delay seconds=20"}
    with subprocess.Popen(words, env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        time.sleep(3)
        for number in subprocess.run(["pgrep", "-f", f"{checks.nvm} run {path}"], capture_output=True, text=True).stdout.split():
            of = pathlib.Path(f"/proc/{number}/environ").read_bytes().split(b"\0")
            if {b"OMPI_COMM_WORLD_RANK=1", b"PMI_RANK=1"} & set(of):
                os.kill(int(number), signal.SIGSEGV)
        out, err = run.communicate(timeout=SOON)
    checks.expect("a crash", run.returncode != 0 and err.count("nvm: rank 1: internal error") == 1, (run.returncode, out, err))


def modules(checks, folder):
    """What a program loads or imports is the same on all ranks when they run it, or they say so and do not."""
    here, there = folder / "here", folder / "there"
    for place in (here, there):
        place.mkdir()
        (place / "loads.nesl").write_text('load "mod.nesl"; sum({twice(i) : i in [0:100000]});\n')
        (place / "imports.nesl").write_text('import "mod"; sum({mod.twice(i) : i in [0:100000]});\n')
    (here / "mod.nesl").write_text("function twice(x) = x * 2;\n")

    def in_folders(first, second, name):
        one, other = (["-n", "1", "sh", "-c", 'cd "$0" && exec "$1" run --wait-limit 10,stop "$2"', place, checks.nvm, name]
                      for place in (first, second))
        return launch.start([*launch.LAUNCHERS[checks.mpi], *one, ":", *other], NVM_MPI=checks.plugin)

    for text in ("function twice(x) = x * 3;\n", "function twice(x) = sum([0:rem(x, 3)]);\n",
                 "function twice(x) = x * 2;\n1 + 1;\n"):
        (there / "mod.nesl").write_text(text)
        for first, second in ((here, there), (there, here)):
            for name in ("loads.nesl", "imports.nesl"):
                if name == "imports.nesl" and "1 + 1" in text:
                    continue  # a module defines, and runs nothing
                result = in_folders(first, second, name)
                said = result[2].count("rank 1 (") == 1 and "a file that is loaded or imported differs there" in result[2]
                checks.expect(f"{name} with another module on a rank", result[0] != 0 and said and "100000" not in result[1], result)
    shutil.copy(here / "mod.nesl", there)
    result = in_folders(here, there, "loads.nesl")
    checks.expect("the same module on both", result[0] == 0 and "it = 9999900000" in result[1], result)


def goes_on(checks, folder):
    """A run that the death of a rank has ended goes on, on other numbers of ranks, behind its last checkpoint."""
    path, state = folder / "walk.nesl", folder / "walk.state"
    path.write_text("function walk(v, n) = if n == 0 then sum(v) else\n"
                    "  let s = sum(v) in walk({rem(x * 48271 + s, 2147483647) : x in v}, n - 1);\n"
                    "walk([0:1000], 3);\nwalk([0:1000], 60);\n")
    alone = subprocess.run([checks.nvm, "run", path], capture_output=True, text=True, timeout=launch.LIMIT)
    words = (path, "--spread", "1", "--checkpoint", f"{state},5r", "--stats")
    whole = checks.run(2, *words)
    checks.expect("with checkpoints", whole[:2] == (0, alone.stdout) and counted("checkpoints", whole[2]) > 3, whole)
    for ranks, dies, again in ((2, 1, 3), (3, 0, 1)):
        state.unlink()
        fallen = checks.run(ranks, *words, NVM_RANK_FAULTS=f"rank={dies} call=120 do=kill")
        checks.expect(f"rank {dies} of {ranks} is killed", fallen[0] != 0 and state.exists(), fallen)
        end = launch.run(checks.mpi, again, [checks.nvm, "resume", state], NVM_MPI=checks.plugin)
        fewer = counted("rounds", end[2]) < counted("rounds", whole[2])
        checks.expect(f"it goes on on {again} ranks", end[:2] == (0, alone.stdout) and fewer, end)
    state.write_bytes(state.read_bytes()[:-30])
    end = launch.run(checks.mpi, 2, [checks.nvm, "resume", state], NVM_MPI=checks.plugin)
    checks.expect("a checkpoint that is cut off", end[0] != 0 and end[2].count("is cut off") == 1, end)


def interrupt(checks, folder):
    """Ctrl-C ends all ranks."""
    path = folder / "long.nesl"
    path.write_text("function work(i) = if i == 0 then 0 else sum({rand(i + x) : x in [1:100000]}) + work(i - 1);\n"
                    "work(1000000);\n")
    words = [*launch.LAUNCHERS[checks.mpi], "-n", "2", checks.nvm, "run", str(path)]
    with subprocess.Popen(words, env={**os.environ, **launch.ROOT, "NVM_MPI": checks.plugin}, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        time.sleep(3)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=SOON)
    time.sleep(1)
    left = subprocess.run(["pgrep", "-f", f"run {path}"], capture_output=True, check=False).stdout
    checks.expect("Ctrl-C", run.returncode != 0 and "it =" not in out and not left, (run.returncode, out, err))


def main(mpi, build, nvm, source):
    launch.skip_if_missing(build, mpi)
    checks = Checks(mpi, build, nvm)
    programs(checks, pathlib.Path(source))
    with tempfile.TemporaryDirectory() as folder:
        corpus(checks, pathlib.Path(folder))
        files(checks, pathlib.Path(folder))
        endings(checks, pathlib.Path(folder))
        for part in (given, waits, crash, modules, goes_on):
            with tempfile.TemporaryDirectory() as own:
                part(checks, pathlib.Path(own))
        interrupt(checks, pathlib.Path(folder))
    print("\n".join(checks.wrong) or "right")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
