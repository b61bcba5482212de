"""Random programs in Remora: arrays of ints of small shapes, and all that can happen on the way to them."""

ASSOCIATIVE = ["+", "*", "min", "max", "(fn ([a int] [b int]) b)", "(fn ([a int] [b int]) a)",
               "(fn ([a int] [b int]) (max a b))"]
PLAIN = ["+", "-", "*", "min", "max"]
STEPS = ["(fn ([a int] [b int]) (- (* 3 a) b))", "-", "(fn ([a int] [b int]) (if (< a b) (+ a 1) (- b a)))"]


def type_of(shape, atom="int"):
    return "[" + " ".join([atom] + [str(d) for d in shape]) + "]" if shape else atom


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.names = 0
        self.definitions = []

    def program(self):
        lines = []
        for _ in range(self.rng.randint(0, 2)):
            name, shape = self.fresh(), self.shape()
            lines.append(f"(define {name} {self.ints(shape, 3, self.scope(lines))})")
            self.definitions.append((name, shape))
        for _ in range(self.rng.randint(1, 3)):
            lines.append(self.ints(self.shape(), self.rng.randint(2, 4), dict(self.definitions)))
        return "\n".join(self.recursive() + lines) + "\n"

    def scope(self, _):
        return dict(self.definitions)

    def fresh(self):
        self.names += 1
        return f"v{self.names}"

    def shape(self):
        return tuple(self.rng.choice([1, 2, 3, 4]) for _ in range(self.rng.choice([0, 1, 1, 2, 2, 3])))

    def recursive(self):
        """Functions that call themselves, one for all programs."""
        return ["(define (down [x int] [n int]) : int (if (< n 1) x (+ (down (- x n) (- n 1)) (if (< x 0) 1 (* 2 n)))))",
                "(define (turn{ | m} [v [int m]] [n int]) : [int m] (if (< n 1) v (turn (rotate (+ v n) 1) (- n 1))))",
                "(define (adder [n int]) : (-> (int) int) (fn ([x int]) (+ x n)))",
                "(define (of-sign [n int]) : (-> (int) int) (if (< n 0) neg (if (= n 0) (fn ([x int]) (* x 2)) (adder n))))",
                "(define (halves [b (Sigma (n) [int n])]) : int (unbox b (v n) (if (< (length v) 1) 0 "
                "(+ 1 (halves (filter v (< (item v 0) v)))))))"]

    # ---- expressions of type [int shape]; names: name to shape

    def ints(self, shape, depth, names):
        if depth <= 0 or self.rng.random() < 0.1:
            return self.leaf(shape, names)
        ways = [self.plain, self.plain, self.lifted, self.conditional, self.let, self.folds, self.scans, self.recursion,
                self.functions, self.records, self.boxes, self.reduction]
        if shape:
            ways += [self.moved, self.moved, self.picked, self.stacked, self.chosen]
        return self.rng.choice(ways)(shape, depth - 1, names)

    def leaf(self, shape, names):
        fitting = [n for n, s in names.items() if s == shape]
        if fitting and self.rng.random() < 0.7:
            return self.rng.choice(fitting)
        if not shape:
            return str(self.rng.choice([0, 1, 2, 3, -1, 5, -7]))
        return "[" + " ".join(self.leaf(shape[1:], {}) for _ in range(shape[0])) + "]"

    def bools(self, shape, depth, names):
        relation = self.rng.choice(["<", "="])
        a = self.ints(shape, depth - 1, names)
        b = self.ints(self.beginning(shape), depth - 1, names)
        return f"(not ({relation} {a} {b}))" if self.rng.random() < 0.3 else f"({relation} {a} {b})"

    def beginning(self, shape):
        return shape[:self.rng.randint(0, len(shape))]

    def plain(self, shape, depth, names):
        parts = [shape, self.beginning(shape)]
        self.rng.shuffle(parts)
        a, b = (self.ints(s, depth, names) for s in parts)
        return f"({self.rng.choice(PLAIN)} {a} {b})"

    def lifted(self, shape, depth, names):
        """A lambda of cells on frames: `shape` is the frame and the result's cell."""
        split = self.rng.randint(0, len(shape))
        frame, cell = shape[:split], shape[split:]
        parameters, arguments, inner = [], [], dict(names)
        for k in range(self.rng.randint(1, 3)):
            name, own = self.fresh(), self.shape()[:2] if self.rng.random() < 0.6 else cell
            inner[name] = own
            parameters.append(f"[{name} {type_of(own)}]")
            arguments.append(self.ints((frame if k == 0 else self.beginning(frame)) + own, depth, names))
        body = self.ints(cell, depth, inner)
        return f"((fn ({' '.join(parameters)}) {body}) {' '.join(arguments)})"

    def conditional(self, shape, depth, names):
        return (f"(if {self.bools((), depth, names)} {self.ints(shape, depth, names)} "
                f"{self.ints(shape, depth, names)})")

    def chosen(self, shape, depth, names):
        if self.rng.random() < 0.5:
            parts = [self.ints(self.beginning(shape), depth, names), self.ints(self.beginning(shape), depth, names)]
            return f"(select {self.bools(shape, depth, names)} {parts[0]} {parts[1]})"
        name = self.fresh()
        inner = {**names, name: ()}
        body = f"(if (= {name} 0) {self.ints((), depth, inner)} (/ {self.ints((), depth, inner)} {name}))"
        return f"((fn ([{name} int]) {body}) {self.ints(shape, depth, names)})"

    def let(self, shape, depth, names):
        name, own = self.fresh(), self.shape()
        return f"(let [{name} {self.ints(own, depth, names)}] {self.ints(shape, depth, {**names, name: own})})"

    def reduction(self, shape, depth, names):
        items = self.ints((self.rng.choice([1, 2, 3, 5, 8]),) + shape, depth, names)
        op = self.rng.choice(ASSOCIATIVE)
        if self.rng.random() < 0.3:
            return f"(reduce/zero {op} {self.ints((), depth, names)} {items})"
        if shape == (2,) and self.rng.random() < 0.7:
            op = "(fn ([f [int 2]] [g [int 2]]) [(* (item f 0) (item g 0)) (+ (* (item g 0) (item f 1)) (item g 1))])"
        return f"(reduce {op} {items})"

    def folds(self, shape, depth, names):
        items, n = self.ints((self.rng.randint(1, 4),), depth, names), self.rng.choice([0, 1, 3])
        step, x, y = self.rng.choice(STEPS), self.fresh(), self.fresh()
        whole = f"(fn ([{x} {type_of(shape)}] [{y} int]) {self.ints(shape, depth, {**names, x: shape, y: ()})})"
        start = self.ints(shape, depth, names)
        if self.rng.random() < 0.3:
            return f"(iterate (fn ([{x} {type_of(shape)}]) {self.ints(shape, depth, {**names, x: shape})}) {start} {n})"
        if self.rng.random() < 0.5:
            return f"(fold {whole} {start} {items})"
        if not shape:
            return f"(fold-right {step} {start} {items})"
        return f"(+ (fold {step} 1 {items}) {start})"

    def scans(self, shape, depth, names):
        if not shape:
            return f"(sum (scan {self.rng.choice(ASSOCIATIVE)} {self.ints((self.rng.randint(1, 6),), depth, names)}))"
        op, items = self.rng.choice(ASSOCIATIVE), self.ints(shape, depth, names)
        zero = self.ints((), depth, names)
        way = self.rng.randint(0, 3)
        if way == 0:
            return f"(scan {op} {items})"
        if way == 3 and shape[0] > 1:
            return f"(open-scan/zero {op} {zero} {self.ints((shape[0] - 1,) + shape[1:], depth, names)})"
        return f"({'scan/zero' if way == 1 else 'exscan/zero'} {op} {zero} {items})"

    def moved(self, shape, depth, names):
        d, rest = shape[0], shape[1:]
        ways = [lambda: f"(reverse {self.ints(shape, depth, names)})",
                lambda: f"(rotate {self.ints(shape, depth, names)} {self.ints((), depth, names)})",
                lambda: f"(tail {self.ints((d + 1,) + rest, depth, names)})",
                lambda: f"(gather {self.ints((3,) + rest, depth, names)} (mod {self.ints((d,), depth, names)} 3))",
                lambda: f"(scatter-into {self.ints(shape, depth, names)} (- (mod {self.ints((2,), depth, names)} {d + 1}) 1) "
                        f"{self.ints((2,) + rest, depth, names)})"]
        if d > 1:
            ways.append(lambda: f"(append {self.ints((1,) + rest, depth, names)} {self.ints((d - 1,) + rest, depth, names)})")
        if rest:
            ways.append(lambda: f"(transpose {self.ints((rest[0], d) + rest[1:], depth, names)})")
        else:
            ways += [lambda: f"(sort {self.ints(shape, depth, names)})", lambda: f"(grade {self.ints(shape, depth, names)})"]
        return self.rng.choice(ways)()

    def picked(self, shape, depth, names):
        n, split = self.rng.randint(1, 4), self.rng.randint(0, len(shape))
        frame, cell = shape[:split], shape[split:]
        index = f"(mod {self.ints(frame, depth, names)} {n})"
        name, at = self.fresh(), self.fresh()
        if self.rng.random() < 0.5:
            return f"(item {self.ints((n,) + cell, depth, names)} {index})"
        return (f"((fn ([{name} {type_of((n,) + cell)}] [{at} int]) (item {name} {at})) "
                f"{self.ints(self.beginning(frame) + (n,) + cell, depth, names)} {index})")

    def stacked(self, shape, depth, names):
        return "[" + " ".join(self.ints(shape[1:], depth, names) for _ in range(shape[0])) + "]"

    def recursion(self, shape, depth, names):
        small = f"(mod {self.ints(self.beginning(shape), depth, names)} 4)"
        if shape and self.rng.random() < 0.4:
            return (f"(turn{{ | {shape[-1]}}} {self.ints(shape, depth, names)} "
                    f"(mod {self.ints(self.beginning(shape[:-1]), depth, names)} 4))")
        return f"(down {self.ints(shape, depth, names)} {small})"

    def functions(self, shape, depth, names):
        x = self.ints(shape, depth, names)
        way = self.rng.randint(0, 3)
        if way == 0:
            return f"((adder {self.ints(self.beginning(shape), depth, names)}) {x})"
        if way == 1:
            return f"((of-sign {self.ints(self.beginning(shape), depth, names)}) {x})"
        if way == 2 and shape:
            some = ["neg", "abs", f"(adder {self.ints((), depth, names)})", "(fn ([x int]) (* x x))",
                    f"(of-sign {self.ints((), depth, names)})"]
            return f"([{' '.join(self.rng.choice(some) for _ in range(shape[0]))}] {x})"
        name, f = self.fresh(), self.fresh()
        body = f"({f} (- ({f} {name}) 1))"
        given = self.rng.choice([f"(adder {self.ints(self.beginning(shape), depth, names)})", "neg",
                                 f"(of-sign {self.ints((), depth, names)})"])
        return f"((fn ([{f} (-> (int) int)] [{name} int]) {body}) {given} {x})"

    def records(self, shape, depth, names):
        x, y = self.fresh(), self.fresh()
        make = (f"((fn ([{x} int] [{y} int]) {{(p {x}) (q (+ {x} {y}))}}) {self.ints(shape, depth, names)} "
                f"{self.ints(self.beginning(shape), depth, names)})")
        way = self.rng.randint(0, 2)
        if way == 1:
            make = f"(set (p) {self.ints((), depth, names)} {make})"
        if way == 2:
            make = f"(over (q) (adder {self.ints((), depth, names)}) {make})"
        return f"(field {make} {self.rng.choice('pq')})"

    def boxes(self, shape, depth, names):
        w, n, v, m = self.fresh(), self.fresh(), self.fresh(), self.fresh()
        inner = {**names}
        of = self.rng.choice([f"(sum {w})", f"(length {w})", f"(reduce/zero max {self.ints((), depth, names)} {w})",
                              f"(+ (sum {w}) {self.ints((), depth - 1, inner)})",
                              f"(fold {self.rng.choice(STEPS)} 1 {w})", f"(halves (box (Sigma (n) [int n]) {w}))"])
        if self.rng.random() < 0.4:
            return f"(unbox (lift [{n} (mod {self.ints(shape, depth, names)} 4)] iota{{ | [{n}]}}) ({w} {m}) {of})"
        d = self.rng.randint(1, 4)
        made = (f"((fn ([{v} {type_of((d,))}] [{m} {type_of((d,), 'bool')}]) (filter {v} {m})) "
                f"{self.ints(shape + (d,), depth, names)} {self.bools(self.beginning(shape) + (d,), depth, names)})")
        return f"(unbox {made} ({w} {n}) {of})"
