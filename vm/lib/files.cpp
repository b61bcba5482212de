#include "vm/lib/files.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "vm/lib/nesl_print.h"
#include "vm/lib/npy.h"

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

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
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

// The numbers of one line; false if a field is none.
bool parse_row(std::string_view line, std::vector<double>& numbers) {
  while (!line.empty()) {
    const std::size_t comma = std::min(line.find_first_of(",;\t"), line.size());
    std::string_view field = line.substr(0, comma);
    while (!field.empty() && (field.front() == ' ' || field.front() == '+')) field.remove_prefix(1);
    while (!field.empty() && (field.back() == ' ' || field.back() == '\r')) field.remove_suffix(1);
    double x = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), x);
    if (error == std::errc::result_out_of_range) x = std::strtod(std::string(field).c_str(), nullptr);
    if (error == std::errc::invalid_argument || end != field.data() + field.size()) return false;
    numbers.push_back(x);
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  return true;
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

Typed from_csv(const std::string& path, TypeArena& arena, Pool& pool) {
  std::vector<double> numbers;
  std::vector<std::int64_t> lengths;
  std::istringstream in(read_text(path));
  std::size_t line_number = 0;
  for (std::string line; std::getline(in, line);) {
    ++line_number;
    if (line.empty() || line == "\r") continue;
    const std::size_t before = numbers.size();
    if (parse_row(line, numbers)) {
      lengths.push_back(static_cast<std::int64_t>(numbers.size() - before));
    } else if (line_number == 1) {
      numbers.clear();
    } else {
      fail(path, "line " + std::to_string(line_number) + " has a field that is no number");
    }
  }
  const auto rows = static_cast<std::int64_t>(lengths.size());
  const auto total = static_cast<std::int64_t>(numbers.size());
  return {arena.seq(arena.seq(TypeArena::base(TypeKind::kFloat))),
          {Segdes::regular(1, rows), Segdes::from_lengths(vector_of(lengths, Storage::kI64, pool), total),
           vector_of(numbers, Storage::kF64, pool)}};
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
  if (type->kind > TypeKind::kChar) fail(path, "only numbers, flags and characters make an array");
  array.elements = std::get<Vector>(slots[k]);
  return array;
}

// As NESL prints it, but for the sign of zero, which a number that is read again keeps.
std::string field(double x) { return x == 0 && std::signbit(x) ? "-0.0" : print_float(x, true); }

void write_csv(const std::string& path, const Type* type, std::span<const Value> slots) {
  const Array check = to_array(path, TypeArena::base(TypeKind::kInt), slots.last(1));
  const bool nested = slots.size() == 3;
  if (slots.size() < 2 || slots.size() > 3 || resolve(type)->kind != TypeKind::kSeq)
    fail(path, "only a sequence, or a sequence of sequences of numbers makes a table");
  const auto& rows = std::get<Segdes>(slots[nested ? 1 : 0]);
  std::ofstream out(path);
  std::int64_t i = 0;
  for (std::int64_t r = 0; r < rows.segments(); ++r)
    for (std::int64_t c = 0; c < rows.length(r); ++c, ++i) {
      const Vector& v = check.elements;
      out << (v.type() == nvm::Type::kFloat ? field(v.is_scalar() ? v.scalar_float() : v.data<double>()[i])
                                            : std::to_string(int_at(v, i)))
          << (nested && c + 1 < rows.length(r) ? "," : "\n");
    }
  finish_file(out, path);
}

void write_text(const std::string& path, const Type* type, std::span<const Value> slots) {
  if (slots.size() != 2 || resolve(resolve(type)->args[0])->kind != TypeKind::kChar)
    fail(path, "only a string makes a text");
  const auto& v = std::get<Vector>(slots[1]);
  std::ofstream out(path, std::ios::binary);
  for (std::int64_t i = 0; i < v.length(); ++i) out << static_cast<char>(int_at(v, i));
  finish_file(out, path);
}

}  // namespace

Typed read_value(const std::string& path, TypeArena& arena, Pool& pool) {
  if (path.ends_with(".npy")) return from_array(read_npy(path, pool), arena);
  if (path.ends_with(".csv")) return from_csv(path, arena, pool);
  return text_value(read_text(path), arena, pool);
}

std::vector<Value> read_slots(const std::string& path, Pool& pool) {
  TypeArena arena;
  return read_value(path, arena, pool).second;
}

Typed text_value(const std::string& text, TypeArena& arena, Pool& pool) {
  return {arena.seq(TypeArena::base(TypeKind::kChar)),
          {Segdes::regular(1, static_cast<std::int64_t>(text.size())), bytes(text, pool)}};
}

void write_value(const std::string& path, const Type* type, std::span<const Value> slots) {
  if (path.ends_with(".npy")) return write_npy(path, to_array(path, type, slots));
  if (path.ends_with(".csv")) return write_csv(path, type, slots);
  write_text(path, type, slots);
}

}  // namespace nvm::vm
