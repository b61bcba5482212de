"""The image library in programs/python: filters that know nothing of each other become few kernels, with NumPy's results."""
import pathlib
import sys

import numpy as np
import nvm

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "programs" / "python"))
import filters  # noqa: E402

SHAPE = (90, 110)


def image(seed):
    return np.random.default_rng(seed).random(SHAPE)


def padded(x, i, j):
    p = np.pad(x, 1, mode="edge")
    return p[1 + i : 1 + i + x.shape[0], 1 + j : 1 + j + x.shape[1]]


def blurred(x):
    total = padded(x, -1, -1)
    for i, j in filters.BOX[1:]:
        total = total + padded(x, i, j)
    return total / 9


def test_modular_filters_are_few_kernels():
    a, b = image(1), image(2)
    with nvm.options(jit="always"), nvm.stats() as s:
        x = filters.blur(filters.blur(filters.blur(nvm.asarray(a))))
        y = filters.overlay(filters.invert(filters.blend(x, nvm.asarray(b), 0.25)), nvm.asarray(b))
        y.eval()
    assert 1 <= s.kernels <= 4
    want = 1 - (blurred(blurred(blurred(a))) * 0.25 + b * 0.75)
    want = np.where(want < 0.5, 2 * want * b, 1 - 2 * (1 - want) * (1 - b))
    np.testing.assert_allclose(y.to_numpy(), want, rtol=1e-13)


def test_filters_of_pixels_are_one_kernel():
    a = image(3)
    with nvm.options(jit="always"), nvm.stats() as s:
        x = filters.vignette(filters.contrast(filters.brighten(filters.invert(nvm.asarray(a)), 0.1), 1.5), 0.4).eval()
    assert s.kernels == 1
    i, j = np.indices(SHAPE)
    want = np.clip((np.clip(1 - a + 0.1, 0, 1) - 0.5) * 1.5 + 0.5, 0, 1)
    want = want * (1 - 0.4 * ((2.0 * i / SHAPE[0] - 1) ** 2 + (2.0 * j / SHAPE[1] - 1) ** 2) / 2)
    np.testing.assert_allclose(x.to_numpy(), want, rtol=1e-13)


def test_edges_and_moves():
    a = image(4)
    x = padded(a, -1, 1) + 2 * padded(a, 0, 1) + padded(a, 1, 1) - padded(a, -1, -1) - 2 * padded(a, 0, -1) - padded(a, 1, -1)
    y = padded(a, 1, -1) + 2 * padded(a, 1, 0) + padded(a, 1, 1) - padded(a, -1, -1) - 2 * padded(a, -1, 0) - padded(a, -1, 1)
    found = filters.half(filters.mirror(filters.edges(nvm.asarray(a))))
    np.testing.assert_allclose(found.to_numpy(), np.sqrt(x * x + y * y)[:, ::-1][::2, ::2], rtol=1e-12, atol=1e-12)
    mask = filters.threshold(nvm.asarray(a), 0.5) > 0
    np.testing.assert_array_equal(filters.over(nvm.asarray(a), filters.grey(*[nvm.asarray(a)] * 3), mask).to_numpy()[a > 0.5], a[a > 0.5])
    np.testing.assert_allclose(filters.sharpen(nvm.asarray(a)).to_numpy(), np.clip(a + (a - blurred(a)), 0, 1), rtol=1e-12, atol=1e-12)
