"""Remora in Python: what a program means, without types. Parameters of functions say the rank of their cells.

    results(text) -> ["[1 2 3]", ...]

Only what remora_generator.py writes; numbers are integers of 64 bits.
"""

import itertools
import re

WORDS = re.compile(r'[()\[\]{}|]|[^\s()\[\]{}|]+')


class Failure(Exception):
    """A program that fails while it runs; the argument is the kind."""


class Array:
    """A shape, and the atoms in row-major order."""

    def __init__(self, shape, atoms):
        self.shape, self.atoms = tuple(shape), list(atoms)

    def cells(self, rank):
        """The frame in front of cells of this rank, and the cells; None: the whole."""
        split = 0 if rank is None else len(self.shape) - rank
        frame, shape = self.shape[:split], self.shape[split:]
        size = count(shape)
        return frame, [Array(shape, self.atoms[k * size:(k + 1) * size]) for k in range(count(frame))]

    def items(self):
        return self.cells(len(self.shape) - 1)[1]

    def __eq__(self, other):
        return isinstance(other, Array) and (self.shape, self.atoms) == (other.shape, other.atoms)


class Function:
    """Ranks of the cells that it takes, and what it makes of them."""

    def __init__(self, ranks, call):
        self.ranks, self.call = ranks, call


class Box:
    def __init__(self, content):
        self.content = content


