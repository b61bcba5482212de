#!/usr/bin/env python3
"""Random trees of modules with known results: values and types, what runs how often and in which order, and what is refused.

    modules.py NVM [--count N] [--seed N]

All files define the same names, so that a wrong scope shows. Files are named by paths with detours and links, by prefixes of
their own or of their import; some are Markdown. In every third tree one file is wrong, and then nothing may run.
"""

import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

FOLDERS = ("", "lib", "lib/deep", "other")
# A mistake that one file has, and what is said of it.
MISTAKES = {
    "y = 1 + ;": "unexpected ;",
    "y = nowhere.x;": "NOWHERE is no module",
    "y = unknown_name;": "UNKNOWN_NAME is undefined",
    'import "not_there";': "does not exist",
    'import "/etc/passwd" as p;': "not permitted",
    'load "x";': "no commands of the top level",
    'y = 1 + "a";': "",
}


class Module:
  """One file: what it defines, as text and as values."""

  def __init__(self, tree, number):
    self.rng = tree.rng
    self.number = number
    self.name = f"m{number}"
    self.folder = self.rng.choice(FOLDERS)
    self.ending = self.rng.choice((".nesl", ".nesl", ".md"))
    self.imports = {}  # by prefix
    self.lines = []
    for other in self.rng.sample(tree.modules, min(len(tree.modules), self.rng.randrange(4))):
      self.take(other)
    self.define()

  def path(self):
    return os.path.join(self.folder, self.name + self.ending)

  def take(self, other):
    """Imports a module, perhaps twice."""
    for _ in range(self.rng.choice((1, 1, 1, 2))):
      renamed = self.rng.random() < 0.4
      prefix = f"p{self.rng.randrange(6)}" if renamed else other.name
      if self.imports.get(prefix, other) is not other:
        continue
      self.imports[prefix] = other
      said = f" as {self.rng.choice((prefix, prefix.upper()))}" if renamed else ""
      self.lines.append(f'import "{self.way_to(other)}"{said};')

  def way_to(self, other):
    """A path from this file's folder, with detours."""
    path = os.path.relpath(other.path(), self.folder or ".")
    if other.ending == ".nesl" and self.rng.random() < 0.5:
      path = path[:-len(".nesl")]
    detour = self.rng.choice(("", "", "./", ".//./"))
    if self.folder == "lib" and self.rng.random() < 0.3:
      detour += "deep/../"
    return detour + path

  def reference(self):
    """A term of type int, and its value."""
    if not self.imports or self.rng.random() < 0.3:
      n = self.rng.randrange(-9, 10)
      return (str(n) if n >= 0 else f"({n})"), n
    prefix, other = self.rng.choice(list(self.imports.items()))
    prefix = self.rng.choice((prefix, prefix.upper()))
    n = self.rng.randrange(10)
    return self.rng.choice((
        (f"{prefix}.x", other.x), (f"{prefix}.g({n})", n * other.scale + other.shift), (f"{prefix}.opened({prefix}.closed({n}))", n + other.x),
        (f"sum({{{prefix}.g(a) : a in [0:{n}]}})", sum(a * other.scale + other.shift for a in range(n))),
        (f"(let {prefix}.box(a, b) = {prefix}.closed({n}) in a - b)", n - other.x)))

  def define(self):
    (first, a), (second, b), (shift, c) = self.reference(), self.reference(), self.reference()
    self.x, self.scale, self.shift = a + b, self.rng.randrange(-5, 6), c
    self.lines += [f'told = print_line("{self.name}");', "datatype box(int, int);",
                   *self.rng.choice(((), ("x = -1000;",))),  # a later definition counts
                   f"x = {first} + {second};",
                   f"function g(a) = a * ({self.scale}) + {shift};", "function closed(a) = box(a, x);",
                   "function opened(box(a, b)) = a + b;"]
    if self.rng.random() < 0.5:
      self.lines.append("x;")  # is not run where it is imported

  def text(self):
    text = "\n".join(self.lines) + "\n"
    return text if self.ending == ".nesl" else f"# {self.name}\n\nSome words; and `x = 77;`.\n\n~~~nesl\n{text}~~~\n\n```text\nx = 99;\n```\n"

  def loaded(self, seen):
    """Names of files in the order in which they come to be known."""
    for other in self.imports.values():
      if other not in seen:
        other.loaded(seen)
    if self not in seen:
      seen.append(self)
    return seen


