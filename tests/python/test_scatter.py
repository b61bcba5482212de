"""Combining scatters against NumPy's ufunc.at, whose order they have."""
import nvm
import numpy as np
import pytest

COMBINE = {"+": np.add, "*": np.multiply, "min": np.minimum, "max": np.maximum, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}


@pytest.mark.parametrize("dtype", ["float64", "int64", "int8", "uint64", "bool"])
@pytest.mark.parametrize("combine", list(COMBINE))
def test_scatter_combines_in_the_order_of_numpy(dtype, combine):
    if dtype == "float64" and combine in "&|^":
        with pytest.raises(TypeError, match="integers and truth values"):
            nvm.scatter(nvm.zeros(2), nvm.array([0]), nvm.array([1.0]), combine=combine)
        return
    rng = np.random.default_rng(7)
    for bins in (1, 3, 500):
        index = rng.integers(0, bins, 700)
        d, v = ((rng.standard_normal(n) * 1.5 if dtype == "float64" else rng.integers(0, 200, n)).astype(dtype) for n in (bins, 700))
        if dtype == "float64" and bins == 3 and combine != "*":
            v[[5, 99]] = np.nan, -np.inf
        want = d.copy()
        with np.errstate(invalid="ignore"):
            COMBINE[combine].at(want, index, v)
        np.testing.assert_array_equal(nvm.scatter(nvm.array(d), nvm.array(index), nvm.array(v), combine=combine).to_numpy(), want)


def test_a_combining_scatter_out_of_range():
    with pytest.raises(IndexError):
        nvm.scatter(nvm.zeros(3), nvm.array([0, 3]), nvm.array([1.0, 2.0]), combine="+").eval()
