#include "vm/interp/check_args.h"

#include "vm/interp/elements.h"
#include "vm/prims/operands.h"

namespace nvm::vm {

namespace {

constexpr std::string_view kAborting = "aborting: failed argument check.";

std::string number(std::int64_t n) { return std::to_string(n); }

std::int64_t length_of(const Value& value) {
  if (const auto* v = std::get_if<Vector>(&value)) return v->length();
  if (const auto* s = std::get_if<Segdes>(&value)) return s->segments();
  return 1;
}

[[noreturn]] void fail(Fault::Kind kind, const std::string& message) { throw Fault{kind, message}; }

bool writes(Op op) { return op == Op::kWrite || op == Op::kFwrite; }

// What the legacy interpreter says about a host instruction's operand of the wrong kind or length; "" if
// nothing of its own.
std::string host_complaint(Op op, std::size_t i) {
  if (op == Op::kFopen && i == 1) return "FOPEN: top of stack not integer scalar. ";
  if (op == Op::kFreadChar && i == 2) return "FREAD_CHAR: top of stack not integer scalar. ";
  if (op == Op::kFreadChar && i == 1) return "FREAD_CHAR: second element on stack not scalar int.";
  if (op == Op::kFreadChar) return "FREAD_CHAR: third element on stack not string.";
  if (op == Op::kSpawn && i == 0) return "SPAWN: first arg not string.";
  if ((op == Op::kFread || op == Op::kFclose) && i == 0)
    return op_name(op) + ": top of stack not scalar integer.";
  if (op == Op::kFwrite && i == 1) return "FWRITE: top of stack not scalar integer.";
  return "";
}

void check_kinds(Op op, TypeWord word, std::span<const Value> operands) {
  const std::string_view letters = op_info(op).operands;
  std::string wrong;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Type is = type_of(operands[i]);
    if (writes(op) && i == 0 && word != TypeWord::kChar) {
      // The legacy interpreter prints a value by its own kind, whatever the type word.
      if (is == Type::kPair) fail(Fault::Kind::kType, "internal error: Illegally typed vector.");
      continue;
    }
    const Type expected = letter_type(letters[i], word);
    if (is == expected) continue;
    if (op == Op::kLength && is == Type::kSegdes)
      fail(Fault::Kind::kType, "applying LENGTH to a segment descriptor.");
    if (op == Op::kLengths) fail(Fault::Kind::kType, "applying LENGTHS to a non-segment descriptor.");
    if (const std::string own = host_complaint(op, i); !own.empty()) fail(Fault::Kind::kType, own);
    wrong += "type mismatch.  Stack[" + number(static_cast<std::int64_t>(i)) + "] is " +
             std::string(type_name(is)) + ", function " + op_name(op) + " expects " +
             std::string(type_name(expected)) + "\n";
  }
  if (!wrong.empty()) fail(Fault::Kind::kType, wrong + std::string(kAborting));
}

bool one_source_segment(Op op, const Value& source, const Value& destination) {
  return takes_any_destination(op) && type_of(source) == Type::kSegdes &&
         type_of(destination) == Type::kSegdes && length_of(source) == 1;
}

// Compares operand `j` with the first one that has the same symbolic length.
std::string check_length(Op op, const Shape& shape, std::span<const Value> operands, std::size_t j) {
  std::string wrong;
  const ShapeTerm& term = shape.terms[j];
  for (std::size_t i = 0; i < j; ++i) {
    const std::string both = number(static_cast<std::int64_t>(i));
    const std::string other = number(static_cast<std::int64_t>(j));
    if (shape.terms[i].length == term.length && length_of(operands[i]) != length_of(operands[j])) {
      if (one_source_segment(op, operands[i], operands[j])) break;
      wrong += "length mismatch between args " + both + "(" + number(length_of(operands[i])) + ") and " +
               other + "(" + number(length_of(operands[j])) + ") in " + op_name(op) + ".\n";
      break;
    }
  }
  for (std::size_t i = 0; i < j && term.total != 0; ++i) {
    if (shape.terms[i].total == 0 && shape.terms[i].length == term.total &&
        length_of(operands[i]) != std::get<Segdes>(operands[j]).total()) {
      wrong += "Args " + number(static_cast<std::int64_t>(i)) + " and " +
               number(static_cast<std::int64_t>(j)) + " to " + op_name(op) + " are incompatible.\n";
      break;
    }
  }
  return wrong;
}

void check_lengths(Op op, std::span<const Value> operands) {
  const Shape& shape = op_shape(op);
  std::string wrong;
  for (std::size_t j = 0; j < operands.size(); ++j) {
    const char length = shape.terms[j].length;
    if (length == '_') continue;
    if (length != '1') {
      wrong += check_length(op, shape, operands, j);
    } else if (length_of(operands[j]) != 1) {
      const std::string own = host_complaint(op, j);
      fail(Fault::Kind::kLength, own.empty() ? op_name(op) + ": operand " +
                                                   number(static_cast<std::int64_t>(j)) + " is not a scalar."
                                             : own);
    }
  }
  if (!wrong.empty()) fail(Fault::Kind::kLength, wrong + std::string(kAborting));
}

void check_delimiters(const Vector& delimiters) {
  for (std::int64_t i = 0; i < delimiters.length(); ++i) {
    const std::int64_t c = delimiters.int_at(i);
    if (c < -128 || c > 255)
      fail(Fault::Kind::kType,
           "delimiter element " + number(i) + " for FREAD_CHAR is not a legal character. ");
  }
}

}  // namespace

std::string op_name(Op op) { return std::string(op_info(op).text); }

void check_args(Op op, TypeWord word, std::span<const Value> operands, bool prefix_lengths) {
  check_kinds(op, word, operands);
  if (!prefix_lengths || op_info(op).kind != OpKind::kMap) check_lengths(op, operands);
  if (op == Op::kFreadChar) check_delimiters(std::get<Vector>(operands[0]));
}

}  // namespace nvm::vm
