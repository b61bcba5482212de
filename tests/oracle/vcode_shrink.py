"""Makes a VCODE program that shows a difference small."""

from nesl_shrink import sort_of
from vcode_generator import Program
from vcode_run import Case, expect, run, run_fault

MOST_RUNS = 400


def shrink(d, nvm, bits):
  best, runs = d, 0
  size = len(d.case.program.code)
  while size >= 1 and runs < MOST_RUNS:
    i, improved = 0, False
    while i < len(best.case.program.code) and runs < MOST_RUNS:
      code = best.case.program.code
      runs += 1
      found = differs(Program(code[:i] + code[i + size:], best.case.program.functions), best, nvm, bits)
      best, improved = found or best, improved or bool(found)
      i += 0 if found else size
    size = size if improved and size == 1 else size // 2
  return best


def differs(program, d, nvm, bits):
  case = Case(d.case.seed, program, bits)
  try:
    if not expect(case) or (case.fault is None) != (d.case.fault is None):
      return None
  except Exception:  # the smaller program makes no sense
    return None
  if case.fault is not None:
    found = run_fault(nvm, d.mode, bits, case)
  else:
    found = next(iter(run(nvm, d.mode, bits, [case], timeout=20)), None)
  return found if found and sort_of(found.got) == sort_of(d.got) else None
