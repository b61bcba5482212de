// Files as NESL values: what --in and --out of `nvm run` read and write.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "frontend/nesl/types.h"
#include "vm/data/pool.h"
#include "vm/data/value.h"

namespace nvm {
class InFile;
class OutFile;
}  // namespace nvm

namespace nvm::vm {

enum class FileKind : std::uint8_t { kNpy, kCsv, kTsv, kText, kRows, kColumns, kFields };

// A file as a command line names it: KIND:PATH with npy, csv, tsv, text, or, to read, rows, columns or fields
// of a table; or a path whose ending says the kind, in letters of any case: .npy, .csv, .tsv, .txt, or none
// at all for text. The path - is standard input. Throws Fault kIo for any other ending.
struct NamedFile {
  FileKind kind = FileKind::kText;
  std::string path;
};
[[nodiscard]] NamedFile named_file(const std::string& word);

// .npy by its shape ([float], [[int]], ... or a scalar); tables of numbers as rows ([[float]], a first line
// of titles is skipped), others, and rows: of any, as tuples of the fields, columns: as a tuple of columns,
// by the types that read_columns finds, fields: as texts ([[[char]]]); text as it is ([char]). All are
// copies: what becomes of the file afterwards changes nothing. Throws Fault kIo.
[[nodiscard]] std::pair<const frontend::Type*, std::vector<Value>> read_value(const NamedFile& file,
                                                                              InFile& in,
                                                                              frontend::TypeArena& arena,
                                                                              Pool& pool);

// The same without a type: descriptors, outermost first, and the elements.
[[nodiscard]] std::vector<Value> read_slots(const NamedFile& file, InFile& in, Pool& pool);

// A string as a value of type [char].
[[nodiscard]] std::pair<const frontend::Type*, std::vector<Value>> text_value(const std::string& text,
                                                                              frontend::TypeArena& arena,
                                                                              Pool& pool);

// An integer or a float as it is written; nothing for another text.
[[nodiscard]] std::optional<std::pair<const frontend::Type*, std::vector<Value>>> number_value(
    const std::string& text);

// Why no value of this type can be written to a file of this kind; "" if one can. .npy: a scalar, or
// sequences of them nested with equal lengths; tables: a sequence of numbers, strings, or tuples of such, a
// line each, a sequence of sequences of numbers, a line each, or a tuple of sequences of numbers or strings,
// the columns; text: a string as it is.
[[nodiscard]] std::string refuses(FileKind kind, const frontend::Type* type);
// Writes all of it, and finishes the file; the titles, if there are any, in front of a table. Throws Fault
// kIo, also for a type that is refused.
void write_value(OutFile& out, const NamedFile& file, const frontend::Type* type,
                 std::span<const Value> slots, std::span<const std::string> titles = {});

}  // namespace nvm::vm
