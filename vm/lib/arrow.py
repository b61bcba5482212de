# Run by nvm (vm/lib/arrow.cpp): python3 THIS probe | read FORMAT | write FORMAT, from standard input to standard output.
#
# To read takes a file and gives the parts of a value: a line of JSON with its type and, for each part, its kind and length,
# then the parts, one behind the other. To write takes these, and gives a file. A type is "int", "float", "bool", "char",
# ["seq", TYPE] or ["tuple", TYPE, ...]. A part is the lengths of sequences (d), integers (i), floats (f), truth values (b) or
# characters (c), of 8, 8, 8, 1 and 1 bytes.
import json
import sys

sys.path.pop(0)  # where this file lies
MISSING, FAILED = 3, 4  # statuses
WIDTHS = {"d": 8, "i": 8, "f": 8, "b": 1, "c": 1}
OUT = sys.stdout.buffer


def fail(why):
    sys.stderr.write(" ".join(str(why).split())[:500])
    sys.exit(FAILED)


try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.feather
    import pyarrow.ipc
    import pyarrow.parquet as pq
except ImportError as missing:
    sys.stderr.write(str(missing))
    sys.exit(MISSING)


class Parts:
    def __init__(self):
        self.kinds, self.data = [], []

    def add(self, kind, data):
        self.kinds.append((kind, len(data) // WIDTHS[kind]))
        self.data.append(data)


def plain(array, kind, width):
    """The bytes of an array of numbers without nulls."""
    buffer = array.buffers()[1]
    return b"" if buffer is None else memoryview(buffer)[array.offset * width:(array.offset + len(array)) * width]


def text(array, parts):
    array = pc.fill_null(array.cast(pa.large_binary()), pa.scalar(b"", pa.large_binary()))
    parts.add("d", plain(pc.binary_length(array).cast(pa.int64()), "d", 8))
    offsets, data = array.buffers()[1:]
    if len(array) == 0 or data is None:
        parts.add("c", b"")
    else:
        ends = memoryview(offsets).cast("q")
        parts.add("c", memoryview(data)[ends[array.offset]:ends[array.offset + len(array)]])
    return ["seq", "char"]


def no_nulls(array, where):
    if array.null_count:
        fail(f"column {where}: a value is missing that is neither a number nor a text")


def whole_numbers(array, where, parts):
    if array.null_count:
        return floats(array, where, parts)
    try:
        parts.add("i", plain(array.cast(pa.int64()), "i", 8))
    except pa.ArrowInvalid:
        fail(f"column {where}: a number is larger than INT has them")
    return "int"


def floats(array, where, parts):
    array = pc.fill_null(array.cast(pa.float64(), safe=False), float("nan"))
    parts.add("f", plain(array, "f", 8))
    return "float"


def lists(array, where, parts):
    no_nulls(array, where)
    parts.add("d", plain(pc.list_value_length(array).cast(pa.int64()), "d", 8))
    return ["seq", take(array.flatten(), where, parts)]


def take(array, where, parts):
    """Adds the parts of the elements of an array; their type."""
    kind, is_a = array.type, pa.types
    if is_a.is_dictionary(kind):
        return take(array.cast(kind.value_type), where, parts)
    if is_a.is_integer(kind):
        return whole_numbers(array, where, parts)
    if is_a.is_floating(kind) or is_a.is_null(kind):
        return floats(array, where, parts)
    if is_a.is_boolean(kind):
        no_nulls(array, where)
        parts.add("b", plain(array.cast(pa.uint8()), "b", 1))
        return "bool"
    if is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_binary(kind) or is_a.is_large_binary(kind):
        return text(array, parts)
    if is_a.is_list(kind) or is_a.is_large_list(kind) or is_a.is_fixed_size_list(kind):
        return lists(array, where, parts)
    if is_a.is_struct(kind) and kind.num_fields > 0:
        no_nulls(array, where)
        return tuple_of([take(part, f"{where}.{field.name}", parts) for part, field in zip(array.flatten(), kind)])
    return fail(f"column {where}: NESL has no {kind}; make it a number or a text first, as in pyarrow.compute.cast(column, 'string')")


def tuple_of(types):
    return types[0] if len(types) == 1 else ["tuple", *types]


def one(column):
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def read_table(form):
    data = pa.py_buffer(sys.stdin.buffer.read())
    if form == "parquet":
        return pq.read_table(pa.BufferReader(data))
    start = data.to_pybytes()[:6] if data.size < 6 else data.slice(0, 6).to_pybytes()
    if start.startswith(b"FEA1"):
        return pyarrow.feather.read_table(pa.BufferReader(data))
    opened = pyarrow.ipc.open_file(data) if start == b"ARROW1" else pyarrow.ipc.open_stream(data)
    return opened.read_all()


def read(form):
    table = read_table(form)
    table.validate(full=True)
    if table.num_columns == 0:
        fail("has no columns")
    if table.num_columns > 500:
        fail(f"has {table.num_columns} columns; 500 make a tuple")
    parts = Parts()
    parts.add("d", table.num_rows.to_bytes(8, "little"))
    types = [take(one(column), name, parts) for name, column in zip(table.column_names, table.columns)]
    OUT.write(json.dumps({"type": ["seq", tuple_of(types)], "parts": parts.kinds}).encode() + b"\n")
    for data in parts.data:
        OUT.write(data)


class Reader:
    def __init__(self, parts):
        self.parts = iter(parts)

    def take(self):
        kind, length = next(self.parts)
        return pa.py_buffer(sys.stdin.buffer.read(length * WIDTHS[kind])), length


def offsets(reader):
    buffer, length = reader.take()
    lengths = pa.Array.from_buffers(pa.int64(), length, [None, buffer])
    return pa.concat_arrays([pa.array([0], pa.int64()), pc.cumulative_sum(lengths)])


def narrow(ends):
    """Arrow's usual lists and strings count in 32 bits."""
    return ends.cast(pa.int32()) if ends[-1].as_py() < 2**31 else ends


def sequences(element, reader):
    ends = narrow(offsets(reader))
    small = ends.type == pa.int32()
    if element == "char":
        kind = pa.string() if small else pa.large_string()
        made = pa.Array.from_buffers(kind, len(ends) - 1, [None, ends.buffers()[1], reader.take()[0]])
        try:
            made.validate(full=True)
        except pa.ArrowInvalid:
            fail("a text is not UTF-8, so a table cannot have it")
        return made
    return (pa.ListArray if small else pa.LargeListArray).from_arrays(ends, build(element, reader))


def build(kind, reader):
    """The array whose parts come next."""
    if isinstance(kind, list) and kind[0] == "seq":
        return sequences(kind[1], reader)
    if isinstance(kind, list):
        parts = [build(part, reader) for part in kind[1:]]
        return pa.StructArray.from_arrays(parts, [f"c{k + 1}" for k in range(len(parts))])
    buffer, length = reader.take()
    if kind == "bool":
        return pa.Array.from_buffers(pa.uint8(), length, [None, buffer]).cast(pa.bool_())
    if kind == "char":
        return pa.array([chr(c) for c in buffer.to_pybytes()], pa.string())
    return pa.Array.from_buffers(pa.int64() if kind == "int" else pa.float64(), length, [None, buffer])


def write(form):
    header = json.loads(sys.stdin.buffer.readline())
    reader, columns = Reader(header["parts"]), []
    if not header["titles"]:
        reader.take()  # how many rows there are
    for kind in header["columns"]:
        if header["titles"]:
            reader.take()
        columns.append(build(kind, reader))
    if len({len(column) for column in columns}) > 1:
        fail("columns of different lengths make no table")
    names = header["titles"] or [f"c{k + 1}" for k in range(len(columns))]
    table = pa.Table.from_arrays(columns, names)
    if form == "parquet":
        pq.write_table(table, OUT)
    else:
        with pyarrow.ipc.new_file(OUT, table.schema) as file:
            file.write_table(table)


def main():
    try:
        {"read": read, "write": write}[sys.argv[1]](sys.argv[2])
    except MemoryError:
        fail("out of memory")
    except Exception as wrong:  # whatever a damaged file leads to
        fail(f"cannot be read: {wrong}" if sys.argv[1] == "read" else f"cannot be written: {wrong}")


if sys.argv[1] != "probe":
    main()
