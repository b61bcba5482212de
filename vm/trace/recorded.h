// What a recorder has recorded, and who executes it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bytecode/soac/region.h"
#include "vm/interp/region_hook.h"
#include "vm/prims/prims.h"
#include "vm/trace/deferred.h"

namespace nvm::vm {

enum class RegionStop : std::uint8_t {
#define STOP(id, ...) id,
#include "vm/trace/stop.def"
};
inline constexpr std::size_t kRegionStops = 0
#define STOP(...) +1
#include "vm/trace/stop.def"
    ;
[[nodiscard]] const char* stop_text(RegionStop stop);
[[nodiscard]] const char* stop_name(RegionStop stop);

// Where a recorded instruction stands in the program.
struct RecordedSite {
  const ssa::Inst* inst = nullptr;  // null: the branch of a conditional
  Site site;
  std::int32_t trail = -1;  // into RecordedRegion::trails, -1: nobody knows the callers
  std::int32_t guard = -1;  // of a conditional that is no check: which of the region's guards
};

// What the executor keeps with a line that comes again.
class RegionMemo {
 public:
  virtual ~RegionMemo() = default;
};

// A region with what it runs on.
struct RecordedRegion {
  soac::Region region;                // roles of the variables say what is live
  std::vector<Value> inputs;          // by VarId; empty where made inside
  std::vector<std::int64_t> lengths;  // by LengthId; -1 where counted
  std::vector<RecordedSite> sites;    // by RegionInst::site
  std::vector<CallTrail> trails;
  std::vector<Draws> draws;  // by RegionInst::draw
  RegionStop stop = RegionStop::kAsked;
  std::chrono::steady_clock::time_point begun;  // when the first instruction was recorded; 0: nobody looked
  // Of a line that comes again, always the same; null of others.
  std::unique_ptr<RegionMemo>* memo = nullptr;
  bool watched = true;  // the run's observer, if there is one, wants to see how it is executed
  // Filled in by the executor, with the counted lengths.
  std::size_t kernels = 0;
  bool trapped = false;
  std::string_view reason;  // why no kernels ran; valid until the next region

  [[nodiscard]] CallTrail trail_of(const RecordedSite& site) const {
    return site.trail >= 0 ? trails[static_cast<std::size_t>(site.trail)] : CallTrail();
  }
};

// What the instructions of the region touch, as far as known beforehand.
[[nodiscard]] std::int64_t elements_of(const RecordedRegion& region);
[[nodiscard]] std::int64_t elements_of(const RecordedRegion& region, const soac::RegionInst& inst);
// The length of what it touches of operand k; kNone if it picks from that.
[[nodiscard]] soac::LengthId touched_length(const soac::Region& region, const soac::RegionInst& inst,
                                            std::size_t k);

// Are they the same vector or descriptor, in the same memory? Numbers never are.
[[nodiscard]] bool same_input(const Value& a, const Value& b);
[[nodiscard]] soac::DescForm form_of(const Segdes& s);

// Removes what nobody will see (an instruction that can fault stays) and renumbers by first use, so that
// equal straight lines give equal text whatever was recorded around them. renamed: by old VarId, kNone if
// gone.
// `lengths`: by old LengthId, likewise. Takes the inputs and the operands of instructions from `recorded`.
[[nodiscard]] RecordedRegion compact(RecordedRegion& recorded, std::vector<soac::VarId>& renamed,
                                     std::vector<soac::LengthId>& lengths);

// Computes the live variables of a region into `outputs` (by VarId). Throws Fault; `failed` is then the site.
// Throws FailedCheck.
class RegionExecutor {
 public:
  virtual ~RegionExecutor() = default;
  virtual void execute(RecordedRegion& region, std::span<Value> outputs, RecordedSite& failed) = 0;
  // Would a region that begins with this instruction, on so many elements, be recorded for nothing?
  [[nodiscard]] virtual bool declines(const ssa::Inst& /*inst*/, std::int64_t /*elements*/) { return false; }
  // As RegionHook has it, of calls on so many elements.
  [[nodiscard]] virtual CallWay call_begins(ssa::FunctionId /*function*/, std::int64_t /*elements*/,
                                            std::int64_t /*depth*/) {
    return CallWay::kRecorded;
  }
  virtual std::int64_t call_ends(std::int64_t /*depth*/) { return -1; }
};

}  // namespace nvm::vm
