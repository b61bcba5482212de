"""Running nvm in tests."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from lifted import factorial

NVM = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])
FAILED = []
WORK = pathlib.Path(tempfile.mkdtemp(prefix="nvm_profile_"))

# The gallery's quicksort from line 1 on, applied to many numbers; with a scan in it, so that it is no loop nest, of which
# neither levels nor lines are known.
QUICKSORT = (ROOT / "programs" / "quicksort.nesl").read_text().split("\n", 1)[1].split("$")[0].replace(
    "v[#v / 2]", "v[min(#v / 2, #v + count({x < 0 : x in plus_scan(v)}))]") + """$

let v = {rem(i * 7919, 100003) : i in [0:100000]};
    s = quicksort(v)
in (#s, all({a <= b : a in take(s, 99999); b in drop(s, 1)})) $
"""

# Of 2000 instances: block mode may cut the calls.
FACTORIAL = factorial([k % 13 for k in range(2000)])
RESULT = "it = (100000, T) : int, bool\n"


def write(name, text):
    path = WORK / name
    path.write_text(text)
    return str(path)


def nvm(*words, stdin="", env=None, **kwargs):
    environment = {**os.environ, "XDG_CACHE_HOME": str(WORK / "cache"), **(env or {})}
    return subprocess.run([NVM, *words], input=stdin, capture_output=True, text=True, env=environment,
                          cwd=WORK, check=False, **kwargs)


def expect(what, condition, detail=""):
    if not condition:
        FAILED.append(what)
        print(f"FAILED: {what}" + (f"\n  {str(detail)[:2000]}" if detail != "" else ""))


def finish():
    subprocess.run(["rm", "-rf", str(WORK)], check=False)
    print("all good" if not FAILED else f"{len(FAILED)} failed")
    sys.exit(1 if FAILED else 0)


def load(path):
    """A trace, also one whose end is missing."""
    text = pathlib.Path(path).read_text()
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return json.loads(text + "]")
