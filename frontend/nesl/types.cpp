#include "frontend/nesl/types.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "bytecode/base/budget.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "frontend/nesl/environment.h"

namespace nvm::frontend {

const Type* TypeArena::base(TypeKind kind) {
  static const auto made = [](TypeKind base) {
    Type type{base};
    type.parts = 1;
    return type;
  };
  static const Type int_type = made(TypeKind::kInt), float_type = made(TypeKind::kFloat),
                    bool_type = made(TypeKind::kBool), char_type = made(TypeKind::kChar);
  switch (kind) {
    case TypeKind::kInt: return &int_type;
    case TypeKind::kFloat: return &float_type;
    case TypeKind::kBool: return &bool_type;
    default: NVM_CHECK(kind == TypeKind::kChar, "not a base type"); return &char_type;
  }
}

const Type* TypeArena::add(Type type) {
  constexpr std::size_t kMostParts = std::size_t{1} << 32;
  const bool closed = type.kind != TypeKind::kVar &&
                      (type.kind != TypeKind::kRecord || type.datatype->content != nullptr) &&
                      std::all_of(type.args.begin(), type.args.end(),
                                  [](const Type* arg) { return resolve(arg)->parts > 0; });
  if (closed) type.parts = size_up_to(&type, kMostParts);
  return &types_.emplace_back(std::move(type));
}

const Type* TypeArena::seq(const Type* element) {
  Type type{TypeKind::kSeq};
  type.args = {element};
  return add(std::move(type));
}

const Type* TypeArena::pair(const Type* first, const Type* second) {
  Type type{TypeKind::kPair};
  type.args = {first, second};
  return add(std::move(type));
}

const Type* TypeArena::tuple(const std::vector<const Type*>& items) {
  const Type* result = items.back();
  for (std::size_t i = items.size() - 1; i-- > 0;) result = pair(items[i], result);
  return result;
}

const Type* TypeArena::fn(const Type* argument, const Type* result, const Type* identity) {
  Type type{TypeKind::kFn};
  type.args = {argument, result, identity};
  return add(std::move(type));
}

const Type* TypeArena::record(const Datatype* datatype, std::vector<const Type*> args) {
  Type type{TypeKind::kRecord};
  type.args = std::move(args);
  type.datatype = datatype;
  return add(std::move(type));
}

const Type* TypeArena::named_identity(const Binding* binding) {
  Type type{TypeKind::kIdentity};
  type.binding = binding;
  return add(std::move(type));
}

const Type* TypeArena::lambda_identity(const Expr* lambda, std::vector<const Type*> captured) {
  Type type{TypeKind::kIdentity};
  type.lambda = lambda;
  type.args = std::move(captured);
  return add(std::move(type));
}

const Type* TypeArena::var(TypeClass type_class, bool rigid) {
  Type type{TypeKind::kVar};
  type.type_class = type_class;
  type.rigid = rigid;
  return add(std::move(type));
}

namespace {

// Appends the unbound variables of `type` that `found` lacks.
void collect_unbound(const Type* type, std::vector<const Type*>& found) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kVar && std::find(found.begin(), found.end(), type) == found.end())
    found.push_back(type);
  for (const Type* arg : type->args) collect_unbound(arg, found);
}

// How often each of `params` stands in `type`, in what its records hold, too; `times` as often if it does.
void count_uses(const Type* type, const std::vector<const Type*>& params, std::size_t times,
                std::vector<std::size_t>& uses) {
  check_budget();
  check_stack();
  type = resolve(type);
  const auto param = std::find(params.begin(), params.end(), type);
  if (param != params.end()) uses[static_cast<std::size_t>(param - params.begin())] += times;
  const bool holds = type->kind == TypeKind::kRecord && type->datatype->content != nullptr;
  for (std::size_t i = 0; i < type->args.size(); ++i)
    if (const std::size_t inside = holds ? type->datatype->uses[i] : 1; inside > 0)
      count_uses(type->args[i], params, times * inside, uses);
}

}  // namespace

void Datatype::hold(const Type* components) {
  const std::size_t declared = params.size();
  collect_unbound(components, params);
  hidden = params.size() - declared;
  content = components;
  size = size_up_to(components, std::numeric_limits<std::size_t>::max());
  uses.assign(params.size(), 0);
  count_uses(components, params, 1, uses);
}

