"""The array API standard where it goes beyond the conformance set: linalg, fft, special values, rules of indices; against NumPy."""
import numpy as np
import pytest

import nvm


def same(got, want, rtol=1e-11):
    want = np.asarray(want)
    have = got.to_numpy()
    assert have.shape == want.shape and have.dtype == want.dtype, (have.dtype, have.shape, want.dtype, want.shape)
    np.testing.assert_allclose(have, want, rtol=rtol, atol=1e-12)


@pytest.fixture
def square():
    m = np.random.default_rng(3).random((2, 4, 4))
    return m @ m.swapaxes(-1, -2) + np.eye(4)


@pytest.mark.parametrize("name", ["cholesky", "det", "inv", "pinv", "eigvalsh"])
def test_functions_of_a_matrix(name, square):
    same(getattr(nvm.linalg, name)(nvm.array(square)), getattr(np.linalg, name)(square))


def test_decompositions_give_the_matrix_back(square):
    a = nvm.array(square)
    q, r = nvm.linalg.qr(a)
    same(q @ r, square)
    u, s, vh = nvm.linalg.svd(a)
    same(u * s[:, None, :] @ vh, square)
    values, vectors = nvm.linalg.eigh(a)
    same(vectors * values[:, None, :] @ vectors.mT, square)
    same(nvm.linalg.solve(a, a[0]), np.linalg.solve(square, square[0]))
    assert nvm.linalg.matrix_rank(a).tolist() == [4, 4] and nvm.linalg.eig(a).eigenvalues.dtype == nvm.complex128


@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_products_stay_here(dtype):
    x, y = np.arange(6).reshape(2, 3).astype(dtype), np.arange(6, 12).reshape(2, 3).astype(dtype)
    a, b = nvm.array(x), nvm.array(y)
    same(nvm.linalg.cross(a, b), np.cross(x, y))
    same(nvm.linalg.outer(a[0], b[1]), np.outer(x[0], y[1]))
    same(nvm.linalg.trace(a, offset=1), np.trace(x, offset=1))
    for k in range(-3, 4):
        same(nvm.linalg.diagonal(a, offset=k), np.diagonal(x, offset=k))
    m = x[:, :2]
    for n in range(4):
        same(nvm.linalg.matrix_power(nvm.array(m), n), np.linalg.matrix_power(m, n))


def test_norms():
    x = np.random.default_rng(1).standard_normal((3, 4))
    a = nvm.array(x)
    for p in (0, 1, 2, 3, np.inf, -np.inf):
        same(nvm.linalg.vector_norm(a, ord=p, axis=1), np.linalg.norm(x, ord=p, axis=1))
    for p in ("fro", "nuc", 1, -1, 2, -2, np.inf, -np.inf):
        same(nvm.linalg.matrix_norm(a, ord=p), np.linalg.norm(x, ord=p))
        same(nvm.linalg.matrix_norm(a, ord=p, keepdims=True), np.linalg.norm(x, ord=p, keepdims=True))


def test_what_does_not_fit_a_product_is_refused():
    a, b = nvm.ones((2, 3)), nvm.ones((2, 1))
    for wrong in (lambda: nvm.vecdot(a, b), lambda: nvm.tensordot(a, b, axes=1), lambda: nvm.linalg.inv(a), lambda: a @ b):
        with pytest.raises(ValueError):
            wrong()


def test_products_of_flags():
    x = np.random.default_rng(2).integers(0, 2, (3, 4)).astype(bool)
    same(nvm.array(x) @ nvm.array(x).T, x @ x.T)


def test_transforms():
    x = np.random.default_rng(4).random((4, 6))
    a = nvm.array(x)
    for name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn", "fftshift", "ifftshift"):
        same(getattr(nvm.fft, name)(a), getattr(np.fft, name)(x))
    assert nvm.fft.fft(nvm.astype(a, nvm.float32)).dtype == nvm.complex64
    same(nvm.fft.fftfreq(7, d=0.5), np.fft.fftfreq(7, 0.5))


