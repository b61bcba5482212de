#include "vm/tier/binding.h"

#include "vm/prims/spread.h"
#include "vm/tier/describe.h"

namespace nvm::vm {

namespace {

// Numbers of 64 bits as INTs of the run.
Vector stored_as(IntBits bits, std::int64_t n, BufferRef numbers, Pool& pool) {
  Vector wide(Storage::kI64, n, std::move(numbers));
  if (bits == IntBits::k64) return wide;
  Vector narrow = pool.vector(Storage::kI32, n);
  const auto* from = wide.data<std::int64_t>();
  auto* to = narrow.mutable_data<std::int32_t>();
  for (std::int64_t k = 0; k < n; ++k) to[k] = static_cast<std::int32_t>(from[k]);
  return narrow;
}

// Lengths that have turned out to be equal are one, repeated.
void repeat_equal_lengths(const plan::Plan& plan, const soac::Region& region,
                          std::span<const plan::Desc> descs, const PrimContext& context,
                          std::span<Value> outputs) {
  for (const soac::RegionInst& in : region.insts) {
    if (op_info(in.op).kind != OpKind::kShape) continue;
    // MAKE_SEGDES has lengths and makes a descriptor, LENGTHS the other way round.
    auto d = static_cast<std::size_t>(in.operands[0]), x = static_cast<std::size_t>(in.results[0]);
    if (plan.vars[x].is_desc) std::swap(d, x);
    const plan::Desc& desc = descs[d];
    const auto* lengths = std::get_if<Vector>(&outputs[x]);
    if (!plan.vars[d].is_desc || plan.vars[d].role == plan::VarRole::kInput || desc.segments < 2 ||
        lengths == nullptr || lengths->length() != desc.segments)
      continue;
    outputs[x] = repeat_element(Vector::of_int(desc.regular_length), desc.segments, context);
  }
}

}  // namespace

Binding::Binding(const plan::Plan& plan, const RecordedRegion& region, Pool& pool,
                 const std::atomic<Stop>* stop)
    : plan_(plan),
      region_(region),
      pool_(pool),
      stop_(stop),
      memory_(plan.vars.size()),
      arrays_(plan.vars.size()),
      descs_(plan.vars.size()) {
  bind();
}

void Binding::bind() {
  clear();
  holds_ = true;
  lengths_ = region_.lengths;
  for (std::size_t i = 0; i < region_.inputs.size(); ++i) {
    if (const auto* x = std::get_if<Vector>(&region_.inputs[i])) {
      plan::Array& a = arrays_[i];
      a.length = x->length();
      a.storage = x->storage();
      if (x->is_scalar()) {
        a.scalar = x->type() == Type::kFloat ? 0 : x->scalar_int();
        a.real = x->type() == Type::kFloat ? x->scalar_float() : 0.0;
      } else {
        a.data = x->place();
        if (x->buffer()) a.remote = remote_of(*x->buffer().get());
      }
    } else if (const auto* s = std::get_if<Segdes>(&region_.inputs[i])) {
      const bool regular = s->is_regular();
      descs_[i] = {s->segments(), s->total(), regular ? s->regular_length() : 0, nullptr, nullptr};
      if (regular) continue;
      const Buffer& offsets = *s->offsets_buffer().get();
      descs_[i].offsets = reinterpret_cast<const std::int64_t*>(offsets.bytes);
      descs_[i].remote = remote_of(offsets);
    }
  }
}

void Binding::clear() {
  if (!holds_) return;
  for (std::size_t i = 0; i < memory_.size(); ++i) {
    arrays_[i].remote = nullptr;
    descs_[i].remote = nullptr;
    memory_[i] = {};
  }
  for (std::size_t i = 0; i < plan_.vars.size(); ++i)
    if (plan_.vars[i].role != plan::VarRole::kInput) descs_[i] = {};
  made_.clear();
  offsets_.clear();
  holds_ = false;
}

plan::Run Binding::run(int threads) { return {arrays_, descs_, lengths_, this, threads}; }

void Binding::begin_kernel(std::size_t kernel) {
  if (observer_ != nullptr) observer_->begin_kernel(number_, static_cast<std::uint32_t>(kernel));
}

void Binding::ran(plan::KernelWay way) {
  if (context_ == nullptr) return;
  switch (way) {
    case plan::KernelWay::kOneSweep: return took(*context_, FastPath::kOneSweep);
    case plan::KernelWay::kLanePerSegment: return took(*context_, FastPath::kLanePerSegment);
    case plan::KernelWay::kTiles: return took(*context_, FastPath::kTiles);
    case plan::KernelWay::kNarrowLanes: return took(*context_, FastPath::kNarrowLanes);
    case plan::KernelWay::kRows: return took(*context_, FastPath::kRows);
    case plan::KernelWay::kStretches: return took(*context_, FastPath::kStretches);
    case plan::KernelWay::kStridedLoads: return took(*context_, FastPath::kStridedLoads);
    case plan::KernelWay::kOnDevice: return took(*context_, FastPath::kOnDevice);
  }
}

void Binding::end_kernel(std::size_t kernel) {
  if (observer_ == nullptr) return;
  const std::vector<const ssa::Inst*> insts = insts_of(region_, plan_.kernels[kernel]);
  observer_->end_kernel(kernel_run(kernel, insts));
}

void Binding::device_kernel(std::size_t kernel, const DeviceTimes& times) {
  if (observer_ == nullptr) return;
  const std::vector<const ssa::Inst*> insts = insts_of(region_, plan_.kernels[kernel]);
  observer_->device_kernel(kernel_run(kernel, insts), times);
}

KernelRun Binding::kernel_run(std::size_t kernel, std::span<const ssa::Inst* const> insts) const {
  const plan::Kernel& k = plan_.kernels[kernel];
  return {number_, static_cast<std::uint32_t>(kernel), lengths_[static_cast<std::size_t>(k.space)],
          bytes_moved(plan_, k, lengths_), insts};
}

void Binding::begin_share() {
  if (observer_ != nullptr) observer_->begin_share();
}
void Binding::end_share() {
  if (observer_ != nullptr) observer_->end_share();
}

void* Binding::allocate(plan::VarId var, Storage storage, std::int64_t length) {
  try {
    memory_[static_cast<std::size_t>(var)] = pool_.allocate(ByteCount::of(length, storage_bytes(storage)));
  } catch (const Fault&) {
    return nullptr;
  }
  return memory_[static_cast<std::size_t>(var)].data();
}

std::int64_t* Binding::allocate_offsets(plan::VarId desc, std::int64_t segments) {
  if (plan_.int_bits != IntBits::k64) return nullptr;  // the lengths will be stored anew
  try {
    BufferRef& memory = offsets_[desc];
    memory = pool_.allocate(ByteCount::of<std::int64_t>(segments + 1));
    return reinterpret_cast<std::int64_t*>(memory.data());
  } catch (const Fault&) {
    return nullptr;
  }
}

void Binding::shrink(plan::VarId var, std::int64_t length) {
  const auto v = static_cast<std::size_t>(var);
  pool_.shrink(memory_[v], ByteCount::of(length, storage_bytes(plan_.vars[v].storage)));
}

void Binding::release(plan::VarId var) { memory_[static_cast<std::size_t>(var)] = {}; }

Value Binding::vector(std::size_t i) {
  const plan::Var& v = plan_.vars[i];
  const plan::Array& a = arrays_[i];
  const std::int64_t n = lengths_[static_cast<std::size_t>(v.length)];
  // One element may come unboxed even where the length is known only by running.
  if (!memory_[i] && n == 1) {
    if (v.type == Type::kFloat) return Vector::of_float(a.real);
    return v.type == Type::kBool ? Vector::of_bool(a.scalar != 0) : Vector::of_int(a.scalar);
  }
  if (n != 1) return Vector(a.storage, n, std::move(memory_[i]));
  const void* data = memory_[i].data();
  switch (a.storage) {
    case Storage::kI8: return Vector::of_int(*static_cast<const std::int8_t*>(data));
    case Storage::kI32: return Vector::of_int(*static_cast<const std::int32_t*>(data));
    case Storage::kI64: return Vector::of_int(*static_cast<const std::int64_t*>(data));
    case Storage::kF64: return Vector::of_float(*static_cast<const double*>(data));
    case Storage::kB8: return Vector::of_bool(*static_cast<const std::uint8_t*>(data) != 0);
  }
  return {};
}

// Engines count in 64 bits; a run's vectors are never wider than its INT.
Value Binding::segdes(std::size_t i) {
  if (const auto it = made_.find(static_cast<plan::VarId>(i)); it != made_.end()) return it->second.segdes;
  const plan::Var& v = plan_.vars[i];
  const std::int64_t total = lengths_[static_cast<std::size_t>(v.total)];
  if (v.form == plan::DescForm::kOneSegment) return Segdes::regular(1, total);
  const std::int64_t segments = lengths_[static_cast<std::size_t>(v.length)];
  if (segments == 1) return Segdes::regular(1, total);
  if (descs_[i].segments == segments) return Segdes::regular(segments, descs_[i].regular_length);
  const auto offsets = offsets_.find(static_cast<plan::VarId>(i));
  if (offsets != offsets_.end() && descs_[i].remote != nullptr && total > 0) {
    attach_remote(*offsets->second.get(), std::move(descs_[i].remote));
    return Segdes::from_offsets(Vector(arrays_[i].storage, segments, std::move(memory_[i])),
                                std::move(offsets->second), total);
  }
  return Segdes::from_lengths(stored_as(plan_.int_bits, segments, std::move(memory_[i]), pool_), total);
}

void Binding::keep_remotes() {
  for (std::size_t i = 0; i < region_.inputs.size(); ++i) {
    if (const auto* x = std::get_if<Vector>(&region_.inputs[i]); x != nullptr && arrays_[i].remote != nullptr)
      attach_remote(*x->buffer().get(), arrays_[i].remote);
    if (const auto* s = std::get_if<Segdes>(&region_.inputs[i]); s != nullptr && descs_[i].remote != nullptr)
      attach_remote(*s->offsets_buffer().get(), descs_[i].remote);
  }
}

void Binding::take(std::span<Value> outputs) {
  for (std::size_t i = 0; i < plan_.vars.size(); ++i) {
    if (plan_.vars[i].role != plan::VarRole::kOutput) continue;
    if (memory_[i] && arrays_[i].remote != nullptr)
      attach_remote(*memory_[i].get(), std::move(arrays_[i].remote));
    outputs[i] = plan_.vars[i].is_desc ? segdes(i) : vector(i);
  }
  repeat_equal_lengths(plan_, region_.region, descs_, *context_, outputs);
}

}  // namespace nvm::vm
