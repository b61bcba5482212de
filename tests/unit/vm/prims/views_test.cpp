#include "vm/prims/views.h"

#include <catch2/catch.hpp>
#include <vector>

#include "vm/data/pool.h"
#include "vm/prims/halves.h"

namespace nvm::vm {
namespace {

using Ints = std::vector<std::int64_t>;
using Source = View::Source;

class Views {
 public:
  Vector ints(const Ints& x) { return int_vector(pool_, x); }
  Segdes segments(const Ints& lengths) { return Segdes::checked(ints(lengths)); }
  Ints elements(const View& v) {
    const auto made = std::get<Vector>(materialise(v, context_));
    Ints x;
    for (std::int64_t i = 0; i < made.length(); ++i)
      x.push_back(made.type() == Type::kBool ? (made.bool_at(i) ? 1 : 0) : made.int_at(i));
    return x;
  }

 private:
  Pool pool_;
  PrimContext context_{.pool = &pool_};
};

// Every one with segments of no elements, at the ends and between.
const std::vector<Ints> kLengths = {{},           {0},      {1}, {5}, {0, 0, 0}, {0, 3, 0, 1, 2, 0},
                                    {2, 2, 2, 2}, {1, 1, 1}};

// Element i of segment k, by `of`.
template <typename Of>
Ints each(const Ints& lengths, const Of& of) {
  Ints x;
  for (std::size_t k = 0; k < lengths.size(); ++k)
    for (std::int64_t i = 0; i < lengths[k]; ++i) x.push_back(of(static_cast<std::int64_t>(k), i));
  return x;
}

TEST_CASE("numbers go on from a base by strides, in every segment") {
  Views v;
  for (const Ints& lengths : kLengths) {
    Ints base, strides;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      base.push_back(static_cast<std::int64_t>(k * k) - 3);
      strides.push_back(4 - static_cast<std::int64_t>(k));
    }
    const auto first = [&](std::int64_t k) { return base[static_cast<std::size_t>(k)]; };
    const auto stride = [&](std::int64_t k) { return strides[static_cast<std::size_t>(k)]; };
    const Segdes s = v.segments(lengths);
    const ViewRef runs = runs_view(s, v.ints(base));
    CHECK(runs->is_runs());
    CHECK(v.elements(*runs) == each(lengths, [&](auto k, auto i) { return first(k) + i; }));
    const ViewRef strided = runs_view(s, v.ints(base), v.ints(strides));
    CHECK(strided->is_strided() == !lengths.empty());
    CHECK(v.elements(*strided) == each(lengths, [&](auto k, auto i) { return first(k) + i * stride(k); }));
    const ViewRef spread = spread_view(s, v.ints(base));
    CHECK(spread->is_spread());
    CHECK_FALSE(spread->is_runs());
    CHECK(v.elements(*spread) == each(lengths, [&](auto k, auto) { return first(k); }));
  }
}

TEST_CASE("a few numbers come over and over, each time greater by as much") {
  Views v;
  for (const std::int64_t times : {1, 2, 7})
    for (const std::int64_t growth : {0, 10, -3}) {
      View some;
      some.s = Segdes::regular(3 * times, 1);
      some.base = {v.ints({5, -1, 8}), growth};
      CHECK(some.is_periodic());
      const Ints x = {5, -1, 8};
      CHECK(v.elements(some) == each(Ints(static_cast<std::size_t>(3 * times), 1), [&](auto k, auto) {
              return x[static_cast<std::size_t>(k % 3)] + k / 3 * growth;
            }));
      View back;
      back.s = Segdes::regular(2 * times, 4);
      back.base = {v.ints({20, 60}), growth};
      back.strides = v.ints({1, -1});
      CHECK(back.is_periodic_runs());
      CHECK(v.elements(back) == each(Ints(static_cast<std::size_t>(2 * times), 4), [&](auto k, auto i) {
              return (k % 2 == 0 ? 20 + i : 60 - i) + k / 2 * growth;
            }));
    }
}

TEST_CASE("elements are those that a list, a slice or a half gives") {
  Views v;
  const Vector x = v.ints({10, 11, 12, 13, 14, 15, 16, 17});
  const ssa::Inst* const some = reinterpret_cast<const ssa::Inst*>(&v);  // is not looked at
  View gather;
  gather.source = Source::kElements;
  gather.s = Segdes::regular(5, 1);
  gather.x = x;
  gather.base.list = v.ints({7, 0, 0, 3, 6});
  gather.move = some;
  CHECK(gather.is_gather());
  CHECK(v.elements(gather) == Ints{17, 10, 10, 13, 16});
  View slice;
  slice.source = Source::kElements;
  slice.s = Segdes::regular(2, 2);
  slice.x = x;
  slice.base = {Vector::of_int(1), 4};
  CHECK(slice.is_slice());
  CHECK(v.elements(slice) == Ints{11, 12, 15, 16});
  Value first, second;
  make_halves(x, v.segments({0, 3, 1}), v.segments({2, 0, 2}), first, second);
  CHECK(v.elements(*view_of(first, &View::is_half)) == Ints{12, 13, 14, 15});
  CHECK(v.elements(*view_of(second, &View::is_half)) == Ints{10, 11, 16, 17});
}

TEST_CASE("a comparison, places of flags, and what is computed from views") {
  Views v;
  View flags;
  flags.source = Source::kCompare;
  flags.compare = Scalar::kLt;
  flags.s = v.segments({2, 0, 3});
  flags.x = v.ints({1, 9, 4, 5, 6});
  flags.base.list = v.ints({5, 0, 5});
  CHECK(v.elements(flags) == Ints{1, 0, 1, 0, 0});
  View slice;
  slice.source = Source::kElements;
  slice.s = Segdes::regular(2, 2);
  slice.x = v.ints({10, 11, 12, 13, 14, 15});
  slice.base = {Vector::of_int(1), 3};
  View sum;
  sum.source = Source::kBody;
  sum.op = Op::kAdd;
  sum.word = TypeWord::kInt;
  sum.s = slice.s;
  const Value same = make_view(View(slice));
  sum.operands = {same, same};
  CHECK(sum.is_map());
  CHECK(v.elements(sum) == Ints{22, 24, 28, 30});
  CHECK_FALSE(flags.is_map());
}

}  // namespace
}  // namespace nvm::vm
