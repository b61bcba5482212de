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
    if (!chunk.tail_open) return;
    s_.fold->reduce_finish(st.reduce.fold);
    (chunk.through ? chunk.head : chunk.tail) = st.reduce.fold.blocks;
  }
  void finish(KernelRun& run) const override {
    Bound& out = run.context().var(s_.sink->out);
    Totals open;
    s_.fold->start_totals(open);
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
      s_.fold->combine_blocks(open, chunk.tail);
    }
    if (out.length == 1) out.cell = load_cell(out.data, out.storage, 0);
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
    BlockCells head, tail;
  };
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
  void first_begin(Work& w) const override {
    Carries none;
    s_.fold->start_carries(none, 1);
    start(w, none);
  }
  void first_block(Work& w) const override {
    s_.fold->seg_scan_total(state(w).scan, state(w).cursor, block_values(w, s_), w.begin, w.n);
  }
  void first_end(Work& w) const override {
    Chunk& chunk = w.kernel->chunk_state<Chunk>(w.chunk, *this);
    chunk.through = state(w).through_from == state(w).cursor.segment && !state(w).cursor.fresh;
    chunk.totals = state(w).scan.blocks;
    chunk.begun = state(w).scan.carries;
  }
  [[nodiscard]] bool between(KernelRun& run) const override {
    for (std::size_t c = 0; c + 1 < run.chunks(); ++c) hand_on(run, c);
    return true;
  }
  void chain(Work& w) const override {
    if (w.chunk + 1 < w.kernel->chunks()) hand_on(*w.kernel, w.chunk);
  }
  void begin(Work& w) const override { start(w, w.kernel->chunk_state<Chunk>(w.chunk, *this).carries); }
  void scan_block(Work& w) const override {
    s_.fold->seg_scan(state(w).scan, state(w).cursor, block_values(w, s_), w.scratch<std::byte>(s_.result),
                      w.begin, w.n);
    state(w).scan.blocks.count = 0;  // the carries have them
  }
  void end(Work& w) const override {
    if (w.kernel->in_order() && w.chunk + 1 < w.kernel->chunks())
      w.kernel->chunk_state<Chunk>(w.chunk + 1, *this).carries = state(w).scan.carries;
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
  void hand_on(KernelRun& run, std::size_t c) const {
    const Chunk& chunk = run.chunk_state<Chunk>(c, *this);
    Carries& next = run.chunk_state<Chunk>(c + 1, *this).carries;
    next = chunk.through ? chunk.carries : chunk.begun;
    if (chunk.through) s_.fold->carry_blocks(next, chunk.totals);
  }
  [[nodiscard]] State& state(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
  SinkSpec s_;
};

}  // namespace

std::unique_ptr<SinkCode> make_seg_reduce(const SinkSpec& s) { return std::make_unique<SegReduce>(s); }
std::unique_ptr<SinkCode> make_seg_scan(const SinkSpec& s) { return std::make_unique<SegScan>(s); }

}  // namespace nvm::vm::cpu
