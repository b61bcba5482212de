#include "vm/prims/permute_run.h"

#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <vector>

using namespace nvm;
using namespace nvm::vm;

namespace {

std::vector<std::int64_t> shuffled(std::int64_t n) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(n));
  std::iota(places.begin(), places.end(), 0);
  std::shuffle(places.begin(), places.end(), std::mt19937_64(7));
  return places;
}

}  // namespace

TEST_CASE("where numbers counted up go is seen to be one place for each", "[permute_run]") {
  Pool pool;
  PrimContext context;
  context.pool = &pool;
  context.grain = 100;
  for (const Isa isa : {Isa::kPortable, best_isa()})
    for (const int threads : {1, 2, 5})
      for (const Storage storage : {Storage::kI32, Storage::kI64})
        for (const std::int64_t n : {1024, 1025, 5000, 100'000}) {
          context.isa = isa;
          context.threads = threads;
          std::vector<std::int64_t> places = shuffled(n);
          Value made;
          REQUIRE(permute_run(context, -3, int_vector(pool, places, storage), made));
          const auto& v = std::get<Vector>(made);
          for (std::int64_t i = 0; i < n; ++i)
            REQUIRE(v.int_at(places[static_cast<std::size_t>(i)]) == i - 3);
          std::swap(places[0], places[static_cast<std::size_t>(n) - 1]);
          const std::int64_t last = places.back();
          places.back() = places[0];
          CHECK_FALSE(permute_run(context, 0, int_vector(pool, places, storage), made));
          places.back() = n;
          CHECK_FALSE(permute_run(context, 0, int_vector(pool, places, storage), made));
          places.back() = -1;
          CHECK_FALSE(permute_run(context, 0, int_vector(pool, places, storage), made));
          places.back() = last;
          CHECK_FALSE(permute_run(context, INT32_MIN, int_vector(pool, places, storage), made));
          CHECK_FALSE(permute_run(context, INT32_MAX - n + 1, int_vector(pool, places, storage), made));
          CHECK(permute_run(context, INT32_MAX - n, int_vector(pool, places, storage), made));
        }
}
