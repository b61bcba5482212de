// What the rules do with vectors and their parts: to cut, move, gather and join them. Operands are vectors
// that all ranks have, or distributed ones; results that are long are distributed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "vm/prims/prims.h"
#include "vm/spmd/distributed.h"
#include "vm/spmd/exchange.h"
#include "vm/spmd/local_tier.h"

namespace nvm::vm::spmd {

// Elements that a rank wants, [begin, end).
struct Range {
  std::int64_t begin, end;
};
using Ranges = std::vector<Range>;  // by rank

struct Settings {
  std::int64_t spread = 1 << 15;  // elements from which on a vector is distributed
  Cutter cutter = Cut::even;
  // Bytes of a vector up to which one that is picked from is gathered on all ranks, and kept so.
  std::int64_t gathered = 8 << 20;
};

class Parts {
 public:
  // All must outlive it.
  Parts(Exchange& exchange, const PrimContext& prims, Settings settings, RegionHook* tier = nullptr);

  [[nodiscard]] const PrimContext& prims() const { return prims_; }
  [[nodiscard]] Exchange& exchange() const { return exchange_; }
  [[nodiscard]] LocalTier& tier() { return tier_; }
  [[nodiscard]] const LocalTier& tier() const { return tier_; }
  [[nodiscard]] int rank() const { return exchange_.rank(); }
  [[nodiscard]] int ranks() const { return exchange_.size(); }
  [[nodiscard]] bool is_long(std::int64_t length) const { return length >= settings_.spread; }
  [[nodiscard]] CutRef cut_of(std::int64_t length) const;
  [[nodiscard]] bool gathers(Type type, std::int64_t length) const {
    return length * bytes(type) <= settings_.gathered;
  }
  // The largest part that a rank has had, and the mean of that vector, of that where the quotient was
  // largest.
  [[nodiscard]] double largest_share() const { return largest_share_; }

  // All elements, on all ranks: a round if it is distributed.
  [[nodiscard]] Vector whole(const Value& value);
  // The same of several at once, in their places.
  void gather(std::span<Value> values);
  // This rank's elements of a vector cut so; not_yet: they may be promised.
  [[nodiscard]] Vector part(const Value& value, const CutRef& cut);
  [[nodiscard]] Value part_not_yet(const Value& value, const CutRef& cut);
  // Its part, computed.
  [[nodiscard]] const Vector& own(const Distributed& d);
  // This rank's range of it, where each rank wants one.
  [[nodiscard]] Vector window(const Value& value, const Ranges& wanted);
  // The same of several at once, in one round if any of them has to move.
  [[nodiscard]] std::vector<Vector> windows(std::span<const Value> values, std::span<const Ranges> wanted);

  // A result of which each rank has made its part, or its recorder has promised it.
  [[nodiscard]] Value join(Type type, const CutRef& cut, Value part);
  // The same with another cut if some rank has much more of it than the others.
  [[nodiscard]] Value join_balanced(Type type, const CutRef& cut, Vector part);
  // A result that all ranks have.
  [[nodiscard]] Value spread(Value whole);

  // Elements as they travel: INTs as wide as the run's.
  [[nodiscard]] std::int64_t bytes(Type type) const;
  void write(const Vector& v, std::byte* to) const;
  [[nodiscard]] Vector read(Type type, std::span<const std::span<const std::byte>> pieces) const;
  [[nodiscard]] Storage storage(Type type) const;
  [[nodiscard]] Vector zeros(Type type, std::int64_t length) const;

 private:
  // Of a vector whose elements it has all here; nothing if some rank has not.
  [[nodiscard]] std::optional<Vector> window_here(const Value& value, const Ranges& wanted);
  [[nodiscard]] std::vector<Vector> trade(std::span<const DistributedRef> vectors,
                                          std::span<const Ranges> wanted);

  Exchange& exchange_;
  const PrimContext& prims_;
  Settings settings_;
  LocalTier tier_;
  double largest_share_ = 1;
};

[[nodiscard]] Type type_of_vector(const Value& value);
[[nodiscard]] std::int64_t length_of_vector(const Value& value);

// The segments that meet [begin, end) of a described vector, as a descriptor of these elements alone.
struct Clipped {
  Segdes s;
  std::int64_t first;   // number of its first segment
  std::int64_t inside;  // elements of that one before `begin`
};
[[nodiscard]] Clipped clip(const PrimContext& prims, const Segdes& s, std::int64_t begin, std::int64_t end);

}  // namespace nvm::vm::spmd
