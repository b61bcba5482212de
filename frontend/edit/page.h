// Documents in which results stand: behind each block of NESL what it printed, and its pictures.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/markdown.h"

namespace nvm::edit {

inline constexpr std::string_view kResultBlocks = "output";  // the word behind the fences of results

// A block of the program, and the bytes of the text where its results stand: none, at `begin`, if it has
// none.
struct PagePart {
  frontend::CodeBlock code;
  std::size_t begin = 0, end = 0;
};

// Results are the next block of results, and behind it or alone the pictures whose files begin with
// `pictures` and end in .svg, each in a line of its own; in between there are blank lines only.
[[nodiscard]] std::vector<PagePart> page_parts(std::string_view text, std::string_view pictures);

// What stands there: of what a block printed each document of SVG is a picture.
struct PageResult {
  std::string text;                   // of the page
  std::vector<std::string> pictures;  // in order; the first one's file is PICTURES-N.svg with N = `first`
};
[[nodiscard]] PageResult page_result(std::string_view printed, std::string_view pictures, std::size_t first);

// The name of a picture's file.
[[nodiscard]] std::string picture_name(std::string_view pictures, std::size_t number);

}  // namespace nvm::edit
