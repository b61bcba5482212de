#!/usr/bin/env python3
"""Jagged arrays: nvm beside Awkward and loops by hand, on lists of 0 to 20 elements.

    jagged.py [--elements N] [--threads N] [--repeats N] [--processor-time]

with neslvm installed (or PYTHONPATH=build/python/site); 10^7 elements. Awkward takes part where it is installed. Results are compared
with the loops' before times are taken; then the contestants run in turn, and the best of each counts: milliseconds. `/hand` is nvm
against the loop by hand, at most 1.3; `Awkward/` is Awkward against nvm, at least 5. Prints Markdown."""
import argparse
import time

import hand
import numpy as np
import nvm
from hand import Missing

SHARE = 20  # pairs are made of a part of the lists, so that they are as many as the elements


def lists(elements, seed=1):
    """Data and offsets of lists of 0 to 20 elements."""
    random = np.random.default_rng(seed)
    lengths = random.integers(0, 21, max(elements // 10, 1))
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return random.random(offsets[-1]), offsets


def first_of(data, offsets, share):
    count = max((len(offsets) - 1) // share, 1)
    return data[: offsets[count]], offsets[: count + 1]


def product_sizes(offsets, combinations):
    n = np.diff(offsets)
    return np.concatenate([[0], np.cumsum(n * (n - 1) // 2 if combinations else n * n)])


def sums_of_pairs(pairs):
    x, y = pairs.unzip()
    return (x + y).eval()


def with_nvm(data, offsets):
    j, few = nvm.from_offsets(data, offsets), nvm.from_offsets(*first_of(data, offsets, SHARE))
    return {"sums": lambda: nvm.sum(j, axis=-1).eval(), "means": lambda: nvm.mean(j, axis=-1).eval(),
            "sorts": lambda: nvm.sort(j, axis=-1).eval(), "products": lambda: sums_of_pairs(nvm.cartesian([few, few])),
            "combinations": lambda: sums_of_pairs(nvm.combinations(few))}


def with_awkward(data, offsets):
    try:
        import awkward as ak
    except ImportError:
        raise Missing("it is not installed") from None

    def made(data, offsets):
        return ak.Array(ak.contents.ListOffsetArray(ak.index.Index64(offsets), ak.contents.NumpyArray(data)))

    j, few = made(data, offsets), made(*first_of(data, offsets, SHARE))

    def sums_of(pairs):
        x, y = ak.unzip(pairs)
        return x + y

    return {"sums": lambda: ak.sum(j, axis=-1), "means": lambda: ak.mean(j, axis=-1), "sorts": lambda: ak.sort(j, axis=-1),
            "products": lambda: sums_of(ak.cartesian([few, few])), "combinations": lambda: sums_of(ak.combinations(few, 2))}


def by_hand(data, offsets, threads):
    hand.library()
    few = first_of(data, offsets, SHARE)
    made = {name: lambda name=name: hand.lists(name, data, offsets, threads) for name in ("sums", "means", "sorts")}
    for name in ("products", "combinations"):
        def pairs(name=name):
            return hand.lists(name, *few, threads, product_sizes(few[1], name == "combinations"))
        made[name] = pairs
    return made


def numbers(x):
    """The elements of a result, in order."""
    if isinstance(x, nvm.Array):
        return np.asarray((x if x.ndim == 1 else x.data).to_numpy())
    if isinstance(x, np.ndarray):
        return x
    import awkward as ak

    return ak.to_numpy(ak.fill_none(ak.flatten(x, axis=None) if x.ndim > 1 else x, np.nan))


def contestants(data, offsets, threads):
    found, missing = {"nvm": with_nvm(data, offsets)}, {}
    for name, make in (("hand", lambda: by_hand(data, offsets, threads)), ("Awkward", lambda: with_awkward(data, offsets))):
        try:
            found[name] = make()
        except Missing as why:
            missing[name] = str(why)
    return found, missing


def check(found):
    """All contestants make the same."""
    with np.errstate(all="ignore"):
        for name in found["nvm"]:
            want = numbers(found["nvm"][name]())
            for other, f in found.items():
                if other != "nvm":
                    np.testing.assert_allclose(numbers(f[name]()), want, rtol=1e-12, err_msg=f"{name}: {other}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=int, default=10**7)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--processor-time", action="store_true", help="where other work runs beside this, with --threads 1")
    a = parser.parse_args()
    clock = time.process_time if a.processor_time else time.perf_counter
    with nvm.options(threads=a.threads):
        found, missing = contestants(*lists(a.elements), a.threads)
        for name, why in missing.items():
            print(f"{name} does not take part: {why}\n")
        check(found)
        print("| " + " | ".join(["", *found, "/hand", "Awkward/"]) + " |\n| :--- |" + " ---: |" * (len(found) + 2))
        for name in found["nvm"]:
            best = dict.fromkeys(found, np.inf)
            for _ in range(a.repeats):
                for who, f in found.items():
                    begin = clock()
                    f[name]()
                    best[who] = min(best[who], (clock() - begin) * 1e3)
            ratios = [f"{best['nvm'] / best['hand']:.2f}" if "hand" in best else "", f"{best['Awkward'] / best['nvm']:.1f}" if "Awkward" in best else ""]
            print("| " + " | ".join([name, *(f"{t:.1f}" for t in best.values()), *ratios]) + " |", flush=True)


if __name__ == "__main__":
    main()
