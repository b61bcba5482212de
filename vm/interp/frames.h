// Memory of frames: slots in large blocks, so that frames never move and a million open calls are cheap. All
// slots outside open frames are empty.
#pragma once

#include <memory>
#include <new>
#include <vector>

#include "vm/data/value.h"
#include "vm/interp/error.h"

namespace nvm::vm {

[[nodiscard]] inline Fault frame_fault() {
  return {Fault::Kind::kRecursion, "recursion limit: open calls take more memory than allowed"};
}

// Memory for one more open call, where they have so many bytes: if there is none, and they have much of what
// there is, that is why.
template <typename Allocate>
void allocate_for_calls(std::size_t bytes, Allocate allocate) {
  constexpr std::size_t kMuch = std::size_t{32} << 20;
  try {
    allocate();
  } catch (const std::bad_alloc&) {
    if (bytes >= kMuch) throw frame_fault();
    throw;
  }
}

class Frames {
 public:
  explicit Frames(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  // Room for `slots` values at `wanted`, which lies in or just behind the newest frame (null: none yet), or
  // somewhere else if they do not fit there. Throws Fault kRecursion if the memory for frames is used up.
  Value* open(Value* wanted, std::int32_t slots) {
    if (wanted != nullptr && slots <= end_ - wanted) [[likely]]
      return wanted;
    return open_elsewhere(wanted == nullptr ? 0 : current_ + 1, slots);
  }
  // The newest frame is now the one at `frame`.
  void back_to(const Value* frame) {
    while (frame < begin_ || frame >= end_) [[unlikely]] select(current_ - 1);
  }
  // Empties every slot, after a fault.
  void clear();

 private:
  struct Block {
    std::unique_ptr<Value[]> values;
    std::size_t size = 0;
  };
  Value* open_elsewhere(std::size_t block, std::int32_t slots);
  void select(std::size_t block) {
    current_ = block;
    begin_ = blocks_[block].values.get();
    end_ = begin_ + blocks_[block].size;
  }

  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::vector<Block> blocks_;
  std::size_t current_ = 0;
  Value* begin_ = nullptr;
  Value* end_ = nullptr;
};

}  // namespace nvm::vm
