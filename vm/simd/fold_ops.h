// The operations that fold, on elements and on vectors of them, with their identities.
#pragma once

#include "bytecode/table/identities.h"
#include "vm/simd/vectors.h"

namespace nvm::vm::simd {

namespace {

template <Scalar kOp>
struct FoldOp {
  // V is an element type or a vector of one.
  template <typename V>
  static V apply(V a, V b) {
    using U = typename Unsigned<V>::type;
    if constexpr (kOp == Scalar::kAdd) return static_cast<V>(static_cast<U>(a) + static_cast<U>(b));
    if constexpr (kOp == Scalar::kMul) return static_cast<V>(static_cast<U>(a) * static_cast<U>(b));
    if constexpr (kOp == Scalar::kMax) return a > b ? a : b;
    if constexpr (kOp == Scalar::kMin) return a < b ? a : b;
    if constexpr (kOp == Scalar::kAnd) return static_cast<V>(a & b);
    if constexpr (kOp == Scalar::kOr) return static_cast<V>(a | b);
    if constexpr (kOp == Scalar::kXor) return static_cast<V>(a ^ b);
  }
  template <typename T>
  static constexpr T identity() {
    if constexpr (std::is_same_v<T, f64>) return constant_float_identity(kOp);
    if constexpr (sizeof(T) == 8) return static_cast<T>(constant_int_identity(kOp, IntBits::k64));
    if constexpr (sizeof(T) == 4) return static_cast<T>(constant_int_identity(kOp, IntBits::k32));
    return static_cast<T>(constant_bool_identity(kOp));
  }
};

// f.template operator()<kOp>() of every operation that folds numbers; of every one that folds bits.
template <typename F>
void each_numeric_fold(F f) {
  f.template operator()<Scalar::kAdd>();
  f.template operator()<Scalar::kMul>();
  f.template operator()<Scalar::kMax>();
  f.template operator()<Scalar::kMin>();
}
template <typename F>
void each_logical_fold(F f) {
  f.template operator()<Scalar::kAnd>();
  f.template operator()<Scalar::kOr>();
  f.template operator()<Scalar::kXor>();
}

}  // namespace

}  // namespace nvm::vm::simd
