"""The Jupyter kernel for NESL, by a client of Jupyter's own."""
import os
import subprocess
import sys
import time

import pytest

jupyter_client = pytest.importorskip("jupyter_client")
pytest.importorskip("ipykernel")


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    prefix = tmp_path_factory.mktemp("prefix")
    made = subprocess.run([sys.executable, "-m", "neslvm.kernel", "install", "--prefix", str(prefix)], capture_output=True, text=True, check=True)
    assert "installed in" in made.stdout
    os.environ["JUPYTER_PATH"] = str(prefix / "share" / "jupyter")
    manager, client = jupyter_client.manager.start_new_kernel(kernel_name="nesl", startup_timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def run(client, code, timeout=30):
    """The reply, and what was shown: texts by stream, data of results."""
    shown = {"stdout": "", "stderr": "", "data": {}}

    def see(message):
        content = message["content"]
        if message["msg_type"] == "stream":
            shown[content["name"]] += content["text"]
        elif message["msg_type"] == "execute_result":
            shown["data"] = content["data"]

    # An error ends what is queued behind it otherwise, which the next cell may be already.
    reply = client.execute_interactive(code, timeout=timeout, output_hook=see, stop_on_error=False)
    return reply["content"], shown


def test_cells_share_a_session(client):
    _, kernel = client
    assert run(kernel, "function twice(x) = x + x;")[0]["status"] == "ok"
    reply, shown = run(kernel, "twice(21)")
    assert reply["status"] == "ok" and "it = 42 : int" in shown["stdout"]


def test_tables_and_plots(client):
    _, kernel = client
    _, shown = run(kernel, "[[1, 2], [3]];")
    assert "<td>3</td>" in shown["data"]["text/html"] and "it = [[1, 2], [3]]" in shown["data"]["text/plain"]
    _, shown = run(kernel, "{float(i * i) : i in [0:10]};")
    assert shown["data"]["image/svg+xml"].startswith("<svg")
    _, shown = run(kernel, "[1.0];")
    assert shown["data"] == {} and "it = [1.0]" in shown["stdout"]


def test_errors_say_what_and_leave_the_session(client):
    _, kernel = client
    reply, _ = run(kernel, "nothing_of_this_name(3);")
    assert reply["status"] == "error" and reply["ename"] == "CompileError" and "nothing_of_this_name" in reply["evalue"]
    reply, _ = run(kernel, "1 / 0;")
    assert reply["status"] == "error" and reply["ename"] == "RunError" and "zero" in reply["evalue"]
    assert "it = 4" in run(kernel, "2 + 2;")[1]["stdout"]


def test_completion_inspection_and_wholeness(client):
    _, kernel = client
    run(kernel, "function a_name_of_mine(x) = x;")
    reply = kernel.complete("1 + a_name_of", reply=True, timeout=20)["content"]
    assert reply["matches"] == ["a_name_of_mine"] and (reply["cursor_start"], reply["cursor_end"]) == (4, 13)
    reply = kernel.inspect("sum(v)", 1, reply=True, timeout=20)["content"]
    assert reply["found"] and "sum" in reply["data"]["text/plain"]
    assert not kernel.inspect("zzz", 1, reply=True, timeout=20)["content"]["found"]
    for code, status in (("let x = ", "incomplete"), ("1 + 1;", "complete")):
        asked = kernel.is_complete(code)
        reply = kernel.get_shell_msg(timeout=20)
        assert reply["parent_header"]["msg_id"] == asked and reply["content"]["status"] == status


def test_an_interrupt_ends_a_cell_and_nothing_else(client):
    manager, kernel = client
    run(kernel, "function for_ever(x) = if x < 0 then x else for_ever(rem(x + 1, 1000));")
    kernel.execute("for_ever(1);", stop_on_error=False)
    time.sleep(1.0)
    manager.interrupt_kernel()
    reply = kernel.get_shell_msg(timeout=20)
    assert reply["content"]["status"] == "error" and reply["content"]["ename"] == "KeyboardInterrupt"
    assert "it = 3" in run(kernel, "1 + 2;")[1]["stdout"]
