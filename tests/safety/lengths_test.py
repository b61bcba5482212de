#!/usr/bin/env python3
"""Lengths that no memory holds, and values whose parts do not fit together: a message, in every mode.

    lengths_test.py NVM
"""

import itertools
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

HUGE = (1 << 31, 1 << 32, (1 << 32) + 5, 1 << 45, 1 << 46, 1 << 60, (1 << 61) + 1, 1 << 62, (1 << 63) - 1)
MODES = (["--jit", "off"], ["--jit", "always"], ["--jit", "always", "--isa", "avx2"])

# What uses a descriptor of one segment of %d elements, or of that and 5.
VCODE = {
    "dist": "CONST FLOAT (1.0 2.0)\nCONST SEGDES ({n} 5)\nDIST FLOAT",
    "dist_made": "CONST FLOAT (1.0 2.0)\nCONST INT ({n} 5)\nMAKE_SEGDES\nDIST FLOAT",
    "dist_bool": "CONST BOOL (T F)\nCONST INT (5 {n})\nMAKE_SEGDES\nDIST BOOL",
    "dist_twice": "CONST INT 3\nCONST INT {n}\nMAKE_SEGDES\nDIST INT\nCONST INT 1\nCONST INT {n}\nMAKE_SEGDES\nDIST INT\n+ INT",
    "index": "CONST INT 0\nCONST INT 1\nCONST INT {n}\nMAKE_SEGDES\nINDEX",
    "index_const": "CONST INT 0\nCONST INT 1\nCONST SEGDES ({n})\nINDEX",
    "extract": "CONST INT 0\nCONST INT 1\nCONST INT {n}\nMAKE_SEGDES\nINDEX\nCONST INT 7\nCONST INT {n}\nMAKE_SEGDES\nEXTRACT INT",
    "extract_const": "CONST INT (1 2 3)\nCONST INT {n}\nCONST SEGDES ({n})\nEXTRACT INT",
    "replace": "CONST INT (1 2 3)\nCONST INT {n}\nCONST INT 9\nCONST SEGDES ({n})\nREPLACE INT",
    "permute": "CONST INT (1 2 3)\nCONST INT (0 1 2)\nCONST SEGDES (3)\nCONST SEGDES ({n})\nBPERMUTE INT",
    "fpermute": "CONST INT (1 2 3)\nCONST INT (0 1 2)\nCONST BOOL (T T F)\nCONST SEGDES (3)\nCONST SEGDES ({n})\nFPERMUTE INT",
    "pack": "CONST INT (1 2 3)\nCONST BOOL (T T F)\nCONST SEGDES ({n})\nPACK INT",
    "reduce": "CONST INT (1 2 3)\nCONST SEGDES ({n})\n+_REDUCE INT",
    "reduce_sum_wraps": "CONST INT (1 2 3)\nCONST INT ({n} {n} {n} {n} {n} {n} {n} {n} 3)\nMAKE_SEGDES\n+_REDUCE INT",
    "rank": "CONST INT (1 2 3)\nCONST SEGDES ({n} 0 3)\nRANK_UP INT",
    "rand": "CONST INT 5\nCONST INT {n}\nMAKE_SEGDES\nDIST INT\nRAND",
    "lengths": "CONST SEGDES ({n} {n} {n} {n})\nLENGTHS",
    "read": "READ SEGDES\nPOP 2 0\nCONST INT 1\nCPOP 1 1\nDIST INT",
}
NESL = {
    "index": "index({n})",
    "dist": "dist(1.5, {n})",
    "dist_bool": "dist(t, {n})",
    "sum": "sum(dist(1, {n}))",
    "range": "[0:{n}]",
    "range_low": "[-5:{n}]",
    "range_step": "[0:{n}:3]",
    "nested": "{{index({n}) : i in [0:3]}}",
    "nested_unequal": "{{index(i) : i in [{n}, 5]}}",
    "nested_dist": "{{dist(i, {n}) : i in [0:3]}}",
    "partition": "partition([1, 2, 3], [{n}, 5])",
    "rand": "{{rand(5) : i in [0:{n}]}}",
    "rep": "rep([1, 2, 3], 5, {n})",
    "take": "take([1, 2, 3], {n})",
    "drop": "drop([1, 2, 3], {n})",
    "subseq": "subseq([1, 2, 3], 0, {n})",
    "rotate": "rotate([1, 2, 3], {n})",
    "permute": "permute([1, 2, 3], [0, 1, {n}])",
    "get": "[1, 2, 3] -> [0, {n}]",
    "put": "[1, 2, 3] <- [({n}, 5)]",
    "bottop": "bottop(index({n}))",
    "make_string": '{{ `a : i in [0:{n}]}}',
}
# Moves by runs of indices that begin at the end of INT and go on at its other end.
RUNS = {
    "one": "CONST INT 5000\nMAKE_SEGDES\nINDEX\n{start}\nCONST INT 1\nCONST INT 2000\nMAKE_SEGDES\nINDEX\n"
    "CONST INT 5000\nMAKE_SEGDES\nCONST INT 2000\nMAKE_SEGDES\nBPERMUTE INT",
    "gather": "CONST INT 400\nMAKE_SEGDES\nINDEX\n{start}\nCONST INT 4\nMAKE_SEGDES\nDIST INT\nCONST INT (1 1 1 1)\n"
    "CONST INT (50 50 50 50)\nMAKE_SEGDES\nINDEX\nCONST INT (100 100 100 100)\nMAKE_SEGDES\n"
    "CONST INT (50 50 50 50)\nMAKE_SEGDES\nBPERMUTE INT",
    "scatter": "CONST INT 400\nMAKE_SEGDES\nINDEX\n{start}\nCONST INT 4\nMAKE_SEGDES\nDIST INT\nCONST INT (1 1 1 1)\n"
    "CONST INT (100 100 100 100)\nMAKE_SEGDES\nINDEX\nCONST INT 7\nCONST INT 200\nMAKE_SEGDES\nDIST INT\n"
    "CONST INT (100 100 100 100)\nMAKE_SEGDES\nCONST INT (50 50 50 50)\nMAKE_SEGDES\nDPERMUTE INT",
}
# Results that are put together of pieces, the last of which ends where nothing may be written.
PIECES = (
    "function f1(k) = if k <= 0 then sum({k : v in [1, 2]}) else k + f1(k - 1); {f1(z) : z in [0:%d]};",
    "function f2(k) = if k <= 0 then [k] else f2(k - 1) ++ [k, k]; flatten({f2(z) : z in [0:%d]});",
    "let v = [0:%d] in flatten({[a] ++ take(v, rem(a, 3)) : a in v});",
)
# Without the front end's checks: the parts of such a value do not fit together.
UNCHECKED = (
    "partition([1, 2, 3], [20000, 5])",
    "partition([1, 2, 3], [1])",
    "partition([1.5, 2.5], [3, 0, 7])",
    "{partition([1, 2, 3], [i, 5]) : i in [1, 20000]}",
    "flatten(partition([1, 2, 3], [20000, 5]))",
    "{sum(v) : v in partition([1, 2, 3], [20000, 5])}",
    "{v[0] : v in partition([1, 2, 3], [20000, 5])}",
    "[1, 2, 3][20000]",
    "[1, 2, 3][-1]",
    "take([1, 2, 3], 20000)",
    "drop([1, 2, 3], 20000)",
    "permute([1, 2, 3], [0, 1, 20000])",
    "[1, 2, 3] -> [20000]",
    "[1, 2, 3] <- [(20000, 5)]",
    "rep([1, 2, 3], 5, 20000)",
    "{[1, 2, 3][i] : i in [0, 20000, -20000]}",
    "subseq([1, 2, 3], -20000, 20000)",
    "rotate([1, 2, 3], 4611686018427387904)",
    "[1, 2] ++ partition([1, 2, 3], [20000, 5])[0]",
    "#partition([1, 2, 3], [20000, 5])[0]",
)


