// Segmented reductions and scans. Chunks follow the segments, so that a chunk boundary inside a segment lies
// a multiple of the fold's block from its start; what such a boundary cuts is joined afterwards, in order.
#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

class SegReduce final : public SinkCode {
 public:
  explicit SegReduce(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(State); }
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(Chunk); }
  [[nodiscard]] std::size_t carry_bytes() const override { return sizeof(Carry); }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    return run.context().allocate(s_.sink->out, run.context().desc(s_.sink->desc).segments);
  }
  void begin(Work& w) const override {
    State& st = state(w);
    st.cursor = seek(w.kernel->context().desc(s_.sink->desc), w.chunk_begin);
    st.reduce.head_open = !st.cursor.fresh;
    st.reduce.head_segment = st.cursor.segment;
    st.reduce.head_closed = false;
    s_.fold->reduce_start(st.reduce.fold, st.reduce.head_open && short_segment(w, st.cursor.segment));
    if (st.reduce.head_open && w.kernel->part().begins_inside_at(w.chunk_begin)) go_on(w);
  }
  void block(Work& w) const override {
    const Bound& out = w.kernel->context().var(s_.sink->out);
    s_.fold->seg_reduce(state(w).reduce, state(w).cursor, block_values(w, s_), w.begin, w.n, out.data,
                        out.storage);
  }
  void end(Work& w) const override {
    State& st = state(w);
    Chunk& chunk = w.kernel->chunk_state<Chunk>(w.chunk, *this);
    chunk.segment = st.cursor.segment;
    chunk.tail_open = !st.cursor.fresh;
    chunk.head_open = st.reduce.head_open;
    chunk.head_segment = st.reduce.head_segment;
    chunk.through = chunk.head_open && !st.reduce.head_closed;
    if (chunk.head_open && !chunk.through) chunk.head = st.reduce.head;
    chunk.goes_on = chunk.tail_open && st.reduce.fold.overflown;
    if (!chunk.tail_open) return;
    Carry& carry = w.kernel->carry_state<Carry>(*this);
    if (chunk.goes_on) carry.totals = st.reduce.fold.before;  // of the first chunk alone
    if (s_.fold->tree && w.kernel->part().ends_inside_at(w.chunk_end))
      carry.open.set(st.reduce.fold);
    else
      s_.fold->reduce_finish(st.reduce.fold);
    (chunk.through ? chunk.head : chunk.tail) = st.reduce.fold.blocks;
  }
  void finish(KernelRun& run) const override {
    Bound& out = run.context().var(s_.sink->out);
    Carry& carry = run.carry_state<Carry>(*this);
    Totals open;
    s_.fold->start_totals(open);
    if (run.chunk_state<Chunk>(0, *this).head_open) read_totals(run, open);
    for (std::size_t c = 0; c < run.chunks(); ++c) {
      const Chunk& chunk = run.chunk_state<Chunk>(c, *this);
      if (chunk.head_open) {
        s_.fold->combine_blocks(open, chunk.head);
        if (chunk.through) continue;
        const Cell total = s_.fold->combined(open);
        store_cell_as(out.data, out.storage, chunk.head_segment, load_cell(&total, s_.cell, 0));
      }
      if (!chunk.tail_open) continue;
      s_.fold->start_totals(open);
      if (chunk.goes_on) open = carry.totals;
      s_.fold->combine_blocks(open, chunk.tail);
    }
    if (out.length == 1) out.cell = load_cell(out.data, out.storage, 0);
    const TreePlace end = run.part().last_place(run.context().desc(s_.sink->desc));
    if (run.part().ends_inside()) run.part().after(s_.number, record_of(*s_.fold, end, carry.open, open));
  }

 private:
  struct State {
    SegReduceState reduce;
    SegmentCursor cursor;
  };
  struct Chunk {
    std::int64_t segment, head_segment;
    bool head_open, tail_open;
    bool through;  // one segment fills the chunk and goes on
    bool goes_on;  // the one that does has more blocks than the tail
    BlockCells head, tail;
  };
  // Of the segment that the part's begin cuts, or in one chunk of many blocks its end: blocks before; of the
  // one that its end cuts: the block that goes on.
  struct Carry {
    Totals totals;
    OpenBlock open;
  };
  // If the tree is cut inside of a block, or there is one chunk, whose blocks may be many, the fold goes on
  // here; else it is joined when all is known.
  void go_on(Work& w) const {
    KernelRun& run = *w.kernel;
    SegReduceState& st = state(w).reduce;
    const TreePlace place = run.part().first_place(run.context().desc(s_.sink->desc));
    if (!(s_.fold->tree && place.open()) && run.chunks() > 1) return;
    st.head_open = false;
    Totals& totals = st.fold.before;
    s_.fold->start_totals(totals);
    read_record(*s_.fold, place, run.part().before(s_.number), st.fold, totals);
    st.fold.overflown = s_.fold->tree;
    if (s_.fold->tree) return;
    s_.fold->reduce_start(st.fold, true);
    st.fold.running = s_.fold->combined(totals);
  }
  void read_totals(KernelRun& run, Totals& totals) const {
    ReduceState none;
    const TreePlace place = run.part().first_place(run.context().desc(s_.sink->desc));
    read_record(*s_.fold, place, run.part().before(s_.number), none, totals);
  }
  [[nodiscard]] bool short_segment(const Work& w, std::int64_t s) const {
    const plan::Desc& d = w.kernel->context().desc(s_.sink->desc);
    return segment_offset(d, s + 1) - segment_offset(d, s) <= kSequentialMax;
  }
  [[nodiscard]] State& state(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
  SinkSpec s_;
};

