// Exclusive scans over the whole space. Several chunks and threads: a first sweep over a chunk finds the
// total of every block of 2048, which are carried on to the next chunk in order (look-back); the
// same carries come about when chunks run one after the other. A part finds its totals before it asks what is
// before it, unless that ends inside of a block of the tree.
#include <algorithm>

#include "vm/cpu/codegen/kernel.h"
#include "vm/cpu/codegen/stripes.h"

namespace nvm::vm::cpu {

namespace {

class Scan final : public SinkCode {
 public:
  explicit Scan(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(State); }
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(Chunk); }
  [[nodiscard]] std::size_t carry_bytes() const override { return sizeof(OpenGroup); }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    s_.fold->start_carries(run.chunk_state<Chunk>(0, *this).carries, blocks_of(run.part().space()));
    return true;
  }
  void first_begin(Work& w) const override {
    Carries none;
    s_.fold->start_carries(none, 1);
    s_.fold->scan_start(state(w), none, sequential(w));
    if (s_.fold->tree && w.kernel->part().begins_inside_at(w.chunk_begin) &&
        w.kernel->part().first_place().open())
      go_on(w);
  }
  void first_block(Work& w) const override {
    if (!s_.runs) s_.fold->scan_total(state(w), block_values(w, s_), w.n);
  }
  void first_end(Work& w) const override {
    if (s_.fold->tree && w.kernel->part().ends_inside_at(w.chunk_end))
      w.kernel->carry_state<OpenGroup>(*this).set(state(w));
    else
      s_.fold->scan_finish(state(w));
    Chunk& chunk = w.kernel->chunk_state<Chunk>(w.chunk, *this);
    chunk.totals = state(w).blocks;
    if (!s_.runs) return;
    chunk.totals.count = 1;
    chunk.totals.cells[0] = carry(w);
  }
  [[nodiscard]] std::uint64_t* advanced(Work& w) const override { return &carry(w); }
  [[nodiscard]] Cell* stripes(Work& w) const override { return all(w).stripes; }
  void stripes_begin(Work& w, bool total) const override {
    State& st = all(w);
    Cell before = carry(w);
    for (int l = 0; l < lanes(w); ++l) {
      st.stripes[l] = total ? identity(*w.kernel) : before;
      if (!total) before = s_.fold->combine(before, st.totals[l]);
    }
  }
  void stripes_end(Work& w, bool total) const override {
    State& st = all(w);
    if (!total) {
      carry(w) = st.stripes[lanes(w) - 1];
      return;
    }
    std::copy_n(st.stripes, lanes(w), st.totals);
    for (int l = 0; l < lanes(w); ++l) carry(w) = s_.fold->combine(carry(w), st.totals[l]);
  }
  [[nodiscard]] bool between(KernelRun& run) const override {
    if (run.part().begins_inside()) {
      ScanState first;
      read_record(*s_.fold, run.part().first_place(), run.part().before(s_.number), first);
      run.chunk_state<Chunk>(0, *this).carries = first.carries;
    }
    for (std::size_t c = 0; c + 1 < run.chunks(); ++c) hand_on(run, c);
    if (!run.part().ends_inside()) return true;
    const Chunk& last = run.chunk_state<Chunk>(run.chunks() - 1, *this);
    OpenGroup& open = run.carry_state<OpenGroup>(*this);
    Carries behind = last.carries;
    s_.fold->carry_blocks(behind, last.totals);
    if (s_.fold->tree && run.part().last_place().few()) behind = open.carries;
    run.part().after(s_.number, record_of(*s_.fold, run.part().last_place(), behind, open));
    return true;
  }
  void chain(Work& w) const override {
    if (w.chunk + 1 < w.kernel->chunks()) hand_on(*w.kernel, w.chunk);
  }
  void begin(Work& w) const override {
    if (w.kernel->part().begins_inside_at(w.chunk_begin)) return go_on(w);
    s_.fold->scan_start(state(w), w.kernel->chunk_state<Chunk>(w.chunk, *this).carries, sequential(w));
  }
  void scan_block(Work& w) const override {
    if (s_.runs) return;
    s_.fold->scan(state(w), block_values(w, s_), w.scratch<std::byte>(s_.result), w.n);
    state(w).blocks.count = 0;  // the carries have them
  }
  void end(Work& w) const override {
    if (!w.kernel->in_order()) return;
    if (w.chunk + 1 == w.kernel->chunks()) return hand_on_part(w);
    s_.fold->scan_finish(state(w));
    w.kernel->chunk_state<Chunk>(w.chunk + 1, *this).carries = state(w).carries;
  }

 private:
  void go_on(Work& w) const {
    read_record(*s_.fold, w.kernel->part().first_place(), w.kernel->part().before(s_.number), state(w));
  }
  void hand_on_part(Work& w) const {
    const PartRun& part = w.kernel->part();
    if (!part.ends_inside()) return;
    if (!s_.fold->tree) s_.fold->scan_finish(state(w));
    OpenGroup open;
    open.set(state(w));
    part.after(s_.number, record_of(*s_.fold, part.last_place(), open.carries, open));
  }
  void hand_on(KernelRun& run, std::size_t c) const {
    const Chunk& chunk = run.chunk_state<Chunk>(c, *this);
    Carries& next = run.chunk_state<Chunk>(c + 1, *this).carries;
    next = chunk.carries;
    s_.fold->carry_blocks(next, chunk.totals);
  }
  struct Chunk {
    Carries carries;  // before the chunk
    BlockCells totals;
  };
  [[nodiscard]] Cell identity(const KernelRun& run) const {
    return identity_cell(s_.sink->combine, s_.cell, const_cast<KernelRun&>(run).context().plan->int_bits);
  }
  struct State {
    ScanState scan;
    Cell stripes[kMostStripes];  // of a striped loop, by lane
    Cell totals[kMostStripes];   // of the lanes' parts of the chunk
  };
  [[nodiscard]] static int lanes(const Work& w) { return w.kernel->lanes(); }
  // Elements that are combined one by one leave no totals of blocks.
  [[nodiscard]] bool sequential(const Work& w) const {
    return w.kernel->part().space() <= kSequentialMax && (s_.fold->tree || w.kernel->part().whole());
  }
  [[nodiscard]] State& all(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
  [[nodiscard]] ScanState& state(const Work& w) const { return all(w).scan; }
  [[nodiscard]] Cell& carry(const Work& w) const { return state(w).carries.carries[0]; }
  SinkSpec s_;
};

}  // namespace

std::unique_ptr<SinkCode> make_scan(const SinkSpec& s) { return std::make_unique<Scan>(s); }

}  // namespace nvm::vm::cpu
