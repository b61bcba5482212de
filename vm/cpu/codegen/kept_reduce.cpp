// Reductions of the FLOATs that a filter keeps. Element k of those kept has place k in the fold's tree
// (vm/simd/reduce_tree.h), so a chunk packs what it keeps aside, in the cache, and folds that. One thread
// folds block by block and hands the unfinished block of the tree on to the next chunk. Several threads pack
// a chunk; when the chunks before have handed on, as much is folded as completes their unfinished block, and
// what begins the next; the blocks between are folded while the next chunk goes on. n elements are read, none
// written.
#include <algorithm>
#include <cstring>
#include <utility>

#include "vm/cpu/codegen/aside.h"

namespace nvm::vm::cpu {

namespace {

class KeptReduce final : public Aside {
 public:
  explicit KeptReduce(const SinkSpec& s) : Aside(s, s.cell, sizeof(State)) {}
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(Chunk); }
  [[nodiscard]] std::size_t carry_bytes() const override { return sizeof(Running); }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    Running& all = run.carry_state<Running>(*this);
    all = {};
    s_.fold->start_totals(all.totals);
    ReduceState fold;
    s_.fold->reduce_start(fold, false);
    std::copy_n(fold.lanes, kReduceLanes, all.lanes);
    all.running = fold.running;
    all.waits = run.part().begins_inside();
    return true;
  }
  void begin(Work& w) const override {
    state(w).place = aside(w);
    if (w.kernel->alone()) take_up(w);
  }
  void block(Work& w) const override {
    pack(w);
    if (!w.kernel->alone()) return;
    Running& all = running(w);
    note(all, aside(w), packed(w));
    fold(w, 0, packed(w));
    s_.fold->combine_blocks(all.totals, state(w).fold.blocks);
    state(w).fold.blocks.count = 0;
    state(w).place = aside(w);
  }
  void chain(Work& w) const override {
    if (w.kernel->alone()) return;
    State& st = state(w);
    take_up(w);
    const std::int64_t n = packed(w);
    const std::int64_t open = st.fold.in_block;
    st.whole_begin = open == 0 ? 0 : std::min(n, kReduceBlock - open);
    st.whole_end = st.whole_begin + (n - st.whole_begin) / kReduceBlock * kReduceBlock;
    note(running(w), aside(w), n);
    fold(w, 0, st.whole_begin);
    fold(w, st.whole_end, n);
    chunk(w).blocks = st.fold.blocks;
    hand_on(w);
  }
  void end(Work& w) const override {
    if (w.kernel->alone()) return hand_on(w);
    State& st = state(w);
    s_.fold->reduce_start(st.fold, false);
    fold(w, st.whole_begin, st.whole_end);
    BlockCells& blocks = chunk(w).blocks;
    std::copy_n(st.fold.blocks.cells, st.fold.blocks.count, blocks.cells + blocks.count);
    blocks.count += st.fold.blocks.count;
  }
  void finish(KernelRun& run) const override {
    Running& all = run.carry_state<Running>(*this);
    if (!run.alone())
      for (std::size_t c = 0; c < run.chunks(); ++c)
        s_.fold->combine_blocks(all.totals, run.chunk_state<Chunk>(c, *this).blocks);
    if (run.part().ends_inside()) return run.part().after(s_.number, record_of(all, run.part().space()));
    Cell total = all.running;
    if (all.kept > kSequentialMax) {
      ReduceState last;
      s_.fold->reduce_start(last, false);
      std::copy_n(all.lanes, kReduceLanes, last.lanes);
      last.in_block = all.kept % kReduceBlock;
      s_.fold->reduce_finish(last);
      s_.fold->combine_blocks(all.totals, last.blocks);
      total = s_.fold->combined(all.totals);
    }
    Bound& out = run.context().var(s_.sink->out);
    out.storage = s_.out_storage;
    out.length = 1;
    out.cell = load_cell(&total, s_.cell, 0);
    out.data = &out.cell;
  }

 private:
  struct State : Aside::State {
    ReduceState fold;
    std::int64_t whole_begin, whole_end;  // of what lies aside, whole blocks of the tree
  };
  struct Chunk {
    BlockCells blocks;  // that end in the chunk
  };
  // What is known of all elements kept so far.
  struct Running {
    Totals totals;  // of whole blocks, where one thread combines them
    std::int64_t kept = 0;
    Cell lanes[kReduceLanes] = {};  // of the unfinished block
    Cell running = 0;               // few are combined from left to right
    bool waits = false;             // for what the parts before hand on
  };
  // The number kept, what few come to, and the tree's state; as many as the space has might be kept.
  template <typename Word>
  static void each_word(Running& all, std::int64_t space, Word word) {
    Cell kept = static_cast<Cell>(all.kept);
    word(kept);
    all.kept = static_cast<std::int64_t>(kept);
    if (all.kept <= kSequentialMax) word(all.running);
    const TreePlace at{all.kept, std::max(space, kSequentialMax + 1)};
    if (all.kept > 0) reduction_words(at, all.running, all.lanes, all.totals, word);
  }
  [[nodiscard]] static plan::RecordWords record_of(Running& all, std::int64_t space) {
    RecordWriter out;
    each_word(all, space, [&](Cell w) { out(w); });
    return std::move(out.words);
  }
  [[nodiscard]] State& state(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
  [[nodiscard]] Chunk& chunk(const Work& w) const { return w.kernel->chunk_state<Chunk>(w.chunk, *this); }
  [[nodiscard]] Running& running(const Work& w) const { return w.kernel->carry_state<Running>(*this); }
  // Elements [from, to) of what lies aside.
  void fold(Work& w, std::int64_t from, std::int64_t to) const {
    s_.fold->reduce(state(w).fold, aside(w) + from * static_cast<std::int64_t>(sizeof(Cell)), to - from);
  }
  void note(Running& all, const std::byte* x, std::int64_t n) const {
    const std::int64_t more = std::min(n, std::max<std::int64_t>(kSequentialMax - all.kept, 0));
    for (std::int64_t i = 0; i < more; ++i) {
      Cell next = 0;
      std::memcpy(&next, x + i * static_cast<std::int64_t>(sizeof next), sizeof next);
      all.running = s_.fold->combine(all.running, next);
    }
    all.kept += n;
  }
  void take_up(Work& w) const {
    Running& all = running(w);
    if (std::exchange(all.waits, false)) {
      RecordReader in(w.kernel->part().before(s_.number));
      each_word(all, w.kernel->part().space(), [&](Cell& word) { in(word); });
    }
    ReduceState& fold = state(w).fold;
    s_.fold->reduce_start(fold, false);
    std::copy_n(all.lanes, kReduceLanes, fold.lanes);
    fold.in_block = all.kept % kReduceBlock;
  }
  void hand_on(Work& w) const { std::copy_n(state(w).fold.lanes, kReduceLanes, running(w).lanes); }
};

}  // namespace

std::unique_ptr<SinkCode> make_kept_reduce(const SinkSpec& s) { return std::make_unique<KeptReduce>(s); }

}  // namespace nvm::vm::cpu
