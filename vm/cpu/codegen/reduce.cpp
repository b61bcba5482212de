// Reductions over the whole space.
#include <algorithm>

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

class Reduce final : public SinkCode {
 public:
  explicit Reduce(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(ReduceState); }
  [[nodiscard]] std::size_t chunk_bytes() const override {
    return std::max(sizeof(BlockCells), sizeof(Totals));
  }
  void begin(Work& w) const override { s_.fold->reduce_start(state(w), w.kernel->space() <= kSequentialMax); }
  void block(Work& w) const override {
    if (s_.in_lanes) return s_.fold->reduce_advance(state(w), w.n);
    s_.fold->reduce(state(w), block_values(w, s_), w.n);
  }
  void end(Work& w) const override {
    s_.fold->reduce_finish(state(w));
    w.kernel->chunk_state<BlockCells>(w.chunk, *this) = state(w).blocks;
    if (state(w).overflown) w.kernel->carry_state<Totals>(*this) = state(w).before;  // there is one chunk
  }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    s_.fold->start_totals(run.carry_state<Totals>(*this));
    return true;
  }
  void settle(KernelRun& run) const override {
    for (std::size_t c = 0; c < run.chunks(); ++c)
      s_.fold->combine_blocks(run.carry_state<Totals>(*this), run.chunk_state<BlockCells>(c, *this));
  }
  void finish(KernelRun& run) const override {
    const Cell total = run.space() <= kSequentialMax ? run.chunk_state<BlockCells>(0, *this).cells[0]
                                                     : s_.fold->combined(run.carry_state<Totals>(*this));
    set_single(run.context(), s_.sink->out, s_.out_storage, load_cell(&total, s_.cell, 0));
  }

 private:
  [[nodiscard]] ReduceState& state(const Work& w) const {
    return w.kernel->worker_state<ReduceState>(w, *this);
  }
  SinkSpec s_;
};

}  // namespace

void set_single(RunContext& context, std::int32_t v, Storage storage, Cell cell) {
  Bound& b = context.var(v);
  b.storage = storage;
  b.length = 1;
  b.cell = cell;
  b.data = &b.cell;
}

std::unique_ptr<SinkCode> make_reduce(const SinkSpec& s) { return std::make_unique<Reduce>(s); }

}  // namespace nvm::vm::cpu
