// Block mode: a lifted function, with all it calls, as one kernel that runs it on groups of instances, one
// block of threads to a group. See block.cuh.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::gpu {

struct BlockCode {
  std::string source;  // with what it needs besides the prelude
  std::string entry;
  std::vector<int> widths;  // by result: bytes of an element, 0: a descriptor
  int int_bytes = 8;
};

// Words of the kernel's argument.
enum BlockArgs : std::size_t {
  kGroups,     // number of groups in the list
  kList,       // their numbers
  kArguments,  // 4 words by group and parameter: see nvm_b_vector and nvm_b_segments
  kResults,    // 3 words by group and result: address, number, total of a descriptor
  kStates,     // by group: 0 done, 1 a check failed, 2 out of memory
  kArenas,     // memory for arenas, one after the other; 0: in shared memory
  kArenaBytes,
  kHeap,  // where results go
  kHeapBytes,
  kHeapTop,  // address of how much of it is used
  kMoved,    // by group: bytes read and written; 0: the kernel does not count them
  kBlockArgs
};
inline constexpr int kBlockThreads = 128;

// Nothing, and a reason in words, if the function or one that it calls does something that has no block-wide
// form. `counts`: the kernel adds up the bytes that it moves.
[[nodiscard]] std::optional<BlockCode> generate_block(const ssa::Module& module, ssa::FunctionId function,
                                                      bool counts, std::string& reason);

}  // namespace nvm::gpu
