// A kernel as it runs: stages of machine code over blocks of the space, and sinks that take what the stages
// leave in scratch. The space is cut into chunks that do not depend on the number of threads; chunks run in
// any order, blocks of a chunk in order.
//
//   per block      expand per-segment values -> [sweep stage -> scans, for each sweep] -> main stage -> sinks
//   first sweeps   (several chunks with scans or counts) as the last one up to sweep s, of whose scans and
//                  counts only the totals of the chunk are found; then the totals are combined in order, and
//                  every chunk knows where it starts
//   look-back      (several chunks with counts, no scans) no first sweep: what a chunk keeps lies aside until
//                  the chunks before it have counted
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bytecode/base/call_once.h"
#include "bytecode/base/per_thread.h"
#include "bytecode/plan/parts.h"
#include "vm/cpu/codegen/part.h"
#include "vm/cpu/codegen/rows.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stretches.h"
#include "vm/cpu/codegen/strided.h"
#include "vm/cpu/codegen/tiles.h"
#include "vm/cpu/machine.h"
#include "vm/cpu/routines.h"
#include "vm/data/shares.h"

namespace nvm::vm::cpu {

// Elements of a scratch array, and of what is done between two routines: gathers begin anew in every block.
// Lanes are folded at its end.
inline constexpr std::int64_t kBlock = kReduceBlock;
// Results of this many bytes leave the caches before anybody reads them.
inline constexpr std::int64_t kStreamingBytes = std::int64_t{32} << 20;
// Behind a scratch array: room for whole vectors and for expansion in steps of 16 elements.
inline constexpr std::size_t kScratchBytes = static_cast<std::size_t>(kBlock) * 8 + 192;

// A vector of the plan as bound for a run. A vector of length 1 lies in its own cell.
struct Bound {
  void* data = nullptr;
  std::int64_t length = 0;
  Storage storage = Storage::kI64;
  Cell cell = 0;
  bool allocated = false;  // the host gave memory for it
};

// A vector whose memory the thread keeps for the next of its kind: the start of a short kernel is to cost no
// allocations.
template <typename T>
class Kept {
 public:
  Kept() : items_(std::move(spare())) {}
  ~Kept() {
    items_.clear();
    if (items_.capacity() <= kMost) spare() = std::move(items_);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  std::vector<T>& operator*() { return items_; }
  std::vector<T>* operator->() { return &items_; }
  const std::vector<T>* operator->() const { return &items_; }

 private:
  static constexpr std::size_t kMost = 4096;  // elements
  static std::vector<T>& spare() { return PerThread<std::vector<T>, Kept>::get(); }
  std::vector<T> items_;
};

struct RunContext {
  const plan::Plan* plan = nullptr;
  const plan::Run* run = nullptr;
  const Routines* routines = nullptr;
  Kept<Bound> vars;
  Kept<plan::Desc> descs;
  std::vector<std::unique_ptr<std::int64_t[]>> offsets;  // of descriptors made by filters
  std::atomic<bool> trapped{false};
  bool wraps = false;

  [[nodiscard]] Bound& var(std::int32_t v) { return (*vars)[static_cast<std::size_t>(v)]; }
  [[nodiscard]] plan::Desc& desc(std::int32_t v) { return (*descs)[static_cast<std::size_t>(v)]; }
  [[nodiscard]] std::int64_t& length(std::int32_t l) { return run->lengths[static_cast<std::size_t>(l)]; }
  // Memory for `length` elements of a vector that the plan makes. False: out of memory.
  [[nodiscard]] bool allocate(std::int32_t v, std::int64_t length);
};

class KernelRun;
class SinkCode;

// One thread at work on one chunk.
struct Work {
  KernelRun* kernel = nullptr;
  std::byte* memory = nullptr;  // scratch arrays, then the sinks' states
  std::size_t chunk = 0;
  std::int64_t chunk_begin = 0, chunk_end = 0;
  std::int64_t from = 0;             // where the blocks of the sweep begin: behind the striped part
  std::int64_t begin = 0, n = 0;     // the block
  const Stretch* stretch = nullptr;  // that is run over
  const Row* row = nullptr;          // of what KernelCode::row runs over
  bool expanded = false;             // has the block what providers provide?
  SegmentCursor* cursors = nullptr;  // of providers, then of sinks

