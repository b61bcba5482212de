#include "vm/lib/files.h"

#include <cerrno>
#include <charconv>
#include <cstring>

#include "bytecode/base/budget.h"
#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"
#include "vm/lib/csv.h"
#include "vm/lib/nesl_print.h"
#include "vm/lib/npy.h"
#include "vm/lib/write_table.h"

namespace nvm::vm {

namespace {

using frontend::resolve;
using frontend::Type;
using frontend::TypeArena;
using frontend::TypeKind;
using Typed = std::pair<const Type*, std::vector<Value>>;

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Fault{Fault::Kind::kIo, path + ": " + why};
}

std::string read_text(const std::string& path, InFile& in) {
  std::string text = in.rest();
  if (in.error() == EISDIR) fail(path, "is a directory");
  if (in.error() != 0) fail(path, std::string("cannot be read: ") + std::strerror(in.error()));
  return text;
}

struct KindRow {
  FileKind kind;
  std::string_view name;    // before a colon
  std::string_view ending;  // of a path, in small letters
};
constexpr std::string_view kNoEnding = "/";
constexpr KindRow kKinds[] = {{FileKind::kNpy, "npy", ".npy"},
                              {FileKind::kCsv, "csv", ".csv"},
                              {FileKind::kTsv, "tsv", ".tsv"},
                              {FileKind::kText, "text", ".txt"},
                              {FileKind::kText, "text", ""},
                              {FileKind::kRows, "rows", kNoEnding},
                              {FileKind::kColumns, "columns", kNoEnding},
                              {FileKind::kFields, "fields", kNoEnding}};

std::string in_small_letters(std::string_view text) {
  std::string small;
  for (const char c : text) small += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
  return small;
}

// From the last dot of the name; "" if it has none but a first one.
std::string_view ending_of(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  const std::size_t dot = name.find_last_of('.');
  return dot == name.npos || dot == 0 ? std::string_view() : name.substr(dot);
}

Vector bytes(const std::string& text, Pool& pool) {
  if (text.size() == 1) return Vector::of_int(static_cast<unsigned char>(text[0]));
  bool ascii = true;
  for (const char c : text) ascii = ascii && static_cast<signed char>(c) >= 0;
  const auto n = static_cast<std::int64_t>(text.size());
  Vector v = pool.vector(ascii ? Storage::kI8 : Storage::kI64, n);
  if (n == 0) return v;
  if (ascii)
    std::memcpy(v.mutable_data<char>(), text.data(), text.size());
  else
    for (std::size_t i = 0; i < text.size(); ++i)
      v.mutable_data<std::int64_t>()[i] = static_cast<unsigned char>(text[i]);
  return v;
}

Typed from_array(const Array& array, TypeArena& arena) {
  const auto kind = array.elements.type() == nvm::Type::kFloat  ? TypeKind::kFloat
                    : array.elements.type() == nvm::Type::kBool ? TypeKind::kBool
                                                                : TypeKind::kInt;
  const Type* type = TypeArena::base(kind);
  std::vector<Value> slots;
  std::int64_t rows = 1;
  for (const std::int64_t n : array.shape) {
    slots.emplace_back(Segdes::regular(rows, n));
    rows *= n;
    type = arena.seq(type);
  }
  slots.emplace_back(array.elements);
  return {type, std::move(slots)};
}

template <typename T>
Vector vector_of(const std::vector<T>& v, Storage storage, Pool& pool) {
  if (v.size() == 1) {
    if constexpr (std::is_same_v<T, double>)
      return Vector::of_float(v[0]);
    else
      return Vector::of_int(v[0]);
  }
  Vector out = pool.vector(storage, static_cast<std::int64_t>(v.size()));
  if (!v.empty()) std::memcpy(out.mutable_data<T>(), v.data(), v.size() * sizeof(T));
  return out;
}

Typed of_numbers(const Table& table, TypeArena& arena, Pool& pool) {
  const auto rows = static_cast<std::int64_t>(table.lengths.size());
  const auto total = static_cast<std::int64_t>(table.numbers.size());
  return {
      arena.seq(arena.seq(TypeArena::base(TypeKind::kFloat))),
      {Segdes::regular(1, rows), Segdes::from_lengths(vector_of(table.lengths, Storage::kI64, pool), total),
       vector_of(table.numbers, Storage::kF64, pool)}};
}

Value nested(const std::vector<std::int64_t>& lengths, std::int64_t total, Pool& pool) {
  return Segdes::from_lengths(vector_of(lengths, Storage::kI64, pool), total);
}

// The rows as a sequence of tuples, or a tuple of sequences, the columns.
Typed of_columns(const std::vector<Column>& columns, bool by_column, TypeArena& arena, Pool& pool) {
  std::vector<const Type*> types;
  std::vector<Value> slots;
  for (const Column& column : columns) {
    const bool texts = column.kind == Column::Kind::kTexts, ints = column.kind == Column::Kind::kInts;
    const std::size_t rows = texts ? column.lengths.size() : column.floats.size();
    if (by_column || slots.empty()) slots.emplace_back(Segdes::regular(1, static_cast<std::int64_t>(rows)));
    const Type* type = TypeArena::base(texts ? TypeKind::kChar : ints ? TypeKind::kInt : TypeKind::kFloat);
    if (texts) {
      slots.push_back(nested(column.lengths, static_cast<std::int64_t>(column.text.size()), pool));
      slots.emplace_back(bytes(column.text, pool));
    } else {
      slots.emplace_back(ints ? vector_of(column.ints, Storage::kI64, pool)
                              : vector_of(column.floats, Storage::kF64, pool));
    }
    if (texts) type = arena.seq(type);
    types.push_back(by_column ? arena.seq(type) : type);
  }
  const Type* type = types.size() == 1 ? types[0] : arena.tuple(types);
  return {by_column ? type : arena.seq(type), std::move(slots)};
}

Typed of_fields(const Fields& fields, TypeArena& arena, Pool& pool) {
  const Type* text = arena.seq(TypeArena::base(TypeKind::kChar));
  return {arena.seq(arena.seq(text)),
          {Segdes::regular(1, static_cast<std::int64_t>(fields.rows.size())),
           nested(fields.rows, static_cast<std::int64_t>(fields.lengths.size()), pool),
           nested(fields.lengths, static_cast<std::int64_t>(fields.text.size()), pool),
           bytes(fields.text, pool)}};
}

Typed from_table(const NamedFile& file, InFile& in, TypeArena& arena, Pool& pool) {
  const std::string text = read_text(file.path, in);
  if (file.kind == FileKind::kFields) return of_fields(read_fields(text, file.path), arena, pool);
  const bool plain = file.kind == FileKind::kCsv || file.kind == FileKind::kTsv;
  if (plain)
    if (const auto numbers = read_numbers(text, file.path)) return of_numbers(*numbers, arena, pool);
  const std::vector<Column> columns = read_columns(text, file.path);
  if (columns.empty()) fail(file.path, "is empty, so nothing says which columns there are");
  return of_columns(columns, file.kind == FileKind::kColumns, arena, pool);
}

// A nest of sequences of equal lengths around one vector.
Array to_array(const std::string& path, const Type* type, std::span<const Value> slots) {
  Array array;
  std::size_t k = 0;
  for (type = resolve(type); type->kind == TypeKind::kSeq; type = resolve(type->args[0])) {
    const auto& segdes = std::get<Segdes>(slots[k++]);
    if (!segdes.is_regular()) fail(path, "sequences of different lengths do not make an array");
    array.shape.push_back(segdes.regular_length());
  }
  array.elements = std::get<Vector>(slots[k]);
  return array;
}

void write_text(OutFile& out, std::span<const Value> slots) {
  const auto& v = std::get<Vector>(slots[1]);
  for (std::int64_t i = 0; i < v.length(); ++i) {
    const char c = static_cast<char>(int_at(v, i));
    out.write({&c, 1});
  }
}

}  // namespace

