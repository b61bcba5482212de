"""The page of a profile in a real browser: every panel has content, zoom and search work, nothing is complained about
and nothing fetched. Skipped where there is no Chromium.

    page_test.py NVM ROOT [--screenshot FILE]
"""

import html
import json
import re
import shutil
import subprocess
import sys

from common import QUICKSORT, WORK, expect, finish, nvm, write

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
SKIPPED = 77

LISTEN = """<script>
const complaints = [];
addEventListener('error', (e) => complaints.push(String(e.message)));
for (const how of ['error', 'warn']) console[how] = (...words) => complaints.push(words.join(' '));
</script>"""

DRIVE = """<script>
const outcome = {};
const all = (selector) => document.querySelectorAll(selector);
const canvas = document.getElementById('timeline-canvas');
const painted = () => {
  const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const colours = new Set();
  for (let i = 0; i < pixels.length; i += 4) if (pixels[i + 3] > 200) colours.add(pixels[i] * 65536 + pixels[i + 1] * 256 + pixels[i + 2]);
  return colours.size;
};
outcome.panels = [...all('.panel h2')].map((e) => e.textContent);
outcome.links = all('nav a').length;
outcome.tiles = all('.tile b').length;
outcome.slices = timeline.slices.length;
outcome.colours = painted();
outcome.flame = all('#flame-graph rect').length;
outcome.heat = [...all('.code div')].filter((e) => e.style.background !== '').length;
outcome.kernels = all('#kernel-table tbody tr').length;
outcome.dots = all('#roofline circle').length;
outcome.fusion = all('#fusion-list svg').length;
outcome.levels = all('.level:not(.head) rect').length;
outcome.functions = all('#function-table tbody tr').length;
outcome.lines = all('#line-table tbody tr').length;

const width = () => timeline.range()[1] - timeline.range()[0];
const before = width();
canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -100, clientX: 400, clientY: 60, bubbles: true, cancelable: true}));
outcome.zoomed = width() / before;
const left = timeline.range()[0];
canvas.dispatchEvent(new MouseEvent('mousedown', {clientX: 500}));
canvas.dispatchEvent(new MouseEvent('mousemove', {clientX: 400, clientY: 60}));
dispatchEvent(new MouseEvent('mouseup'));
outcome.moved = timeline.range()[0] - left;
canvas.dispatchEvent(new MouseEvent('dblclick'));
outcome.back = width() / before;

const deep = [...all('#flame-graph rect')][3];
deep.dispatchEvent(new MouseEvent('click', {bubbles: true}));
outcome.focus = flame.focusName();
outcome.above = all('#flame-graph .dim').length;
document.getElementById('flame-reset').click();
outcome.unfocused = flame.focusName();

const box = document.getElementById('search');
const search_for = (text) => {
  box.value = text;
  box.dispatchEvent(new Event('input'));
  return all('#flame-graph .hit').length + all('tr.hit').length + all('.code .hit').length;
};
outcome.found = search_for('quicksort');
outcome.said = document.getElementById('found').textContent;
outcome.nothing = search_for('no such thing');
search_for('');
all('#line-table th')[2].click();
outcome.sorted = all('#line-table th.sorted').length;
outcome.complaints = complaints;
document.body.append(Object.assign(document.createElement('pre'), {id: 'outcome', textContent: JSON.stringify(outcome)}));
</script>"""


# What is wider than its panel, unless it scrolls by itself; and what the boxes of the fusion graphs say.
MEASURE = """<script>
const wide = [];
for (const panel of document.querySelectorAll('header, .tile, .panel')) {
  const right = panel.getBoundingClientRect().right + 1;
  for (const e of panel.querySelectorAll('*')) {
    if (e.getBoundingClientRect().right <= right || e.closest('.scroll, .code, .level-table, .canvas-box, svg') ) continue;
    wide.push(e.tagName + '.' + e.className + ' in ' + (panel.id || panel.className));
  }
}
const page = document.documentElement;
const sheet = {wide, inner: innerWidth, over: page.scrollWidth - page.clientWidth,
               operations: [...document.querySelectorAll('#fusion-list .operation')].map((e) => e.textContent)};
parent.postMessage(JSON.stringify(sheet), '*');
</script>"""
# Chromium makes no window below 500 pixels.
FRAME = """<!doctype html><body style="margin: 0"><iframe src="sheet.html" style="width: WIDTHpx; height: 1000px; border: 0"></iframe>
<script>
addEventListener('message', (e) => document.body.append(Object.assign(document.createElement('pre'), {id: 'sheet', textContent: e.data})));
</script>"""
WIDTHS = (360, 400, 700, 899, 1000, 1440, 2000)


