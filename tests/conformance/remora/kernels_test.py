#!/usr/bin/env python3
"""What programs in Remora become: kernels, and bytes that are written and read by primitives between them.

    kernels_test.py NVM

The workloads run at a size at which an intermediate vector would show; results are those of the small size where
that says what they are.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
# Workload: sizes, most kernels, most bytes outside of kernels. An array of the program has 800,000 bytes or more.
BOUNDS = {
    "r01_dot": ({"n": 100000}, 1, 1000),
    "r02_poly_eval": ({"n": 100000}, 1, 1000),
    "r04_matrix_multiply": ({"n": 64}, 2, 1000),
    "r05_mean_and_variance_of_rows": ({"k": 1000, "n": 100}, 1, 1000),
    "r09_filter_per_row": ({"k": 10000}, 1, 1000),
    "r12_convolution": ({"n": 100000}, 1, 1000),
    # Grids of bytes, which were wider, and what led to a step's grid stored beside it.
    "r06_life": ({"n": 512}, 2, 4300000),
}
# One expression, its size, and most bytes for each of its elements: it is linear.
LINEAR = {"(length (trace + 0 iota{ | [N]}))": 1200}


# Two vectors and a matrix of 480,000 bytes each, and an expression that writes no other: most bytes between regions, and
# most that live at once. What is read as it lies, or where it is used, is not copied; maxima of floats look at all first.
ARRAYS = """(define v (int->float (% (* 7919 iota{ | [60000]}) 101)))
(define w (int->float (% iota{ | [60000]} 64)))
(define m : [float 300 200] (reshape [300 200] v))
"""
SHAPES = {
    "(sum. (append v w))": (1000, 960000),
    "(sum. (append m m))": (1000, 480000),
    "(sum. (*. m (reverse m)))": (1000, 490000),
    "(sum. (*. m (rotate m 1)))": (1000, 490000),
    "(sum. (+. m (reshape [300 200] (transpose m))))": (1000, 490000),
    "(sum. (item m 3))": (1000, 490000),
    "(sum. (reduce +. m))": (1000, 550000),  # with blocks of rows
    "(sum. (reduce max. m))": (1000, 550000),
    "(reduce max. v)": (970000, 490000),
    "(sum. (scan max. v))": (970000, 490000),
    "(sum. ((fn ([r [float 200]]) (reduce max. r)) m))": (970000, 490000),
    "(reduce (fn ([a float] [b float]) (select (=. b 0.0) a b)) v)": (150000, 550000),
    # No array of products: there are 200 * 300 * 200 of them.
    "(sum. ((fn ([x [float 300]] [y [float 300 200]]) (reduce/zero +. 0.0 (*. x y))) (transpose m) m))": (1000, 1700000),
}

# A product of 300 x 300 matrices, in memory in which 300 * 300 * 300 numbers have no room: of lengths that are known, that
# the run finds, and of rows inside of another frame.
PRODUCT = """(define (v*m{ | a b} [x [float a]] [y [float a b]]) (reduce/zero +. 0.0 (*. x y)))
(define (m*m{ | a b c} [x [float a b]] [y [float b c]]) (v*m x y))
"""
KNOWN = "(define a : [float 300 300] (int->float (% iota{ | [300 300]} 10)))\n"
PRODUCTS = (
    (KNOWN + "(sum. (m*m a (transpose a)))", "769500000.0 : float"),
    (KNOWN + "(sum. (m*m (reshape [3 100 300] a) a))", "546750000.0 : float"),
    ("(define n (maximum [300 3]))\n(unbox (lift [k n] (int->float (% iota{ | [k k]} 10))) (a k) (sum. (m*m a (transpose a))))",
     "769500000.0 : float"),
)
LITTLE = "8M"


def counters(nvm, text, folder):
    path = pathlib.Path(folder) / "p.remora"
    path.write_text(text, encoding="utf-8")
    run = subprocess.run([nvm, "run", path, "--jit", "always", "--threads", "1", "--stats"], capture_output=True, text=True,
                         check=False, timeout=120, stdin=subprocess.DEVNULL)
    assert run.returncode == 0, run.stderr
    return {name.strip(): int(n) for name, n in re.findall(r"^ *([a-z ]+?) +(\d+)$", run.stderr, re.M)}


def products(nvm, folder):
    """What is wrong with products in little memory."""
    path = pathlib.Path(folder) / "p.remora"
    for text, result in PRODUCTS:
        path.write_text(PRODUCT + text, encoding="utf-8")
        for mode in ("always", "hot"):
            run = subprocess.run([nvm, "run", path, "--jit", mode, "--threads", "1", "--memory", LITTLE], capture_output=True,
                                 text=True, check=False, timeout=120, stdin=subprocess.DEVNULL)
            print(f"{text.splitlines()[-1]}: {run.stdout.strip()} in {LITTLE}")
            if run.stdout.strip() != result:
                yield f"{text}, --jit {mode}: {run.stdout}{run.stderr}"


def main(nvm):
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        for name, (sizes, kernels, most) in BOUNDS.items():
            text = (HERE / "workloads" / f"{name}.remora").read_text(encoding="utf-8")
            for variable, n in sizes.items():
                text, found = re.subn(rf"\(define-index {variable} \d+\)", f"(define-index {variable} {n})", text)
                assert found == 1, f"{name} has no size {variable}"
            seen = counters(nvm, text, folder)
            print(f"{name}: {seen['kernels']} kernels, {seen['bytes']} bytes")
            if not 0 < seen["kernels"] <= kernels or seen["bytes"] > most:
                wrong.append(f"{name}: at most {kernels} kernels and {most} bytes")
        for text, (most, peak) in SHAPES.items():
            seen = counters(nvm, ARRAYS + text, folder)
            print(f"{text}: {seen['bytes']} bytes, at most {seen['peak bytes']} at once")
            if seen["bytes"] > most or seen["peak bytes"] > peak:
                wrong.append(f"{text}: at most {most} bytes, and {peak} at once")
        for text, most in LINEAR.items():
            for n in (2000, 8000):
                seen = counters(nvm, text.replace("N", str(n)), folder)
                print(f"{text}, N = {n}: {seen['bytes'] / n:.0f} bytes each")
                if seen["bytes"] > most * n:
                    wrong.append(f"{text}: at most {most} bytes each")
        wrong += products(nvm, folder)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