namespace {
std::string stream_of(const std::string& path) { return path == "-" ? "/dev/stdin" : path; }
}  // namespace

NamedFile named_file(const std::string& word) {
  for (const KindRow& row : kKinds)
    if (word.size() > row.name.size() && word.starts_with(row.name) && word[row.name.size()] == ':')
      return {row.kind, stream_of(word.substr(row.name.size() + 1))};
  if (word == "-") return {FileKind::kText, stream_of(word)};
  const std::string ending = in_small_letters(ending_of(word));
  for (const KindRow& row : kKinds)
    if (row.ending == ending) return {row.kind, word};
  fail(word, "files that end in " + ending +
                 " are not supported, but .npy, .csv, .tsv and .txt; text:" + word + " is any file, as text");
}

Typed read_value(const NamedFile& file, InFile& in, TypeArena& arena, Pool& pool) {
  switch (file.kind) {
    case FileKind::kNpy: return from_array(read_npy(file.path, in, pool), arena);
    case FileKind::kText: break;
    default: return from_table(file, in, arena, pool);
  }
  return text_value(read_text(file.path, in), arena, pool);
}

std::vector<Value> read_slots(const NamedFile& file, InFile& in, Pool& pool) {
  TypeArena arena;
  return read_value(file, in, arena, pool).second;
}

