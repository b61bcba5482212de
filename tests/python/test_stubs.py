"""The stubs of the extension module name what it has, with as many parameters."""
import ast
import pathlib
import re

from neslvm import _nvm

TREE = ast.parse(pathlib.Path(_nvm.__file__).with_name("_nvm.pyi").read_text())
ADDED = {("Flat", "numpy")}  # by flat.py


def public(names):
    return {n for n in names if not n.startswith("__")}


def parameters_at_runtime(f):
    """The most that any overload has; None where it is not told."""
    signatures = getattr(f, "__nb_signature__", None)
    if signatures is None:
        return None
    counts = []
    for text, *_ in signatures:
        inside = text[text.index("(") + 1 : text.rindex(")", 0, text.rindex("->"))]
        inside = re.sub(r"\[[^\[\]]*(\[[^\[\]]*\][^\[\]]*)*\]", "", inside)
        counts.append(len([p for p in inside.split(",") if p.strip() not in ("", "/", "*")]))
    return max(counts)


def parameters_in_stub(f):
    return len(f.args.posonlyargs) + len(f.args.args)


def check(where, stub_functions, owner):
    for f in stub_functions:
        if (where, f.name) in ADDED or f.args.vararg:
            continue
        runtime = parameters_at_runtime(getattr(owner, f.name))
        if runtime is not None and not f.decorator_list:
            assert parameters_in_stub(f) == runtime, f"{where}{f.name}: {parameters_in_stub(f)} parameters in the stub, {runtime} in the module"


def test_the_module_has_what_the_stubs_name():
    functions = [n for n in TREE.body if isinstance(n, ast.FunctionDef)]
    classes = [n for n in TREE.body if isinstance(n, ast.ClassDef)]
    assert {n.name for n in functions + classes} == public(dir(_nvm))
    check("", functions, _nvm)
    assert parameters_at_runtime(_nvm.apply) == 3


def test_the_classes_have_the_members_that_the_stubs_name():
    for c in (n for n in TREE.body if isinstance(n, ast.ClassDef)):
        named = {n.name for n in c.body if isinstance(n, ast.FunctionDef)} | {n.target.id for n in c.body if isinstance(n, ast.AnnAssign)}
        owner = getattr(_nvm, c.name)
        assert public(named) == public(vars(owner)), c.name
        assert all(hasattr(owner, n) for n in named), c.name
        check(c.name + ".", [n for n in c.body if isinstance(n, ast.FunctionDef) and n.name != "__init__"], owner)
