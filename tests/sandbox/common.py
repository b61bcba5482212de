"""A scratch folder with a program's folder in it, and files beside that it may not touch."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

NVM = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
SECRET = "s3cr3t_of_another_folder"
problems = []


class Place:
    """inside/: where programs stand and run; outside/: what they must not reach."""

    def __init__(self):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="nvm_sandbox_"))
        self.inside, self.outside = self.top / "inside", self.top / "outside"
        self.inside.mkdir()
        self.outside.mkdir()
        self.secret, self.marker = self.outside / "secret.nesl", self.outside / "marker"
        self.secret.write_text(SECRET + " = + ;\n")

    def __enter__(self):
        return self

    def __exit__(self, *ignored):
        shutil.rmtree(self.top, ignore_errors=True)

    def write(self, name, text):
        path = self.inside / name
        path.write_text(text.replace("@SECRET", str(self.secret)).replace("@MARKER", str(self.marker)))
        return name

    def nvm(self, *words, text="", timeout=60):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NVM_")}
        environment["XDG_CACHE_HOME"] = str(self.top / "cache")
        # The search for leaks at the end of an instrumented process traces it, which the filter of system calls refuses.
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        return subprocess.run([NVM, *map(str, words)], cwd=self.inside, input=text, capture_output=True, text=True,
                              timeout=timeout, env=environment, check=False)

    def files(self):
        return sorted(str(p.relative_to(self.top)) for p in self.top.rglob("*") if p.is_file() and "cache" not in p.parts)


def expect(what, good, run=None):
    if good:
        return
    shown = "" if run is None else f"\n  status {run.returncode}\n  out {run.stdout[:600]!r}\n  err {run.stderr[:600]!r}"
    problems.append(what + shown)


def finish():
    print("\n".join(problems) or "good")
    sys.exit(1 if problems else 0)
