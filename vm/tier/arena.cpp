#include "vm/tier/arena.h"

#include <algorithm>
#include <bit>
#include <new>

namespace nvm::vm {

namespace {

// Four sizes to every power of two, in grains; the first four are 1 to 4.
std::uint32_t class_of(std::size_t grains) {
  if (grains <= 4) return static_cast<std::uint32_t>(grains) - 1;
  const auto top = static_cast<std::uint32_t>(std::bit_width(grains - 1)) - 3;  // of three leading bits
  return 4 * top + static_cast<std::uint32_t>((grains - 1) >> top);
}
std::size_t grains_of(std::uint32_t size_class) {
  if (size_class < 4) return size_class + 1;
  const std::uint32_t top = size_class / 4 - 1;
  return (size_class % 4 + 5) << top;
}

}  // namespace

Arena::Block* Arena::allocate(ByteCount bytes) {
  if (bytes.get() > limit_) return nullptr;
  const std::uint32_t size_class = class_of(bytes.get() / kGrain + 2);  // with the header
  const std::size_t size = grains_of(size_class) * kGrain;
  if (size > limit_ - std::min(live_, limit_)) return nullptr;
  Block*& free = free_[size_class];
  Block* block = free;
  if (block != nullptr) {
    free = block->next;
    block->references = 1;
  } else {
    block = carve(size);
    if (block == nullptr) return nullptr;
    block->size_class = size_class;
  }
  live_ += size;
  return block;
}

Arena::Block* Arena::carve(std::size_t bytes) {
  if (bytes > left_) {
    const std::size_t piece = std::max(piece_, bytes);
    try {
      pieces_.push_back(pool_.allocate(ByteCount(piece) + kGrain));
    } catch (const Fault&) {
      return nullptr;
    }
    next_ = pieces_.back().data();
    left_ = piece;
  }
  auto* block = new (next_) Block;
  next_ += bytes;
  left_ -= bytes;
  return block;
}

void Arena::release(Block* block) {
  if (block == nullptr || --block->references > 0) return;
  live_ -= grains_of(block->size_class) * kGrain;
  block->next = free_[block->size_class];
  free_[block->size_class] = block;
}

}  // namespace nvm::vm