  template <typename T>
  [[nodiscard]] T* scratch(std::int32_t id) const {
    return reinterpret_cast<T*>(memory + static_cast<std::size_t>(id) * kScratchBytes);
  }
};

// What a sink does; states of workers and chunks are its own. Calls come in the order listed.
class SinkCode {
 public:
  virtual ~SinkCode() = default;
  [[nodiscard]] virtual std::size_t worker_bytes() const { return 0; }
  [[nodiscard]] virtual std::size_t chunk_bytes() const { return 0; }
  // Of one state besides, which goes from wave to wave and on to the next part.
  [[nodiscard]] virtual std::size_t carry_bytes() const { return 0; }
  // Allocates what has a known length. False: out of memory.
  [[nodiscard]] virtual bool bind(KernelRun&) const { return true; }
  // Scans and counts, in the sweep that finds their totals:
  virtual void first_begin(Work&) const {}
  virtual void first_block(Work&) const {}
  virtual void first_end(Work&) const {}
  // After that sweep, on one thread; others: after all first sweeps. False: out of memory.
  [[nodiscard]] virtual bool between(KernelRun&) const { return true; }
  virtual void begin(Work&) const {}
  virtual void scan_block(Work&) const {}  // between the stages
  virtual void block(Work&) const {}
  virtual void end(Work&) const {}
  // What machine code advances (SlotKind::kAdvance); null if it does nothing for this sink.
  [[nodiscard]] virtual std::uint64_t* advanced(Work&) const { return nullptr; }
  // Scans in a striped loop: the words of the lanes, filled with what lies before each part (`total`: with
  // the identity), and taken back afterwards.
  [[nodiscard]] virtual Cell* stripes(Work&) const { return nullptr; }
  virtual void stripes_begin(Work&, bool /*total*/) const {}
  virtual void stripes_end(Work&, bool /*total*/) const {}
  // Is what it advances the place of the next element?
  [[nodiscard]] virtual bool advances_place() const { return false; }
  // Tells the next chunk where it starts; called in the order of the chunks, of scans after the sweep that
  // finds the chunk's total. If a run is stopped before, the chunk goes no further.
  virtual void chain(Work&) const {}
  // After every wave of chunks, on one thread.
  virtual void settle(KernelRun&) const {}
  // After all chunks, on one thread.
  virtual void finish(KernelRun&) const {}

