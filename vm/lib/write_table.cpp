#include "vm/lib/write_table.h"

#include <cmath>

#include "bytecode/base/budget.h"
#include "bytecode/base/out_file.h"
#include "vm/lib/file_values.h"
#include "vm/lib/nesl_print.h"

namespace nvm::vm {

namespace {

using frontend::resolve;
using frontend::Type;
using frontend::TypeKind;

bool is_field(const Type* type) { return is_plain(type) || is_text(type); }

bool are_fields(const std::vector<const Type*>& types) {
  for (const Type* type : types)
    if (!is_field(type)) return false;
  return true;
}

// As NESL prints it, but for the sign of zero, which a number that is read again keeps.
std::string shown(double x) { return x == 0 && std::signbit(x) ? "-0.0" : print_float(x, true); }

std::string number(const Vector& v, std::int64_t i) {
  if (v.type() != nvm::Type::kFloat) return std::to_string(int_at(v, i));
  return shown(v.is_scalar() ? v.scalar_float() : v.data<double>()[i]);
}

std::string quoted(const std::string& text, char separator) {
  const bool blank = !text.empty() && (text.front() <= ' ' || text.back() <= ' ');
  const bool plain = text.find_first_of("\"\r\n,;\t") == text.npos && text.find(separator) == text.npos;
  if (plain && !blank && !text.empty()) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

// One field of each row.
struct Fields {
  const Segdes* rows = nullptr;  // of texts: where each is
  const Vector* values = nullptr;
  bool characters = false;

  Fields(const Type* type, std::span<const Value>& slots) {
    characters = is_text(type) || resolve(type)->kind == TypeKind::kChar;
    if (is_text(type)) {
      rows = &std::get<Segdes>(slots[0]);
      slots = slots.subspan(1);
    }
    values = &std::get<Vector>(slots[0]);
    slots = slots.subspan(1);
  }
  [[nodiscard]] std::string field(std::int64_t row, char separator) const {
    if (!characters) return number(*values, row);
    const std::int64_t begin = rows != nullptr ? rows->offset(row) : row;
    const std::int64_t length = rows != nullptr ? rows->length(row) : 1;
    std::string text;
    for (std::int64_t i = begin; i < begin + length; ++i) text += static_cast<char>(int_at(*values, i));
    return quoted(text, separator);
  }
};

void write_rows(OutFile& out, const std::vector<Fields>& columns, std::int64_t rows, char separator) {
  for (std::int64_t r = 0; r < rows; ++r) {
    check_budget();
    for (std::size_t c = 0; c < columns.size(); ++c)
      out.write((c == 0 ? "" : std::string(1, separator)) + columns[c].field(r, separator));
    out.write("\n");
  }
}

void write_numbers(OutFile& out, const std::string& path, std::span<const Value> slots, char separator) {
  const auto& v = std::get<Vector>(slots[2]);
  const auto& rows = std::get<Segdes>(slots[1]);
  for (std::int64_t r = 0; r < rows.segments(); ++r)
    if (rows.length(r) == 0)
      fail_file(path, "row " + std::to_string(r) +
                          " is empty, and blank lines of a table do not count; .jsonl files have such rows");
  std::int64_t i = 0;
  for (std::int64_t r = 0; r < rows.segments(); ++r)
    for (std::int64_t c = 0; c < rows.length(r); ++c, ++i) {
      check_budget();
      out.write(number(v, i));
      out.write(c + 1 < rows.length(r) ? std::string_view(&separator, 1) : "\n");
    }
}

// A sequence of sequences of numbers.
bool is_matrix(const Type* type) {
  const Type* row = resolve(resolve(type)->args[0]);
  return row->kind == TypeKind::kSeq && !is_text(row);
}

}  // namespace

std::string table_refuses(const Type* type) {
  frontend::TypeArena arena;
  type = resolve(type);
  if (type->kind == TypeKind::kSeq) {
    if (is_matrix(type) && is_plain(resolve(type->args[0])->args[0])) return "";
    if (are_fields(components_of(arena, type->args[0]))) return "";
  }
  bool columns = type->kind == TypeKind::kPair;
  for (const Type* part : components_of(arena, type)) {
    part = resolve(part);
    columns = columns && part->kind == TypeKind::kSeq && is_field(part->args[0]);
  }
  return columns
             ? ""
             : "only a sequence of numbers, strings or tuples of them, of sequences of numbers, or a tuple "
               "of such columns makes a table";
}

void write_table(OutFile& out, const std::string& path, const Type* type, std::span<const Value> slots,
                 char separator, std::span<const std::string> titles) {
  frontend::TypeArena arena;
  for (std::size_t i = 0; i < titles.size(); ++i)
    out.write((i == 0 ? "" : std::string(1, separator)) + quoted(titles[i], separator));
  if (!titles.empty()) out.write("\n");
  type = resolve(type);
  std::vector<Fields> columns;
  std::int64_t rows = 0;
  if (type->kind == TypeKind::kSeq) {
    if (is_matrix(type)) return write_numbers(out, path, slots, separator);
    rows = std::get<Segdes>(slots[0]).length(0);
    slots = slots.subspan(1);
    for (const Type* part : components_of(arena, type->args[0])) columns.emplace_back(part, slots);
  } else {
    for (const Type* part : components_of(arena, type)) {
      const std::int64_t length = std::get<Segdes>(slots[0]).length(0);
      if (!columns.empty() && length != rows)
        throw Fault{Fault::Kind::kIo, path + ": the columns have different lengths, " + std::to_string(rows) +
                                          " and " + std::to_string(length)};
      rows = length;
      slots = slots.subspan(1);
      columns.emplace_back(resolve(part)->args[0], slots);
    }
  }
  write_rows(out, columns, rows, separator);
}

}  // namespace nvm::vm
