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
    "r04_matrix_multiply": ({"n": 64}, 2, 2500000),  # the array of products, once: 64 * 64 * 64 floats
    "r05_mean_and_variance_of_rows": ({"k": 1000, "n": 100}, 1, 1000),
    "r09_filter_per_row": ({"k": 10000}, 1, 1000),
    "r12_convolution": ({"n": 100000}, 1, 1000),
}
# One expression, its size, and most bytes for each of its elements: it is linear.
LINEAR = {"(length (trace + 0 iota{ | [N]}))": 1200}


def counters(nvm, text, folder):
    path = pathlib.Path(folder) / "p.remora"
    path.write_text(text, encoding="utf-8")
    run = subprocess.run([nvm, "run", path, "--jit", "always", "--threads", "1", "--stats"], capture_output=True, text=True,
                         check=False, timeout=120, stdin=subprocess.DEVNULL)
    assert run.returncode == 0, run.stderr
    return {name.strip(): int(n) for name, n in re.findall(r"^ *([a-z ]+?) +(\d+)$", run.stderr, re.M)}


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
        for text, most in LINEAR.items():
            for n in (2000, 8000):
                seen = counters(nvm, text.replace("N", str(n)), folder)
                print(f"{text}, N = {n}: {seen['bytes'] / n:.0f} bytes each")
                if seen["bytes"] > most * n:
                    wrong.append(f"{text}: at most {most} bytes each")
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
