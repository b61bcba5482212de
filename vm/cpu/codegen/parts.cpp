// Scans that are only reduced, in one sweep (bytecode/plan/parts.h): a part is what one lane of a striped
// loop goes through, or what is left of a chunk. Chunks depend on nothing and keep the folds of their parts,
// which are joined in order after every wave.
#include <algorithm>
#include <array>

#include "bytecode/plan/parts.h"
#include "vm/cpu/code_memory.h"
#include "vm/cpu/codegen/kernel.h"
#include "vm/cpu/codegen/stripes.h"
#include "vm/cpu/workspace.h"

namespace nvm::vm::cpu {

namespace {

using plan::Parts;
using soac::kNone;

constexpr std::size_t kMostParts = kMostStripes + 1;  // of a chunk: lanes, then the rest
constexpr std::size_t kMostTotals = 16;               // carries, or results

Cell identity(Scalar op) { return identity_cell(op, Storage::kI64, IntBits::k64); }

class PartFold final : public SinkCode {
 public:
  explicit PartFold(Scalar op) : op_(op) { sweep = 0; }  // so that striped loops begin and end it
  [[nodiscard]] std::size_t worker_bytes() const override { return sizeof(State); }
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(Found); }
  [[nodiscard]] std::uint64_t* advanced(Work& w) const override { return &state(w).rest; }
  [[nodiscard]] Cell* stripes(Work& w) const override { return state(w).lanes; }
  void begin(Work& w) const override { state(w).rest = identity(op_); }
  void stripes_begin(Work& w, bool) const override {
    std::fill(std::begin(state(w).lanes), std::end(state(w).lanes), identity(op_));
  }
  void end(Work& w) const override {
    Found& found = w.kernel->chunk_state<Found>(w.chunk, *this);
    std::copy(std::begin(state(w).lanes), std::end(state(w).lanes), found.begin());
    found.back() = state(w).rest;
  }
  [[nodiscard]] std::int64_t found(KernelRun& run, std::size_t chunk, std::size_t part) const {
    return static_cast<std::int64_t>(run.chunk_state<Found>(chunk, *this)[part]);
  }

 private:
  using Found = std::array<Cell, kMostParts>;
  struct State {
    Cell rest;
    Cell lanes[kMostStripes];
  };
  [[nodiscard]] State& state(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
  Scalar op_;
};

class Join final : public SinkCode {
 public:
  Join(const Parts& parts, const plan::Kernel& kernel, std::vector<const PartFold*> folds)
      : parts_(parts), kernel_(kernel), folds_(std::move(folds)) {}
  [[nodiscard]] std::size_t chunk_bytes() const override { return sizeof(Lengths); }
  [[nodiscard]] std::size_t carry_bytes() const override { return sizeof(Totals); }
  [[nodiscard]] bool bind(KernelRun& run) const override {
    Totals& totals = run.carry_state<Totals>(*this);
    const auto begin = [](const std::vector<Parts::Total>& of, auto& into) {
      for (std::size_t k = 0; k < of.size(); ++k) into[k] = static_cast<std::int64_t>(identity(of[k].op));
    };
    begin(parts_.carries, totals.carried);
    begin(parts_.results, totals.results);
    return true;
  }
  void end(Work& w) const override {
    w.kernel->chunk_state<Lengths>(w.chunk, *this) = {(w.from - w.chunk_begin) / w.kernel->lanes(),
                                                      w.chunk_end - w.from};
  }
  void settle(KernelRun& run) const override {
    Totals& totals = run.carry_state<Totals>(*this);
    std::vector<std::int64_t> carried(totals.carried.begin(), totals.carried.begin() + parts_.carries.size());
    std::vector<std::int64_t> results(totals.results.begin(), totals.results.begin() + parts_.results.size());
    std::vector<std::int64_t> found(folds_.size());
    const auto join = [&](std::size_t chunk, std::size_t part, std::int64_t length) {
      if (length == 0) return;
      for (std::size_t f = 0; f < folds_.size(); ++f) found[f] = folds_[f]->found(run, chunk, part);
      parts_.join(carried, results, found.data(), length);
    };
    for (std::size_t c = 0; c < run.chunks(); ++c) {
      const Lengths lengths = run.chunk_state<Lengths>(c, *this);
      for (std::size_t l = 0; l < static_cast<std::size_t>(run.lanes()); ++l) join(c, l, lengths.lane);
      join(c, kMostParts - 1, lengths.rest);
    }
    std::copy(carried.begin(), carried.end(), totals.carried.begin());
    std::copy(results.begin(), results.end(), totals.results.begin());
  }
  void finish(KernelRun& run) const override {
    const Totals& totals = run.carry_state<Totals>(*this);
    if (parts_.observed &&
        !plan::holds(parts_, kernel_, run.context().plan->vars, run.part().space(), seen(totals))) {
      run.context().wraps = true;
      return;
    }
    for (std::size_t k = 0; k < parts_.results.size() && parts_.results[k].sink != kNone; ++k) {
      const std::int32_t out = kernel_.sinks[static_cast<std::size_t>(parts_.results[k].sink)].out;
      const Storage storage = run.context().plan->vars[static_cast<std::size_t>(out)].storage;
      set_single(run.context(), out, storage, static_cast<Cell>(totals.results[k]));
    }
  }

