#!/usr/bin/env python3
"""Damages files of every kind that nvm reads: it refuses them with a message and a status, or reads what is in them.

    damaged.py NVM [--seed N] [--count N] [--only FORMAT,...]

What is in them, decoders.py says, which shares nothing with nvm; what it cannot say must end well, at least: with a status, within
time, and in little memory, whatever sizes the file claims. --count: damaged files of each sample.
"""

import argparse
import collections
import gzip
import io
import json
import math
import os
import pathlib
import random
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

import decoders

MOST_KB = 300_000  # resident, at any time
HUGE = ["99999999999", "4611686018427387904", "9223372036854775807", "18446744073709551616", "-1", "-9223372036854775808", "0", "1e999", "1e-999", "1" * 400]


def npy(descr, shape, body, version=1, fortran=False):
    header = str({"descr": descr, "fortran_order": fortran, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header)) + header + body


def chunk(name, body):
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))


def png(width, height, colours, rows, depth=8, interlace=0):
    raw = b"".join(bytes([y % 5]) + row for y, row in enumerate(rows))
    header = struct.pack(">IIBBBBB", width, height, depth, colours, 0, 0, interlace)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")


def npz(*members, how=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", how) as archive:
        for i, member in enumerate(members):
            archive.writestr(f"arr_{i}.npy", member)
    return out.getvalue()


def zst(content):
    half = len(content) // 2
    blocks = ((half << 3).to_bytes(3, "little") + content[:half], (len(content) - half << 3 | 1).to_bytes(3, "little") + content[half:])
    return b"\x28\xb5\x2f\xfd\x20" + bytes([len(content)]) + b"".join(blocks)


INTS = npy("<i8", (2, 3), struct.pack("<6q", 1, -2, 3, 2**62, 5, 6))
FLOATS = npy(">f8", (2, 2), struct.pack(">4d", 0.5, -0.0, 1e300, 5e-324), fortran=True)
TABLE = b"1,2.5\n-3,4e2\n\n5,6\n"
HALVES = """function halves(v) = if #v < 2 then v else flatten({halves(w) : w in [take(v, #v / 2), drop(v, #v / 2)]}) $
sum(halves([0:50000])) $
"""
LINES = b'{"a": 1, "b": ["x", "yz"]}\n{"b": [], "a": null}\n{"a": 2.5, "b": ["\\u00e9"]}\n'

# ending, how its contents are known, samples, whether what the decoder refuses must be refused: it knows plain tables and frames only
Format = collections.namedtuple("Format", "ending decoder samples all", defaults=[True])
FORMATS = [
    Format(".npy", decoders.npy, [INTS, FLOATS, npy("|b1", (3,), b"\0\1\1"), npy("<f2", (), b"\0\x3c"), npy("<u2", (2, 2, 1), b"12345678", 2), npy("<i4", (0, 4), b"")]),
    Format(".npz", decoders.npz, [npz(INTS, FLOATS), npz(INTS, how=zipfile.ZIP_DEFLATED)]),
    Format(".png", decoders.png, [png(3, 2, 0, [b"\0\x7f\xff", b"\1\2\3"]), png(2, 5, 2, [b"abcdef"] * 5), png(1, 1, 6, [b"abcd"])]),
    Format(".png", None, [png(5, 3, 0, [b"\xa8"] * 3, depth=1), png(3, 2, 2, [b"abcdef" * 3] * 2, depth=16), png(1, 1, 0, [b"a"], interlace=1)]),
    Format(".csv", decoders.numbers, [TABLE, TABLE.replace(b",", b";"), b"\xef\xbb\xbf7\r\n8,9\r\n"], False),
    Format(".tsv", None, [TABLE.replace(b",", b"\t")]),
    Format(".csv", None, [b"name,n\nada,1\n\"b,\"\"c\",\n", b"x,y\n1,NA\n2.5,3\n"]),
    Format("fields:.csv", decoders.fields, [b"a, b,c\n1,,3\n,,\n"], False),
    Format(".jsonl", decoders.jsonl, [LINES, b'[[1, 2], []]\n[[3]]\n', b"true\nfalse\n", b'"a"\n"b"\n']),
    Format(".txt", decoders.text, [b"any\0bytes\xff\n"]),
    Format(".txt.gz", lambda data: decoders.text(decoders.unpacked(data)), [gzip.compress(b"text" * 9, mtime=0)]),
    Format(".npy.gz", lambda data: decoders.npy(decoders.unpacked(data)), [gzip.compress(INTS, mtime=0)]),
    Format(".txt.zst", lambda data: decoders.text(decoders.unzstd(data)), [zst(b"some text")], False),
    Format(".csv.zst", lambda data: decoders.numbers(decoders.unzstd(data)), [zst(TABLE)], False),
]


def claims():
    """Files that say that there is much in them."""
    for shape in [(2 * 10**9,), (10**12,), (2**62,), (2**31, 2**31), (2**62, 0), (0, 2**62), (2,) * 60 + (0,), (2,) * 64, (1,) * 65, (10**30,)]:
        yield ".npy", npy("<f8", shape, b"12345678")
        yield ".npy", npy("|i1", shape, b"12345678")
        yield ".npy.gz", gzip.compress(npy("<i2", shape, b"12"))
        yield ".npz", npz(npy("<i8", shape, b"12345678"), how=zipfile.ZIP_DEFLATED)
    for descr in ("<f0", "<i9", "<1 ", "< i", "|1 ", "<b8", "<u3", ">O8", "<U4", "xi8", "<i8" * 100, "", "<", "<f16", "<c16", "\x1b]0;title\x07"):
        yield ".npy", npy(descr, (1,), b"1234567890123456")
        yield ".npy", npy(descr, (0,), b"")
        yield ".npy", npy(descr, (9,), b"1" * 90)
    for wide, high in [(50_000, 50_000), (1_000_000, 1_000_000), (2**31 - 1, 1), (1, 2**31 - 1), (2**32 - 1, 2**32 - 1), (0, 1)]:
        for depth, colours in [(8, 0), (8, 6), (16, 6), (1, 0), (1, 3)]:
            for interlace in (0, 1):
                yield ".png", png(wide, high, colours, [b"row"], depth, interlace)
    archive = bytearray(npz(INTS))
    for at in range(len(archive) - 3):
        if archive[at:at + 4] == struct.pack("<I", len(INTS)):
            large = archive.copy()
            large[at:at + 4] = b"\xfe\xff\xff\xff"
            yield ".npz", bytes(large)
    yield ".txt.zst", b"\x28\xb5\x2f\xfd\xe0" + struct.pack("<Q", 2**62) + b"\x01\0\0"
    yield ".txt.zst", b"\x28\xb5\x2f\xfd\x00\xf8" + b"\x01\0\0"  # a window of 3.75 TB
    yield ".jsonl", b"[" * 200_000
    yield ".jsonl", b"[" * 400 + b"]" * 400
    yield ".jsonl", b'{"a":' * 100_000
    yield ".csv", b'"' + b"," * 100_000
    yield ".csv", b",".join(b"x%d" % i for i in range(100_000)) + b"\n"
    for huge in HUGE:
        for ending, sample in ((".csv", b"1,2\n3,%s\n"), (".jsonl", b"[1, %s]\n"), (".jsonl", b"1\n%s\n"), (".csv", b"name,n\nada,%s\n")):
            yield ending, sample % huge.encode()


def damage(draw, data, others):
    """One to three changes."""
    data = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        at = draw.randrange(len(data) + 1)
        end = min(len(data), at + draw.choice((1, 1, 2, 4, 8, 30)))
        kind = draw.randrange(9)
        if kind == 0:
            del data[at:]
        elif kind == 1 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 2:
            data[at:end] = bytes(draw.choice((0, 0xFF, 0x7F, 0x80)) for _ in range(end - at))
        elif kind == 3:
            del data[at:end]
        elif kind == 4:
            data[at:at] = data[at:end] * draw.choice((1, 1, 2, 100))
        elif kind == 5:
            data[at:at] = bytes(draw.randrange(256) for _ in range(draw.choice((1, 2, 8))))
        elif kind == 6:
            data[at:end] = bytes(draw.choice(b"0123456789.,-+eE\"'[]{}() \n\tnx") for _ in range(end - at))
        elif kind == 7:
            other = draw.choice(others)
            data[at:] = other[draw.randrange(len(other) + 1):]
        else:
            found = list(re.finditer(rb"\d+", data))
            if found:
                one = draw.choice(found)
                data[one.start():one.end()] = draw.choice(HUGE).encode()
    return bytes(data)


def with_right_sums(data):
    """A PNG file whose chunks have the sums of what is in them, however damaged."""
    out, at = data[:8], 8
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        body = data[at + 8:at + 8 + length]
        out += data[at:at + 4] + data[at + 4:at + 8] + body + struct.pack(">I", zlib.crc32(data[at + 4:at + 8] + body))
        at += 12 + length
    return out + data[at:]


def known(decoder, data):
    """The value, or nothing where that cannot be said."""
    try:
        return decoder(data)
    except (ValueError, struct.error, KeyError, IndexError, OverflowError, StopIteration):
        return None


def same(a, b):
    """Of JSON: integers are not floats, and what is no number is null."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same, a, b))
    a, b = (None if isinstance(x, float) and math.isnan(x) else x for x in (a, b))
    return type(a) is type(b) and a == b and (not isinstance(a, float) or math.copysign(1, a) == math.copysign(1, b))



class Sweep:
    def __init__(self, nvm, folder):
        self.nvm, self.folder = nvm, folder
        self.problems, self.counts = [], collections.Counter()
        self.peak = 0

    def run(self, words, name, data, what, stream=b""):
        """The output, or nothing after a refusal."""
        self.counts["runs"] += 1
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / "cache"), "LC_ALL": "C.UTF-8"}
        try:
            done = subprocess.run([self.nvm, *words], cwd=self.folder, env=environment, input=stream, capture_output=True, timeout=60, check=False)
        except subprocess.TimeoutExpired:
            self.problem("hangs", name, data, what)
            return None
        error = done.stderr.decode(errors="replace")
        if done.returncode not in (0, 1, 2):
            ending = signal.Signals(-done.returncode).name if done.returncode < 0 else done.returncode
            self.problem(f"ends with {ending}: {error[-300:]}", name, data, what)
        if done.returncode != 0 and not error.strip():
            self.problem("says nothing", name, data, what)
        if any(word in error for word in ("internal error", "also to end in order", "terminate called")):
            self.problem(error[-300:], name, data, what)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        if peak > max(MOST_KB, self.peak):
            self.peak = peak
            self.problem(f"takes {peak} KB: {error[-300:]}", name, data, what)
        self.counts["read" if done.returncode == 0 else "refused"] += 1
        return done.stdout if done.returncode == 0 else None

    def problem(self, why, name, data, what):
        """Keeps the file."""
        kept = pathlib.Path(tempfile.gettempdir()) / f"nvm_damaged_{len(self.problems)}_{name}"
        kept.write_bytes(data)
        self.problems.append(f"{kept} ({what}): {why}")
        print(self.problems[-1], flush=True)

    def put(self, ending, data):
        """Its name for --in."""
        kind, _, ending = ending.rpartition(":")
        (self.folder / f"f{ending}").write_bytes(data)
        return f"f{ending}", f"{kind}:f{ending}" if kind else f"f{ending}"

    def nesl(self, form, data, whole, what):
        """`whole`: what was in it before it was damaged; None if that is not known."""
        name, word = self.put(form.ending, data)
        is_text = form.ending.startswith(".txt")
        result = self.folder / "result.jsonl"
        result.unlink(missing_ok=True)
        expression = "{char_code(c) : c in v}" if is_text else "v"
        if self.run(["run", "--in", f"v={word}", "-e", expression, "--out", "result.jsonl"], name, data, what) is None:
            return False
        lines = [json.loads(line) for line in result.read_text().splitlines()]
        # What is no sequence is one line.
        found = [lines, lines[0]] if len(lines) == 1 else [lines]
        value = known(form.decoder, data) if form.decoder else None
        certain = form.decoder and (form.all or value is not None)
        if certain and not any(same(f, v) for f in found for v in (value, whole)):
            self.problem(f"is read as {str(lines)[:200]}, not {str(value)[:200]}", name, data, what)
        return True

    def others(self, ending, data, what):
        """The other readers: they end well."""
        name, word = self.put(ending, data)
        self.run(["run", "--language", "remora", "--in", f"v={word}", "-e", "v"], name, data, what)
        self.run(["run", "--language", "remora", "--in", f"v:[float 2 2]={word}", "-e", "v"], name, data, what)
        self.run(["run", "length.vcode", "--in", word], name, data, what)
        self.run(["run", "lengths.vcode", "--in", f"segdes={word}"], name, data, what)

    def streamed(self, ending, data, what):
        """The same through a pipe, which does not say how much there is: it is read as a file is, or refused."""
        kind = ending.strip(":").replace(".txt", "text").replace(".", "")
        _, word = self.put(ending, data)
        shown = [self.run(["run", "--in", f"v={w}", "-e", "v"], f"stream{ending}", data, what, data) for w in (word, f"{kind}:-")]
        if shown[0] != shown[1]:
            self.problem(f"is read as {shown[0]!r}, through a pipe as {shown[1]!r}", "stream", data, what)

    def record(self, draw, count):
        """Records are replayed as they were, or refused."""
        words = ["run", "--record", "r.rec", "--in", "v=f.csv", "-e", "{sum(r) : r in v}", "-e", "read_line(stdin)"]
        (self.folder / "f.csv").write_bytes(TABLE)
        right = self.run(words, "f.csv", TABLE, "whole")
        whole = (self.folder / "r.rec").read_bytes()
        for i in range(count):
            data = whole if i == 0 else damage(draw, whole, [TABLE, whole])
            (self.folder / "d.rec").write_bytes(data)
            shown = self.run(["replay", "d.rec"], "d.rec", data, i)
            if shown is None if i == 0 else shown is not None and shown != right:
                self.problem(f"is replayed as {shown!r}", "d.rec", data, i)

    def cache(self, draw, count):
        """What nvm remembers from run to run changes no result, whatever stands there."""
        (self.folder / "p.nesl").write_text(HALVES)
        self.run(["tune", "p.nesl"], "p.nesl", b"", "tune")
        right = self.run(["run", "p.nesl"], "p.nesl", b"", "whole")
        entries = {entry: entry.read_bytes() for entry in (self.folder / "cache" / "nvm").iterdir()}
        if not entries:
            self.problem("remembers nothing", "p.nesl", b"", "cache")
        for i in range(count):
            entry, whole = draw.choice(sorted(entries.items()))
            data = damage(draw, whole, [TABLE, *entries.values()])
            entry.write_bytes(data)
            if self.run(["run", "p.nesl"], entry.name, data, i) != right:
                self.problem("changes what is shown", entry.name, data, i)
            entry.write_bytes(whole)


def main():
    words = argparse.ArgumentParser()
    words.add_argument("nvm")
    words.add_argument("--seed", type=int, default=26)
    words.add_argument("--count", type=int, default=12)
    words.add_argument("--only", default="")
    words = words.parse_args()
    print(f"seed {words.seed}", flush=True)
    draw = random.Random(words.seed)
    every = [sample for form in FORMATS for sample in form.samples]
    with tempfile.TemporaryDirectory(prefix="nvm_damaged_") as scratch:
        sweep = Sweep(str(pathlib.Path(words.nvm).resolve()), pathlib.Path(scratch))
        (sweep.folder / "length.vcode").write_text("FUNC MAIN POP 0 0 RET\n")
        (sweep.folder / "lengths.vcode").write_text("FUNC MAIN LENGTHS RET\n")
        wanted = words.only.split(",") if words.only else None
        for form in FORMATS:
            if wanted and form.ending not in wanted:
                continue
            for number, sample in enumerate(form.samples):
                whole = known(form.decoder, sample) if form.decoder else None
                if not sweep.nesl(form, sample, whole, "whole"):
                    sweep.problem("is refused", form.ending.replace(":", ""), sample, "whole")
                for i in range(words.count):
                    data = b"" if i == 0 else damage(draw, sample, every)
                    if form.ending == ".png" and i % 2:
                        data = with_right_sums(data)
                    what = f"{form.ending} {number}.{i}"
                    sweep.nesl(form, data, whole, what)
                    if i % 4 == 1:
                        sweep.others(form.ending, data, what)
                    if i % 4 == 3 and form.ending.count(".") == 1 and ":" not in form.ending:
                        sweep.streamed(form.ending, data, what)
        for i, (ending, data) in enumerate(claims()):
            if wanted and ending not in wanted:
                continue
            form = next(f for f in FORMATS if f.ending == ending)
            sweep.nesl(form._replace(decoder=None), data, None, f"claim {i}")
            if i % 4 == 1:
                sweep.others(ending, data, f"claim {i}")
            if ending.count(".") == 1:
                sweep.streamed(ending, data, f"claim {i}")
        if not wanted or "record" in wanted:
            sweep.record(draw, words.count * 3)
        if not wanted or "cache" in wanted:
            sweep.cache(draw, words.count * 3)
    print(f"{dict(sweep.counts)}, {len(sweep.problems)} problems")
    sys.exit(1 if sweep.problems else 0)


if __name__ == "__main__":
    main()
