// Filters: counting what is kept, and packing it. A chunk packs aside until the chunks before it have counted
// (look-back), so that everything is computed once; the result has room for all elements and gives back what
// it does not need. One thread alone knows where its next element goes, and packs there at once.
// Beside scans the first sweep counts.
//
// TRIED: stores that bypass the caches where results are large. Mandelbrot's next step reads them at once,
// and took a third longer.
// TRIED: not to wait for the chunks before, but to leave up to four chunks aside and begin others. No faster
// where all processors are free, and slower beside other programs (W11, W13w; two threads).
#include "vm/cpu/codegen/aside_store.h"

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
    if (counts_last(*w.kernel)) chunk(w).count = 0;
  }
  void block(Work& w) const override {
    if (!s_.packs && counts_last(*w.kernel)) add(w);
  }
  [[nodiscard]] std::uint64_t* advanced(Work& w) const override {
    return reinterpret_cast<std::uint64_t*>(&chunk(w).count);
  }
  void chain(Work& w) const override {
    if (!w.kernel->looks_back() || w.chunk + 1 == w.kernel->chunks()) return;
    w.kernel->chunk_state<CountState>(w.chunk + 1, *this).offset = chunk(w).offset + chunk(w).count;
  }
  void finish(KernelRun& run) const override {
    if (counts_last(run)) bind_length(run);
  }

 private:
  [[nodiscard]] static bool counts_last(const KernelRun& run) { return run.in_order() || run.looks_back(); }
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
    if (s_.sink->out_length != soac::kNone) run.context().length(s_.sink->out_length) = total;
  }
  SinkSpec s_;
};

class FilteredStore final : public AsideStore {
 public:
  using AsideStore::AsideStore;
  [[nodiscard]] bool bind(KernelRun& run) const override {
    const bool known = !run.in_order() && !run.looks_back() && run.part().whole();
    return known || run.context().allocate(s_.sink->out, run.part().space());
  }
  [[nodiscard]] bool between(KernelRun& run) const override {
    if (!run.part().whole()) return true;
    const plan::Var& var = run.context().plan->vars[static_cast<std::size_t>(s_.sink->out)];
    return run.context().allocate(s_.sink->out, run.context().length(var.length));
  }
  void begin(Work& w) const override {
    AsideStore::begin(w);
    if (at_once(w)) state(w).place = result(w) + static_cast<std::size_t>(offset(w)) * bytes();
  }
  void block(Work& w) const override {
    pack(w);
    if (!at_once(w)) put_long(w);
  }
  void end(Work& w) const override {
    if (!at_once(w)) AsideStore::end(w);
  }
  void finish(KernelRun& run) const override {
    if (!run.part().whole()) return;
    Bound& b = run.context().var(s_.sink->out);
    const plan::Var& var = run.context().plan->vars[static_cast<std::size_t>(s_.sink->out)];
    const std::int64_t kept = run.context().length(var.length);
    if (b.allocated && kept < b.length) run.context().run->host->shrink(s_.sink->out, kept);
    b.length = kept;
    if (b.length != 1) return;
    b.cell = load_cell(b.data, b.storage, 0);
    b.data = &b.cell;
  }

 private:
  // A result of one element lies in its cell, where no vector fits.
  [[nodiscard]] bool at_once(const Work& w) const {
    return w.kernel->alone() && w.kernel->part().whole() && w.kernel->context().var(s_.sink->out).allocated &&
           (w.kernel->looks_back() || w.kernel->chunks() == 1);
  }
  // A part's begin where it does: all of those before might be kept.
  [[nodiscard]] std::int64_t first_place(const Work& w) const override {
    return w.kernel->part().begin() + offset(w);
  }
};

}  // namespace

std::unique_ptr<SinkCode> make_count(const SinkSpec& s) { return std::make_unique<Count>(s); }
std::unique_ptr<SinkCode> make_filtered_store(const SinkSpec& s) {
  return std::make_unique<FilteredStore>(s);
}

}  // namespace nvm::vm::cpu
