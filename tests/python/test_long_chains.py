"""Chains of operations that wait for each other: several vectors of elements at a time, and what is left over."""
import numpy as np
import nvm
import pytest


def chain(x, at, turns, modulus):
    for _ in range(turns):
        x = (x * 3 + at) % modulus
    return x


def check(n, modulus, turns=12, low=0):
    start = np.arange(low, low + n)
    at = np.arange(n)
    with nvm.options(jit="always"), nvm.stats() as s:
        got = chain(nvm.asarray(start), nvm.asarray(at), turns, modulus).eval()
    np.testing.assert_array_equal(got.to_numpy(), chain(start, at, turns, modulus))
    assert s.kernels == 1


@pytest.mark.parametrize("rest", [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33])
def test_any_length(rest):
    check(4096 + rest, 13377)


@pytest.mark.parametrize("modulus", [3, 2**31 - 1, 2**31, 2**40 + 1, 2**61 + 1])
def test_any_modulus(modulus):
    check(4100, modulus)
    check(4100, modulus, low=-(2**33))


def test_indices_are_counted_on():
    n = 5000 + 13
    with nvm.options(jit="always"), nvm.stats() as s:
        got = nvm.new((n,), lambda i: ((((i % 777 + i) % 555 + i) % 333 + i) % 222 + i) % 111).eval()
    i = np.arange(n)
    np.testing.assert_array_equal(got.to_numpy(), ((((i % 777 + i) % 555 + i) % 333 + i) % 222 + i) % 111)
    assert s.kernels == 1


def test_sums_of_chains_have_the_same_bits_as_of_stored_ones():
    x = nvm.asarray(np.random.default_rng(3).random(9001))

    def long(v):
        for _ in range(30):
            v = v * 0.75 + 0.1
        return v

    with nvm.options(jit="always"):
        fused = float(nvm.sum(long(x)))
        stored = float(nvm.sum(long(x).eval()))
    assert fused == stored


def test_a_fault_in_any_vector():
    for place in (0, 9, 17, 30, 4099):
        divisor = np.full(4100, 7)
        divisor[place] = 0
        with nvm.options(jit="always"), pytest.raises(ZeroDivisionError) as e:
            x = nvm.asarray(np.arange(4100))
            for _ in range(3):
                x = x // nvm.asarray(divisor) * 3 + 1
            x.eval()
        assert e.value.nvm_origin.index == place
