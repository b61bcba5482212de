#include "frontend/remora/types.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>

#include "frontend/remora/unify.h"

using namespace nvm::remora;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct World {
  Variables variables;
  Unifier unify{variables};
  Var dim(const char* name, bool unknown = false) { return variables.fresh(Sort::kDim, name, unknown); }
  Var shape(const char* name, bool unknown = false) { return variables.fresh(Sort::kShape, name, unknown); }
};

}  // namespace

TEST_CASE("dimensions are polynomials in normal form") {
  World w;
  const Dim a = Dim::of(w.dim("a")), b = Dim::of(w.dim("b"));
  CHECK(plus(a, b) == plus(b, a));
  CHECK(times(plus(a, Dim(1)), b) == plus(times(b, a), b));
  CHECK(minus(plus(a, b), b) == a);
  CHECK_FALSE(minus(a, b));
  CHECK(times(a, Dim(0)) == Dim(0));
  CHECK(print(plus(times(a, Dim(2)), Dim(3)), w.variables) == "(+ (* 2 a) 3)");
}

TEST_CASE("coefficients, terms and factors have bounds") {
  World w;
  CHECK(plus(Dim(kMost), Dim(0)) == Dim(kMost));
  CHECK_THROWS_AS(plus(Dim(kMost), Dim(1)), TooLarge);
  CHECK_THROWS_AS(times(Dim(kMost), Dim(2)), TooLarge);
  const auto power = [&] {
    Dim d = Dim::of(w.dim("n"));
    for (int k = 0; k < 60; ++k) d = times(d, d);
  };
  CHECK_THROWS_AS(power(), TooLarge);
  const auto terms = [&] {
    Dim d(1);
    for (int k = 0; k < 60; ++k) d = times(d, plus(Dim::of(w.dim("p")), Dim::of(w.dim("q"))));
  };
  CHECK_THROWS_AS(terms(), TooLarge);
}

TEST_CASE("types and shapes that double have bounds") {
  const auto types = [] {
    Type t = scalar(AtomKind::kInt);
    for (int k = 0; k < 60; ++k) t = scalar(function_type({t}, t));
  };
  CHECK_THROWS_AS(types(), TooLarge);
  const auto high = [] {
    Type t = scalar(AtomKind::kInt);
    for (int k = 0; k < 100'000; ++k) t = scalar(function_type({}, t));
  };
  CHECK_THROWS_AS(high(), TooLarge);
  const auto axes = [] {
    Shape s{piece(2)};
    for (int k = 0; k < 60; ++k) s = joined(s, s);
  };
  CHECK_THROWS_AS(axes(), TooLarge);
}

TEST_CASE("an unknown dimension is found where its coefficient divides") {
  World w;
  const Var u = w.dim("u", true);
  CHECK(w.unify.exact(times(Dim::of(u), Dim(3)), Dim(12)));
  CHECK(w.variables.resolved(Dim::of(u)) == Dim(4));
  const Var v = w.dim("v", true);
  CHECK_FALSE(w.unify.exact(times(Dim::of(v), Dim(3)), Dim(13)));
  CHECK_FALSE(w.unify.exact(plus(Dim::of(v), Dim(5)), Dim(4)));
  CHECK(w.unify.exact(plus(Dim::of(v), Dim(5)), Dim(5)));
  CHECK(w.variables.resolved(Dim::of(v)) == Dim(0));
}

TEST_CASE("nothing is found to contain itself") {
  World w;
  const Var u = w.dim("u", true);
  CHECK_FALSE(w.unify.exact(Dim::of(u), plus(Dim::of(u), Dim(1))));
  const Var s = w.shape("@s", true);
  CHECK_FALSE(w.unify.exact(Shape{{s, {}}}, Shape{piece(1), {s, {}}, piece(2)}));
  const Var t = w.variables.fresh(Sort::kAtom, "t", true);
  CHECK_FALSE(w.unify.exact(variable_type(t), function_type({}, scalar(variable_type(t)))));
  const Var a = w.variables.fresh(Sort::kArray, "@t", true);
  CHECK_FALSE(w.unify.exact(Type{a, {}, {}}, scalar(function_type({}, Type{a, {}, {}}))));
}

TEST_CASE("a cell is the end of a shape") {
  World w;
  const Shape argument{piece(2), piece(3), piece(4)};
  CHECK(w.unify.end(argument, {}) == 3U);
  CHECK(w.unify.end(argument, {piece(3), piece(4)}) == 1U);
  CHECK_FALSE(w.unify.end(argument, {piece(3)}));
  CHECK_FALSE(w.unify.end({}, {piece(0)}));
}

TEST_CASE("names of bound variables do not matter") {
  World w;
  const auto boxed = [&](const char* name) {
    const Var d = w.dim(name);
    return scalar(binder(AtomKind::kSigma, {d}, {kNoVar, base(AtomKind::kInt), {piece(Dim::of(d))}}));
  };
  CHECK(equal(boxed("a"), boxed("b")));
  CHECK(w.unify.exact(boxed("a"), boxed("b")));
  CHECK(print(boxed("a"), w.variables) == "(Sigma (d1) [int d1])");
}
