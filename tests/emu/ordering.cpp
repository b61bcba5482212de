// Ranking and sorting on the emulated device give what the processor's primitives give.
#include <catch2/catch.hpp>
#include <limits>

#include "gpu/compiler.h"
#include "gpu/cuda_engine.h"
#include "gpu/memory/open_device.h"
#include "gpu/order_engine.h"
#include "tests/property/gen_keys.h"
#include "tests/support/emu_device.h"
#include "vm/prims/sort.h"

using namespace nvm;
using namespace nvm::testing;
using vm::Segdes;
using vm::Value;

namespace {

Orderer& orderer() {
  static std::string reason;
  static const auto kEngine = gpu::make_engine(reason);
  INFO(reason);
  REQUIRE(kEngine != nullptr);
  REQUIRE(kEngine->orderer() != nullptr);
  return *kEngine->orderer();
}

struct Case {
  Op rank = Op::kRankUp;
  TypeWord word = TypeWord::kInt;
  Value keys;
  Segdes segments;
};

Case make(std::uint64_t seed, vm::PrimContext& context, std::vector<std::int64_t> lengths) {
  Rng rng(seed);
  context.int_bits = below(rng, 3) == 0 ? IntBits::k32 : IntBits::k64;
  if (lengths.empty()) lengths = gen_lengths(static_cast<SegShape>(below(rng, kSegShapes)), rng);
  std::int64_t total = 0;
  for (const std::int64_t n : lengths) total += n;
  Case c;
  c.segments = Segdes::from_lengths(vm::int_vector(*context.pool, lengths), total);
  c.word = below(rng, 3) == 0 ? TypeWord::kFloat : TypeWord::kInt;
  c.keys = keys(rng, context, c.word, total);
  c.rank = below(rng, 2) == 0 ? Op::kRankUp : Op::kRankDown;
  return c;
}

Value ranks(const vm::PrimContext& context, const Case& c) {
  Value operands[2] = {c.keys, c.segments};
  Value result;
  run_primitive(context, c.rank, c.word, operands, {&result, 1});
  return result;
}
Value sorted(const vm::PrimContext& context, const Case& c) {
  Value operands[2] = {c.keys, c.segments};
  Value places;
  vm::rank_later({context, c.rank, c.word, operands, &places});
  Value moved[3] = {c.keys, places, c.segments};
  Value result;
  vm::permute_ranked({context, Op::kPermute, c.word, moved, &result});
  return result;
}

std::uint64_t elsewhere = 0;  // rankings and sortings that the device has made

void check(std::uint64_t seed, const std::vector<std::int64_t>& lengths = {}) {
  INFO("seed " << seed);
  vm::Pool pool;
  vm::PrimContext context;
  context.pool = &pool;
  const Case c = make(seed, context, lengths);
  vm::PrimContext device = context;
  vm::FastPathCounts fast_paths;
  device.orderer = &orderer();
  device.fast_paths = &fast_paths;
  CHECK(difference(ranks(context, c), ranks(device, c)).empty());
  CHECK(difference(sorted(context, c), sorted(device, c)).empty());
  elsewhere += fast_paths[vm::FastPath::kOrderElsewhere];
}

std::vector<std::int64_t> one_of(std::int64_t n) { return {n}; }

}  // namespace

TEST_CASE("vectors and segments of all shapes come in the order of the processor") {
  for (const char* order : {"", "others_first=1"}) {
    control(order);
    for (std::uint64_t seed = 0; seed < 40; ++seed) check(seed);
    CHECK(counts().launches > 100);
    CHECK(elsewhere > 40);
  }
  control("");
}

TEST_CASE("several tiles, and lengths around one") {
  control("");
  for (const std::int64_t n : {2, 4095, 4096, 4097, 6143, 6144, 6145, 20000, 50000})
    check(static_cast<std::uint64_t>(n), one_of(n));
}

// The first passes take their counts from bytes of the keys if the least key can be subtracted without a
// borrow.
TEST_CASE("ranges of keys whose digits borrow from each other, and others") {
  control("");
  vm::Pool pool;
  vm::PrimContext context;
  context.pool = &pool;
  vm::PrimContext device = context;
  device.orderer = &orderer();
  Rng rng(3);
  Case c;
  c.segments = Segdes::from_lengths(vm::int_vector(pool, one_of(1500)), 1500);
  for (const std::int64_t least : {0ll, -5ll, 250ll, (1ll << 40) + 7})
    for (const std::int64_t width : {1ll, 256ll, 70000ll, 1ll << 33}) {
      std::vector<std::int64_t> some;
      for (int i = 0; i < 1500; ++i) some.push_back(least + below(rng, width));
      c.keys = vm::int_vector(pool, some);
      for (const Op rank : {Op::kRankUp, Op::kRankDown}) {
        INFO("from " << least << ", " << width << (rank == Op::kRankUp ? " up" : " down"));
        c.rank = rank;
        CHECK(difference(ranks(context, c), ranks(device, c)).empty());
        CHECK(difference(sorted(context, c), sorted(device, c)).empty());
      }
    }
}

TEST_CASE("keys and segments that do not fit one word") {
  control("");
  vm::Pool pool;
  vm::PrimContext context;
  context.pool = &pool;
  Rng rng(1);
  std::vector<std::int64_t> lengths, wide;
  for (int s = 0; s < 700; ++s) lengths.push_back(below(rng, 20));
  std::int64_t total = 0;
  for (const std::int64_t n : lengths) total += n;
  for (std::int64_t i = 0; i < total; ++i) wide.push_back(static_cast<std::int64_t>(rng()));
  Case c;
  c.segments = Segdes::from_lengths(vm::int_vector(pool, lengths), total);
  c.keys = vm::int_vector(pool, wide);
  vm::PrimContext device = context;
  device.orderer = &orderer();
  for (const Op rank : {Op::kRankUp, Op::kRankDown}) {
    c.rank = rank;
    CHECK(difference(ranks(context, c), ranks(device, c)).empty());
    CHECK(difference(sorted(context, c), sorted(device, c)).empty());
  }
}

