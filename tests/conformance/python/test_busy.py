"""Sessions that are used while they are in use: by other threads, and by handlers of signals."""
import signal
import threading

import nvm
from neslvm import _nvm, config

BUSY = 4
LOOP = "function down(n) = if n == 0 then 0 else down(n - 1); down({});\n"


def test_a_top_level_is_used_by_one_call():
    top = _nvm.TopLevel(config.machine_options())
    found = []

    def work():
        for i in range(200):
            status, out, err = top.run(f"{i};\n")
            found.append((i, status, out, err))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, status, out, err in found:
        assert (status, out, err) == (0, f"it = {i} : int\n", "") or status == BUSY and out == "" and err.startswith("nvm: busy"), (i, status, out, err)
    assert any(status == 0 for _, status, _, _ in found)


def test_a_handler_of_a_signal_finds_the_top_level_busy():
    top = _nvm.TopLevel(config.machine_options())
    inside = []
    old = signal.signal(signal.SIGALRM, lambda *_: inside.append(top.run("1;\n")))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        shown = top.run(LOOP.format(3_000_000))
        while not inside:
            shown = top.run(LOOP.format(3_000_000))
    finally:
        signal.signal(signal.SIGALRM, old)
    assert shown[0] == 0 and "it = 0 : int" in shown[1]
    assert inside[0][0] in (0, BUSY)


def test_functions_are_called_from_threads_and_handlers():
    twice = nvm.nesl("function twice(x) = x + x")
    results, inside = [], []
    old = signal.signal(signal.SIGALRM, lambda *_: inside.append(int(twice(4))))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.001)
        threads = [threading.Thread(target=lambda: results.extend(int(twice(21)) for _ in range(300))) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(300):
            results.append(int(twice(21)))
        for thread in threads:
            thread.join()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    assert set(results) == {42} and len(results) == 1200
    assert set(inside) <= {8} and inside
