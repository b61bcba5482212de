#!/usr/bin/env python3
"""Every reader of decimal numbers gives the nearest float, as Python's float() does, or says that it is none.

    decimals.py NVM [COUNT [SEED]]

parse_float and parse_int in an apply-to-each, in every tier and with either width of INT; NESL literals; CONST FLOAT;
READ; CSV. The numbers: 17 digits, shortest and longest forms, halves between two floats and their neighbours,
subnormals, beyond the range, signs, garbage.
"""

import decimal
import math
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

decimal.getcontext().prec = 1200
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
WORDS = ("inf", "infinity", "nan")
FIXED = ("- + . e e5 1e 1e+ 1e-x .e1 5. .5 +.5e-3 1.5.2 1e5.0 --1 +-1 1-2 0 -0 0e999999999999999999999 "
         "1e999999999999999999999 0.1e-999999999999999999999 1.0E30 9007199254740993 9007199254740992.99999999999999999999 "
         "1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 4.9e-324 2.4703282292062327e-324 "
         "2.4703282292062328e-324 2.2250738585072011e-308 2.2250738585072014e-308 inf -inf nan Infinity -nan infinit").split()
INTS = ("- + 12a 007 4x -42 99999999999999999999999 9223372036854775807 9223372036854775808 -9223372036854775808 "
        "-9223372036854775809 2147483647 2147483648 -2147483648 -2147483649 4294967296 18446744073709551615 "
        "18446744073709551616 -18446744073709551616 " + "0" * 60 + "7 1.0 1e3").split()
MODES = ([], ["--jit", "always"], ["--jit", "compare"], ["--block-threshold", "1", "--threads", "2"],
         ["--int-bits", "32", "--jit", "off"])


def bits(x):
    return "nan" if math.isnan(x) else struct.pack("<d", x)


def any_float(rng, width=64):
    while True:
        x = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(width)))[0]
        if math.isfinite(x):
            return abs(x)


def half_above(x):
    above = math.nextafter(x, math.inf)
    return decimal.Decimal(x) if math.isinf(above) else (decimal.Decimal(x) + decimal.Decimal(above)) / 2


def near_half(rng):
    half = half_above(any_float(rng, rng.choice((64, 64, 30))))
    side = rng.choice((0, 0, 1, -1))
    return format(half * (1 + side * decimal.Decimal(10)**-rng.randrange(20, 900)), "e")


def one(rng):
    kinds = (lambda: f"{rng.randrange(10**17)}e{rng.randrange(-345, 310)}", lambda: f"{any_float(rng):.16e}",
             lambda: repr(any_float(rng)), lambda: near_half(rng), lambda: format(half_above(float(rng.getrandbits(60))), "f"),
             lambda: f"{any_float(rng, rng.randrange(1, 53)):.{rng.randrange(25)}e}",
             lambda: str(rng.getrandbits(rng.randrange(1, 1100))),
             lambda: "0." + "0" * rng.randrange(400) + f"{rng.getrandbits(60)}e{rng.randrange(-50, 500)}",
             lambda: f"{rng.uniform(0, 10**rng.randrange(12)):.{rng.randrange(20)}f}",
             lambda: "".join(rng.choice("0123456789.eE+-0123456789xa") for _ in range(rng.randrange(1, 12))))
    word = rng.choice(kinds)()
    return rng.choice(("", "", "", "-", "+")) + rng.choice((word, word.upper()))


