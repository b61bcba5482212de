// How many elements a filter keeps of each segment; and sums by segment of flags that a filter of the kernel
// counts in any case, which are not found again.
#include <algorithm>

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

namespace {

class KeptCounts final : public SinkCode {
 public:
  explicit KeptCounts(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(SegmentCursor); }
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(Open); }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    return run.context().allocate(s_.sink->out_desc, run.context().desc(s_.sink->desc).segments);
  }
  void begin(Work& w) const override {
    SegmentCursor& cursor = w.kernel->worker_state<SegmentCursor>(w, *this);
    cursor = seek(w.kernel->context().desc(s_.sink->desc), w.chunk_begin);
    open(w) = {cursor.fresh ? soac::kNone : cursor.segment, 0};
  }
  void block(Work& w) const override {
    w.kernel->routines().count_by_segment(w.kernel->worker_state<SegmentCursor>(w, *this),
                                          w.scratch<std::uint8_t>(s_.flag), w.begin, w.n, open(w).segment,
                                          counts(*w.kernel), open(w).count);
  }
  // A segment's count is whole where it ends.
  void finish(KernelRun& run) const override {
    const plan::Desc& d = run.context().desc(s_.sink->desc);
    const SegmentCursor first = seek(d, run.part().begin());
    if (!first.fresh) {
      const plan::RecordWords& record = run.part().before(s_.number);
      counts(run)[first.segment] = record.empty() ? 0 : static_cast<std::int64_t>(record.front());
    }
    for (std::size_t c = 0; c < run.chunks(); ++c) {
      const Open& open = run.chunk_state<Open>(c, *this);
      if (open.segment != soac::kNone) counts(run)[open.segment] += open.count;
    }
    if (!run.part().ends_inside()) return;
    const SegmentCursor last = seek(d, run.part().end());
    run.part().after(s_.number, {last.fresh ? 0 : static_cast<Cell>(counts(run)[last.segment])});
  }

 private:
  // The segment that an earlier chunk starts.
  struct Open {
    std::int64_t segment, count;
  };
  [[nodiscard]] Open& open(const Work& w) const { return w.kernel->chunk_state<Open>(w.chunk, *this); }
  [[nodiscard]] std::int64_t* counts(KernelRun& run) const {
    return static_cast<std::int64_t*>(run.context().var(s_.sink->out_desc).data);
  }
  SinkSpec s_;
};

class KeptBySegment final : public SinkCode {
 public:
  KeptBySegment(const SinkSpec& s, std::int32_t counts) : s_(s), counts_(counts) {}
  [[nodiscard]] bool bind(KernelRun& run) const override {
    return run.context().allocate(s_.sink->out, run.context().desc(s_.sink->desc).segments);
  }
  void finish(KernelRun& run) const override {
    const auto* counts = static_cast<const std::int64_t*>(run.context().var(counts_).data);
    Bound& out = run.context().var(s_.sink->out);
    const auto [first, end] = run.part().segments(run.context().desc(s_.sink->desc));
    if (out.length == 1) {
      out.cell = static_cast<Cell>(counts[0]);
    } else if (out.storage == Storage::kI64) {
      std::copy(counts + first, counts + end, static_cast<std::int64_t*>(out.data) + first);
    } else {
      for (std::int64_t s = first; s < end; ++s)
        store_cell_as(out.data, out.storage, s, static_cast<Cell>(counts[s]));
    }
  }

 private:
  SinkSpec s_;
  std::int32_t counts_;  // where the filter leaves them, until they are a descriptor
};

}  // namespace

std::unique_ptr<SinkCode> make_kept_counts(const SinkSpec& s) { return std::make_unique<KeptCounts>(s); }
std::unique_ptr<SinkCode> make_counted(const SinkSpec& s, const plan::Sink& count) {
  return std::make_unique<KeptBySegment>(s, count.out_desc);
}

}  // namespace nvm::vm::cpu
