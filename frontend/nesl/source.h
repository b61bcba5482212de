// A NESL source text under its name in messages. Tokens and syntax trees hold no pointers into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "bytecode/base/diagnostic.h"

namespace nvm::frontend {

// In a text of blocks the end of one, if it is within a form: that ends there, as at $.
inline constexpr char kBlockEnd = '\x03';

struct Source {
  std::string file;                // as printed in messages
  std::string_view text;           // must outlive the parser
  std::uint32_t first_line = 1;    // line number of the first line of `text`
  bool builtin = false;            // text of the prelude: internal names allowed, code carries no line
  std::uint32_t number = 0;        // of the text among those of a session, 0 if that is not known
  bool end_closes = false;         // the end of the text closes its last form, as ; does
  std::uint32_t first_column = 1;  // column of its first character
};

}  // namespace nvm::frontend
