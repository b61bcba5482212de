#!/usr/bin/env python3
"""The lint scripts find planted violations."""

import json
import pathlib
import tempfile
import unittest

import clang
import classes
import endings
import fast_paths
import layers
import ops
import outside
import scripts
import sizes

LAYERS = """
function(nvm_layer folder)
  nvm_layer(not/a/layer)
endfunction()
# nvm_layer(<folder>)
nvm_layer(bytecode/base)
nvm_layer(bytecode/table bytecode/base)
nvm_layer(frontend bytecode/table
          bytecode/base)
nvm_layer(vm/cpu bytecode/base)
"""


class Tree(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.root = pathlib.Path(self.directory.name)
        self.write("cmake/layers.cmake", LAYERS)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


class FastPaths(Tree):
    def test_rows_without_a_test(self):
        self.write("vm/data/fast_paths.def", 'FAST_PATH(kOne, "one")\nFAST_PATH(kTwo, "two")\n')
        self.write("tests/unit/a.cpp", "check_taken(counts, {FastPath::kOne});")
        self.assertEqual(fast_paths.check(self.root), ["vm/data/fast_paths.def: no test names FastPath::kTwo"])


@unittest.skipUnless(clang.CLANG, "no clang 14")
class Clang(Tree):
    def test_what_only_gcc_takes(self):
        captured = "int f() { struct { int x, y; } p{1, 2}; auto [x, y] = p; return [&] { return x + y; }(); }"
        self.write("vm/a.cpp", captured)
        self.write("vm/a.h", "#pragma once\ninline " + captured)
        self.write("vm/b.cpp", "int good() { return 1; }")
        entry = {"file": str(self.root / "vm/a.cpp"), "command": "ccache c++ -std=c++20 -Werror -o a.o -c a.cpp"}
        self.write("build/compile_commands.json", json.dumps([entry]))
        refused = clang.check([self.root / name for name in ("vm/a.cpp", "vm/a.h", "vm/b.cpp")], self.root / "build")
        self.assertEqual([said.split(":")[0] for said in refused], [str(self.root / name) for name in ("vm/a.cpp", "vm/a.h")])


class Ops(Tree):
    def test_more_instructions_named_than_before(self):
        self.write("tests/lint/ops.txt", "1 2 vm/a.cpp\n")
        self.write("bytecode/table/t.cpp", "case Op::kAdd: case Op::kSub:")
        self.write("vm/b.cpp", "case Op::kAdd: f(Op::kSub);  // case Op::kMul")
        self.assertEqual(ops.check(self.root), [])
        self.write("vm/a.cpp", "case Op::kAdd:")
        self.assertEqual(ops.check(self.root), [
            "case Op::: 2 outside of bytecode/table/, 1 before", "vm/b.cpp: case Op:: 1, 0 before",
            "Op::k: 3 outside of bytecode/table/, 2 before", "vm/b.cpp: Op::k 2, 0 before"])


class Classes(Tree):
    def test_functions_of_a_class(self):
        text = """
class A final : public B, private C<int> {
 public:
  explicit A(int x) : x_{x}, y_(f(x)) {}
  A(const A&) = delete;
  ~A() override;
  using F = void (*)(int);
  friend bool operator==(const A&, const A&) = default;
  bool operator()(const A& a) const { return a.x_ == x_; }
  template <typename T, std::size_t N = sizeof(T)>
  [[nodiscard]] std::function<int(T)> f(std::span<T> t) const;  // g();
  static A make(std::string s = "{");
 private:
  struct Inner {
    void of_inner();
  };
  int x_ = f(1), y_{g(2)};
  void (*loop_)(int) = nullptr;
  std::function<int(int)> call_;
};
"""
        self.assertEqual(list(classes.classes(text)), [("A", 5), ("Inner", 1)])

    def test_more_than_before(self):
        self.write("tests/lint/classes.txt", "31 A vm/a.h\n")
        self.write("vm/a.h", "class A {\n" + "  void f();\n" * 31 + "};\nclass B {\n" + "  void f() {}\n" * 30 + "};\n")
        self.assertEqual(classes.check(self.root), [])
        self.write("vm/a.h", "class A {\n" + "  void f();\n" * 32 + "};\nclass B {\n" + "  void f() {}\n" * 31 + "};\n")
        self.assertEqual(classes.check(self.root), ["vm/a.h: A has 32 functions, 31 at most", "vm/a.h: B has 31 functions, 30 at most"])


class Layers(Tree):
    def violations(self):
        return layers.check(self.root)[0]

    def test_allowed(self):
        self.write("bytecode/base/a.h", "#include <vector>\n")
        self.write("bytecode/table/b.cpp", '#include "bytecode/base/a.h"\n#include "bytecode/table/b.h"\n')
        self.write("frontend/c.cpp", '#include "bytecode/table/b.h"\n')
        self.write("vm/cpu/codegen/d.cpp", '#include "vm/cpu/d.h"\n#include "bytecode/base/a.h"\n')
        self.assertEqual(self.violations(), [])

    def test_upward(self):
        self.write("bytecode/base/a.h", '\n#include "bytecode/table/b.h"\n')
        self.assertEqual(len(self.violations()), 1)
        self.assertIn("bytecode/base/a.h:2", self.violations()[0])

    def test_sideways(self):
        self.write("vm/cpu/codegen/d.cpp", '#include "frontend/c.h"\n')
        self.assertEqual(len(self.violations()), 1)

    def test_not_listed(self):
        self.write("vm/cpu/d.cpp", '#  include "bytecode/table/b.h"\n')
        self.assertEqual(len(self.violations()), 1)

    def test_no_layer(self):
        self.write("vm/stray.cpp", "\n")
        self.assertEqual(len(self.violations()), 1)

    def test_relative_path(self):
        self.write("bytecode/table/b.cpp", '#include "b.h"\n')
        self.assertEqual(len(self.violations()), 1)

    def test_list_out_of_order(self):
        self.write("cmake/layers.cmake", "nvm_layer(vm/cpu bytecode/base)\nnvm_layer(bytecode/base)\n")
        self.assertEqual(len(self.violations()), 1)


class Sizes(Tree):
    def test_long_file_fails(self):
        self.write("vm/a.cpp", "\n" * 500)
        self.assertEqual(sizes.check(self.root), ([], False))
        self.write("vm/a.cpp", "\n" * 501)
        self.assertTrue(sizes.check(self.root)[1])

    @unittest.skipIf(sizes.shutil.which("ctags") is None, "universal-ctags is not installed")
    def test_function(self):
        self.write("vm/a.cpp", "int f() {\n" + "  f();\n" * 70 + "  return 0;\n}\n")
        report, failed = sizes.check(self.root)
        self.assertEqual((len(report), failed), (1, False))
        self.write("vm/a.cpp", "int f() {\n" + "  f();\n" * 120 + "  return 0;\n}\n")
        self.assertTrue(sizes.check(self.root)[1])


class Endings(Tree):
    def setUp(self):
        super().setUp()
        for header in endings.INTERFACE:
            self.write("vm/lib/" + header, "Value make();\nstd::string text();\nint bits() noexcept;\n")
        for source in endings.IMPLEMENTED:
            self.write("vm/lib/" + source, "\n")
        for header in endings.WATCHERS:
            self.write("vm/lib/" + header, "\n")

    def found(self, text, name="vm/a.cpp"):
        self.write(name, text)
        return endings.check(self.root)

    def test_streams_files_threads(self):
        for line in ("std::ifstream in(path);", "std::ostringstream out;", "std::getline(in, line);", "std::thread t(f);",
                     "static thread_local std::string last;", "std::call_once(flag, f);", "int fd = ::mkstemp(name);",
                     'FILE* f = fopen(path, "we");',
                     "} catch (...) {", "std::filesystem::exists(path);", "if (fs::is_directory(a.b(c))) return;"):
            self.assertEqual(len(self.found(line + "\n")), 1, line)

    def test_what_may_be(self):
        for line in ("// std::ifstream", "std::thread::hardware_concurrency();", "std::filesystem::exists(path, error);",
                     'fopen(path, "re");', "constinit thread_local std::uint64_t n = 0;", "std::filesystem::path p;"):
            self.assertEqual(self.found(line + "\n"), [], line)

    def test_interface(self):
        for body, wrong in (("Value make() {\n  return Value(new int);\n}\n", 1), ("Value make() { return Value(new int); }\n", 1),
                            ("Value make() {\n  return guarded([] { return f(); });\n}\n", 0), ("std::string text() { return f(); }\n", 0),
                            ("namespace {\nValue make() { return f(); }\n}  // namespace\n", 0), ("Value other() { return f(); }\n", 0)):
            self.assertEqual(len(self.found(body, "vm/lib/vm.cpp")), wrong, body)

    def test_watchers(self):
        for line, wrong in (("  explicit Trace(const std::string& path);", 1), ("  Replay();", 1), ("  explicit Trace(std::unique_ptr<Impl> impl) noexcept;", 0),
                            ("  ~Trace() override;", 0), ("  [[nodiscard]] static Made<Trace> open(const std::string& path);", 0)):
            self.assertEqual(len(self.found(line + "\n", "vm/lib/watch.hpp")), wrong, line)


class Scripts(Tree):
    def test_mode(self):
        self.write("tests/a.py", "#!/usr/bin/env python3\n")
        self.write("tests/b.py", "import a\n")
        self.assertEqual(scripts.check(self.root), ["tests/a.py: not executable"])
        (self.root / "tests/a.py").chmod(0o755)
        self.assertEqual(scripts.check(self.root), [])
        (self.root / "tests/b.py").chmod(0o755)
        self.assertEqual(scripts.check(self.root), ["tests/b.py: executable without #!"])


class Outside(Tree):
    def wrong(self, line, allowed=()):
        self.write("vm/a.cpp", "// fopen(\n" + line + "\n")
        return outside.check(self.root, dict.fromkeys(allowed, "why"))

    def test_calls(self):
        for line in ('f = std::fopen(name, "r");', "fopen(name, mode)", "x = ::open(name, 0);", "std::system(c)", "::execv(a, b)",
                     "std::ofstream out(name);", "std::ifstream(name) >> x", "::popen(c, m)", "posix_spawnp(&p)", "::fork()",
                     "::syscall(SYS_open, n)", "std::fstream f;", "std::filesystem::create_directories(d);", "std::filebuf b;"):
            self.assertEqual(len(self.wrong(line)), 1, line)
            self.assertIn("vm/a.cpp:2", self.wrong(line)[0])
            self.assertEqual(self.wrong(line, ["vm/a.cpp"]), [], line)

    def test_others(self):
        for line in ('say("fopen(x)");', "gate.open(way, path);", "window.open();", "void open(int x);", "both.fork();", "std::ostream& out;"):
            self.assertEqual(self.wrong(line), [], line)

    def test_idle_line(self):
        self.assertEqual(len(self.wrong("int x;", ["vm/a.cpp"])), 1)


if __name__ == "__main__":
    unittest.main()