class SegScan final : public SinkCode {
 public:
  explicit SegScan(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(State); }
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(Chunk); }
  [[nodiscard]] std::size_t carry_bytes() const override { return sizeof(OpenGroup); }
  void first_begin(Work& w) const override {
    Carries none;
    s_.fold->start_carries(none, 1);
    start(w, none);
    if (s_.fold->tree && w.kernel->part().begins_inside_at(w.chunk_begin) && first_place(*w.kernel).open())
      go_on(w);
  }
  void first_block(Work& w) const override {
    s_.fold->seg_scan_total(state(w).scan, state(w).cursor, block_values(w, s_), w.begin, w.n);
  }
  void first_end(Work& w) const override {
    Chunk& chunk = w.kernel->chunk_state<Chunk>(w.chunk, *this);
    chunk.through = state(w).through_from == state(w).cursor.segment && !state(w).cursor.fresh;
    if (w.kernel->part().ends_inside_at(w.chunk_end)) {
      if (!s_.fold->tree) s_.fold->scan_finish(state(w).scan);
      w.kernel->carry_state<OpenGroup>(*this).set(state(w).scan);
    }
    chunk.totals = state(w).scan.blocks;
    chunk.begun = state(w).scan.carries;
  }
  [[nodiscard]] bool between(KernelRun& run) const override {
    if (first_place(run).before > 0) {
      ScanState first;
      read_record(*s_.fold, first_place(run), run.part().before(s_.number), first);
      run.chunk_state<Chunk>(0, *this).carries = first.carries;
    }
    for (std::size_t c = 0; c + 1 < run.chunks(); ++c) hand_on(run, c);
    if (!run.part().ends_inside()) return true;
    const Chunk& last = run.chunk_state<Chunk>(run.chunks() - 1, *this);
    OpenGroup& open = run.carry_state<OpenGroup>(*this);
    Carries behind = carries_behind(last);
    if (s_.fold->tree && last_place(run).few()) behind = open.carries;
    run.part().after(s_.number, record_of(*s_.fold, last_place(run), behind, open));
    return true;
  }
  void chain(Work& w) const override {
    if (w.chunk + 1 < w.kernel->chunks()) hand_on(*w.kernel, w.chunk);
  }
  void begin(Work& w) const override {
    start(w, w.kernel->chunk_state<Chunk>(w.chunk, *this).carries);
    if (w.kernel->part().begins_inside_at(w.chunk_begin) && first_place(*w.kernel).before > 0) go_on(w);
  }
  void scan_block(Work& w) const override {
    s_.fold->seg_scan(state(w).scan, state(w).cursor, block_values(w, s_), w.scratch<std::byte>(s_.result),
                      w.begin, w.n);
    state(w).scan.blocks.count = 0;  // the carries have them
  }
  void end(Work& w) const override {
    if (!w.kernel->in_order()) return;
    if (w.chunk + 1 < w.kernel->chunks())
      w.kernel->chunk_state<Chunk>(w.chunk + 1, *this).carries = state(w).scan.carries;
    else if (w.kernel->part().ends_inside())
      hand_on_part(w);
  }

 private:
  struct State {
    ScanState scan;
    SegmentCursor cursor;
    std::int64_t through_from;  // the segment cut by the chunk's begin, -1: none
  };
  struct Chunk {
    Carries carries;  // before the first element, if its segment began earlier
    bool through;
    BlockCells totals;  // of the segment that the chunk's end cuts
    Carries begun;      // behind them, if that segment begins in the chunk
  };
  // A segment cut by the chunk's begin is long, or chunks run in order and the carry is all that counts.
  void start(Work& w, const Carries& carries) const {
    State& st = state(w);
    st.cursor = seek(w.kernel->context().desc(s_.sink->desc), w.chunk_begin);
    st.through_from = st.cursor.fresh ? -1 : st.cursor.segment;
    s_.fold->scan_start(st.scan, carries, false);
  }
  [[nodiscard]] TreePlace first_place(KernelRun& run) const {
    return run.part().first_place(run.context().desc(s_.sink->desc));
  }
  [[nodiscard]] TreePlace last_place(KernelRun& run) const {
    return run.part().last_place(run.context().desc(s_.sink->desc));
  }
  void go_on(Work& w) const {
    read_record(*s_.fold, first_place(*w.kernel), w.kernel->part().before(s_.number), state(w).scan);
  }
  void hand_on_part(Work& w) const {
    ScanState& scan = state(w).scan;
    if (!s_.fold->tree) s_.fold->scan_finish(scan);
    OpenGroup open;
    open.set(scan);
    w.kernel->part().after(s_.number, record_of(*s_.fold, last_place(*w.kernel), open.carries, open));
  }
  [[nodiscard]] Carries carries_behind(const Chunk& chunk) const {
    Carries behind = chunk.through ? chunk.carries : chunk.begun;
    if (chunk.through) s_.fold->carry_blocks(behind, chunk.totals);
    return behind;
  }
  void hand_on(KernelRun& run, std::size_t c) const {
    run.chunk_state<Chunk>(c + 1, *this).carries = carries_behind(run.chunk_state<Chunk>(c, *this));
  }
  [[nodiscard]] State& state(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
  SinkSpec s_;
};

}  // namespace

std::unique_ptr<SinkCode> make_seg_reduce(const SinkSpec& s) { return std::make_unique<SegReduce>(s); }
std::unique_ptr<SinkCode> make_seg_scan(const SinkSpec& s) { return std::make_unique<SegScan>(s); }

}  // namespace nvm::vm::cpu
