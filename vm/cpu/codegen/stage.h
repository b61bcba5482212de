// A stage: one piece of machine code that evaluates part of a kernel's body over a block of consecutive
// iterations, reading contiguous arrays and writing contiguous arrays.
#pragma once

#include <asmjit/core.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bytecode/plan/plan.h"
#include "vm/cpu/isa.h"

namespace nvm::vm::cpu {

// Where the machine code finds something that changes with the run or the block: one 8-byte word each.
enum class SlotKind : std::uint8_t {
  kElement,        // address of element `begin` of vector id
  kScratch,        // address of scratch array id
  kBase,           // address of element 0 of vector id
  kLength,         // length of vector id
  kUniform,        // the one element of vector id
  kDescTotal,      // total of descriptor id
  kLanes,          // address of the lanes of fold id
  kAdvance,        // state of a sink that the code advances: number id of those it has
  kOut,            // as kElement, written; the tail of a block is written elsewhere and copied
  kStripes,        // address of the words of each lane that sink id of those has
  kStraight,       // address of the element that gather id of the stretch's reads at `begin`
  kStride,         // of such a gather: bytes from the element of one iteration to that of the next
  kOfRow,          // what value id, a per-segment pull, is in the row
  kInRow,          // index within the row of the first iteration
  kSegmentLength,  // of each segment of descriptor id
};
struct Slot {
  SlotKind kind;
  std::int32_t id;
  std::int32_t bytes = 8;  // per element, where the address depends on the iteration
  friend bool operator==(const Slot&, const Slot&) = default;
};

[[nodiscard]] inline Slot scratch_slot(std::int32_t scratch, Storage storage) {
  return {SlotKind::kScratch, scratch, static_cast<std::int32_t>(storage_bytes(storage))};
}

// What machine code receives; slots follow.
struct StageArgs {
  std::int64_t n;                // iterations, a multiple of the lanes
  std::int64_t index;            // of the first iteration
  std::uint64_t active;          // lanes that may trap, as bits
  std::uint64_t trapped;         // set to non-zero if one did
  std::int64_t phase;            // vectors combined into the lanes of folds so far, modulo those they fill
  std::int64_t active_lanes[4];  // the same as AVX2 wants it
  std::int64_t stride;           // striped: elements of a lane
  std::uint64_t slots[1];
};

using StageFunction = void (*)(StageArgs*);

// A value to be written by a stage.
struct StageOutput {
  std::int32_t value;
  Storage storage;
  Slot slot;
};
// A value that an earlier routine has left in scratch.
struct StageInput {
  std::int32_t value;
  Storage storage;
  std::int32_t scratch;
};

// A value combined into 16 lanes of `cell`, element i into lane i mod 16, counted from the args' phase.
struct StageFold {
  std::int32_t value;
  Scalar op;
  Storage cell;
  std::int32_t lanes;  // of SlotKind::kLanes
};
// A value packed one element behind the other where a flag is T, at an address that moves along; or, without
// a value, how many flags are T.
struct StagePack {
  std::int32_t value;  // kNone: count
  Storage storage;
  std::int32_t flag;
  std::int32_t advance;  // of SlotKind::kAdvance: the address, or the count
};
// A scan of INT that the code runs itself.
struct StageScan {
  std::int32_t sink;   // that kScanned names
  std::int32_t value;  // operand
  Scalar op;
  bool total;            // all combined; nobody wants the scan itself
  std::int32_t advance;  // of SlotKind::kAdvance: what lies before
};
// The segments of a kSegGather's vector, expanded over the block; scratch kNone: one segment.
struct StageSegments {
  std::int32_t value;
  std::int32_t offset_scratch;
  std::int32_t length_scratch;
};

// What is known of gathers to find stretches (codegen/stretches.h).
struct StretchIndices {
  std::vector<std::int32_t> gathers;  // values
  std::vector<std::int32_t> settled;  // what their indices are computed from, in order
  std::vector<std::int32_t> lists;    // settled gathers: they look an index up
  std::int32_t row = soac::kNone;     // descriptor of the rows that iterations are of; kNone: of none
};

// A gather over a stretch that reads every so many elements: it stands `behind` that of gather `from`, which
// has the same stride (codegen/strided.h).
struct StridedLoad {
  std::int32_t gather, from;
  std::int64_t behind;  // elements, less than those that are loaded at once
  friend bool operator==(const StridedLoad&, const StridedLoad&) = default;
};

// A scan or reduction by segment that an outer loop runs: by lane, over the elements of its segment.
struct OuterFold {
  std::int32_t sink;   // that kScanned names
  std::int32_t value;  // operand
  Scalar op;
  Type type;
  std::int32_t out;  // vector for what all elements give; kNone: nobody wants it
  Storage storage;   // of out
};
struct OuterSpec {
  std::int32_t desc;  // whose segments are all of one length, not zero
  std::vector<OuterFold> folds;
  bool many = false;  // elements of a segment, more than kSequentialMax; no scan of FLOAT
};
inline constexpr std::int64_t kFewElements = 64;  // of a segment, at most, where they are not many
// A value that an outer loop's inner one adds to from element to element. Both are of the body and evaluated
// outside; kNone: from 0, by 1.
struct EvenValue {
  std::int32_t start = soac::kNone, stride = soac::kNone;
};

struct StageSpec {
  const soac::Body* body = nullptr;
  const std::vector<plan::Var>* vars = nullptr;
  IntBits int_bits = IntBits::k64;
  std::vector<StageInput> inputs;
  std::vector<StageSegments> segments;
  std::vector<StageOutput> outputs;
  std::vector<StageFold> folds;
  std::vector<StagePack> packs;
  std::vector<StageScan> scans;
  StretchIndices straight;               // these gathers are loads, and what is settled traps nowhere
  std::vector<StridedLoad> strided;      // those of them that do not read neighbours
  std::int32_t row = soac::kNone;        // descriptor: iterations are of one segment of it (codegen/rows.h)
  const OuterSpec* outer = nullptr;      // iterations are segments (codegen/outer_loop.h)
  const plan::Repeat* repeat = nullptr;  // the body is a loop (codegen/rounds.h)
  bool striped = false;    // a striped loop (codegen/stripes.h) over n elements, n a multiple of its turns
  bool stripes = false;    // wants a striped loop besides
  bool all_traps = false;  // also what no output needs is checked
  bool streaming = false;  // kOut stores bypass the caches; addresses are aligned to 64 bytes
};

struct Stage {
  StageFunction function = nullptr;
  std::vector<Slot> slots;
  bool traps = false;
  int narrow_bytes = 0;  // of the lanes of a loop in front (codegen/narrow_lanes.h); 0: there is none
  std::string listing;
  std::size_t code_bytes = 0;
  StretchIndices indices;           // of the gathers that `straight` loads
  std::unique_ptr<Stage> straight;  // for whole vectors inside a stretch; null if no gather may have one
  std::unique_ptr<Stage> striped;   // null unless wanted
};

[[nodiscard]] inline std::size_t all_code_bytes(const Stage& stage) {
  std::size_t bytes = stage.code_bytes;
  for (const Stage* second : {stage.straight.get(), stage.striped.get()})
    if (second != nullptr) bytes += second->code_bytes;
  return bytes;
}

// Machine code for `spec` in memory of `runtime`. False with a reason if asmjit refuses.
[[nodiscard]] bool compile_stage(asmjit::JitRuntime& runtime, Isa isa, const StageSpec& spec,
                                 bool want_listing, Stage& stage, std::string& reason);

// Values of the body that the outputs need, and with all_traps what may trap, as flags by value.
[[nodiscard]] std::vector<bool> needed_values(const StageSpec& spec);
// Values that nobody but these reads.
[[nodiscard]] std::vector<bool> read_only_by(const StageSpec& spec, const std::vector<bool>& needed,
                                             const std::vector<std::size_t>& readers);
// Values that are computed from the iteration and what does not depend on it: the indices of a shift, say.
[[nodiscard]] std::vector<bool> follow_index(const soac::Body& body);
// Values that are one number for all lanes, and those that an outer loop evaluates for every element.
[[nodiscard]] std::vector<bool> same_in_lanes(const StageSpec& spec);
[[nodiscard]] std::vector<bool> inside_of(const StageSpec& spec);
// In an outer loop of few elements, by value; all empty if there are no such. BOOL is in no table.
struct ValuesByPlace {
  std::vector<bool> in_front;  // depends on the place in the segment alone
  std::vector<bool> tabled;    // is read by others
  std::vector<bool> inside;    // is computed by the inner loop
};
[[nodiscard]] ValuesByPlace values_by_place(const StageSpec& spec, const std::vector<bool>& needed);
// By value, in an outer loop of many elements; nothing for those that are none, or the index itself.
[[nodiscard]] std::vector<std::optional<EvenValue>> even_values(const StageSpec& spec);

}  // namespace nvm::vm::cpu
