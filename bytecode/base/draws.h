// A place in a sequence of random draws that can be entered anywhere.
#pragma once

#include <cstdint>

namespace nvm {

struct Draws {
  std::uint64_t seed = 0;
  std::uint64_t first = 0;
};

}  // namespace nvm
