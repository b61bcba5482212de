"""Random functions with loops, branches and lists that change: compiled as a whole, executed from their trees, and in Python."""
import importlib.util
import random

import numpy as np
import pytest

import nvm
from neslvm import compiled

ARGUMENTS = [(1, 2, [3, 4, 6]), (-5, 7, []), (0, 0, [2]), (9, -4, [1, 2, 3, 4, 5])]
FUNCTIONS = 12


class Writer:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def chance(self, p):
        return self.random.random() < p

    def pick(self, *choices):
        return self.random.choice(choices)

    def fresh(self):
        self.count += 1
        return f"n{self.count}"

    def number(self, names, depth=0):
        if depth > 2 or self.chance(0.3):
            return self.pick(*names, str(self.random.randint(-3, 5)))
        x, y = (self.number(names, depth + 1) for _ in range(2))
        return self.pick(
            f"({x} + {y})", f"({x} - {y})", f"({x} * {y})", f"({x} // {self.pick(3, -2, 7)})", f"({x} % {self.pick(3, -2, 7)})",
            f"({x} if {self.test(names, depth + 1)} else {y})", f"min({x}, {y})", f"max({x}, {y})", f"abs({x})",
            f"sum([q * {x} for q in r if {self.test([*names, 'q'], depth + 1)}])", f"(r[{x} % len(r)] if len(r) > 0 else 4)")

    def test(self, names, depth=0):
        x, y = (self.number(names, depth + 1) for _ in range(2))
        if depth > 2 or self.chance(0.6):
            return f"{x} {self.pick('<', '<=', '>', '>=', '==', '!=')} {y}"
        return self.pick(f"({self.test(names, depth + 1)} {self.pick('and', 'or')} {self.test(names, depth + 1)})",
                         f"not ({self.test(names, depth + 1)})", f"{x} in r", f"{x} < {y} <= {self.number(names, depth + 1)}")

    def block(self, names, depth, in_loop):
        lines = [line for _ in range(self.random.randint(1, 3)) for line in self.statement(names, depth, in_loop)]
        return ["    " + line for line in lines]

    def statement(self, names, depth, in_loop):
        kind = self.random.random()
        if kind < 0.35 or depth > 3:
            return [f"{self.pick('a', 'b', 'c')} {self.pick('=', '=', '+=', '-=')} {self.number(names)} % 1000"]
        if kind < 0.43:
            return [f"r.append({self.number(names)} % 100)"]
        if kind < 0.48:
            return ["if len(r) > 0:", f"    r[{self.number(names)} % len(r)] = {self.number(names)} % 50"]
        if kind < 0.52:
            return [f"a, b = b, {self.number(names)} % 77"]
        if kind < 0.70:
            lines = [f"if {self.test(names)}:", *self.block(names, depth + 1, in_loop)]
            return [*lines, "else:", *self.block(names, depth + 1, in_loop)] if self.chance(0.5) else lines
        if kind < 0.86:
            v = self.fresh()
            source = self.pick("range(4)", f"range({self.random.randint(-3, 3)}, {self.pick('a % 6', '4', '-4')}, {self.pick(1, 2, -1, -2)})", "v",
                               f"[q + a for q in v if {self.test(['q', 'a'], 2)}]")
            lines = [f"for {v} in {source}:", *self.block([*names, v], depth + 1, True)]
            return [*lines, "else:", *self.block(names, depth + 1, in_loop)] if self.chance(0.2) else lines
        if kind < 0.93:
            v = self.fresh()
            return [f"{v} = 0", f"while {v} < {self.random.randint(1, 4)} and ({self.test([*names, v])}):", f"    {v} += 1",
                    *self.block([*names, v], depth + 1, True)]
        leave = self.pick("break", "continue") if in_loop and self.chance(0.6) else "return a, b, r"
        return [f"if {self.test(names)}:", "    " + leave]

    def function(self, name):
        return "\n".join([f"def {name}(a, b, v):", "    c = 1", "    r = [x for x in v if x % 2 == 0]", *self.block(["a", "b", "c"], 1, False),
                          "    for z in range(2):", "        c += z", "    return a + c, b, r", ""])


def plain(x):
    if isinstance(x, (list, tuple)):
        return [plain(v) for v in x]
    return plain(x.tolist()) if hasattr(x, "tolist") else x


@pytest.mark.parametrize("way, seed", [("whole", 1), ("whole", 2), ("tree", 3)])
def test_random_functions(way, seed, tmp_path, monkeypatch):
    if way == "tree":
        monkeypatch.setattr(compiled, "called", lambda *_: compiled.NOT_COMPILED)
    writer = Writer(seed)
    path = tmp_path / "functions.py"
    path.write_text("\n\n".join(writer.function(f"f{k}") for k in range(FUNCTIONS)))
    spec = importlib.util.spec_from_file_location("functions", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    whole = 0
    for k in range(FUNCTIONS):
        f = getattr(module, f"f{k}")
        want = [plain(f(a, b, list(v))) for a, b, v in ARGUMENTS]
        function = nvm.function(f)
        assert [plain(function(a, b, nvm.array(np.array(v, dtype=np.int64)))) for a, b, v in ARGUMENTS] == want, f.__name__
        columns = [nvm.array([x[0] for x in ARGUMENTS]), nvm.array([x[1] for x in ARGUMENTS]), nvm.jagged([x[2] for x in ARGUMENTS], dtype=nvm.int64)]
        assert plain(nvm.each(f, *columns)) == want, f.__name__
        try:
            whole += "py_main" in function.nesl(1, 2, nvm.array([1]))
        except nvm.CompileError:
            pass
    assert whole > FUNCTIONS // 2  # else the test says little
