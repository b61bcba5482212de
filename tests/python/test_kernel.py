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


@pytest.mark.parametrize("n", [25, 30, 1000, 5000])
def test_long_values_have_a_plot(client, n):
    _, shown = run(client[1], f"[0:{n}];")
    points = shown["data"]["image/svg+xml"].split('points="')[1].split('"')[0].split()
    assert len(points) == min(n, 2000) and points[0] == "0.0,120.0" and points[-1].endswith(",0.0")
    assert "it =" in shown["data"]["text/plain"] and shown["stdout"] == ""


def test_long_values_have_a_table(client):
    _, kernel = client
    _, shown = run(kernel, "{{i * j : j in [0:10]} : i in [0:10]};")
    assert "<td>81</td>" in shown["data"]["text/html"] and shown["data"]["text/html"].count("<tr>") == 10
    _, shown = run(kernel, "{{i + j : j in [0:200]} : i in [0:200]};")
    assert "&#8942;" in shown["data"]["text/html"] and "200 * var * int64" in shown["data"]["text/html"]
    _, shown = run(kernel, "[1.0, 1.0E308, 0.0 - 1.0E308];")
    assert "nan" not in shown["data"]["image/svg+xml"]


def test_charts_are_drawn(client):
    _, kernel = client
    for text in ("plot_bars([3, 1, 2]);", "plot_image([[0, 128], [255, 3]]);", "a_chart = plot_line([1.0, 3.0], [2.0, 5.0]);"):
        _, shown = run(kernel, text)
        assert shown["data"]["image/svg+xml"].startswith("<svg") and shown["data"]["text/plain"].endswith(" : chart"), text
        assert shown["stdout"] == ""


def test_what_programs_print_stands_before_their_values(client):
    reply, shown = run(client[1], 'print_string("hi\\n"); print_string("open"); 5;')
    assert reply["status"] == "ok" and shown["stderr"] == ""
    assert shown["stdout"] == "hi\nit = T : bool\nopen\nit = T : bool\nit = 5 : int\n"


def test_a_cell_ends_with_its_first_error(client):
    _, kernel = client
    for text, kind, place in (("1;\nbad_name;\n5;", "CompileError", "<cell>:2:1:"), ("1; bad_name; 5;", "CompileError", "<cell>:1:4:"),
                              ("1;\n2 / 0;\n5;", "RunError", "<cell>:2:")):
        reply, shown = run(kernel, text)
        assert reply["status"] == "error" and reply["ename"] == kind and place in reply["evalue"]
        assert "it = 1" in shown["stdout"] and "it = 5" not in shown["stdout"]


def test_forms_with_semicolons_inside_are_one(client):
    text = 'function of_mine(x) = let y = x + 1; z = y * 2 in z; % a; b % #"; c";\nof_mine(1); `; ; 7'
    reply, shown = run(client[1], text)
    assert reply["status"] == "ok", reply
    assert "it = 4 : int" in shown["stdout"] and "it = 3 : int" in shown["stdout"] and "it = `; : char" in shown["stdout"] and "it = 7 : int" in shown["stdout"]


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
