#include "vm/lib/nesl_print.h"

#include "bytecode/base/stack.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <vector>

#include "bytecode/base/budget.h"
#include "bytecode/base/decimal.h"

namespace nvm::vm {

namespace {

using frontend::resolve;
using frontend::Type;
using frontend::TypeArena;
using frontend::TypeKind;

// A type as a tree with the slot of each leaf, made once so that printing an element looks nothing up.
struct Shape {
  TypeKind kind = TypeKind::kInt;
  std::size_t slot = 0;
  std::string record;  // kRecord: name of the constructor
  std::vector<Shape> parts;
};

class Printer {
 public:
  Printer(TypeArena& arena, std::span<const Value> slots, const PrintStyle& style)
      : arena_(arena), slots_(slots), style_(style) {}

  std::string run(const Type* type) {
    const Shape root = shape(type);
    NVM_CHECK(next_ == slots_.size(), "a value has the slots of its type");
    element(root, 0);
    return std::move(out_);
  }

 private:
  Shape shape(const Type* type) {
    check_stack();
    type = resolve(type);
    Shape s;
    s.kind = type->kind;
    s.slot = next_;
    switch (type->kind) {
      case TypeKind::kSeq:
        ++next_;
        s.parts.push_back(shape(type->args[0]));
        break;
      case TypeKind::kPair:
        for (const Type* part : type->args) s.parts.push_back(shape(part));
        break;
      case TypeKind::kRecord:
        s.record = type->datatype->name;
        s.parts.push_back(shape(frontend::record_content(arena_, type)));
        break;
      case TypeKind::kFn: next_ += static_cast<std::size_t>(frontend::slot_count(arena_, type)); break;
      default: ++next_;
    }
    return s;
  }

  [[nodiscard]] const Vector& vector(const Shape& s) const { return std::get<Vector>(slots_[s.slot]); }

  [[nodiscard]] std::int64_t integer(const Shape& s, std::int64_t i) const { return int_at(vector(s), i); }

  [[nodiscard]] double real(const Shape& s, std::int64_t i) const {
    const Vector& v = vector(s);
    return v.is_scalar() ? v.scalar_float() : v.data<double>()[i];
  }

  void element(const Shape& s, std::int64_t i) {
    switch (s.kind) {
      case TypeKind::kInt: out_ += std::to_string(integer(s, i)); break;
      case TypeKind::kFloat: out_ += print_float(real(s, i), style_.all_digits); break;
      case TypeKind::kBool: out_ += integer(s, i) != 0 ? 'T' : 'F'; break;
      case TypeKind::kChar:
        out_ += '`';
        out_ += static_cast<char>(integer(s, i));
        break;
      case TypeKind::kSeq: sequence(s, i); break;
      case TypeKind::kPair:
        out_ += '(';
        components(s, i);
        out_ += ')';
        break;
      case TypeKind::kRecord:
        out_ += s.record + "(";
        components(s.parts[0], i);
        out_ += ')';
        break;
      default: out_ += "fn";
    }
  }

  // A tuple without its parentheses: right-nested pairs are one tuple.
  void components(const Shape& s, std::int64_t i) {
    check_stack();
    if (s.kind != TypeKind::kPair) return element(s, i);
    element(s.parts[0], i);
    out_ += ", ";
    components(s.parts[1], i);
  }

  void sequence(const Shape& s, std::int64_t i) {
    check_stack();
    const auto& segdes = std::get<Segdes>(slots_[s.slot]);
    const std::int64_t begin = segdes.offset(i), end = begin + segdes.length(i);
    if (s.parts[0].kind == TypeKind::kChar) return string(s.parts[0], begin, end);
    out_ += '[';
    for (std::int64_t k = begin; k < end; ++k) {
      if (k - begin == style_.print_length) {
        out_ += k == begin ? "..." : ",...";
        break;
      }
      if (k > begin) out_ += ", ";
      if (style_.cancelled != nullptr && style_.cancelled->load(std::memory_order_relaxed))
        throw ShowingCancelled();
      check_budget();
      element(s.parts[0], k);
    }
    out_ += ']';
  }

  void string(const Shape& s, std::int64_t begin, std::int64_t end) {
    out_ += '"';
    for (std::int64_t k = begin; k < end; ++k) {
      const char c = static_cast<char>(integer(s, k));
      if (c == '"' || c == '\\') out_ += '\\';
      out_ += c;
    }
    out_ += '"';
  }

