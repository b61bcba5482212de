#include "frontend/nesl/program_text.h"

#include <algorithm>

#include "frontend/markdown.h"
#include "frontend/nesl/lexer.h"

namespace nvm::frontend {

namespace {

// Whether its last word is no terminator.
bool ends_within_form(std::string_view code) {
  Diagnostics ignored("", "");
  const Source source{"", code};
  Lexer lexer(source, ignored);
  bool within = false;
  for (Token token = lexer.next(); token.kind != Tok::kEnd; token = lexer.next())
    within = !token.is(";") && !token.is("$");
  return within;
}

std::string blocks_of(std::string text) {
  const std::vector<CodeBlock> blocks = code_blocks(text, kNeslBlocks);
  std::string code = only_blocks(std::move(text), blocks);
  for (const CodeBlock& block : blocks)
    if (block.closed && ends_within_form(std::string_view(code).substr(block.begin, block.end - block.begin)))
      code[block.end] = kBlockEnd;  // where the fence was; no form goes on behind it
  return code;
}

}  // namespace

std::string program_text(std::string text, bool markdown) {
  std::replace(text.begin(), text.end(), kBlockEnd, '\x01');  // which is no character of NESL either
  if (markdown) return blocks_of(std::move(text));
  if (text.starts_with("#!")) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    text.replace(0, end, end, ' ');
  }
  return text;
}

}  // namespace nvm::frontend
