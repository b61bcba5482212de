#!/usr/bin/env python3
"""What is granted is a folder, whatever a file in it or elsewhere is called: links, dots, /proc, pipes and devices.

    names_test.py NVM ROOT
"""

import os

from common import SECRET, Place, expect, finish

READS = ('let (s, e) = read_string_from_file("%s") in (#s, take(s, min(#s, 60))) $\n', 'load "%s" $\nx $\n', 'import "%s" as m $\nm.x $\n')
WRITES = ('write_string_to_file("a", "%s") $\n', 'y = 1 $\ndump world "%s" $\n', 'dump vcode "%s" 1 + 1 $\n')
OWN = ("fifo", "zero.nesl", "loop", "loop/x", "", ".", "/", "sub", "a" * 5000, "a/" * 3000, "\x01")


def prepare(place):
    place.secret.write_text(f'x = "{SECRET}" $\n')
    (place.inside / "sub").mkdir()
    for name, to in (("absolute", place.secret), ("relative", "../outside/secret.nesl"), ("away", "../outside"), ("root", "/proc/self/root"),
                     ("here", "/proc/self/cwd"), ("zigzag", "sub/../../outside/secret.nesl"), ("zero.nesl", "/dev/zero"), ("loop", "loop"),
                     ("environment", "/proc/self/environ")):
        (place.inside / name).symlink_to(to)
    os.mkfifo(place.inside / "fifo")


def names_of(place, file):
    """Ways to say a file in outside/."""
    full, inside = str(place.outside / file), str(place.inside)
    return [full, f"../outside/{file}", f"./../outside/{file}", f"sub/../../outside/{file}", f"//{full}", f"/../{full}", f"{full}/", f"{full}/.",
            f"{inside}/../outside/{file}", f"{inside}/away/{file}", f"away/{file}", f"away/../outside/{file}", f"/proc/self/root{full}",
            f"/proc/thread-self/root{full}", f"/proc/self/cwd/../outside/{file}", f"root{full}", f"here/away/{file}"]


def main():
    with Place() as place:
        prepare(place)
        grants = ([], ["--allow", f"read={place.inside},write={place.inside}/sub"], ["--allow", f"write={place.inside}/here/sub"], ["--untrusted"])
        before = place.files()
        links = ("absolute", "relative", "zigzag", "environment")
        reads = [(t, n) for t in READS for n in (*names_of(place, "secret.nesl"), *links, *OWN, "/proc/self/environ", "/proc/self/mem", "/dev/fd/0")]
        writes = [(t, n) for t in WRITES for n in names_of(place, "made")]
        for text, name in reads + writes:
            (place.inside / "p.nesl").write_text(text % name)
            for words in grants:
                run = place.nvm("run", *words, "p.nesl", timeout=30)
                what = f"{text % name[:80]!r} with {words}"
                expect(f"{what}: something is shown", SECRET not in run.stdout + run.stderr and "XDG_CACHE_HOME" not in run.stdout, run)
                expect(f"{what}: how it ends", run.returncode in (0, 1, 2) and (run.returncode == 0 or run.stderr != ""), run)
            expect(f"{text % name[:80]!r}: something was written", [f for f in place.files() if f != "inside/p.nesl"] == before)
    finish()


if __name__ == "__main__":
    main()
