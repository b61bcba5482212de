#!/usr/bin/env python3
"""What an operation of the Python package costs beside NumPy's: microseconds of processor time, medians of nine.

    recording.py        with neslvm installed"""
import statistics
import time

import numpy as np
import nvm


def microseconds(f, times):
    taken = []
    for _ in range(9):
        begin = time.process_time()
        for _ in range(times):
            f()
        taken.append((time.process_time() - begin) / times * 1e6)
    return statistics.median(taken)


def ten(a):
    return (((((a * 2.0 + 1.0) * 0.5 - 3.0) * a + a) * 0.25 - a) * 2.0 + 1.0) * a


def first_evaluations(a):
    """Ten operations that nobody has seen: constants of the exponents make each graph another one."""
    taken = []
    for k in range(2, 11):
        begin = time.process_time()
        ((((a ** k + 1.0) * 0.5 - 3.0) * a + a) * 0.25 - a).eval()
        taken.append((time.process_time() - begin) * 1e6)
    return statistics.median(taken)


def main():
    print(f"{'elements':>9}{'record one':>12}{'ten, value':>12}{'NumPy, ten':>12}{'first time':>12}")
    for n in (8, 100_000):
        x = np.arange(float(n))
        a = nvm.asarray(x)
        times = 300 if n == 8 else 40
        for _ in range(30):
            ten(a).to_numpy()
        print(f"{n:>9}{microseconds(lambda: ten(a), times) / 10:>12.2f}{microseconds(lambda: ten(a).to_numpy(), times):>12.1f}"
              f"{microseconds(lambda: ten(x), times):>12.1f}{first_evaluations(a):>12.1f}")


if __name__ == "__main__":
    main()
