// Partitions: both sides of a chunk are packed aside in one pass, and put in place when the chunks before
// have counted: the others from the front of the result, the kept from the base on. n elements are read and n
// written.
#include "vm/cpu/codegen/aside_store.h"

namespace nvm::vm::cpu {

namespace {

class PartitionSide final : public AsideStore {
 public:
  PartitionSide(const SinkSpec& s, bool kept) : AsideStore(s), kept_(kept) {}
  [[nodiscard]] bool bind(KernelRun& run) const override {
    return kept_ || run.context().allocate(s_.sink->out, run.part().space());
  }
  void end(Work& w) const override {
    AsideStore::end(w);
    const bool last = w.chunk + 1 == w.kernel->chunks();
    if (kept_ && last && !w.kernel->part().ends_inside_at(w.chunk_end) &&
        state(w).at != w.kernel->part().space())
      w.kernel->trap();
  }
  void finish(KernelRun& run) const override {
    if (kept_ && run.part().ends_inside()) run.part().after(s_.number, {kept_by_now(run)});
    Bound& b = run.context().var(s_.sink->out);
    if (!kept_ && b.length == 1) b.cell = load_cell(b.data, b.storage, 0);
  }

 private:
  [[nodiscard]] std::int64_t first_place(const Work& w) const override {
    const std::int64_t kept = kept_before(*w.kernel) + offset(w);
    return kept_ ? partition_base(w.kernel->context(), *s_.sink) + kept : w.chunk_begin - kept;
  }
  [[nodiscard]] std::int64_t kept_before(KernelRun& run) const {
    if (!run.part().begins_inside()) return 0;
    const plan::RecordWords& record = run.part().before(s_.number);
    return record.empty() ? 0 : static_cast<std::int64_t>(record.front());
  }
  [[nodiscard]] Cell kept_by_now(KernelRun& run) const {
    std::int64_t kept = kept_before(run);
    for (std::size_t c = 0; c < run.chunks(); ++c) kept += run.chunk_state<CountState>(c, *s_.count).count;
    return static_cast<Cell>(kept);
  }
  [[nodiscard]] bool fits(const Work& w, std::int64_t at, std::int64_t n) const override {
    return at >= 0 && at <= w.kernel->part().space() - n;
  }
  bool kept_;
};

}  // namespace

std::int64_t partition_base(RunContext& context, const plan::Sink& sink) {
  const auto base = static_cast<std::int64_t>(context.var(sink.init).cell);
  return context.plan->int_bits == IntBits::k32 ? static_cast<std::int32_t>(base) : base;
}

std::unique_ptr<SinkCode> make_partition_side(const SinkSpec& s, bool kept) {
  return std::make_unique<PartitionSide>(s, kept);
}

}  // namespace nvm::vm::cpu
