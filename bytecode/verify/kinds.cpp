#include "bytecode/verify/kinds.h"

#include <algorithm>

namespace nvm {

std::string_view kind_name(Kind kind) {
  if (kind == kAnyKind) return "unknown";
  return type_name(is_pair(kind) ? Type::kPair : static_cast<Type>(kind));
}

Kind Kinds::pair(Kind deeper, Kind upper) {
  const std::uint64_t key = std::uint64_t{deeper} << 32 | upper;
  const auto [it, fresh] = ids_.try_emplace(key, static_cast<Kind>(rows_.size()) + kAnyKind + 1);
  constexpr std::int64_t kMany = std::int64_t{1} << 40;
  if (fresh) rows_.push_back({deeper, upper, std::min(kMany, 1 + nodes(deeper) + nodes(upper))});
  return it->second;
}

EntryType Kinds::expand(Kind kind) const {
  if (!is_pair(kind)) return {static_cast<Type>(kind), {}};
  return {Type::kPair, {expand(deeper(kind)), expand(upper(kind))}};
}

}  // namespace nvm
