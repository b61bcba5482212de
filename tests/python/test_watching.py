"""nvm.profile and nvm.trace: what is evaluated, by lines of this file."""
import json
import pathlib

import numpy as np
import nvm
import pytest

HERE = pathlib.Path(__file__)


def line_of(text):
    return next(k for k, line in enumerate(HERE.read_text().splitlines(), 1) if text in line and "line_of" not in line)


def work(n=20_000):
    x = nvm.asarray(np.arange(float(n)))
    y = nvm.sqrt(x * 2 + 1)  # roots
    z = y[y > 10]  # kept ones
    return float(nvm.sum(z)), nvm.cumulative_sum(x).eval()  # sums


@pytest.fixture
def profile():
    with nvm.options(jit="always"), nvm.profile() as p:
        work()
    return p


def test_rows_are_lines_of_the_script(profile):
    found = {row["where"]: row for row in profile.table()["line"]}
    for what in ("# roots", "# kept ones", "# sums"):
        row = found[f"MAIN:{line_of(what)} in {HERE}"]
        assert row["depth"] >= 1 and row["work"] >= 10_000
    assert f"MAIN:{line_of('# roots')} in {HERE}" in profile.report()


def test_kernels_name_their_lines(profile):
    kernels = [row["where"] for row in profile.table(tables="kernel")["kernel"]]
    assert any("filter" in k and f"MAIN:{line_of('# kept ones')} in {HERE}" in k for k in kernels)


def test_columns_and_rows_are_chosen(profile):
    text = profile.report(columns="work", sort="work", rows=1)
    assert "work" in text and "bandwidth" not in text
    with pytest.raises(ValueError, match="there is no column wrok; did you mean work"):
        profile.report(columns="wrok")


def test_what_is_outside_is_not_seen(profile):
    before = profile.table()["line"]
    nvm.sum(nvm.arange(10_000) * 7).eval()
    assert profile.table()["line"] == before


@pytest.mark.parametrize("ending, sign", [("html", "<html"), ("json", '"line"'), ("csv", "where"), ("folded", "MAIN:"), ("speedscope.json", "speedscope")])
def test_it_is_saved(profile, tmp_path, ending, sign):
    profile.save(tmp_path / f"x.{ending}")
    assert sign in (tmp_path / f"x.{ending}").read_text()
    with pytest.raises(ValueError, match="saved as"):
        profile.save(tmp_path / "x.txt")


def test_functions_of_nesl_have_their_own_lines():
    with nvm.profile() as p:
        count = nvm.nesl("function count(n) =\n  if n == 0 then 0\n  else count(n - 1) + 1;")
        assert count(50) == 50
    assert "count:3 in <nesl>" in [row["where"] for row in p.table()["line"]]
    assert "count" in [row["where"] for row in p.table(tables="function")["function"]]


def test_one_after_the_other():
    with nvm.profile():
        with pytest.raises(RuntimeError, match="being taken already"):
            with nvm.profile():
                pass
    with pytest.raises(ZeroDivisionError), nvm.profile() as p:
        (1 // nvm.asarray(np.arange(5000))).eval()
    assert p.report()


def test_a_trace_has_events_with_lines(tmp_path):
    with nvm.options(jit="always"), nvm.trace(tmp_path / "t.json"):
        assert not (tmp_path / "t.json").exists()
        work()
    events = json.loads((tmp_path / "t.json").read_text())
    assert any(str(HERE) in json.dumps(e) for e in events)
    assert {e["ph"] for e in events} & {"X", "B"}
    with pytest.raises(OSError, match="cannot write the trace"):
        with nvm.trace(tmp_path / "no" / "t.json"):
            pass


def test_explain_names_lines():
    x = nvm.asarray(np.arange(20_000.0))
    y = nvm.sqrt(x * 3 + 1)  # waits
    lines = nvm.explain(y).lines
    assert "instructions wait" in lines[0]
    assert [f"{HERE}:{line_of('# waits')}" in line for line in lines[1:]] == [True]