def count(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def wrap(n):
    return (n + 2 ** 63) % 2 ** 64 - 2 ** 63


def scalar(atom):
    return Array((), [atom])


def stack(frame, cells):
    shape = cells[0].shape
    return Array(tuple(frame) + shape, itertools.chain.from_iterable(c.atoms for c in cells))


def apply(function, arguments):
    """Cells of the longest frame; those of shorter frames are repeated behind it."""
    ranks = function.atoms[0].ranks
    parts = [function.cells(0)] + [a.cells(r) for a, r in zip(arguments, ranks)]
    principal = max((frame for frame, _ in parts), key=len)
    total = count(principal)
    if total == 0:
        return Array(principal + shape_of_result(function, arguments), [])
    out = []
    for j in range(total):
        chosen = [cells[j // (total // len(cells))] for _, cells in parts]
        out.append(chosen[0].atoms[0].call(chosen[1:]))
    return stack(principal, out)


def shape_of_result(function, arguments):
    """Of a cell where there is none: what comes of zeros tells."""
    if not function.atoms:
        raise NotImplementedError("no function to ask")
    cells = []
    for array, rank in zip(arguments, function.atoms[0].ranks):
        shape = array.shape[len(array.shape) - (len(array.shape) if rank is None else rank):]
        cells.append(array if rank is None else Array(shape, [0] * count(shape)))
    try:
        return function.atoms[0].call(cells).shape
    except (Failure, IndexError, ZeroDivisionError) as problem:
        raise NotImplementedError("nothing tells the shape") from problem


def of_ints(f):
    return Function([0] * f.__code__.co_argcount,
                    lambda cells: scalar(f(*(c.atoms[0] for c in cells))))


def quotient(a, b):
    if b == 0:
        raise Failure("division")
    q = abs(a) // abs(b)
    return wrap(q if (a < 0) == (b < 0) else -q)


def floor_mod(a, b):
    if b == 0:
        raise Failure("division")
    return a % b


def inside(i, n):
    if not 0 <= i < n:
        raise Failure("bounds")
    return i


def items_at(array, places):
    items = array.items()
    chosen = [items[i] for i in places]
    return Array((len(chosen),) + array.shape[1:], itertools.chain.from_iterable(c.atoms for c in chosen))


def prefixes(op, values):
    out = [values[0]]
    for v in values[1:]:
        out.append(apply(op, [out[-1], v]))
    return out


def reduce_zero(op, zero, array):
    values = [broadcast(zero, array)] + array.items()
    return prefixes(op, values)[-1]


def broadcast(zero, array):
    """A cell, for all of the rest of an item."""
    pad = array.shape[1:len(array.shape) - len(zero.shape)]
    return Array(pad + zero.shape, zero.atoms * count(pad))


def scan_zero(op, zero, array, first, last):
    values = prefixes(op, [broadcast(zero, array)] + array.items())
    values = values[first:len(values) + last]
    return Array((len(values),) + array.shape[1:], itertools.chain.from_iterable(v.atoms for v in values))


def folded(op, zero, array):
    state = zero
    for item in array.items():
        state = apply(op, [state, item])
    return state


def folded_right(op, zero, array):
    state = zero
    for item in reversed(array.items()):
        state = apply(op, [item, state])
    return state


def iterated(f, x, n):
    if n < 0:
        raise Failure("negative")
    for _ in range(n):
        x = apply(f, [x])
    return x


def transposed(array):
    m, n = array.shape[:2]
    flat = Array((m * n,) + array.shape[2:], array.atoms)
    moved = items_at(flat, [i * n + j for j in range(n) for i in range(m)])
    return Array((n, m) + array.shape[2:], moved.atoms)


def whole(n, f):
    return Function([None] * n, lambda cells: f(*cells))


def scattered(base, places, values):
    items = base.items()
    for i, v in zip(places.atoms, values.items()):
        if i >= len(items):
            raise Failure("bounds")
        if i >= 0:
            items[i] = v
    return Array(base.shape, itertools.chain.from_iterable(c.atoms for c in items))


LIBRARY = {
    "+": of_ints(lambda a, b: wrap(a + b)),
    "-": of_ints(lambda a, b: wrap(a - b)),
    "*": of_ints(lambda a, b: wrap(a * b)),
    "/": of_ints(quotient),
    "mod": of_ints(floor_mod),
    "min": of_ints(lambda a, b: min(a, b)),
    "max": of_ints(lambda a, b: max(a, b)),
    "=": of_ints(lambda a, b: a == b),
    "<": of_ints(lambda a, b: a < b),
    "and": of_ints(lambda a, b: a and b),
    "not": of_ints(lambda a: not a),
    "neg": of_ints(lambda a: wrap(-a)),
    "abs": of_ints(lambda a: wrap(abs(a))),
    "select": of_ints(lambda c, a, b: a if c else b),
    "sum": whole(1, lambda x: scalar(wrap(sum(x.atoms)))),
    "length": whole(1, lambda x: scalar(x.shape[0])),
    "reverse": whole(1, lambda x: items_at(x, range(x.shape[0] - 1, -1, -1))),
    "transpose": whole(1, transposed),
    "head": whole(1, lambda x: x.items()[0]),
    "last": whole(1, lambda x: x.items()[-1]),
    "tail": whole(1, lambda x: items_at(x, range(1, x.shape[0]))),
    "ravel": whole(1, lambda x: Array((len(x.atoms),), x.atoms)),
    "append": whole(2, lambda a, b: Array((a.shape[0] + b.shape[0],) + a.shape[1:], a.atoms + b.atoms)),
    "gather": whole(2, lambda x, i: items_at(x, [inside(k, x.shape[0]) for k in i.atoms])),
    "item": Function([None, 0], lambda c: c[0].items()[inside(c[1].atoms[0], c[0].shape[0])]),
    "rotate": Function([None, 0], lambda c: items_at(
        c[0], [(i + c[1].atoms[0]) % c[0].shape[0] for i in range(c[0].shape[0])])),
    "scatter-into": whole(3, scattered),
    "filter": whole(2, lambda x, keep: scalar(Box(items_at(x, [i for i, k in enumerate(keep.atoms) if k])))),
    "sort": whole(1, lambda x: Array(x.shape, sorted(x.atoms))),
    "grade": whole(1, lambda x: Array(x.shape, sorted(range(len(x.atoms)), key=lambda i: x.atoms[i]))),
    "reduce": Function([0, None], lambda c: prefixes(c[0], c[1].items())[-1]),
    "reduce/zero": Function([0, None, None], lambda c: reduce_zero(*c)),
    "scan": Function([0, None], lambda c: stack(c[1].shape[:1], prefixes(c[0], c[1].items()))),
    "scan/zero": Function([0, None, None], lambda c: scan_zero(*c, 1, 0)),
    "exscan/zero": Function([0, None, None], lambda c: scan_zero(*c, 0, -1)),
    "open-scan/zero": Function([0, None, None], lambda c: scan_zero(*c, 0, 0)),
    "fold": Function([0, None, None], lambda c: folded(*c)),
    "fold-right": Function([0, None, None], lambda c: folded_right(*c)),
    "iterate": Function([0, None, 0], lambda c: iterated(c[0], c[1], c[2].atoms[0])),
}


def read(text):
    words = WORDS.findall(re.sub(r"(\w)\{[^}]*\}", r"\1", text))  # instantiations tell nothing without types
    at = 0

    def one():
        nonlocal at
        word = words[at]
        at += 1
        if word not in "([{":
            return word
        close = {"(": ")", "[": "]", "{": "}"}[word]
        kids = []
        while words[at] != close:
            kids.append(one())
        at += 1
        return (word, kids)

    out = []
    while at < len(words):
        out.append(one())
    return out


def rank_of(type_):
    """Of the cells of a parameter of this type."""
    return len(type_[1]) - 1 if isinstance(type_, tuple) and type_[0] == "[" else 0


class Evaluation:
    def __init__(self):
        self.top = {}

    def program(self, text):
        out = []
        for tree in read(text):
            if isinstance(tree, tuple) and tree[1] and tree[1][0] == "define":
                self.define(tree[1], self.top)
            else:
                out.append(show(self.value(tree, self.top)))
        return out

    def define(self, form, scope):
        if isinstance(form[1], str):
            scope[form[1]] = self.value(form[-1], scope)
            return
        name, *parameters = form[1][1]
        scope[name] = self.function(parameters, form[-1], scope)

    def function(self, parameters, body, scope):
        names = [p[1][0] for p in parameters]
        ranks = [rank_of(p[1][1]) for p in parameters]
        return scalar(Function(ranks, lambda cells: self.value(body, Scope(scope, dict(zip(names, cells))))))

    def value(self, tree, scope):
        if isinstance(tree, str):
            return self.word(tree, scope)
        kind, kids = tree
        if kind == "[":
            return stack((len(kids),), [self.value(k, scope) for k in kids])
        if kind == "{":
            return scalar({k[1][0]: self.value(k[1][1], scope) for k in kids})
        head = kids[0]
        form = getattr(self, "form_" + head, None) if isinstance(head, str) and head.isalpha() else None
        if form is not None:
            return form(kids, scope)
        function = self.value(head, scope)
        return apply(function, [self.value(k, scope) for k in kids[1:]])

    def word(self, word, scope):
        if re.fullmatch(r"-?[0-9]+", word):
            return scalar(int(word))
        if word in ("#t", "#f"):
            return scalar(word == "#t")
        if word in scope:
            return scope[word]
        return scalar(LIBRARY[word])

    def form_fn(self, kids, scope):
        return self.function(kids[1][1], kids[-1], scope)

    def form_let(self, kids, scope):
        name, value = kids[1][1]
        return self.value(kids[2], Scope(scope, {name: self.value(value, scope)}))

    def form_if(self, kids, scope):
        return self.value(kids[2 if self.value(kids[1], scope).atoms[0] else 3], scope)

    def form_unbox(self, kids, scope):
        boxes = self.value(kids[1], scope)
        name = kids[2][1][0]
        return stack(boxes.shape, [self.value(kids[3], Scope(scope, {name: b.content})) for b in boxes.atoms])

    def form_box(self, kids, scope):
        return scalar(Box(self.value(kids[2], scope)))

    def form_lift(self, kids, scope):
        """Of iota{ | [d]} only."""
        numbers = self.value(kids[1][1][1], scope)
        if any(n < 0 for n in numbers.atoms):
            raise Failure("negative")
        return Array(numbers.shape, [Box(Array((n,), range(n))) for n in numbers.atoms])

    def form_field(self, kids, scope):
        records = self.value(kids[1], scope)
        return stack(records.shape, [r[kids[2]] for r in records.atoms])

    def form_set(self, kids, scope):
        value, records = self.value(kids[2], scope), self.value(kids[3], scope)
        return Array(records.shape, [{**r, kids[1][1][0]: value} for r in records.atoms])

    def form_over(self, kids, scope):
        f, records, name = self.value(kids[2], scope), self.value(kids[3], scope), kids[1][1][0]
        return Array(records.shape, [{**r, name: apply(f, [r[name]])} for r in records.atoms])


class Scope(dict):
    """Names in front of those around."""

    def __init__(self, outer, own):
        super().__init__(own)
        self.outer = outer

    def __contains__(self, name):
        return dict.__contains__(self, name) or name in self.outer

    def __missing__(self, name):
        return self.outer[name]


def show(array):
    if not array.shape:
        return show_atom(array.atoms[0])
    return "[" + " ".join(show(item) for item in array.items()) + "]"


def show_atom(atom):
    if isinstance(atom, bool):
        return "#t" if atom else "#f"
    if isinstance(atom, Box):
        return "(box " + show(atom.content) + ")"
    if isinstance(atom, Function):
        return "#<function>"
    if isinstance(atom, dict):
        return "{" + " ".join(f"({name} {show(atom[name])})" for name in sorted(atom)) + "}"
    return str(atom)


def results(text):
    return Evaluation().program(text)
