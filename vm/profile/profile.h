// The observer behind `nvm profile`: who spent how much time, work, bytes and memory, by the chain of calls
// and by source line. Every moment of a run belongs to exactly one line: the clock is read where control
// passes from one to another, and what passed goes to the one before.
//
// The time of a recorded region goes to the lines whose instructions it computed: a kernel's to those of the
// kernel, in equal parts; that of primitives by the elements they touched. The time of block mode goes to the
// lines that it executed, by level, in the proportion in which its threads spent theirs.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "vm/data/ticks.h"
#include "vm/interp/levels.h"
#include "vm/interp/work.h"
#include "vm/profile/segments.h"
#include "vm/profile/source_map.h"

namespace nvm::vm {

enum class Mode : std::uint8_t { kInterpreted, kFused, kBlock, kCompile };
inline constexpr std::size_t kModes = 4;

// What one line spent in one chain of calls.
struct Spent {
  std::array<std::int64_t, kModes> ticks{};
  std::uint64_t calls = 0;         // times that control came to it
  std::uint64_t instructions = 0;  // vector instructions: its depth
  std::uint64_t work = 0;
  std::uint64_t bytes = 0;
  std::uint64_t allocations = 0;
  std::uint64_t peak = 0;  // live bytes, the most that was seen

  [[nodiscard]] std::int64_t all_ticks() const { return ticks[0] + ticks[1] + ticks[2] + ticks[3]; }
  void add(const Spent& other);
};

// A function in a chain of calls. Deep recursion shares the node of its last level that has one.
struct CallNode {
  std::int32_t parent = -1;
  std::int32_t function = 0;  // number of a name
  std::int32_t call = 0;      // place of the calling instruction
  std::int32_t level = 0;
  std::uint64_t calls = 0;
  std::vector<std::pair<std::int32_t, Spent*>> lines;  // by place
  std::vector<std::int32_t> children;
};

struct KernelSpent {
  std::string combinators;
  std::vector<std::int32_t> places;  // of the instructions it computes, each once
  std::int64_t operations = 0;       // scalar operations for each element
  std::int64_t ticks = 0;
  std::uint64_t runs = 0, elements = 0, bytes = 0;
};

// A region's graph before fusion, and which kernel took what.
struct FusedRegion {
  struct Node {
    std::string name, place;
    std::string_view operation;  // the instruction, as VCODE writes it
    std::int32_t kernel = -1;
    std::vector<std::int32_t> inputs;
  };
  std::string place;
  std::string reason;  // why it was not compiled
  std::vector<Node> nodes;
};

// The calls of a function at one recursion level, all together.
struct LevelSpent {
  std::uint64_t calls = 0;
  SegmentShape shape;  // summed up
};

class Profile final : public Observer {
 public:
  Profile();

  // What passes outside of runs belongs to the phase that has begun; without one, to getting ready before a
  // run, or to clearing up behind it.
  void begin_phase(const std::string& name);
  void end_phase() { begin_phase("set up"); }
  // Nothing is measured any more.
  void finish();

  void begin_run(const ssa::Module& module, const Pool& pool) override;
  void end_run() override;
  void begin(const ssa::Inst& inst, const Site& site, std::int64_t work) override;
  void worked(std::int64_t work) override { current_->work += static_cast<std::uint64_t>(work); }
  void moved(std::int64_t bytes) override {
    current_->bytes += static_cast<std::uint64_t>(bytes);
    moved_bytes(bytes);
  }
  void enter(const CallStart& call) override;
  void leave(ssa::FunctionId function) override;
  [[nodiscard]] std::int32_t place() const override { return open_.back(); }
  void begin_region(const ssa::Inst* first, std::string_view stop) override;
  void end_region(std::span<const RecordedWork> recorded, const RegionRun& run) override;
  void begin_compile() override;
  void end_compile(const Compilation& compilation) override;
  void begin_kernel(std::uint32_t region, std::uint32_t kernel) override;
  void end_kernel(const KernelRun& run) override;
  void device_kernel(const KernelRun& run, const DeviceTimes& times) override;
  void begin_groups(const CallStart& call, std::int64_t instances, std::size_t groups) override;
  void end_groups(bool done, std::int64_t moved) override;
  void groups_spent(const GroupsSpent& spent) override;

  // Results, after the runs.
  [[nodiscard]] const SourceMap& source() const { return source_; }
  [[nodiscard]] const std::vector<CallNode>& nodes() const { return nodes_; }  // parents first
  [[nodiscard]] const std::deque<KernelSpent>& kernels() const { return kernels_; }
  [[nodiscard]] const std::vector<FusedRegion>& regions() const { return regions_; }
  [[nodiscard]] const std::map<std::pair<std::int32_t, std::int32_t>, LevelSpent>& levels() const {
    return level_spent_;  // by function and level
  }
  [[nodiscard]] const std::map<std::string, double>& phases() const { return phases_; }  // seconds
  [[nodiscard]] double run_seconds() const { return run_seconds_; }
  [[nodiscard]] double seconds_per_tick() const;
  [[nodiscard]] std::uint64_t peak() const { return peak_; }

  // The most levels of a recursion that have nodes of their own.
  static constexpr std::int32_t kMostLevels = 256;