class Tree:
  """A program and the files that it may import."""

  def __init__(self, seed):
    self.rng = random.Random(seed)
    self.modules = []
    for number in range(self.rng.randrange(1, 9)):
      self.modules.append(Module(self, number))
    self.main = Module(self, len(self.modules))
    self.main.folder, self.main.ending = "", ".nesl"
    self.main.lines, self.main.imports = [], {}
    for other in self.rng.sample(self.modules, self.rng.randrange(1, len(self.modules) + 1)):
      self.main.take(other)
    self.main.define()
    self.files = self.main.loaded([])[:-1]
    self.results = [self.main.x] if self.main.lines[-1] == "x;" else []
    for _ in range(3):
      text, value = self.main.reference()
      self.main.lines.append(text + ";")
      self.results.append(value)
    self.mistake = self.spoil() if self.rng.random() < 0.33 else None

  def spoil(self):
    """Puts a mistake into a file that is imported, or lets one import a file that imports it."""
    victim = self.rng.choice(self.files)
    if self.rng.random() < 0.25:
      victim.lines.insert(0, f'import "{victim.way_to(self.main)}" as again;')
      return "modules cannot import each other"
    line = self.rng.choice(list(MISTAKES))
    victim.lines.insert(self.rng.randrange(len(victim.lines)), line)
    return MISTAKES[line]

  def write(self, folder):
    for name in FOLDERS:
      (folder / name).mkdir(exist_ok=True)
    for module in [*self.modules, self.main]:
      (folder / module.path()).write_text(module.text())


def run(nvm, *words, folder):
  return subprocess.run([nvm, *words], cwd=folder, capture_output=True, text=True, check=False, timeout=120, stdin=subprocess.DEVNULL)


def wrong(nvm, tree, folder):
  """What is not as it should be, in a word; nothing if all is."""
  name = tree.main.path()
  ran, checked = (run(nvm, command, *more, name, folder=folder) for command, more in (("run", ["--jit", "always"]), ("check", [])))
  if tree.mistake is not None:
    if {ran.returncode, checked.returncode} != {2} or tree.mistake not in ran.stderr or ran.stderr != checked.stderr:
      return "a mistake", ran, checked
    told = [line for line in ran.stderr.splitlines() if line.startswith("m") and ":" not in line]
    return ("something ran", ran) if ran.stdout or told else None
  if ran.returncode or checked.returncode or checked.stderr:
    return "it fails", ran, checked
  if ran.stdout != "".join(f"it = {value} : int\n" for value in tree.results):
    return f"not {tree.results}", ran
  if ran.stderr.split() != [module.name for module in [*tree.files, tree.main]]:
    return "another order", ran
  compiled = run(nvm, "compile", "-o", "made.vcode", name, folder=folder)
  made = run(nvm, "run", "made.vcode", folder=folder)
  if compiled.returncode or made.returncode or made.stdout.strip("() \n") != str(tree.results[-1]):
    return "compiled", compiled, made
  return None


def one(nvm, seed):
  tree = Tree(seed)
  with tempfile.TemporaryDirectory(prefix="nvm_modules_") as scratch:
    folder = pathlib.Path(scratch)
    tree.write(folder)
    found = wrong(nvm, tree, folder)
    if found is None:
      return ""
    files = "".join(f"--- {m.path()}\n{m.text()}" for m in [*tree.modules, tree.main])
    return f"seed {seed}: {found[0]}\n{files}" + "".join(f"{r.args[1]}: {r.returncode}\n{r.stdout}{r.stderr}" for r in found[1:])


def main():
  parser = argparse.ArgumentParser()
  parser.add_argument("nvm")
  parser.add_argument("--count", type=int, default=100)
  parser.add_argument("--seed", default=os.environ.get("NVM_ORACLE_SEED", "1"))
  options = parser.parse_args()
  count = options.count * int(os.environ.get("NVM_ORACLE_COUNT", "1"))
  with concurrent.futures.ThreadPoolExecutor(int(os.environ.get("NVM_JOBS", "2"))) as pool:
    problems = [p for p in pool.map(lambda k: one(str(pathlib.Path(options.nvm).resolve()), f"{options.seed} {k}"), range(count)) if p]
  print("\n".join(problems[:5]))
  print(f"seed {options.seed}: {count} trees of modules, {len(problems)} wrong")
  return 1 if problems else 0


if __name__ == "__main__":
  sys.exit(main())
