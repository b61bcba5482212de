#!/usr/bin/env python3
"""Runs the tests of the Python package in a virtual environment of their own.

    run.py SOURCE BUILD LIBNVM

Makes the environment with pip in BUILD/python, once for a list of packages and an interpreter, builds a wheel there with the libnvm
that is there, and runs with what is in the wheel: pytest on tests/conformance/python, without and with compiled kernels and with
functions interpreted, and on tests/python; mypy on the package. Exits with 77, which means skipped, where there is no pip or no
package index."""

import os
import pathlib
import shutil
import subprocess
import sys

SKIPPED = 77
PACKAGES = ["numpy", "pytest", "nanobind", "scikit-build-core", "mypy", "ipykernel", "jupyter_client", "nbclient", "awkward", "pyarrow"]


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def prepare(folder):
    """The environment's Python, with the packages."""
    python = folder / "bin" / "python"
    complete, made_of = folder / "complete", "\n".join([sys.version, *PACKAGES, ""])
    if complete.exists() and complete.read_text() == made_of:
        return python
    shutil.rmtree(folder, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", folder], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        skip("no virtual environment can be made here: " + (made.stdout + made.stderr).strip().splitlines()[-1])
    got = subprocess.run([python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "10", "--retries", "1", *PACKAGES],
                         capture_output=True, text=True, check=False)
    if got.returncode != 0:
        skip("pip cannot install " + ", ".join(PACKAGES) + ": " + got.stderr.strip().splitlines()[-1])
    complete.write_text(made_of)
    return python


def build(source, folder, python, library):
    """The wheel, and the package as it is in there, in a folder that Python finds it in."""
    wheels, site = folder / "wheels", folder / "site"
    shutil.rmtree(wheels, ignore_errors=True)
    quiet = ["--quiet", "--disable-pip-version-check", "--no-deps"]
    settings = ["cmake.source-dir=vm/python", f"cmake.define.NVM_LIBRARY={pathlib.Path(library).with_name('libnvm.so')}",
                f"build-dir={folder / 'module'}"]
    subprocess.run([python, "-m", "pip", "wheel", *quiet, "--no-build-isolation", *[w for s in settings for w in ("-C", s)], "-w", wheels, source], check=True)
    shutil.rmtree(site, ignore_errors=True)
    subprocess.run([python, "-m", "pip", "install", *quiet, "--no-index", "--target", site, *wheels.glob("neslvm-*.whl")], check=True)
    return site


def main():
    source, folder, library = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]) / "python", sys.argv[3]
    folder.mkdir(parents=True, exist_ok=True)
    if subprocess.run([sys.executable, "-c", "import ensurepip, os, sysconfig; assert os.path.exists(sysconfig.get_path('include') + '/Python.h')"], capture_output=True, check=False).returncode:
        skip("this Python has no pip; python3-venv and python3-dev bring it")
    python = prepare(folder / "venv")
    site = build(source, folder, python, library)
    failed = 0
    for jit, interpret in (("off", "0"), ("always", "0"), ("always", "1")):
        environment = {**os.environ, "PYTHONPATH": str(site), "NVM_TEST_JIT": jit, "NVM_TEST_INTERPRET": interpret, "PYTHONDONTWRITEBYTECODE": "1"}
        print(f"NVM_TEST_JIT={jit} NVM_TEST_INTERPRET={interpret}", flush=True)
        failed |= subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", *sys.argv[4:]],
                                 cwd=source / "tests" / "conformance" / "python", env=environment, check=False).returncode
    quiet = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    failed |= subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "."], cwd=source / "tests" / "python",
                             env=quiet, check=False).returncode
    failed |= subprocess.run([python, "-m", "mypy", "--config-file", source / "pyproject.toml", "--cache-dir", folder / "mypy", site / "neslvm"],
                             cwd=site, check=False).returncode
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
