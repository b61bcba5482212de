// Reductions over the whole space.
#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

void set_single(RunContext& context, std::int32_t v, Storage storage, Cell cell) {
  Bound& b = context.var(v);
  b.storage = storage;
  b.length = 1;
  b.cell = cell;
  b.data = &b.cell;
}

class Reduce final : public SinkCode {
 public:
  explicit Reduce(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(ReduceState); }
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(BlockCells); }
  void begin(Work& w) const override { s_.fold->reduce_start(state(w), w.kernel->space() <= kSequentialMax); }
  void block(Work& w) const override {
    if (s_.in_lanes) return s_.fold->reduce_advance(state(w), w.n);
    s_.fold->reduce(state(w), block_values(w, s_), w.n);
  }
  void end(Work& w) const override {
    s_.fold->reduce_finish(state(w));
    w.kernel->chunk_state<BlockCells>(w.chunk, *this) = state(w).blocks;
  }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    run.carry_state<Cell>(*this) = identity_cell(s_.sink->combine, s_.cell, run.context().plan->int_bits);
    return true;
  }
  void settle(KernelRun& run) const override {
    Cell& total = run.carry_state<Cell>(*this);
    if (run.space() <= kSequentialMax) {
      total = run.chunk_state<BlockCells>(0, *this).cells[0];
      return;
    }
    for (std::size_t c = 0; c < run.chunks(); ++c)
      total = s_.fold->combine_blocks(total, run.chunk_state<BlockCells>(c, *this));
  }
  void finish(KernelRun& run) const override {
    const Cell total = run.carry_state<Cell>(*this);
    set_single(run.context(), s_.sink->out, s_.out_storage, load_cell(&total, s_.cell, 0));
  }

 private:
  [[nodiscard]] ReduceState& state(const Work& w) const {
    return w.kernel->worker_state<ReduceState>(w, *this);
  }
  SinkSpec s_;
};

// The kept elements are packed first, so that a chunk combines them as if they stood alone.
class FilteredReduce final : public SinkCode {
 public:
  explicit FilteredReduce(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(State); }
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(Total); }
  void begin(Work& w) const override {
    State& st = state(w);
    s_.fold->reduce_start(st.fold, false);
    st.kept = 0;
  }
  void block(Work& w) const override {
    State& st = state(w);
    const int bytes = static_cast<int>(storage_bytes(s_.cell));
    auto* packed = w.scratch<std::byte>(s_.temp);
    const std::int64_t m = w.kernel->routines().compress(
        w.scratch<std::byte>(s_.value), w.scratch<std::uint8_t>(s_.flag), w.n, bytes, packed);
    for (std::int64_t i = 0; i < m && st.kept + i < kSequentialMax; ++i)
      store_cell_as(st.first, s_.cell, st.kept + i, load_cell(packed, s_.cell, i));
    s_.fold->reduce(st.fold, packed, m);
    st.kept += m;
  }
  void end(Work& w) const override {
    State& st = state(w);
    Total& total = w.kernel->chunk_state<Total>(w.chunk, *this);
    if (w.kernel->chunks() == 1 && st.kept <= kSequentialMax) {  // few: left to right
      s_.fold->reduce_start(st.fold, true);
      s_.fold->reduce(st.fold, st.first, st.kept);
      s_.fold->reduce_finish(st.fold);
      total = {st.fold.blocks, true};
      return;
    }
    s_.fold->reduce_finish(st.fold);
    total = {st.fold.blocks, false};
  }
  void finish(KernelRun& run) const override {
    Cell result = identity_cell(s_.sink->combine, s_.cell, run.context().plan->int_bits);
    for (std::size_t c = 0; c < run.chunks(); ++c) {
      const Total& total = run.chunk_state<Total>(c, *this);
      result = total.complete ? total.blocks.cells[0] : s_.fold->combine_blocks(result, total.blocks);
    }
    set_single(run.context(), s_.sink->out, s_.out_storage, load_cell(&result, s_.cell, 0));
  }

 private:
  struct State {
    ReduceState fold;
    std::int64_t kept;
    alignas(64) Cell first[kSequentialMax];
  };
  struct Total {
    BlockCells blocks;
    bool complete = false;  // starts from the identity already
  };
  [[nodiscard]] State& state(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
  SinkSpec s_;
};

}  // namespace

std::unique_ptr<SinkCode> make_reduce(const SinkSpec& s) { return std::make_unique<Reduce>(s); }
std::unique_ptr<SinkCode> make_filtered_reduce(const SinkSpec& s) {
  return std::make_unique<FilteredReduce>(s);
}

}  // namespace nvm::vm::cpu
