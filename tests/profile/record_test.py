"""A recorded run can be repeated bit by bit, in any mode, without the files it read; damaged records are refused; a
crash says how to repeat it; the status line is for terminals."""

import os
import pty
import select
import signal
import subprocess
import time

from common import NVM, QUICKSORT, RESULT, ROOT, WORK, expect, finish, nvm, write

# Random numbers, standard input, a file, the clock.
OUTSIDE = """FUNC MAIN
CONST CHAR "data" CONST INT 1 FOPEN POP 2 0
FREAD INT POP 2 0
READ INT POP 2 0
CONST INT (100 1000 10000) RAND
START_TIMER
STOP_TIMER
RET
"""


def check_outside():
    program, data = write("outside.vcode", OUTSIDE), write("data", "( 1 2 3 )\n")
    run = nvm("run", "--allow", "read", "--record", "o.rec", program, stdin="( 7 8 )\n")
    expect("the run", run.returncode == 0 and "( 7 8 )" in run.stdout and "( 1 2 3 )" in run.stdout, run)
    os.remove(program)
    os.remove(data)
    for words in ((), ("--jit", "off"), ("--jit", "always", "--threads", "1"), ("--isa", "portable")):
        again = nvm("replay", "o.rec", *words, stdin="( 0 )\n")
        expect(f"the same output, clock included {words}", again.stdout == run.stdout and again.returncode == 0, again)
        expect("says so", "replayed: the same" in again.stderr, again)
    expect("small", (WORK / "o.rec").stat().st_size < 4000)


def check_nesl():
    program = write("quicksort.nesl", QUICKSORT)
    rows = write("rows.csv", "3,1,2\n6,5,4\n")
    run = nvm("run", "--seed", "5", "--record", "q.rec", "--in", f"m={rows}", "-e", "({sum(r) : r in m}, rand(1000000))", program)
    expect("the run", run.returncode == 0 and RESULT in run.stdout, run)
    os.remove(program)
    os.remove(rows)
    for words in ((), ("--jit", "always"), ("--block-threshold", "2")):
        again = nvm("replay", "q.rec", *words)
        expect(f"the same {words}", again.stdout == run.stdout and again.returncode == 0, again)
    profile = nvm("replay", "q.rec", "--trace", "q.json")
    expect("a trace of a replay", profile.returncode == 0 and (WORK / "q.json").exists(), profile)
    write("quicksort.nesl", QUICKSORT)


def check_decisions():
    """Run-time checks are no decisions, compiled lines pass them; those of another code are not compared."""
    program = str(ROOT / "programs" / "fft.nesl")
    run = nvm("run", "--record", "d.rec", program)
    for words, compared in ((("--jit", "off"), True), (("--jit", "always"), True), (("--optimise", "off"), False)):
        again = nvm("replay", "d.rec", *words)
        expect(f"the same {words}", again.stdout == run.stdout and again.returncode == 0, again)
        expect(f"decisions {words}", ("decisions" in again.stderr) == compared, again)


def check_failing():
    run = nvm("run", "--record", "e.rec", "-e", "let v = [1, 2, 3] in {v[i + 5] : i in [0:3]}")
    again = nvm("replay", "e.rec")
    expect("the same error", run.returncode == again.returncode == 1 and run.stderr in again.stderr, (run, again))


def check_refused():
    for what, said in (("1 FOPEN", "not permitted (--allow read"), ("7 FOPEN", "not legal mode")):
        program = write("refused.vcode", f'FUNC MAIN CONST CHAR "data" CONST INT {what} RET\n')
        run = nvm("run", "--record", "r.rec", program)
        again = nvm("replay", "r.rec")
        expect(f"{what} is refused", run.returncode == 1 and said in run.stderr, run)
        expect("and again in the replay", run.stderr in again.stderr and "replayed: the same" in again.stderr, again)


