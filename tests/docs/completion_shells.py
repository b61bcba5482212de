#!/usr/bin/env python3
"""What the generated completions of zsh and fish offer, asked in these shells where they are installed.

    completion_shells.py --nvm PATH
"""

import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

# The functions that zsh's completion hands its answers to print them instead. `commands` and others are special there.
ZSH = """
zmodload zsh/parameter
_describe() { print -rl -- "${(@P)2}" }
_arguments() { print -rl -- "$@" }
offers() { words=("$@"); CURRENT=$#; source $file }
"""

ASKED = {  # words typed so far: what must be among the answers, as zsh says it and as fish does
    "neslvm r": ("run:run a VCODE", "run\trun a VCODE"),
    "nvm run --j": ("--jit[compile regions", "--jit\t"),
    "nvm run --as": ("'work <= 3*n*log2(n)'", "'work <= 3*n*log2(n)'"),
    "neslvm run --jit c": ("(off hot always compare)", "compare\t"),
    "nvm replay r.rec --j": ("--jit[compile regions", "--jit\t"),
    "nvm run --print-length a": (":N\\|all:(all)", "all"),
    "nvm vinterp x": ("*:file:_files", ""),
    "neslvm help v": ("vinterp:behave", "vinterp"),
}


def in_zsh(file, words):
    script = f"file={file}\n{ZSH}\noffers {words}\n"
    return subprocess.run(["zsh", "-f", "-c", script], capture_output=True, text=True, check=False)


def in_fish(file, words):
    return subprocess.run(["fish", "--no-config", "-c", f"source {file}; complete -C '{words}'"], capture_output=True,
                          text=True, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvm", required=True)
    nvm = parser.parse_args().nvm
    failed = tried = 0
    for place, (shell, ask) in enumerate({"zsh": in_zsh, "fish": in_fish}.items()):
        if shutil.which(shell) is None:
            print(f"no {shell} here")
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "completion"
            file.write_bytes(subprocess.run([nvm, "help", f"--{shell}"], capture_output=True, check=True).stdout)
            for words, wanted in ASKED.items():
                tried += 1
                done = ask(file, words)
                if wanted[place] not in done.stdout or done.stderr or done.returncode not in (0, 1):
                    failed += 1
                    print(f"{shell}: {words}: no {wanted[place]!r} in\n{done.stdout}{done.stderr}")
    print(f"{tried} asked, {failed} failed")
    return 77 if tried == 0 else 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
