// MAPs that nobody reads.
#include <catch2/catch.hpp>

#include "bytecode/soac/graph.h"
#include "tests/support/region_builder.h"

using namespace nvm;
using nvm::test::RegionBuilder;
using soac::VarId;

namespace {

constexpr auto kI = TypeWord::kInt;

// Instructions of the region that became nodes.
std::vector<std::int32_t> kept(const RegionBuilder& b) {
  soac::Graph graph = soac::build(b.region());
  soac::drop_unread(graph);
  soac::check(graph);
  std::vector<std::int32_t> insts;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    insts.push_back(graph.nodes[i].inst);
    CHECK(graph.producer[static_cast<std::size_t>(graph.nodes[i].out)] == static_cast<std::int32_t>(i));
  }
  return insts;
}

}  // namespace

TEST_CASE("starts and strides that an INDEX takes as numbers are not made") {
  RegionBuilder b;
  const auto n = b.length(), k = b.length();
  const VarId each = b.whole(k), desc = b.segments(k, n);
  const VarId starts = b.op(Op::kDist, kI, {b.fixed(5), each});
  const VarId strides = b.op(Op::kDist, kI, {b.fixed(1), each});
  const VarId places = b.op(Op::kIndex, kI, {starts, strides, desc});
  b.live(places);
  CHECK(kept(b) == std::vector<std::int32_t>{2});
  b.live(starts);
  CHECK(kept(b) == std::vector<std::int32_t>{0, 2});
}

TEST_CASE("what only such read is not made either, what may fail is") {
  RegionBuilder b;
  const auto n = b.length();
  const VarId x = b.vector(Type::kInt, n), desc = b.whole(n);
  const VarId twice = b.op(Op::kAdd, kI, {x, x});
  b.op(Op::kSub, kI, {twice, x});
  CHECK(kept(b).empty());
  b.op(Op::kDiv, kI, {twice, x});
  CHECK(kept(b) == std::vector<std::int32_t>{0, 2});
  b.op(Op::kBpermute, kI, {x, x, desc, desc});
  CHECK(kept(b) == std::vector<std::int32_t>{0, 2, 3});
}
