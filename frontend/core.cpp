#include "frontend/core.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <tuple>

#include "bytecode/base/stack.h"

namespace nvm::frontend::core {
namespace {

// Types are looked up by their parts, which are shared already.
const Type* intern(TypeKind kind, const Type* a, const Type* b) {
  static std::mutex mutex;
  static std::map<std::tuple<TypeKind, const Type*, const Type*>, std::unique_ptr<Type>> types;
  const auto height_of = [](const Type* part) { return part == nullptr ? 0 : part->height; };
  const int height = 1 + std::max(height_of(a), height_of(b));
  if (height > kMaxTypeHeight) throw TooDeep{};
  const std::lock_guard lock(mutex);
  auto& slot = types[{kind, a, b}];
  const auto has_sequences = [](const Type* part) { return part != nullptr && part->has_sequences; };
  if (!slot)
    slot = std::make_unique<Type>(
        Type{kind, a, b, height, kind == TypeKind::kSeq || has_sequences(a) || has_sequences(b)});
  return slot.get();
}

}  // namespace

const Type* base_type(TypeKind kind) { return intern(kind, nullptr, nullptr); }
const Type* seq_type(const Type* element) { return intern(TypeKind::kSeq, element, nullptr); }
const Type* pair_type(const Type* a, const Type* b) { return intern(TypeKind::kPair, a, b); }

std::string type_text(const Type* type) {
  check_stack();
  switch (type->kind) {
    case TypeKind::kUnit: return "unit";
    case TypeKind::kInt: return "int";
    case TypeKind::kFloat: return "float";
    case TypeKind::kBool: return "bool";
    case TypeKind::kChar: return "char";
    case TypeKind::kSeq: return "[" + type_text(type->a) + "]";
    case TypeKind::kPair: break;
  }
  return "(" + type_text(type->a) + ", " + type_text(type->b) + ")";
}

// Not one inside the other: a chain of bindings may be longer than any stack is deep.
Expr::~Expr() {
  std::vector<ExprPtr> open = std::move(kids);
  while (!open.empty()) {
    const ExprPtr e = std::move(open.back());
    open.pop_back();
    if (e == nullptr) continue;
    std::move(e->kids.begin(), e->kids.end(), std::back_inserter(open));
    e->kids.clear();
  }
}

const std::vector<PrimInfo>& all_prims() {
  using enum Place;
  using enum PrimEffect;
  static const std::vector<PrimInfo> prims = {
#define PRIM(id, name, place, effect) {Prim::id, name, place, effect},
#include "frontend/prims.def"
  };
  return prims;
}

const PrimInfo& prim_info(Prim prim) { return all_prims()[static_cast<std::size_t>(prim)]; }

int slot_count(const Type* type) {
  check_stack();
  switch (type->kind) {
    case TypeKind::kUnit: return 0;
    case TypeKind::kSeq: return 1 + slot_count(type->a);
    case TypeKind::kPair: return slot_count(type->a) + slot_count(type->b);
    default: return 1;
  }
}

}  // namespace nvm::frontend::core
