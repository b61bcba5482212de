#!/usr/bin/env python3
"""The playground in a real browser: type a program, run it, see the result, an error at its place, a chart, a profile; stop an
endless one; two tabs. Skipped where there is no Chromium.

    page_test.py NVM ROOT [--screenshot FILE]
"""

import base64
import pathlib
import sys

import browser
from common import ENDLESS, Playground, children, expect, finish, until

SKIPPED = 77
CONTROL = 2
WIDTHS = (400, 800, 1280, 2000)
READY = "document.body?.dataset.ready === 'yes'"
STATE = "document.getElementById('state').textContent"
OUTPUT = "document.getElementById('output').textContent"


def open_page(b, p):
    tab = b.open(p.address)
    expect("the page opens", tab.wait(READY), p.address)
    return tab


def enter(tab, text):
    """As a user does: all of the old text goes, this one is typed."""
    tab.value("document.getElementById('program').focus(); document.getElementById('program').select()")
    tab.type(text)


def run(tab, text, button="#run"):
    enter(tab, text)
    tab.click(button)
    expect("it ends", tab.wait(f"!['', 'running'].includes({STATE})"), tab.value(STATE))


def check_result(tab):
    run(tab, "function double(v) = {2 * x : x in v} $\ndouble([1, 2, 3]);\n")
    expect("the result", tab.value(OUTPUT) == "it = [2, 4, 6] : [int]\n" and tab.value(STATE) == "done", tab.value(OUTPUT))
    enter(tab, "sum([0:10]);")
    tab.press("Enter", 13, CONTROL)
    expect("by a key", tab.wait(f"{OUTPUT} === 'it = 45 : int\\n'"), tab.value(OUTPUT))
    expect("words have colours", tab.value("document.querySelectorAll('#shown .support').length") == 1)


def check_colours(tab):
    """By the grammars that editors have."""
    enter(tab, "% a comment if % if \"a string\" then 12 else int;")
    kinds = "[...document.querySelectorAll('#shown span')].map((e) => e.className + ':' + e.textContent).join('|')"
    expect("colours", tab.value(kinds) == "comment:% a comment if %|keyword:if|string:\"a string\"|keyword:then|constant:12|keyword:else|storage:int|"
           "punctuation:;", tab.value(kinds))
    expect("what is seen is the text", tab.value("document.getElementById('shown').textContent === program.value + '\\n '"))
    tab.value("document.getElementById('language').value = 'remora'; document.getElementById('language').dispatchEvent(new Event('change'))")
    enter(tab, "(define x 1) ; it")
    expect("Remora's", tab.value(kinds) == "keyword:define|entity:x|constant:1|comment:; it", tab.value(kinds))
    tab.value("document.getElementById('language').value = 'nesl'")


def check_errors(tab):
    run(tab, "x = 1;\n\ny = x + 2.5;\n")
    bad = "[...document.querySelectorAll('#shown .bad-line')].map((e) => e.textContent).join('')"
    expect("the line of an error", tab.value(bad) == "y = x + 2.5;", tab.value(bad))
    expect("the place in it", tab.value("document.querySelectorAll('#shown .bad-place').length") == 1)
    expect("its number", tab.value("document.querySelector('#gutter .wrong').textContent") == "3\n")
    expect("its message", "line 3: argument types do not match" in tab.value("document.querySelector('#messages li').textContent"))
    tab.click("#messages li")
    expect("a click leads there", tab.value("program.value.slice(0, program.selectionStart).split('\\n').length") == 3)
    run(tab, "v = [1, 2];\nv[5];\n")
    expect("one of the run", tab.value(bad) == "v[5];" and tab.value(STATE) == "failed", (tab.value(bad), tab.value(STATE)))
    tab.type(" ")
    expect("it goes when the text changes", tab.value("document.querySelectorAll('#shown .bad-line').length") == 0)


def check_chart(tab):
    run(tab, "1 + 1;\nplot([1, 4, 9]);\n2 + 2;\n")
    picture = "document.querySelector('#output img')"
    expect("a picture", tab.wait(f"{picture} !== null && {picture}.naturalWidth > 100"), tab.value(OUTPUT))
    expect("among the results", tab.value(OUTPUT) == "it = 2 : int\nit : chart\nit = 4 : int\n", tab.value(OUTPUT))
    run(tab, 'print_string("<img src=x onerror=alert(1)> <svg onload=alert(1)> </svg>");\n')
    expect("what programs write is no page", tab.value("document.querySelectorAll('#output img[onerror], #output svg').length") == 0)


