"""Arrays as text and as HTML: all of a short dimension, the first and the last of a long one."""
import nvm as nv


def text(a):
    return repr(a).split(", type=")[0]


def test_all_elements_of_a_short_dimension():
    for n in (0, 1, 6, 7, 12):
        assert text(nv.arange(n)) == f"array({list(range(n))}"
    assert repr(nv.array(True)) == "array(True, type='bool')"
    assert text(nv.array([[1, 2], [], [3]])) == "array([[1, 2], [], [3]]"


def test_the_ends_of_a_long_dimension():
    assert repr(nv.arange(13)) == "array([0, 1, 2, 3, 4, 5, ..., 10, 11, 12], type='13 * int64')"
    assert text(nv.arange(1000)) == "array([0, 1, 2, 3, 4, 5, ..., 997, 998, 999]"
    row = "[0, 0, 0, 0, 0, 0, ..., 0, 0, 0]"
    rows = ", ".join([row] * 6 + ["..."] + [row] * 3)
    assert text(nv.zeros((20, 20), dtype=nv.int64)) == f"array([{rows}]"
    assert text(nv.array([[1], []] * 10)) == "array([[1], [], [1], [], [1], [], ..., [], [1], []]"


def test_records():
    r = nv.zip(x=list(range(20)), y=[float(i) for i in range(20)])
    assert text(r).endswith("{'x': 5, 'y': 5.0}, ..., {'x': 17, 'y': 17.0}, {'x': 18, 'y': 18.0}, {'x': 19, 'y': 19.0}]")
    html = r._repr_html_()
    assert html.startswith("<div><table><tr><th>x</th><th>y</th></tr><tr><td>0</td><td>0.0</td></tr>")
    assert "<tr><td>5</td><td>5.0</td></tr><tr><td>&#8942;</td></tr><tr><td>17</td><td>17.0</td></tr>" in html


def test_html():
    assert nv.array(5)._repr_html_() == "<div><table><tr><td>5</td></tr></table><p>int64</p></div>"
    assert "<tr><td>1</td><td>2</td></tr><tr></tr><tr><td>3</td></tr>" in nv.array([[1, 2], [], [3]])._repr_html_()
    wide = nv.zeros((1, 13))._repr_html_()
    assert wide.count("<td>0.0</td>") == 12 and "<td>&#8230;</td>" in wide
