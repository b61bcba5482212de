#include "vm/profile/bound.h"

#include <catch2/catch.hpp>

using nvm::vm::check_bound;

TEST_CASE("a bound is a comparison of expressions over the figures of a run") {
  const std::map<std::string, double, std::less<>> names{{"work", 3000}, {"n", 1024}, {"depth", 7}};
  CHECK(check_bound("work <= 3*n*log2(n)", names).right == 3.0 * 1024 * 10);
  CHECK(check_bound("work <= 3*n*log2(n)", names).holds);
  CHECK_FALSE(check_bound("work < 2*n", names).holds);
  CHECK(check_bound("depth == 1 + 2 * 3", names).holds);
  CHECK(check_bound("2^3^2 == 512", names).holds);
  CHECK(check_bound("-2 + 10 - 3 - 1 == 8 / 2", names).holds);
  CHECK(check_bound("max(work, n) > min(work, n) / sqrt(4)", names).holds);
  CHECK(check_bound("(1.5e3) * 2 >= work", names).holds);
}

TEST_CASE("lengths of inputs are names with a #") {
  const std::map<std::string, double, std::less<>> names{{"work", 3000}, {"#points", 1000}};
  CHECK(check_bound("work <= 3 * #points", names).holds);
  CHECK_FALSE(check_bound("work < 3*#points", names).holds);
  CHECK(check_bound("work < #point", names).error.find("there is no #point (known: #points, work)") == 0);
}

TEST_CASE("a bound does not hold if one of its sides is no finite number") {
  const std::map<std::string, double, std::less<>> names{{"work", 3000}, {"n", 0}};
  CHECK_FALSE(check_bound("work <= 1 / n", names).holds);
  CHECK_FALSE(check_bound("log2(n) <= work", names).holds);
  CHECK_FALSE(check_bound("work >= sqrt(-1)", names).holds);
  CHECK(check_bound("work <= 1 / n", names).error.empty());
}

TEST_CASE("a bound that makes no sense is answered with the place") {
  const std::map<std::string, double, std::less<>> names{{"work", 1}};
  CHECK(check_bound("work", names).error.find("expected a comparison") == 0);
  CHECK(check_bound("wrok <= 3", names).error ==
        "there is no wrok (known: work) at column 1 of \"wrok <= 3\"");
  CHECK(check_bound("work <= log3(2)", names).error.find("there is no function log3") == 0);
  CHECK(check_bound("work <= (2", names).error.find("expected )") == 0);
  CHECK(check_bound("work <= 2 3", names).error.find("unexpected text") == 0);
  CHECK(check_bound("", names).error.find("expected a number or a name") == 0);
  CHECK(check_bound("1 <= " + std::string(100000, '('), names).error.find("too deeply nested") == 0);
  CHECK(check_bound("1 <= " + std::string(100000, '-') + "1", names).error.find("too deeply nested") == 0);
}
