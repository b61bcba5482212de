// Kernels that are left to primitives: their operands as values, and what is made as the engine wants it.
#include "bytecode/base/check.h"
#include "vm/interp/random.h"
#include "vm/tier/binding.h"

namespace nvm::vm {

using plan::RunStatus;

plan::RunStatus Binding::primitive(plan::PrimitiveStep& step) {
  NVM_CHECK(context_ != nullptr, "kernels left to primitives need these");
  const plan::Kernel& kernel = plan_.kernels[step.kernel];
  const plan::Sink& sink = kernel.sinks.front();
  std::vector<Value> operands{operand(step)};
  if (sink.kind == plan::SinkKind::kRank) operands.push_back(segments(step));
  Value result;
  try {
    if (sink.kind == plan::SinkKind::kRandom)
      draw_again(*context_, *draws(step.kernel), operands, {&result, 1});
    else
      run_primitive(*context_, inst(step.kernel).op, inst(step.kernel).word, operands, {&result, 1});
    if (sink.kind == plan::SinkKind::kSegdes)
      keep(sink.out_desc, std::get<Segdes>(result), step.made);
    else
      keep(sink.out, std::get<Vector>(result), step.result);
  } catch (const Fault& fault) {  // told exactly when the region is executed again
    return fault.kind == Fault::Kind::kMemory ? RunStatus::kNoMemory : RunStatus::kTrapped;
  }
  return RunStatus::kDone;
}

const soac::RegionInst& Binding::inst(std::size_t kernel) const {
  return region_.region.insts[static_cast<std::size_t>(plan_.kernels[kernel].origin.front())];
}

std::optional<Draws> Binding::draws(std::size_t kernel) const {
  return region_.draws[static_cast<std::size_t>(inst(kernel).draw)];
}

Value Binding::operand(const plan::PrimitiveStep& step) const {
  const plan::Kernel& kernel = plan_.kernels[step.kernel];
  const std::int32_t value = kernel.sinks.front().value;
  const auto x = static_cast<std::size_t>(kernel.body.insts[static_cast<std::size_t>(value)].var);
  if (const auto* given = std::get_if<Vector>(&region_.inputs[x])) return *given;
  const plan::Array& a = step.operand;
  if (a.remote != nullptr && memory_[x]) attach_remote(*memory_[x].get(), a.remote);
  if (a.length != 1) return Vector(a.storage, a.length, memory_[x]);
  return plan_.vars[x].type == Type::kFloat ? Vector::of_float(a.real) : Vector::of_int(a.scalar);
}

Value Binding::segments(const plan::PrimitiveStep& step) const {
  const plan::VarId d = plan_.kernels[step.kernel].sinks.front().desc;
  if (d == soac::kNone) return Segdes::regular(1, step.operand.length);
  if (const auto* given = std::get_if<Segdes>(&region_.inputs[static_cast<std::size_t>(d)])) return *given;
  if (const auto it = made_.find(d); it != made_.end()) return it->second.segdes;
  Vector lengths = pool_.vector(Storage::kI64, step.segments.segments);  // a filter made it
  auto* to = lengths.mutable_data<std::int64_t>();
  for (std::int64_t k = 0; k < lengths.length(); ++k)
    to[k] = step.segments.offsets[k + 1] - step.segments.offsets[k];
  return Segdes::from_lengths(std::move(lengths), step.segments.total);
}

// As the plan stores it.
void Binding::keep(plan::VarId var, const Vector& made, plan::Array& array) {
  array.storage = plan_.vars[static_cast<std::size_t>(var)].storage;
  array.length = made.length();
  if (made.is_scalar()) {
    array.scalar = made.scalar_int();
    return;
  }
  BufferRef& memory = memory_[static_cast<std::size_t>(var)];
  const bool fits =
      made.storage() == array.storage && made.buffer() && made.place() == made.buffer().get()->bytes;
  if (fits) {
    memory = made.buffer();
  } else {
    std::vector<std::int64_t> elements(static_cast<std::size_t>(made.length()));
    for (std::int64_t i = 0; i < made.length(); ++i) elements[static_cast<std::size_t>(i)] = made.int_at(i);
    memory = int_vector(pool_, elements, array.storage).take_buffer();
  }
  array.data = memory ? memory.get()->bytes : nullptr;
  if (memory) array.remote = remote_of(*memory.get());
}

void Binding::keep(plan::VarId var, const Segdes& made, plan::Desc& desc) {
  Made& kept = made_[var];
  kept.segdes = made;
  desc = {made.segments(), made.total(), 0, nullptr, nullptr};
  if (plan_.vars[static_cast<std::size_t>(var)].form == plan::DescForm::kOneSegment) {
    desc.regular_length = made.total();
    return;
  }
  if (made.is_regular()) {
    for (std::int64_t k = 0; k <= made.segments(); ++k) kept.offsets.push_back(made.offset(k));
    desc.offsets = kept.offsets.data();
  } else {
    desc.offsets = made.offsets();
  }
}

}  // namespace nvm::vm
