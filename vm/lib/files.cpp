#include "vm/lib/files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "bytecode/base/budget.h"
#include "bytecode/base/out_file.h"
#include "bytecode/base/read_file.h"
#include "vm/interp/world.h"
#include "vm/lib/arrow.h"
#include "vm/lib/chart.h"
#include "vm/lib/csv.h"
#include "vm/lib/image_values.h"
#include "vm/lib/json_lines.h"
#include "vm/lib/nesl_print.h"
#include "vm/lib/npy.h"
#include "vm/lib/write_table.h"
#include "vm/lib/zip.h"

namespace nvm::vm {

namespace {

using frontend::resolve;
using frontend::Type;
using frontend::TypeArena;
using frontend::TypeKind;

std::string read_text(const std::string& path, InFile& in) {
  std::string text = in.rest();
  if (in.error() != 0) fail_file(path, unread_because(in.error()));
  return text;
}

constexpr std::string_view kNoEnding = "/";
struct KindRow {
  FileKind kind;
  std::string_view name;    // before a colon
  std::string_view ending;  // of a path, in small letters
  bool parted = false;      // has a separator that may be chosen
};
constexpr KindRow kKinds[] = {{FileKind::kNpy, "npy", ".npy"},
                              {FileKind::kNpz, "npz", ".npz"},
                              {FileKind::kPng, "png", ".png"},
                              {FileKind::kSvg, "svg", ".svg"},
                              {FileKind::kCsv, "csv", ".csv", true},
                              {FileKind::kTsv, "tsv", ".tsv"},
                              {FileKind::kJson, "jsonl", ".jsonl"},
                              {FileKind::kJson, "jsonl", ".ndjson"},
                              {FileKind::kParquet, "parquet", ".parquet"},
                              {FileKind::kArrow, "arrow", ".arrow"},
                              {FileKind::kArrow, "arrow", ".feather"},
                              {FileKind::kText, "text", ".txt"},
                              {FileKind::kText, "text", ""},
                              {FileKind::kRows, "rows", kNoEnding, true},
                              {FileKind::kColumns, "columns", kNoEnding, true},
                              {FileKind::kFields, "fields", kNoEnding, true}};

// Formats that others write, and what to do.
struct Advice {
  std::string_view ending, advice;
};
constexpr Advice kAdvice[] = {
    {".json",
     "is one JSON value; a value on each line is .jsonl: jq -c '.[]' FILE > FILE.jsonl makes it of an array"},
    {".jpg", "is no PNG image; convert it first (apt install imagemagick)"},
    {".jpeg", "is no PNG image; convert it first (apt install imagemagick)"},
    {".xlsx", "is a spreadsheet; save it as .csv"}};

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

Typed of_numbers(const Table& table, TypeArena& arena, Pool& pool) {
  const RowLengths& rows = table.lengths;
  const auto total = static_cast<std::int64_t>(table.numbers.size());
  return {arena.seq(arena.seq(TypeArena::base(TypeKind::kFloat))),
          {Segdes::regular(1, rows.rows()),
           rows.equal() ? Segdes::regular(rows.rows(), rows.length()) : nested(rows.all(), total, pool),
           vector_of(table.numbers, Storage::kF64, pool)}};
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
      slots.emplace_back(characters_of(column.text, pool));
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
           characters_of(fields.text, pool)}};
}

Typed from_table(const NamedFile& file, const std::string& text, TypeArena& arena, Pool& pool) {
  if (file.kind == FileKind::kFields)
    return of_fields(read_fields(text, file.path, file.separator), arena, pool);
  const bool plain = file.kind == FileKind::kCsv || file.kind == FileKind::kTsv;
  if (plain)
    if (const auto numbers = read_numbers(text, file.path, file.separator))
      return of_numbers(*numbers, arena, pool);
  const std::vector<Column> columns = read_columns(text, file.path, file.separator);
  if (columns.empty()) fail_file(file.path, "is empty, so nothing says which columns there are");
  return of_columns(columns, file.kind == FileKind::kColumns, arena, pool);
}

