"""Runs that go on from a checkpoint print and write what the whole run does, on any number of ranks and on none; what is
no checkpoint of theirs is refused with one message.

  checkpoints.py NVM [--every N]
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import on_ranks

WALK = """function walk(v, n) = if n == 0 then v else let s = sum(v) in walk({rem(x * 48271 + s, 2147483647) : x in v}, n - 1);
few = [10, 20, 30];
{rand(e) : e in few};
sum(few);
function told(n) = let ok = print_line("told " ++ @n) in if n == 0 then 0 else told(n - 1);
told(3);
x = {float(e) / 3.0 : e in walk([0:5000], 60)};
(sum(x), #x, sum(few));
{rand(e) : e in [100, 200, 300]};
"""
# Needs more memory the longer it runs.
GROWS = """function grow(v, n) = if n == 0 then sum(v) else grow(v ++ {rem(x * 7 + n, 1009) : x in v}, n - 1);
grow([0:1000], 12);
"""


class Checks:
    def __init__(self, nvm, folder):
        self.nvm, self.folder, self.wrong = nvm, folder, []

    def run(self, *words, given=None):
        with open(given or os.devnull, "rb") as source:
            done = subprocess.run([self.nvm, *map(str, words)], stdin=source, capture_output=True, cwd=self.folder,
                                  timeout=on_ranks.SECONDS)
        return done.returncode, done.stdout, done.stderr

    def expect(self, what, good, *shown):
        if not good:
            self.wrong.append(what)
            print(what, *shown, sep="\n  ")


def rounds(end):
    return int(re.search(rb"^rounds +(\d+)", end[2], re.M)[1])


def walks(checks):
    """Programs that have ended are not run again, what they wrote and gave is there, and the file is of the last one."""
    (checks.folder / "walk.nesl").write_text(WALK)
    plain = checks.run("run", "walk.nesl", "--seed", 5, "--out", "x=plain.npy")
    checks.expect("it runs", plain[0] == 0, plain)
    whole = checks.run("run", "walk.nesl", "--seed", 5, "--ranks", 3, "--spread", 100, "--stats", "--checkpoint", "walk.state,20r",
                       "--out", "x=whole.npy")
    taken = re.search(rb"^checkpoints +(\d+)", whole[2], re.M)
    checks.expect("checkpoints are taken", taken and int(taken[1]) >= 2 and whole[1] == plain[1], whole)
    bytes_of = lambda name: (checks.folder / name).read_bytes()
    state = bytes_of("walk.state")
    for ranks in (None, 1, 2, 5):
        more = [] if ranks is None else ["--ranks", ranks]
        shutil.copy(checks.folder / "walk.state", checks.folder / "again.state")
        (checks.folder / "whole.npy").unlink()
        end = checks.run("resume", "again.state", *more)
        checks.expect(f"resumed on {ranks} ranks", (end[0], end[1]) == (plain[0], plain[1]), end)
        checks.expect("it was gone on with", rounds(end) < rounds(whole), end, whole)
        checks.expect("bytes of --out", bytes_of("whole.npy") == bytes_of("plain.npy"))
        (checks.folder / "walk.state").write_bytes(state)


def falls(checks):
    """A run that ends for lack of memory goes on with more."""
    (checks.folder / "grows.nesl").write_text(GROWS)
    plain = checks.run("run", "grows.nesl", "--stats")
    words = ["run", "grows.nesl", "--ranks", 2, "--spread", 100, "--threads", 1, "--checkpoint", "grows.state,1r", "--stats"]
    whole = checks.run(*words)
    fallen = checks.run(*words, "--memory", "50M")
    checks.expect("it falls", fallen[0] == 1 and b"memory" in fallen[2] and not fallen[1], fallen)
    for ranks in (1, 2):
        shutil.copy(checks.folder / "grows.state", checks.folder / "small.state")
        end = checks.run("resume", "small.state", "--memory", "1M", "--ranks", ranks)
        checks.expect(f"no room for what is gone on with on {ranks} ranks", end[:2] == (1, b"") and b"raise --memory" in end[2], end)
    for ranks in (1, 3):
        shutil.copy(checks.folder / "grows.state", checks.folder / "fallen.state")
        end = checks.run("resume", "fallen.state", "--memory", 0, "--ranks", ranks)
        checks.expect(f"it goes on on {ranks} ranks", end[:2] == plain[:2] and rounds(end) < rounds(whole), end, plain)
        shutil.copy(checks.folder / "fallen.state", checks.folder / "grows.state")


def refusals(checks):
    """One message, nothing printed, status 2."""
    good = (checks.folder / "walk.state").read_bytes()

    def refused(what, said, *words):
        end = checks.run("resume", *words)
        checks.expect(what, end[:2] == (2, b"") and end[2].count(b"\n") == 1 and said in end[2], end)

    def damaged(what, text):
        (checks.folder / "bad.state").write_bytes(text)
        refused(what, b"bad.state", "bad.state")

    for number, at in enumerate(range(0, len(good), max(1, len(good) // 60))):
        damaged(f"byte {at} is another", good[:at] + bytes([good[at] ^ (1 << number % 8)]) + good[at + 1:])
    for at in range(0, len(good), max(1, len(good) // 30)):
        damaged(f"cut off at byte {at}", good[:at])
    damaged("bytes behind it", good + b"more")
    refused("no file", b"nowhere", "nowhere")
    refused("integers of 32 bits", b"integers of 64 bits", "walk.state", "--int-bits", 32)
    for words in (("--rand", "libc"), ("--seed", 6), ("--in", "few=31")):
        refused(words, b"walk.state is of a run with", "walk.state", *words)
    for words in (("--fuel", 100000), ("--cost",), ("--assert", "work <= 3"), ("--untrusted",)):
        refused(words, words[0].encode() + b": work is not counted on ranks", "walk.state", *words)
    refused("another command line", b"another program", "walk.state", "--in", "few=walk.nesl")
    text = (checks.folder / "walk.nesl").read_text()
    (checks.folder / "walk.nesl").write_text(text.replace("60", "61"))
    refused("another program", b"walk.nesl is not what it was", "walk.state")
    (checks.folder / "walk.nesl").write_text(text)
    end = checks.run("run", "walk.nesl", "--checkpoint", "nowhere/walk.state")
    checks.expect("no folder", end[:2] == (2, b"") and b"nowhere" in end[2], end)


def corpus(checks, every):
    """Programs that fail, too, and those that read and write."""
    tried = gone_on = 0
    for number, (name, file, options, given) in enumerate(on_ranks.corpus()):
        if number % every or (given is not None and "-" in options):
            continue
        local = shutil.copy(file, checks.folder)
        words = ["run", *options, pathlib.Path(local).name]
        plain = checks.run(*words, given=given)
        state = checks.folder / "run.state"
        state.unlink(missing_ok=True)
        whole = checks.run(*words, "--ranks", 2, "--spread", 1, "--checkpoint", "run.state,1r", given=given)
        checks.expect(f"{name} with checkpoints", whole == plain, whole, plain)
        tried += 1
        if not state.exists():
            continue
        gone_on += 1
        end = checks.run("resume", "run.state", "--ranks", 1 + number % 3, given=given)
        checks.expect(f"{name}, gone on with", end == plain, end, plain)
    checks.expect("checkpoints of programs", gone_on > 0, f"{gone_on} of {tried}")
    print(f"{tried} programs, {gone_on} gone on with")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nvm")
    parser.add_argument("--every", type=int, default=4 if os.environ.get("NVM_TESTS") == "all" else 24)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        checks = Checks(str(pathlib.Path(chosen.nvm).resolve()), pathlib.Path(folder))
        walks(checks)
        falls(checks)
        refusals(checks)
        corpus(checks, chosen.every)
    print(f"{len(checks.wrong)} wrong: {', '.join(checks.wrong)}")
    return 1 if checks.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
