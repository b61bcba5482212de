#!/usr/bin/env python3
"""What an instruction costs the interpreter on small vectors, and what starting costs; prints a table.

    small.py NVM [--runs N]

A loop of 400,000 rounds, each of ten elementwise instructions on a vector, one comparison and one subtraction of
scalars, a branch and a call. Cost: whole process, less one with no rounds, per round and instruction; best of N runs.
"""

import argparse
import subprocess
import tempfile
import time

ROUNDS = 400_000
INSTRUCTIONS = 12

PROGRAM = """
FUNC LOOP
  COPY 1 1 CONST INT 0 = INT
  IF POP 1 1
  ELSE
    {body}
    CPOP 1 1 CONST INT 1 - INT CPOP 1 1
    CALL LOOP
  ENDIF
RET
FUNC MAIN
  CONST INT {rounds} CONST INT 3 CONST INT {length} MAKE_SEGDES DIST INT
  CALL LOOP LENGTH INT
RET
"""


def seconds(nvm, rounds, length, runs):
    body = "COPY 1 0 + INT COPY 1 0 * INT " * 5
    with tempfile.NamedTemporaryFile("w", suffix=".vcode") as file:
        file.write(PROGRAM.format(body=body, rounds=rounds, length=length))
        file.flush()
        best = float("inf")
        for _ in range(runs):
            begin = time.perf_counter()
            subprocess.run([nvm, "run", "--jit", "off", file.name], check=True, capture_output=True)
            best = min(best, time.perf_counter() - begin)
        return best


def main():
    words = argparse.ArgumentParser(usage=__doc__)
    words.add_argument("nvm")
    words.add_argument("--runs", type=int, default=5)
    args = words.parse_args()
    start = seconds(args.nvm, 0, 8, max(args.runs, 20))
    print(f"start-up and end of nvm run: {start * 1e3:.2f} ms")
    for length in (1, 2, 4, 8):
        took = seconds(args.nvm, ROUNDS, length, args.runs) - start
        print(f"length {length}: {took / ROUNDS / INSTRUCTIONS * 1e9:6.1f} ns per instruction")


if __name__ == "__main__":
    main()
