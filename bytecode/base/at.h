// Numbers of things are signed, so that -1 is none of them; places in a vector are not.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvm {

[[nodiscard]] constexpr std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

}  // namespace nvm
