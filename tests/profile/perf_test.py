"""Linux perf learns the names of compiled kernels: a map, or a jitdump in the format that perf inject reads."""

import os
import pathlib
import shutil
import struct
import subprocess

from common import NVM, QUICKSORT, RESULT, WORK, expect, finish, write


def run(program, how):
    process = subprocess.Popen([NVM, "run", "--jit", "always", "--perf", how, program], stdout=subprocess.PIPE, text=True,
                               cwd=WORK)
    out = process.communicate()[0]
    expect(f"runs with --perf {how}", process.returncode == 0 and out == RESULT, out)
    return process.pid


def check_map(program):
    path = pathlib.Path(f"/tmp/perf-{run(program, 'map')}.map")
    lines = [line.split(" ", 2) for line in path.read_text().splitlines()]
    os.remove(path)
    expect("start, size, name", lines and all(int(a, 16) > 0 and int(b, 16) > 0 for a, b, _ in lines))
    expect("names by NESL function and line", any(name.startswith("nvm:quicksort:") for _, _, name in lines), lines[:5])


def check_report(program):
    """What perf itself makes of the map, where it is there and may count."""
    if shutil.which("perf") is None:
        return

    def perf(*words):
        return subprocess.run(["perf", *words], capture_output=True, text=True, cwd=WORK, check=False)
    spin = "let n = 1000000 in {sum({sqrt(float(i + j)) : i in [0:n]}) : j in [0:40]}"
    words = f"echo $$ > pid; exec {NVM} run --jit always --perf map {program} -e '{spin}'"
    recorded = perf("record", "-q", "-e", "cpu-clock", "-o", "perf.data", "sh", "-c", words).returncode == 0
    report = perf("report", "-i", "perf.data", "--stdio")
    if (WORK / "pid").exists():
        pathlib.Path(f"/tmp/perf-{(WORK / 'pid').read_text().strip()}.map").unlink(missing_ok=True)
    expect("perf report names kernels", not recorded or "] nvm:" in report.stdout, report)


def check_links(program):
    """No link is followed: a map or dump of the process's number that is there already gives way, or stays if it is not ours."""
    victim = write("victim", "kept\n")
    for how, name in (("map", "/tmp/perf-$$.map"), ("dump", "jit-$$.dump")):
        for before in ("ln -s", "ln") if how == "dump" else ("ln -s",):
            words = f"{before} {victim} {name} && echo {name} && exec {NVM} run --jit always --perf {how} {program}"
            done = subprocess.run(["sh", "-c", words], capture_output=True, text=True, cwd=WORK, check=False)
            name_there, result = done.stdout.split("\n", 1)
            path = WORK / name_there
            expect(f"a link at the place of a {how}", done.returncode == 0 and result == RESULT and done.stderr == "", done)
            expect(f"a {how} in place of a link", not path.is_symlink() and path.stat().st_size > 0 and path.stat().st_nlink == 1)
            expect("the link's target is what it was", pathlib.Path(victim).read_text() == "kept\n")
            path.unlink()
        if os.geteuid() != 0:
            continue
        foreign = f"ln -s {victim} {name} && chown -h 65534 {name} && echo {name} && exec {NVM} run --jit always --perf {how} {program}"
        done = subprocess.run(["sh", "-c", foreign], capture_output=True, text=True, cwd=WORK, check=False)
        name_there, result = done.stdout.split("\n", 1)
        expect("another user's file stays", done.returncode == 0 and result == RESULT and "cannot write" in done.stderr
               and (WORK / name_there).is_symlink() and pathlib.Path(victim).read_text() == "kept\n", done)
        (WORK / name_there).unlink()


def check_dump(program):
    data = (WORK / f"jit-{run(program, 'dump')}.dump").read_bytes()
    magic, version, size, machine = struct.unpack_from("<IIII", data)
    expect("head", (magic, version, size, machine) == (0x4A695444, 1, 40, 62), (magic, version, size, machine))
    at, names, numbers = size, [], []
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        address, code, code_bytes, number = struct.unpack_from("<QQQQ", data, at + 24)
        name = data[at + 56:data.index(b"\0", at + 56)].decode()
        expect("a record holds name and code", kind == 0 and length == 56 + len(name) + 1 + code_bytes and address == code)
        names.append(name)
        numbers.append(number)
        at += length
    expect("whole records", at == len(data))
    expect("named by source line", any(n.startswith("nvm:quicksort:") for n in names), names[:5])
    expect("numbered", numbers == list(range(1, len(numbers) + 1)))


def check_rows():
    """Long rows are run by code of their own, which is named after its kernel; short ones are not."""
    program = write("rows.nesl", """function scaled(v, s) = {x * s : x in v} $
function rows(n, each) = {sum(scaled(v, float(#v + i))) : v in {{float(rem(i + j, 7)) : j in [0:each]} : i in [0:n]}; i in [0:n]} $
""")
    for count, each in ((100, 1000), (10000, 10)):
        words = [NVM, "run", "--jit", "always", "--block-threshold", "off", "--perf", "map", program, "-e",
                 f"sum(rows({count}, {each}))"]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=WORK)
        process.communicate()
        path = pathlib.Path(f"/tmp/perf-{process.pid}.map")
        names = [line.split(" ", 2)[2] for line in path.read_text().splitlines()]
        os.remove(path)
        found = [n for n in names if n.endswith(".rows")]
        expect(f"rows of {each}", bool(found) == (each == 1000) and all(":" in n[4:] for n in found), names)


def check_unwritable(program):
    """In a folder that is no more."""
    (WORK / "gone").mkdir()
    words = f"cd gone && rmdir ../gone && exec {NVM} run --jit always --perf dump {program}"
    run = subprocess.run(["sh", "-c", words], capture_output=True, text=True, cwd=WORK, check=False)
    expect("the result is there", run.returncode == 0 and run.stdout == RESULT, run)
    expect("a complaint, once", run.stderr.count("nvm: cannot write ./jit-") == 1 and run.stderr.count("\n") == 1, run)


def main():
    program = write("quicksort.nesl", QUICKSORT)
    check_map(program)
    check_links(program)
    check_report(program)
    check_dump(program)
    check_rows()
    check_unwritable(program)
    finish()


main()
