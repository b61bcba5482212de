// What a queue has been asked to do on a device and has not passed on yet: launches, fills and copies, each
// on a lane. Work of a lane is done in order; work of different lanes at the same time, but for what it says
// to come after. Passed on as streams, or as a graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/api/driver.h"

namespace nvm::gpu {

struct DeviceOp {
  enum class Kind : std::uint8_t { kLaunch, kFill, kCopy } kind = Kind::kLaunch;
  int lane = 0;
  Kernel kernel = nullptr;
  unsigned blocks = 1, threads = 1, shared_bytes = 0;
  // kLaunch: the arguments; kFill: where to, the byte; kCopy: to, from.
  std::vector<std::uint64_t> words;
  std::size_t bytes = 0;
  std::vector<std::size_t> after;  // operations of other lanes
  std::string doing;               // in words, for errors
};

// By operation: the last one before it of its lane, or its own number.
[[nodiscard]] std::vector<std::size_t> previous_of_lane(const std::vector<DeviceOp>& ops);
// What two lists have in common that can be one graph: everything but words.
[[nodiscard]] std::string shape_of(const std::vector<DeviceOp>& ops);

// The parameters of a node; they point into `op`.
struct NodeParameters {
  explicit NodeParameters(const DeviceOp& op);
  KernelNode kernel;
  FillNode fill;
  CopyNode copy;
  void* words = nullptr;
};

}  // namespace nvm::gpu