Datatype* TypeArena::datatype() { return &datatypes_.emplace_back(); }

const Type* resolve(const Type* type) {
  while (type->kind == TypeKind::kVar && type->link != nullptr) type = type->link;
  return type;
}

bool in_class(TypeKind kind, TypeClass type_class) {
  switch (type_class) {
    case TypeClass::kAny: return true;
    case TypeClass::kScalar:
      return kind == TypeKind::kInt || kind == TypeKind::kFloat || kind == TypeKind::kBool ||
             kind == TypeKind::kChar;
    case TypeClass::kOrdinal:
      return kind == TypeKind::kInt || kind == TypeKind::kFloat || kind == TypeKind::kChar;
    case TypeClass::kNumber: return kind == TypeKind::kInt || kind == TypeKind::kFloat;
    case TypeClass::kLogical: return kind == TypeKind::kInt || kind == TypeKind::kBool;
  }
  return false;
}

bool belongs(TypeKind kind, TypeClass type_class) {
  const bool composed = kind == TypeKind::kSeq || kind == TypeKind::kPair || kind == TypeKind::kRecord;
  return in_class(kind, type_class) ||
         (type_class == TypeClass::kOrdinal && (composed || kind == TypeKind::kBool));
}

bool class_within(TypeClass a, TypeClass b) {
  // A sequence stands for all that is composed.
  static constexpr TypeKind kKinds[] = {TypeKind::kInt,  TypeKind::kFloat, TypeKind::kBool,
                                        TypeKind::kChar, TypeKind::kSeq,   TypeKind::kFn};
  return a == b || std::all_of(std::begin(kKinds), std::end(kKinds),
                               [&](TypeKind kind) { return !belongs(kind, a) || belongs(kind, b); });
}

const char* class_name(TypeClass type_class) {
  switch (type_class) {
    case TypeClass::kAny: return "any";
    case TypeClass::kScalar: return "scalar";
    case TypeClass::kOrdinal: return "ordinal";
    case TypeClass::kNumber: return "number";
    case TypeClass::kLogical: return "logical";
  }
  return "";
}

bool read_class(const std::string& name, TypeClass& out) {
  for (const TypeClass candidate :
       {TypeClass::kAny, TypeClass::kScalar, TypeClass::kOrdinal, TypeClass::kNumber, TypeClass::kLogical}) {
    if (name != class_name(candidate)) continue;
    out = candidate;
    return true;
  }
  return false;
}

std::size_t shown_args(const Type* type) {
  if (type->kind == TypeKind::kFn) return 2;
  return type->kind == TypeKind::kRecord ? type->datatype->shown() : type->args.size();
}

bool same_head(const Type* a, const Type* b) {
  if (a->kind != b->kind || a->datatype != b->datatype || a->lambda != b->lambda) return false;
  if ((a->binding == nullptr) != (b->binding == nullptr) || a->args.size() != b->args.size()) return false;
  return a->binding == nullptr || current(a->binding) == current(b->binding);
}

// Copying.

namespace {

using VarMap = std::unordered_map<const Type*, const Type*>;

// `type` rebuilt with its unbound variables mapped by `map_var`; may share what contains none, if `shares`.
template <typename MapVar>
const Type* rebuild(TypeArena& arena, const Type* type, const MapVar& map_var, bool shares = true) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (shares && type->parts > 0) return type;
  if (type->kind == TypeKind::kVar) return map_var(type);
  std::vector<const Type*> args;
  bool changed = false;
  for (const Type* arg : type->args) {
    args.push_back(rebuild(arena, arg, map_var, shares));
    changed |= args.back() != arg;
  }
  const bool base = args.empty() && type->kind != TypeKind::kIdentity && type->kind != TypeKind::kRecord;
  if (!changed && (shares || base)) return type;
  if (type->binding != nullptr) return arena.named_identity(type->binding);
  switch (type->kind) {
    case TypeKind::kSeq: return arena.seq(args[0]);
    case TypeKind::kPair: return arena.pair(args[0], args[1]);
    case TypeKind::kRecord: return arena.record(type->datatype, std::move(args));
    case TypeKind::kFn: return arena.fn(args[0], args[1], args[2]);
    default: return arena.lambda_identity(type->lambda, std::move(args));
  }
}

}  // namespace

