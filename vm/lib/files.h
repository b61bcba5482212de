// Files as NESL values: what --in and --out of `nvm run` read and write.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "vm/lib/file_values.h"
#include "vm/lib/npy.h"
#include "vm/lib/unpack.h"

namespace nvm {
class InFile;
class OutFile;
}  // namespace nvm

namespace nvm::vm {

class World;

enum class FileKind : std::uint8_t {
  kNpy,
  kNpz,
  kPng,
  kSvg,
  kCsv,
  kTsv,
  kJson,
  kParquet,
  kArrow,
  kText,
  kRows,
  kColumns,
  kFields
};

// A file as a command line names it: KIND:PATH, or a path whose ending says the kind, in letters of any case
// (KindRow in files.cpp has them all); none at all says text. Behind the kind of a table, one character may
// say what parts its fields: csv|:PATH. A further ending .gz or .zst says that it is compressed. The path -
// is standard input. Throws Fault kIo for any other ending, with what may be done instead.
struct NamedFile {
  FileKind kind = FileKind::kText;
  std::string path;
  char separator = '\0';  // of a table's fields; 0 if the file tells
  Compression compression = Compression::kNone;
};
// "-" is standard input, of what is written standard output.
enum class FileUse : std::uint8_t { kRead, kWrite };
[[nodiscard]] NamedFile named_file(const std::string& word, FileUse use = FileUse::kRead);

// The file, of Parquet and Arrow what arrow.h makes of it; through the world if there is one: a run that is
// played back opens none, and starts nothing. Throws Fault kIo.
[[nodiscard]] InFile input_file(World* world, const NamedFile& file);

// .npy by its shape ([float], [[int]], ... or a scalar), .npz a tuple of its arrays, in their order (one is
// itself); .png as in image_values.h, JSON lines as in json_lines.h, Parquet and Arrow as in
// arrow.h; tables of numbers as rows ([[float]], a
// first line of titles is skipped), others, and rows: of any, as tuples of the fields, columns: as a tuple of
// columns, by the types that read_columns finds, fields: as texts ([[[char]]]); text as it is ([char]). All
// are copies: what becomes of the file afterwards changes nothing. Throws Fault kIo.
[[nodiscard]] Typed read_value(const NamedFile& file, InFile& in, frontend::TypeArena& arena, Pool& pool);

// An .npy file, compressed or not.
[[nodiscard]] Array read_array(const NamedFile& file, InFile& in, Pool& pool);

// read_value() without a type: descriptors, outermost first, and the elements.
[[nodiscard]] std::vector<Value> read_slots(const NamedFile& file, InFile& in, Pool& pool);

// A string as a value of type [char].
[[nodiscard]] Typed text_value(const std::string& text, frontend::TypeArena& arena, Pool& pool);

// An integer or a float as it is written; nothing for another text. Throws Fault kIo for an integer that does
// not fit.
[[nodiscard]] std::optional<Typed> number_value(const std::string& text);

// Why nothing at all can be written to such a file; "" if something can.
[[nodiscard]] std::string refuses_all(const NamedFile& file);
// Why no value of this type can be written to a file of this kind; "" if one can. .npy: a scalar, or
// sequences of them nested with equal lengths; .npz: such, or a tuple of them; .png, JSON lines, Parquet,
// Arrow: as in image_values.h, json_lines.h and arrow.h; tables: a sequence of numbers, strings, or tuples of
// such, a line each, a sequence of sequences of numbers, a line each, or a tuple of sequences of numbers or
// strings, the columns; text: a string as it is. `names`: how many values of the tuple were named for it, 0
// if it is one value.
[[nodiscard]] std::string refuses(FileKind kind, const frontend::Type* type, std::size_t names = 0);
// Writes all of it, and finishes the file; the titles, if there are any, name the parts of a tuple. Throws
// Fault kIo, also for a type that is refused.
void write_value(OutFile& out, const NamedFile& file, const frontend::Type* type,
                 std::span<const Value> slots, std::span<const std::string> titles = {});

}  // namespace nvm::vm
