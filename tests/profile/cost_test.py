#!/usr/bin/env python3
"""Work and depth, of the gallery, of programs in NESL and VCODE: the same however calls are cut into groups; and as derived by hand."""

import re
import sys

from common import NVM, ROOT, expect, finish, nvm, write

CUTS = ("off", "1", "2", "auto")


def figures(run):
    """Work and depth; nothing if the program fails or takes no part."""
    found = dict(re.findall(r"^(work|depth) +(\d+)$", run.stderr, re.MULTILINE))
    return (int(found["work"]), int(found["depth"])) if len(found) == 2 and run.returncode == 0 else None


def check_same(program):
    """Is anything cut at all?"""
    whole = figures(nvm("run", "--cost", "--block-threshold", "off", "--threads", "2", program))
    if whole is None:
        return False
    for cut in CUTS[1:]:
        again = figures(nvm("run", "--cost", "--block-threshold", cut, "--threads", "2", program))
        expect(f"{program} {cut}", again == whole, (again, whole))
    stats = nvm("run", "--stats", "--block-threshold", "1", "--threads", "2", program).stderr
    return re.search(r"^block calls +[1-9]", stats, re.MULTILINE) is not None


# Of each level of the recursion: the bound 2 for every instance, the comparison, "all of them?" (3 for each that is there); for those
# that go on the 1, the difference and the product (3 each). Nothing for the 1 of those that do not, nor for dealing out instances.
FACTORIALS = {
    "5, 5, 5": (4 * (9 + 9) + 9, 5 * 3 + 4 * 3),
    # Levels of 3, 2, 2, 1 and 1 instances, of which 2, 2, 1, 1 and 0 go on.
    "5, 1, 3": (3 * (3 + 2 + 2 + 1 + 1) + 3 * (2 + 2 + 1 + 1), 5 * 3 + 4 * 3),
    "1, 0": (6, 3),
}


def check_derived():
    text = """
function fact(n) = if n < 2 then 1 else n * fact(n - 1) $
{fact(n) : n in [%s]} $
"""
    for numbers, derived in FACTORIALS.items():
        for cut in CUTS:
            run = nvm("run", "--cost", "--block-threshold", cut, write("fact.nesl", text % numbers))
            expect(f"fact {numbers} {cut}", figures(run) == derived, (figures(run), derived, run.stderr))


def main():
    check_derived()
    cut = [check_same(str(p)) for p in sorted((ROOT / "programs").glob("*.nesl"))]
    expect("some of the gallery is cut", sum(cut) >= 6, cut)
    conformance = ROOT / "tests" / "conformance"
    recursive = [p for p in sorted(conformance.glob("**/*.nesl")) if len(re.findall(r"\bfunction\b", p.read_text(errors="replace"))) > 0]
    for p in recursive[:: max(1, len(recursive) // 60)]:
        check_same(str(p))
    finish()


if __name__ == "__main__":
    sys.exit(main())
