#!/usr/bin/env python3
"""Parquet and Arrow files, in and out: against pyarrow itself where there is one (this python3's, or that of NVM_ARROW_PYTHON), and the
messages without it.

    arrow_test.py NVM
"""

import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

NVM = os.path.realpath(sys.argv[1])
PYTHON = os.environ.get("NVM_ARROW_PYTHON", sys.executable)
SKIPPED = 77
problems = []

# Run by the python that has pyarrow: writes what the tests read.
MAKE = """
import datetime, sys
import pyarrow as pa, pyarrow.feather as feather, pyarrow.parquet as pq
folder = sys.argv[1]
table = pa.table({
    "name": ["Ada", None, "\\u00e9"], "age": pa.array([36, None, 5], pa.int32()), "n": pa.array([1, 2, 2**63 - 1], pa.uint64()),
    "ok": [True, False, True], "xs": pa.array([[1.5, 2.5], [], [3.0]]), "p": pa.array([{"a": 1, "b": "x"}, {"a": 2, "b": None}, {"a": 3, "b": "z"}]),
    "kind": pa.array(["u", "v", "u"]).dictionary_encode(), "deep": pa.array([[["ab"], []], [], [["c", ""]]]),
    "raw": pa.array([b"\\xff", b"", b"a"]), "half": pa.array([0.5, 1.5, None], pa.float32())})
pq.write_table(table, folder + "/t.parquet")
pq.write_table(table, folder + "/rows.parquet", row_group_size=1, compression="gzip")
feather.write_feather(table, folder + "/t.feather", compression="lz4")
with pa.ipc.new_stream(folder + "/stream.arrow", table.schema) as out:
    out.write_table(table, max_chunksize=2)
with pa.ipc.new_file(folder + "/slice.arrow", table.schema) as out:
    out.write_table(table.slice(1, 2))
for name, column in (("one", pa.array([1, 2, 3])), ("dates", pa.array([datetime.date(2020, 1, 1)])), ("big", pa.array([2**64 - 1], pa.uint64())),
                     ("nolist", pa.array([[1], None])), ("nobool", pa.array([True, None])), ("nostruct", pa.array([{"a": 1}, None])),
                     ("nothing", pa.array([], pa.int64())),
                     ("null", pa.nulls(2)), ("fixed", pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)))):
    pq.write_table(pa.table({"c": column}), folder + "/" + name + ".parquet")
pq.write_table(pa.table({f"c{k}": [k] for k in range(501)}), folder + "/wide.parquet")
pq.write_table(pa.table({}), folder + "/empty.parquet")
"""
# Says what a file has.
SHOW = """
import json, sys
import pyarrow.ipc as ipc, pyarrow.parquet as pq
path = sys.argv[1]
table = pq.read_table(path) if path.endswith(".parquet") else ipc.open_file(path).read_all()
table.validate(full=True)
print(json.dumps([[n, str(t), c.to_pylist()] for n, t, c in zip(table.column_names, table.schema.types, table.columns)]))
"""
ALL = ('[("Ada", 36.0, 1, T, [1.5, 2.5], (1, "x"), "u", [["ab"], []], "\xff", 0.5), '
       '("", nan, 2, F, [], (2, ""), "v", [], "", 1.5), ("\xc3\xa9", 5.0, 9223372036854775807, T, [3.0], (3, "z"), "u", [["c", ""]], "a", nan)]')


def expect(what, good, detail=""):
    if not good:
        problems.append(f"{what}: {str(detail)[:1200]}")


class Place:
    def __init__(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="nvm_arrow_")
        self.folder = pathlib.Path(self.scratch.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        self.put_python(f'#!/bin/sh\nexec "{PYTHON}" "$@"\n')

    def put_python(self, text):
        (self.bin / "python3").write_text(text)
        (self.bin / "python3").chmod(0o755)

    def nvm(self, *words, path=None):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), "PATH": path or f"{self.bin}:{os.environ['PATH']}"}
        return subprocess.run([NVM, *map(str, words)], cwd=self.folder, env=environment, capture_output=True, check=False, timeout=120)

    def text(self, *words, **how):
        run = self.nvm(*words, **how)
        return run.returncode, run.stdout.decode("latin-1"), run.stderr.decode("utf-8", "replace")

    def show(self, name):
        return json.loads(subprocess.run([PYTHON, "-c", SHOW, str(self.folder / name)], capture_output=True, check=True, text=True).stdout)


