// Every pull and every sink of a plan finds its rule of fission, by the cases that have rules of their own.
#include "bytecode/plan/fission.h"

#include <catch2/catch.hpp>
#include <set>

#include "tests/support/fused.h"
#include "vm/simd/reduce_tree.h"

using namespace nvm;
using namespace nvm::plan;
using soac::BodyInst;
using soac::Pull;

namespace {

const SinkRule& rule_for(SinkKind kind, Type type = Type::kInt, bool distinct = false) {
  Sink s;
  s.kind = kind;
  s.type = type;
  s.distinct = distinct;
  return rule_of(s);
}

std::int32_t pull(Body& body, Pull what, std::int32_t a = kNone) {
  BodyInst in;
  in.pull = what;
  in.var = 0;
  in.a = a;
  return body.add(in);
}

}  // namespace

TEST_CASE("every pull and every sink has a rule") {
  for (int p = 0; p <= static_cast<int>(Pull::kScanned); ++p) {
    Body body;
    const std::int32_t index = pull(body, Pull::kElement);
    CHECK(rule_of(body, pull(body, static_cast<Pull>(p), index)).pull == static_cast<Pull>(p));
  }
  for (int k = 0; k <= static_cast<int>(SinkKind::kSegdes); ++k)
    for (const Type type : {Type::kInt, Type::kFloat, Type::kBool})
      CHECK(rule_for(static_cast<SinkKind>(k), type).sink == static_cast<SinkKind>(k));
}

TEST_CASE("every rule is the rule of something") {
  std::set<const SinkRule*> sinks;
  for (int k = 0; k <= static_cast<int>(SinkKind::kSegdes); ++k)
    for (const Type type : {Type::kInt, Type::kFloat})
      for (const bool distinct : {false, true})
        sinks.insert(&rule_for(static_cast<SinkKind>(k), type, distinct));
  CHECK(sinks.size() == sink_rules().size());

  Body body;
  std::set<const PullRule*> pulls;
  const std::int32_t even = pull(body, Pull::kIndex), any = pull(body, Pull::kElement);
  for (const std::int32_t index : {even, any})
    for (int p = 0; p <= static_cast<int>(Pull::kScanned); ++p)
      pulls.insert(&rule_of(body, pull(body, static_cast<Pull>(p), index)));
  CHECK(pulls.size() == pull_rules().size());
}

TEST_CASE("FLOAT folds hand on the state of the tree, others their totals") {
  for (const auto kind : {SinkKind::kReduce, SinkKind::kSegReduce}) {
    CHECK(rule_for(kind, Type::kFloat).record == Record::kLanes);
    CHECK(rule_for(kind, Type::kInt).record == Record::kTotal);
    CHECK(rule_for(kind, Type::kBool).record == Record::kTotal);
  }
  for (const auto kind : {SinkKind::kScan, SinkKind::kSegScan}) {
    CHECK(rule_for(kind, Type::kFloat).record == Record::kGroup);
    CHECK(rule_for(kind, Type::kInt).record == Record::kTotal);
  }
}

TEST_CASE("records have room for the state of the tree") {
  CHECK(most_words(Record::kLanes) == 1 + vm::kReduceLanes);
  CHECK(most_words(Record::kGroup) == 1 + 1 + (vm::kScanGroup - 1));
}

TEST_CASE("a gather by an index that goes up evenly needs a range, by any other all") {
  Body body;
  const std::int32_t i = pull(body, Pull::kIndex), shift = pull(body, Pull::kUniform);
  const std::int32_t shifted = body.apply(Scalar::kAdd, Type::kInt, i, shift);
  CHECK(rule_of(body, pull(body, Pull::kGather, shifted)).need == Need::kRange);
  CHECK(rule_of(body, pull(body, Pull::kGather, pull(body, Pull::kElement))).need == Need::kWhole);
}

TEST_CASE("only places that may coincide are written in order") {
  CHECK(rule_for(SinkKind::kScatter, Type::kInt, false).join == Join::kInOrder);
  CHECK(rule_for(SinkKind::kScatter, Type::kInt, true).join == Join::kAnyOrder);
}

TEST_CASE("what parts of a plan need, hand on and make is printed by kernel") {
  test::RegionBuilder b;
  const auto n = b.length(), k = b.length();
  const auto desc = b.segments(k, n);
  const auto x = b.vector(Type::kFloat, n), places = b.vector(Type::kInt, n);
  const auto sums = b.op(Op::kAddScan, TypeWord::kFloat, {x, desc});
  b.live(b.op(Op::kPermute, TypeWord::kFloat, {sums, places, desc}));
  const auto all = b.op(Op::kAddReduce, TypeWord::kInt, {places, b.whole(n)});
  b.live(b.op(Op::kAdd, TypeWord::kInt, {all, b.fixed(1)}));
  CHECK(print_parts(test::fuse_all(b).plan) == R"(  parts [a, b) of kernel 0 over n1
    v0, v2: needs the elements [a, b)
    v1: needs what the scan hands on to it
    v3: needs the entries of the segments that meet [a, b), the number of the first, the place of a in it
    s0: hands on at most 9 words, the running value and, of the block that goes on, its total and its unfinished group, 9 more for each level of superblocks
    s2: hands on 1 word, the total of its elements of the segment that goes on
    checks: hands on 1 word, the first iteration where a check fails, if there is one
    s0: results side by side, in the order of the parts
    s1: results in the part that has their place; the last iteration wins
    s2: results where their segment begins; of the whole space everywhere
  no parts of kernel 1 over n0
)");
}
