// Records straight lines of vector instructions instead of executing them. Results are promised (Deferred);
// calls and decided conditionals are followed simply because the interpreter follows them. A region ends
// where the host must know a value; then everything that is still referenced is computed, the rest never
// exists.
//
// Small work is not worth recording: an instruction is taken if it touches at least `min_elements` elements
// or an operand that is itself promised.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bytecode/soac/graph.h"
#include "vm/interp/observer.h"
#include "vm/interp/region_hook.h"
#include "vm/prims/prims.h"
#include "vm/trace/charges.h"
#include "vm/trace/guards.h"
#include "vm/trace/recorded.h"
#include "vm/trace/trace_cache.h"

namespace nvm::vm {

// Do its elements stand on a device, too?
[[nodiscard]] bool on_device(const Vector& x);

class Recorder final : public RegionHook {
 public:
  struct Limits {
    std::int64_t min_elements = 4096;
    std::size_t max_insts = 200;
    // Instructions of a long turn of a loop: from half as many on a region ends where its first comes again,
    // from twice as many on where any of them does.
    std::size_t long_turn = std::numeric_limits<std::size_t>::max();
    // Kernels scatter with all threads, so PERMUTE and its relatives are recorded, too, and what takes or
    // replaces one element of each segment.
    bool scatters = false;
    // Plans may leave kernels to primitives (plan::Engine::calls_primitives), so RANK, RAND and MAKE_SEGDES
    // of what is promised are recorded, too.
    bool primitives = false;
    RandomSource* random = nullptr;  // what RAND draws from; null: it is not recorded
    // What has equal elements stays one element repeated: what is computed from such is, once, by the
    // primitives in this context, and what reads one beside others records the DIST of it. Null: whoever
    // reads one is not recorded.
    const PrimContext* repeats = nullptr;
    // A conditional that went the same way so many times is passed, and the region guarded by it; 0: none is.
    std::uint32_t guard_after = 0;
    // What a descriptor is made of is computed beside the line where the line would write so long a vector
    // for its sake; 0: one of any length.
    std::int64_t aside_least = std::int64_t{1} << 18;
    bool predicts = true;  // traces that came before are recognised (trace_cache.h)
  };
  Recorder(RegionExecutor& executor, IntBits bits, Limits limits, Observer* observer = nullptr)
      : executor_(executor),
        bits_(bits),
        limits_(limits),
        observer_(observer),
        charges_(observer),
        decisions_(limits.guard_after),
        predicts_(limits.predicts && !limits.scatters && limits.guard_after == 0) {
    reset();
  }

  bool offer(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
             std::span<Value> results) override;
  [[nodiscard]] bool declined() const override { return declined_; }
  [[nodiscard]] bool repeats() const override { return limits_.repeats != nullptr; }
  [[nodiscard]] CallWay call_begins(ssa::FunctionId function, std::span<const Value> arguments,
                                    std::int64_t depth) override;
  std::int64_t call_ends(std::int64_t depth) override { return executor_.call_ends(depth); }
  bool trust(const Value& condition, const Site& branch) override;
  [[nodiscard]] bool guards() const override { return limits_.guard_after > 0; }
  [[nodiscard]] std::optional<bool> foresee(const Value& condition, const Site& branch) override;
  void guard(const Value& condition, const Site& branch, bool way, std::shared_ptr<Crossing> from) override;
  void decided(const Site& branch, bool way) override { decisions_.note(branch, way); }
  [[nodiscard]] bool guarded() const override { return !guards_.empty(); }
  void count_offers(bool wanted) override { charges_.count(wanted); }
  void force(Value& value) override;
  void finish() override;
  [[nodiscard]] const ssa::Inst* located_at(Site& site, CallTrail& trail) const override;
  [[nodiscard]] const TraceCache& traces() const { return traces_; }
  const Callers* offered_by(const Callers* callers) override { return std::exchange(callers_, callers); }

 private:
  // A conditional that is passed on trust, and how much was recorded before it.
  struct Guard {
    Site branch;
    bool way = false;
    std::shared_ptr<Crossing> from;
    std::vector<soac::VarId> promised;  // by value of `from`, which is then empty: what computes it
    std::size_t insts = 0, vars = 0, lengths = 0, charges = 0;
  };
  struct Kept {  // of a region with guards while it is executed
    RecordedRegion recorded;
    std::vector<std::shared_ptr<Deferred>> promised;
    Charges charges;
  };