  std::size_t worker_at = 0, chunk_at = 0, carry_at = 0;  // where its states lie
  std::int32_t sweep = soac::kNone;                       // see plan::sweeps
};

struct Provider {
  Expand what = Expand::kTable;
  std::int32_t desc = soac::kNone;    // kNone: the iteration's number is that of a segment
  std::int32_t source = soac::kNone;  // kTable: vector; kOffset, kLength: descriptor
  int bytes = 8;
  std::int32_t scratch = 0;
};

struct KernelCode;

// The same in one sweep, where no number wraps (codegen/parts.cpp). If the run has to find out, it sets
// RunContext::wraps where one may have, and has made nothing.
struct PartsCode {
  plan::Parts parts;
  const plan::Kernel* kernel = nullptr;
  std::unique_ptr<KernelCode> code;
  mutable std::atomic<bool> wraps{false};  // some run may have: the next does not try
};

// The same by segment, a lane for each (codegen/outer.cpp).
struct OuterCode {
  OuterSpec spec;
  bool real = false;  // some fold is of FLOAT
  std::unique_ptr<KernelCode> code;
};

struct KernelCode {
  std::string name;
  plan::LengthId space = soac::kNone;
  std::vector<Provider> providers;
  std::vector<Stage> sweeps;  // what scans and counts of each sweep need
  Stage main;
  std::vector<std::unique_ptr<SinkCode>> sinks;
  std::int32_t scratch_count = 0;
  bool scans = false;              // the sweep stages run in front of the main stage
  bool runs_scans = false;         // the stages run the scans themselves, so each sweep is one stage
  bool stripes = false;            // the stages have striped loops
  bool stripes_alone = false;      // which one thread takes, too: they compute little
  bool counts = false;             // lengths are known only after a sweep over all
  bool folds_kept = false;         // the last sweep's chunks hand on unfinished blocks of folds
  bool uneven = false;             // one iteration may take many times as long as another
  bool in_waves = false;           // chunks keep nothing that is not settled wave by wave
  bool serial = false;             // one chunk after the other
  bool whole = false;              // one chunk for the whole space
  bool blocked = false;            // scratch is used: blocks of kBlock; else a chunk is one block
  std::int64_t aside_bytes = 0;    // of one element, in all filtered stores
  std::int64_t chunk = kChunkMax;  // most elements of a chunk: what filters pack aside stays in the cache
  std::int32_t cut = soac::kNone;  // chunks follow the segments of this descriptor
  std::size_t worker_bytes = 0, chunk_bytes = 0, carry_bytes = 0;
  std::vector<const SinkCode*> folds;     // whose ReduceState is the first of their worker's state
  std::vector<const SinkCode*> advanced;  // whose state the main stage advances
  std::vector<std::int32_t> stored;       // vectors that the main stage writes directly
  struct MadeDesc {
    std::int32_t desc, total;
  };
  std::vector<MadeDesc> made;  // descriptors of kept elements, and the lengths that are their totals
  bool one = false;            // the space is length kOne: evaluated without machine code
  // Written with stores that bypass the caches, when first wanted.
  StageSpec main_spec;
  soac::Body body;
  mutable CallOnce streaming_once;
  mutable Stage streaming;
  // With gathers that read every so many elements, when first wanted.
  StridedCode strided;
  // Row by row, when first wanted.
  std::optional<StageSpec> row_spec;
  mutable CallOnce row_once;
  mutable Stage row;
  std::unique_ptr<PartsCode> in_parts;           // null: it cannot be done so
  std::unique_ptr<OuterCode> outer, outer_many;  // likewise; of few, of many elements of a segment
};

// Compiles kernel `k` of the plan, which must outlive the code. Null with a reason if that cannot be done.
[[nodiscard]] std::unique_ptr<KernelCode> compile_kernel(const plan::Plan& plan, std::size_t k,
                                                         CodeMemory& memory, std::string& reason);

// Finds out whether the kernel's scans, which the stages run, can be done in one sweep, and compiles that.
void compile_in_parts(KernelCode& code, const plan::Plan& plan, const plan::Kernel& kernel,
                      CodeMemory& memory);
// Is that what a run does?
[[nodiscard]] bool runs_in_parts(const KernelCode& code, RunContext& context);
// Where all that a kernel leaves are reductions of segments of one length, of which each lane can take one:
// compiles that. What of it a run does, null if it does not.
void compile_by_segment(KernelCode& code, const plan::Plan& plan, const plan::Kernel& kernel,
                        CodeMemory& memory);
[[nodiscard]] const OuterCode* by_segment(const KernelCode& code, RunContext& context);
[[nodiscard]] Tiles tiles_of(const OuterCode& code, RunContext& context);
// States of workers and chunks behind one another, each on its own cache lines.
void lay_out(KernelCode& code);

// Gives the machine code of all its stages back to the memory that it is of.
void release_code(KernelCode& code, CodeMemory& memory);

// Runs a kernel; the vectors it makes are bound in `context` afterwards.
[[nodiscard]] plan::RunStatus run_kernel(const KernelCode& code, RunContext& context, Machine& machine);

class KernelRun {
 public:
  KernelRun(const KernelCode& code, RunContext& context, Machine& machine, const Tiles& tiles)
      : code_(code), context_(context), machine_(machine), tiles_(tiles) {}
  [[nodiscard]] plan::RunStatus run();

