// Included once by routines_avx512.cpp and once by routines_avx2.cpp, each built for its instruction set; all
// names have internal linkage so that neither copy can stand in for the other.
#include "vm/cpu/routines_count.h"
#include "vm/cpu/routines_expand.h"
#include "vm/cpu/routines_fold.h"
#include "vm/cpu/routines_fold_bool.h"
#include "vm/simd/compress.h"
#include "vm/simd/functions.h"

namespace nvm::vm::cpu {

namespace {

template <template <Scalar> typename F>
const FoldRoutines* logical_fold(Scalar op) {
  switch (op) {
    case Scalar::kAnd: return &F<Scalar::kAnd>::kTable;
    case Scalar::kOr: return &F<Scalar::kOr>::kTable;
    case Scalar::kXor: return &F<Scalar::kXor>::kTable;
    default: return nullptr;
  }
}
template <template <Scalar> typename F>
const FoldRoutines* numeric_fold(Scalar op) {
  switch (op) {
    case Scalar::kAdd: return &F<Scalar::kAdd>::kTable;
    case Scalar::kMul: return &F<Scalar::kMul>::kTable;
    case Scalar::kMax: return &F<Scalar::kMax>::kTable;
    case Scalar::kMin: return &F<Scalar::kMin>::kTable;
    default: return nullptr;
  }
}
template <Scalar kOp>
using WideFold = Fold<std::int64_t, kOp>;
template <Scalar kOp>
using NarrowFold = Fold<std::int32_t, kOp>;
template <Scalar kOp>
using FloatFold = Fold<double, kOp>;
template <template <Scalar> typename F>
const FoldRoutines* int_fold(Scalar op) {
  const FoldRoutines* numeric = numeric_fold<F>(op);
  return numeric != nullptr ? numeric : logical_fold<F>(op);
}
const FoldRoutines* fold_routines(Scalar op, Storage storage) {
  switch (storage) {
    case Storage::kI64: return int_fold<WideFold>(op);
    case Storage::kI32: return int_fold<NarrowFold>(op);
    case Storage::kF64: return numeric_fold<FloatFold>(op);
    case Storage::kB8: return logical_fold<BoolFold>(op);
    case Storage::kI8: return nullptr;
  }
  return nullptr;
}

template <typename Acc, typename In, Scalar kOp>
Cell whole_fold(const void* values, std::int64_t n) {
  using Op = simd::FoldOp<kOp>;
  if constexpr (std::is_same_v<Acc, In> && sizeof(In) == 8)
    return std::bit_cast<Cell>(simd::reduce_segment<Op>(static_cast<const In*>(values), n));
  return static_cast<Cell>(simd::reduce_in_order<Op, Acc>(static_cast<const In*>(values), n));
}
template <typename Acc, typename In>
WholeFold whole_fold_of(Scalar op) {
  constexpr bool kReal = std::is_same_v<Acc, double>, kFlag = sizeof(Acc) == 1;
  if constexpr (!kFlag) switch (op) {
      case Scalar::kAdd: return whole_fold<Acc, In, Scalar::kAdd>;
      case Scalar::kMul: return whole_fold<Acc, In, Scalar::kMul>;
      case Scalar::kMax: return whole_fold<Acc, In, Scalar::kMax>;
      case Scalar::kMin: return whole_fold<Acc, In, Scalar::kMin>;
      default: break;
    }
  if constexpr (!kReal) switch (op) {
      case Scalar::kAnd: return whole_fold<Acc, In, Scalar::kAnd>;
      case Scalar::kOr: return whole_fold<Acc, In, Scalar::kOr>;
      case Scalar::kXor: return whole_fold<Acc, In, Scalar::kXor>;
      default: break;
    }
  return nullptr;
}
WholeFold whole_fold_routine(Scalar op, Storage storage) {
  switch (storage) {
    case Storage::kI8: return whole_fold_of<std::int64_t, std::int8_t>(op);
    case Storage::kI32: return whole_fold_of<std::int64_t, std::int32_t>(op);
    case Storage::kI64: return whole_fold_of<std::int64_t, std::int64_t>(op);
    case Storage::kF64: return whole_fold_of<double, double>(op);
    case Storage::kB8: return whole_fold_of<std::uint8_t, std::uint8_t>(op);
  }
  return nullptr;
}

std::int64_t count_flags(const std::uint8_t* flags, std::int64_t n) { return simd::count_flags(flags, n); }

template <typename E>
std::int64_t compress_as(const void* values, const std::uint8_t* flags, std::int64_t n, void* dest) {
  constexpr std::int64_t kBehind = 64 / sizeof(E);
  E* out = static_cast<E*>(dest);
  return simd::compress(static_cast<const E*>(values), flags, n, out, n + kBehind) - out;
}
std::int64_t compress(const void* values, const std::uint8_t* flags, std::int64_t n, int bytes, void* dest) {
  if (bytes == 8) return compress_as<std::uint64_t>(values, flags, n, dest);
  if (bytes == 4) return compress_as<std::uint32_t>(values, flags, n, dest);
  return compress_as<std::uint8_t>(values, flags, n, dest);
}

const void* elementary(Scalar function) {
  switch (function) {
#define ELEMENTARY(id, name) \
  case Scalar::id:           \
    return reinterpret_cast<const void*>(&simd::elementary<simd::name##_f>);
#include "vm/simd/elementary.def"
    default: return nullptr;
  }
}

constexpr Routines kRoutines = {fold_routines, whole_fold_routine, compress, count_flags, count_by_segment,
                                expand,        elementary};

}  // namespace

}  // namespace nvm::vm::cpu
