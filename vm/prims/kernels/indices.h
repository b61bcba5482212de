// Indices as the kernels look at them: a block at a time as vectors, before they are used while in L1.
#pragma once

#include "vm/prims/kernels/isa.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

constexpr i64 kBlock = 1024;
constexpr i64 kShort = 64;  // segments up to this length take the plain loop

template <typename Idx>
bool outside(Idx i, i64 len) {
  return static_cast<u64>(static_cast<i64>(i)) >= static_cast<u64>(len);
}

// The largest index of n, seen without a sign: compares in the width of the indices, several to a vector.
template <typename Idx>
u64 highest(const Idx* idx, i64 n) {
  using U = typename Unsigned<Idx>::type;
  U high = 0;
  for (i64 i = 0; i < n; ++i) {
    const U x = static_cast<U>(idx[i]);
    high = x > high ? x : high;
  }
  return high;
}

// The first index that is outside [0, len) and flagged, or -1.
template <typename Idx>
i64 first_outside(const Idx* idx, const u8* flags, i64 n, i64 len) {
  using U = typename Unsigned<Idx>::type;
  constexpr u64 kNegative = u64{1} << (sizeof(Idx) * 8 - 1);
  const u64 bound = static_cast<u64>(len) < kNegative ? static_cast<u64>(len) : kNegative;
  if (n == 0) return -1;
  if (flags == nullptr) {
    if (highest(idx, n) < bound) return -1;
  } else {
    U high = 0;  // hidden indices count as 0
    for (i64 i = 0; i < n; ++i) {
      const U x = flags[i] != 0 ? static_cast<U>(idx[i]) : U{0};
      high = x > high ? x : high;
    }
    if (high < bound) return -1;
  }
  for (i64 i = 0; i < n; ++i)
    if (outside(idx[i], len) && (flags == nullptr || flags[i] != 0)) return i;
  return -1;
}

// Do neighbouring indices of a block lie far apart? Then lines are asked for ahead of their use: twice the
// speed on random indices, but work for nothing on regular ones.
template <typename Idx>
bool scattered(const Idx* idx, i64 n) {
  constexpr i64 kFar = 512;
  if (n < kBlock) return false;
  i64 far = 0;
  for (i64 i = 0; i < kBlock; i += 64) {
    const i64 d = static_cast<i64>(idx[i + 1]) - static_cast<i64>(idx[i]);
    far += d > kFar || d < -kFar;
  }
  return far >= 8;
}
constexpr i64 kAhead = 48;

}  // namespace

}  // namespace nvm::vm::kernels::NVM_ISA
