#include "vm/interp/moved.h"

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "vm/data/pool.h"
#include "vm/prims/views.h"

namespace nvm::vm {
namespace {

class Vectors {
 public:
  Vector floats(std::int64_t n) {
    return float_vector(pool_, std::vector<double>(static_cast<std::size_t>(n), 1.5));
  }
  Vector ints(std::int64_t n, Storage storage) {
    return int_vector(pool_, std::vector<std::int64_t>(static_cast<std::size_t>(n), 7), storage);
  }

 private:
  Pool pool_;
};

std::int64_t moved(Op op, const std::vector<Value>& operands, const std::vector<Value>& results) {
  Moving moving(op);
  for (const Value& operand : operands) moving.reads(operand);
  for (const Value& result : results) moving.writes(result);
  return moving.bytes();
}

TEST_CASE("operands and results are moved, one element repeated as one") {
  Vectors v;
  CHECK(moved(Op::kAdd, {v.floats(100), v.floats(100)}, {v.floats(100)}) == 2400);
  CHECK(moved(Op::kAdd, {v.ints(100, Storage::kI32), v.ints(100, Storage::kI8)},
              {v.ints(100, Storage::kI64)}) == 400 + 100 + 800);
  CHECK(moved(Op::kAdd, {v.floats(100), Vector::repeated(Vector::of_float(2), 100)}, {v.floats(100)}) ==
        1608);
  CHECK(moved(Op::kAddReduce, {v.floats(100), Segdes::regular(1, 100)}, {Vector::of_float(150)}) == 808);
}

TEST_CASE("what picks elements reads as many as it has indices") {
  Vectors v;
  const Segdes all = Segdes::regular(1, 100);
  const Segdes ten = Segdes::regular(1, 10);
  CHECK(moved(Op::kBpermute, {v.floats(100), v.ints(10, Storage::kI32), all, ten}, {v.floats(10)}) == 200);
  CHECK(moved(Op::kBpermute, {v.floats(10), v.ints(100, Storage::kI32), ten, all}, {v.floats(100)}) ==
        80 + 400 + 800);
  // By indices that are not written: those are one number here.
  CHECK(moved(Op::kBpermute, {v.floats(100), runs_view(ten, Vector::of_int(3)), all, ten}, {v.floats(10)}) ==
        80 + 8 + 80);
}

TEST_CASE("a delayed result moves nothing, and its reader what it is made of") {
  Vectors v;
  const Vector elements = v.floats(100);
  const Vector pivots = v.floats(10);
  const Segdes s = Segdes::regular(10, 10);
  const Value distributed = spread_view(s, pivots);
  CHECK(moved(Op::kDist, {pivots, s}, {distributed}) == 0);
  View comparison;
  comparison.source = View::Source::kCompare;
  comparison.x = elements;
  comparison.base.list = pivots;
  comparison.s = s;
  const Value compared = make_view(std::move(comparison));
  CHECK(moved(Op::kLt, {elements, distributed}, {compared}) == 0);
  const Vector lengths = v.ints(10, Storage::kI64);
  // The elements once, though they are compared, too; a value for each segment.
  CHECK(moved(Op::kPack, {elements, compared, s}, {v.floats(40), lengths}) == 800 + 80 + 320 + 80);
  // Other elements than those that are compared.
  CHECK(moved(Op::kPack, {v.floats(100), compared, s}, {v.floats(40), lengths}) == 800 + 880 + 320 + 80);
}

TEST_CASE(
    "halves are written by the first of their pass, and joined without a "
    "move") {
  Vectors v;
  const Segdes few = Segdes::regular(10, 4);
  const Segdes more = Segdes::regular(10, 6);
  View half;
  half.source = View::Source::kElements;
  half.half = View::Half::kFirst;
  half.x = v.floats(100);
  half.s = few;
  half.other = more;
  const Value first = make_view(View(half));
  std::swap(half.s, half.other);
  half.half = View::Half::kSecond;
  const Value second = make_view(View(half));
  const Vector elements = v.floats(100);
  CHECK(moved(Op::kPack, {elements}, {first}) == 1600);
  Moving beside(Op::kPack);
  beside.reads(elements);
  beside.has_been_read();
  beside.writes(second);
  CHECK(beside.bytes() == 0);
  View join;
  join.source = View::Source::kAssembly;
  AssemblyPart part;
  part.v = first;
  join.parts.push_back(part);
  const Value waiting = make_view(std::move(join));
  const Value runs = spread_view(more, v.ints(10, Storage::kI64));
  CHECK(moved(Op::kDpermute, {second, runs, waiting}, {half.x}) == 0);
  CHECK(moved(Op::kDpermute, {second, runs, waiting}, {v.floats(100)}) == 480 + 80 + 320 + 800);
}

TEST_CASE(
    "a part of an operand is not moved, but what is computed in its "
    "memory is") {
  Vectors v;
  const Vector elements = v.floats(100);
  const Segdes s = Segdes::regular(1, 100);
  CHECK(moved(Op::kPack, {elements, v.ints(100, Storage::kI8), s},
              {elements.part(20, 30), Vector::of_int(30)}) == 8);
  CHECK(moved(Op::kSqrt, {elements}, {elements}) == 1600);
}

}  // namespace
}  // namespace nvm::vm
