#!/usr/bin/env python3
"""Installs the wheel that run.py made in a fresh virtual environment and runs the examples of docs/python.md there.

    wheel.py SOURCE BUILD

Exits with 77, which means skipped, where there is no wheel, no pip or no package index."""

import pathlib
import re
import subprocess
import sys
import tempfile

SKIPPED = 77

# What is loaded must be what was installed.
WHERE = """
import pathlib, sys
import nvm
here = pathlib.Path(sys.prefix).resolve()
loaded = {line.split()[-1] for line in open("/proc/self/maps") if "libnvm" in line or "/_nvm" in line}
assert len(loaded) == 2 and all(pathlib.Path(p).is_relative_to(here) for p in loaded), loaded
import neslvm
assert neslvm is nvm and (pathlib.Path(neslvm.__file__).parent / "py.typed").exists()
import importlib.metadata
assert importlib.metadata.version("neslvm") == nvm.__version__, nvm.__version__
"""


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def examples(page):
    """The blocks of Python of a page, in order."""
    return re.findall(r"```python\n(.*?)```", page.read_text(), flags=re.DOTALL)


def promised(block):
    """What the comments of an example say that its print calls write, by line."""
    return [m.group(1) for m in re.finditer(r"^print\(.*?# (\[.*)$", block, flags=re.MULTILINE)]


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "python"
    wheels = list((folder / "wheels").glob("neslvm-*.whl"))
    if not wheels:
        skip("tests/python/run.py has made no wheel")
    with tempfile.TemporaryDirectory() as scratch:
        fresh = pathlib.Path(scratch) / "venv"
        if subprocess.run([sys.executable, "-m", "venv", fresh], capture_output=True, check=False).returncode:
            skip("no virtual environment can be made here")
        python = fresh / "bin" / "python"
        got = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "10", "--retries", "1", *wheels],
                             capture_output=True, text=True, check=False)
        if got.returncode != 0 and "numpy" in got.stderr:
            skip("pip cannot install numpy: " + got.stderr.strip().splitlines()[-1])
        assert got.returncode == 0, got.stderr
        looked = subprocess.run([python, "-I", "-c", WHERE], cwd=scratch, check=False, capture_output=True, text=True)
        assert looked.returncode == 0, looked.stderr
        blocks = examples(source / "docs" / "python.md")
        assert blocks, "docs/python.md has no example"
        for k, block in enumerate(blocks):
            program = pathlib.Path(scratch) / f"example_{k}.py"
            program.write_text(block)
            out = subprocess.run([python, "-I", program], cwd=scratch, check=True, capture_output=True, text=True).stdout
            for line in promised(block):
                assert line in out.splitlines(), f"{line!r} is not among what the example writes:\n{out}"
            print(f"example {k} of docs/python.md: {len(out.splitlines())} lines, {len(promised(block))} of them as the page says")


if __name__ == "__main__":
    main()
