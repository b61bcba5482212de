// Cutting the arguments of a lifted call into groups of instances (see ssa::Split). Nothing is copied: a
// group's vectors are views, its descriptors views of lengths or two numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bytecode/ssa/ssa.h"
#include "vm/data/value.h"
#include "vm/prims/prims.h"

namespace nvm::vm::block {

// Where the instances of one call lie in its arguments. Holds references: both must outlive it, and the
// arguments stay as they are.
class Layout {
 public:
  // Nothing if the arguments do not have the shapes that `splits` promises. No argument is Deferred.
  [[nodiscard]] static std::optional<Layout> of(std::span<const ssa::Split> splits,
                                                std::span<const Value> arguments);

  [[nodiscard]] std::int64_t instances() const { return instances_; }
  // Bytes of what instances 0 .. k-1 have, counting one for each so that empty ones weigh too.
  [[nodiscard]] std::int64_t bytes_before(std::int64_t k) const;
  [[nodiscard]] std::int64_t bytes() const { return bytes_before(instances_); }
  // The arguments of instances first .. last-1 alone.
  [[nodiscard]] std::vector<Value> group(std::int64_t first, std::int64_t last, Pool& pool) const;
  // The element or segment of argument i at which instance k begins; 0 for one that every instance has whole.
  [[nodiscard]] std::int64_t begin(std::size_t i, std::int64_t k) const;
  [[nodiscard]] std::span<const ssa::Split> splits() const { return splits_; }
  [[nodiscard]] std::span<const Value> arguments() const { return arguments_; }
  // Ascending bounds of at most `groups` groups, none without instances, balanced by bytes: 0 .. instances().
  [[nodiscard]] std::vector<std::int64_t> bounds(std::int64_t groups) const;

 private:
  Layout(std::span<const ssa::Split> splits, std::span<const Value> arguments)
      : splits_(splits), arguments_(arguments) {}
  [[nodiscard]] bool fits() const;
  // The smallest number of instances that weigh at least `bytes`.
  [[nodiscard]] std::int64_t instances_of(std::int64_t bytes) const;

  std::span<const ssa::Split> splits_;
  std::span<const Value> arguments_;
  std::int64_t instances_ = 0;
};

// An INT vector of 64 bits whose elements fit 32, stored so in memory of its own; any other as it is.
[[nodiscard]] Vector narrowed(const PrimContext& context, const Vector& v);

// Elements from .. to-1 of a vector; segments from .. to-1 of a descriptor.
[[nodiscard]] Vector slice(const Vector& v, std::int64_t from, std::int64_t to);
[[nodiscard]] Segdes slice(const Segdes& s, std::int64_t from, std::int64_t to, Pool& pool);

}  // namespace nvm::vm::block
