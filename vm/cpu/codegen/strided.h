// Strided loads: a gather whose index goes up or down by the same number from iteration to iteration. Four
// neighbouring elements of each lane are loaded and the lanes' rows turned into columns, so that gathers of
// x[8i], x[8i + 1] ... share their loads. How far an iteration's elements are from the next one's is a number
// of the run; which gathers share loads is compiled.
#pragma once

#include <atomic>
#include <map>
#include <vector>

#include "bytecode/base/call_once.h"
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"
#include "vm/cpu/codegen/stretches.h"
#include "vm/cpu/codegen/stripes.h"

namespace nvm::vm::cpu {

struct KernelCode;
class CodeMemory;

// The gathers of the stretch that do not read neighbours, and which of them share loads.
[[nodiscard]] std::vector<StridedLoad> strided_loads(const Stretch& stretch, const soac::Body& body);

// In the loop of a stage.
class StridedLoads {
 public:
  StridedLoads(Lanes& lanes, StageFrame& frame, const StageSpec& spec);
  [[nodiscard]] bool has(std::size_t gather) const { return by_value_[gather] != nullptr; }
  // In front of the loop.
  void hoist(std::size_t gather);
  // In the order of the body; iterations are `ahead` further on.
  [[nodiscard]] Lane load(std::size_t gather, std::int64_t ahead);

 private:
  [[nodiscard]] Storage storage_of(std::int32_t gather) const;
  [[nodiscard]] std::array<x86::Mem, kMostStripes> places(const Slot& first, const Slot& stride,
                                                          std::int64_t ahead);

  Lanes& lanes_;
  StageFrame& frame_;
  const StageSpec& spec_;
  std::vector<const StridedLoad*> by_value_;
  std::vector<bool> is_first_;  // by value: of those that share loads, in the order of the body
  std::map<std::pair<std::int32_t, std::int64_t>, std::array<Lane, kStripeTurn>> loaded_;
};

// The second function of a kernel's main stage for stretches with strides, compiled when it pays: for those
// loads that are first wanted, others stay gathers.
class StridedCode {
 public:
  // Null: there is none, or not yet.
  [[nodiscard]] const Stage* stage(const KernelCode& code, const StretchIndices& indices,
                                   const std::vector<StridedLoad>& loads, std::int64_t iterations,
                                   CodeMemory& memory) const;
  void release(CodeMemory& memory);

 private:
  mutable std::atomic<std::int64_t> seen_{0};  // iterations that wanted it
  mutable CallOnce once_;
  mutable std::vector<StridedLoad> loads_;
  mutable Stage stage_;
};

}  // namespace nvm::vm::cpu
