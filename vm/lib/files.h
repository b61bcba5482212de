// Files as NESL values: what --in and --out of `nvm run` read and write.
#pragma once

#include <cstdint>
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

enum class FileKind : std::uint8_t { kNpy, kCsv, kTsv, kText };

// A file as a command line names it: KIND:PATH with npy, csv, tsv or text, or a path whose ending says the
// kind, in letters of any case: .npy, .csv, .tsv, .txt, or none at all for text. Throws Fault kIo for any
// other ending.
struct NamedFile {
  FileKind kind = FileKind::kText;
  std::string path;
};
[[nodiscard]] NamedFile named_file(const std::string& word);

// .npy by its shape ([float], [[int]], ... or a scalar); tables as rows of numbers ([[float]], a first line
// of titles is skipped); text as it is ([char]). All are copies: what becomes of the file afterwards changes
// nothing. Throws Fault kIo.
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

// Why no value of this type can be written to a file of this kind; "" if one can. .npy: a scalar, or
// sequences of them nested with equal lengths; tables: a sequence of numbers, a line each, or of sequences, a
// line per row; text: a string as it is.
[[nodiscard]] std::string refuses(FileKind kind, const frontend::Type* type);
// Writes all of it, and finishes the file. Throws Fault kIo, also for a type that is refused.
void write_value(OutFile& out, const NamedFile& file, const frontend::Type* type,
                 std::span<const Value> slots);

}  // namespace nvm::vm
