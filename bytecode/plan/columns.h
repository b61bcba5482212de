// The sets of anchors that compose into one legal kernel, with what such a kernel costs: the columns of the
// integer program (integer.h). What a kernel computes, reads and loads follows from its set alone, since MAPs
// without a kernel are composed wherever they are used. Two things depend on the other kernels: in which
// order they run, and whether a scan or filter must be stored because one of them loads it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bytecode/plan/placer.h"

namespace nvm::plan {

struct Column {
  std::vector<std::int32_t> members;  // by number in the placer's anchors, ascending
  std::vector<std::int32_t> reads;    // anchors of other kernels, which must run before; ascending
  std::vector<std::int32_t>
      loads;  // those of `reads` that need not be stored but for being loaded; ascending
  LengthId space = kNone;
  double cost = 0.0;  // bytes: launch, what the body reads, what its members store in any case
};

// Of the anchors of a placer that has placed none, all columns that some schedule can contain, and perhaps
// others; nullopt if there are more than `most`, or more than 64 anchors. Cost: composing for each column and
// for each anchor that it cannot take in addition.
[[nodiscard]] std::optional<std::vector<Column>> columns_of(const soac::Graph& graph, const Placer& placer,
                                                            std::size_t most);

}  // namespace nvm::plan
