#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bytecode/base/budget.h"
#include "bytecode/base/out_file.h"
#include "bytecode/base/stack.h"
#include "vm/lib/json_lines.h"
#include "vm/lib/nesl_print.h"

namespace nvm::vm {

namespace {

using frontend::resolve;
using frontend::Type;
using frontend::TypeArena;
using frontend::TypeKind;

// A type with the slots of its leaves.
struct Form {
  TypeKind kind = TypeKind::kInt;
  bool text = false;
  const Value* slot = nullptr;  // of a sequence its descriptor
  std::vector<Form> parts;

  Form(TypeArena& arena, const Type* type, std::span<const Value>& slots) {
    check_stack();
    type = resolve(type);
    const bool whole = type->kind == TypeKind::kPair || type->kind == TypeKind::kRecord;
    kind = whole ? TypeKind::kPair : type->kind;
    if (whole) {
      for (const Type* part : components_of(arena, type)) parts.emplace_back(arena, part, slots);
      return;
    }
    slot = slots.data();
    slots = slots.subspan(1);
    text = is_text(type);
    if (kind == TypeKind::kSeq) parts.emplace_back(arena, type->args[0], slots);
  }
  [[nodiscard]] const Segdes& segdes() const { return std::get<Segdes>(*slot); }
  [[nodiscard]] const Vector& vector() const { return std::get<Vector>(*slot); }
};

class Writer {
 public:
  Writer(OutFile& out, const std::string& path) : out_(out), path_(path) {}

  void element(const Form& form, std::int64_t i) {
    check_stack();
    check_budget();
    switch (form.kind) {
      case TypeKind::kInt: line_ += std::to_string(int_at(form.vector(), i)); break;
      case TypeKind::kFloat: number(form.vector(), i); break;
      case TypeKind::kBool: line_ += int_at(form.vector(), i) != 0 ? "true" : "false"; break;
      case TypeKind::kChar: string(std::string(1, static_cast<char>(int_at(form.vector(), i)))); break;
      case TypeKind::kSeq: sequence(form, i); break;
      default:
        for (std::size_t k = 0; k < form.parts.size(); ++k) {
          line_ += k == 0 ? "[" : ",";
          element(form.parts[k], i);
        }
        line_ += "]";
    }
  }

  void string(const std::string& text) {
    try {
      line_ += nlohmann::json(text).dump();
    } catch (const nlohmann::json::exception&) {
      refuse("a text is not UTF-8, so JSON cannot have it");
    }
  }

  void add(std::string_view text) { line_ += text; }

  void end_line() {
    line_ += '\n';
    out_.write(line_);
    line_.clear();
    ++number_;
  }

 private:
  [[noreturn]] void refuse(const char* why) const {
    fail_file(path_, "line " + std::to_string(number_) + ": " + why);
  }

  void number(const Vector& v, std::int64_t i) {
    const double x = v.is_scalar() ? v.scalar_float() : v.data<double>()[i];
    if (std::isinf(x)) refuse("JSON has no infinite numbers");
    if (std::isnan(x)) return add("null");
    char digits[32];
    const auto end = std::to_chars(digits, digits + sizeof digits, x).ptr;
    const std::string_view text(digits, static_cast<std::size_t>(end - digits));
    line_ += text;
    if (text.find_first_of(".e") == text.npos) line_ += ".0";  // a float when it is read again
  }

  void sequence(const Form& form, std::int64_t i) {
    const std::int64_t begin = form.segdes().offset(i), end = begin + form.segdes().length(i);
    if (form.text) {
      std::string text;
      for (std::int64_t k = begin; k < end; ++k) text += static_cast<char>(int_at(form.parts[0].vector(), k));
      return string(text);
    }
    line_ += "[";
    for (std::int64_t k = begin; k < end; ++k) {
      if (k > begin) line_ += ",";
      element(form.parts[0], k);
    }
    line_ += "]";
  }

  OutFile& out_;
  const std::string& path_;
  std::string line_;
  std::int64_t number_ = 1;  // of the line
};

bool has_function(TypeArena& arena, const Type* type) {
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kRecord) return has_function(arena, record_content(arena, type));
  if (type->kind == TypeKind::kSeq) return has_function(arena, type->args[0]);
  if (type->kind == TypeKind::kPair)
    return has_function(arena, type->args[0]) || has_function(arena, type->args[1]);
  return !is_plain(type);
}

}  // namespace

std::string json_refuses(const Type* type) {
  TypeArena arena;
  return has_function(arena, type) ? "a function is no JSON" : "";
}

void write_json_lines(OutFile& out, const std::string& path, const Type* type, std::span<const Value> slots,
                      std::span<const std::string> titles) {
  TypeArena arena;
  const Form whole(arena, type, slots);
  Writer writer(out, path);
  if (titles.empty()) {
    const bool many = whole.kind == TypeKind::kSeq && !whole.text;
    const std::int64_t lines = many ? whole.segdes().length(0) : 1;
    for (std::int64_t i = 0; i < lines; ++i) {
      writer.element(many ? whole.parts[0] : whole, i);
      writer.end_line();
    }
    return;
  }
  std::int64_t rows = -1;
  for (const Form& column : whole.parts) {
    if (column.kind != TypeKind::kSeq) fail_file(path, "columns are sequences");
    const std::int64_t length = column.segdes().length(0);
    if (rows >= 0 && length != rows)
      fail_file(path, "the columns have different lengths, " + std::to_string(rows) + " and " +
                          std::to_string(length));
    rows = length;
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::size_t k = 0; k < whole.parts.size(); ++k) {
      writer.add(k == 0 ? "{" : ",");
      writer.string(titles[k]);
      writer.add(":");
      writer.element(whole.parts[k].parts[0], i);
    }
    writer.add("}");
    writer.end_line();
  }
}

}  // namespace nvm::vm
