"""Sorts against NumPy's, with what has no place among numbers; NaNs come last in both directions."""
import struct

import nvm
import numpy as np
import pytest

NEGATIVE_NAN = struct.unpack("d", struct.pack("Q", 0xFFF8000000000000))[0]


def values(dtype, n):
    r = np.random.default_rng(n)
    if dtype == "bool":
        return r.random(n) < 0.5
    if dtype[0] != "f":
        info = np.iinfo(dtype)
        return r.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
    v = r.normal(size=n) * 3
    for odd in (np.nan, NEGATIVE_NAN, -0.0, 0.0, np.inf, -np.inf):
        v[r.random(n) < 0.1] = odd
    return v.astype(dtype)


@pytest.mark.parametrize("jit", ["off", "always"])
@pytest.mark.parametrize("n", [0, 1, 2, 7, 30, 300, 5000, 100000])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "uint64", "int8", "uint8", "bool"])
def test_sorts(dtype, n, jit):
    v = values(dtype, n)
    numbers = v[v == v]
    down = ~v if v.dtype.kind != "f" else -v
    with nvm.options(jit=jit):
        a = nvm.array(v)
        np.testing.assert_array_equal(nvm.sort(a).to_numpy(), np.sort(v))
        np.testing.assert_array_equal(nvm.argsort(a).to_numpy(), np.argsort(v, kind="stable"))
        falling = nvm.sort(a, descending=True).to_numpy()
        np.testing.assert_array_equal(nvm.argsort(a, descending=True).to_numpy(), np.argsort(down, kind="stable"))
    np.testing.assert_array_equal(falling[: len(numbers)], np.sort(numbers)[::-1])
    assert (falling[len(numbers) :] != falling[len(numbers) :]).all()


def test_a_sort_ranks_once():
    v = np.random.default_rng(0).random(2**20)
    with nvm.stats() as s:
        nvm.sort(nvm.asarray(v)).eval()
    assert (s.recorded, s.regions) == (6, 1)  # ranks of ranks were 11 and 2
