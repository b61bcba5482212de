"""Runs VCODE programs in nvm, many in one process, and compares what they leave with what they mean."""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass

import modes
from arithmetic import exact
from vcode_bits import BITS, float_text
from vcode_machine import Fault, Machine, TooMuch, Undefined, text

TYPED = {"+", "-", "*", "/", "SELECT", "NOT", "AND", "OR", "XOR", "<", "<=", ">", ">=", "=", "!=", "PERMUTE", "DPERMUTE", "FPERMUTE",
         "DFPERMUTE", "BPERMUTE", "BFPERMUTE", "EXTRACT", "REPLACE", "PACK", "DIST", "RANK_UP", "RANK_DOWN", "LENGTH"}
TYPED_FOLDS = ("_REDUCE", "_SCAN", "_DPERMUTE")


@dataclass
class Case:
  seed: int
  program: object
  bits: int
  expected: list = None  # lines
  written: str = ""
  kinds: list = None
  fault: str = None


@dataclass
class Difference:
  case: Case
  mode: str
  got: str


def typed(word):
  return word in TYPED or word.endswith(TYPED_FOLDS)


def constant(type_word, elements):
  if type_word == "FLOAT":
    words = [float_text(x) for x in elements]
  elif type_word == "BOOL":
    words = ["T" if x else "F" for x in elements]
  else:
    words = [str(x) for x in elements]
  return f"CONST {type_word} " + (words[0] if len(words) == 1 else "(" + " ".join(words) + ")")


def code_text(code, out, indent=""):
  for i in code:
    if i[0] == "CONST":
      out.append(indent + constant(i[1], i[2]))
    elif i[0] == "IF":
      out.append(indent + "IF")
      code_text(i[1], out, indent + " ")
      out.append(indent + "ELSE")
      code_text(i[2], out, indent + " ")
      out.append(indent + "ENDIF")
    elif i[0] in ("COPY", "POP", "CPOP"):
      out.append(f"{indent}{i[0]} {i[1]} {i[2]}")
    elif i[0] == "CALL":
      out.append(f"{indent}CALL {i[1]}")
    elif i[0] == "WRITE" or typed(i[0]):
      out.append(f"{indent}{i[0]} {i[1]}")
    else:
      out.append(indent + i[0])


def lines_of(stack):
  """What a final stack prints, its floats as integers."""
  lines = []
  for kind, v in stack:
    if kind == "F":
      lines += [text(("I", part)) for part in (list(zip(*map(exact, v))) if v else [()] * 3)]
    else:
      lines.append(text((kind, v)))
  return lines


def rotate_code(stack):
  """Code that turns the floats of a stack of these kinds into integers, in place."""
  out, left, made = [], len(stack), 0
  for kind, _ in stack:  # the deepest goes to the top
    out.append(f"CPOP 1 {left - 1 + made}")
    left -= 1
    if kind == "F":
      out.append("CALL BITS")
      made += 3
    else:
      made += 1
  return out


MARK = 7_000_000


REASONS = {"lengths": "length mismatch|incompatible|has length|segments"}


def expect(case, changes=None):
  """Sets what the program should give; False if that is not defined."""
  machine = Machine(case.bits, changes)
  machine.functions = case.program.functions
  stack = []
  try:
    machine.run(case.program.code, stack)
  except Fault as fault:
    case.fault = str(fault)
    return True
  except (Undefined, TooMuch, RecursionError):
    return False
  if any(kind == "P" for kind, _ in stack):
    return False
  case.expected = lines_of(stack)
  case.written = "".join(machine.written)
  case.kinds = [(kind, None) for kind, _ in stack]
  return True


def function_text(name, code):
  out = []
  code_text(code, out)
  return f"FUNC {name}\n" + "\n".join(out) + "\nRET\n"


def program_text(case):
  parts = [function_text(n, c) for n, c in case.program.functions.items()]
  out = []
  code_text(case.program.code, out)
  if case.fault is None:
    out += rotate_code(case.kinds)
  return "".join(parts) + f"FUNC P{case.seed}\n" + "\n".join(out) + "\nRET\n"


def source(cases):
  main = "FUNC MAIN\n" + "".join(f"CONST INT {MARK + c.seed % MARK}\nCALL P{c.seed}\n" for c in cases) + "RET\n"
  return BITS + "".join(program_text(c) for c in cases) + main


def nvm(binary, mode, bits, program, timeout):
  with tempfile.NamedTemporaryFile("w", suffix=".vcode", delete=False) as f:
    f.write(program)
  try:
    if mode in modes.LEGACY:
      arguments = [binary, "vinterp"] + modes.LEGACY[mode].split() + [f.name]
    else:
      arguments = [binary, "run"] + modes.options(mode, bits) + [f.name]
    done = subprocess.run(arguments, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL,
                          env={k: v for k, v in os.environ.items() if not k.startswith("NVM_")})
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")
  except subprocess.TimeoutExpired as e:
    return "time", "", (e.stderr or b"").decode("latin-1")
  finally:
    os.unlink(f.name)


def run(binary, mode, bits, cases, timeout=120):
  """The differences of programs that should succeed."""
  if not cases:
    return []
  status, out, err = nvm(binary, mode, bits, source(cases), timeout)
  if status != 0:
    if len(cases) == 1:
      return [Difference(cases[0], mode, f"status {status}: {err.strip()[-500:]}")]
    half = len(cases) // 2
    return run(binary, mode, bits, cases[:half], timeout) + run(binary, mode, bits, cases[half:], timeout)
  lines, at, differences = out.split("\n"), 0, []
  for c in cases:
    got = lines[at:at + 1 + len(c.expected)]
    at += 1 + len(c.expected)
    want = [f"( {MARK + c.seed % MARK} )"] + c.expected
    if got != want:
      differences.append(Difference(c, mode, "\n         ".join(got[1:])))
  written = "".join(c.written for c in cases)
  if not differences and err != written:
    if len(cases) == 1:
      return [Difference(cases[0], mode, f"written: {err[-500:]}")]
    half = len(cases) // 2
    return run(binary, mode, bits, cases[:half], timeout) + run(binary, mode, bits, cases[half:], timeout)
  return differences


def run_fault(binary, mode, bits, case, timeout=60):
  status, out, err = nvm(binary, mode, bits, source([case]), timeout)
  if status == 1 and re.search(REASONS.get(case.fault, case.fault), err) and not out:
    return None
  return Difference(case, mode, f"status {status}, expected the error '{case.fault}': {err.strip()[-400:]} {out[-200:]}")