namespace {

// What ranking or sorting of n keys, the largest of which has so many bits, asks of the device.
struct Asked {
  std::uint64_t launches = 0;
  double bytes_of_key = 0;  // most memory at once beside the keys
};
Asked asked(std::int64_t n, int bits, bool ranking, std::int64_t segments = 1) {
  vm::Pool pool;
  vm::PrimContext context;
  context.pool = &pool;
  Rng rng(5);
  std::vector<std::int64_t> wide;
  for (std::int64_t i = 0; i < n; ++i)
    wide.push_back(
        bits == 0 ? 7 : static_cast<std::int64_t>(rng() >> (64 - bits) | (i == 0 ? 1ull << (bits - 1) : 0)));
  wide[1] = bits == 0 ? 7 : 0;
  if (bits == 64) wide[0] = std::numeric_limits<std::int64_t>::min(), wide[1] = -(wide[0] + 1);
  Case c;
  c.keys = vm::int_vector(pool, wide);
  const std::vector<std::int64_t> lengths(static_cast<std::size_t>(segments), n / segments);
  c.segments = Segdes::from_lengths(vm::int_vector(pool, lengths), n);
  const Value wanted = ranking ? ranks(context, c) : sorted(context, c);
  std::string reason;
  const auto device = gpu::OpenDevice::open(0, reason);  // that keeps no memory yet
  REQUIRE(device != nullptr);
  gpu::Compiler compiler(device, false);
  gpu::DeviceOrderer fresh(device, compiler, 0);
  context.orderer = &fresh;
  control("");
  const std::uint64_t live = counts().live;
  const Value result = ranking ? ranks(context, c) : sorted(context, c);
  const emu::Counts made = counts();
  CHECK(difference(wanted, result).empty());
  return {made.launches, static_cast<double>(made.peak - live) / static_cast<double>(n) - 8};
}

}  // namespace

TEST_CASE("there is a pass for each 8 bits in which keys differ") {
  constexpr std::int64_t n = 10000;  // an index of 14 bits
  for (const auto& [bits, passes] :
       std::vector<std::pair<int, int>>{{0, 1}, {1, 1}, {8, 1}, {9, 2}, {20, 3}, {32, 4}, {48, 6}, {64, 8}}) {
    INFO("bits " << bits);
    CHECK(asked(n, bits, false).launches == static_cast<std::uint64_t>(1 + passes));
    const bool fits = bits <= 48;  // with the index in one word; else words are made again for the rest
    CHECK(asked(n, bits, true).launches == static_cast<std::uint64_t>(1 + passes + (fits ? 0 : 1)));
  }
  // 5 bits of a segment stand above the key; its ranks begin anew.
  CHECK(asked(n, 20, false, 20).launches == 1 + 1 + 4);
  CHECK(asked(n, 20, true, 20).launches == 1 + 1 + 4 + 1);
  // 65 bits: by index, then the elements are fetched.
  CHECK(asked(n, 60, false, 20).launches == 1 + 2 + 9 + 1);
}

TEST_CASE("words have 4 bytes where all fits, and stand in the result's memory where they fit there") {
  constexpr std::int64_t n = 60000;
  // A result of 8 bytes, and words that the passes write in turn: here and in the result.
  for (const int bits : {8, 32, 33}) {
    INFO("bits " << bits);
    const double words = bits <= 8 ? 0 : bits <= 32 ? 4 : 8;
    const double most = asked(n, bits, false).bytes_of_key;
    CHECK(most >= 8 + words);
    CHECK(most <= 8 + words + 1);  // counts of digits beside
  }
  // An index of 16 bits, ranks of 4 bytes.
  CHECK(asked(n, 16, true).bytes_of_key <= 4 + 4 + 1);
  CHECK(asked(n, 17, true).bytes_of_key >= 4 + 8);
}

TEST_CASE("the keys are copied to the device once and the results stay there") {
  vm::Pool pool;
  vm::PrimContext context;
  context.pool = &pool;
  context.orderer = &orderer();
  const Case c = make(3, context, one_of(5000));
  control("");
  const Value places = ranks(context, c);
  const Value again = sorted(context, c);
  CHECK(counts().uploads == 1);
  CHECK(counts().downloads == 0);
  CHECK(std::get<vm::Vector>(places).length() == 5000);
  CHECK(std::get<vm::Vector>(again).raw() != nullptr);
  CHECK(counts().downloads == 1);
}

TEST_CASE("where memory runs out, the processor does it") {
  vm::Pool pool;
  vm::PrimContext context;
  context.pool = &pool;
  const Case c = make(7, context, one_of(3000));
  const Value wanted = ranks(context, c);
  vm::PrimContext device = context;
  device.orderer = &orderer();
  empty_device();
  control("");
  static_cast<void>(ranks(device, c));
  const std::uint64_t all = counts().allocations;
  CHECK(all > 4);
  for (std::uint64_t k = 1; k <= all; ++k)
    for (const char* which : {"no_memory=", "full_from="}) {
      INFO(which << k);
      const Case fresh = make(7, context, one_of(3000));
      empty_device();
      control(which + std::to_string(k));
      CHECK(difference(wanted, ranks(device, fresh)).empty());
    }
  control("");
}
