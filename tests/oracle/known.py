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


KNOWN = []

