"""The programs of the conformance set and the gallery on the emulated device, every line compiled; the CUDA sources that
they make. For corpus.py and cubins.py."""
import concurrent.futures
import glob
import os
import subprocess
import tempfile

SAMPLE = 24  # one program in so many, unless NVM_TESTS=all
TOO_LONG = {"mandelbrot.nesl", "mandelbrot_pgm.nesl"}  # hundreds of millions of operations: minutes, emulated
END_OF_PRELUDE = "// ---- end of the prelude ----\n"


def sample(names):
    """Programs of every kind, since names begin with their kind and come in order."""
    return names if os.environ.get("NVM_TESTS") == "all" else names[::SAMPLE]


def index(folder):
    """Name and category of the programs of a conformance set."""
    with open(os.path.join(folder, "index.tsv")) as rows:
        return [line.split("\t")[:2] for line in rows][1:]


class Programs:
    def __init__(self, build, source, emu):
        self.nvm = os.path.join(build, "nvm")
        self.source = source
        self.emu = emu
        self.conformance = os.path.join(source, "tests", "conformance")

    def environment(self, extra):
        out = dict(os.environ)
        out["LD_LIBRARY_PATH"] = os.path.join(self.emu, "device") + ":" + out.get("LD_LIBRARY_PATH", "")
        out["NVM_ENGINE"] = "cuda"
        out["NVM_JIT"] = "always"
        out.update(extra)
        return out

    def gallery(self):
        programs = sorted(glob.glob(os.path.join(self.source, "programs", "*.nesl")))
        return sample([p for p in programs if os.path.basename(p) not in TOO_LONG] +
                      sorted(glob.glob(os.path.join(self.conformance, "*.nesl"))))

    def run_gallery(self, env):
        wrong = []
        for program in self.gallery():
            options = []
            first = open(program).readline()
            if first.startswith("#!") and "neslvm run" in first:
                options = first.split("neslvm run", 1)[1].split()
            with tempfile.TemporaryDirectory() as folder:
                for data in glob.glob(os.path.join(os.path.dirname(program), "*.[ct][sx][vt]")):
                    os.symlink(data, os.path.join(folder, os.path.basename(data)))
                got = subprocess.run([self.nvm, "run"] + options + [program], env=env, cwd=folder,
                                     capture_output=True)
            if got.returncode != 0 or got.stdout != open(program + ".out", "rb").read():
                wrong.append(f"{program}: status {got.returncode}: {got.stderr.decode()[:500]}")
        return wrong

    def run(self, env):
        """What went wrong, in words."""
        nesl = os.path.join(self.conformance, "nesl")
        vcode = os.path.join(self.conformance, "vcode")
        suites = [
            [os.path.join(nesl, "run.sh"), self.nvm + " run -v"] + sample([name for name, _ in index(nesl)]),
            [os.path.join(vcode, "run.sh"), self.nvm + " run --rand libc --allow read,write,spawn"] +
            sample([name for name, category in index(vcode) if category not in ("cli", "int32")]),
        ]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            parts = [pool.submit(run_suite, suite, env) for suite in suites] + [pool.submit(self.run_gallery, env)]
            return [line for part in parts for line in part.result()]

    def gather(self, folder, settings):
        """Runs everything, only to see the sources: FOLDER/NAME.cu. On the device runs what has been built in FOLDER.
        The names of the sources that have not. No cache can be made, since what one holds is not compiled and not seen."""
        for setting in settings:
            self.run(self.environment(
                dict(setting, NVM_EMU_GATHER=folder, NVM_EMU_BATCH=folder, XDG_CACHE_HOME=os.devnull)))
        seen = {p: {name[:-len(p)] for name in os.listdir(folder) if name.endswith(p)} for p in (".cu", ".batch")}
        return sorted(seen[".cu"] - seen[".batch"])


def run_suite(arguments, env):
    got = subprocess.run(arguments, env=env, capture_output=True, text=True)
    return [] if got.returncode == 0 else [got.stdout + got.stderr]


def settings_of(configurations):
    """NAME=VALUE with commas between, to dictionaries."""
    return [dict(word.split("=", 1) for word in c.split(",")) for c in configurations]