def test_a_number_beside_an_array_is_an_index_of_its_kind():
    x = np.arange(24).reshape(2, 3, 4)
    a, i = nvm.array(x), [2, 0, -1]
    same(a[0, :, i], x[0, :, i])
    same(a[:, 1, i], x[:, 1, i])
    same(a[..., None, 1, i], x[..., None, 1, i])
    a[0, :, i] = nvm.array([[1, 2, 3]] * 3)
    x[0, :, i] = [[1, 2, 3]] * 3
    same(a, x)


def test_a_mask_of_no_dimensions():
    x = np.arange(3)
    for flag in (True, False):
        same(nvm.array(x)[flag], x[flag])
        same(nvm.array(x)[nvm.array(flag)], x[flag])
        same(nvm.array(7)[flag], np.array(7)[flag])


def test_an_empty_mask_keeps_nothing():
    x = np.ones((2, 1), dtype=bool)
    same(nvm.array(x)[nvm.array(np.ones((2, 0), dtype=bool))], x[np.ones((2, 0), dtype=bool)])
    assert nvm.array([5])[nvm.array(np.ones(0, dtype=bool))].shape == (0,)
    with pytest.raises(IndexError):
        nvm.array([5, 6])[nvm.array([True])]


def test_writes_of_complex_numbers():
    x = np.array([[1 + 2j, 3j], [5, 6]])
    a = nvm.array(x)
    a[1], x[1] = nvm.array([7j, 8]), [7j, 8]
    a[nvm.array(x == 3j)], x[x == 3j] = 0, 0
    same(a, x)


def test_an_axis_that_is_not_there():
    for error in (ValueError, IndexError):
        for wrong in (lambda: nvm.expand_dims(nvm.ones(3), axis=4), lambda: nvm.sum(nvm.ones(3), axis=1), lambda: nvm.flip(nvm.ones(3), axis=-2)):
            with pytest.raises(error):
                wrong()


def test_no_number_is_behind_all_numbers():
    x, v = np.array([-1.0, 2.0, np.nan]), np.array([np.nan, 0.0, np.inf, -np.inf])
    for side in ("left", "right"):
        same(nvm.searchsorted(nvm.array(x), nvm.array(v), side=side), np.searchsorted(x, v, side=side))
        same(nvm.searchsorted(nvm.array(x[:2]), nvm.array(v), side=side), np.searchsorted(x[:2], v, side=side))


