// The seam between execution and whoever watches it: profiles, traces, counters. Costs one predictable test
// per instruction when nobody does.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/base/device_times.h"
#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"
#include "vm/interp/region_hook.h"
#include "vm/interp/spent.h"

namespace nvm::vm {

class Pool;

// The start of a call. `inst` is the calling instruction, null for the function that a run begins with. In a
// tail call the caller has been left before.
struct CallStart {
  ssa::FunctionId function = 0;
  const ssa::Inst* inst = nullptr;
  std::span<const Value> arguments;
  bool tail = false;
  std::uint64_t serial = 0;
};

// A call that is open. Serial numbers are never used twice by one interpreter.
struct OpenCall {
  ssa::FunctionId function = 0;
  const ssa::Inst* inst = nullptr;  // as CallStart::inst
  std::uint64_t serial = 0;
};
// The calls that are open, for an observer that did not look for a while.
class OpenCalls {
 public:
  virtual ~OpenCalls() = default;
  // The outermost `most` of them, outermost first; the answer is how many there are in all.
  virtual std::size_t list(std::size_t most, std::vector<OpenCall>& calls) const = 0;
};

// An instruction that was recorded instead of executed, and what the cost model counts for it unless it is
// unpaid.
struct RecordedWork {
  const ssa::Inst* inst = nullptr;
  Site site;
  std::int64_t work = 0;
  std::int32_t place = 0;  // what Observer::place said when it was recorded
};

// How a recorded region was computed.
struct RegionRun {
  std::size_t kernels = 0;    // compiled ones that ran, 0: instruction by instruction
  bool trapped = false;       // compiled code failed a check first
  std::int64_t bytes = 0;     // of its inputs and outputs
  std::int64_t elements = 0;  // that its instructions touch, as far as known beforehand
  std::string_view reason;    // why no kernels ran
};

// One kernel of a compiled region, as reports name it.
struct KernelShape {
  std::string combinators;              // "map+filter": what is computed in it, in order
  std::vector<const ssa::Inst*> insts;  // the instructions computed in it
  std::int64_t operations = 0;          // scalar operations for each element
};
// A combinator of a region before fusion.
struct FusionNode {
  std::string name;
  const ssa::Inst* inst = nullptr;
  std::int32_t kernel = -1;          // the kernel that computes it, -1: wherever it is used
  std::vector<std::int32_t> inputs;  // nodes whose results it reads
};
// Two combinators of which one uses the other's result, and which are in different kernels.
struct FusionRefusal {
  const ssa::Inst* from = nullptr;
  const ssa::Inst* to = nullptr;
  std::string from_name, to_name;
  std::string_view why;
};
struct Compilation {
  std::uint32_t region = 0;  // number of the region in this run
  std::string_view reason;   // why there are no kernels, if there are none
  std::vector<KernelShape> kernels;
  std::vector<FusionNode> nodes;
  std::vector<FusionRefusal> refusals;
};

// One run of a compiled kernel.
struct KernelRun {
  std::uint32_t region = 0, kernel = 0;  // as in Compilation
  std::int64_t elements = 0;
  std::int64_t bytes = 0;                        // read and written once each
  std::span<const ssa::Inst* const> insts = {};  // of the program, computed in it
};

// Why an instruction was not recorded that leaves or reads vectors that are not written (delayed.h).
inline constexpr std::string_view kDelayed = "it leaves or reads what is not written";
// Or one within a call that is not recorded (recording.h).
inline constexpr std::string_view kUnrecorded = "kernels would do next to nothing of the call";

class Observer {
 public:
  virtual ~Observer() = default;

  // Whether begin is wanted; may change at any time, on any thread.
  [[nodiscard]] bool sees_instructions() const { return instructions_.load(std::memory_order_relaxed); }
  // Whether begin is wanted of every instruction, with its work, and `worked` and `moved`. If not, one begin
  // may stand for several instructions, and says no work.
  [[nodiscard]] bool sees_work() const { return work_; }
  // Whether enter and leave are wanted; may change likewise.
  [[nodiscard]] bool sees_calls() const { return calls_.load(std::memory_order_relaxed); }
  // These two, for who asks before every instruction.
  [[nodiscard]] const std::atomic<bool>& instructions_flag() const { return instructions_; }
  [[nodiscard]] const std::atomic<bool>& calls_flag() const { return calls_; }
  // Whether branch is wanted.
  [[nodiscard]] bool sees_branches() const { return branches_; }
  // What is wanted of recorded regions: nothing; their instructions, with the work that is known anyway; the
  // exact work, for which the compiling tier may have to count what the program does not need.
  enum class Recorded : std::uint8_t { kNothing, kInstructions, kWork };
  [[nodiscard]] Recorded sees_recorded() const { return recorded_; }

