// JSON lines: a JSON value on each line.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "vm/lib/file_values.h"

namespace nvm {
class OutFile;
}

namespace nvm::vm {

// A sequence with an element for each line that is not blank. Objects are tuples of what their keys mean, in
// the order of the first line's; arrays are sequences; a number is an integer if all of its kind are. null,
// and a key that is missing, is NaN among numbers, "" among texts, and an error elsewhere, as is a value of
// another kind than those above it, a key that the first line does not have, and more than 500 levels. Throws
// Fault kIo, with the path and the line.
[[nodiscard]] Typed read_json_lines(std::string_view text, const std::string& path,
                                    frontend::TypeArena& arena, Pool& pool);

// Why no value of this type makes JSON lines; "" if one does: all do but functions.
[[nodiscard]] std::string json_refuses(const frontend::Type* type);
// A line for each element of a sequence that is no string, one for anything else; tuples are arrays. With
// titles the value is a tuple of sequences of equal lengths, the columns, and each line an object. Floats
// have the digits that they need; NaN is null. Throws Fault kIo, with the path, for infinite numbers and
// texts that are not UTF-8, with the line, too, and for columns of different lengths.
void write_json_lines(OutFile& out, const std::string& path, const frontend::Type* type,
                      std::span<const Value> slots, std::span<const std::string> titles);

}  // namespace nvm::vm
