// Remora text to trees: words, brackets and instantiations with their places. Which trees are forms is
// decided where they are checked, because a variable hides the form of its name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/base/diagnostic.h"

namespace nvm::remora {

struct Tree {
  enum class Kind : std::uint8_t {
    kInt,       // number
    kFloat,     // real
    kBool,      // number: 0 or 1
    kChar,      // number: a code point
    kString,    // codes
    kName,      // text
    kRound,     // ( kids )
    kSquare,    // [ kids ]
    kCurly,     // { kids }
    kInstance,  // kids[0]{kids[1] ... | ...}: indices begin at kids[bar]
  };
  Kind kind = Kind::kInt;
  SourcePos pos;
  std::int64_t number = 0;
  double real = 0;
  std::string text;
  std::vector<std::int32_t> codes;
  std::vector<Tree> kids;
  int height = 0;       // of brackets in it
  std::size_t bar = 0;  // kCurly, kInstance: the first kid behind the bar; kids.size() without one

  [[nodiscard]] bool is(Kind k) const { return kind == k; }
  [[nodiscard]] bool is_name(std::string_view name) const { return kind == Kind::kName && text == name; }
};

// An error of a program, with the kind that the language names.
struct Error {
  std::string kind;
  SourcePos pos;
  std::string text;
};

// Brackets deeper than this are an error: what walks over trees recurses.
inline constexpr int kMaxNesting = 1000;

// For messages: characters that cannot be seen by their numbers, a no-break space as <U+00A0>.
[[nodiscard]] std::string visible(std::string_view text);
// All expressions of a text; columns count code points. Throws Error (kind `syntax`) at the first fault.
// `line` is the number of its first line.
[[nodiscard]] std::vector<Tree> read_trees(std::string_view text, std::uint32_t line = 1);
// The text with blanks in place of what cannot be read: from where an expression begins that has a fault to
// the next line that begins with a bracket. All else keeps its place.
[[nodiscard]] std::string readable(std::string text);
// Whether a text ends within brackets, a string or a comment that lines to come may close.
[[nodiscard]] bool ends_within(std::string_view text);

}  // namespace nvm::remora