  [[nodiscard]] RunContext& context() { return context_; }
  [[nodiscard]] const Routines& routines() const { return *context_.routines; }
  [[nodiscard]] const PartRun& part() const { return part_; }
  [[nodiscard]] int lanes() const { return lanes_of(machine_.memory.isa()); }
  [[nodiscard]] std::size_t chunks() const { return bounds_->size() - 1; }
  [[nodiscard]] std::int64_t chunk_begin(std::size_t c) { return (*bounds_)[c]; }
  // True if chunks run in order and hand on what they know, without a first sweep.
  [[nodiscard]] bool in_order() const { return in_order_; }
  // True if one thread runs all chunks, in order.
  [[nodiscard]] bool alone() const { return threads_ == 1; }
  // True if chunks, without a first sweep, learn at their end where they start.
  [[nodiscard]] bool looks_back() const { return looks_back_; }
  template <typename T>
  [[nodiscard]] T& worker_state(const Work& w, const SinkCode& sink) const {
    return *reinterpret_cast<T*>(w.memory + scratch_bytes() + sink.worker_at);
  }
  template <typename T>
  [[nodiscard]] T& chunk_state(std::size_t c, const SinkCode& sink) {
    return *reinterpret_cast<T*>(chunk_memory_->data() + c * code_.chunk_bytes + sink.chunk_at);
  }
  // The same for what goes from wave to wave.
  template <typename T>
  [[nodiscard]] T& carry_state(const SinkCode& sink) {
    return *reinterpret_cast<T*>(chunk_memory_->data() + carries_at_ + sink.carry_at);
  }
  void trap() { context_.trapped.store(true, std::memory_order_relaxed); }

 private:
  [[nodiscard]] std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(code_.scratch_count) * kScratchBytes;
  }
  [[nodiscard]] std::size_t workspace_bytes() const;
  void cut();
  void cut_in_shares();
  [[nodiscard]] bool next_wave();
  [[nodiscard]] bool too_many_chunks() const;
  void cut_by_segments(const plan::Desc& desc);
  [[nodiscard]] bool stopped() const;
  [[nodiscard]] plan::RunStatus status() const;
  void finish();
  [[nodiscard]] Shares shares() const;
  template <typename F>
  void over_chunks(F body);
  [[nodiscard]] bool first_sweeps();
  void first_sweep(Work& w, std::int32_t sweep);
  void swept_block(Work& w, std::int32_t sweep);
  void last_sweep(Work& w);
  void linked_sweeps(Work& w);
  // False if the run was stopped before it was the chunk's turn.
  [[nodiscard]] bool chain(Work& w, std::int32_t sweep);
  template <typename F>
  void over_blocks(Work& w, F body);
  void expand(Work& w);
  void expand_once(Work& w);
  [[nodiscard]] StretchFacts stretch_facts();
  [[nodiscard]] const Stage* row_stage();
  void run_rows(Work& w);
  void look_for_stretches(const Stage& stage);
  struct Stretches {
    const Stage* stage;
    const Stage* loads;  // runs over them
    std::vector<Stretch> found;
  };
  [[nodiscard]] const Stretches* stretches_of(const Stage& stage) const;
  [[nodiscard]] StageArgs& start_args(Work& w);
  void run_stage(const Stage& stage, Work& w);
  void run_whole(const Stage& stage, Work& w, std::int64_t whole, StageArgs& args);
  void run_stripes(const Stage& stage, Work& w, std::int32_t sweep);
  void run_part(const Stage& stage, Work& w, std::int64_t from, std::int64_t to, StageArgs& args);
  void fill_slots(const Stage& stage, Work& w, std::int64_t done, StageArgs& args);
  void take_back(const Stage& stage, Work& w, const StageArgs& args);
  [[nodiscard]] bool goes_aside(const Slot& s) const;
  void run_tail(const Stage& stage, Work& w, std::int64_t done, std::int64_t rest, StageArgs& args);
  [[nodiscard]] const Stage& main_stage();

