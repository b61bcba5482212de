// Elementwise loops. Left to the compiler's vectoriser (-O3, one pass over memory: operands read once,
// results written once); what it does badly stands as intrinsics. `ivdep` because a result may be an operand,
// element by element.
//
// Integer division: 32-bit operands divide exactly in double. 64-bit ones do so if |a| <= 2^50 (the quotient
// of such a by any b cannot round up to an integer), which is tested per block; else the divider is used. By
// one number in all of a block: vm/simd/reciprocal.h.
#include <bit>

#include "vm/prims/kernels/isa.h"
#include "vm/simd/reciprocal.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename T>
T wrap_add(T a, T b) {
  using U = typename Unsigned<T>::type;
  return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
}

struct Add {
  template <typename T>
  static T apply(T a, T b) {
    return wrap_add(a, b);
  }
};
struct Sub {
  template <typename T>
  static T apply(T a, T b) {
    using U = typename Unsigned<T>::type;
    return static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  }
};
struct Mul {
  template <typename T>
  static T apply(T a, T b) {
    using U = typename Unsigned<T>::type;
    return static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  }
};
struct FDiv {
  static f64 apply(f64 a, f64 b) { return a / b; }
};
struct Lt {
  template <typename T>
  static u8 apply(T a, T b) {
    return a < b;
  }
};
struct Le {
  template <typename T>
  static u8 apply(T a, T b) {
    return a <= b;
  }
};
struct Gt {
  template <typename T>
  static u8 apply(T a, T b) {
    return a > b;
  }
};
struct Ge {
  template <typename T>
  static u8 apply(T a, T b) {
    return a >= b;
  }
};
struct Eq {
  template <typename T>
  static u8 apply(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <typename T>
  static u8 apply(T a, T b) {
    return a != b;
  }
};
struct And {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(a ^ b);
  }
};
struct Shl {
  template <typename T>
  static T apply(T a, T b) {
    using U = typename Unsigned<T>::type;
    return static_cast<T>(static_cast<U>(a) << (static_cast<U>(b) & (sizeof(T) * 8 - 1)));
  }
};
struct Shr {
  template <typename T>
  static T apply(T a, T b) {
    using U = typename Unsigned<T>::type;
    return static_cast<T>(a >> (static_cast<U>(b) & (sizeof(T) * 8 - 1)));
  }
};

template <typename F, typename T, typename R>
void map2(const void* pa, const void* pb, void* pr, i64 n) {
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  R* r = static_cast<R*>(pr);
#pragma GCC ivdep
  for (i64 i = 0; i < n; ++i) r[i] = F::apply(a[i], b[i]);
}

template <typename F, typename T, typename R>
void apply_one(const void* a, const void* b, void* r) {
  *static_cast<R*>(r) = F::apply(*static_cast<const T*>(a), *static_cast<const T*>(b));
}

template <typename F, typename T, typename R>
void map1(const void* pa, void* pr, i64 n) {
  const T* a = static_cast<const T*>(pa);
  R* r = static_cast<R*>(pr);
#pragma GCC ivdep
  for (i64 i = 0; i < n; ++i) r[i] = F::apply(a[i]);
}

struct Complement {
  template <typename T>
  static T apply(T a) {
    return static_cast<T>(~a);
  }
};
struct Negate {
  static u8 apply(u8 a) { return a ^ 1; }
};
struct ToFloat {
  template <typename T>
  static f64 apply(T a) {
    return static_cast<f64>(a);
  }
};
struct ToBool {
  template <typename T>
  static u8 apply(T a) {
    return a != 0;
  }
};
struct Sqrt {
  static f64 apply(f64 a) { return __builtin_sqrt(a); }
};

// Out of range and NaN: the least T.
template <typename T>
T to_int(f64 x) {
  constexpr f64 kBound = sizeof(T) == 4 ? 2147483648.0 : 9223372036854775808.0;
  constexpr T kLeast = sizeof(T) == 4 ? static_cast<T>(INT32_MIN) : static_cast<T>(INT64_MIN);
  const bool fits = sizeof(T) == 4 ? (x > -kBound - 1.0 && x < kBound) : (x >= -kBound && x < kBound);
  return fits ? static_cast<T>(x) : kLeast;
}
template <typename T>
struct Floor {
  static T apply(f64 a) { return to_int<T>(__builtin_floor(a)); }
};
template <typename T>
struct Ceil {
  static T apply(f64 a) { return to_int<T>(__builtin_ceil(a)); }
};
template <typename T>
struct Trunc {
  static T apply(f64 a) { return to_int<T>(a); }
};
template <typename T>
struct Round {
  static T apply(f64 a) { return to_int<T>(a + 0.5); }
};
template <typename To>
struct Convert {
  template <typename T>
  static To apply(T a) {
    return static_cast<To>(a);
  }
};

constexpr i64 kDivBlock = 1024;

