// Cutting arguments into groups and putting results end to end, over descriptors of every shape.
#include <catch2/catch.hpp>
#include <numeric>

#include "tests/property/gen_segdes.h"
#include "vm/block/join.h"
#include "vm/block/split.h"
#include "vm/data/compare.h"

namespace nvm::vm::block {
namespace {

using Kind = ssa::Split::Kind;
using testing::Rng;

Segdes segdes(Pool& pool, const std::vector<std::int64_t>& lengths) {
  return Segdes::from_lengths(int_vector(pool, lengths),
                              std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
}

Vector ints(Pool& pool, std::int64_t n, Rng& rng) {
  std::vector<std::int64_t> elements;
  for (std::int64_t i = 0; i < n; ++i) elements.push_back(testing::below(rng, 100));
  return int_vector(pool, elements, rng() % 2 == 0 ? Storage::kI8 : Storage::kI64);
}

// A descriptor of instances, another under it, elements under that, one element per instance, a frame, and
// what all share.
const std::vector<ssa::Split> kSplits = {{Kind::kInstances, -1}, {Kind::kUnder, 0},  {Kind::kUnder, 1},
                                         {Kind::kInstances, -1}, {Kind::kFrame, -1}, {Kind::kSame, -1}};

std::vector<Value> arguments(Pool& pool, testing::SegShape shape, Rng& rng) {
  const Segdes outer = segdes(pool, testing::gen_lengths(shape, rng));
  std::vector<std::int64_t> lengths;
  const bool regular = rng() % 2 == 0;
  for (std::int64_t i = 0; i < outer.total(); ++i) lengths.push_back(regular ? 3 : testing::below(rng, 5));
  const Segdes inner = segdes(pool, lengths);
  std::vector<Value> values = {outer, inner, ints(pool, inner.total(), rng)};
  std::vector<double> reals;
  for (std::int64_t i = 0; i < outer.segments(); ++i) reals.push_back(static_cast<double>(rng() % 9) / 2);
  values.emplace_back(float_vector(pool, reals));
  values.emplace_back(Segdes::regular(1, outer.segments()));
  values.emplace_back(Vector::of_int(42));
  return values;
}

}  // namespace

TEST_CASE("groups, cut and joined, are the whole") {
  Rng rng(7);
  Pool pool;
  PrimContext context;
  context.pool = &pool;
  context.grain = 1;
  for (int shape = 0; shape < testing::kSegShapes; ++shape) {
    for (const int threads : {1, 3}) {
      for (const std::int64_t wanted : {1, 2, 5, 40}) {
        const std::vector<Value> whole = arguments(pool, static_cast<testing::SegShape>(shape), rng);
        const auto layout = Layout::of(kSplits, whole);
        REQUIRE(layout);
        const std::vector<std::int64_t> bounds = layout->bounds(wanted);
        REQUIRE(bounds.front() == 0);
        REQUIRE(bounds.back() == layout->instances());
        REQUIRE(static_cast<std::int64_t>(bounds.size()) <= wanted + 1);
        if (layout->instances() == 0) continue;
        GroupResults groups;
        std::int64_t instances = 0;
        for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
          REQUIRE(bounds[g] < bounds[g + 1]);
          groups.push_back(layout->group(bounds[g], bounds[g + 1], pool));
          REQUIRE(Layout::of(kSplits, groups.back()));
          instances += std::get<Segdes>(groups.back()[4]).total();
          CHECK(difference(groups.back()[5], whole[5]).empty());
          groups.back().resize(4);
        }
        CHECK(instances == layout->instances());
        context.threads = threads;
        const std::vector<Value> joined = join(context, groups);
        for (std::size_t i = 0; i < 4; ++i) CHECK(difference(joined[i], whole[i]) == "");
        for (const std::size_t i : {0U, 1U})
          CHECK(std::get<Segdes>(joined[i]).is_regular() == std::get<Segdes>(whole[i]).is_regular());
      }
    }
  }
}

TEST_CASE("groups are balanced by what instances have, not by their number") {
  Pool pool;
  std::vector<std::int64_t> lengths(1000, 1);
  lengths[0] = 100000;
  const std::vector<ssa::Split> splits = {{Kind::kInstances, -1}, {Kind::kUnder, 0}, {Kind::kFrame, -1}};
  Rng rng(1);
  const std::vector<Value> values = {segdes(pool, lengths), ints(pool, 100999, rng),
                                     Segdes::regular(1, 1000)};
  const auto layout = Layout::of(splits, values);
  REQUIRE(layout);
  const std::vector<std::int64_t> bounds = layout->bounds(2);
  REQUIRE(bounds.size() == 3);
  CHECK(bounds[1] == 1);
}

TEST_CASE("arguments of other shapes than promised are not cut") {
  Pool pool;
  Rng rng(1);
  const std::vector<ssa::Split> splits = {{Kind::kInstances, -1}, {Kind::kUnder, 0}, {Kind::kFrame, -1}};
  const Segdes two = segdes(pool, {3, 4});
  const Segdes frame = Segdes::regular(1, 2);
  CHECK(Layout::of(splits, std::vector<Value>{two, ints(pool, 7, rng), frame}));
  CHECK_FALSE(Layout::of(splits, std::vector<Value>{two, ints(pool, 6, rng), frame}));
  CHECK_FALSE(Layout::of(splits, std::vector<Value>{two, ints(pool, 7, rng), Segdes::regular(1, 3)}));
  CHECK_FALSE(Layout::of(splits, std::vector<Value>{two, ints(pool, 7, rng), Segdes::regular(2, 1)}));
}

TEST_CASE("joined Ints are as narrow as the groups' vectors and hold what single elements need") {
  Pool pool;
  PrimContext context;
  context.pool = &pool;
  const auto narrow = [&] { return int_vector(pool, std::vector<std::int64_t>{1, 2, 3}, Storage::kI8); };
  const auto joined = [&](Value a, Value b) {
    GroupResults groups = {{std::move(a)}, {std::move(b)}};
    return std::get<Vector>(join(context, groups)[0]);
  };
  CHECK(joined(narrow(), Vector::of_int(5)).storage() == Storage::kI8);
  const Vector wider = joined(narrow(), Vector::of_int(1000));
  CHECK(wider.storage() == Storage::kI32);
  CHECK(wider.int_at(3) == 1000);
  CHECK(joined(narrow(), Vector::of_int(std::int64_t{1} << 40)).int_at(3) == std::int64_t{1} << 40);
  CHECK(joined(Vector(Storage::kI64, 0, {}), Vector::of_int(7)).scalar_int() == 7);
  context.int_bits = IntBits::k32;
  CHECK(joined(Vector::of_int(1), Vector::of_int(2)).storage() == Storage::kI32);
}

}  // namespace nvm::vm::block
