"""The loops by hand, compiled for this processor by the C++ compiler that is there."""
import ctypes
import os
import pathlib
import shutil
import subprocess
import tempfile

import numpy as np


class Missing(Exception):
    """A contestant that cannot take part, and why."""


_library = None


def library():
    global _library
    if _library is None:
        compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("c++")
        if compiler is None:
            raise Missing("there is no C++ compiler")
        source = pathlib.Path(__file__).with_name("ikra_hand.cpp")
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder) / "hand.so"
            got = subprocess.run([compiler, "-std=c++20", "-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", str(source), "-o", str(made)],
                                 capture_output=True, text=True, check=False)
            if got.returncode != 0:
                raise Missing(f"{compiler} cannot compile {source.name}: " + (got.stderr.strip().splitlines() or ["?"])[0])
            _library = ctypes.CDLL(str(made))
    return _library


def _pointer(a):
    return a.ctypes.data_as(ctypes.c_void_p)


def ints(name, dims, turns, fused, threads):
    """One of the programs on 32-bit integers."""
    shape = np.array(dims, np.int32)
    y = np.empty(dims, np.int32)
    getattr(library(), name + "_hand")(_pointer(shape), turns, int(fused), threads, _pointer(y))
    return y


def himeno(inputs, turns, threads):
    p, *others = inputs
    shape, y = np.array(p.shape, np.int32), p.copy()
    pointers = (ctypes.c_void_p * len(others))(*(a.ctypes.data for a in others))
    library().himeno_hand(_pointer(shape), turns, pointers, threads, _pointer(y))
    return y


def lists(name, data, offsets, threads, sizes=None):
    """A function of lists; `sizes` says where the results of each list begin, of those that make lists of other lengths."""
    count = len(offsets) - 1
    out = np.empty(sizes[-1] if sizes is not None else len(data) if name == "sorts" else count)
    more = [] if sizes is None else [_pointer(sizes)]
    getattr(library(), name + "_hand")(_pointer(data), _pointer(offsets), ctypes.c_int64(count), threads, *more, _pointer(out))
    return out
