#include <catch2/catch.hpp>

#include "vm/data/compare.h"
#include "vm/prims/prims.h"

using namespace nvm;
using namespace nvm::vm;

namespace {

constexpr std::int64_t kLength = 2500;  // more than two blocks

struct Fixture {
  Pool pool;
  PrimContext context;
  explicit Fixture(IntBits bits) {
    context.pool = &pool;
    context.int_bits = bits;
    context.isa = best_isa();
  }
  Value dist(const Value& scalar, TypeWord word, bool repeats) const {
    Value operands[2] = {scalar, Segdes::regular(1, kLength)};
    Value result[1];
    if (repeats)
      run_repeating_dist(context, word, operands, result);
    else
      run_primitive(context, Op::kDist, word, operands, result);
    return result[0];
  }
  // What `op` gives for a DIST of `x` on the left and on the right of `v`.
  Value both_sides(Op op, TypeWord word, const Value& x, const Value& v, bool repeats) const {
    Value left[2] = {dist(x, word, repeats), v};
    Value right[2] = {v, dist(x, word, repeats)};
    Value a[1];
    Value b[1];
    run_primitive(context, op, word, left, a);
    run_primitive(context, op, word, right, b);
    return std::make_shared<const PairValue>(PairValue{a[0], b[0]});
  }
  [[nodiscard]] Value ints() const {
    std::vector<std::int64_t> x;
    for (std::int64_t i = 0; i < kLength; ++i) x.push_back(i % 97 + 1);
    return int_vector(*context.pool, x, context.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64);
  }
  [[nodiscard]] Value floats() const {
    std::vector<double> x;
    for (std::int64_t i = 0; i < kLength; ++i) x.push_back(static_cast<double>(i) * 0.5);
    return float_vector(*context.pool, x);
  }
};

}  // namespace

TEST_CASE("a repeated operand gives what the written one gives") {
  const Fixture f(GENERATE(IntBits::k32, IntBits::k64));
  for (const Op op : {Op::kAdd, Op::kDiv, Op::kLt, Op::kXor})
    for (const std::int64_t x : {std::int64_t{7}, std::int64_t{-3}})
      CHECK(difference(f.both_sides(op, TypeWord::kInt, Vector::of_int(x), f.ints(), true),
                       f.both_sides(op, TypeWord::kInt, Vector::of_int(x), f.ints(), false))
                .empty());
  for (const Op op : {Op::kSub, Op::kLt})
    CHECK(difference(f.both_sides(op, TypeWord::kFloat, Vector::of_float(2.5), f.floats(), true),
                     f.both_sides(op, TypeWord::kFloat, Vector::of_float(2.5), f.floats(), false))
              .empty());
}

TEST_CASE("a repeated vector takes no memory until somebody wants it written") {
  const Fixture f(IntBits::k64);
  const std::size_t before = f.pool.stats().live;
  Value x = f.dist(Vector::of_int(std::int64_t{1} << 40), TypeWord::kInt, true);
  CHECK(std::get<Vector>(x).is_repeated());
  CHECK(f.pool.stats().live == before);
  Value operands[2] = {x, Segdes::regular(1, kLength)};
  Value sum[1];
  run_primitive(f.context, Op::kAddReduce, TypeWord::kInt, operands, sum);
  CHECK(std::get<Vector>(sum[0]).scalar_int() == kLength << 40);
}

TEST_CASE("the first elements of a repeated vector repeat its element") {
  const Fixture f(IntBits::k64);
  const Vector x = std::get<Vector>(f.dist(Vector::of_float(2.5), TypeWord::kFloat, true));
  CHECK(x.first(10).length() == 10);
  CHECK(x.first(10).float_at(9) == 2.5);
  CHECK(x.first(1).scalar_float() == 2.5);
  CHECK(x.first(0).length() == 0);
}

TEST_CASE("one number distributed along many segments stays one number") {
  const Fixture f(GENERATE(IntBits::k32, IntBits::k64));
  for (const bool known : {false, true}) {  // that all elements are alike; else the vector is one number
    const std::vector<std::int64_t> written{0, 0, 0}, lengths{4, 0, 3};
    const Value zeros = known ? Value(int_vector(*f.context.pool, written, Storage::kI32))
                              : Value(Vector::repeated(Vector::of_int(0), 3));
    const Vector sizes = int_vector(*f.context.pool, lengths, Storage::kI64);
    Value operands[2] = {zeros, Segdes::from_lengths(sizes, 7)};
    Value result[1];
    run_repeating_dist(f.context, TypeWord::kInt, operands, result, known);
    const auto& v = std::get<Vector>(result[0]);
    CHECK(v.is_repeated());
    CHECK(v.length() == 7);
    CHECK(v.repeated_element().scalar_int() == 0);
  }
}

TEST_CASE("one repeated index in segments gives what written indices give") {
  const Fixture f(GENERATE(IntBits::k32, IntBits::k64));
  constexpr std::int64_t kSegments = 700;
  constexpr std::int64_t kEach = 9;
  std::vector<std::int64_t> x;
  for (std::int64_t i = 0; i < kSegments * kEach; ++i) x.push_back(i * 31 % 1009);
  const Storage storage = f.context.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
  const Vector v = int_vector(*f.context.pool, x, storage);
  const Vector by = int_vector(*f.context.pool, {x.data(), kSegments}, storage);
  const Value s = Segdes::regular(kSegments, kEach);
  for (const std::int64_t i : {0, 4, 8, 9, -1}) {
    const std::vector<std::int64_t> written(kSegments, i);
    std::vector<Value> extracted, replaced;
    for (const Vector& index :
         {Vector::repeated(Vector::of_int(i), kSegments), int_vector(*f.context.pool, written, storage)}) {
      Value read[3] = {v, index, s};
      Value put[4] = {v, index, by, s};
      extracted.emplace_back();
      replaced.emplace_back();
      if (i >= 0 && i < kEach) {
        run_primitive(f.context, Op::kExtract, TypeWord::kInt, read, {&extracted.back(), 1});
        run_primitive(f.context, Op::kReplace, TypeWord::kInt, put, {&replaced.back(), 1});
      } else {
        CHECK_THROWS_AS(run_primitive(f.context, Op::kExtract, TypeWord::kInt, read, {&extracted.back(), 1}),
                        Fault);
        CHECK_THROWS_AS(run_primitive(f.context, Op::kReplace, TypeWord::kInt, put, {&replaced.back(), 1}),
                        Fault);
      }
    }
    if (i < 0 || i >= kEach) continue;
    CHECK(difference(extracted[0], extracted[1]).empty());
    CHECK(difference(replaced[0], replaced[1]).empty());
  }
}