def run(nvm, words, stdin="", **environment):
    done = subprocess.run([nvm, "run", "--memory", "200M", "--time-limit", "20", *words], input=stdin.encode(), capture_output=True,
                          check=False, timeout=60, env={**os.environ, **environment})
    return done.returncode, (done.stdout + done.stderr).decode("latin-1")


def npy(shape):
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()


def crashed(status, text):
    return status < 0 or status > 100 or "internal error" in text


class Test:
    def __init__(self, nvm):
        self.nvm, self.passed, self.failed = nvm, 0, 0

    def check(self, what, good, status, text):
        self.passed += good
        self.failed += not good
        if not good:
            print(f"FAILED {what}: status {status}: {text[-300:]}", flush=True)

    def refused(self, what, words, stdin=""):
        status, text = run(self.nvm, words, stdin)
        self.check(what, not crashed(status, text) and status != 0 and bool(text.strip()), status, text)

    def safe(self, what, words, stdin=""):
        status, text = run(self.nvm, words, stdin)
        self.check(what, not crashed(status, text) and len(text) < 5000, status, text)

    def vcode(self, directory):
        path = str(pathlib.Path(directory) / "p.vcode")
        for (name, body), n, bits in itertools.product(VCODE.items(), HUGE, ("64", "32")):
            pathlib.Path(path).write_text("FUNC MAIN\n" + body.format(n=n) + "\nRET\n", encoding="ascii")
            for mode in MODES:
                # An INT literal is wrapped to 32 bits: it may be a small one then. Four of 2^32 are a descriptor.
                small = (bits == "32" and "CONST SEGDES (" not in body) or (name == "lengths" and n < 1 << 40)
                check = self.safe if small and (bits == "64" or name != "lengths") else self.refused
                check(f"{name} {n} of {bits} bits {mode}", [*mode, "--int-bits", bits, path], f"[ {n} ]")

    def runs(self, directory):
        path = str(pathlib.Path(directory) / "p.vcode")
        for (name, body), bits, mode, back in itertools.product(RUNS.items(), (64, 32), MODES, (0, 3, 49, 50, 51, 99, 1999)):
            start = (1 << bits - 1) - 1 - back
            for given in ("READ INT\nPOP 2 0\n", f"CONST INT {start}\n"):
                pathlib.Path(path).write_text("FUNC MAIN\nCONST INT 0\nCONST INT 1\n" + body.format(start=given) + "\nRET\n",
                                              encoding="ascii")
                self.refused(f"{name} from {start} {mode}", [*mode, "--int-bits", str(bits), path], f"( {start} )")

    def nesl(self):
        for (name, text), n, bits in itertools.product(NESL.items(), HUGE[3:], ("64", "32")):
            for mode in MODES[:2]:
                self.safe(f"{name} {n} of {bits} bits {mode}", [*mode, "--int-bits", bits, "-e", text.format(n=n)])
        for text in ("#[-5:9223372036854775807]", "#[-9223372036854775807:5]", "index(4611686018427387904)"):
            self.refused(text, ["-e", text])

    def pieces(self, directory):
        path = str(pathlib.Path(directory) / "p.nesl")
        for text, n, mode in itertools.product(PIECES, (2, 31, 32, 33, 40, 64, 65, 100), MODES):
            pathlib.Path(path).write_text(text % n, encoding="ascii")
            status, said = run(self.nvm, [*mode, path], NVM_GUARD_PAGES="1")
            self.check(f"{text % n} {mode}", status == 0, status, said)

    def unchecked(self, directory):
        path = str(pathlib.Path(directory) / "p.nesl")
        for text, mode in itertools.product(UNCHECKED, MODES[:2]):
            pathlib.Path(path).write_text("set arg_check off $\n" + text + " $\n", encoding="ascii")
            self.safe(text, [*mode, path])
        pathlib.Path(path).write_text("set arg_check off $\npartition([1, 2, 3], [20000, 5]) $\n", encoding="ascii")
        self.refused("a value whose parts do not fit", [path])

    def files(self, directory):
        path = str(pathlib.Path(directory) / "v.npy")
        for shape in ((1 << 46,), (1 << 62, 4), (0, 1 << 62), (1 << 40, 1 << 40, 0), (2,) * 60 + (0,), (1,) * 65, (1,) * 5000):
            pathlib.Path(path).write_bytes(npy(shape) if len(shape) < 20 else npy_long(shape))
            self.refused(f"a file of shape {str(shape)[:30]}", ["--in", f"v={path}", "-e", "#v"])


def npy_long(shape):
    header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}\n"
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(header)) + header.encode() + bytes(8)


def main():
    test = Test(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        test.vcode(directory)
        test.runs(directory)
        test.nesl()
        test.pieces(directory)
        test.unchecked(directory)
        test.files(directory)
    print(f"{test.passed} passed, {test.failed} failed")
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