// What stands in the way of a block's quotients; comparisons as wide as the elements, for the vectoriser.
struct Obstacles {
  bool traps;   // b is zero, or the quotient is out of range
  bool large;   // |a| > kSmallDividend
  bool varies;  // b is not one number
};
template <typename T>
bool traps(T a, T b) {
  constexpr T kLeast = sizeof(T) == 4 ? static_cast<T>(INT32_MIN) : static_cast<T>(INT64_MIN);
  return (b == 0) | ((b == -1) & (a == kLeast));
}
template <typename T>
Obstacles obstacles(const T* a, const T* b, i64 n) {
  using U = typename Unsigned<T>::type;
  constexpr auto kSmall = static_cast<u64>(kSmallDividend);
  U trapping = 0;
  U large = 0;
  U varies = 0;
  for (i64 i = 0; i < n; ++i) {
    trapping |= static_cast<U>(traps(a[i], b[i]));
    varies |= static_cast<U>(b[i] ^ b[0]);
    if constexpr (sizeof(T) == 8) large |= static_cast<U>(static_cast<u64>(a[i]) + kSmall > 2 * kSmall);
  }
  return {trapping != 0, large != 0, varies != 0};
}

// Are there conversions between 64-bit integers and FLOAT to gain from?
#if defined(__AVX512DQ__)
constexpr bool kConverts = true;
#else
constexpr bool kConverts = false;
#endif

template <typename T>
f64 small_to_float(T a) {
  if constexpr (sizeof(T) == 4 || kConverts) return static_cast<f64>(a);
  return std::bit_cast<f64>(a + kMagicBits) - kMagic;
}
template <typename T>
T whole_to_int(f64 a) {
  if constexpr (sizeof(T) == 4 || kConverts) return static_cast<T>(a);
  return static_cast<T>(std::bit_cast<i64>(a + kMagic) - kMagicBits);
}

i64 divide_large(i64 a, const Reciprocal& d) {
  __extension__ using Wide = unsigned __int128;
  const i64 sign = a >> 63;
  const u64 high = static_cast<u64>(Wide{static_cast<u64>(a)} * d.multiplier >> 64);
  const i64 q = (static_cast<i64>(high - (static_cast<u64>(sign) & d.multiplier)) >> d.shift) - sign;
  return ((d.is_unit != 0 ? a : q) ^ d.sign) - d.sign;
}

// A block by one number, where nothing traps.
template <bool kRemainder, typename T>
void divide_by_one(const T* a, T b, bool large, T* r, i64 n) {
  const Reciprocal d = reciprocal_of(b);
  if (large) {
    for (i64 i = 0; i < n; ++i) {
      const i64 q = divide_large(a[i], d);
      r[i] = static_cast<T>(kRemainder ? a[i] - q * b : q);
    }
    return;
  }
#pragma GCC ivdep
  for (i64 i = 0; i < n; ++i) {
    const f64 x = small_to_float(a[i]);
    const f64 q = __builtin_trunc(x * d.inverse);
    r[i] = whole_to_int<T>(kRemainder ? x - q * d.divisor : q);
  }
}

template <bool kRemainder, typename T>
i64 divide(const void* pa, const void* pb, void* pr, i64 n) {
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  T* r = static_cast<T*>(pr);
  for (i64 at = 0; at < n; at += kDivBlock) {
    const i64 m = n - at < kDivBlock ? n - at : kDivBlock;
    const Obstacles o = obstacles(a + at, b + at, m);
    if (o.traps)
      for (i64 i = at;; ++i)
        if (traps(a[i], b[i])) return i;
    constexpr i64 kMany = 32;  // elements, from which on a reciprocal pays
    if (!o.varies && m >= kMany) {
      divide_by_one<kRemainder>(a + at, b[at], sizeof(T) == 8 && o.large, r + at, m);
    } else if (sizeof(T) == 4 || (kConverts && !o.large)) {
#pragma GCC ivdep
      for (i64 i = at; i < at + m; ++i) {
        const T q = static_cast<T>(static_cast<f64>(a[i]) / static_cast<f64>(b[i]));
        r[i] = kRemainder ? Sub::apply(a[i], Mul::apply(q, b[i])) : q;
      }
    } else {
      for (i64 i = at; i < at + m; ++i) r[i] = kRemainder ? a[i] % b[i] : a[i] / b[i];
    }
  }
  return -1;
}

template <typename T>
void select(const u8* f, const void* pa, const void* pb, void* pr, i64 n) {
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  T* r = static_cast<T*>(pr);
#pragma GCC ivdep
  for (i64 i = 0; i < n; ++i) {
    const T x = a[i];
    const T y = b[i];
    r[i] = f[i] != 0 ? x : y;
  }
}

template <typename T>
void order(const void* pa, const void* pb, void* pleast, void* pmost, i64 n) {
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  T* least = static_cast<T*>(pleast);
  T* most = static_cast<T*>(pmost);
#pragma GCC ivdep
  for (i64 i = 0; i < n; ++i) {
    const T x = a[i];
    const T y = b[i];
    least[i] = x < y ? x : y;
    most[i] = x < y ? y : x;
  }
}

