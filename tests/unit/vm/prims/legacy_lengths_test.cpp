#include <catch2/catch.hpp>

#include "vm/prims/prims.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

std::vector<std::int64_t> add(const PrimContext& context, std::vector<std::int64_t> a,
                              std::vector<std::int64_t> b) {
  Value operands[2] = {int_vector(*context.pool, a), int_vector(*context.pool, b)};
  Value results[1];
  run_primitive(context, Op::kAdd, TypeWord::kInt, operands, results);
  const auto& v = std::get<Vector>(results[0]);
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < v.length(); ++i) out.push_back(v.int_at(i));
  return out;
}

}  // namespace

TEST_CASE("programs of the legacy compiler may give elementwise instructions operands that are too long") {
  Pool pool;
  PrimContext context;
  context.pool = &pool;
  CHECK_THROWS_AS(add(context, {1, 2}, {10, 20, 30}), Fault);
  context.prefix_lengths = true;
  CHECK(add(context, {1, 2}, {10, 20, 30}) == std::vector<std::int64_t>{11, 22});
  CHECK(add(context, {1}, {10, 20, 30}) == std::vector<std::int64_t>{11});
  CHECK(add(context, {}, {10, 20}).empty());
  CHECK_THROWS_AS(add(context, {1, 2, 3}, {10, 20}), Fault);
}
