// Reductions over the whole space. A part goes on with the state of the tree that the parts before hand on:
// with the lanes of a block that is cut where it begins, with the totals of blocks before when its own are
// known.
#include <algorithm>
#include <utility>

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

class Reduce final : public SinkCode {
 public:
  explicit Reduce(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(ReduceState); }
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(BlockCells); }
  [[nodiscard]] std::size_t carry_bytes() const override { return sizeof(Carry); }
  void begin(Work& w) const override {
    s_.fold->reduce_start(state(w), w.kernel->part().space() <= kSequentialMax);
    if (w.kernel->part().begins_inside_at(w.chunk_begin)) go_on(*w.kernel, state(w));
  }
  void block(Work& w) const override {
    if (s_.in_lanes) return s_.fold->reduce_advance(state(w), w.n);
    s_.fold->reduce(state(w), block_values(w, s_), w.n);
  }
  void end(Work& w) const override {
    Carry& carry = w.kernel->carry_state<Carry>(*this);
    if (s_.fold->tree && w.kernel->part().ends_inside_at(w.chunk_end))
      carry.open.set(state(w));
    else
      s_.fold->reduce_finish(state(w));
    w.kernel->chunk_state<BlockCells>(w.chunk, *this) = state(w).blocks;
    if (state(w).overflown) carry.totals = state(w).before;  // of the first chunk alone
  }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    Carry& carry = run.carry_state<Carry>(*this);
    s_.fold->start_totals(carry.totals);
    carry.waits = run.part().begins_inside();
    return true;
  }
  void settle(KernelRun& run) const override {
    Carry& carry = run.carry_state<Carry>(*this);
    if (std::exchange(carry.waits, false)) {
      ReduceState none;
      read_record(*s_.fold, run.part().first_place(), run.part().before(s_.number), none, carry.totals);
    }
    for (std::size_t c = 0; c < run.chunks(); ++c)
      s_.fold->combine_blocks(carry.totals, run.chunk_state<BlockCells>(c, *this));
  }
  void finish(KernelRun& run) const override {
    Carry& carry = run.carry_state<Carry>(*this);
    const TreePlace end = run.part().last_place();
    if (run.part().ends_inside())
      return run.part().after(s_.number, record_of(*s_.fold, end, carry.open, carry.totals));
    const Cell total = s_.fold->tree && end.few() ? run.chunk_state<BlockCells>(0, *this).cells[0]
                                                  : s_.fold->combined(carry.totals);
    set_single(run.context(), s_.sink->out, s_.out_storage, load_cell(&total, s_.cell, 0));
  }

 private:
  struct Carry {
    Totals totals;
    bool waits;  // for what the parts before hand on
    OpenBlock open;
  };
  // A part of one chunk may have many blocks, which come behind those before.
  void go_on(KernelRun& run, ReduceState& st) const {
    const TreePlace place = run.part().first_place();
    Carry& carry = run.carry_state<Carry>(*this);
    if (!(s_.fold->tree && place.open()) && run.chunks() > 1) return;
    s_.fold->start_totals(st.before);
    read_record(*s_.fold, place, run.part().before(s_.number), st, st.before);
    st.overflown = true;
    carry.waits = false;
    if (s_.in_lanes && st.in_block > 0) s_.fold->reduce_aside(st);
  }
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