def run(nvm, folder, *words, text=None):
    done = subprocess.run([nvm, *words], cwd=folder, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def npy(path, letter):
    data = path.read_bytes()
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack(f"<{len(data) // 8}{letter}", data)


def complain(where, word, got, wanted):
    return [] if got == wanted else [f"{where}: {word[:60]}: {got}, expected {wanted}"]


def parsed(nvm, folder, words, mode, function, letter):
    (folder / "words.txt").write_text(" ".join(words), encoding="latin-1")
    (folder / "p.nesl").write_text(f"r = {{{function}(w) : w in wordify(text)}};\nv = {{v : (v, ok) in r}};\n"
                                   "k = {btoi(ok) : (v, ok) in r};\n", encoding="latin-1")
    run(nvm, folder, "run", *mode, "--in", "text=words.txt", "p.nesl", "--out", "v=v.npy", "--out", "k=k.npy")
    return zip(words, npy(folder / "v.npy", letter), npy(folder / "k.npy", "q"))


def check_parse_float(nvm, folder, words):
    wrong = []
    for mode in MODES:
        for word, value, ok in parsed(nvm, folder, words, mode, "parse_float", "d"):
            good = bool(NUMBER.fullmatch(word)) or word.lower().lstrip("+-") in WORDS and word[:2] not in ("+-", "--")
            wrong += complain(f"parse_float {mode}", word, (bits(value), ok),
                              (bits(float(word) if good else 0.0), int(good)))
    return wrong


def check_exact_string(nvm, folder, words):
    """What exact_string shows is read as the same float, by nvm and by Python."""
    (folder / "e.nesl").write_text("x = {v : (v, ok) in {parse_float(w) : w in wordify(text)} | v == v};\n"
                                   "shown = {exact_string(v) : v in x};\n"
                                   "again = {v : (v, ok) in {parse_float(w) : w in shown}};\n"
                                   "all_shown = join_with(shown, \" \");\n", encoding="latin-1")
    (folder / "words.txt").write_text(" ".join(words), encoding="latin-1")
    wrong = []
    for mode in MODES:
        run(nvm, folder, "run", *mode, "--in", "text=words.txt", "e.nesl", "--out", "x=x.npy", "--out", "again=v.npy",
            "--out", "all_shown=shown.txt")
        x, again = npy(folder / "x.npy", "d"), npy(folder / "v.npy", "d")
        shown = (folder / "shown.txt").read_text(encoding="latin-1").split(" ")
        if not len(x) == len(again) == len(shown):
            wrong.append(f"exact_string {mode}: {len(x)} floats, {len(shown)} texts")
        for value, text, read in zip(x, shown, again):
            value = value + 0.0  # of zero without its sign
            wrong += complain(f"exact_string {mode}", text, (bits(read), bits(float(text))), (bits(value), bits(value)))
    return wrong


def check_parse_int(nvm, folder, words):
    wrong = []
    for mode in MODES:
        most = 2**31 if "32" in mode else 2**63
        for word, value, ok in parsed(nvm, folder, words, mode, "parse_int", "q"):
            digits = re.match(r"[+-]?\d*", word)[0]
            exact = int(digits) if digits.strip("+-") else 0
            good = digits == word and digits.strip("+-") != "" and -most <= exact < most
            wrong += complain(f"parse_int {mode}", word, (value, ok), (max(min(exact, most - 1), -most), int(good)))
    return wrong


def check_readers(nvm, folder, words):
    """Finite numbers with digits on both sides of the point, which every reader takes."""
    words = [w for w in words if re.fullmatch(r"-?\d+\.\d+([eE][+-]?\d+)?", w)]
    wanted = [bits(float(w)) for w in words]
    wrong = []
    (folder / "c.vcode").write_text(f"FUNC MAIN CONST FLOAT ({' '.join(words)}) RET", encoding="latin-1")
    (folder / "r.vcode").write_text("FUNC MAIN READ FLOAT POP 2 0 RET", encoding="latin-1")
    (folder / "x.csv").write_text("\n".join(words) + "\n", encoding="latin-1")
    (folder / "x.nesl").write_text("x = flatten(table);\n", encoding="latin-1")
    run(nvm, folder, "run", "--in", "table=x.csv", "x.nesl", "--out", "x=x.npy")
    inside = [w for w in words if 1e-300 < abs(float(w)) < 1e300]
    (folder / "l.nesl").write_text(f"x = [{', '.join(inside)}];\n", encoding="latin-1")
    run(nvm, folder, "run", "l.nesl", "--out", "x=l.npy")
    run(nvm, folder, "run", "c.vcode", "--out", "c.npy")
    run(nvm, folder, "run", "r.vcode", "--out", "r.npy", text=f"( {' '.join(words)} )")
    for name, texts, values in (("CSV", words, wanted), ("CONST FLOAT", words, wanted), ("READ FLOAT", words, wanted),
                                ("literals", inside, [bits(float(w)) for w in inside])):
        file = {"CSV": "x.npy", "CONST FLOAT": "c.npy", "READ FLOAT": "r.npy", "literals": "l.npy"}[name]
        got = npy(folder / file, "d")
        if len(got) != len(texts):
            wrong.append(f"{name}: {len(got)} values of {len(texts)}")
        for word, value, expected in zip(texts, got, values):
            wrong += complain(name, word, bits(value), expected)
    return wrong


def main():
    nvm = sys.argv[1]
    count, seed = (int(a) for a in (sys.argv[2:] + ["2000", "1"][len(sys.argv) - 2:]))
    rng = random.Random(seed)
    words = [*FIXED, *(one(rng) for _ in range(count))]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        wrong = check_parse_float(nvm, folder, words) + check_parse_int(nvm, folder, INTS)
        wrong += check_readers(nvm, folder, words) + check_exact_string(nvm, folder, words)
    print("\n".join(wrong[:20]))
    print(f"{len(words)} numbers, {len(wrong)} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
