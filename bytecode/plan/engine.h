// The seam that every engine implements: CPU, CUDA, null. A compiled plan is immutable and may run on several
// threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bytecode/base/device_times.h"
#include "bytecode/base/draws.h"
#include "bytecode/base/orderer.h"
#include "bytecode/base/remote.h"
#include "bytecode/plan/part.h"
#include "bytecode/plan/plan.h"

namespace nvm::plan {

// A vector bound for one run. data has 64 readable bytes behind the last element. A scalar (length 1) is
// passed in `scalar` / `real` and has no data.
struct Array {
  void* data = nullptr;
  std::int64_t length = 0;
  Storage storage = Storage::kI64;
  std::int64_t scalar = 0;
  double real = 0.0;
  // Where the elements stand on a device, too; `data` is valid once remote->fetch() has succeeded. An engine
  // that keeps vectors on its device sets this, for inputs it has copied there and for outputs it leaves
  // there.
  std::shared_ptr<Remote> remote = {};
};

// A descriptor bound for one run. offsets has segments + 1 entries and is null if the form needs none
// (kOneSegment, kRegular); valid as the data of an array are.
struct Desc {
  std::int64_t segments = 0;
  std::int64_t total = 0;
  std::int64_t regular_length = 0;
  const std::int64_t* offsets = nullptr;
  std::shared_ptr<Remote> remote = {};  // of offsets, as for arrays
};

enum class KernelWay : std::uint8_t {
  kOneSweep,        // its scans, which are only reduced (parts.h)
  kLanePerSegment,  // over segments of one length
  kTiles,           // the same, in the order of tiles
  kNarrowLanes,     // in lanes as narrow as what they hold
  kRows,            // a long segment at a time
  kStretches,       // with gathers that are loads over parts of the iterations
  kStridedLoads,    // of every so many elements, besides
  kOnDevice,        // by a device beside the processor
};

enum class RunStatus : std::uint8_t {
  kDone,
  kTrapped,  // some element failed a check; outputs are meaningless, the caller re-runs to raise the exact
             // error
  kNoMemory,
  kCancelled,
  kNotYet,  // nothing was done: it is still being compiled, or never will be (see refusal)
};

// A kernel that is left to a primitive: what its one sink takes, and what has been made of it.
struct PrimitiveStep {
  std::size_t kernel = 0;
  Array operand;  // the vector that the body pulls
  Desc segments;  // of the sink's desc, if it has one
  Array result;   // of out; memory is the host's, as if allocated; the elements may be on a device (remote)
  Desc made;      // of out_desc, with offsets; valid until the run has ended. The total is its out_length
};

// What the caller provides during a run: memory for vectors that the plan makes, and cancellation.
class Host {
 public:
  virtual ~Host() = default;
  // Memory for `length` elements of var (a temp or an output), kept until the run has ended; null: out of
  // memory.
  virtual void* allocate(VarId var, Storage storage, std::int64_t length) = 0;
  // Memory for the offsets of a descriptor that the plan makes, for an engine that has made them and keeps
  // them on its device: then it sets `offsets` and `remote` of the Desc. Null: out of memory, or nobody wants
  // them.
  [[nodiscard]] virtual std::int64_t* allocate_offsets(VarId /*desc*/, std::int64_t /*segments*/) {
    return nullptr;
  }
  // What was allocated for var keeps its first `length` elements; nothing behind them has been written.
  virtual void shrink(VarId /*var*/, std::int64_t /*length*/) {}
  // A temp will not be read any more.
  virtual void release(VarId var) = 0;
  [[nodiscard]] virtual bool cancelled() const = 0;
  // Does what a kernel with a sink of kRank, kRandom or kSegdes is for; kDone, kTrapped, kNoMemory or
  // kCancelled.
  [[nodiscard]] virtual RunStatus primitive(PrimitiveStep& /*step*/) { return RunStatus::kNoMemory; }
  // Where the draws of a kernel with a sink of kRandom begin, for an engine that makes the numbers itself;
  // nothing if they cannot be told.
  [[nodiscard]] virtual std::optional<Draws> draws(std::size_t /*kernel*/) const { return {}; }
  // For reports: around each kernel of the plan, and on any thread around its share of one.
  virtual void begin_kernel(std::size_t /*kernel*/) {}
  virtual void end_kernel(std::size_t /*kernel*/) {}
  // The same of kernels that run beside the host, if it wants to know; after a run that is done.
  [[nodiscard]] virtual bool wants_device_times() const { return false; }
  virtual void device_kernel(std::size_t /*kernel*/, const DeviceTimes& /*times*/) {}
  // A kernel has run in a way that not every one can.
  virtual void ran(KernelWay) {}
  virtual void begin_share() {}
  virtual void end_share() {}
};

// Arguments of one run, all indexed by VarId or LengthId of the plan. Inputs are filled in by the caller; the
// engine fills in outputs: arrays (length, data as allocated, or scalar), lengths that are counted, and for
// descriptors made by a filter the kept count of every segment as an Array of kI64 (segments entries). Of
// temps that INTs are or-ed to it may fill in the number, with length 1. Of a descriptor of computed lengths
// that are equal, also of a temp, it may fill in segments and regular_length instead.
struct Run {
  std::span<Array> arrays;
  std::span<Desc> descs;
  std::span<std::int64_t> lengths;
  Host* host = nullptr;
  int threads = 1;
  // One kernel over some of its iterations; null: the plan. Vectors and descriptors that earlier kernels made
  // are bound as inputs are. An element stands where it would if the whole vector did, of which only what the
  // part needs need be there. Memory is asked for by the length of the whole, and nothing of it is
  // initialised but what a kScatter is to overwrite; what a filter keeps begins at element `begin`, and its
  // length is that of the part. Results of one number are the last part's. Descriptors of kept elements are
  // made by the caller.
  const Part* part = nullptr;
};

// Makes the data of all inputs valid; false, with why in words, if something is lost.
[[nodiscard]] inline bool fetch_inputs(const Run& run, std::string& why) {
  for (Array& a : run.arrays)
    if (a.remote != nullptr && !a.remote->fetch(why)) return false;
  for (Desc& d : run.descs)
    if (d.remote != nullptr && !d.remote->fetch(why)) return false;
  return true;
}

class Code {
 public:
  virtual ~Code() = default;
  [[nodiscard]] virtual RunStatus run(const Run& run) const = 0;
  // Machine code or kernel source, for explain; may be empty.
  [[nodiscard]] virtual std::string listing() const = 0;
  [[nodiscard]] virtual std::size_t code_bytes() const = 0;
  // Why this code will never run, in words; empty if it may.
  [[nodiscard]] virtual std::string refusal() const { return {}; }
  // Understands Array::remote. For others the caller fetches all inputs first.
  [[nodiscard]] virtual bool resident() const { return false; }
  // Understands Run::part.
  [[nodiscard]] virtual bool splits() const { return false; }
};

class NestEngine;

class Engine {
 public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  // Null if the plan cannot be compiled; `reason` then says why in words (counted, never an error).
  [[nodiscard]] virtual std::unique_ptr<Code> compile(const Plan& plan, std::string& reason) = 0;
  // Scatters are shared out between threads as other sinks are.
  [[nodiscard]] virtual bool scatters() const { return false; }
  // Kernels that are left to primitives have Host::primitive() called between others; else such plans are
  // refused.
  [[nodiscard]] virtual bool calls_primitives() const { return false; }
  // Why primitives, called one by one, are faster than a kernel of the plan, in words; empty if they are not.
  [[nodiscard]] virtual std::string prefers_primitives(const Plan& /*plan*/) const { return {}; }
  // Who ranks and sorts there, as long as the engine lives; null: the processor's primitives do.
  [[nodiscard]] virtual Orderer* orderer() { return nullptr; }
  // Who compiles loop nests (nest.h), likewise; null: there are none.
  [[nodiscard]] virtual NestEngine* nests() { return nullptr; }
};

}  // namespace nvm::plan
