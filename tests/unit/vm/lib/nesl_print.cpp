#include "vm/lib/nesl_print.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <limits>

#include "vm/data/pool.h"

using namespace nvm;
using namespace nvm::vm;
using frontend::TypeArena;
using frontend::TypeKind;

namespace {

Vector ints(Pool& pool, const std::vector<std::int64_t>& v) {
  if (v.size() == 1) return Vector::of_int(v[0]);
  Vector out = pool.vector(Storage::kI64, static_cast<std::int64_t>(v.size()));
  if (!v.empty()) std::memcpy(out.mutable_data<std::int64_t>(), v.data(), v.size() * sizeof v[0]);
  return out;
}

Segdes segments(Pool& pool, const std::vector<std::int64_t>& lengths) {
  std::int64_t total = 0;
  for (const std::int64_t l : lengths) total += l;
  return Segdes::from_lengths(ints(pool, lengths), total);
}

}  // namespace

TEST_CASE("floats print as the legacy top level prints them") {
  CHECK(print_float(1.0 / 3.0) == "0.333333333333333");
  CHECK(print_float(0.1 + 0.2) == "0.3");
  CHECK(print_float(std::sqrt(2.0)) == "1.4142135623731");
  CHECK(print_float(3.141592653589793, true) == "3.141592653589793");
  CHECK(print_float(0.1234567890123456789, true) == "0.12345678901234568");
  CHECK(print_float(1e7) == "1.0E7");
  CHECK(print_float(9999999.0) == "9999999.0");
  CHECK(print_float(12345678.9) == "1.23456789E7");
  CHECK(print_float(100000.0) == "100000.0");
  CHECK(print_float(0.001) == "0.001");
  CHECK(print_float(1e-4) == "1.0E-4");
  CHECK(print_float(0.00123) == "0.00123");
  CHECK(print_float(1.5e300) == "1.5E300");
  CHECK(print_float(-2.5) == "-2.5");
  CHECK(print_float(-0.0) == "0.0");
  CHECK(print_float(1.22464679914735e-16) == "1.22464679914735E-16");
  CHECK(print_float(0.00099999999999999999) == "0.001");
  CHECK(print_float(std::numeric_limits<double>::max(), true) == "1.7976931348623157E308");
  CHECK(print_float(std::numeric_limits<double>::max()) == "1.7976931348623157E308");
  CHECK(print_float(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(print_float(std::numeric_limits<double>::quiet_NaN()) == "nan");
}

TEST_CASE("nested sequences print by their descriptors, also from narrow storage") {
  Pool pool;
  TypeArena a;
  const auto* seq2 = a.seq(a.seq(TypeArena::base(TypeKind::kInt)));
  const std::vector<Value> v{Segdes::regular(1, 3), segments(pool, {2, 0, 1}), ints(pool, {1, 2, 3})};
  CHECK(print_value(a, seq2, v) == "[[1, 2], [], [3]]");
  Vector narrow = pool.vector(Storage::kI8, 2);
  narrow.mutable_data<std::int8_t>()[0] = -5;
  narrow.mutable_data<std::int8_t>()[1] = 7;
  CHECK(print_value(a, a.seq(TypeArena::base(TypeKind::kInt)),
                    std::vector<Value>{Segdes::regular(1, 2), narrow}) == "[-5, 7]");
}

TEST_CASE("strings print between quotes, an empty sequence of them as a sequence") {
  Pool pool;
  TypeArena a;
  const auto* text = a.seq(TypeArena::base(TypeKind::kChar));
  const std::vector<Value> v{Segdes::regular(1, 3), ints(pool, {'"', '\\', 'x'})};
  CHECK(print_value(a, text, v) == "\"\\\"\\\\x\"");
  const std::vector<Value> none{Segdes::regular(1, 0), Segdes::regular(0, 0), ints(pool, {})};
  CHECK(print_value(a, a.seq(text), none) == "[]");
  const std::vector<Value> empty{Segdes::regular(1, 2), Segdes::regular(2, 0), ints(pool, {})};
  CHECK(print_value(a, a.seq(text), empty) == "[\"\", \"\"]");
}

TEST_CASE("right-nested pairs are one tuple, left-nested keep their parentheses") {
  TypeArena a;
  const auto* i = TypeArena::base(TypeKind::kInt);
  const std::vector<Value> three{Vector::of_int(1), Vector::of_int(2), Vector::of_int(3)};
  CHECK(print_value(a, a.pair(i, a.pair(i, i)), three) == "(1, 2, 3)");
  CHECK(print_value(a, a.pair(a.pair(i, i), i), three) == "((1, 2), 3)");
}

TEST_CASE("records print their constructor") {
  TypeArena a;
  const auto* i = TypeArena::base(TypeKind::kInt);
  auto* point = a.datatype();
  point->name = "pt";
  point->content = a.pair(i, i);
  const std::vector<Value> two{Vector::of_int(1), Vector::of_bool(true)};
  CHECK(print_value(a, a.record(point, {}), std::vector<Value>{Vector::of_int(1), Vector::of_int(2)}) ==
        "pt(1, 2)");
  CHECK(print_value(a, a.pair(i, TypeArena::base(TypeKind::kBool)), two) == "(1, T)");
}

TEST_CASE("long sequences are cut at print_length per level") {
  Pool pool;
  TypeArena a;
  const auto* seq = a.seq(TypeArena::base(TypeKind::kInt));
  const std::vector<Value> v{Segdes::regular(1, 4), ints(pool, {0, 1, 2, 3})};
  CHECK(print_value(a, seq, v, {3, false}) == "[0, 1, 2,...]");
  CHECK(print_value(a, seq, v, {0, false}) == "[...]");
  CHECK(print_value(a, seq, v, {4, false}) == "[0, 1, 2, 3]");
}
