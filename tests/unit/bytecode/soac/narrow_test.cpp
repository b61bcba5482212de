// How many bytes the INT vectors of a graph are stored in.
#include <catch2/catch.hpp>

#include "bytecode/soac/graph.h"
#include "tests/support/region_builder.h"

using namespace nvm;
using nvm::test::RegionBuilder;
using soac::VarId;

namespace {

constexpr auto kI = TypeWord::kInt;

soac::Var narrowed(const RegionBuilder& b, VarId x, bool small = true, bool guess = false) {
  soac::Graph graph = soac::build(b.region());
  soac::narrow(graph, small, guess);
  return graph.vars[static_cast<std::size_t>(x)];
}

}  // namespace

TEST_CASE("what copies elements keeps their width") {
  RegionBuilder b;
  const auto n = b.length();
  const VarId x = b.vector(Type::kInt, n, Storage::kI32);
  const VarId y = b.vector(Type::kInt, n, Storage::kI8);
  const VarId flags = b.vector(Type::kBool, n);
  const VarId desc = b.whole(n);
  const VarId packed = b.op(Op::kPack, kI, {x, flags, desc});
  const VarId chosen = b.op(Op::kSelect, kI, {flags, x, y});
  const VarId less = b.op(Op::kAnd, kI, {y, y});
  const VarId gathered = b.op(Op::kBpermute, kI, {y, x, desc, desc});
  CHECK(narrowed(b, packed).storage == Storage::kI32);
  CHECK(narrowed(b, chosen).storage == Storage::kI32);
  CHECK(narrowed(b, less).storage == Storage::kI8);
  CHECK(narrowed(b, gathered).storage == Storage::kI8);
}

TEST_CASE("places fit in four bytes where lengths do") {
  RegionBuilder b;
  const auto n = b.length();
  const VarId places = b.op(Op::kIndex, kI, {b.fixed(0), b.fixed(1), b.whole(n)});
  CHECK(narrowed(b, places).storage == Storage::kI32);
  CHECK(narrowed(b, places, false).storage == Storage::kI64);
}

TEST_CASE("what is made of one number has its width") {
  RegionBuilder b;
  const auto n = b.length();
  const VarId wide = b.op(Op::kDist, kI, {b.vector(Type::kInt, b.one(), Storage::kI64), b.whole(n)});
  const VarId small = b.op(Op::kDist, kI, {b.vector(Type::kInt, b.one(), Storage::kI32), b.whole(n)});
  CHECK(narrowed(b, wide).storage == Storage::kI64);
  CHECK(narrowed(b, small, true, true).storage == Storage::kI32);
  CHECK_FALSE(narrowed(b, small, true, true).guessed);
}

TEST_CASE("sums are wide or guessed") {
  RegionBuilder b;
  const auto n = b.length();
  const VarId x = b.vector(Type::kInt, n, Storage::kI32);
  const VarId twice = b.op(Op::kAdd, kI, {x, x});
  const VarId sums = b.op(Op::kAddScan, kI, {x, b.whole(n)});
  const VarId least = b.op(Op::kMaxScan, kI, {x, b.whole(n)});  // begins with the least INT
  for (const VarId v : {twice, sums, least}) {
    CHECK(narrowed(b, v).storage == Storage::kI64);
    CHECK_FALSE(narrowed(b, v).guessed);
    CHECK(narrowed(b, v, true, true).storage == Storage::kI32);
    CHECK(narrowed(b, v, true, true).guessed);
  }
}

TEST_CASE("results are as wide as the numbers that they can be") {
  RegionBuilder b;
  const auto n = b.length();
  const VarId flags = b.vector(Type::kBool, n);
  const VarId small = b.vector(Type::kInt, n, Storage::kI8);
  const VarId one = b.op(Op::kBtoI, TypeWord::kNone, {flags});
  const VarId few = b.op(Op::kAdd, kI, {b.op(Op::kAdd, kI, {one, one}), one});
  const VarId sum = b.op(Op::kAdd, kI, {b.op(Op::kAdd, kI, {small, small}), small});
  const VarId product = b.op(Op::kMul, kI, {b.op(Op::kMul, kI, {sum, sum}), sum});
  const VarId rest = b.op(Op::kRem, kI, {product, b.op(Op::kDist, kI, {b.fixed(100), b.whole(n)})});
  for (const bool guess : {false, true}) {
    CHECK(narrowed(b, few, true, guess).storage == Storage::kI8);
    CHECK(narrowed(b, sum, true, guess).storage == Storage::kI32);
    CHECK(narrowed(b, product, true, guess).storage == Storage::kI32);
    CHECK(narrowed(b, rest, true, guess).storage == Storage::kI8);
    for (const VarId v : {few, sum, product, rest}) CHECK_FALSE(narrowed(b, v, true, guess).guessed);
  }
}

TEST_CASE("what copies a guess is a guess") {
  RegionBuilder b;
  const auto n = b.length();
  const VarId x = b.vector(Type::kInt, n, Storage::kI64);
  const VarId y = b.vector(Type::kInt, n, Storage::kI8);
  const VarId desc = b.whole(n);
  const VarId gathered = b.op(Op::kBpermute, kI, {x, y, desc, desc});
  const VarId again = b.op(Op::kBpermute, kI, {gathered, y, desc, desc});
  const VarId less = b.op(Op::kAnd, kI, {gathered, y});
  for (const VarId v : {gathered, again, less}) {
    CHECK(narrowed(b, v).storage == Storage::kI64);
    CHECK(narrowed(b, v, true, true).storage == Storage::kI32);
    CHECK(narrowed(b, v, true, true).guessed);
  }
}

TEST_CASE("32-bit INT is left as it is") {
  RegionBuilder b(IntBits::k32);
  const auto n = b.length();
  const VarId x = b.vector(Type::kInt, n, Storage::kI8);
  const VarId y = b.op(Op::kAnd, kI, {x, x});
  CHECK(narrowed(b, y, true, true).storage == Storage::kI32);
}