def test_quotients_of_infinite_numbers():
    inf = float("inf")
    same(nvm.array([inf, -inf, inf, 5.0, -5.0, 5.0]) // nvm.array([2.0, 2.0, -2.0, -inf, inf, inf]), [inf, -inf, -inf, -0.0, -0.0, 0.0])
    assert nvm.array([5.0]).map(lambda v: v // -inf).tolist() == [5.0 // -inf]  # functions are Python's


def test_no_axes_and_several():
    x = np.arange(6.0).reshape(2, 3)
    for a, v in ((nvm.array(x), x), (nvm.array(x[0]), x[0])):
        same(nvm.sum(a, axis=()), v.sum(axis=()))
    same(nvm.expand_dims(nvm.array(x), (0, -1)), np.expand_dims(x, (0, -1)))
    same(nvm.moveaxis(nvm.array(x[None]), (0, 1), (-1, 0)), np.moveaxis(x[None], (0, 1), (-1, 0)))


def test_exponentials_of_complex_numbers_near_zero_and_far():
    z = nvm.array(np.array([1e-20 + 0j, 1e-9 + 2e-9j, complex(np.inf, 0), complex(-np.inf, np.nan)]))
    got = nvm.expm1(z).to_numpy()
    assert got[0] == 1e-20 and abs(got[1] - (1e-9 + 2e-9j)) < 1e-17 and got[2] == complex(np.inf, 0) and got[3].real == -1


def test_an_axis_is_an_integer():
    m, j, one = nvm.zeros((2, 3)), nvm.array([[1], [2, 3]]), np.int64(1)
    for wrong in (lambda: nvm.argmax(m, axis=(0, 1)), lambda: nvm.argmax(m, axis=()), lambda: nvm.sum(m, axis=1.5), lambda: nvm.sort(m, axis=(0,)),
                  lambda: nvm.flip(m, axis="x"), lambda: nvm.take(m, nvm.array([0]), axis=(0,))):
        with pytest.raises(TypeError, match="an axis is an integer, not"):
            wrong()
    for name in ("sum", "argmax", "sort", "flip"):
        assert getattr(nvm, name)(m, axis=one).tolist() == getattr(nvm, name)(m, axis=1).tolist()
    assert nvm.roll(nvm.arange(4), one, axis=np.int64(0)).tolist() == [3, 0, 1, 2] and nvm.roll(m, (1, 1), axis=(0, 1)).shape == (2, 3)
    assert nvm.moveaxis(m, one, 0).shape == (3, 2) and nvm.expand_dims(m, axis=one).shape == (2, 1, 3) and nvm.tile(nvm.arange(2), one).tolist() == [0, 1]
    assert nvm.sum(j, axis=(0, 1)).tolist() == 6
    with pytest.raises(NotImplementedError, match="axis"):
        nvm.sum(j, axis=())


def test_of_no_dimensions():
    assert nvm.argmax(nvm.array(True), axis=0).tolist() == 0 and nvm.sum(nvm.array(3), axis=-1).tolist() == 3
    for wrong in (lambda: nvm.take(nvm.array(1), nvm.array([0]), axis=0), lambda: nvm.mean(nvm.array(1.0), axis=0), lambda: nvm.tril(nvm.arange(3)),
                  lambda: nvm.triu(nvm.array(1))):
        with pytest.raises(ValueError, match="axis 0 in 0 dimensions|two dimensions or more"):
            wrong()


def test_jagged_arrays_are_broadcast():
    j = nvm.array([[1], [], [2, 3]])
    assert [a.tolist() for a in nvm.broadcast_arrays(j, 1, nvm.array([5, 6, 7]))] == [j.tolist(), [[1], [], [1, 1]], [[5], [], [7, 7]]]
    with pytest.raises(ValueError, match="other lengths"):
        nvm.broadcast_arrays(j, nvm.array([[1, 2], [], [3]]))


def test_quotient_and_remainder_at_once():
    for a, b in ((nvm.array([7, -7]), 3), (7, nvm.array([3, 2])), (nvm.array([7.5]), np.array([2.0]))):
        got, want = divmod(a, b), divmod(np.asarray(a), np.asarray(b))
        assert [x.tolist() for x in got] == [x.tolist() for x in want]
    with pytest.raises(TypeError, match="divmod"):
        divmod(nvm.array([7]), "3")


def test_a_number_is_formatted_and_rounded():
    assert f"{nvm.array(2.5):.2f} {nvm.array([3, 4])[1]:>3} {nvm.array(2.5)}" == "2.50   4 2.5"
    assert round(nvm.array(2.567), 1) == 2.6 and round(nvm.array(2.5)) == 2
    for wrong in (lambda: f"{nvm.array([2.5]):.2f}", lambda: round(nvm.array([2.5]))):
        with pytest.raises(TypeError, match=r"an array of type 1 \* float64"):
            wrong()


def test_integers_of_numpy_are_lengths_and_bounds():
    two, both = np.int64(2), np.array([2, 3])
    for a in (nvm.eye(two), nvm.arange(4).reshape(two, 2), nvm.broadcast_to(nvm.arange(2), (two, 2)), nvm.tile(nvm.arange(2), (two, np.int8(1)))):
        assert a.shape == (2, 2) and not a.is_jagged
    assert nvm.zeros(both).shape == nvm.arange(6).reshape(both).shape == (2, 3)
    assert nvm.arange(np.int64(3)).type == nvm.arange(np.int8(1), 4).type == "3 * int64"
    assert nvm.array([1, 2]).stencil([np.int64(-1)], lambda x: x, pad="edge").tolist() == [1, 1]
