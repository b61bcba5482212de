// "Did you mean": the nearest of a list of names to a misspelt one.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace nvm {

// The candidate equal to `word` but for case, else the one with the fewest edits (insert, delete, change,
// swap neighbours), as long as these are few for the length of the word; the first of equals; "" if none is
// near. Words under `shortest` characters are near none. Cost: length of word times total length of the
// candidates.
[[nodiscard]] std::string_view nearest_name(std::string_view word,
                                            std::span<const std::string_view> candidates,
                                            std::size_t shortest = 3);

// True if the two differ in case only.
[[nodiscard]] bool same_but_case(std::string_view a, std::string_view b);

}  // namespace nvm
