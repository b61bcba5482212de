"""Loops of functions around operations on whole arrays: a turn is read once and recorded again, with the results of plain Python."""
import nvm
import neslvm.mapping
import numpy as np
import pytest

SIZE = 5000


@pytest.fixture
def maps(monkeypatch):
    """How often a function of elements was met in Python."""
    calls = []
    original = neslvm.mapping.map

    def counted(*args, **named):
        calls.append(args)
        return original(*args, **named)

    monkeypatch.setattr(neslvm.mapping, "map", counted)
    return calls


def agree(f, *args):
    """What the function gives is what plain Python does; the instructions that were recorded, with and without turns."""
    with nvm.options(interpret=True), nvm.stats() as plain:
        want = f(*args)
        wanted = want.to_numpy() if isinstance(want, nvm.Array) else want
    with nvm.stats() as s:
        got = f(*args)
        gotten = got.to_numpy() if isinstance(got, nvm.Array) else got
    np.testing.assert_array_equal(gotten, wanted)
    return s, plain


def numbers():
    return nvm.asarray(np.arange(SIZE) % 977)


def test_a_turn_is_met_twice_and_recorded_a_hundred_times(maps):
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = y.map(lambda x, at: (x * 3 + at) % 13377, with_index=True)
        return y

    s, plain = agree(run, numbers(), 100)
    assert len(maps) <= 100 + 3  # plain Python; the first turn and the reading, which may be another one for what a turn makes
    assert s.recorded <= plain.recorded + 20  # what was read stands for no turn
    assert s.regions <= plain.regions + 1


def test_a_step_records_its_instructions_and_nothing_else():
    @nvm.function
    def run(x, y, n):
        for _ in range(n):
            x, y = y, x * 0.5 + y
        return x + y

    def recorded(n):
        with nvm.stats() as s:
            run(nvm.asarray(np.arange(float(SIZE))), nvm.ones(SIZE), n).eval()
        return s.recorded

    assert (recorded(60) - recorded(20)) / 40 <= 4


def test_numbers_of_the_host_and_conditions_on_them(maps):
    @nvm.function
    def run(y, n):
        k, scale = 0, 2
        while k < n:
            scale = 3
            y = y.map(lambda x: (x * scale + 1) % 1001)
            k += 1
        return y + k

    agree(run, numbers(), 40)
    assert len(maps) <= 40 + 3


def test_conditions_on_values(maps):
    @nvm.function
    def run(x, eps):
        turns = 0
        change = nvm.max(x)
        while change > eps:
            y = x.map(lambda v: v * 0.5)
            change = nvm.max(nvm.abs(x - y))
            x = y
            turns += 1
        return x + turns

    agree(run, nvm.asarray(np.arange(float(SIZE))), 0.25)
    assert len(maps) <= 14 + 3


@pytest.mark.parametrize("n", [0, 1, 2, 3, 9])
def test_few_turns(n):
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = y * 2 + 1
        else:
            y = y + 7
        return y

    agree(run, numbers(), n)


def test_what_is_another_number_in_each_turn_is_executed_in_each(maps):
    @nvm.function
    def run(y, n):
        for r in range(n):
            y = y.map(lambda x: x + r) if r % 3 == 0 else y * 2
        return y

    agree(run, numbers(), 10)
    assert len(maps) >= 4 + 4


def test_inner_loops_and_branches(maps):
    @nvm.function
    def run(y, n, fast):
        for _ in range(n):
            for k in range(3):
                if fast:
                    y = y.map(lambda x: (x + k) % 101)
                else:
                    y = y + k
        return y

    agree(run, numbers(), 30, True)
    assert len(maps) <= 90 + 9


def test_lengths_that_change():
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = nvm.concat([y, y[:2]])
        return y

    agree(run, numbers(), 5)


def test_types_that_change():
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = y / 2
        return y

    agree(run, numbers(), 7)


def test_negative_numbers_come_in_late():
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = y % 7 - 3
        return y

    agree(run, numbers(), 6)


def test_lists_are_changed_in_every_turn():
    @nvm.function
    def run(y, n):
        sums, last = [], 0
        for _ in range(n):
            y = y + 1
            sums.append(int(nvm.sum(y)))
        for _ in range(n):
            y = y + 1
            sums += [len(y)]
        return sums

    agree(run, numbers(), 5)


def test_elements_are_changed_in_every_turn():
    @nvm.function
    def run(y, n):
        z = y + 0
        for k in range(n):
            y = y + z
            z[k] = 1000
        return y + z

    agree(run, numbers(), 6)


def test_break_and_continue_on_values():
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = y + y % 3
            if int(nvm.max(y)) > 1500:
                break
        return y

    agree(run, numbers(), 500)


def test_errors_are_those_of_plain_python():
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = 6 // y * 0 + y - 1
        return y

    with pytest.raises(ZeroDivisionError) as e:
        run(nvm.asarray(np.arange(SIZE) + 12), 30).to_numpy()
    assert e.value.nvm_origin.filename == __file__


def test_what_is_found_outside():
    weights = nvm.asarray(np.arange(SIZE) % 5)

    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = y + weights
        return y

    agree(run, numbers(), 12)


OFFSETS = [(-1,), (0,), (1,)]


def test_lists_that_are_found_outside(monkeypatch):
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = y.stencil(OFFSETS, lambda a, b, c: (a + b + c) % 97, pad="wrap")
        return y

    calls = []
    original = neslvm.mapping.repeated
    monkeypatch.setattr(neslvm.mapping, "repeated", lambda *args: calls.append(1) or original(*args))
    agree(run, numbers(), 30)
    assert len(calls) <= 30 + 3


@pytest.mark.parametrize("outer", [False, True])
def test_iterators_are_gone_through_once(outer):
    @nvm.function
    def run(y, n):
        steps = iter([1, 2, 3, 4, 5, 6, 7, 8])

        def turns(y):
            for _ in range(n):
                for k in steps:
                    y = y * 2 + k
                    if k % 2 == 0:
                        break
            return y

        if outer:
            return turns(y)
        for _ in range(n):
            for k in steps:
                y = y * 2 + k
                if k % 2 == 0:
                    break
        return y

    agree(run, numbers(), 4)


def test_what_a_reading_met_is_not_stored():
    @nvm.function
    def run(y, n):
        for _ in range(n):
            y = y.stencil([(-1, 0), (1, 0)], lambda a, b, i: (a + b + i[0] * i[1]) % 9973, outside=1, with_index=True)
        return y

    with nvm.options(jit="always"):
        s, plain = agree(run, nvm.asarray(np.arange(90_000).reshape(300, 300)), 12)
    assert s.peak_bytes <= 1.2 * plain.peak_bytes
