#!/usr/bin/env python3
"""`nvm explain --show w` names, by line, what was not fused, compiled or run in groups.

    why_not_test.py NVM ROOT
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

NVM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def why_not(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.nesl"
        path.write_text(text)
        out = subprocess.run([NVM, "explain", "--show", "w", *options, str(path)], capture_output=True, text=True, check=True)
    return out.stdout.split("what was left", 1)[1] if "what was left" in out.stdout else ""


# The gallery's quicksort, with a scan in it: else it is a loop nest.
SORT = (ROOT / "programs" / "quicksort.nesl").read_text().replace("v[#v / 2]", "v[min(#v / 2, #v + count({i < 0 : i in plus_scan({rem(i * i, 5) : i in index(#v)})}))]")


class WhyNot(unittest.TestCase):
    def test_short_vectors(self):
        text = why_not("{x * x : x in [0:100]};")
        self.assertIn("main:1: 0 of ", text)
        self.assertIn("short vectors: ", text)
        self.assertIn("--jit always", text)

    def test_compiled_lines_are_not_listed(self):
        self.assertEqual(why_not("sum({x * x : x in [0:100000]});", "--jit", "always"), "")

    def test_what_no_combinator_covers(self):
        text = why_not("let v = {rem(i * 7919, 100000) : i in [0:100000]} in sum(permute(v, v));", "--jit", "always")
        self.assertRegex(text, r"100k  an instruction that no combinator covers: .*PERMUTE 100k")

    def test_what_a_primitive_makes_between_kernels(self):
        text = why_not("sum(rank({rem(i * 7919, 100003) : i in [0:100000]}));", "--jit", "always")
        self.assertIn("map -> rank at main:1 is another kernel: a primitive makes one of them, of a whole vector", text)
        self.assertNotIn("no combinator covers", text)

    def test_kernels(self):
        text = why_not("let v = {i * i : i in [0:100000]}; s = sum(v) in count({x > s : x in v});", "--jit", "always")
        self.assertIn("is another kernel: it needs a result of this kernel that is complete only at its end", text)

    def test_checks_have_no_place(self):
        text = why_not("let v = {float(i) : i in [0:100000]}; n = sqrt(sum(v)) in max_val({x / n : x in v});", "--jit", "always")
        self.assertIn("reduce add -> check is another kernel: ", text)

    def test_groups(self):
        text = SORT
        self.assertIn("called as a whole, ", why_not(text))
        self.assertNotIn("called as a whole, ", why_not(text, "--block-threshold", "off"))

    def test_calls_that_are_not_recorded(self):
        network = (ROOT / "tests/bench/workloads/bitonic_sort.nesl").read_text()
        text = why_not(network + "let v = {rem(i * 7919, 100003) : i in [0:8192]} in sum(bitonic_sort(v));")
        self.assertRegex(text, r"merge:9: .*\n +[0-9.]+M  kernels would do next to nothing of the call: ")
        self.assertNotIn("next to nothing", why_not(network + "sum(bitonic_sort([0:64]));", "--jit", "always"))

    def test_every_reason_has_help(self):
        text = why_not(SORT, "--jit", "always")
        listed, helped = text.split("what would help\n")
        for line in listed.splitlines()[1:]:
            if ": " in line and not line.startswith(("main", "quicksort")) and "kernel: " not in line:
                reason = line.split(": ")[-1] if "times" in line or "once" in line else line.split("  ")[-1].split(": ")[0]
                self.assertIn(f"  {reason}: ", helped, line)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