  TypeArena& arena_;
  std::span<const Value> slots_;
  const PrintStyle& style_;
  std::size_t next_ = 0;
  std::string out_;
};

// The slots of a type's characters, `next` being the first slot of the type.
void character_slots(TypeArena& arena, const Type* type, std::size_t& next, std::vector<std::size_t>& out) {
  check_stack();
  type = resolve(type);
  switch (type->kind) {
    case TypeKind::kSeq: ++next; return character_slots(arena, type->args[0], next, out);
    case TypeKind::kPair:
      for (const Type* part : type->args) character_slots(arena, part, next, out);
      return;
    case TypeKind::kRecord: return character_slots(arena, frontend::record_content(arena, type), next, out);
    case TypeKind::kFn: next += static_cast<std::size_t>(frontend::slot_count(arena, type)); return;
    case TypeKind::kChar: out.push_back(next); break;
    default: break;
  }
  ++next;
}

constexpr int kLastCode = 255;

template <typename T>
std::optional<std::int64_t> bad_code(const T* codes, std::int64_t n) {
  const T* const bad = std::find_if(codes, codes + n, [](T code) { return code < 0 || code > kLastCode; });
  return bad == codes + n ? std::nullopt : std::optional<std::int64_t>(*bad);
}

std::optional<std::int64_t> bad_code(const Vector& v) {
  if (v.is_scalar()) {
    const std::int64_t code = v.scalar_int();
    return bad_code(&code, 1);
  }
  switch (v.storage()) {
    case Storage::kI32: return bad_code(v.data<std::int32_t>(), v.length());
    case Storage::kI64: return bad_code(v.data<std::int64_t>(), v.length());
    case Storage::kI8: {
      const auto* codes = v.data<std::int8_t>();
      const auto* bad = std::find_if(codes, codes + v.length(), [](std::int8_t code) { return code < 0; });
      return bad == codes + v.length() ? std::nullopt : std::optional<std::int64_t>(*bad);
    }
    default: return std::nullopt;
  }
}

// The shortest digits that read back to the value, "d.ddde[+-]dd", taken apart.
struct Decimal {
  std::string digits;
  int exponent = 0;  // of the first digit
};

Decimal shortest(double value) {
  char text[40];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  const std::string_view all(text, static_cast<std::size_t>(end - text));
  const std::size_t e = all.find('e');
  Decimal d;
  for (const char c : all.substr(0, e))
    if (c != '.') d.digits += c;
  const char* sign = text + e + 1;
  std::from_chars(*sign == '+' ? sign + 1 : sign, end, d.exponent);
  return d;
}

std::string fixed(const Decimal& d) {
  if (d.exponent < 0) return "0." + std::string(static_cast<std::size_t>(-d.exponent - 1), '0') + d.digits;
  const auto whole = static_cast<std::size_t>(d.exponent) + 1;
  std::string digits = d.digits;
  if (digits.size() <= whole) digits.append(whole + 1 - digits.size(), '0');
  return digits.substr(0, whole) + "." + digits.substr(whole);
}

std::string scientific(const Decimal& d) {
  const std::string fraction = d.digits.size() > 1 ? d.digits.substr(1) : "0";
  return d.digits.substr(0, 1) + "." + fraction + "E" + std::to_string(d.exponent);
}

}  // namespace

std::optional<std::int64_t> bad_character(TypeArena& arena, const Type* type, std::span<const Value> slots) {
  std::vector<std::size_t> characters;
  std::size_t next = 0;
  character_slots(arena, type, next, characters);
  for (const std::size_t slot : characters)
    if (const auto bad = bad_code(std::get<Vector>(slots[slot]))) return bad;
  return std::nullopt;
}

std::int64_t int_at(const Vector& v, std::int64_t i) {
  if (v.is_scalar()) return v.scalar_int();
  switch (v.storage()) {
    case Storage::kI8: return v.data<std::int8_t>()[i];
    case Storage::kB8: return v.data<std::uint8_t>()[i];
    case Storage::kI32: return v.data<std::int32_t>()[i];
    default: return v.data<std::int64_t>()[i];
  }
}

std::string print_float(double value, bool all_digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  if (value == 0) return "0.0";
  double rounded = value;
  if (!all_digits) {
    char text[40];
    const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 14).ptr;
    rounded = nearest_double({text, end});
    if (std::isinf(rounded)) rounded = value;  // rounding up the greatest double
  }
  const double magnitude = std::fabs(rounded);
  const Decimal d = shortest(magnitude);
  const bool plain = magnitude >= 1e-3 && magnitude < 1e7;
  return (value < 0 ? "-" : "") + (plain ? fixed(d) : scientific(d));
}

std::string print_value(TypeArena& arena, const Type* type, std::span<const Value> slots,
                        const PrintStyle& style) {
  return Printer(arena, slots, style).run(type);
}

}  // namespace nvm::vm