 private:
  struct Lengths {
    std::int64_t lane = 0, rest = 0;
  };
  struct Totals {
    std::array<std::int64_t, kMostTotals> carried, results;
  };
  // Of each leaf, what observe() has asked for.
  [[nodiscard]] std::vector<Range> seen(const Totals& totals) const {
    std::vector<Range> found(parts_.leaves.size());
    const std::size_t first = parts_.results.size() - 2 * found.size();
    for (std::size_t k = 0; k < found.size(); ++k)
      found[k] = {totals.results[first + 2 * k], totals.results[first + 2 * k + 1]};
    return found;
  }
  const Parts& parts_;
  const plan::Kernel& kernel_;
  std::vector<const PartFold*> folds_;
};

void add_sinks(KernelCode& code, PartsCode& in_parts, StageSpec& spec) {
  std::vector<const PartFold*> folds;
  for (const Parts::Fold& f : in_parts.parts.folds) {
    const auto number = static_cast<std::int32_t>(folds.size());
    auto sink = std::make_unique<PartFold>(f.op);
    folds.push_back(sink.get());
    code.advanced.push_back(sink.get());
    code.sinks.push_back(std::move(sink));
    spec.scans.push_back({number, f.value, f.op, !f.scanned, number});
  }
  code.sinks.push_back(std::make_unique<Join>(in_parts.parts, *in_parts.kernel, std::move(folds)));
}

}  // namespace

void compile_in_parts(KernelCode& code, const plan::Plan& plan, const plan::Kernel& kernel,
                      CodeMemory& memory) {
  if (!code.stripes || plan.int_bits != IntBits::k64) return;
  auto parts = plan::parts_of(kernel);
  if (!parts) return;
  constexpr std::int64_t kLong = std::int64_t{1} << 28;  // elements
  if (!plan::holds(*parts, kernel, plan.vars, kLong) && !parts->observe(kernel, plan.vars, kLong)) return;
  if (parts->carries.size() > kMostTotals || parts->results.size() > kMostTotals) return;
  auto made = std::make_unique<PartsCode>();
  made->parts = std::move(*parts);
  made->kernel = &kernel;
  made->code = std::make_unique<KernelCode>();
  KernelCode& in = *made->code;
  in.name = code.name;
  in.space = code.space;
  in.body = made->parts.body;
  in.in_waves = true;
  in.stripes = in.stripes_alone = true;
  StageSpec& spec = in.main_spec;
  spec.body = &in.body;
  spec.vars = &plan.vars;
  spec.int_bits = plan.int_bits;
  spec.all_traps = true;
  spec.stripes = true;
  add_sinks(in, *made, spec);
  std::string reason;  // the code of several sweeps does as well
  if (!memory.compile(spec, code.name + ".parts", in.main, reason)) return;
  if (in.main.striped == nullptr) return memory.release(in.main);
  in.main.listing = "; in one sweep, parts joined afterwards\n" + in.main.listing;
  lay_out(in);
  code.in_parts = std::move(made);
}

bool runs_in_parts(const KernelCode& code, RunContext& context) {
  if (code.in_parts == nullptr || code.in_parts->wraps.load(std::memory_order_relaxed)) return false;
  const std::int64_t length = context.length(code.space);
  if (length < kLeastStriped || code.in_parts->parts.observed) return length >= kLeastStriped;
  return plan::holds(code.in_parts->parts, *code.in_parts->kernel, context.plan->vars, length);
}

}  // namespace nvm::vm::cpu
