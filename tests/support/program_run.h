// One program executed, on whatever machine: what it printed, its values and its error.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "bytecode/ssa/passes.h"
#include "bytecode/verify/verify.h"
#include "tests/property/gen_program.h"
#include "vm/data/compare.h"
#include "vm/interp/interp.h"

namespace nvm::test {

enum class Calls : std::uint8_t { kInlined, kKept };

// A random program in SSA; nothing if it does not verify.
inline std::optional<ssa::Module> random_segment_module(Choices choices, IntBits bits = IntBits::k64,
                                                        Calls calls = Calls::kInlined) {
  Diagnostics diagnostics("random", "");
  const Program program = SegmentProgram(std::move(choices), true).make(diagnostics);
  Diagnostics more("random", "");
  const VerifyResult verified = verify(program, more);
  if (verified.verdict != Verdict::kOk) return {};
  ssa::Module module = ssa::lower(program, verified.verified, bits);
  for (const ssa::Pass& pass : ssa::pipeline()) {
    if (calls == Calls::kInlined || std::string_view(pass.name) != "inline_calls") pass.run(module);
    ssa::check(module);
  }
  return module;
}

// What a program wrote to standard error.
class Written {
 public:
  Written() : file_(open_memstream(&text_, &size_)) {}
  ~Written() {
    std::fclose(file_);
    std::free(text_);
  }
  Written(const Written&) = delete;
  Written& operator=(const Written&) = delete;
  [[nodiscard]] std::FILE* file() const { return file_; }
  [[nodiscard]] std::string text() const {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

struct ProgramResult {
  vm::Outcome outcome;
  std::string written;
};

// The machine of a run, and what it writes to.
class WritingMachine {
 public:
  WritingMachine(const vm::Code& code, vm::Pool& pool, int threads)
      : bits_(code.module->int_bits),
        host_({nullptr, nullptr, written_.file(), {}, vm::RandomKind::kPhilox}, pool, bits_) {
    machine_.prims.pool = &pool;
    machine_.prims.int_bits = bits_;
    machine_.prims.random = &host_.random();
    machine_.prims.threads = threads;
    machine_.host = &host_;
    machine_.max_depth = 100;
  }
  [[nodiscard]] vm::Machine& machine() { return machine_; }
  [[nodiscard]] vm::Generator& random() { return host_.random(); }
  // Again and again, for what is learnt of lines; the last outcome counts, but all that is written.
  [[nodiscard]] ProgramResult run(const vm::Code& code, int times = 4) {
    ProgramResult result;
    for (int i = 0; i < times; ++i) result.outcome = vm::Interp(code, machine_).run();
    result.written = written_.text();
    return result;
  }

 private:
  IntBits bits_;
  Written written_;
  vm::Host host_;
  vm::Machine machine_;
};

inline std::string describe(const vm::RunError& e) {
  return e.message + "\n" + vm::describe_place(e, {}) + std::to_string(e.depth);
}

// In words, where two runs differ; empty if they do not.
inline std::string difference(const ProgramResult& one, const ProgramResult& other) {
  const vm::Outcome &a = one.outcome, &b = other.outcome;
  if (one.written != other.written) return "written: " + one.written + " and " + other.written;
  const std::string error = a.error ? describe(*a.error) : "", second = b.error ? describe(*b.error) : "";
  if (error != second) return "errors: " + error + " and " + second;
  if (a.exited != b.exited || a.values.size() != b.values.size()) return "the ways they end";
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (std::string d = vm::difference(a.values[i], b.values[i]); !d.empty())
      return "value " + std::to_string(i) + ": " + d;
  return "";
}

}  // namespace nvm::test
