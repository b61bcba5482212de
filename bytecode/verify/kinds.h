// Static stack entry types as small numbers, pairs shared: comparing is one instruction and a pair of pairs
// of pairs costs one row, however large its tree.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bytecode/verify/verify.h"

namespace nvm {

// 0..3 are Int Float Bool Segdes; kAnyKind stands for what an error left undecided and agrees with all;
// larger numbers are pairs.
using Kind = std::uint32_t;
constexpr Kind kAnyKind = 4;

[[nodiscard]] constexpr Kind kind_of(Type type) { return static_cast<Kind>(type); }
[[nodiscard]] constexpr bool is_pair(Kind kind) { return kind > kAnyKind; }
[[nodiscard]] std::string_view kind_name(Kind kind);

class Kinds {
 public:
  [[nodiscard]] Kind pair(Kind deeper, Kind upper);
  [[nodiscard]] Kind deeper(Kind pair) const { return row(pair).deeper; }
  [[nodiscard]] Kind upper(Kind pair) const { return row(pair).upper; }
  // Nodes of the tree; saturates.
  [[nodiscard]] std::int64_t nodes(Kind kind) const { return is_pair(kind) ? row(kind).nodes : 1; }
  // The tree itself; only for kinds of few nodes.
  [[nodiscard]] EntryType expand(Kind kind) const;

 private:
  struct Row {
    Kind deeper;
    Kind upper;
    std::int64_t nodes;
  };
  [[nodiscard]] const Row& row(Kind pair) const { return rows_[pair - kAnyKind - 1]; }

  std::vector<Row> rows_;
  std::unordered_map<std::uint64_t, Kind> ids_;
};

}  // namespace nvm
