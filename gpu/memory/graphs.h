// CUDA graphs of lists of operations that come again and again, as those of a line in a loop do: one launch
// for all, and only parameters that are others than the last time are told the driver.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/api/driver.h"
#include "gpu/memory/device_ops.h"

namespace nvm::gpu {

// A graph of one shape, with the parameters of its last launch.
class ReadyGraph {
 public:
  // Null if the driver cannot.
  static std::unique_ptr<ReadyGraph> make(const Driver& driver, Context context,
                                          const std::vector<DeviceOp>& ops);
  ~ReadyGraph();
  ReadyGraph(const ReadyGraph&) = delete;
  ReadyGraph& operator=(const ReadyGraph&) = delete;

  // Launches operations of the shape it was made for. 0 or the driver's error; nothing has been asked of the
  // device then.
  [[nodiscard]] int launch(const std::vector<DeviceOp>& ops, Stream stream);

 private:
  explicit ReadyGraph(const Driver& driver, Context context) : driver_(driver), context_(context) {}
  [[nodiscard]] int add(const DeviceOp& op, const std::vector<GraphNode>& after);
  [[nodiscard]] int set(std::size_t node, const DeviceOp& op);

  const Driver& driver_;
  const Context context_;
  Graph graph_ = nullptr;
  GraphExec ready_ = nullptr;
  std::vector<GraphNode> nodes_;
  std::vector<std::vector<std::uint64_t>> words_;  // by node
};

// The graphs of one loaded source. Thread-safe; a graph is used by one queue at a time.
class Graphs {
 public:
  // For these operations; null if they have not come often enough to be worth one, or it cannot be made.
  [[nodiscard]] std::unique_ptr<ReadyGraph> take(const Driver& driver, Context context,
                                                 const std::vector<DeviceOp>& ops, const std::string& shape);
  void give(const std::string& shape, std::unique_ptr<ReadyGraph> graph);

 private:
  static constexpr std::size_t kLeastOps = 2;
  static constexpr int kOften = 3;  // seen so many times, the list is likely to come again
  static constexpr std::size_t kMostShapes = 32;
  struct Known {
    int seen = 0;
    bool refused = false;
    std::vector<std::unique_ptr<ReadyGraph>> idle;
  };
  std::mutex mutex_;
  std::map<std::string, Known> known_;
};

}  // namespace nvm::gpu
