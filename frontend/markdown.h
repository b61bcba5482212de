// Programs that are documents: in a Markdown text, the fenced blocks of a language are the program.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nvm::frontend {

// By how a file's name ends.
[[nodiscard]] bool is_markdown(std::string_view file);

struct CodeBlock {
  std::size_t begin = 0, end = 0;  // its lines, in bytes of the text, without the fences
  bool indented = false;           // its fence is
  bool closed = false;             // a fence ends it, or its list does, at `end`; else the text does
};

// The fenced blocks whose info string begins with the word `language`, in order. Fences are those of
// CommonMark outside of quotations, and of lists if they are in fewer than four columns from the left or
// begin an item; within a block of HTML there are none.
[[nodiscard]] std::vector<CodeBlock> code_blocks(std::string_view text, std::string_view language);

// The text with blanks in place of what stands outside of the blocks: all else keeps its line, column and
// offset.
[[nodiscard]] std::string only_blocks(std::string text, const std::vector<CodeBlock>& blocks);

}  // namespace nvm::frontend
