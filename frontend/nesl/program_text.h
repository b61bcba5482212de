// What of a file is a program.
#pragma once

#include <string>
#include <string_view>

namespace nvm::frontend {

inline constexpr std::string_view kNeslBlocks = "nesl";  // the word behind the fences of blocks

// Of a script (#!) all but its first line; of a Markdown text the blocks of NESL, the end of each of which
// closes a form that is open there. The rest is blank: what is left keeps its line, column and offset.
[[nodiscard]] std::string program_text(std::string text, bool markdown);

}  // namespace nvm::frontend