template <typename F, typename R, typename T>
void set_one_binary(Table& t, Scalar s) {
  t.binary[index_of(s)][index_of(storage_of<T>())] = map2<F, T, R>;
  t.binary_one[index_of(s)][index_of(storage_of<T>())] = apply_one<F, T, R>;
}
template <typename F, typename R, typename... T>
void set_binary(Table& t, Scalar s) {
  (set_one_binary<F, R, T>(t, s), ...);
}
template <typename F, typename... T>
void set_same(Table& t, Scalar s) {
  (set_one_binary<F, T, T>(t, s), ...);
}
template <typename From, typename To>
void set_convert(Table& t) {
  t.convert[index_of(storage_of<From>())][index_of(storage_of<To>())] = map1<Convert<To>, From, To>;
}
template <template <typename> typename F>
void set_to_int(Table& t, Scalar s) {
  t.to_int[index_of(s)][0] = map1<F<i32>, f64, i32>;
  t.to_int[index_of(s)][1] = map1<F<i64>, f64, i64>;
}
template <bool kRemainder>
void set_divide(Table& t, Scalar s) {
  t.checked[index_of(s)][index_of(Storage::kI32)] = divide<kRemainder, i32>;
  t.checked[index_of(s)][index_of(Storage::kI64)] = divide<kRemainder, i64>;
}

void fill_unary(Table& t) {
  auto& no = t.unary[index_of(Scalar::kNot)];
  no[index_of(Storage::kI8)] = map1<Complement, i8, i8>;
  no[index_of(Storage::kI32)] = map1<Complement, i32, i32>;
  no[index_of(Storage::kI64)] = map1<Complement, i64, i64>;
  no[index_of(Storage::kB8)] = map1<Negate, u8, u8>;
  auto& to_float = t.unary[index_of(Scalar::kItoF)];
  to_float[index_of(Storage::kI8)] = map1<ToFloat, i8, f64>;
  to_float[index_of(Storage::kI32)] = map1<ToFloat, i32, f64>;
  to_float[index_of(Storage::kI64)] = map1<ToFloat, i64, f64>;
  auto& to_bool = t.unary[index_of(Scalar::kItoB)];
  to_bool[index_of(Storage::kI8)] = map1<ToBool, i8, u8>;
  to_bool[index_of(Storage::kI32)] = map1<ToBool, i32, u8>;
  to_bool[index_of(Storage::kI64)] = map1<ToBool, i64, u8>;
  t.unary[index_of(Scalar::kSqrt)][index_of(Storage::kF64)] = map1<Sqrt, f64, f64>;
  set_to_int<Floor>(t, Scalar::kFloor);
  set_to_int<Ceil>(t, Scalar::kCeil);
  set_to_int<Trunc>(t, Scalar::kTrunc);
  set_to_int<Round>(t, Scalar::kRound);
}

}  // namespace

void fill_elementwise(Table& t) {
  set_same<Add, i32, i64, f64>(t, Scalar::kAdd);
  set_same<Sub, i32, i64, f64>(t, Scalar::kSub);
  set_same<Mul, i32, i64, f64>(t, Scalar::kMul);
  set_same<FDiv, f64>(t, Scalar::kDiv);
  set_same<Shl, i32, i64>(t, Scalar::kShl);
  set_same<Shr, i32, i64>(t, Scalar::kShr);
  set_same<And, i8, i32, i64, u8>(t, Scalar::kAnd);
  set_same<Or, i8, i32, i64, u8>(t, Scalar::kOr);
  set_same<Xor, i8, i32, i64, u8>(t, Scalar::kXor);
  set_binary<Lt, u8, i8, i32, i64, f64>(t, Scalar::kLt);
  set_binary<Le, u8, i8, i32, i64, f64>(t, Scalar::kLe);
  set_binary<Gt, u8, i8, i32, i64, f64>(t, Scalar::kGt);
  set_binary<Ge, u8, i8, i32, i64, f64>(t, Scalar::kGe);
  set_binary<Eq, u8, i8, i32, i64, f64>(t, Scalar::kEq);
  set_binary<Ne, u8, i8, i32, i64, f64>(t, Scalar::kNe);
  set_divide<false>(t, Scalar::kDiv);
  set_divide<true>(t, Scalar::kRem);
  fill_unary(t);
  t.select[0] = select<u8>;
  t.select[1] = select<u32>;
  t.select[2] = select<u64>;
  t.order[index_of(Storage::kI8)] = order<i8>;
  t.order[index_of(Storage::kI32)] = order<i32>;
  t.order[index_of(Storage::kI64)] = order<i64>;
  set_convert<i8, i32>(t);
  set_convert<i8, i64>(t);
  set_convert<i32, i64>(t);
  set_convert<i64, i32>(t);
}

void fill(Table& t) {
  fill_elementwise(t);
  fill_functions(t);
  fill_fold(t);
  fill_formula(t);
  fill_destination(t);
  fill_partition(t);
  fill_combine(t);
  fill_move(t);
  fill_pack(t);
  fill_pieces(t);
  fill_single(t);
  fill_copy_runs(t);
  fill_split(t);
  fill_spread(t);
  fill_order(t);
  fill_exchange(t);
}

}  // namespace nvm::vm::kernels::NVM_ISA
