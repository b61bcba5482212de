// Anonymous pages of the system.
#pragma once

#include <cstddef>

namespace nvm::vm {

inline constexpr std::size_t kPage = 4096;
inline constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Memory without pages behind it yet, with huge ones if `size` allows; null if there is none.
[[nodiscard]] std::byte* map_memory(std::size_t size);

// Of the machine.
[[nodiscard]] std::size_t physical_bytes();

// Can the system move pages? (Linux since 5.7; what emulates it may not.)
[[nodiscard]] bool can_move_pages();
// Moves the pages behind [from, from + size), part of one mapping, to `to`, which is mapped, too, and has
// none. The addresses `from` stay mapped. False, with nothing moved, if the system cannot do that.
[[nodiscard]] bool move_pages(std::byte* from, std::byte* to, std::size_t size);

// Puts one mapping in the place of those that [p, p + size), which is this process's own, has; its pages are
// lost.
void renew_pages(std::byte* p, std::size_t size);

}  // namespace nvm::vm
