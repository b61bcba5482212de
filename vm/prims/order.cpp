// RANK: the place of each element in its segment sorted, stable in both directions. Keys are mapped to
// unsigned words whose order is the wanted one: INT by flipping the sign bit, FLOAT by the total order of its
// bits, both complemented for RANK_DOWN.
#include "vm/prims/order.h"

#include <algorithm>
#include <vector>

#include "vm/prims/operands.h"
#include "vm/prims/parallel.h"

namespace nvm::vm {

namespace {

std::uint64_t key_of(const Elements& v, std::int64_t i, std::uint64_t flip) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (v.storage() != Storage::kF64) return (static_cast<std::uint64_t>(v.int_at(i)) ^ kSign) ^ flip;
  std::uint64_t bits;
  std::memcpy(&bits, v.at(i), sizeof bits);
  return ((bits & kSign) != 0 ? ~bits : bits ^ kSign) ^ flip;
}

}  // namespace

void rank(const PrimCall& call) {
  check_shape(call);
  const PrimContext& context = call.context;
  const Segdes& s = segdes_operand(call, 1);
  const Elements v(vector_operand(call, 0), context);
  const bool narrow = context.int_bits == IntBits::k32 || s.total() < (std::int64_t{1} << 31);
  Fresh out(context, narrow ? Storage::kI32 : Storage::kI64, s.total());
  const std::uint64_t flip = call.op == Op::kRankDown ? ~std::uint64_t{0} : 0;
  struct Item {
    std::uint64_t key;
    std::int64_t from;
  };
  std::vector<Item> items;
  for (std::int64_t k = 0; k < s.segments(); ++k) {
    const std::int64_t start = s.offset(k);
    const std::int64_t n = s.length(k);
    items.clear();
    for (std::int64_t i = 0; i < n; ++i) items.push_back({key_of(v, start + i, flip), i});
    std::stable_sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
    for (std::int64_t r = 0; r < n; ++r) {
      const std::int64_t to = start + items[static_cast<std::size_t>(r)].from;
      if (narrow)
        reinterpret_cast<std::int32_t*>(out.data())[to] = static_cast<std::int32_t>(r);
      else
        reinterpret_cast<std::int64_t*>(out.data())[to] = r;
    }
  }
  call.results[0] = out.take();
}

}  // namespace nvm::vm
