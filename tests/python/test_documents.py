"""The pages on Python: docs/numpy.md is a session, and the notebook is executed by a kernel of Jupyter."""
import doctest
import pathlib
import re

import nvm
import pytest

ROOT = pathlib.Path(__file__).parents[2]
PAGE = ROOT / "docs" / "numpy.md"


def test_the_page_for_users_of_numpy():
    blocks = re.findall(r"^```pycon\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 8
    session = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "numpy.md", str(PAGE), 0)
    said = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS).run(session, out=said.append)
    assert not said, "".join(said)


def test_its_idioms_are_there():
    names = set(re.findall(r"nvm\.([a-z_0-9]+)", PAGE.read_text()))
    assert {n for n in names if not hasattr(nvm, n)} == set()


def test_the_notebook():
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    path = ROOT / "programs" / "python" / "tour.ipynb"
    book = nbformat.read(path, as_version=4)
    nbformat.validate(book)
    promised = [cell.get("outputs", []) for cell in book.cells]
    nbclient.NotebookClient(book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}).execute()
    for before, cell in zip(promised, book.cells):
        if cell.cell_type == "code":
            assert _texts(cell.outputs) == _texts(before), cell.source


def _texts(outputs):
    """What a cell shows as text, however a stream was cut; pictures and tables by their kinds."""
    found = []
    for o in outputs:
        data = o.get("data", {})
        text = o.get("text", data.get("text/plain"))
        if found and o.output_type == "stream" and found[-1][:2] == ("stream", o.get("name")):
            text = found.pop()[2] + text
        found.append((o.output_type, o.get("name"), text, sorted(data)))
    return found
