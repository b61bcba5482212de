#include "vm/prims/permute_run.h"

#include <atomic>
#include <limits>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

bool permute_run(const PrimContext& context, std::int64_t from, const Vector& places, Value& result) {
  constexpr std::int64_t kFewest = 1 << 10;
  const std::int64_t n = places.length();
  const std::int64_t gap = from - 1;  // stands where nothing has been put
  using Limits = std::numeric_limits<std::int32_t>;
  if (n < kFewest || gap < Limits::min() || from > Limits::max() - n) return false;
  const Elements e(places, context);
  const Indices idx(e, context);
  const kernels::Table& t = kernel_table(context.isa);
  Fresh out(context, Storage::kI32, n);
  const Vector nothing = Vector::repeated(Vector::of_int(gap, Storage::kI32), n);
  for_ranges(context, n, [&](std::int64_t begin, std::int64_t end) {
    if (begin < end) fill_repeated(nothing, context, end - begin, out.at(begin));
  });
  std::atomic<bool> all{true};
  for_ranges(context, n, [&](std::int64_t begin, std::int64_t end) {
    if (t.scatter_run[idx.kind()](idx.at(begin), end - begin, n, static_cast<std::int32_t>(from + begin),
                                  out.data()) >= 0)
      all.store(false, std::memory_order_relaxed);
  });
  if (!all) return false;
  for_ranges(context, n, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t range[2] = {from, from};
    if (begin < end) t.index_range[0](out.at(begin), end - begin, range);
    if (range[0] == gap) all.store(false, std::memory_order_relaxed);
  });
  if (!all) return false;
  took(context, FastPath::kPermuteCounted);
  result = out.take();
  return true;
}

}  // namespace nvm::vm
