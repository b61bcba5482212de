// RANK and PERMUTE as one step give what they give one after the other: the same elements, or the same fault.
#include "vm/prims/sort.h"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/property/gen_segdes.h"
#include "vm/data/compare.h"

namespace nvm {
namespace {

using testing::below;
using testing::Rng;
using vm::Segdes;
using vm::Value;
using vm::Vector;

// Keys as they break a sort: few or many different ones, the whole range, all alike but one, in order
// already.
Vector keys(Rng& rng, vm::PrimContext& context, TypeWord word, std::int64_t n) {
  const std::int64_t shape = below(rng, 7);
  const auto wide = [&] { return static_cast<std::int64_t>(rng()); };
  const auto key = [&](std::int64_t i) -> std::int64_t {
    switch (shape) {
      case 0: return below(rng, 3);
      case 1: return below(rng, 100000) - 50000;
      case 2: return wide();
      case 3: return i == n / 2 ? wide() : below(rng, 1 << 20);
      case 4: return i;
      case 5: return below(rng, 40) == 0 ? wide() : 7;
      default: return -(wide() & 0xffffff);
    }
  };
  if (word == TypeWord::kFloat) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const double odd[] = {0.0, -0.0, kNan, -kNan, std::numeric_limits<double>::infinity(), -1e300};
    std::vector<double> v;
    for (std::int64_t i = 0; i < n; ++i)
      v.push_back(shape == 0 || below(rng, 50) == 0 ? odd[below(rng, 6)] : static_cast<double>(key(i)) / 3.0);
    return vm::float_vector(*context.pool, v);
  }
  const std::int64_t storage = below(rng, context.int_bits == IntBits::k32 ? 2 : 3);
  std::vector<std::int64_t> v;
  for (std::int64_t i = 0; i < n; ++i)
    v.push_back(storage == 0   ? static_cast<std::int8_t>(key(i))
                : storage == 1 ? static_cast<std::int32_t>(key(i))
                               : key(i));
  return vm::int_vector(*context.pool, v, static_cast<Storage>(storage));
}

std::string outcome(bool together, const vm::PrimContext& context, Op rank, TypeWord word, const Value& v,
                    const Segdes& s, Value& result) {
  try {
    Value operands[3] = {v, s, Value()};
    Value places[1];
    if (together)
      vm::rank_later({context, rank, word, operands, places});
    else
      run_primitive(context, rank, word, {operands, 2}, places);
    Value moved[3] = {v, places[0], s};
    if (together)
      vm::permute_ranked({context, Op::kPermute, word, moved, &result});
    else
      run_primitive(context, Op::kPermute, word, moved, {&result, 1});
  } catch (const vm::Fault& fault) {
    return fault.message;
  }
  return "";
}

TEST_CASE("sorting is ranking and permuting") {
  CHECK(rc::check("RANK, PERMUTE", [](std::uint64_t seed) {
    Rng rng(seed);
    vm::Pool pool;
    vm::PrimContext context;
    context.pool = &pool;
    context.isa = static_cast<vm::Isa>(below(rng, static_cast<std::int64_t>(vm::best_isa()) + 1));
    context.int_bits = below(rng, 3) == 0 ? IntBits::k32 : IntBits::k64;
    context.threads = static_cast<int>(1 + below(rng, 3));
    context.grain = below(rng, 2) == 0 ? 64 : 1024;
    const auto lengths =
        testing::gen_lengths(static_cast<testing::SegShape>(below(rng, testing::kSegShapes)), rng);
    std::int64_t total = 0;
    for (const std::int64_t n : lengths) total += n;
    const Segdes s = Segdes::from_lengths(vm::int_vector(pool, lengths), total);
    const TypeWord word = below(rng, 3) == 0 ? TypeWord::kFloat : TypeWord::kInt;
    const Value v = keys(rng, context, word, total + (below(rng, 40) == 0 ? 1 : 0));
    const Op rank = below(rng, 2) == 0 ? Op::kRankUp : Op::kRankDown;
    Value want;
    Value got;
    const std::string wrong = outcome(false, context, rank, word, v, s, want);
    RC_ASSERT(outcome(true, context, rank, word, v, s, got) == wrong);
    if (wrong.empty()) RC_ASSERT(vm::difference(want, got) == "");
  }));
}

}  // namespace
}  // namespace nvm
