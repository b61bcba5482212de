// Where the time of one interpreter goes, by instruction: for groups of block mode, which no observer follows
// step by step. The clock is read where control passes from one source line to another; instructions of the
// same line count as the first of them.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "vm/data/ticks.h"

namespace nvm::vm {

struct LineSpent {
  const ssa::Inst* inst = nullptr;  // of the line
  ssa::FunctionId function = 0;     // that was executed
  std::int64_t ticks = 0;
  std::uint64_t times = 0;  // that control came there
};

class LineMeter {
 public:
  // `inst` of `function` is executed from now on.
  void at(const ssa::Inst& inst, ssa::FunctionId function) {
    const bool same = inst.origin_line == line_ && inst.origin_function == origin_ &&
                      (line_ > 0 || inst.pos.line == vcode_line_) && function == function_;
    if (same && current_ != kNone) return;
    pass(inst, function);
  }
  // Until the next instruction nothing is measured.
  void pause() {
    if (current_ != kNone) spent_[current_].ticks += ticks() - since_;
    current_ = kNone;
  }
  // Hands over what was spent since the last time.
  [[nodiscard]] std::vector<LineSpent> take() {
    pause();
    of_.clear();
    cache_.fill({});
    return std::exchange(spent_, {});
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Known {
    const ssa::Inst* inst = nullptr;
    std::size_t spent = 0;
  };

  void pass(const ssa::Inst& inst, ssa::FunctionId function) {
    const std::int64_t now = ticks();
    if (current_ != kNone) spent_[current_].ticks += now - since_;
    since_ = now;
    line_ = inst.origin_line;
    vcode_line_ = inst.pos.line;
    origin_ = inst.origin_function;
    function_ = function;
    Known& known = cache_[reinterpret_cast<std::uintptr_t>(&inst) / sizeof(ssa::Inst) % cache_.size()];
    if (known.inst != &inst) {
      const auto [found, fresh] = of_.try_emplace(&inst, spent_.size());
      if (fresh) spent_.push_back({&inst, function});
      known = {&inst, found->second};
    }
    current_ = known.spent;
    ++spent_[current_].times;
  }

  std::vector<LineSpent> spent_;
  std::unordered_map<const ssa::Inst*, std::size_t> of_;
  std::array<Known, 256> cache_;
  std::size_t current_ = kNone;
  std::int64_t since_ = 0;
  std::uint32_t line_ = 0, vcode_line_ = 0;  // VCODE tells places apart where there is no NESL line
  std::int32_t origin_ = -1;
  ssa::FunctionId function_ = 0;
};

}  // namespace nvm::vm
