#include "vm/interp/executor.h"

#include "vm/interp/elements.h"
#include "vm/interp/host_ops.h"
#include "vm/interp/in_place.h"
#include "vm/interp/moved.h"

namespace nvm::vm {

void Executor::perform(const Step& step) {
  Registers& at = at_;
  Value* const scratch = at.scratch.data();
  const std::span<Value> operands(scratch, step.operands);
  at.fetch(step, scratch);
  if (step.pending && pending_.open_here()) return pending_.leave_move(step);
  const bool alone = machine_.hook == nullptr;
  if (alone) {
    accounts_.note_line(step);
    if (accounts_.counts()) accounts_.count(step, operands);
  }
  const std::int32_t slot = at.slots_of(step)[0];
  if (alone && step.results == 1) {
    if (combined_.repeated(step, slot)) return;
  } else if (alone) {
    combined_.write_repeated_operands(step);
    if (step.group != Step::kNoGroup && combined_.pack_group(step)) return;
  }
  if (step.results == 1 && slot >= 0) [[likely]] {
    execute(step, operands, {at.frame + slot, 1});
  } else {
    execute(step, operands, {at.outputs, step.results});
    at.store(step, at.outputs);
  }
  for (Value& operand : operands) release(operand);
}

[[gnu::always_inline]] inline void Executor::execute(const Step& step, std::span<Value> operands,
                                                     std::span<Value> results) {
  if (step.sorts != nullptr && views_.combines && combined_.sort(step, operands, results)) return;
  RegionHook* const hook = machine_.hook;
  const bool leaves =
      step.leaves.has(Form::kStrided) && views_.combines && (hook == nullptr || !hook->repeats());
  if (leaves && strided_.leave(step, operands, results)) return;
  if (hook != nullptr) {
    const bool unrecorded = step.unrecorded && !hook->repeats();
    if (!unrecorded && hook->offer(*step.inst, step.site, operands, results)) return;
    if (unrecorded)
      for (Value& operand : operands) hook->force(operand);
    if (hook->repeats()) combined_.write_untaken(step, operands);
    if (accounts_.counts()) accounts_.count(step, operands);
    accounts_.note_line(step);
    if (accounts_.counts_moved()) [[unlikely]]
      return execute_counted(step, operands, results);
  }
  execute_here(step, operands, results);
}

[[gnu::always_inline]] inline void Executor::execute_here(const Step& step, std::span<Value> operands,
                                                          std::span<Value> results) {
  if (step.indices.has(Form::kStrided) && strided_.put(operands, results)) return;
  RegionHook* const hook = machine_.hook;
  if (hook == nullptr && step.alone != nullptr)
    step.alone({machine_.prims, step.op, step.word, operands.data(), results.data()});
  else if (step.unrecorded || (step.repeats && (hook == nullptr || hook->declined())))
    run_repeating_dist(machine_.prims, step.word, operands, results, step.one_constant);
  else
    run_primitive(machine_.prims, step.op, step.word, operands, results);
}

// Where a hook has made what was promised among the operands.
[[gnu::noinline]] void Executor::execute_counted(const Step& step, std::span<Value> operands,
                                                 std::span<Value> results) {
  Moving moving(step.op);
  for (const Value& operand : operands) moving.reads(operand);
  const InPlace in_place(step.op, operands);
  execute_here(step, operands, results);
  for (const Value& result : results) moving.writes(result);
  accounts_.moved(moving.bytes() - in_place.unmoved(results));
}

void Executor::host(const Step& step) {
  Value* operands = at_.scratch.data();
  at_.fetch(step, operands);
  if (machine_.host == nullptr) throw Fault{Fault::Kind::kDenied, "a group may have no effect"};
  if (machine_.hook != nullptr) machine_.hook->finish();  // what was promised before it counts as made
  for (std::uint32_t i = 0; i < step.operands; ++i) combined_.written(operands[i]);
  Value results[5];  // SPAWN has the most
  if (accounts_.counts()) accounts_.count(step, {operands, step.operands});
  accounts_.note_line(step);
  const std::int64_t read = accounts_.counts_moved() ? bytes_read(step.op, {operands, step.operands}) : 0;
  machine_.host->run(step.op, step.word, step.pos, {operands, step.operands}, {results, step.results});
  if (accounts_.counts_moved()) accounts_.moved(read + vector_bytes({results, step.results}));
  if (accounts_.counts() && step.counted == Counted::kResults)
    accounts_.count_results({results, step.results});
  accounts_.burn();
  at_.store(step, results);
}

void Executor::pair(const Step& step) {
  Value parts[2];
  at_.fetch(step, parts);
  for (Value& part : parts) combined_.written(part);
  at_.outputs[0] = make_pair_value(std::move(parts[0]), std::move(parts[1]));
  at_.store(step, at_.outputs);
}

void Executor::unpair(const Step& step) {
  Value pair;
  at_.fetch(step, &pair);
  const auto& both = std::get<std::shared_ptr<const PairValue>>(pair);
  at_.outputs[0] = both->left;
  at_.outputs[1] = both->right;
  at_.store(step, at_.outputs);
}

// As perform(), for who counts what is moved.
void Executor::perform_counted(const Step& step) {
  if (!moves_elements(step.op) && !picks(step.op) && count_plain(step)) return;
  Moving moving(step.op);
  const Operand* operands = at_.operands_of(step);
  for (std::uint32_t i = 0; i < step.operands; ++i) moving.reads(at_.peek(operands[i]));
  if (combined_.has_packed(step)) moving.has_been_read();
  perform(step);
  const std::int32_t* slots = at_.slots_of(step);
  for (std::uint32_t i = 0; i < step.results; ++i)
    if (slots[i] >= 0) moving.writes(at_.frame[slots[i]]);
  accounts_.moved(moving.bytes());
}

// False: nothing has happened.
bool Executor::count_plain(const Step& step) {
  const Operand* operands = at_.operands_of(step);
  std::int64_t read = 0;
  for (std::uint32_t i = 0; i < step.operands; ++i) {
    const auto bytes = Moving::plain(at_.peek(operands[i]));
    if (!bytes) return false;
    read += *bytes;
  }
  InPlace in_place;
  if (InPlace::may(step.op)) {
    const std::array<Value, 2> first = {at_.peek(operands[0]), at_.peek(operands[1])};
    in_place = InPlace(step.op, first);
  }
  perform(step);
  const std::int32_t* slots = at_.slots_of(step);
  std::int64_t written = 0;
  for (std::uint32_t i = 0; i < step.results; ++i) {
    if (slots[i] < 0) continue;
    const auto bytes = Moving::plain(at_.frame[slots[i]]);
    if (bytes)
      written += *bytes;
    else if (!std::holds_alternative<std::monostate>(at_.frame[slots[i]]))
      read = 0;  // delayed
  }
  if (InPlace::may(step.op) && slots[0] >= 0) read -= in_place.unmoved({&at_.frame[slots[0]], 1});
  accounts_.moved(read + written);
  return true;
}

}  // namespace nvm::vm
