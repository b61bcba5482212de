// The order in which a kernel takes segments that read the same again after a number of them, as the rows of
// a matrix product read the columns: a few columns of all rows of a chunk first, which stay in the cache.
#pragma once

#include <algorithm>
#include <cstdint>

namespace nvm::vm::cpu {

struct Tiles {
  std::int64_t turn = 0;   // segments until the same is read again; 0: in order
  std::int64_t width = 0;  // segments of a turn that are taken at a time
};

// f(begin, end) for parts of [begin, end).
template <typename F>
void for_each_tile(const Tiles& tiles, std::int64_t begin, std::int64_t end, F f) {
  for (std::int64_t column = 0; column < tiles.turn; column += tiles.width)
    for (std::int64_t row = begin / tiles.turn * tiles.turn; row < end; row += tiles.turn) {
      const std::int64_t from = std::max(begin, row + column);
      const std::int64_t to = std::min(end, row + std::min(column + tiles.width, tiles.turn));
      if (from < to) f(from, to);
    }
}

}  // namespace nvm::vm::cpu