 private:
  struct KernelTime {
    std::vector<const ssa::Inst*> insts;
    std::int64_t ticks = 0;
    std::int64_t bytes = 0;
  };
  struct Cached {
    const ssa::Inst* inst = nullptr;
    std::int32_t node = -1;
    Spent* spent = nullptr;
  };
  // A line in a chain of calls, as its instructions tell it: in the VCODE text if NESL does not.
  struct Here {
    std::int32_t node = -1;
    Origin line = 0;
    std::uint32_t vcode_line = 0;
    std::int32_t function = -1;
    [[nodiscard]] bool is(std::int32_t in, const ssa::Inst& inst) const {
      return node == in && line == inst.origin_line && function == inst.origin_function &&
             (line > 0 || vcode_line == inst.pos.line);
    }
  };
  // A call at a level, made lately from a node.
  struct Entered {
    const ssa::Inst* inst = nullptr;
    std::int32_t from = -1, level = 0;
    std::int32_t node = 0;
  };
  struct PromisedSegments {
    SegdesLater segments;
    std::int32_t function, level;
  };

  // Charges what passed since the last time: to charged_, and in equal parts to those that had control before
  // it since then.
  void tick() {
    const std::int64_t now = ticks();
    if (before_ > 0) {
      const std::int64_t part = (now - last_) / static_cast<std::int64_t>(before_ + 1);
      for (std::size_t i = 0; i < before_; ++i) *had_control_[i] += part;
      last_ += part * static_cast<std::int64_t>(before_);
      before_ = 0;
    }
    *charged_ += now - last_;
    last_ = now;
  }
  // An instruction begins that is charged elsewhere. Reading the clock takes as long as a small instruction:
  // a few of these share what passes.
  void pass_control(std::int64_t* charged, bool small) {
    if (small && was_small_ && before_ < had_control_.size())
      had_control_[before_++] = charged_;
    else
      tick();
    charged_ = charged;
    was_small_ = small;
  }
  [[nodiscard]] Spent& spent_at(std::int32_t node, std::int32_t place);
  [[nodiscard]] const Cached& known(std::int32_t node, const ssa::Inst* inst) {
    const std::size_t mixed =
        reinterpret_cast<std::uintptr_t>(inst) / sizeof(ssa::Inst) + 37 * static_cast<std::size_t>(node);
    Cached& c = cache_[mixed % cache_.size()];
    if (c.inst != inst || c.node != node) [[unlikely]]
      look_up(c, node, inst);
    return c;
  }
  void look_up(Cached& c, std::int32_t node, const ssa::Inst* inst);
  [[nodiscard]] std::int32_t entered(const CallStart& call, std::int32_t level);
  [[nodiscard]] Spent& spent_of(std::int32_t node, const ssa::Inst* inst) { return *known(node, inst).spent; }
  [[nodiscard]] std::int32_t child(std::int32_t parent, std::int32_t function, std::int32_t call,
                                   std::int32_t level);
  [[nodiscard]] std::int32_t node_in_groups(ssa::FunctionId function, std::int32_t level);
  void count_kernel(const KernelRun& run, std::int64_t ticks);
  void come_to(const ssa::Inst& inst);
  void note_allocations();
  void look_at_memory();
  void moved_bytes(std::int64_t bytes) {
    constexpr std::int64_t kLookAtMemory = 1 << 18;  // bytes moved before memory is looked at again
    unsettled_bytes_ += bytes;
    if (unsettled_bytes_ >= kLookAtMemory) look_at_memory();
  }
  void note_segments(const CallStart& call, std::int32_t function, std::int32_t level);
  void look_at_promises() {
    if (!promised_.empty()) [[unlikely]]
      keep_promises();
  }
  void keep_promises();
  void count(std::span<const RecordedWork> recorded);
  void share_kernels(std::span<const RecordedWork> recorded);
  void share_by_work(std::span<const RecordedWork> recorded, std::int64_t ticks, Mode mode,
                     std::int64_t bytes);

  SourceMap source_;
  Levels levels_;
  const ssa::Module* module_ = nullptr;
  const Pool* pool_ = nullptr;
  std::vector<CallNode> nodes_;
  std::deque<Spent> spent_;
  std::vector<std::int32_t> open_;  // nodes
  std::array<Cached, 1024> cache_;
  std::array<Entered, 256> entered_;
  std::deque<KernelSpent> kernels_;
  std::map<std::string, std::size_t> kernel_numbers_;                         // by what they are
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> kernel_of_;  // of this run
  std::vector<FusedRegion> regions_;
  std::map<std::pair<std::int32_t, std::int32_t>, LevelSpent> level_spent_;
  std::vector<PromisedSegments> promised_;
  std::map<std::string, double> phases_;
  std::string phase_;
  std::chrono::steady_clock::time_point phase_start_, run_start_;

  std::int64_t* charged_ = nullptr;  // whose time it is
  Spent* current_ = nullptr;         // the line that has control
  Here here_;                        // which that is, if it was come to
  std::int64_t last_ = 0;
  std::array<std::int64_t*, 31> had_control_{};
  std::size_t before_ = 0;  // of these
  bool was_small_ = false;  // what has control is
  std::int64_t elsewhere_ = 0, eager_ticks_ = 0, compile_ticks_ = 0, kernel_ticks_ = 0;
  std::vector<KernelTime> kernel_times_;  // of the open region
  const ssa::Inst* region_first_ = nullptr;
  bool in_region_ = false;
  Spent* before_groups_ = nullptr;
  std::int32_t groups_node_ = 0;
  std::int64_t groups_bytes_ = 0;  // of lines
  std::int64_t groups_ticks_ = 0;  // of the function that is executed in groups, before it began
  std::uint64_t allocations_ = 0;  // seen
  std::int64_t unsettled_bytes_ = 0;
  std::uint64_t peak_ = 0;
  double run_seconds_ = 0;
  std::int64_t run_ticks_ = 0, run_start_ticks_ = 0;
};

}  // namespace nvm::vm
