// Keys of regions tell apart what their text tells apart, and nothing else.
#include <catch2/catch.hpp>
#include <functional>
#include <set>
#include <vector>

#include "bytecode/soac/region.h"

using namespace nvm;
using namespace nvm::soac;

namespace {

// x3 x4 = PACK x0 x1 x2, x5 = +_REDUCE x3 x4
Region packed_sum() {
  Region r;
  r.lengths = {LengthKind::kOne, LengthKind::kBound, LengthKind::kCounted};
  Var v;
  v.length = 1;
  Var flags = v, desc = v, kept = v, kept_desc = v, sum = v;
  flags.type = Type::kBool;
  flags.storage = Storage::kB8;
  desc.is_desc = kept_desc.is_desc = true;
  desc.length = kept_desc.length = sum.length = 0;
  desc.total = 1;
  kept_desc.total = kept.length = 2;
  kept.role = kept_desc.role = VarRole::kTemp;
  sum.role = VarRole::kOutput;
  r.vars = {v, flags, desc, kept, kept_desc, sum};
  RegionInst pack;
  pack.op = Op::kPack;
  pack.word = TypeWord::kInt;
  pack.operands = {0, 1, 2};
  pack.results = {3, 4};
  RegionInst reduce;
  reduce.op = Op::kAddReduce;
  reduce.word = TypeWord::kInt;
  reduce.operands = {3, 4};
  reduce.results = {5};
  r.insts = {pack, reduce};
  return r;
}

using Change = std::function<void(Region&)>;

const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      [](Region& r) { r.int_bits = IntBits::k32; },
      [](Region& r) { r.small = false; },
      [](Region& r) { r.lengths[1] = LengthKind::kCounted; },
      [](Region& r) { r.lengths.push_back(LengthKind::kBound); },
      [](Region& r) { r.vars[0].role = VarRole::kOutput; },
      [](Region& r) { r.vars[0].type = Type::kFloat; },
      [](Region& r) { r.vars[0].storage = Storage::kI8; },
      [](Region& r) { r.vars[0].length = 2; },
      [](Region& r) { r.vars[0].is_fixed = true; },
      [](Region& r) {
        r.vars[0].is_fixed = true;
        r.vars[0].fixed = -1;
      },
      [](Region& r) { r.vars[2].form = DescForm::kRegular; },
      [](Region& r) { r.vars[2].total = 300; },
      [](Region& r) { r.vars[2].is_desc = false; },
      [](Region& r) { r.vars.pop_back(); },
      [](Region& r) { r.insts[0].op = Op::kAddReduce; },
      [](Region& r) { r.insts[0].word = TypeWord::kFloat; },
      [](Region& r) {
        r.insts[0].operands = {0, 2, 1};
      },
      [](Region& r) {
        r.insts[0].operands = {0, 1};
      },
      [](Region& r) {
        r.insts[0].results = {4, 3};
      },
      [](Region& r) { r.insts.pop_back(); },
  };
  return all;
}

}  // namespace

TEST_CASE("every fact of a region is in its key") {
  std::set<std::string> keys = {key(packed_sum())};
  for (const Change& change : changes()) {
    Region r = packed_sum();
    change(r);
    CHECK(keys.insert(key(r)).second);
  }
}

TEST_CASE("what code does not depend on is not in the key") {
  Region r = packed_sum();
  r.insts[0].site = 7;
  CHECK(key(r) == key(packed_sum()));
}

TEST_CASE("keys of many variables have room") {
  Region r = packed_sum();
  for (std::int32_t i = 0; i < 1000; ++i) {
    Var v;
    v.length = 1;
    v.is_fixed = true;
    v.fixed = -i;
    r.vars.push_back(v);
    RegionInst in;
    in.op = Op::kPack;
    in.operands = {i, i, i, i, i, i};
    in.results = {i, i, i, i, i, i};
    r.insts.push_back(in);
  }
  CHECK(key(r).size() > 10'000);
  CHECK(key(r) == key(r));
}
