"""What arrays of Remora are and become, for random programs: frames and cells, items that move, operators, texts."""

from remora_meaning import Array, Failure, count, quotient, scalar, wrap


def type_of(shape, atom):
    return "[" + " ".join([atom] + [str(d) for d in shape]) + "]" if shape else atom


def dims(shape):
    return "[" + " ".join(map(str, shape)) + "]"


def lifted(call, arguments, ranks, result):
    """Cells of the longest frame; `result` is the shape of a cell of the result."""
    parts = [a.cells(r) for a, r in zip(arguments, ranks)]
    principal = max((frame for frame, _ in parts), key=len)
    total, atoms = count(principal), []
    for j in range(total):
        cell = call(*[cells[j // (total // len(cells))] for _, cells in parts])
        assert cell.shape == tuple(result), (cell.shape, result)
        atoms += cell.atoms
    return Array(principal + tuple(result), atoms)


def joined(shape, cells):
    atoms = []
    for cell in cells:
        atoms += cell.atoms
    return Array(shape, atoms)


def elementwise(f, *arguments):
    return lifted(lambda *cells: scalar(f(*(c.atoms[0] for c in cells))), arguments, [0] * len(arguments), ())


def at_items(array, places):
    items = array.items()
    return joined((len(places),) + array.shape[1:], [items[p] for p in places])


def block(array, first, shape):
    """From the places `first` on, of the first axes."""
    if not shape:
        return array
    if not 0 <= first[0] <= array.shape[0] - shape[0]:
        raise Failure("bounds")
    parts = [block(i, first[1:], shape[1:]) for i in array.items()[first[0]:first[0] + shape[0]]]
    for item in ([] if parts else [Array(array.shape[1:], [0] * count(array.shape[1:]))]):
        block(item, first[1:], shape[1:])
    return joined(tuple(shape) + array.shape[len(shape):], parts)


def transposed(a):
    m, n = a.shape[:2]
    flat = Array((m * n,) + a.shape[2:], a.atoms)
    return Array((n, m) + a.shape[2:], at_items(flat, [i * n + j for j in range(n) for i in range(m)]).atoms)


def states(f, items):
    out = items[:1]
    for item in items[1:]:
        out.append(elementwise(f, out[-1], item))
    return out


# Operators: text, what it means of two numbers; those of the second list are associative.
PLAIN = {
    "int": [("+", lambda a, b: wrap(a + b)), ("-", lambda a, b: wrap(a - b)), ("*", lambda a, b: wrap(a * b)), ("min", min),
            ("max", max), ("bit-and", lambda a, b: a & b), ("bit-xor", lambda a, b: a ^ b),
            ("(fn ([a int] [b int]) (if (= b 0) a (% a b)))", lambda a, b: a if b == 0 else wrap(a - b * quotient(a, b)))],
    "float": [("+.", lambda a, b: a + b), ("-.", lambda a, b: a - b), ("min.", min), ("max.", max)],
    "bool": [("and", lambda a, b: a and b), ("or", lambda a, b: a or b), ("xor", lambda a, b: a != b), ("bool=", lambda a, b: a == b)],
    "char": [("(fn ([a char] [b char]) (select (char< a b) b a))", max)],
}
ASSOCIATIVE = {
    "int": [("+", lambda a, b: wrap(a + b)), ("*", lambda a, b: wrap(a * b)), ("min", min), ("max", max),
            ("bit-or", lambda a, b: a | b), ("(fn ([a int] [b int]) b)", lambda a, b: b),
            ("(fn ([a int] [b int]) (if (= b 0) a b))", lambda a, b: b or a),
            ("(fn ([a int] [b int]) (+ (* a b) (+ a b)))", lambda a, b: wrap(a * b + a + b))],
    "float": [("+.", lambda a, b: a + b), ("max.", max), ("min.", min), ("(fn ([a float] [b float]) a)", lambda a, b: a)],
    "bool": [("and", lambda a, b: a and b), ("or", lambda a, b: a or b), ("xor", lambda a, b: a != b),
             ("(fn ([a bool] [b bool]) (select b a #f))", lambda a, b: a and b)],
    "char": [("(fn ([a char] [b char]) (if (char< a b) a b))", min), ("(fn ([a char] [b char]) b)", lambda a, b: b)],
}


def show(array, atom):
    if atom == "char" and len(array.shape) == 1:
        return '"' + "".join("\\x00" if a == "\0" else a for a in array.atoms) + '"'
    if array.shape:
        return "[" + " ".join(show(item, atom) for item in array.items()) + "]"
    a = array.atoms[0]
    if atom == "bool":
        return "#t" if a else "#f"
    if atom == "char":
        return "#\\nul" if a == "\0" else f"#\\{a}"
    return repr(a + 0.0) if atom == "float" else str(a)
