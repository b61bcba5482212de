#!/usr/bin/env python3
"""Checks every #include of ours against the layers of cmake/layers.cmake.

A file may include its own folder's files and those of the layers listed for it; a layer may list only layers
declared before it. Nothing stands at the top but what is listed here. Prints one line per violation and exits with 1 if
there is any.

    layers.py [ROOT]
"""

import pathlib
import re
import subprocess
import sys

OURS = ("bytecode", "frontend", "gpu", "vm")  # top-level folders with layers
TOP = {*OURS, "tests", "programs", "docs", "cmake", "CMakeLists.txt", "CMakePresets.json", "CHANGELOG.md", "CONTRIBUTING.md",
       "LICENSE", "README.md", "SECURITY.md", "nvmw", "pyproject.toml"}  # and what begins with a dot
SOURCES = {".h", ".hpp", ".cpp", ".cc", ".def", ".inc", ".cuh", ".cu"}


def read_layers(root):
    """Folder -> folders it may include, and what is wrong with the list itself."""
    text = (root / "cmake" / "layers.cmake").read_text(encoding="utf-8")
    text = re.sub(r"function\(.*?endfunction\(\)", "", text, flags=re.S)
    text = re.sub(r"#[^\n]*", "", text)
    layers, problems = {}, []
    for match in re.finditer(r"nvm_layer\(([^)]*)\)", text):
        folder, *may_include = match.group(1).split()
        for other in may_include:
            if other not in layers:
                problems.append(f"cmake/layers.cmake: {folder} lists {other}, which is not declared before it")
        layers[folder] = set(may_include)
    if not layers:
        problems.append("cmake/layers.cmake: no layer found")
    return layers, problems


def layer_of(path, layers):
    """The layer a file belongs to: that of the nearest folder above it, None if there is none."""
    for folder in path.parents:
        if folder.as_posix() in layers:
            return folder.as_posix()
    return None


def includes(path):
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if match:
            yield number, match.group(1)


def check_file(root, path, layers):
    where = path.relative_to(root)
    own = layer_of(where, layers)
    if own is None:
        return [f"{where}: belongs to no layer of cmake/layers.cmake"]
    allowed = layers[own] | {own}
    problems = []
    for line, name in includes(path):
        included = pathlib.PurePosixPath(name)
        if included.parts[0] not in OURS:
            problems.append(f'{where}:{line}: "{name}": write the path from the root, or <> for a library')
            continue
        target = layer_of(included, layers)
        if target not in allowed:
            problems.append(f"{where}:{line}: {own} may not include {name} (cmake/layers.cmake does not list {target})")
    return problems


def check(root):
    root = pathlib.Path(root)
    layers, problems = read_layers(root)
    files = [p for top in OURS for p in sorted((root / top).rglob("*")) if p.suffix in SOURCES and p.is_file()]
    for path in files:
        problems += check_file(root, path, layers)
    tracked = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False).stdout
    top = {name.split("/")[0] for name in tracked.split("\0") if name and not name.startswith(".")}
    problems += [f"{name}: stands at the top, where there is no place for it" for name in sorted(top - TOP)]
    return problems, len(files)


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    problems, files = check(root)
    print("\n".join(problems + [f"{files} files, {len(problems)} violations"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
