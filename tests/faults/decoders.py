"""What is in a file of data, read by the formats' own rules; shares nothing with nvm. Each function takes bytes and gives the
value as JSON has it, or raises ValueError where it cannot be said what the file holds."""

import ast
import gzip
import io
import json
import math
import re
import struct
import zipfile
import zlib

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
ELEMENTS = {"b1": "?", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "f2": "e", "f4": "f", "f8": "d"}


def refuse(why):
    raise ValueError(why)


def nest(elements, shape):
    if not shape:
        return elements[0]
    size = math.prod(shape[1:])
    return [nest(elements[i * size:(i + 1) * size], shape[1:]) for i in range(shape[0])]


def npy(data):
    if data[:6] != b"\x93NUMPY" or data[6:8] not in (b"\1\0", b"\2\0", b"\3\0"):
        refuse("no array")
    wide = data[6] > 1
    (length,) = struct.unpack_from("<I" if wide else "<H", data, 8)
    begin = 12 if wide else 10
    header = data[begin:begin + length]
    if len(header) < length:
        refuse("short")
    try:
        entries = ast.literal_eval(header.decode("utf-8" if data[6] == 3 else "latin-1").strip())
    except (SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ValueError from error
    if not isinstance(entries, dict) or set(entries) != {"descr", "fortran_order", "shape"}:
        refuse("keys")
    descr, fortran, shape = entries["descr"], entries["fortran_order"], entries["shape"]
    good = isinstance(descr, str) and re.fullmatch(r"[<>|=]?\w\d", descr) and isinstance(fortran, bool) and isinstance(shape, tuple)
    if not good or descr[-2:] not in ELEMENTS or not all(type(n) is int and n >= 0 for n in shape):
        refuse("entries")
    n, size = math.prod(shape), int(descr[-1])
    body = data[begin + length:begin + length + n * size]
    if len(body) < n * size or n > 1_000_000 or max(shape, default=0) > 1_000_000:
        refuse("short")
    elements = list(struct.unpack((">" if descr[0] == ">" else "<") + str(n) + ELEMENTS[descr[-2:]], body))
    if fortran and len(shape) > 1:
        flat, strides = [None] * n, [math.prod(shape[k + 1:]) for k in range(len(shape))]
        for i, x in enumerate(elements):
            at, rest = 0, i
            for dimension, stride in zip(shape, strides):
                at += rest % dimension * stride
                rest //= dimension
            flat[at] = x
        elements = flat
    return nest(elements, shape)


def npz(data):
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            arrays = [npy(archive.read(member)) for member in archive.infolist()]
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, struct.error, OSError) as error:
        raise ValueError from error
    return arrays[0] if len(arrays) == 1 else arrays if arrays else refuse("empty")


def chunks(data):
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        refuse("no image")
    at = 8
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        name, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        if len(body) < length or data[at + 8 + length:at + 12 + length] != struct.pack(">I", zlib.crc32(name + body)):
            refuse("damaged")
        yield name, body
        at += 12 + length
        if name == b"IEND":
            return
    refuse("short")


def png(data):
    """Of 8 bits, not interlaced, without palette."""
    parts = list(chunks(data))
    width, height, depth, colours, compression, filtering, interlace = struct.unpack(">IIBBBBB", dict(parts)[b"IHDR"])
    if depth != 8 or colours not in (0, 2, 6) or compression or filtering or interlace or {name for name, _ in parts} != {b"IHDR", b"IDAT", b"IEND"}:
        refuse("not this reader's")
    channels = {0: 1, 2: 3, 6: 4}[colours]
    row = width * channels
    try:
        raw = zlib.decompress(b"".join(body for name, body in parts if name == b"IDAT"))
    except zlib.error as error:
        raise ValueError from error
    if len(raw) != height * (row + 1):
        refuse("short")
    before, rows = [0] * row, []
    for y in range(height):
        kind, line = raw[y * (row + 1)], list(raw[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for i in range(row):
            left, up, corner = (line[i - channels] if i >= channels else 0), before[i], (before[i - channels] if i >= channels else 0)
            nearest = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            line[i] = (line[i] + [0, left, up, (left + up) // 2, nearest][kind if kind < 5 else refuse("filter")]) & 255
        before = line
        rows.append([line[x] if channels == 1 else line[x * channels:(x + 1) * channels] for x in range(width)])
    return rows


def numbers(data):
    """A table of nothing but numbers, without quotes, parted by one kind of separator."""
    text = data.decode("latin-1").removeprefix("\xef\xbb\xbf")
    rows = []
    for line in re.split(r"\r\n|\n|\r", text):
        if not line.strip(" \t"):
            continue
        separators = [c for c in ",;" if c in line]
        if len(separators) > 1:
            refuse("two separators")
        fields = [f.strip(" \t") for f in line.split(separators[0] if separators else "\t")]
        if len(fields) > 1 and not fields[-1]:
            fields.pop()
        if not all(NUMBER.fullmatch(f) for f in fields):
            refuse("not this reader's")
        rows.append([float(f) for f in fields])
    return rows


def fields(data):
    """Without quotes, parted by commas."""
    text = data.decode()
    if any(c in text for c in '";\t\r') or "," not in text.lstrip("\n ").partition("\n")[0]:
        refuse("not this reader's")
    return [[f.strip(" ") for f in line.split(",")] for line in text.removeprefix("\ufeff").split("\n") if line.strip(" ")]


def typed(values):
    """Values of one place, as columns have them."""
    there = [v for v in values if v is not None]
    kinds = {float if type(v) is int else type(v) for v in there}
    if not there:
        return ["" for _ in values]
    if len(kinds) > 1 or (len(there) < len(values) and kinds & {bool, list, dict}):
        refuse("mixed")
    kind = kinds.pop()
    if kind is float:
        whole = len(there) == len(values) and all(type(v) is int and -2**63 <= v < 2**63 for v in values)
        return values if whole else [None if v is None or v != v else float(v) for v in values]
    if kind is str:
        return ["" if v is None else v for v in values]
    if kind is list:
        inner = iter(typed([x for v in values for x in v]))
        return [[next(inner) for _ in v] for v in values]
    if kind is dict:
        keys = list(values[0])
        if not keys or any(set(v) - set(keys) for v in values):
            refuse("keys")
        columns = [typed([v.get(key) for v in values]) for key in keys]
        return columns[0] if len(keys) == 1 else [list(row) for row in zip(*columns)]
    return values


def jsonl(data):
    try:
        lines = [json.loads(line, parse_constant=refuse) for line in data.decode().split("\n") if line.strip(" \t\r")]
    except RecursionError as error:
        raise ValueError from error
    return typed(lines) if lines else refuse("empty")


def text(data):
    return list(data)


def unpacked(data):
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error, struct.error) as error:
        raise ValueError from error


def unzstd(data):
    """Frames of blocks as they are or of one byte, with a length of one byte and without a sum."""
    out, at = b"", 0
    while at < len(data):
        if data[at:at + 4] != b"\x28\xb5\x2f\xfd" or data[at + 4:at + 5] != b"\x20":
            refuse("not this reader's")
        wanted, begin, at, last = data[at + 5], len(out), at + 6, False
        while not last:
            head = int.from_bytes(data[at:at + 3], "little")
            last, kind, size = head & 1, head >> 1 & 3, head >> 3
            at += 3
            block = data[at:at + (size if kind == 0 else 1)]
            if kind > 1 or len(block) < (size if kind == 0 else 1):
                refuse("block")
            out += block if kind == 0 else block * size
            at += len(block)
        if len(out) - begin != wanted:
            refuse("length")
    return out