Typed from_arrays(const NamedFile& file, const std::string& bytes, TypeArena& arena, Pool& pool) {
  std::vector<const Type*> types;
  std::vector<Value> slots;
  for (ZipMember& member : read_zip(bytes, file.path)) {
    const std::string where = file.path + ": " + member.name;
    InFile in(where, std::move(member.bytes));
    Typed array = from_array(read_npy(where, in, pool), arena);
    types.push_back(array.first);
    slots.insert(slots.end(), std::make_move_iterator(array.second.begin()),
                 std::make_move_iterator(array.second.end()));
    if (types.size() > kMostColumns) fail_file(file.path, "has more arrays than make a tuple");
  }
  if (types.empty()) fail_file(file.path, "has no arrays");
  return {types.size() == 1 ? types[0] : arena.tuple(types), std::move(slots)};
}

// A nest of sequences of equal lengths around one vector.
Array to_array(const std::string& path, const Type* type, std::span<const Value> slots) {
  Array array;
  std::size_t k = 0;
  for (type = resolve(type); type->kind == TypeKind::kSeq; type = resolve(type->args[0])) {
    const auto& segdes = std::get<Segdes>(slots[k++]);
    if (!segdes.is_regular()) fail_file(path, "sequences of different lengths do not make an array");
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

std::string arrays_archive(const std::string& path, const Type* type, std::span<const Value> slots,
                           std::span<const std::string> titles) {
  TypeArena arena;
  std::vector<ZipMember> members;
  for (const Type* part : components_of(arena, type)) {
    const std::size_t i = members.size();
    const auto mine = static_cast<std::size_t>(frontend::slot_count(arena, part));
    ZipMember& member = members.emplace_back();
    member.name = (i < titles.size() ? titles[i] : "arr_" + std::to_string(i)) + ".npy";
    write_npy([&](std::string_view bytes) { member.bytes += bytes; },
              to_array(path, part, slots.first(mine)));
    slots = slots.subspan(mine);
  }
  return write_zip(members, path);
}

bool is_array(const Type* type) {
  for (type = resolve(type); type->kind == TypeKind::kSeq; type = resolve(type->args[0])) {
  }
  return is_plain(type);
}

bool are_sequences(const std::vector<const Type*>& types) {
  return std::all_of(types.begin(), types.end(),
                     [](const Type* type) { return resolve(type)->kind == TypeKind::kSeq; });
}

// All that a row has, once.
std::string listed(std::string_view KindRow::*what) {
  std::string list;
  std::string_view last;
  for (const KindRow& row : kKinds) {
    const std::string_view word = row.*what;
    if (word.empty() || word == kNoEnding || word == last || row.kind == FileKind::kSvg) continue;
    list += (list.empty() ? "" : ", ") + std::string(word);
    last = word;
  }
  return list;
}

// What is in front of a colon, where it looks like a kind; behind the name of a file that is none.
std::string no_kind(const std::string& word) {
  const std::size_t colon = word.find(':');
  const std::string kind = word.substr(0, colon == word.npos ? 0 : colon);
  const bool letters =
      std::all_of(kind.begin(), kind.end(), [](char c) { return c == '.' || (c >= 'a' && c <= 'z'); });
  if (kind.empty() || !letters) return "";
  return kind + " is no kind of files: " + listed(&KindRow::name);
}

std::string stream_of(const std::string& path, FileUse use) {
  if (path != "-") return path;
  return use == FileUse::kRead ? "/dev/stdin" : "/dev/stdout";
}

// KIND:PATH, or KIND, a separator and :PATH.
std::optional<NamedFile> named_kind(const std::string& word) {
  for (const KindRow& row : kKinds) {
    if (!word.starts_with(row.name)) continue;
    const std::string_view rest = std::string_view(word).substr(row.name.size());
    if (rest.starts_with(':') && !(row.parted && rest.starts_with("::")))
      return NamedFile{row.kind, std::string(rest.substr(1))};
    constexpr std::string_view kNone = "\"\r\n+-.";
    const bool chosen = row.parted && rest.size() > 1 && rest[1] == ':' &&
                        kNone.find(rest[0]) == kNone.npos &&
                        std::isalnum(static_cast<unsigned char>(rest[0])) == 0;
    if (chosen) return NamedFile{row.kind, std::string(rest.substr(2)), rest[0]};
  }
  return std::nullopt;
}

}  // namespace

NamedFile named_file(const std::string& word, FileUse use) {
  if (word == "-") return {FileKind::kText, stream_of(word, use)};
  std::optional<NamedFile> file = named_kind(word);
  const std::string& path = file ? file->path : word;
  std::string ending = in_small_letters(ending_of(path));
  const Compression compression = compression_of(ending);
  if (compression != Compression::kNone)
    ending = in_small_letters(ending_of(path.substr(0, path.size() - ending.size())));
  for (const KindRow& row : kKinds)
    if (!file && row.ending == ending) file = NamedFile{row.kind, word};
  if (file) {
    file->compression = compression;
    file->path = stream_of(file->path, use);
    if (file->kind == FileKind::kTsv) file->separator = '\t';
    return *file;
  }
  for (const Advice& known : kAdvice)
    if (known.ending == ending) fail_file(word, std::string(known.advice));
  if (ending.find(':') != ending.npos && !no_kind(word).empty()) fail_file(word, no_kind(word));
  fail_file(word, "files that end in " + ending + " are not supported, but " + listed(&KindRow::ending) +
                      " and, to write charts, .svg; text:" + word + " is any file, as text");
}

namespace {

bool is_arrow(const NamedFile& file) {
  return file.kind == FileKind::kParquet || file.kind == FileKind::kArrow;
}

// Nothing, and errno, if it cannot be read.
std::optional<std::string> read_outside_as(const NamedFile& file) {
  auto text = read_outside(file.path);
  if (!text || !is_arrow(file)) return text;
  const ArrowFormat format = file.kind == FileKind::kParquet ? ArrowFormat::kParquet : ArrowFormat::kIpc;
  return unpack_arrow(format, unpacked(file.compression, std::move(*text), file.path), file.path);
}

}  // namespace

InFile input_file(World* world, const NamedFile& file) {
  if (world == nullptr && !is_arrow(file)) return InFile(file.path);
  const auto outside = [&](const std::string&) { return read_outside_as(file); };
  // The same file may be an input as it is, too.
  const std::string name = is_arrow(file) ? file.path + " by Apache Arrow" : file.path;
  if (auto text = read_file(world, name, outside)) return InFile(file.path, std::move(text));
  if (world != nullptr && world->plays())
    fail_file(file.path, "is not in the record, and a replay reads no other files");
  return InFile(errno);
}

Array read_array(const NamedFile& file, InFile& in, Pool& pool) {
  if (file.compression == Compression::kNone) return read_npy(file.path, in, pool);
  InFile array(file.path, unpacked(file.compression, read_text(file.path, in), file.path));
  return read_npy(file.path, array, pool);
}

Typed read_value(const NamedFile& file, InFile& in, TypeArena& arena, Pool& pool) {
  if (const std::string why = no_kind(file.path); in.error() == ENOENT && !why.empty())
    fail_file(file.path, unread_because(ENOENT) + ", and " + why);
  if (file.kind == FileKind::kNpy) return from_array(read_array(file, in, pool), arena);
  if (is_arrow(file)) return read_arrow(read_text(file.path, in), file.path, arena, pool);
  const std::string text = unpacked(file.compression, read_text(file.path, in), file.path);
  switch (file.kind) {
    case FileKind::kNpz: return from_arrays(file, text, arena, pool);
    case FileKind::kPng: return image_value(read_png(text, file.path), arena, pool);
    case FileKind::kSvg: fail_file(file.path, "drawings are only written; .png files are read as images");
    case FileKind::kJson: return read_json_lines(text, file.path, arena, pool);
    case FileKind::kText: return text_value(text, arena, pool);
    default: return from_table(file, text, arena, pool);
  }
}

std::vector<Value> read_slots(const NamedFile& file, InFile& in, Pool& pool) {
  TypeArena arena;
  return read_value(file, in, arena, pool).second;
}

Typed text_value(const std::string& text, TypeArena& arena, Pool& pool) {
  return {arena.seq(TypeArena::base(TypeKind::kChar)),
          {Segdes::regular(1, static_cast<std::int64_t>(text.size())), characters_of(text, pool)}};
}

std::optional<Typed> number_value(const std::string& text) {
  const char* const end = text.data() + text.size();
  std::int64_t i = 0;
  const auto whole = std::from_chars(text.data(), end, i);
  if (whole.ptr == end && whole.ec == std::errc::result_out_of_range)
    fail_file(text, "this integer does not fit 64 bits; " + text + ".0 is a float");
  if (whole.ptr == end && whole.ec == std::errc())
    return Typed{TypeArena::base(TypeKind::kInt), {Vector::of_int(i)}};
  const bool numeric = !text.empty() && text.find_first_not_of("0123456789.eE+-") == text.npos;
  double x = 0;
  if (const auto read = std::from_chars(text.data(), end, x);
      numeric && read.ec == std::errc() && read.ptr == end)
    return Typed{TypeArena::base(TypeKind::kFloat), {Vector::of_float(x)}};
  return std::nullopt;
}

std::string refuses_all(const NamedFile& file) {
  if (file.compression != Compression::kNone) return "compressed files are only read";
  switch (file.kind) {
    case FileKind::kNpz: return zip_missing();
    case FileKind::kPng: return png_missing();
    case FileKind::kParquet:
    case FileKind::kArrow: return arrow_missing();
    case FileKind::kRows:
    case FileKind::kColumns:
    case FileKind::kFields: return "tables are written to names that end in .csv or .tsv";
    default: return "";
  }
}

std::string refuses(FileKind kind, const Type* type, std::size_t names) {
  TypeArena arena;
  const std::vector<const Type*> parts = components_of(arena, type);
  if (names > 0 && parts.size() != names) return "a tuple is no column";
  switch (kind) {
    case FileKind::kNpy: return is_array(type) ? "" : "only numbers, flags and characters make an array";
    case FileKind::kNpz:
      return std::all_of(parts.begin(), parts.end(), is_array)
                 ? ""
                 : "only numbers, flags and characters make arrays";
    case FileKind::kPng: return is_chart(type) ? "" : image_refuses(type);
    case FileKind::kSvg:
      return is_chart(type) ? "" : "only a chart is drawn: plot(v) and its relatives make one";
    case FileKind::kJson:
      return names > 0 && !are_sequences(parts) ? "columns are sequences" : json_refuses(type);
    case FileKind::kParquet:
    case FileKind::kArrow: return arrow_refuses(type, names);
    case FileKind::kText:
      return is_text(type) ? "" : "only a string makes a text; names of other files end in .npy or .csv";
    default: return table_refuses(type);
  }
}

void write_value(OutFile& out, const NamedFile& file, const Type* type, std::span<const Value> slots,
                 std::span<const std::string> titles) {
  if (const std::string why = refuses(file.kind, type, titles.size()); !why.empty())
    fail_file(file.path, why);
  const char separator = file.separator == '\0' ? ',' : file.separator;
  switch (file.kind) {
    case FileKind::kNpy:
      write_npy([&](std::string_view bytes) { out.write(bytes); }, to_array(file.path, type, slots));
      break;
    case FileKind::kNpz: out.write(arrays_archive(file.path, type, slots, titles)); break;
    case FileKind::kPng:
      out.write(is_chart(type) ? draw_png(chart_of(slots), file.path)
                               : write_png(image_of(file.path, type, slots), file.path));
      break;
    case FileKind::kSvg: out.write(draw_svg(chart_of(slots))); break;
    case FileKind::kJson: write_json_lines(out, file.path, type, slots, titles); break;
    case FileKind::kParquet:
      out.write(write_arrow(ArrowFormat::kParquet, type, slots, titles, file.path));
      break;
    case FileKind::kArrow: out.write(write_arrow(ArrowFormat::kIpc, type, slots, titles, file.path)); break;
    case FileKind::kText: write_text(out, slots); break;
    default: write_table(out, file.path, type, slots, separator, titles); break;
  }
  if (!out.finish()) throw Fault{Fault::Kind::kIo, out.why()};
}

}  // namespace nvm::vm
