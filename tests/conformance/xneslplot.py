#!/usr/bin/env python3
"""A stand-in for xneslplot: appends what it was sent to the file XNESLPLOT_LOG and gives the answers that the program gives.

It reads as the program reads, so that a command with too much or too little in it is a line `BAD` of the file.
"""

import io
import os
import sys

NUMBERS = {9: 3, 14: 3, 13: 4, 12: 2, 19: 1, 21: 4, 23: 4}  # how many single numbers follow
ANSWERS = {9: 1, 10: 1, 11: 1, 12: 1, 13: 1, 14: 1, 20: 5, 21: 2, 22: 2, 24: 6, 25: 1, 26: 1}
# Kinds of vectors of a drawing command, behind the number of instances n: n numbers, n lengths, as many as their sum.
DRAWING = {0: "nnn", 1: "nnlss", 2: "nnlssss", 3: "nnnnnnnn", 5: "nnnls", 7: "nnnnnnn", 8: "nlss", 18: "nnnnnn"}


class Bad(Exception):
    pass


class Plotter:
    def __init__(self, source, sink, log):
        self.source, self.sink, self.log = source, sink, log
        self.answered = 0

    def take(self, n):
        data = self.source.read(n)
        self.log.write(data)
        if len(data) < n:
            raise EOFError
        return data

    def vector(self, n, close=b")"):
        opening = self.take(2)
        if opening != (b"[ " if close == b"]" else b"( "):
            raise Bad(f"begins with {opening}")
        text = b""
        while not text.endswith(close):
            text += self.take(1)
        if self.take(1) != b"\n":
            raise Bad("no newline behind a vector")
        numbers = [int(w) for w in text[:-1].split()]
        if len(numbers) != n:
            raise Bad(f"{len(numbers)} numbers instead of {n}")
        return numbers

    def number(self):
        return self.vector(1)[0]

    def string(self):
        self.vector(1, b"]")
        return self.take(self.number())

    def answer(self, command):
        for _ in range(ANSWERS.get(command, 0)):
            self.answered += 1
            value = {12: 65293, 20: 4, 24: 4, 25: 255, 26: 0}.get(command, self.answered)
            self.sink.write(b"( %d )\n" % value)
        self.sink.flush()

    def command(self):
        command = self.number()
        if command in DRAWING:
            n = self.number()
            lengths = []
            for kind in DRAWING[command]:
                if kind == "l":
                    lengths = self.vector(n, b"]")
                else:
                    self.vector(sum(lengths) if kind == "s" else n)
        elif command == 10:
            self.number(), self.vector(self.vector(1, b"]")[0])
        elif command == 11:
            self.number(), self.number(), self.number(), self.string()
        elif command == 15:
            for _ in range(4):
                self.number()
            self.vector(self.vector(1, b"]")[0])
        else:
            for _ in range(NUMBERS.get(command, 0)):
                self.number()
        self.answer(command)
        return command

    def run(self):
        self.string(), self.string()
        mode = self.number()
        for _ in range(4):
            self.number()
        if mode == 0:
            self.sink.write(b"( 4 )\n")
            self.sink.flush()
        while self.command() not in (-1, 4):
            pass


def main():
    log = io.BytesIO()
    try:
        Plotter(sys.stdin.buffer, sys.stdout.buffer, log).run()
        end = "END"
    except (Bad, ValueError) as why:
        end = f"BAD {why}"
    except EOFError:
        end = "EOF"
    with open(os.environ["XNESLPLOT_LOG"], "ab") as out:  # at once: another may be drawing
        out.write(log.getvalue() + end.encode() + b"\n")


if __name__ == "__main__":
    main()
