#!/usr/bin/env python3
"""Checks that what ends badly can end only where that is provided for. In bytecode, frontend, gpu and vm:

- files are read by bytecode/base/read_file.h and written by bytecode/base/out_file.h: streams of the standard
  library swallow std::bad_alloc, and what they leave half-written has its name;
- threads are started by bytecode/base/thread.h, thread_local objects have no destructors (per_thread.h), and what is
  done once may throw (call_once.h);
- calls of std::filesystem take an error_code;
- exceptions of any kind are caught in few places only;
- every function of the interface of libnvm is guarded (vm/lib/guarded.h), cannot fail, or gives out a string or
  vector of its own.

    endings.py [ROOT]
"""

import pathlib
import re
import sys

OURS = ("bytecode", "frontend", "gpu", "vm")
SOURCES = {".h", ".hpp", ".cpp", ".cc"}

# pattern, what to use instead, files that may
RULES = (
    (r"\bstd::(i|o|)(f|string)stream\b|\bstd::getline\b|\bstd::(i|o)stringstream\b", "read_file.h, out_file.h or std::string",
     {"frontend/flat.cpp"}),  # which has .exceptions(std::ios::badbit)
    (r"\bstd::(thread|jthread)\b(?!::)|\bstd::async\b|\bpthread_create\b", "bytecode/base/thread.h", {"bytecode/base/thread.h"}),
    (r"\bstd::(call_once|once_flag)\b", "CallOnce of bytecode/base/call_once.h", set()),
    (r"\bthread_local\s+(?!(std::u?int(32|64)_t|std::uintptr_t|std::ptrdiff_t|int|ThreadCache|T\*|Budget\*|const char\*)\s)", "PerThread of bytecode/base/per_thread.h", set()),
    (r"\b(mkstemps?|mkostemps?|tmpfile|O_CREAT|std::rename|fs::rename|filesystem::rename)\b", "bytecode/base/out_file.h",
     {"bytecode/base/out_file.cpp", "vm/interp/beneath.cpp", "vm/interp/gate.cpp"}),  # a program's own files
    (r"\bfopen\([^;]*\"[wa]", "bytecode/base/out_file.h",
     # a program's own files; a sink
     {"vm/interp/host_ops.cpp", "vm/cmd/run.cpp", "vm/cmd/launched.cpp"}),
    (r"catch \(\.\.\.\)", "vm/lib/guarded.h",
     {"vm/lib/guarded.h", "vm/lib/guarded.cpp", "vm/lib/vm.cpp", "bytecode/base/thread.h", "vm/data/fork_join.h",
      "vm/ranks/threads.cpp", "vm/trace/predict.cpp", "vm/profile/chrome_trace.cpp", "gpu/compiler.cpp", "vm/cmd/crash.cpp"}),
)
FILESYSTEM = re.compile(r"\b(?:std::filesystem|fs)::(?!path\b|file_status\b|perms\b|directory_iterator\b)([a-z_]+)\(([^;]*)")
INTERFACE = ("nvm.hpp", "nesl.hpp", "remora.hpp", "language.hpp", "nvm.h")
IMPLEMENTED = ("vm.cpp", "value.cpp", "value_files.cpp", "program.cpp", "nesl.cpp", "nesl_calls.cpp", "remora.cpp", "language.cpp",
               "c_api.cpp", "c_limits.cpp", "c_error.cpp", "c_nesl.cpp", "build_info.cpp")
WATCHERS = ("watch.hpp", "record.hpp", "profile.hpp")
# A constructor of an interface that may allocate: what it takes must be made already, or it goes through guarded().
CONSTRUCTOR = re.compile(r"^(?:  )?(?:explicit )?([A-Z]\w*)\([^;~]*\)(.*);", re.M)


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def check_file(root, path):
    name = str(path.relative_to(root))
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        code = without_comments(line)
        for pattern, instead, allowed in RULES:
            if name not in allowed and re.search(pattern, code):
                problems.append(f"{name}:{number}: {code.strip()[:60]}: use {instead}")
    text = without_comments(path.read_text(encoding="utf-8"))
    for call in FILESYSTEM.finditer(text):
        arguments = call.group(2)[: closing(call.group(2))]
        alone = call.group(1) in ("current_path", "temp_directory_path") and arguments.strip()
        if "," not in arguments and not alone:
            line = text.count("\n", 0, call.start()) + 1
            problems.append(f"{name}:{line}: filesystem::{call.group(1)} without an error_code")
    return problems


def closing(text):
    """Where the parenthesis that is open before the text is closed."""
    depth = 1
    for at, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return at
    return len(text)


DEFINITION = re.compile(r"^(?!#|namespace|class|struct|enum|using|template|static|//|\}|\s)([\w:<>,&*\s]*?)\b((?:[A-Z]\w*::)*~?\w+)\((?=[^;]*\{)", re.M)


def bodies(text):
    """Name, type and body of each function that is defined outside of unnamed namespaces."""
    text = re.sub(r"^namespace \{\n.*?^\}  // namespace\n", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M | re.S)
    text = without_comments(text)
    for match in DEFINITION.finditer(text):
        end = text.find("\n}\n", match.start())
        line_end = text.find("\n", match.start())
        one_line = text[match.start() : line_end].rstrip().endswith("}")
        yield match.group(2), match.group(1).strip(), text[match.start() : line_end if one_line else end], text.count("\n", 0, match.start()) + 1


HARMLESS = re.compile(r"return (options;|kFacts;|run_text\(|static_cast|NVM_VERSION|version|of_error|\w+ [!=]= nullptr)|\{ delete |\.cancel\(\)|compiles = true|noexcept")


def check_interface(root):
    lib = root / "vm" / "lib"
    declared = without_comments("".join((lib / h).read_text(encoding="utf-8") for h in INTERFACE))
    problems = []
    for source in IMPLEMENTED:
        for name, kind, body, line in bodies((lib / source).read_text(encoding="utf-8")):
            bare = name.split("::")[-1]
            if "Impl::" in name or not re.search(rf"\b{re.escape(bare)}\(", declared):
                continue
            if re.match(r"(std::string|std::vector<.*>)$", kind):
                continue
            if not re.search(r"\bguarded|(Impl|SessionCore)::(call|reporting|between_runs)|\bof_value|\bof_file|\bmade\(", body) and not HARMLESS.search(body):
                problems.append(f"vm/lib/{source}:{line}: {name} is not guarded")
    return problems


def check_watchers(root):
    problems = []
    for header in WATCHERS:
        text = without_comments((root / "vm" / "lib" / header).read_text(encoding="utf-8"))
        for match in CONSTRUCTOR.finditer(text):
            if "noexcept" not in match.group(2):
                line = text.count("\n", 0, match.start()) + 1
                problems.append(f"vm/lib/{header}:{line}: the constructor of {match.group(1)} may throw: make it by make_watcher() of guarded.h")
    return problems


def check(root):
    root = pathlib.Path(root)
    files = [p for top in OURS for p in sorted((root / top).rglob("*")) if p.suffix in SOURCES and p.is_file()]
    return [problem for path in files for problem in check_file(root, path)] + check_interface(root) + check_watchers(root)


def main():
    problems = check(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
    print("\n".join(problems + [f"{len(problems)} violations"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
