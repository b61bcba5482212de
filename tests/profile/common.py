"""Running nvm in tests."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

NVM = sys.argv[1]
ROOT = pathlib.Path(sys.argv[2])
FAILED = []
WORK = pathlib.Path(tempfile.mkdtemp(prefix="nvm_profile_"))

# The gallery's quicksort from line 1 on, applied to many numbers.
QUICKSORT = (ROOT / "programs" / "quicksort.nesl").read_text().split("\n", 1)[1].split("$")[0] + """$

let v = {rem(i * 7919, 100003) : i in [0:100000]};
    s = quicksort(v)
in (#s, all({a <= b : a in take(s, 99999); b in drop(s, 1)})) $
"""

# The factorial of 2000 instances, lifted: block mode may cut the calls.
FACTORIAL = "FUNC MAIN CONST INT (" + " ".join(str(k % 13) for k in range(2000)) + """)
CONST INT 2000 MAKE_SEGDES CALL FACT RET
FUNC FACT
COPY 1 1 CONST INT 0 COPY 1 2 DIST INT = INT
COPY 1 1 LENGTHS COPY 1 1 B_TO_I COPY 1 3 +_REDUCE INT
COPY 1 1 CONST INT 0 = INT IF
  POP 5 0 CONST INT ()
ELSE COPY 2 0 = INT IF
  POP 3 0 CONST INT 1 CPOP 1 1 DIST INT POP 1 1
ELSE COPY 1 0 CONST INT 0 = INT IF
  POP 3 0 COPY 1 1 CONST INT 1 COPY 1 2 DIST INT - INT CPOP 1 1 CALL FACT * INT
ELSE
  POP 2 0 NOT BOOL CONST INT 0 CONST INT 1 COPY 1 3 INDEX COPY 1 1 COPY 1 3 PACK INT
  COPY 1 4 COPY 1 2 COPY 1 5 COPY 1 3 BPERMUTE INT
  COPY 1 0 CONST INT 1 COPY 1 3 DIST INT - INT COPY 1 2 CALL FACT * INT
  COPY 1 2 CONST INT 1 COPY 1 6 DIST INT COPY 1 3 COPY 1 7 DPERMUTE INT
  POP 5 1
ENDIF ENDIF ENDIF RET
"""
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
