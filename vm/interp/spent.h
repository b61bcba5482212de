// What the interpreters of block mode's groups say of their time and work; see line_meter.h.
#pragma once

#include <cstdint>
#include <vector>

#include "bytecode/base/device_times.h"
#include "bytecode/ssa/ssa.h"
#include "vm/interp/segment_shape.h"

namespace nvm::vm {

// A source line at one level of a recursion.
struct LineSpent {
  const ssa::Inst* inst = nullptr;  // of the line
  ssa::FunctionId function = 0;     // that was executed
  std::int32_t level = 0;           // of it, above that of the call that was cut
  std::int64_t ticks = 0;
  std::uint64_t times = 0;         // that control came there
  std::uint64_t instructions = 0;  // of the group that executed the most
  std::uint64_t work = 0;
  std::int64_t bytes = 0;  // moved
};

// The calls of a function at one level, but for those that groups begin with.
struct CallsSpent {
  ssa::FunctionId function = 0;
  std::int32_t level = 0;
  std::uint64_t calls = 0;
  SegmentShape shape;  // summed up; empty if the function is not lifted
};

// Groups that a device ran at once.
struct DeviceGroups {
  std::size_t groups = 0;
  bool shared = false;  // in memory that a block of threads has for itself
  DeviceTimes times;
  std::int64_t moved = 0;  // bytes, if somebody asked
};

struct GroupsSpent {
  std::vector<LineSpent> lines;
  std::vector<CallsSpent> calls;
  std::vector<DeviceGroups> device;

  [[nodiscard]] bool empty() const { return lines.empty() && calls.empty() && device.empty(); }
  void add(const GroupsSpent& other) {
    lines.insert(lines.end(), other.lines.begin(), other.lines.end());
    calls.insert(calls.end(), other.calls.begin(), other.calls.end());
  }
};

}  // namespace nvm::vm
