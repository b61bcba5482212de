// Parquet and Arrow IPC (Feather), by Apache Arrow's Python package, pyarrow, where python3 has it: the file
// goes through a process of it (arrow.py), and what comes back is the parts of a value as nvm has them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "vm/lib/file_values.h"

namespace nvm::vm {

enum class ArrowFormat : std::uint8_t { kParquet, kIpc };

// Why neither can be read or written, and what to do; "" if they can.
[[nodiscard]] std::string arrow_missing();

// A table's rows, as a sequence of tuples of the columns; of a single column its values. Lists are sequences,
// structs tuples, integers, floats and booleans themselves, strings and binary texts. null is NaN among
// numbers, which are floats then, "" among texts, and an error elsewhere, as are dates and other types that
// NESL does not have. Throws Fault kIo, with the path, and the column.
[[nodiscard]] Typed read_arrow(const std::string& unpacked, const std::string& path,
                               frontend::TypeArena& arena, Pool& pool);
// What read_arrow() takes, by a process, of a file's bytes. It is this that a record has, so a replay starts
// none. Throws Fault kIo, with the path.
[[nodiscard]] std::string unpack_arrow(ArrowFormat format, std::string_view bytes, const std::string& path);

// Why no value of this type makes a table; "" if one does: a sequence without functions in it, or with names
// a tuple of such, the columns.
[[nodiscard]] std::string arrow_refuses(const frontend::Type* type, std::size_t names);
// A row for each element; the parts of a tuple are columns, called by the titles, or c1, c2, ... Throws Fault
// kIo, with the path, for a text that is not UTF-8, and columns of different lengths.
[[nodiscard]] std::string write_arrow(ArrowFormat format, const frontend::Type* type,
                                      std::span<const Value> slots, std::span<const std::string> titles,
                                      const std::string& path);

}  // namespace nvm::vm
