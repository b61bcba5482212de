// What nvm adds to VCODE inside comments (writer.h lists the forms). Reader and writer share it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nvm {

struct Annotation {
  enum class Kind : std::uint8_t { kNone, kSource, kFunction, kLine, kChar, kSegdes };
  Kind kind = Kind::kNone;
  std::string name;          // kSource: file; kFunction: origin; kLine: file, "" if the source's
  bool lifted = false;       // kFunction
  bool tail = false;         // kFunction
  std::uint32_t line = 0;    // kLine
  std::uint32_t column = 0;  // kLine: 0 if none
};

// True if the inside of a comment claims to be an annotation.
[[nodiscard]] bool is_annotation(std::string_view comment);
// The annotation that the inside of a comment holds; kNone if it is not well formed: a comment is no error.
[[nodiscard]] Annotation parse_annotation(std::string_view comment);
// The comment for an annotation, braces included.
[[nodiscard]] std::string annotation_text(const Annotation& annotation);

}  // namespace nvm