def check_profile(b, tab):
    run(tab, "function f2(n) = {x * x : x in [0:n]} $\nsum(f2(100000));\n", "#profile")
    expect("a profile", tab.wait("!document.getElementById('page').hidden && document.getElementById('page').src.includes('/profile/')"))
    expect("a trace", tab.value("document.getElementById('trace').href.includes('/trace/')"))
    tab.click("#show-output")
    expect("the results beside it", tab.value(OUTPUT).startswith("it = 333328333350000 : int\n"), tab.value(OUTPUT))
    shown = [t for t in b.call("Target.getTargets")["targetInfos"] if t["type"] == "iframe" and "/profile/" in t["url"]]
    expect("it is shown, in a process of its own", len(shown) == 1, shown)
    expect("and has no way to the page", tab.value("document.getElementById('page').contentDocument") is None)


def check_stop(b, p, tab):
    enter(tab, ENDLESS)
    tab.click("#run")
    other = open_page(b, p)
    enter(other, ENDLESS)
    other.click("#run")
    expect("two endless ones run", until(lambda: len(children(p.process.pid)) == 2), children(p.process.pid))
    third = open_page(b, p)
    run(third, "1 + 2;")
    expect("and a third tab works", third.value(OUTPUT) == "it = 3 : int\n", third.value(OUTPUT))
    tab.click("#stop")
    expect("one is stopped", tab.wait(f"{STATE} === 'stopped: by you'") and until(lambda: len(children(p.process.pid)) == 1), tab.value(STATE))
    other.close()
    expect("one goes with its tab", until(lambda: children(p.process.pid) == []), children(p.process.pid))
    run(tab, "5;")
    expect("and it goes on", tab.value(OUTPUT) == "it = 5 : int\n", tab.value(OUTPUT))
    third.close()


def check_widths(tab):
    for width in WIDTHS:
        tab.size(width, 900)
        expect(f"nothing leaves the page at {width}", tab.value("document.documentElement.scrollWidth <= innerWidth"), width)
        expect(f"everything is seen at {width}", tab.value(
            "['#run', '#program', '#output'].every((s) => { const r = document.querySelector(s).getBoundingClientRect(); "
            "return r.width > 20 && r.height > 15 && r.bottom <= innerHeight + 1; })"), width)


def check_stranger(b, p):
    tab = b.open(p.address.split("#")[0])
    tab.wait(READY)
    run(tab, "1;")
    expect("without the token it says what to do", "behind the #" in tab.value(STATE), tab.value(STATE))
    tab.close()
    b.complaints.clear()  # the browser tells of the answer 403


def take_picture(tab, path):
    tab.size(1280, 560)
    run(tab, "% Estimates of pi, each from more random points. %\nfunction inside(n) =\n  let xs = {rand(x) : x in dist(1.0, n)};\n"
        "      ys = {rand(y) : y in dist(1.0, n)}\n  in count({x * x + y * y < 1.0 : x in xs; y in ys}) $\n\nns = {2 ^ k : k in [4:17]};\n"
        "estimates = {4.0 * float(inside(n)) / float(n) : n in ns};\nestimates;\ntitled(plot(estimates), \"estimates of pi\");\n")
    pathlib.Path(path).write_bytes(base64.b64decode(tab.screenshot()))


def main():
    path = browser.find()
    if path is None:
        print("no Chromium: the page was not opened")
        sys.exit(SKIPPED)
    with Playground("--time-limit", "120", "--fuel", "1000000000000000") as p, browser.Browser(path) as b:
        tab = open_page(b, p)
        if "--screenshot" in sys.argv:
            take_picture(tab, sys.argv[sys.argv.index("--screenshot") + 1])
            return finish()
        check_result(tab)
        check_colours(tab)
        check_errors(tab)
        check_chart(tab)
        check_profile(b, tab)
        check_widths(tab)
        check_stop(b, p, tab)
        expect("no complaints", b.complaints == [], b.complaints)
        check_stranger(b, p)
    return finish()


if __name__ == "__main__":
    main()
