// Scatters: chunks run in order on one thread, since the last writer of a place wins. Lines are recorded up
// to a PERMUTE only, unless it parts a vector (bytecode/soac/parting.h).
//
// TRIED (2026-11-22): recording PERMUTEs by computed places, each thread going over all chunks and writing a
// range of places, copying blocks of places in order. 10 million doubles, two threads: 205 ms a step against
// 125 by places 7919 apart, 50 against 17 in order; one thread 142 and 30 against 105 and 18. The primitive
// bounds and reads the places faster than producers are evaluated again, and sees an identity.
#include <algorithm>
#include <cstring>

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

template <typename T, typename I>
bool scatter_block(T* out, std::int64_t length, const T* values, const I* index, const std::uint8_t* flags,
                   std::int64_t n) {
  bool outside = false;
  for (std::int64_t i = 0; i < n; ++i) {
    if (flags != nullptr && flags[i] == 0) continue;
    const auto k = static_cast<std::int64_t>(index[i]);
    if (k < 0 || k >= length) {
      outside = true;
    } else {
      out[k] = values[i];
    }
  }
  return !outside;
}

// The same for a part, as a list.
template <typename T, typename I>
bool list_block(std::vector<plan::Write>& writes, std::int64_t length, const T* values, const I* index,
                const std::uint8_t* flags, std::int64_t n) {
  bool outside = false;
  for (std::int64_t i = 0; i < n; ++i) {
    if (flags != nullptr && flags[i] == 0) continue;
    const auto k = static_cast<std::int64_t>(index[i]);
    if (k < 0 || k >= length)
      outside = true;
    else
      writes.push_back({k, values[i]});
  }
  return !outside;
}

class Scatter final : public SinkCode {
 public:
  explicit Scatter(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] bool bind(KernelRun& run) const override { return start_scatter(run, s_); }
  void block(Work& w) const override {
    switch (storage_bytes(s_.out_storage)) {
      case 8: return scatter_as<std::uint64_t>(w);
      case 4: return scatter_as<std::uint32_t>(w);
      default: return scatter_as<std::uint8_t>(w);
    }
  }
  void finish(KernelRun& run) const override {
    Bound& b = run.context().var(s_.sink->out);
    if (b.length == 1 && b.data != nullptr) b.cell = load_cell(b.data, b.storage, 0);
  }

 private:
  template <typename T>
  void scatter_as(const Work& w) const {
    const bool inside =
        s_.cell == Storage::kI64 ? scatter_with<T, std::int64_t>(w) : scatter_with<T, std::int32_t>(w);
    if (!inside) w.kernel->trap();
  }
  template <typename T, typename I>
  [[nodiscard]] bool scatter_with(const Work& w) const {
    const Bound& out = w.kernel->context().var(s_.sink->out);
    const std::uint8_t* flags = s_.flag == soac::kNone ? nullptr : w.scratch<std::uint8_t>(s_.flag);
    if (std::vector<plan::Write>* writes = w.kernel->part().writes(s_.number))
      return list_block(*writes, out.length, w.scratch<T>(s_.value), w.scratch<I>(s_.index), flags, w.n);
    return scatter_block(static_cast<T*>(out.data), out.length, w.scratch<T>(s_.value),
                         w.scratch<I>(s_.index), flags, w.n);
  }
  SinkSpec s_;  // cell: storage of the index
};

}  // namespace

bool start_scatter(KernelRun& run, const SinkSpec& spec) {
  RunContext& context = run.context();
  if (run.part().shared() == nullptr) return start_scatter(context, *spec.sink);
  const plan::Var& var = context.plan->vars[static_cast<std::size_t>(spec.sink->out)];
  const std::int64_t length = context.length(var.length);
  if (run.part().writes(spec.number) == nullptr) return context.allocate(spec.sink->out, length);
  context.var(spec.sink->out) = {nullptr, length, var.storage, 0, false};
  return true;
}

bool start_scatter(RunContext& context, const plan::Sink& sink) {
  const plan::Var& var = context.plan->vars[static_cast<std::size_t>(sink.out)];
  if (!context.allocate(sink.out, context.length(var.length))) return false;
  Bound& out = context.var(sink.out);
  const auto bytes = static_cast<std::size_t>(out.length) * storage_bytes(out.storage);
  if (sink.init == soac::kNone) {
    if (bytes > 0) std::memset(out.data, 0, bytes);
    out.cell = 0;
    return true;
  }
  const Bound& init = context.var(sink.init);
  if (init.storage == out.storage && out.length != 1) {
    if (bytes > 0) std::memcpy(out.data, init.data, bytes);
    return true;
  }
  out.cell = init.cell;
  for (std::int64_t i = 0; i < out.length && out.length != 1; ++i)
    store_cell_as(out.data, out.storage, i, load_cell(init.data, init.storage, i));
  return true;
}

std::unique_ptr<SinkCode> make_scatter(const SinkSpec& s) { return std::make_unique<Scatter>(s); }

}  // namespace nvm::vm::cpu
