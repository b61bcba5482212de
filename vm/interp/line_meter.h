// Where the time and the work of one interpreter go, by source line and level of recursion: for groups of
// block mode, which no observer follows step by step. The clock is read where control passes from one line to
// another; instructions of the same line count as the first of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vm/data/ticks.h"
#include "vm/interp/levels.h"
#include "vm/interp/spent.h"

namespace nvm::vm {

class LineMeter {
 public:
  explicit LineMeter(const ssa::Module& module) : module_(module) {}

  // A group begins with a call of `function`, `level` levels above that of the call that was cut.
  void begin_group(ssa::FunctionId function, std::int32_t level);
  void end_group();
  // The level that a call of `function` would have now.
  [[nodiscard]] std::int32_t level_of(ssa::FunctionId function) const { return levels_.next(function); }

  // Around a call; one that is made in groups is only noted.
  void enter(const CallStart& call) {
    level_ = levels_.enter(call);
    note(call.function, level_, call.arguments);
    left_line();
  }
  void leave() {
    levels_.leave();
    level_ = levels_.level();
    left_line();
  }
  // The call of `function` that was left just now goes on as that of the next level (level_loop.h): then
  // level_of() is that, and enter_level() is called unless it is made in groups.
  void next_level(ssa::FunctionId function) {
    pause();
    levels_.start_at(function, levels_.next(function) + 1);
  }
  void enter_level(ssa::FunctionId function, std::span<const Value> arguments) {
    enter({function, nullptr, arguments, false, 0});
  }
  void note(ssa::FunctionId function, std::int32_t level, std::span<const Value> arguments);

  // `inst` of `function` is executed from now on, which costs `work`, or nothing.
  void at(const ssa::Inst& inst, ssa::FunctionId function, std::int64_t work, bool paid) {
    const bool same = current_ != kNone && inst.origin_line == line_ && inst.origin_function == origin_ &&
                      (line_ > 0 || inst.pos.line == vcode_line_);
    if (!same) pass(inst, function);
    Line& line = lines_[current_];
    line.instructions += paid ? 1 : 0;
    line.spent.work += static_cast<std::uint64_t>(work);
  }
  // The line that has control, or had it last, moved so many bytes.
  void moved(std::int64_t bytes) {
    const std::size_t line = current_ != kNone ? current_ : charged_;
    if (line != kNone) lines_[line].spent.bytes += bytes;
  }
  // Until the next instruction nothing is measured.
  void pause() {
    if (charged_ != kNone) lines_[charged_].spent.ticks += ticks() - since_;
    charged_ = current_ = kNone;
  }
  // What was counted so far, for an attempt that may count nothing but its time.
  struct Counts {
    std::vector<LineSpent> lines;
    std::vector<std::uint64_t> instructions;
    std::map<std::pair<ssa::FunctionId, std::int32_t>, CallsSpent> calls;
    Levels levels;
    std::int32_t level = 0;
  };
  [[nodiscard]] Counts counts() const;
  void go_back_to(const Counts& counts);
  // Hands over what was spent since the last time.
  [[nodiscard]] GroupsSpent take();

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Line {
    LineSpent spent;
    std::uint64_t instructions = 0;  // in this group
  };
  struct Key {
    const ssa::Inst* inst = nullptr;
    std::int32_t level = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return reinterpret_cast<std::uintptr_t>(key.inst) / sizeof(ssa::Inst) +
             37 * static_cast<std::size_t>(key.level);
    }
  };
  struct Known {
    Key key;
    std::size_t line = 0;
  };

  void left_line() { current_ = kNone; }  // the same line of another call is another one
  void pass(const ssa::Inst& inst, ssa::FunctionId function);

  const ssa::Module& module_;
  Levels levels_;
  std::int32_t level_ = 0;  // of the innermost call
  std::vector<Line> lines_;
  std::unordered_map<Key, std::size_t, Hash> of_;
  std::array<Known, 256> cache_;
  std::map<std::pair<ssa::FunctionId, std::int32_t>, CallsSpent> calls_;
  std::size_t current_ = kNone;  // where control is, if it is there still
  std::size_t charged_ = kNone;  // whose time it is
  std::int64_t since_ = 0;
  Origin line_ = 0;
  std::uint32_t vcode_line_ = 0;  // tells places apart where there is none in a source
  std::int32_t origin_ = -1;
};

}  // namespace nvm::vm
