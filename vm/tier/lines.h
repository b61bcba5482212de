// Compiled straight lines for interpreters that work alone. Each line is traced and compiled once for each
// kind of values that it meets, by the first interpreter for which that pays, and executed by all of them, on
// the thread of each.
#pragma once

#include <array>
#include <mutex>
#include <span>
#include <vector>

#include "vm/interp/line_hook.h"
#include "vm/tier/line_trace.h"

namespace nvm::vm {

struct LineCounters {
  std::uint64_t compiled = 0;
  std::uint64_t refused = 0;
  std::uint64_t compile_ns = 0;
};

class Lines final : public LineTier {
 public:
  static constexpr std::size_t kMostVariants = 4;

  // All must outlive this. Modes other than kAlways are taken as kHot.
  Lines(const Code& code, plan::Engine& engine, const JitOptions& options);

  [[nodiscard]] std::unique_ptr<LineHook> hook(const PrimContext& context) override;
  [[nodiscard]] LineCounters counters() const;

 private:
  friend class LineRunner;
  struct Shared {
    std::atomic<std::int64_t> work{0};  // since the last compilation
    std::array<std::atomic<const LineVariant*>, kMostVariants> variants{};
    std::atomic<bool> wide{false};  // a guess of four bytes was wrong
  };

  [[nodiscard]] bool always() const { return options_.mode == JitMode::kAlways; }
  // More work on values that no variant is for; compiles one if that pays.
  void meet(const CodeFunction& function, const Line& line, const Value* frame,
            std::span<const Value> constants, IntBits bits);
  void compile(LineVariant& variant, const Shared& shared);

  plan::Engine& engine_;
  JitOptions options_;
  std::vector<bool> inputs_;    // by constant of the code: given by the run
  std::vector<Shared> shared_;  // by line
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<LineVariant>> variants_;
  LineCounters counters_;
};

}  // namespace nvm::vm