def check_no_files():
    """A replay opens no file, whether the record or the user names it: what is not in the record is refused."""
    nvm("run", "-e", "[42]", "--out", "secret.npy")
    for name in ("secret.npy", write("secret.csv", "42\n"), write("secret.txt", "42"), "missing.csv"):
        made = nvm("run", "--record", "f.rec", "-e", "1 + 1")
        again = nvm("replay", "f.rec", "--in", f"x={name}", "-e", "x")
        expect(f"{name} is refused", made.returncode == 0 and again.returncode == 2 and "42" not in again.stdout
               and f"{name}: is not in the record, and a replay reads no other files" in again.stderr, again)


def check_damaged():
    good = (WORK / "o.rec").read_bytes()
    (WORK / "bad.rec").write_bytes(good[:-3])
    run = nvm("replay", "bad.rec")
    expect("cut off", run.returncode == 2 and "bad.rec is cut off at byte" in run.stderr, run)
    for at in (20, len(good) // 2, len(good) - 20):
        changed = bytearray(good)
        changed[at] ^= 4
        (WORK / "bad.rec").write_bytes(bytes(changed))
        run = nvm("replay", "bad.rec")
        expect(f"byte {at} changed", run.returncode == 2 and "bad.rec" in run.stderr and run.stdout == "", run)
    (WORK / "bad.rec").write_text("something else\n")
    run = nvm("replay", "bad.rec")
    expect("no record", run.returncode == 2 and "is no record" in run.stderr, run)
    run = nvm("replay", "missing.rec")
    expect("no file", run.returncode == 2 and "missing.rec" in run.stderr, run)
    run = nvm("replay", "o.rec", "--record", "again.rec")
    expect("a record of a replay", run.returncode == 2 and "recorded already" in run.stderr, run)
    program = write("quicksort.nesl", QUICKSORT)
    run = nvm("run", "--record", "/dev/full", program)
    expect("a full disk", run.returncode == 1 and run.stdout == RESULT and "cannot write the record" in run.stderr, run)


ENDLESS = "function down(n) = if n == 0 then 0 else 1 + down(n - 1) $\n" \
          "function go(n) = if n == 0 then 0 else let x = down(1000) in go(n - 1) $\ngo(1000000000) $\n"


def check_crash():
    program = write("endless.nesl", ENDLESS)
    for words, said in ((("--record", "c.rec"), "nvm replay c.rec"), ((), "--record")):
        process = subprocess.Popen([NVM, "run", *words, "--trace", "c.json", program], stderr=subprocess.PIPE, cwd=WORK,
                                   text=True)
        trace = WORK / "c.json.part"
        while not trace.exists() or '"ph":"B"' not in trace.read_text():
            time.sleep(0.01)
        process.send_signal(signal.SIGSEGV)
        message = process.communicate()[1]
        expect(f"says how to repeat a crash {words}", "internal error" in message and said in message, message)
        expect("and ends by the signal", process.returncode == -signal.SIGSEGV, process.returncode)
        os.remove(trace)
        if words:
            run = nvm("replay", "c.rec.part", "--time-limit", "0.1")
            expect("what was recorded is there", "cannot read" not in run.stderr and "no record" not in run.stderr, run)


def check_standard_input():
    text = "let n = 3 in {x * n : x in [1, 2]} $\n"
    run = nvm("run", "--record", "stdin.rec", "-", stdin=text)
    again = nvm("replay", "stdin.rec")
    expect("a program from standard input is recorded", again.returncode == 0 and again.stdout == run.stdout != "", again)


def check_progress():
    program = write("endless.nesl", ENDLESS)
    main, child = pty.openpty()
    process = subprocess.Popen([NVM, "run", "--progress", program], stderr=child, stdout=subprocess.DEVNULL)
    os.close(child)
    shown = b""
    while b"elements/s" not in shown and select.select([main], [], [], 60)[0]:
        shown += os.read(main, 1000)
    process.send_signal(signal.SIGINT)
    process.wait()
    expect("a status line on a terminal", b"elements/s" in shown and b"level" in shown and b"B" in shown, shown)
    run = nvm("run", "--progress", write("quicksort.nesl", QUICKSORT))
    expect("none elsewhere", run.stderr == "" and run.stdout == RESULT, run)


def main():
    check_outside()
    check_nesl()
    check_decisions()
    check_failing()
    check_refused()
    check_no_files()
    check_damaged()
    check_crash()
    check_standard_input()
    check_progress()
    finish()


main()