Typed text_value(const std::string& text, TypeArena& arena, Pool& pool) {
  return {arena.seq(TypeArena::base(TypeKind::kChar)),
          {Segdes::regular(1, static_cast<std::int64_t>(text.size())), bytes(text, pool)}};
}

std::optional<Typed> number_value(const std::string& text) {
  const char* const end = text.data() + text.size();
  std::int64_t i = 0;
  if (const auto read = std::from_chars(text.data(), end, i); read.ec == std::errc() && read.ptr == end)
    return Typed{TypeArena::base(TypeKind::kInt), {Vector::of_int(i)}};
  const bool numeric = !text.empty() && text.find_first_not_of("0123456789.eE+-") == text.npos;
  double x = 0;
  if (const auto read = std::from_chars(text.data(), end, x);
      numeric && read.ec == std::errc() && read.ptr == end)
    return Typed{TypeArena::base(TypeKind::kFloat), {Vector::of_float(x)}};
  return std::nullopt;
}

std::string refuses(FileKind kind, const Type* type) {
  const Type* whole = type;
  int depth = 0;
  for (type = resolve(type); type->kind == TypeKind::kSeq; type = resolve(type->args[0])) ++depth;
  const bool plain = type->kind <= TypeKind::kChar;
  switch (kind) {
    case FileKind::kNpy: return plain ? "" : "only numbers, flags and characters make an array";
    case FileKind::kCsv:
    case FileKind::kTsv: return table_refuses(whole);
    case FileKind::kText: break;
    default: return "tables are written to names that end in .csv or .tsv";
  }
  return depth == 1 && type->kind == TypeKind::kChar
             ? ""
             : "only a string makes a text; names of other files end in .npy or .csv";
}

void write_value(OutFile& out, const NamedFile& file, const Type* type, std::span<const Value> slots,
                 std::span<const std::string> titles) {
  if (const std::string why = refuses(file.kind, type); !why.empty()) fail(file.path, why);
  switch (file.kind) {
    case FileKind::kNpy: write_npy(out, to_array(file.path, type, slots)); break;
    case FileKind::kCsv: write_table(out, file.path, type, slots, ',', titles); break;
    case FileKind::kTsv: write_table(out, file.path, type, slots, '\t', titles); break;
    default: write_text(out, slots); break;
  }
  if (!out.finish()) throw Fault{Fault::Kind::kIo, out.why()};
}

}  // namespace nvm::vm
