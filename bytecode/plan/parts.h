// Scans that are only reduced, in one sweep: a part of the space is folded by itself, before it is known what
// lies in front of it, and the parts are joined in order. A value of the part is the greatest (or least) of
// terms, each a sum of carries, which come from the parts in front, and of what the part finds itself:
//
//   sum so far        C + s         with s the sum so far in the part
//   least sum so far  min(M, C + m)                   m the least s so far
//   x - the lesser    max(C - M + x', x' - min(m, s'))
//
// so folding x' and x' - min(m, s') is enough, whatever C and M are. That holds for numbers that do not wrap,
// which follows from the number of elements and their storage, or else from the least and greatest that the
// sweep sees. Source: Fisher and Ghuloum, Parallelizing Complex Scans and Reductions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bytecode/plan/plan.h"
#include "bytecode/table/ranges.h"

namespace nvm::plan {

struct Parts {
  // Folded over a part from the identity. A `scanned` one is read in the body by kScanned, whose `a` is its
  // number here.
  struct Fold {
    Scalar op = Scalar::kNoScalar;
    std::int32_t value = kNone;  // of body
    bool scanned = false;
  };
  // Carries times factors, and a fold; kNone: zero.
  struct Term {
    std::vector<std::int32_t> factors;  // by carry
    std::int32_t fold = kNone;
  };
  // What is combined over the whole space: result = result op term op term ... for each part in order. The
  // terms of an addition are one, whose carries count once for each element.
  struct Total {
    std::int32_t sink = kNone;  // of the kernel
    Scalar op = Scalar::kNoScalar;
    std::vector<Term> terms;
  };
  // A value that depends on no scan, where symbols begin.
  struct Leaf {
    std::int32_t of_kernel = kNone, local = kNone;  // values of the kernel's body, and of a part's
  };
  Body body;  // of a part
  std::vector<Leaf> leaves;
  std::vector<Fold> folds;
  std::vector<Total> carries;  // the kernel's scans, in order
  std::vector<Total> results;  // the kernel's reductions, then what observe() adds
  bool observed = false;

  // Keeps the leaves whose numbers are not small enough as far as is known, and wants the least and the
  // greatest of each, too, as further results in this order. False if holds() says no whatever they are.
  [[nodiscard]] bool observe(const Kernel& kernel, const std::vector<Var>& vars, std::int64_t length);
  // The totals behind one more part of `length` elements, not 0; `found`: its folds. `carried` and `results`
  // begin with the identities.
  void join(std::vector<std::int64_t>& carried, std::vector<std::int64_t>& result, const std::int64_t* found,
            std::int64_t length) const;
};

// nullopt if some value is no such term, if there are no scans, or anything but scans and reductions of
// INT over the whole space.
[[nodiscard]] std::optional<Parts> parts_of(const Kernel& kernel);

// Is what `parts` computes of `length` elements what the kernel does, since no number wraps that depends on a
// scan? INTs have 64 bits. `seen`: of each leaf.
[[nodiscard]] bool holds(const Parts& parts, const Kernel& kernel, const std::vector<Var>& vars,
                         std::int64_t length, std::span<const Range> seen = {});

}  // namespace nvm::plan
