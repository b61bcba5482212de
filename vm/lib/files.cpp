#include "vm/lib/files.h"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "bytecode/base/budget.h"
#include "vm/lib/csv.h"
#include "vm/lib/nesl_print.h"
#include "vm/lib/npy.h"
#include "vm/lib/out_file.h"

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
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) fail(path, "is a directory");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (in && in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (!in.is_open() || in.bad() || !text) fail(path, std::string("cannot be read: ") + std::strerror(errno));
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
  const auto [numbers, lengths] = read_csv(read_text(path), path);
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
  int depth = 0;
  for (type = resolve(type); type->kind == TypeKind::kSeq; type = resolve(type->args[0])) ++depth;
  if (depth < 1 || depth > 2 || type->kind > TypeKind::kChar)
    fail(path, "only a sequence, or a sequence of sequences of numbers makes a table");
  const bool nested = depth == 2;
  const auto& v = std::get<Vector>(slots.back());
  const auto& rows = std::get<Segdes>(slots[nested ? 1 : 0]);
  OutFile file(path);
  std::ofstream& out = file.stream();
  std::int64_t i = 0;
  for (std::int64_t r = 0; r < rows.segments(); ++r)
    for (std::int64_t c = 0; c < rows.length(r); ++c, ++i) {
      check_budget();
      out << (v.type() == nvm::Type::kFloat ? field(v.is_scalar() ? v.scalar_float() : v.data<double>()[i])
                                            : std::to_string(int_at(v, i)))
          << (nested && c + 1 < rows.length(r) ? "," : "\n");
    }
  file.finish();
}

void write_text(const std::string& path, const Type* type, std::span<const Value> slots) {
  type = resolve(type);
  if (type->kind != TypeKind::kSeq || resolve(type->args[0])->kind != TypeKind::kChar)
    fail(path, "only a string makes a text; names of other files end in .npy or .csv");
  const auto& v = std::get<Vector>(slots[1]);
  OutFile file(path);
  std::ofstream& out = file.stream();
  for (std::int64_t i = 0; i < v.length(); ++i) out << static_cast<char>(int_at(v, i));
  file.finish();
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
