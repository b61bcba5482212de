// Recursion whose depth a program decides. Structures are bounded where they are made; functions that walk
// along them ask here in addition, so that no bound has to know how large the stack of a thread is and how
// much of it a compiler uses for a level.
#pragma once

#include <cstdint>
#include <exception>

namespace nvm {

// Thrown where too little stack is left for another level, and where a structure reaches its bound; what was
// being made is given up.
struct TooDeep : std::exception {
  [[nodiscard]] const char* what() const noexcept override { return "nested too deeply"; }
};

extern constinit thread_local std::uintptr_t stack_end;  // of what recursion may use; not known: the largest

[[gnu::cold]] void check_stack_end(std::uintptr_t here);  // finds out the thread's, or throws

// First statement of each recursive function whose depth a program decides.
[[gnu::always_inline]] inline void check_stack() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (here < stack_end) [[unlikely]]
    check_stack_end(here);
}

}  // namespace nvm
