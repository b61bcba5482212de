// Block mode on a GPU: runs the groups of a lifted call, each on one block of threads with an arena of its
// own; first in shared memory where groups are small enough, then in the device's.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bytecode/base/device_times.h"
#include "bytecode/ssa/ssa.h"
#include "gpu/codegen/block.h"
#include "gpu/compiler.h"

namespace nvm::gpu {

// A call and how its arguments are cut. Filled in by the caller but for what stands behind "made".
struct BlockCall {
  // The memory of one whole argument; none if its elements are not in memory.
  struct Argument {
    const void* data = nullptr;
    std::size_t bytes = 0;
    std::shared_ptr<Remote> remote = {};
  };
  // What one group has of it.
  struct Piece {
    std::int64_t offset = 0;  // bytes into the argument's memory, from which on it is this group's
    std::int64_t count = 0;   // elements, or segments of a descriptor
    std::uint64_t bits = 0;   // not in memory: the element, or the length of every segment
    Storage storage = Storage::kI64;
  };
  std::vector<Argument> arguments;  // by parameter
  std::vector<Piece> pieces;        // by group, then by parameter
  std::size_t groups = 0;
  std::int64_t most_bytes = 0;  // of one group's arguments
  // Host memory for `bytes` of result r; null if there is none. Kept by the caller.
  std::function<void*(std::size_t r, std::size_t bytes)> allocate;

  // Made: by group 0 done, 1 a check failed, 2 not enough memory; by result, all groups that are done end to
  // end.
  struct Result {
    void* data = nullptr;
    std::shared_ptr<Remote> remote = {};
    std::vector<std::int64_t> begin;   // by group, and the end: elements, or segments of a descriptor
    std::vector<std::int64_t> totals;  // by group: of a descriptor
  };
  std::vector<std::uint64_t> states;
  std::vector<Result> results;
  // Made if `timed`: every time that groups were begun.
  struct Ran {
    std::size_t groups = 0;
    bool shared = false;  // arenas in shared memory
    DeviceTimes times;
    std::int64_t moved = 0;  // bytes, by groups that are done, if `counted`
  };
  bool timed = false;
  std::vector<Ran> ran;
  // Made if `counted`: bytes that groups that are done moved, and joining their results.
  bool counted = false;
  std::int64_t moved = 0;
};

struct BlockLimits {
  std::int64_t shared_bytes = 48 << 10;  // most for an arena in shared memory; 0: none there
  std::int64_t arena_bytes = 0;          // of other arenas; 0: by the size of the groups
};

class BlockEngine {
 public:
  // `module` must outlive this. Null, with a reason in words, as make_engine.
  static std::unique_ptr<BlockEngine> make(const ssa::Module& module, bool background,
                                           const BlockLimits& limits, std::string& reason);

  // Whether there is a kernel for this function: why not, in words, if not. Compiles it. `counted`: the one
  // that counts bytes.
  [[nodiscard]] std::string refusal(ssa::FunctionId function, bool counted);
  // False if nothing was done: no kernel (yet), no memory, or the device has failed.
  [[nodiscard]] bool run(ssa::FunctionId function, BlockCall& call);

 private:
  struct Known {
    std::optional<BlockCode> code;
    std::shared_ptr<const Compilation> compilation;
    std::string reason;
  };
  BlockEngine(const ssa::Module& module, std::shared_ptr<OpenDevice> device, bool background,
              const BlockLimits& limits);
  const Known& known(ssa::FunctionId function, bool counted);

  const ssa::Module& module_;
  std::shared_ptr<OpenDevice> device_;
  Compiler compiler_;
  BlockLimits limits_;
  std::mutex mutex_;
  std::map<std::pair<ssa::FunctionId, bool>, Known> known_;
};

}  // namespace nvm::gpu
