#include "vm/lib/nesl_slots.h"

#include "bytecode/base/stack.h"
#include "vm/lib/nesl_print.h"

namespace nvm::vm {

namespace {

using frontend::resolve;
using frontend::TypeArena;
using frontend::TypeKind;

class Fitting {
 public:
  Fitting(TypeArena& arena, std::span<const Value> slots) : arena_(arena), slots_(slots) {}

  // `n` values of the type, from the next slot on.
  void walk(const frontend::Type* type, std::int64_t n) {
    check_stack();
    type = resolve(type);
    switch (type->kind) {
      case TypeKind::kSeq: return sequence(type->args[0], n);
      case TypeKind::kRecord: return walk(frontend::record_content(arena_, type), n);
      case TypeKind::kFn: return walk(type->args[2], n);
      case TypeKind::kPair:
      case TypeKind::kIdentity:
        for (const frontend::Type* part : type->args) walk(part, n);
        return;
      case TypeKind::kFloat: return elements(nvm::Type::kFloat, n);
      case TypeKind::kBool: return elements(nvm::Type::kBool, n);
      default: return elements(nvm::Type::kInt, n);
    }
  }

  std::optional<std::string> wrong() {
    if (wrong_.empty() && next_ != slots_.size())
      wrong_ = std::to_string(slots_.size()) + " parts where its type has " + std::to_string(next_);
    return wrong_.empty() ? std::nullopt : std::optional(wrong_);
  }

 private:
  template <typename T>
  const T* next() {
    const T* part = next_ < slots_.size() ? std::get_if<T>(&slots_[next_]) : nullptr;
    if (part == nullptr && wrong_.empty()) wrong_ = "a part of another kind than its type says";
    ++next_;
    return part;
  }
  void compare(std::int64_t found, std::int64_t n, const char* what) {
    if (found == n || !wrong_.empty()) return;
    wrong_ = std::to_string(found) + what + " where its lengths say " + std::to_string(n);
  }
  void elements(nvm::Type type, std::int64_t n) {
    const auto* v = next<Vector>();
    if (v == nullptr) return;
    if (v->type() != type && wrong_.empty()) wrong_ = "a part of another kind than its type says";
    compare(v->length(), n, " elements");
  }
  void sequence(const frontend::Type* element, std::int64_t n) {
    const auto* s = next<Segdes>();
    if (s == nullptr) return walk(element, 0);
    compare(s->segments(), n, " sequences");
    walk(element, s->total());
  }

  TypeArena& arena_;
  std::span<const Value> slots_;
  std::size_t next_ = 0;
  std::string wrong_;
};

}  // namespace

std::optional<std::string> misfit(TypeArena& arena, const frontend::Type* type,
                                  std::span<const Value> slots) {
  Fitting fitting(arena, slots);
  fitting.walk(type, 1);
  return fitting.wrong();
}

std::string not_data(const frontend::Type* type, const std::string& text) {
  if (frontend::contains_function(type))
    return "a value of type " + text + " has functions in it, which do not leave a session or come into it";
  std::vector<const frontend::Type*> variables;
  frontend::variables_of(type, variables);
  return variables.empty() ? "" : "the type " + text + " leaves open what it is made of";
}

std::optional<std::string> wrong_result(const frontend::Type* type, std::span<const Value> slots) {
  TypeArena passing;
  if (const auto wrong = misfit(passing, type, slots))
    return "the result has " + *wrong + "; with arg_check on, the call at fault is told";
  if (const auto code = bad_character(passing, type, slots))
    return "Bad value in a result vector: " + std::to_string(*code) + " is the code of no character";
  return std::nullopt;
}

}  // namespace nvm::vm