  void reset();
  void flush(RegionStop stop);
  void report(const RecordedRegion& recorded, const Charges& charges, const RegionRun& run);
  void flush_guarded(RegionStop stop);
  [[noreturn]] void miss(Kept kept, Guard guard);
  void append_check(soac::VarId flag, const RecordedSite& site);
  void execute_all(RegionStop stop);
  // Why an instruction is not recorded for these operands; nothing if it may be.
  [[nodiscard]] std::optional<RegionStop> refuses(const ssa::Inst& inst,
                                                  std::span<const Value> operands) const;
  // Is MAKE_SEGDES of these lengths recorded, which are promised or on a device? Of a few it is not: how much
  // work will lie under them says nothing but their sum.
  [[nodiscard]] bool describes(const Value& lengths) const;
  [[nodiscard]] std::optional<RegionStop> refuses_primitive(const ssa::Inst& inst,
                                                            std::span<const Value> operands) const;
  void note_lengths(const soac::RegionInst& in);
  void note_each(const soac::RegionInst& in);
  void note_step(TraceStep step);
  // Traces that come again (predict.cpp).
  struct Offered {
    const ssa::Inst& inst;
    const Site& site;
    std::span<Value> operands, results;
    std::int64_t elements;
    bool waits, repeated;
  };
  [[nodiscard]] std::optional<bool> follow(const Offered& o);
  [[nodiscard]] std::optional<bool> follow_end(const Offered& o);
  [[nodiscard]] bool passes_by(const Offered& o);
  void take(const TraceStep& step, const Offered& o);
  void run_known(RegionStop stop);
  void record_known();
  void recycle(std::vector<std::shared_ptr<Deferred>>& promised);
  [[nodiscard]] std::unique_ptr<CachedTrace> learn(const RecordedRegion& compacted,
                                                   std::span<const soac::VarId> renamed,
                                                   std::span<const soac::LengthId> lengths,
                                                   std::span<const CountedAt> counted);
  bool leave(const ssa::Inst& inst, const Site& site, std::span<Value> operands, std::span<Value> results,
             RegionStop stop);
  [[nodiscard]] bool computes_once(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                                   std::span<Value> results);
  // Computes what is promised among the operands without ending the line (aside.cpp); false if it does not.
  [[nodiscard]] bool compute_aside(std::span<Value> operands);
  void take_as_input(soac::VarId x, Value value);
  soac::VarId spell_out(const Vector& repeated, const RecordedSite& reader);
  bool record(const ssa::Inst& inst, const Site& site, std::span<Value> operands, std::span<Value> results);
  bool record_known_sum(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                        std::span<Value> results);
  bool record_shape_op(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                       std::span<Value> results);
  [[nodiscard]] std::int32_t trail();
  std::vector<soac::VarId> ask_counts();
  RegionRun execute(RecordedRegion& recorded, std::span<Value> outputs);
  [[nodiscard]] bool comes_back(const ssa::Inst& inst) const;
  bool unify(const ssa::Inst& inst);
  void forget(std::size_t vars, std::size_t lengths, std::size_t insts);
  [[nodiscard]] bool forms_fit(const ssa::Inst& inst) const;
  void append(const ssa::Inst& inst, const Site& site, std::span<Value> results);
  soac::VarId result(char letter, TypeWord word, const ShapeTerm& term, const ssa::Inst& inst);
  soac::VarId input(Value value);
  soac::VarId new_var(const soac::Var& var);
  void fix(soac::VarId x);
  void fix_index();
  soac::LengthId length_symbol(std::int64_t n);
  soac::LengthId counted();
  Value promise(soac::VarId var);
  [[nodiscard]] std::shared_ptr<Deferred> new_promise(soac::VarId var);
  [[nodiscard]] const soac::Var& var(soac::VarId v) const {
    return now_.region.vars[static_cast<std::size_t>(v)];
  }
  void mark_live();

  RegionExecutor& executor_;
  IntBits bits_;
  Limits limits_;
  Observer* observer_;
  Charges charges_;                                  // of the region or the trace followed
  RecordedRegion now_;                               // being recorded
  std::vector<std::shared_ptr<Deferred>> promised_;  // by VarId, null for inputs
  std::vector<PackedVar> packed_;
  std::vector<soac::VarId> lengths_of_;    // by VarId: the descriptor whose lengths it is
  std::vector<soac::LengthId> length_of_;  // by VarId: the symbol whose value it is
  std::vector<std::optional<std::int64_t>>
      each_;                           // by VarId: the INT that all its elements are, if it is known
  std::vector<soac::VarId> operands_;  // of the instruction being recorded
  soac::LengthId letters_[128];        // of the instruction being recorded
  Decisions decisions_;
  std::vector<Guard> guards_;
  std::uint32_t passed_ = 0;  // conditionals that were decided since the first guard
  const Callers* callers_ = nullptr;
  RecordedSite failed_;
  CallTrail failed_trail_;
  bool declined_ = false;
  bool primitives_ = false;  // make something in the region being recorded

  const bool predicts_;
  TraceCache traces_;             // while one is followed, `now_` has its callers only
  std::vector<TraceStep> steps_;  // of the trace being recorded
  bool knowable_ = true;          // it depends on nothing but kinds of values
  const ssa::Inst* stopper_ = nullptr;
  Sampling timed_{64};                            // traces whose recording is timed
  std::vector<std::shared_ptr<Deferred>> spare_;  // promises that nobody has
};

}  // namespace nvm::vm
