"""Indices of regular arrays as NumPy has them, of jagged ones as Awkward has them, and what is said of wrong ones."""
import numpy as np
import pytest

import nvm

A = np.arange(15).reshape(5, 3)
LISTS = [[3, 1], [2], [5, 4, 6]]
J = nvm.array(LISTS)


@pytest.mark.parametrize("key", [
    (slice(None), [True]), (None, [True] * 3), ([True] * 3, 1), (1, [True] * 5), (slice(None), None, [True] * 2), (Ellipsis, [True] * 5)], ids=str)
def test_masks_of_other_lengths_do_not_fit(key):
    keys = tuple(np.array(k) if isinstance(k, list) else k for k in key)
    with pytest.raises(IndexError):
        A[keys]
    with pytest.raises(IndexError, match="a mask of shape"):
        nvm.array(A)[keys]


@pytest.mark.parametrize("key", [(slice(None), [True, False, True]), (None, [True] * 5), ([False, True] * 2 + [True], 1), (2, [True, False, False]),
                                 (slice(None), []), (None, np.ones((5, 3), bool)), (Ellipsis, [True, True, False])], ids=str)
def test_masks_beside_other_indices(key):
    keys = tuple(np.array(k, dtype=bool) if isinstance(k, list) else k for k in key)
    got, want = nvm.array(A)[keys], A[keys]
    assert got.shape == want.shape and got.tolist() == want.tolist()


def test_arrays_of_indices_keep_their_shape():
    got = J[np.array([[0, 1], [1, 2]])]
    assert got.type == "2 * 2 * var * int64" and got.tolist() == [[LISTS[0], LISTS[1]], [LISTS[1], LISTS[2]]]
    assert nvm.sum(got, axis=-1).tolist() == [[4, 2], [2, 15]] and got[1].tolist() == LISTS[1:]
    assert J[np.array([[0], [-1]]), 0].tolist() == [[3], [5]]
    assert J[np.zeros((2, 0), int)].tolist() == [[], []] and J[np.zeros((0, 2), int)].tolist() == []
    assert J[nvm.array(1)].tolist() == J[np.array(1)].tolist() == J[np.int8(-2)].tolist() == [2]


def test_lists_of_indices_choose_in_each_list():
    assert J[nvm.argsort(J)].tolist() == [sorted(v) for v in LISTS]
    assert J[nvm.array([[-1], [0, 0], []])].tolist() == [[1], [2, 2], []]
    three = nvm.array([LISTS, [], [[7]]])
    assert three[nvm.argsort(three, descending=True)].tolist() == [[sorted(v, reverse=True) for v in LISTS], [], [[7]]]
    best = nvm.argmax(J, axis=-1, keepdims=True)
    assert nvm.take_along_axis(J, best).tolist() == [[max(v)] for v in LISTS]
    for wrong in ([[2], [], []], [[0], [-2], []], [[0], [1], [0]]):
        with pytest.raises(IndexError, match="index out of range"):
            J[nvm.jagged(wrong, dtype=nvm.int64)].tolist()
    with pytest.raises(IndexError, match="no indices for each list"):
        J[nvm.array([[0], []])]
    with pytest.raises(NotImplementedError):
        nvm.take_along_axis(J, best, axis=0)


def test_whole_and_new_dimensions():
    assert J[...].tolist() == J[()].tolist() == J[..., :].tolist() == LISTS
    assert J[None].type == "1 * 3 * var * int64" and J[None].tolist() == [LISTS]
    assert J[:, None].type == "3 * 1 * var * int64" and J[:, None].tolist() == [[v] for v in LISTS]
    assert J[..., None].tolist() == [[[x] for x in v] for v in LISTS] and J[1:, None, 0].tolist() == [[2], [5]]
    for k in (0, 1, 2, -1):
        columns = {0: [LISTS, LISTS], 1: [[v, v] for v in LISTS]}.get(k, [[[x, x] for x in v] for v in LISTS])
        assert nvm.stack([J, J], axis=k).tolist() == columns
    with pytest.raises(IndexError, match="one ellipsis"):
        J[..., ...]


def test_axes_count_from_the_end():
    assert nvm.concat([J, J], axis=-2).tolist() == LISTS * 2
    assert nvm.concat([J, J], axis=-1).tolist() == [v * 2 for v in LISTS]
    three = nvm.array([[[1], [2, 3]], []])
    assert nvm.concat([three, three], axis=-3).tolist() == three.tolist() * 2


@pytest.mark.parametrize("n", [4, 5000])
def test_what_is_said_of_wrong_indices(n):
    a, m = nvm.arange(n), nvm.asarray(np.arange(3 * n).reshape(n, 3))
    for f, says in [(lambda: a[nvm.array([1, n + 2])], f"index {n + 2} is out of range for {n} elements"),
                    (lambda: nvm.take(a, [0, -n - 1]), f"index {-n - 1} is out of range for {n} elements"),
                    (lambda: m[nvm.array([n, 1]), 0], f"index {n} is out of range for {n} elements"),
                    (lambda: m[nvm.array([n + 5])], "index out of range"),
                    (lambda: J[nvm.array([9])], "index 9 is out of range for 3 elements"),
                    (lambda: J[:, 1], "index 1 is out of range for the 1 elements of list 1"),
                    (lambda: J[:, -2], "index -2 is out of range for the 1 elements of list 1"),
                    (lambda: nvm.scatter(a, nvm.array([n]), nvm.array([1])), "index out of range")]:
        with pytest.raises(IndexError) as caught:
            f().tolist()
        assert str(caught.value) == says


def test_indices_of_nothing_must_be_there():
    none = nvm.zeros((5, 0))
    assert none[np.array([4, -5])].shape == (2, 0)
    for k in (5, -6):
        with pytest.raises(IndexError, match=f"index {k} is out of range for 5 elements"):
            none[np.array([k])]