  const KernelCode& code_;
  RunContext& context_;
  Machine& machine_;
  Tiles tiles_;
  static constexpr std::int64_t kWave = 1024;  // chunks
  PartRun part_;
  plan::Desc each_;  // segments of one iteration each
  std::int64_t wave_begin_ = 0, wave_end_ = 0;
  std::size_t carries_at_ = 0;  // in chunk_memory_
  bool in_order_ = true;
  bool looks_back_ = false;
  bool chains_ = false;  // the chunks of the last sweep wait at their end for those before
  bool links_ = false;
  bool striped_ = false;
  // Chunks that have told the next where it starts; of scans by sweep.
  std::atomic<std::size_t> chained_[plan::kMostSweeps + 1] = {};
  int threads_ = 1;
  const Stage* main_ = nullptr;
  const Stage* row_ = nullptr;                            // null: blocks are run as a whole
  std::vector<Stretches> stretches_;                      // of stages that have some
  std::vector<std::pair<std::int32_t, ListRuns>> lists_;  // that rows look indices up in, by vector
  RowStretches same_in_rows_;
  Kept<std::int64_t> bounds_;
  // Chunks in front of the end of each worker's share; none if shares are equal.
  std::array<std::int64_t, Shares::kMost> share_ends_;
  std::size_t share_count_ = 0;
  Kept<std::byte> chunk_memory_;
};

// Makes `desc` known to the kernels that follow: its kept counts lie in the vector of the same number.
void make_kept_desc(RunContext& context, std::int32_t desc, std::int64_t total);

// The sinks, one maker per kind. Scratch numbers say where the stages leave their values.
struct SinkSpec {
  const plan::Sink* sink = nullptr;
  std::int32_t number = 0;       // of the sink in its kernel
  Storage cell = Storage::kI64;  // storage of values in scratch
  std::int32_t value = soac::kNone, index = soac::kNone, flag = soac::kNone, result = soac::kNone;
  std::int32_t direct = soac::kNone;  // vector whose elements are the values, instead of scratch `value`
  bool in_lanes = false;              // the stage combines the values itself
  bool packs = false;                 // the stage packs the values, or counts the flags, itself
  bool runs = false;                  // the stage runs the scan itself
  const SinkCode* count = nullptr;    // of the filter
  const FoldRoutines* fold = nullptr;
  Storage out_storage = Storage::kI64;
};
[[nodiscard]] std::unique_ptr<SinkCode> make_reduce(const SinkSpec&);
[[nodiscard]] std::unique_ptr<SinkCode> make_kept_reduce(const SinkSpec&);
[[nodiscard]] std::unique_ptr<SinkCode> make_scan(const SinkSpec&);
[[nodiscard]] std::unique_ptr<SinkCode> make_count(const SinkSpec&);
// How many elements of each segment a filter keeps, as long as its descriptor is not made from them.
[[nodiscard]] std::unique_ptr<SinkCode> make_kept_counts(const SinkSpec&);
// A sum of the flags that `count` counts: what that finds.
[[nodiscard]] std::unique_ptr<SinkCode> make_counted(const SinkSpec&, const plan::Sink& count);
[[nodiscard]] std::unique_ptr<SinkCode> make_filtered_store(const SinkSpec&);
// What stands aside of the elements that the filter keeps (`kept`) or of the others.
[[nodiscard]] std::unique_ptr<SinkCode> make_partition_side(const SinkSpec&, bool kept);
// Where the second side of a partition is to begin.
[[nodiscard]] std::int64_t partition_base(RunContext& context, const plan::Sink& sink);
[[nodiscard]] std::unique_ptr<SinkCode> make_scatter(const SinkSpec&);
// Allocates the vector that a scatter makes and fills it with its defaults. False: out of memory.
[[nodiscard]] bool start_scatter(RunContext& context, const plan::Sink& sink);
// The same; what a part writes goes into a list, or over what the caller has filled in.
[[nodiscard]] bool start_scatter(KernelRun& run, const SinkSpec& spec);
[[nodiscard]] std::unique_ptr<SinkCode> make_seg_reduce(const SinkSpec&);
[[nodiscard]] std::unique_ptr<SinkCode> make_seg_scan(const SinkSpec&);

// The values of the block.
[[nodiscard]] const void* block_values(const Work& w, const SinkSpec& s);

// Where the kept elements of a chunk go: the state of a count sink (codegen/filter.cpp).
struct CountState {
  std::int64_t count = 0;
  std::int64_t offset = 0;
};

[[nodiscard]] Cell identity_cell(Scalar op, Storage storage, IntBits bits);
// Binds the vector of one element that the kernel makes.
void set_single(RunContext& context, std::int32_t v, Storage storage, Cell cell);
// One element as 8 bytes, sign-extended; and back.
[[nodiscard]] Cell load_cell(const void* data, Storage storage, std::int64_t i);
void store_cell_as(void* data, Storage storage, std::int64_t i, Cell cell);

}  // namespace nvm::vm::cpu