def browse(browser, page, *words, width=1440):
    return subprocess.run([browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           "--hide-scrollbars", f"--window-size={width},1000", "--virtual-time-budget=5000",
                           f"--user-data-dir={WORK}/browser", "--enable-logging=stderr", *words, f"file://{page}"],
                          capture_output=True, text=True, check=False)


def check_width(browser, text, width):
    page = WORK / "frame.html"
    (WORK / "sheet.html").write_text(text.replace("</body>", MEASURE + "</body>"))
    page.write_text(FRAME.replace("WIDTH", str(width)))
    found = re.search(r'<pre id="sheet"[^>]*>(.*?)</pre>', browse(browser, page, "--dump-dom", width=width).stdout, re.S)
    expect(f"the page opens, {width} pixels wide", found)
    sheet = json.loads(html.unescape(found.group(1)))
    expect(f"the page is {width} pixels wide", sheet["inner"] == width, sheet["inner"])
    expect(f"nothing leaves the page at {width}", sheet["over"] <= 0, sheet["over"])
    expect(f"nothing leaves its panel at {width}", sheet["wide"] == [], sheet["wide"][:5])
    expect("graphs name operations", {"<", "PACK"} & {name.split(" · ")[0] for name in sheet["operations"]},
           sheet["operations"][:20])


def check(o):
    expect("panels", o["panels"] == ["Timeline", "Flame graph", "Source", "Kernels", "Fusion", "Recursion levels",
                                     "Functions and lines"], o["panels"])
    for name, least in (("links", 7), ("tiles", 6), ("slices", 20), ("colours", 4), ("flame", 5), ("heat", 4), ("kernels", 2),
                        ("dots", 1), ("fusion", 2), ("levels", 3), ("functions", 2), ("lines", 4), ("sorted", 1)):
        expect(f"{name}: at least {least}", o[name] >= least, o[name])
    expect("the wheel zooms", o["zoomed"] < 0.9, o["zoomed"])
    expect("dragging moves", o["moved"] > 0, o["moved"])
    expect("a double click shows all", abs(o["back"] - 1) < 1e-9, o["back"])
    expect("a click zooms into the flame graph", o["focus"] == "quicksort" and o["above"] > 0, o)
    expect("and out", o["unfocused"] == "(program)", o["unfocused"])
    expect("search finds", o["found"] > 0 and "flame graph" in o["said"], o)
    expect("search finds nothing where there is nothing", o["nothing"] == 0, o["nothing"])
    expect("no complaints", o["complaints"] == [], o["complaints"])


def main():
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    program = write("quicksort.nesl", QUICKSORT + "% </script> <!-- %\n")
    run = nvm("profile", "--jit", "always", "--html", "page.html", program)
    expect("the page is written", run.returncode == 0, run)
    text = (WORK / "page.html").read_text()
    expect("one file, no network", not re.search(r"""(src|href)\s*=\s*["']?(https?:|//)|@import|url\(\s*["']?http""", text))
    if browser is None:
        print("no Chromium: the page was not opened")
        sys.exit(SKIPPED)
    if "--screenshot" in sys.argv:
        browse(browser, WORK / "page.html", "--screenshot=" + sys.argv[sys.argv.index("--screenshot") + 1])
    driven = WORK / "driven.html"
    driven.write_text(text.replace("<head>", "<head>" + LISTEN, 1).replace("</body>", DRIVE + "</body>"))
    opened = browse(browser, driven, "--dump-dom")
    found = re.search(r'<pre id="outcome">(.*?)</pre>', opened.stdout, re.S)
    expect("the page opens", found, opened.stderr[-2000:])
    if found:
        check(json.loads(html.unescape(found.group(1))))
    for width in WIDTHS:
        check_width(browser, text, width)
    expect("the browser's console is silent", ":CONSOLE" not in opened.stderr, opened.stderr[-2000:])
    finish()


main()
