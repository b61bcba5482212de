"""The benchmarks of tests/bench/python give NumPy's results; no times are taken."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "bench" / "python"))
import ikra  # noqa: E402
import ikra_programs  # noqa: E402


@pytest.fixture(scope="module")
def contestants():
    found, missing = ikra.contestants(1)
    assert set(missing) <= {"hand", "hand unfused", "Numba", "JAX"}
    return found


@pytest.mark.parametrize("program", ikra.TURNS)
def test_program(program, contestants):
    ikra.check(program, ikra.TINY, 7, contestants, ikra_programs.himeno_random)


def test_jagged_arrays():
    import jagged

    found, _ = jagged.contestants(*jagged.lists(400), 1)
    jagged.check(found)