namespace {

const Type* with_fresh_variables(TypeArena& arena, const Type* type, bool shares) {
  VarMap fresh;
  const auto copy_of = [&](const Type* var) {
    const Type*& copy = fresh[var];
    if (copy == nullptr) copy = arena.var(var->type_class);
    return copy;
  };
  return rebuild(arena, type, copy_of, shares);
}

}  // namespace

const Type* instantiate(TypeArena& arena, const Type* type) {
  return with_fresh_variables(arena, type, true);
}
const Type* renew(TypeArena& arena, const Type* type) { return with_fresh_variables(arena, type, false); }

OwnedType own(const Type* type) {
  const auto arena = std::make_shared<TypeArena>();
  return {arena, renew(*arena, type)};
}

const Type* substitute(TypeArena& arena, const Type* type, const std::vector<const Type*>& from,
                       const std::vector<const Type*>& to) {
  return rebuild(arena, type, [&](const Type* var) {
    const auto found = std::find(from.begin(), from.end(), var);
    return found == from.end() ? var : to[static_cast<std::size_t>(found - from.begin())];
  });
}

const Type* record_content(TypeArena& arena, const Type* record) {
  return substitute(arena, record->datatype->content, record->datatype->params, record->args);
}

namespace {

bool same(const Type* a, const Type* b, VarMap& renaming, VarMap& back) {
  check_budget();
  check_stack();
  a = resolve(a);
  b = resolve(b);
  if (a->kind != b->kind) return false;
  if (a->kind == TypeKind::kVar) {
    if (a->type_class != b->type_class) return false;
    const Type*& to = renaming[a];
    const Type*& from = back[b];
    if (to == nullptr && from == nullptr) {
      to = b;
      from = a;
    }
    return to == b && from == a;
  }
  if (!same_head(a, b)) return false;
  const std::size_t compared = shown_args(a);
  for (std::size_t i = 0; i < compared; ++i)
    if (!same(a->args[i], b->args[i], renaming, back)) return false;
  return true;
}

}  // namespace

bool same_type(const Type* a, const Type* b) {
  VarMap renaming, back;
  return same(a, b, renaming, back);
}

namespace {

// Of a record: its content with its arguments in place of the parameters.
std::size_t record_parts(const Type* record, std::size_t limit) {
  const Datatype& datatype = *record->datatype;
  std::size_t size = 1 + datatype.size;
  for (std::size_t i = 0; i < datatype.uses.size() && size < limit; ++i)
    if (datatype.uses[i] > 0) size += datatype.uses[i] * (size_up_to(record->args[i], limit) - 1);
  return std::min(size, limit);
}

}  // namespace

std::size_t size_up_to(const Type* type, std::size_t limit) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->parts > 0) return std::min(type->parts, limit);
  if (type->kind == TypeKind::kRecord && type->datatype->content != nullptr) return record_parts(type, limit);
  std::size_t size = 1;
  for (const Type* arg : type->args)
    if (size < limit) size += size_up_to(arg, limit - size);
  return size;
}

bool occurs(const Type* variable, const Type* type) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->parts > 0) return false;
  return type == variable || std::any_of(type->args.begin(), type->args.end(),
                                         [&](const Type* arg) { return occurs(variable, arg); });
}

void variables_of(const Type* type, std::vector<const Type*>& found) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->parts > 0) return;
  if (type->kind == TypeKind::kVar) found.push_back(type);
  for (const Type* arg : type->args) variables_of(arg, found);
}

bool contains_function(const Type* type) {
  check_budget();
  check_stack();
  type = resolve(type);
  if (type->kind == TypeKind::kFn || type->kind == TypeKind::kIdentity) return true;
  return std::any_of(type->args.begin(), type->args.end(), contains_function);
}

int slot_count(TypeArena& arena, const Type* type) {
  check_budget();
  check_stack();
  type = resolve(type);
  switch (type->kind) {
    case TypeKind::kSeq: return 1 + slot_count(arena, type->args[0]);
    case TypeKind::kPair: return slot_count(arena, type->args[0]) + slot_count(arena, type->args[1]);
    case TypeKind::kRecord: return slot_count(arena, record_content(arena, type));
    case TypeKind::kFn: return slot_count(arena, type->args[2]);
    case TypeKind::kIdentity: {
      int slots = 0;
      for (const Type* captured : type->args) slots += slot_count(arena, captured);
      return slots;
    }
    default: return 1;
  }
}

}  // namespace nvm::frontend
