// Gathers and scatters whose indices ascend by one in every segment: pieces that are copied.
#include "vm/prims/kernels/isa.h"
#include "vm/simd/short_copy.h"

namespace nvm::vm::kernels::NVM_ISA {

namespace {

template <typename E, typename Idx, bool kGather>
void copy_runs(const void* pv, const void* pstarts, Segments along, Segments there, i64 k0, i64 k1,
               void* pout) {
  const E* v = static_cast<const E*>(pv);
  const Idx* starts = static_cast<const Idx*>(pstarts);
  E* out = static_cast<E*>(pout);
  i64 begin = along.start(k0);
  for (i64 k = k0; k < k1; ++k) {
    const i64 end = along.start(k + 1);
    const i64 place = there.start(k) + static_cast<i64>(starts[k]);
    if (begin != end)
      copy_exactly(v + (kGather ? place : begin), end - begin, out + (kGather ? begin : place));
    begin = end;
  }
}

template <typename Idx>
bool runs_fit(const void* pstarts, Segments along, Segments there, i64 k0, i64 k1) {
  const Idx* starts = static_cast<const Idx*>(pstarts);
  u64 wild = 0;
  for (i64 k = k0; k < k1; ++k) {
    const i64 n = along.start(k + 1) - along.start(k);
    const i64 room = there.start(k + 1) - there.start(k) - n;  // for the start, if there is anything to move
    const i64 start = static_cast<i64>(starts[k]);
    wild |= static_cast<u64>((n != 0) & ((start < 0) | (start > room)));
  }
  return wild == 0;
}

template <typename E, typename Idx>
void set(Table& t, int width, int index) {
  t.copy_runs[width][index][0] = copy_runs<E, Idx, false>;
  t.copy_runs[width][index][1] = copy_runs<E, Idx, true>;
}
template <typename Idx>
void set_widths(Table& t, int index) {
  set<u8, Idx>(t, 0, index);
  set<u32, Idx>(t, 1, index);
  set<u64, Idx>(t, 2, index);
  t.runs_fit[index] = runs_fit<Idx>;
}

}  // namespace

void fill_copy_runs(Table& t) {
  set_widths<i32>(t, 0);
  set_widths<i64>(t, 1);
}

}  // namespace nvm::vm::kernels::NVM_ISA
