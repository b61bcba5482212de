#include "vm/interp/frames.h"

#include <algorithm>

namespace nvm::vm {

namespace {
constexpr std::size_t kSmallestBlock = 1 << 5;  // short runs feel it
constexpr std::size_t kLargestBlock = 1 << 20;
}  // namespace

Value* Frames::open_elsewhere(std::size_t next, std::int32_t slots) {
  const auto wanted = static_cast<std::size_t>(slots);
  // A block kept from deeper calls that is too small for this frame is skipped for good.
  while (next < blocks_.size() && blocks_[next].size < wanted) {
    bytes_ -= blocks_[next].size * sizeof(Value);
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(next));
  }
  if (next == blocks_.size()) {
    const std::size_t grown =
        blocks_.empty() ? kSmallestBlock : std::min(blocks_.back().size * 2, kLargestBlock);
    const std::size_t size = std::max(grown, wanted);
    if (bytes_ + size * sizeof(Value) > max_bytes_) throw frame_fault();
    allocate_for_calls(bytes_, [&] { blocks_.push_back({std::make_unique<Value[]>(size), size}); });
    bytes_ += size * sizeof(Value);
  }
  select(next);
  return begin_;
}

void Frames::clear() {
  for (Block& block : blocks_) std::fill_n(block.values.get(), block.size, Value());
  if (!blocks_.empty()) select(0);
}

}  // namespace nvm::vm
