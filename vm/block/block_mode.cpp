#include "vm/block/block_mode.h"

#include "vm/block/join.h"
#include "vm/block/split.h"

namespace nvm::vm::block {

BlockMode::BlockMode(const Code& code, const Machine& machine, std::span<const Value> inputs,
                     const Options& options)
    : code_(code),
      prims_(machine.prims),
      hook_(machine.hook),
      observer_(machine.observer),
      policy_(*code.module, options, machine.prims.threads),
      workers_(code, machine, inputs) {}

bool BlockMode::call(ssa::FunctionId function, std::int64_t depth, std::span<Value> arguments,
                     std::vector<Value>& results) {
  if (!policy_.considers(function)) return false;
  const std::vector<ssa::Split>& splits =
      code_.functions[static_cast<std::size_t>(function)].source->lifted.parameters;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (splits[i].kind != ssa::Split::Kind::kFrame) continue;
    if (hook_ != nullptr) hook_->force(arguments[i]);
    const auto* frame = std::get_if<Segdes>(&arguments[i]);
    if (frame == nullptr || !policy_.enough(frame->total())) return false;
  }
  if (hook_ != nullptr)
    for (Value& value : arguments) hook_->force(value);
  try {
    return run(function, depth, arguments, results);
  } catch (const Fault&) {  // memory for cutting and joining: the ordinary call may need less
    policy_.give_up(function);
    return false;
  }
}

bool BlockMode::run(ssa::FunctionId function, std::int64_t depth, std::span<const Value> arguments,
                    std::vector<Value>& results) {
  const ssa::LiftedInfo& info = code_.functions[static_cast<std::size_t>(function)].source->lifted;
  const auto layout = Layout::of(info.parameters, arguments);
  if (!layout || layout->instances() == 0) return false;
  const std::vector<std::int64_t> bounds = policy_.cut(*layout);
  if (bounds.empty()) return false;
  if (observer_ != nullptr)
    observer_->begin_groups({function, nullptr, arguments, false}, layout->instances(), bounds.size() - 1);
  auto parts = workers_.run(function, depth, *layout, bounds);
  if (!parts) {
    if (observer_ != nullptr) observer_->end_groups(false);
    ++counters_.failed;
    policy_.give_up(function);
    return false;
  }
  counters_.groups += parts->size();
  ++counters_.calls;
  results = join(prims_, *parts);
  if (observer_ != nullptr) observer_->end_groups(true);
  return true;
}

}  // namespace nvm::vm::block
