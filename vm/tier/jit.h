// The compiling tier: executes recorded regions, hot ones as fused kernels, others instruction by instruction
// through the eager primitives. A compiled region that fails a check is executed again eagerly, which raises
// exactly the interpreter's error. No failure to compile ever changes a result.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "bytecode/plan/engine.h"
#include "bytecode/plan/schedule.h"
#include "vm/interp/machine.h"
#include "vm/prims/prims.h"
#include "vm/tier/call_shares.h"
#include "vm/tier/hot.h"
#include "vm/trace/recorder.h"

namespace nvm::vm {

// kCompare: compile at once, execute every region both ways and abort with the plan where they differ.
enum class JitMode : std::uint8_t { kOff, kHot, kAlways, kCompare };

struct JitOptions {
  JitMode mode = JitMode::kHot;
  plan::Fusion fusion = plan::Fusion::kExact;
  // Compilations that must pay for themselves only in the long run: see vm/tier/hot.h.
  HotOptions hot = {};
  std::size_t max_regions = 4096;       // variants kept; past it the cache starts anew
  int max_traps = 3;                    // a region that keeps failing its checks is left to the interpreter
  Observer* observer = nullptr;         // sees compilations and kernels
  const ssa::Module* module = nullptr;  // that regions are of, for the names of their code
  const std::atomic<Stop>* stop = nullptr;  // of the machine: ends compiled code early, too
};

struct JitCounters {
  std::uint64_t regions = 0;   // executed
  std::uint64_t fused = 0;     // of these, as compiled code
  std::uint64_t kernels = 0;   // of these, run (plan::passes)
  std::uint64_t compiled = 0;  // compilations
  std::uint64_t refused = 0;   // compilations that the engine refused
  std::uint64_t trapped = 0;   // runs that failed a check and were executed again
  std::uint64_t compile_ns = 0;
  std::uint64_t stops[kRegionStops] = {};  // by RegionStop
};

// A region as the tier knows it, for explain and profile.
struct RegionEntry {
  std::uint32_t number = 0;  // in order of first execution
  soac::Region region;
  std::int64_t work = 0;
  std::int64_t found = 0;  // by the last run, under descriptors of computed lengths; 0 without such
  std::uint64_t runs = 0;
  int traps = 0;
  bool tried = false;               // compilation was attempted
  bool guesses = true;              // INT vectors are stored in four bytes until one does not fit
  std::string reason;               // why it is not compiled, if it is not
  std::vector<RecordedSite> sites;  // of the first run, by RegionInst::site
  plan::Plan plan;
  std::vector<plan::RuleEvent> events;
  std::unique_ptr<plan::Code> code;  // null: eager
  std::uint32_t compilations =
      0;                   // how often `code` has been made anew: plan and code of one belong together
  ChoiceBySize tier;       // its kernels (the candidate) or the primitives
  double recording = 1e9;  // least nanoseconds that recording it took
};

class Binding;

class Jit final : public RegionExecutor {
 public:
  // `context` is the interpreter's and outlives this.
  Jit(plan::Engine& engine, const PrimContext& context, JitOptions options)
      : engine_(engine), context_(context), options_(options), budget_(options.hot) {}

  void execute(RecordedRegion& region, std::span<Value> outputs, RecordedSite& failed) override;
  [[nodiscard]] bool declines(const ssa::Inst& inst, std::int64_t elements) override {
    if (!blacklist_.has(inst, elements)) return false;
    calls_.note_primitives(elements);
    return true;
  }
  [[nodiscard]] CallWay call_begins(ssa::FunctionId function, std::int64_t elements,
                                    std::int64_t depth) override {
    return options_.mode == JitMode::kHot ? calls_.begins(function, elements, depth) : CallWay::kRecorded;
  }
  std::int64_t call_ends(std::int64_t depth) override { return calls_.ends(depth); }

  [[nodiscard]] const JitCounters& counters() const { return counters_; }
  // In order of first execution.
  [[nodiscard]] const std::vector<std::unique_ptr<RegionEntry>>& entries() const { return entries_; }

 private:
  class Memo;
  RegionEntry& entry(const RecordedRegion& region);
  [[nodiscard]] Memo* memo_of(const RecordedRegion& region);
  void run_entry(RecordedRegion& region, RegionEntry& e, Memo* memo, std::span<Value> outputs,
                 RecordedSite& failed);
  [[nodiscard]] bool run_while_little(RecordedRegion& region, RegionEntry& e, std::int64_t& work,
                                      std::span<Value> outputs, RecordedSite& failed);
  void blacklist_if_hopeless(const RecordedRegion& region, const RegionEntry& entry, std::int64_t work);
  void compile(const RecordedRegion& region, RegionEntry& entry);
  [[nodiscard]] bool runs_fused(const RegionEntry& entry, std::int64_t work) const;
  bool run_code(RecordedRegion& region, RegionEntry& entry, Memo* memo, std::span<Value> outputs,
                RecordedSite& failed);
  bool run_bound(RecordedRegion& region, RegionEntry& entry, Binding& binding, std::span<Value> outputs,
                 RecordedSite& failed);
  void compare(const RecordedRegion& region, const RegionEntry& entry, std::span<const Value> outputs) const;

  plan::Engine& engine_;
  const PrimContext& context_;
  JitOptions options_;
  JitCounters counters_;
  std::uint32_t next_number_ = 0;
  Budget budget_;
  Blacklist blacklist_;
  CallShares calls_;
  std::vector<std::unique_ptr<RegionEntry>> entries_;
  std::unordered_map<std::string, RegionEntry*> by_key_;  // by soac::key
  std::uint64_t generation_ = 0;                          // of the entries
};

}  // namespace nvm::vm