def check_missing(p):
    (p.folder / "x.parquet").write_bytes(b"PAR1")
    p.put_python("#!/bin/sh\necho 'No module named pyarrow' >&2\nexit 3\n")
    cure = "this needs Apache Arrow in Python (python3 -m pip install pyarrow): "
    for words in (("--in", "x=x.parquet", "-e", "x"), ("-e", "[1]", "--out", "y.arrow")):
        status, out, err = p.text("run", *words)
        expect(f"without pyarrow: {words}", status == 2 and out == "" and err.count("\n") == 1 and cure + "No module named pyarrow" in err, (status, err))
    bare = p.folder / "nothing"
    bare.mkdir()
    status, out, err = p.text("run", "--in", "x=x.parquet", "-e", "x", path=str(bare))
    expect("without python3", status == 2 and cure + "python3: No such file or directory" in err, (status, err))
    p.put_python("#!/bin/sh\nkill -SEGV $$\n")
    status, out, err = p.text("run", "--in", "x=x.parquet", "-e", "x")
    expect("python that crashes", status == 2 and "ended without an answer" in err, (status, err))
    for answer, words in (("", "no value"), ("{}\\n", "no value"), ('{\\"type\\": \\"int\\", \\"parts\\": []}\\n', "do not fit"),
                          ('{\\"type\\": [\\"seq\\", \\"int\\"], \\"parts\\": [[\\"d\\", 1], [\\"i\\", 5]]}\\n12345678', "do not fit")):
        p.put_python(f'#!/bin/sh\nprintf "%b" "{answer}"\n')
        status, out, err = p.text("run", "--in", "x=x.parquet", "-e", "x")
        expect(f"a wrong answer {answer}", status == 2 and words in err, (status, err))
    hostile = [[["", 1]], [["i", -1]], [["i", 1e300]], [["i", True]], [[1, 1]], [["d", 1]], [["ii", 1]], "x", [["i"]], [[]]]
    for parts in hostile:
        p.put_python(f"#!/bin/sh\ncat <<'END'\n{json.dumps({'type': 'int', 'parts': parts})}\n12345678\nEND\n")
        status, out, err = p.text("run", "--in", "x=x.parquet", "-e", "x")
        expect(f"a wrong answer {parts}", status == 2 and ("no value" in err or "do not fit" in err) and "internal" not in err, (status, err))
    p.put_python('#!/bin/sh\nprintf \'{"type": ["seq", "bool"], "parts": [["d", 1], ["b", 3]]}\\n\\003\\000\\000\\000\\000\\000\\000\\000\\002\\000\\377\'\n')
    status, out, err = p.text("run", "--in", "x=x.parquet", "-e", "(x, count(x))")
    expect("flags that are neither 0 nor 1", out == "it = ([T, F, T], 2) : [bool], int\n", (status, out, err))
    check_replay(p)
    p.put_python("#!/bin/sh\nsleep 100\n")
    status, out, err = p.text("run", "--time-limit", "1", "--in", "x=x.parquet", "-e", "x")
    expect("python that hangs", status in (1, 2) and "time limit" in err, (status, err))
    p.put_python(f'#!/bin/sh\nexec "{PYTHON}" "$@"\n')


def check_replay(p):
    """A record has what came back, so a replay starts nothing, whoever made the record."""
    answer = '{"type": ["seq", "int"], "parts": [["d", 1], ["i", 1]]}'
    for compressed in ("x.parquet", "x.arrow.gz"):
        (p.folder / compressed).write_bytes(gzip.compress(b"PAR1") if compressed.endswith("gz") else b"PAR1")
        p.put_python(f"#!/bin/sh\ntouch called\nprintf '{answer}\\n\\001\\000\\000\\000\\000\\000\\000\\000\\007\\000\\000\\000\\000\\000\\000\\000'\n")
        words = ["--in", f"x={compressed}", "--in", f"y=text:{compressed}", "-e", "(x, #y)"]
        status, out, err = p.text("run", "--record", "a.rec", *words)
        expect("recorded", status == 0 and out.startswith("it = ([7], ") and (p.folder / "called").exists(), (status, out, err))
        (p.folder / "called").unlink(missing_ok=True)
        (p.folder / compressed).unlink()
        again = p.text("replay", "a.rec")
        expect("replayed", again[:2] == (0, out) and not (p.folder / "called").exists(), again)
    (p.folder / "x.parquet").write_bytes(b"PAR1")


def check_reading(p):
    for name in ("t.parquet", "rows.parquet", "t.feather", "stream.arrow"):
        status, out, err = p.text("run", "--in", f"x={name}", "-e", "x")
        expect(name, status == 0 and out.startswith(f"it = {ALL} : "), (status, out, err))
    status, out, err = p.text("run", "--in", "x=slice.arrow", "-e", "x")
    rest = "[" + ALL[ALL.index('("", nan'):]
    expect("a slice", out.startswith(f"it = {rest} : "), (status, out, err))
    status, out, err = p.text("run", "--in", "x=t.parquet", "-e", "{#xs : n, a, k, ok, xs, r in x}")
    for name, shown in (("one", "[1, 2, 3] : [int]"), ("nothing", "[] : [int]"), ("null", "[nan, nan] : [float]"), ("fixed", "[[1, 2], [3, 4]] : [[int]]")):
        status, out, err = p.text("run", "--in", f"x={name}.parquet", "-e", "x")
        expect(name, out == f"it = {shown}\n", (status, out, err))
    for name, words in (("dates", "column c: NESL has no date32[day]"), ("big", "column c: a number is larger"), ("nolist", "column c: a value is missing"),
                        ("nobool", "column c: a value is missing"), ("nostruct", "column c: a value is missing"),
                        ("wide", "has 501 columns"), ("empty", "has no columns")):
        status, out, err = p.text("run", "--in", f"x={name}.parquet", "-e", "x")
        expect(name, status == 2 and f"{name}.parquet: {words}" in err and err.count("\n") == 1, (status, err))
    status, out, err = p.text("run", "--untrusted", "--in", "x=one.parquet", "-e", "x")
    expect("behind the kernel's walls no python is started", status == 0 or "python3" in err, (status, err))


