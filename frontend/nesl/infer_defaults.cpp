// Calls of functions with default arguments.
#include <algorithm>
#include <iterator>

#include "bytecode/base/stack.h"
#include "frontend/nesl/infer.h"

namespace nvm::frontend {
namespace {

std::vector<ExprPtr> parts_of(ExprPtr argument) {
  if (argument->kind == ExprKind::kTuple) return std::move(argument->items);
  std::vector<ExprPtr> parts;
  parts.push_back(std::move(argument));
  return parts;
}

ExprPtr tuple_of(std::vector<ExprPtr> parts, SourcePos pos, std::size_t depth) {
  ExprPtr tuple = std::make_unique<Expr>();
  tuple->kind = ExprKind::kTuple;
  tuple->pos = pos;
  tuple->depth = static_cast<std::uint16_t>(depth);
  tuple->items = std::move(parts);
  return tuple;
}

// Makes a tuple of the last arguments, so that there are `count`: its parentheses have left no trace.
void fold_last(std::vector<ExprPtr>& arguments, std::size_t count) {
  const auto first = arguments.begin() + static_cast<std::ptrdiff_t>(count) - 1;
  std::vector<ExprPtr> parts(std::make_move_iterator(first), std::make_move_iterator(arguments.end()));
  const SourcePos pos = parts[0]->pos;
  const std::size_t depth = parts[0]->depth + std::size_t{1};
  arguments.erase(first, arguments.end());
  arguments.push_back(tuple_of(std::move(parts), pos, depth));
}

// May the last argument that must be given be a tuple?
bool takes_tuple(const Binding& binding, const Form& form, std::size_t required) {
  if (form.pattern.items[required - 1].kind == Pattern::Kind::kTuple) return true;
  const Type* type = binding.type == nullptr ? nullptr : resolve(binding.type);
  if (type == nullptr || type->kind != TypeKind::kFn) return false;
  type = resolve(type->args[0]);
  for (std::size_t i = 1; i < required && type->kind == TypeKind::kPair; ++i) type = resolve(type->args[1]);
  if (type->kind != TypeKind::kPair) return false;
  const Type* last = resolve(type->args[0]);
  return last->kind == TypeKind::kVar ? belongs(TypeKind::kPair, last->type_class)
                                      : last->kind == TypeKind::kPair;
}

}  // namespace

// g(1) and g(1, b := 7) for a function with default arguments become g(1, 5) and g(1, 7).
void Checker::expand_defaults(Expr& call) {
  check_stack();
  const Expr& fn = *call.items[0];
  const bool global = fn.kind == ExprKind::kName && find_local(fn.text) == kNotLocal;
  Binding* binding =
      global ? (self_ != nullptr && fn.text == self_->name ? self_ : env_.find(fn.text, from_prelude_))
             : nullptr;
  const Form* form = binding != nullptr ? binding->form.get() : nullptr;
  if (form == nullptr || form->defaults.empty()) {
    if (!call.keywords.empty())
      fail(call.keywords[0].pos, "invalid optional argument " + upper(call.keywords[0].name));
    return;
  }
  const std::size_t params = form->pattern.kind == Pattern::Kind::kTuple ? form->pattern.items.size() : 1;
  const std::size_t required = params - form->defaults.size();
  const SourcePos pos = call.items[1]->pos;
  std::vector<ExprPtr> given = parts_of(std::move(call.items[1]));
  if (required > 0 && given.size() > required && takes_tuple(*binding, *form, required))
    fold_last(given, required);
  if (given.size() != required)
    fail(call.pos, upper(fn.text) + " takes " + counted(required) + " and optional ones by keyword, not " +
                       std::to_string(given.size()));
  ExprPtr tuple = tuple_of(std::move(given), pos, call.depth);
  for (const Keyword& value : form->defaults) {
    const auto key = std::find_if(call.keywords.begin(), call.keywords.end(),
                                  [&](const Keyword& keyword) { return keyword.name == value.name; });
    if (key != call.keywords.end()) {
      tuple->items.push_back(std::move(key->value));
      call.keywords.erase(key);
      continue;
    }
    ExprPtr use = std::make_unique<Expr>();
    use->kind = ExprKind::kDefault;
    use->pos = call.pos;
    use->depth = 1;
    use->target = value.value.get();
    tuple->items.push_back(std::move(use));
  }
  if (!call.keywords.empty())
    fail(call.keywords[0].pos, "invalid optional argument " + upper(call.keywords[0].name));
  call.items[1] = std::move(tuple);
}

}  // namespace nvm::frontend
