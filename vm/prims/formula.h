// Vectors that are not written. A DIST, a run of indices or a comparison with a distributed value that only
// certain instructions read stays a formula: PACK compares and packs in one pass and counts on the way, packs
// segments that go as a whole, and DPERMUTE moves runs. For one thread; results are those of the primitives,
// bit for bit, and so are faults.
#pragma once

#include "vm/prims/prims.h"

namespace nvm::vm {

struct Formula {
  enum class Kind : std::uint8_t {
    kSpread,   // x[k] for every element of segment k
    kRuns,     // x[k], x[k] + 1, ... in segment k
    kCompare,  // `left` compared with such a spread
    kRanks,    // places that only sorting needs (vm/prims/sort.h): ascending if `compare` is kLt, else
               // descending
  };
  Kind kind = Kind::kSpread;
  Scalar compare = Scalar::kEq;  // kCompare, kRanks
  Segdes s;
  Vector x;  // one element for each segment
  Vector left;
};

// Is it a comparison of numbers?
[[nodiscard]] bool compares(Op op);
// May `op` read at operand `i` what `maker` left as a formula? Comparisons read one if they make one.
[[nodiscard]] bool reads_formula(Op op, std::uint32_t i, Op maker);
// As find_primitive, for an instruction whose result is read by such only: it may be a formula. Null for
// others than DIST, INDEX and comparisons.
[[nodiscard]] PrimFn find_maker(Op op);
// As find_primitive, for an instruction that may find formulas among its operands and makes none. `second`:
// whether somebody wants its second result; if not, it may be missing. Null for others than PACK and
// DPERMUTE.
[[nodiscard]] PrimFn find_reader(Op op, bool second);

}  // namespace nvm::vm
