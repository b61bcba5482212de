"""Defects of nvm that are known, with the reason why they may stay for now. Empty when all is well.

A difference that `hides` says is one of them is counted and not reported. Each has a program that shows it;
where that gives the right result, the entry must go, and the oracle says so.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
  name: str
  reason: str
  language: str
  program: str
  right: str  # what standard output or the message has if the defect is gone
  mode: str = "off"
  got: str = ""  # of a difference that is this defect: its result,
  text: str = ""  # its program,
  modes: str = ""  # and its mode

  def hides(self, language, text, mode, got):
    if language != self.language or not (self.got or self.text):
      return False
    return all(re.search(a, b, re.S) for a, b in ((self.got, got), (self.text, text), (self.modes, mode)))


COMPILED = "always|compare|greedy|avx|threads[15]|guards|tiny|small|no-blocks|unfused|hot"

KNOWN = [
    Known("replace-empty", "REPLACE into an empty segment is an error, and should do nothing; the generator avoids it", "vcode",
          "FUNC MAIN CONST INT () CONST INT 0 CONST INT 1 CONST SEGDES 0 REPLACE INT RET", "( )"),
    Known("filtered-folds", "a filter in front of a FLOAT sum associates by source position where it is compiled", "nesl",
          "let v = {x in [0 : 4091] | rem(x, 5) /= 0} in "
          "sum({7.75 + float(rem(x * 7919, 7)) * 0.3333333333333333 : x in v}) > 28629.0 $", "it = T", mode="always", got=r"^[^s]", text=r"\|.*(sum|plus_scan|product|mult_scan)", modes=COMPILED),
    Known("lanes", "lanes of constants within an apply-to-each", "nesl",
          "eql([[[1]], [[2]]], {{v : a in v} : v in [[1], [2]]}) $", "it = T", got="internal error"),
    Known("needless-errors", "errors of values of which nobody needs an element depend on compiling", "nesl",
          "let w = {[1.5][7] : y in [[1], [2]]} in take(w, 0) $", "index out of range", mode="always",
          got="status 0, expected the error"),
]

AVOIDED = {k.name for k in KNOWN}
