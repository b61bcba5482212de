"""Calls of NESL functions: what goes in and comes out, what cannot, failures, and signals."""
import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

import nvm

INTERRUPTED = """
import os, signal, threading, time
import nvm

{define}
def interrupt():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)

run(0) if {warm} else None
threading.Thread(target=interrupt).start()
try:
    run({argument})
    print("ended")
except KeyboardInterrupt:
    print("interrupted", run(-1) if {warm} else "")
"""
SCALAR = 'run = nvm.nesl("function run(x) = if x < 0 then 0 else run(x + 1);")'
SUMS = 'run = nvm.nesl("function run(x) = if x < 0 then 0 else let s = sum({i * x : i in [0:1000000]}) in run(x + 1 + (s - s));")'
DEFINITION = 'run = lambda _: nvm.nesl("function turn(x) = if x < 0 then 0 else turn(x + 1); v = turn(0); function last(x) = v;")'
WHOLE = """
@nvm.function
def run(n):
    i = 0
    while i < n:
        i += 1
    return i
"""


def interrupted(define, argument, warm=False):
    text = INTERRUPTED.format(define=define, argument=argument, warm=warm)
    return subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False).stdout.split()


@pytest.mark.parametrize("define", [SCALAR, SUMS, DEFINITION], ids=["scalar", "sums", "definition"])
def test_an_interrupt_ends_a_call(define):
    assert interrupted(define, 0) == ["interrupted"]


def test_an_interrupt_ends_a_function_that_is_compiled_as_a_whole(tmp_path):
    path = tmp_path / "spin.py"
    path.write_text("import nvm\n" + WHOLE)
    define = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from spin import run"
    assert interrupted(define, 10**12, warm=True) == ["interrupted", "array(0,", "type='int64')"]


def test_a_handlers_exception_ends_a_call_and_is_raised():
    text = f"""
import signal
import nvm

class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.3)
{SCALAR}
try:
    run(0)
except Late:
    print("late")
"""
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False).stdout == "late\n"


def test_a_child_process_calls():
    text = """
import os
import nvm

add = nvm.nesl("function add(x) = x + 1;")
assert int(add(1)) == 2
child = os.fork()
if child == 0:
    os._exit(int(add(41)))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), int(add(2)))
"""
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False).stdout == "42 3\n"


def test_what_a_check_says_is_in_the_exception_alone(capfd):
    both = nvm.nesl("function both(v, w) =\n  {a + b : a in v; b in w};")
    with pytest.raises(RuntimeError, match=r"^Length mismatch in an apply-to-each. the lengths are \( 2 3 \)") as e:
        both([1, 2], [1, 2, 3])
    assert e.value.nvm_origin == ("<nesl>", 2, "both", None)
    assert e.value.__notes__ == ["nvm: <nesl>:2, in both: {a + b : a in v; b in w};"]
    with pytest.raises(RuntimeError, match="^a positive one is wanted"):
        nvm.nesl('function g(x) = check(x > 0, "a positive one is wanted", x);')(-1)
    with pytest.raises(RuntimeError, match="^none"):
        nvm.nesl('v = check([1] == [2], "none", 3); function g(x) = v;')
    assert capfd.readouterr() == ("", "")


def test_what_programs_print_is_printed(capfd):
    say = nvm.nesl('function say(x) = let a = print_string("RUNTIME ERROR: none\\n"); b = print_string("well\\n") in x;')
    assert int(say(3)) == 3
    assert capfd.readouterr().err == "RUNTIME ERROR: none\nwell\n"
    first = nvm.nesl('function first(v) = let a = print_string("looking\\n") in check(#v > 0, "empty", #v);')
    with pytest.raises(RuntimeError, match="^empty"):
        first(np.zeros(0))
    assert capfd.readouterr().err == "looking\n"


def test_failures_say_the_function_and_quote_the_line():
    text = "function one(v) = v[0];\nfunction two(v) =\n  let w = {x + 1 : x in v} in\n  w[7];"
    with pytest.raises(IndexError) as e:
        nvm.nesl(text, name="two")([1, 2])
    assert e.value.__notes__ == ["nvm: <nesl>:4, in two: w[7];"]


@pytest.mark.parametrize("arguments", [(1,), (2.5,), ([1], [2])])
def test_other_arguments_than_a_function_takes(arguments):
    count = nvm.nesl("function count(v) = #v;")
    with pytest.raises(TypeError, match="argument types do not match the function count"):
        count(*arguments)


@pytest.mark.parametrize("source", [
    "datatype point(float, float); function g(x) = point(x, x);", "datatype point(float, float); function g(x) = {point(y, y) : y in [x, x]};",
    "function g(x) = (y => y + x);", "function g(x) = {(y => y + x) : i in [1, 2]};", "function g(x) = ((y, z) => (y + x, z));",
    "function g(x) = (x, plot([x, x]));"])
def test_results_that_python_has_nothing_for(source):
    with pytest.raises(TypeError, match="Python has nothing for that|has functions in it"):
        nvm.nesl(source)(1.5)


def test_texts():
    same = nvm.nesl("function same(x) = x;")
    for x in ["", "abc", "größer", ["ab", "", "c"], [["a", "b"], [], ["c"]]]:
        assert same(x) == x
    assert nvm.nesl("function words(x) = wordify(x);")("hello big world") == ["hello", "big", "world"]
    assert nvm.nesl('function pairs(v) = {("ab", x) : x in v};')([1, 2]) == [("ab", 1), ("ab", 2)]
    n, c = nvm.nesl("function g(x) = (#x, x[0]);")("abc")
    assert int(n) == 3 and c == "a"
    with pytest.raises(TypeError, match="texts among other values"):
        same(["a", 1])


def test_integers_that_nesl_does_not_have():
    large = nvm.nesl("function large(v) = {a > 5 : a in v};")
    with pytest.raises(OverflowError):
        large(nvm.asarray(np.array([1, 2**63], np.uint64)))
    assert large(nvm.asarray(np.array([1, 2**63 - 1], np.uint64))).tolist() == [False, True]
    with pytest.raises(OverflowError):
        nvm.nesl("function g(x) = x + 1;")(2**63)


@pytest.mark.parametrize("again", [copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))], ids=["copy", "pickle"])
def test_functions_are_copied(again):
    both = again(nvm.nesl("function one(x) = x + 1; function two(x) = x + 2;"))
    assert int(again(both.two)(1)) == 3 and int(both.one(1)) == 2


def test_jagged_arrays_of_others_are_arguments():
    sums = nvm.nesl("function sums(m) = {sum(r) : r in m};")
    for package, make in (("pyarrow", "array"), ("awkward", "Array")):
        lists = getattr(pytest.importorskip(package), make)([[1, 2], [], [3]])
        assert sums(lists).tolist() == [3, 0, 3]


def test_the_source_is_a_text():
    with pytest.raises(TypeError, match="the source of NESL is a text, not int"):
        nvm.nesl(5)
