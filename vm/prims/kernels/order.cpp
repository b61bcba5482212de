// Ranks of short segments: every pair of keys compared, a vector of elements against one key at a time.
#include "vm/prims/kernels/isa.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <int kRoom>
void compare_pairs(const i64* keys, i64 n, i64* place) {
  i64 before[kRoom] = {};
  for (i64 j = 0; j < n; ++j) {
    const i64 key = keys[j];
    for (i64 i = 0; i < kRoom; ++i)
      before[i] +=
          static_cast<i64>(key < keys[i]) | (static_cast<i64>(key == keys[i]) & static_cast<i64>(j < i));
  }
  for (i64 i = 0; i < kRoom; ++i) place[i] = before[i];
}

void rank_pairs(const i64* keys, i64 n, i64* place) {
  if (n <= 8)
    compare_pairs<8>(keys, n, place);
  else if (n <= 16)
    compare_pairs<16>(keys, n, place);
  else
    compare_pairs<kPairs>(keys, n, place);
}

}  // namespace

void fill_order(Table& t) { t.rank_pairs = rank_pairs; }

}  // namespace nvm::vm::kernels::NVM_ISA
