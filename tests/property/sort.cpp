// RANK and PERMUTE as one step give what they give one after the other: the same elements, or the same fault.
#include "vm/prims/sort.h"

#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/property/fast_paths.h"
#include "tests/property/gen_keys.h"
#include "vm/data/compare.h"

namespace nvm {
namespace {

using testing::below;
using testing::check_property;
using testing::FastPath;
using testing::keys;
using testing::Rng;
using vm::Segdes;
using vm::Value;

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
  vm::FastPathCounts counts;
  check_property(
      "RANK, PERMUTE", counts,
      {FastPath::kLeaveRanks, FastPath::kSort, FastPath::kSortPairs, FastPath::kSortFew, FastPath::kSortRadix,
       FastPath::kSortCounted, FastPath::kSortSplit, FastPath::kSortAgain, FastPath::kSortNarrow,
       FastPath::kRankPairs, FastPath::kRankCached, FastPath::kRankCounted, FastPath::kRankSplit},
      [&counts](std::uint64_t seed) {
        Rng rng(seed);
        vm::Pool pool;
        vm::PrimContext context;
        context.pool = &pool;
        context.fast_paths = &counts;
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
      });
}

}  // namespace
}  // namespace nvm
