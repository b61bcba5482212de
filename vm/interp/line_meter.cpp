#include "vm/interp/line_meter.h"

#include <algorithm>

namespace nvm::vm {

namespace {

constexpr std::int64_t kLengthsLookedAt = 512;  // of a descriptor

}  // namespace

void LineMeter::begin_group(ssa::FunctionId function, std::int32_t level) {
  levels_.begin(module_.functions.size());
  levels_.start_at(function, level);
  level_ = levels_.enter({function, nullptr, {}, false, 0});
  left_line();
}

void LineMeter::end_group() {
  pause();
  for (Line& line : lines_) {
    line.spent.instructions = std::max(line.spent.instructions, line.instructions);
    line.instructions = 0;
  }
}

void LineMeter::note(ssa::FunctionId function, std::int32_t level, std::span<const Value> arguments) {
  const ssa::Function& f = module_.functions[static_cast<std::size_t>(function)];
  CallsSpent& calls = calls_[{function, level}];
  calls.function = function;
  calls.level = level;
  ++calls.calls;
  const Value* instances = instances_of(f, arguments);
  const auto* s = instances == nullptr ? nullptr : std::get_if<Segdes>(instances);
  if (s != nullptr) calls.shape.add(shape_of(*s, kLengthsLookedAt));
}

void LineMeter::pass(const ssa::Inst& inst, ssa::FunctionId function) {
  const Key key{&inst, level_};
  Known& known = cache_[Hash{}(key) % cache_.size()];
  if (known.key != key) {
    const auto [found, fresh] = of_.try_emplace(key, lines_.size());
    if (fresh) lines_.push_back({{&inst, function, level_}, 0});
    known = {key, found->second};
  }
  current_ = known.line;
  line_ = inst.origin_line;
  vcode_line_ = inst.pos.line;
  origin_ = inst.origin_function;
  ++lines_[current_].spent.times;
  if (charged_ == current_) return;
  const std::int64_t now = ticks();
  if (charged_ != kNone) lines_[charged_].spent.ticks += now - since_;
  since_ = now;
  charged_ = current_;
}

LineMeter::Counts LineMeter::counts() const {
  Counts counts{{}, {}, calls_, levels_, level_};
  for (const Line& line : lines_) {
    counts.lines.push_back(line.spent);
    counts.instructions.push_back(line.instructions);
  }
  return counts;
}

void LineMeter::go_back_to(const Counts& counts) {
  pause();
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    Line& line = lines_[i];
    const std::int64_t ticks = line.spent.ticks;
    const bool known = i < counts.lines.size();
    line.spent = known ? counts.lines[i] : LineSpent{line.spent.inst, line.spent.function, line.spent.level};
    line.spent.ticks = ticks;
    line.instructions = known ? counts.instructions[i] : 0;
  }
  calls_ = counts.calls;
  levels_ = counts.levels;
  level_ = counts.level;
}

GroupsSpent LineMeter::take() {
  end_group();
  GroupsSpent spent;
  for (const Line& line : lines_) spent.lines.push_back(line.spent);
  for (const auto& [where, calls] : calls_) spent.calls.push_back(calls);
  lines_.clear();
  of_.clear();
  cache_.fill({});
  calls_.clear();
  return spent;
}

}  // namespace nvm::vm
