"""Runs NESL programs in nvm, many in one process, and compares what they print with what they mean."""

import os
import re
import subprocess
import tempfile
from dataclasses import dataclass

import modes
from nesl_meaning import Fault, TooMuch, Undefined
from nesl_results import BITS, printed, shown
from nesl_tree import Text

MARK = "@@"


@dataclass
class Case:
  """A program, and what it should give: a printed value, or a Fault."""
  seed: int
  program: object
  expected: object = None
  fault: object = None
  ulps: int = 0  # by which floats may differ


@dataclass
class Difference:
  case: Case
  mode: str
  got: str


def expect(case, evaluator, bits):
  """Sets what the program should give; False if that is not defined."""
  write(case, bits)  # sets lines
  try:
    value = evaluator.run(case.program)
    case.expected = printed(value, case.program.type)
  except Fault as fault:
    case.fault = fault
  except (Undefined, TooMuch, RecursionError):
    return False
  return True


def write(case, bits, first_line=1):
  text = Text(bits, first_line)
  text.program(case.program, f"r{case.seed}")
  return text.text()


def source(cases, bits):
  """A file in which each program has a line that marks it and then its value."""
  parts = [BITS]
  for case in cases:
    name = f"r{case.seed}"
    parts.append(write(case, bits) + f'"{MARK}{case.seed}" $\n{shown(case.program.type, name)} $\n')
  return "".join(parts)


def nvm(binary, command, mode, bits, text, timeout):
  """Exit status, standard output and standard error."""
  with tempfile.NamedTemporaryFile("w", suffix=".nesl", delete=False, encoding="latin-1") as f:
    f.write(text)
  try:
    arguments = [binary, command] + modes.options(mode, bits) + ["--print-length", "all", f.name]
    done = subprocess.run(arguments, capture_output=True, timeout=timeout, stdin=subprocess.DEVNULL,
                          env={k: v for k, v in os.environ.items() if not k.startswith("NVM_")})
    return done.returncode, done.stdout.decode("latin-1"), done.stderr.decode("latin-1")
  except subprocess.TimeoutExpired as e:
    return "time", (e.stdout or b"").decode("latin-1"), (e.stderr or b"").decode("latin-1")
  finally:
    os.unlink(f.name)


MARKED = re.compile(r'^it = "' + MARK + r'(\d+)" : \[char\]$', re.M)


def values(output):
  """{seed: printed value without blanks} of each marked program."""
  found = {}
  pieces = MARKED.split(output)
  for seed, text in zip(pieces[1::2], pieces[2::2]):
    text = "".join(text.split())
    if text.startswith("it="):
      found[int(seed)] = text[3:text.rfind(":")]
  return found


def same(got, case):
  """Whether it is what the program should give, but for some ulps."""
  if got == case.expected or case.ulps == 0:
    return got == case.expected
  if re.sub(r"-?\d+", "", got) != re.sub(r"-?\d+", "", case.expected):
    return False
  return all(abs(place(a) - place(b)) <= case.ulps for a, b in zip(TRIPLE.findall(got), TRIPLE.findall(case.expected)))


TRIPLE = re.compile(r"(-?\d+),(\d+),(\d+)")


def place(triple):
  """Where a float stands among those of its sign; zeros apart."""
  exponent, high, low = map(int, triple)
  return (exponent << 52) + (high << 26) + low


def run_values(binary, mode, bits, cases, timeout=120):
  """The differences of programs that should succeed."""
  differences = []
  left = cases
  while left:
    status, out, err = nvm(binary, "run", mode, bits, source(left, bits), timeout)
    got = values(out)
    for case in left:
      if case.seed in got and not same(got[case.seed], case):
        differences.append(Difference(case, mode, got[case.seed]))
    if status == 0 and len(got) == len(left):
      break
    # The first program without a value has failed; if none has one, the file may have been refused.
    missing = next((i for i, c in enumerate(left) if c.seed not in got), None)
    if missing is None:
      break
    if not got and len(left) > 1:
      half = len(left) // 2
      return differences + run_values(binary, mode, bits, left[:half], timeout) + run_values(binary, mode, bits, left[half:], timeout)
    differences.append(Difference(left[missing], mode, f"status {status}: {err.strip()[-600:]}"))
    left = left[missing + 1:]
  return differences


FAILED = re.compile(r"^\S*?:(\d+): (?:run-time error: (.*)|the program stopped)$", re.M)


def run_fault(binary, mode, bits, case, timeout=60):
  """The difference of a program that should fail, or None."""
  status, out, err = nvm(binary, "run", mode, bits, BITS + write(case, bits, BITS.count("\n") + 1), timeout)
  line = case.fault.line + BITS.count("\n")
  found = FAILED.search(err)
  write(case, bits)
  if status == 1 and found and int(found.group(1)) == line and case.fault.kind.lower() in err.lower():
    return None
  return Difference(case, mode, f"status {status}, expected the error '{case.fault.kind}' at line {line}: {err.strip()[-600:]} {out[-200:]}")