def check_writing(p):
    rows = '[(1, 2.5, T, (7, "x"), "ab", [[1], [2, 3]]), (2, -0.5, F, (8, "y"), "", [[]])]'
    types = ["int64", "double", "bool", "struct<c1: int64, c2: string>", "string", "list<item: list<item: int64>>"]
    columns = [[1, 2], [2.5, -0.5], [True, False], [{"c1": 7, "c2": "x"}, {"c1": 8, "c2": "y"}], ["ab", ""], [[[1], [2, 3]], [[]]]]
    for name in ("o.parquet", "o.arrow", "o.feather"):
        status, out, err = p.text("run", "-e", rows, "--out", name)
        expect(name, status == 0, err)
        found = p.show(name)
        expect(f"{name} as pyarrow reads it", [f[0] for f in found] == [f"c{k + 1}" for k in range(6)] and [f[2] for f in found] == columns
               and [f[1].replace("element", "item") for f in found] == types, found)
        again = p.text("run", "--in", f"x={name}", "-e", "x")[1]
        expect(f"{name} again", again == out, (out, again))
    status, out, err = p.text("run", "-e", 'name = ["a", "b"]; age = [1, 2]; 0', "--out", "name,age=n.parquet")
    expect("columns by name", status == 0 and [f[0] for f in p.show("n.parquet")] == ["name", "age"], err)
    for text, value in (("[1, 2]", [1, 2]), ('["a"]', ["a"]), ("{x : x in [0:0]}", []), ("[[1.5], []]", [[1.5], []]), ("[7]", [7]), ("[T]", [True])):
        status, out, err = p.text("run", "-e", text, "--out", "s.parquet")
        expect(text, status == 0 and [f[2] for f in p.show("s.parquet")] == [value], err)
    for text, words in (("3", "only a sequence makes a table"), ("(1, [2])", "only a sequence makes a table")):
        status, out, err = p.text("run", "-e", text, "--out", "w.parquet")
        expect(f"{text} is refused before it runs", status == 2 and words in err and out == "" and not (p.folder / "w.parquet").exists(), (status, err))
    status, out, err = p.text("run", "-e", "[[code_char(200)]]", "--out", "w.parquet")
    expect("no UTF-8", status == 1 and "not UTF-8" in err and not (p.folder / "w.parquet").exists(), (status, err))
    status, out, err = p.text("run", "-e", "a = [1]; b = [1, 2]; 0", "--out", "a,b=w.parquet")
    expect("different lengths", status == 1 and "different lengths" in err and not (p.folder / "w.parquet").exists(), (status, err))


def check_damaged(p):
    """A message and a status, whatever is changed."""
    draw = random.Random(33)
    for name in ("t.parquet", "t.feather", "stream.arrow"):
        whole = (p.folder / name).read_bytes()
        for _ in range(12):
            bytes_ = bytearray(whole)
            how = draw.randrange(3)
            if how == 0:
                bytes_ = bytes_[:draw.randrange(len(bytes_))]
            for _ in range(draw.randint(1, 4) if how else 0):
                bytes_[draw.randrange(len(bytes_))] = draw.randrange(256)
            (p.folder / f"damaged{pathlib.Path(name).suffix}").write_bytes(bytes_)
            status, _, err = p.text("run", "--memory", "2G", "--in", f"x=damaged{pathlib.Path(name).suffix}", "-e", "#x")
            expect(f"{name}, damaged", status == 0 or (status in (1, 2) and err.count("\n") == 1 and err.startswith("nvm")), (status, err))


def main():
    p = Place()
    check_missing(p)
    if subprocess.run([PYTHON, "-c", "import pyarrow"], capture_output=True, check=False).returncode != 0:
        print("\n".join(problems) or "no pyarrow: only its absence was tested")
        sys.exit(1 if problems else SKIPPED)
    subprocess.run([PYTHON, "-c", MAKE, str(p.folder)], check=True)
    check_reading(p)
    check_writing(p)
    check_damaged(p)
    print("\n".join(problems) or "good")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
