// Filters: counting what is kept, and packing it. With several chunks the first sweep counts, so that every
// chunk knows its place and the result gets exactly the memory it needs.
#include <cstring>

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

class Count final : public SinkCode {
 public:
  explicit Count(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(CountState); }
  void first_begin(Work& w) const override { chunk(w).count = 0; }
  void first_block(Work& w) const override { add(w); }
  [[nodiscard]] bool between(KernelRun& run) const override {
    bind_length(run);
    return true;
  }
  void begin(Work& w) const override {
    if (w.kernel->in_order()) chunk(w) = {};
  }
  void block(Work& w) const override {
    if (w.kernel->in_order()) add(w);
  }
  void finish(KernelRun& run) const override {
    if (run.in_order()) bind_length(run);
  }

 private:
  [[nodiscard]] CountState& chunk(const Work& w) const {
    return w.kernel->chunk_state<CountState>(w.chunk, *this);
  }
  void add(const Work& w) const {
    chunk(w).count += w.kernel->routines().count_flags(w.scratch<std::uint8_t>(s_.flag), w.n);
  }
  void bind_length(KernelRun& run) const {
    std::int64_t total = 0;
    for (std::size_t c = 0; c < run.chunks(); ++c) {
      CountState& st = run.chunk_state<CountState>(c, *this);
      st.offset = total;
      total += st.count;
    }
    run.context().length(s_.sink->out_length) = total;
  }
  SinkSpec s_;
};

class FilteredStore final : public SinkCode {
 public:
  explicit FilteredStore(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(std::int64_t); }
  // One chunk: room for all elements, since there is no first sweep to count them.
  [[nodiscard]] bool bind(KernelRun& run) const override {
    return !run.in_order() || run.context().allocate(s_.sink->out, run.space());
  }
  [[nodiscard]] bool between(KernelRun& run) const override {
    const plan::Var& var = run.context().plan->vars[static_cast<std::size_t>(s_.sink->out)];
    return run.context().allocate(s_.sink->out, run.context().length(var.length));
  }
  void begin(Work& w) const override {
    at(w) = w.kernel->in_order() ? 0 : w.kernel->chunk_state<CountState>(w.chunk, *s_.count).offset;
  }
  void block(Work& w) const override {
    const std::size_t bytes = storage_bytes(s_.out_storage);
    auto* packed = w.scratch<std::byte>(s_.temp);
    const std::int64_t m =
        w.kernel->routines().compress(w.scratch<std::byte>(s_.value), w.scratch<std::uint8_t>(s_.flag), w.n,
                                      static_cast<int>(bytes), packed);
    auto* out = static_cast<std::byte*>(w.kernel->context().var(s_.sink->out).data);
    std::memcpy(out + static_cast<std::size_t>(at(w)) * bytes, packed, static_cast<std::size_t>(m) * bytes);
    at(w) += m;
  }
  void finish(KernelRun& run) const override {
    Bound& b = run.context().var(s_.sink->out);
    const plan::Var& var = run.context().plan->vars[static_cast<std::size_t>(s_.sink->out)];
    b.length = run.context().length(var.length);
    if (b.length != 1) return;
    b.cell = load_cell(b.data, b.storage, 0);
    b.data = &b.cell;
  }

 private:
  [[nodiscard]] std::int64_t& at(const Work& w) const {
    return w.kernel->worker_state<std::int64_t>(w, *this);
  }
  SinkSpec s_;
};

}  // namespace

std::unique_ptr<SinkCode> make_count(const SinkSpec& s) { return std::make_unique<Count>(s); }
std::unique_ptr<SinkCode> make_filtered_store(const SinkSpec& s) {
  return std::make_unique<FilteredStore>(s);
}

}  // namespace nvm::vm::cpu
