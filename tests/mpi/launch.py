"""Starts programs under the launchers of Open MPI and MPICH, as Debian has them."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys

LIMIT = 120  # seconds, after which a run counts as hanging
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", "--bind-to", "none"], "mpich": ["mpirun.mpich"]}
# Open MPI refuses to run for root without these, as in containers.
ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def plugin(build, mpi):
    return pathlib.Path(build) / f"libnvm_mpi-{mpi}.so"


def missing(build, mpi):
    """Why nothing can be started with it, or ""."""
    if shutil.which(LAUNCHERS[mpi][0]) is None:
        return f"{LAUNCHERS[mpi][0]} is not installed"
    return "" if plugin(build, mpi).exists() else f"there is no plug-in for {mpi}: lib{mpi}-dev was missing when nvm was built"


def skip_if_missing(build, mpi):
    why = missing(build, mpi)
    if why:
        print(f"skipped: {why}")
        sys.exit(77)


def start(words, stdin="", cwd=None, **env):
    """Status, standard output, standard error."""
    for _ in range(3):
        done = subprocess.run([str(word) for word in words], env={**os.environ, **ROOT, **env}, capture_output=True, text=True,
                              timeout=LIMIT, input=stdin, cwd=cwd)
        # MPICH's launcher writes to its ranks; where they have ended at once, it may itself die of that, without a word.
        if done.returncode != -signal.SIGPIPE:
            break
    return done.returncode, done.stdout, done.stderr


def run(mpi, ranks, command, **env):
    return start([*LAUNCHERS[mpi], "-n", ranks, *command], **env)