  // Around a run of a program; `module` and `pool` outlive it.
  virtual void begin_run(const ssa::Module& /*module*/, const Pool& /*pool*/) {}
  virtual void end_run() {}
  // Before the first call of a run; `calls` are its calls until end_calls, after the last, which says how
  // many were made.
  virtual void begin_calls(const OpenCalls& /*calls*/) {}
  virtual void end_calls(std::uint64_t /*made*/) {}
  // Before the execution of an instruction that is not a call; what is left delayed is left so whether
  // anybody looks or not. `work`: elements that the cost model counts, as far as operands tell, also of an
  // instruction that is unpaid. One that a RegionHook takes is reported with its region instead.
  virtual void begin(const ssa::Inst& /*inst*/, const Site& /*site*/, std::int64_t /*work*/) {}
  // The instruction that began last has more work: elements that were read from outside.
  virtual void worked(std::int64_t /*work*/) {}
  // Bytes that instructions have moved (moved.h), most of them the one that began last.
  virtual void moved(std::int64_t /*bytes*/) {}
  // An instruction on long vectors was not recorded because of `stop` (words of vm/trace/stop.def,
  // kDelayed or kUnrecorded); begin follows.
  virtual void left(const ssa::Inst& /*inst*/, std::string_view /*stop*/) {}
  // If sees_branches(): a conditional was decided that is no check. (Compiled lines pass checks.)
  virtual void branch(bool /*taken*/) {}
  // Around the execution of a function. A tail call leaves the caller first. After a fault nothing is left.
  virtual void enter(const CallStart& /*call*/) {}
  virtual void leave(ssa::FunctionId /*function*/) {}
  // Where control is now, in the observer's own numbers.
  [[nodiscard]] virtual std::int32_t place() const { return 0; }
  // Before a recorded region is executed: whether it, its kernels and the threads' shares of them are to be
  // reported; end_region is always called if a check failed. `longest`: the longest length that is known.
  [[nodiscard]] virtual bool wants_region(std::int64_t /*longest*/) { return true; }
  // Around the execution of a recorded region that ended because of `stop` (vm/trace/stop.def). `recorded`
  // are all instructions that the program executed, also those whose results nobody wanted; empty
  // unless sees_recorded(). At the end all promised values are there. No end after a fault.
  virtual void begin_region(const ssa::Inst* /*first*/, std::string_view /*stop*/) {}
  virtual void end_region(std::span<const RecordedWork> /*recorded*/, const RegionRun& /*run*/) {}
  // Around a compilation, inside a region.
  virtual void begin_compile() {}
  virtual void end_compile(const Compilation& /*compilation*/) {}
  // Around the run of a kernel, inside a region.
  virtual void begin_kernel(std::uint32_t /*region*/, std::uint32_t /*kernel*/) {}
  virtual void end_kernel(const KernelRun& /*run*/) {}
  // If sees_device_times(): a kernel that ran on a device, beside the host; inside its region, after it has
  // ended. Times cost the device's graphs, and a wait.
  virtual void device_kernel(const KernelRun& /*run*/, const DeviceTimes& /*times*/) {}
  // Around a call that block mode executes in groups, in place of enter and leave. Not `done`: a group failed
  // and the call is made in the ordinary way. `moved`: bytes, of the groups' instructions and to put their
  // results together; 0 unless sees_group_bytes().
  virtual void begin_groups(const CallStart& /*call*/, std::int64_t /*instances*/, std::size_t /*groups*/) {}
  virtual void end_groups(bool /*done*/, std::int64_t /*moved*/) {}
  // Before end_groups: if sees_group_lines(), what the groups spent, added up over the threads; if
  // sees_device_times(), when a device ran them, which says nothing of lines.
  [[nodiscard]] bool sees_group_lines() const { return group_lines_; }
  [[nodiscard]] bool sees_device_times() const { return device_times_; }
  [[nodiscard]] bool sees_group_bytes() const { return group_bytes_; }
  virtual void groups_spent(const GroupsSpent& /*spent*/) {}
  // A call of a lifted function was not executed in groups.
  virtual void left_whole(ssa::FunctionId /*function*/, std::string_view /*why*/) {}

  // On any thread, also at once: around one group, and around a thread's share of a kernel.
  virtual void begin_group(std::size_t /*group*/, std::int64_t /*instances*/) {}
  virtual void end_group(std::size_t /*group*/, std::int64_t /*moved*/) {}
  virtual void begin_share() {}
  virtual void end_share() {}

 protected:
  explicit Observer(bool instructions = true, Recorded recorded = Recorded::kWork)
      : instructions_(instructions), recorded_(recorded) {}
  void see_instructions(bool wanted) { instructions_.store(wanted, std::memory_order_relaxed); }
  void see_group_lines(bool wanted) { group_lines_ = wanted; }    // before the run
  void see_device_times(bool wanted) { device_times_ = wanted; }  // before the run
  void see_group_bytes(bool wanted) { group_bytes_ = wanted; }    // before the run
  void see_work(bool wanted) { work_ = wanted; }                  // before the run
  void see_branches(bool wanted) { branches_ = wanted; }          // before the run
  void see_calls(bool wanted) { calls_.store(wanted, std::memory_order_relaxed); }
  void see_recorded(Recorded recorded) { recorded_ = std::max(recorded_, recorded); }  // before the run

 private:
  std::atomic<bool> instructions_;
  std::atomic<bool> calls_{true};
  bool work_ = true;
  bool branches_ = false;
  bool group_lines_ = false, device_times_ = false, group_bytes_ = false;
  Recorded recorded_;
};

}  // namespace nvm::vm
