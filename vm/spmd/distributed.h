// A vector of which each rank has a part; its type and cut are the same on all ranks. How a part's INTs are
// stored is each rank's own matter, and whether it is computed: its recorder may have promised it.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "vm/data/value.h"
#include "vm/spmd/cut.h"

namespace nvm::vm {

// An INT vector whose elements count up by one in each segment of `s`, from these numbers on.
struct CountedUp {
  Vector starts;
  Segdes s;
};

struct Distributed {
  Type type;
  spmd::CutRef cut;
  mutable Value part;
  mutable std::optional<Vector> whole;  // if somebody has gathered it and it is not large
  // What all ranks know of all parts, if they do.
  mutable std::shared_ptr<const CountedUp> counted = nullptr;

  [[nodiscard]] std::int64_t length() const { return cut->total(); }
};
using DistributedRef = std::shared_ptr<const Distributed>;

[[nodiscard]] inline const Distributed* distributed(const Value& value) {
  const auto* d = std::get_if<DistributedRef>(&value);
  return d != nullptr ? d->get() : nullptr;
}

}  // namespace nvm::vm
