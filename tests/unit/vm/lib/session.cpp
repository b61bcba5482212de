// Arrays of a host: the graph, what is computed at once, and the programs that are kept.
#include "vm/lib/session.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <thread>

#include "bytecode/table/ranges.h"
#include "vm/lib/elements.h"

namespace {

using namespace nvm::lib;
using nvm::Range;

ExpressionGraph& graph() {
  static auto* made = new ExpressionGraph;
  return *made;
}

struct Runs {  // counts what a session runs
  Session session{Options{}};
  int programs = 0;
  bool long_run = false;
  std::optional<Session::Unevaluated> evaluate(const std::vector<Promise>& wanted) {
    Run run;
    const auto here = [&](Vm& vm, const Program& program, std::span<const Value> inputs, bool is_long) {
      ++programs;
      long_run = is_long;
      return vm.run(program, inputs);
    };
    return session.evaluate(wanted, here, run);
  }
};

Promise op(const char* text, std::vector<Promise> operands) {
  return record(*find_instruction(text), operands);
}
Promise numbers(std::int64_t n) {
  std::vector<std::int64_t> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<std::int64_t>(i);
  return graph().given(make_ints(v));
}
Promise segment(std::int64_t n) { return graph().given(*make_segdes({&n, 1})); }

constexpr std::int64_t kMany = 5000;

}  // namespace

TEST_CASE("what is no instruction of a graph is refused") {
  for (const char* text :
       {"", "+", "+ SEGDES", "+ INT INT", "CALL f", "RAND", "WRITE INT", "CONST", "CONST INT", "CONST INT x",
        "CONST FLOAT inf.0", "COPY 1 0", "nothing", "SPAWN", "PAIR"})
    CHECK(find_instruction(text) == nullptr);
  CHECK(find_instruction("+ INT") == find_instruction("+ INT"));
  CHECK(results_of(*find_instruction("PACK INT")) == 2);
}

TEST_CASE("on a few elements an instruction is executed at once, on many recorded") {
  for (const std::int64_t n : {0, 1, 2, 1024}) {
    const Promise sum = op("+ INT", {numbers(n), numbers(n)});
    REQUIRE(sum.evaluated());
    CHECK(sum.value().size() == n);
    if (n > 0) CHECK(sum.value().int_at(n - 1) == 2 * (n - 1));
  }
  CHECK_FALSE(op("+ INT", {numbers(1025), numbers(1025)}).evaluated());
  CHECK_FALSE(op("DIST INT", {numbers(1), segment(1025)}).evaluated());  // few operands, many results
}

TEST_CASE("what fails at once fails when somebody looks, each time, and nothing else does") {
  Runs runs;
  const Promise zero = op("- INT", {numbers(3), numbers(3)});
  const Promise quotient = op("/ INT", {numbers(3), zero});
  CHECK_FALSE(quotient.evaluated());
  const Promise later = op("+ INT", {quotient, numbers(3)});
  for (int k = 0; k < 2; ++k) {
    const auto failed = runs.evaluate({later});
    REQUIRE(failed);
    CHECK(failed->failure.cause == Failure::Cause::kDivide);
    CHECK(failed->at.node() == quotient.node());
  }
  CHECK_FALSE(later.evaluated());
  const Promise good = op("+ INT", {numbers(kMany), numbers(kMany)});
  CHECK_FALSE(runs.evaluate({good}));
  CHECK(good.value().int_at(kMany - 1) == 2 * (kMany - 1));
}

TEST_CASE(
    "graphs of one shape have one program; what others hold is stored with them, what nobody holds is not") {
  Runs runs;
  for (const std::int64_t n : {kMany, kMany + 1, kMany}) {
    const Promise twice = op("+ INT", {numbers(n), numbers(n)});
    Promise result, held;
    {
      held = op("* INT", {twice, numbers(n)});
      result = op("- INT", {held, op("+ INT", {twice, twice})});
    }
    CHECK_FALSE(runs.evaluate({result}));
    CHECK(held.evaluated());
    CHECK(twice.evaluated());
    CHECK(result.operands().empty());
    CHECK(result.value().int_at(n - 1) == 2 * (n - 1) * (n - 1) - 4 * (n - 1));
  }
  CHECK(runs.programs == 3);
  CHECK_FALSE(runs.evaluate({}));
  CHECK(runs.programs == 3);
}

TEST_CASE("long chains end without recursion, looked at or not") {
  Runs runs;
  for (const bool look : {false, true}) {
    Promise chain = numbers(kMany);
    const Promise one = op("DIST INT", {graph().constant(std::int64_t{1}), segment(kMany)});
    for (int k = 0; k < (look ? 300 : 200000); ++k) chain = op("+ INT", {chain, one});
    CHECK(chain.depth() == (look ? 301 : 200001));
    if (look) CHECK_FALSE(runs.evaluate({chain}));
    if (look) CHECK(chain.value().int_at(7) == 307);
  }
}

TEST_CASE("a run is long where many elements or unknown lengths are computed") {
  Runs runs;
  CHECK_FALSE(runs.evaluate({op("+ INT", {numbers(kMany), numbers(kMany)})}));
  CHECK_FALSE(runs.long_run);
  CHECK_FALSE(runs.evaluate({op("MAKE_SEGDES", {numbers(kMany)})}));
  CHECK(runs.long_run);
}

TEST_CASE("constants are numbers of the program, also those that have no text") {
  for (const double x :
       {0.0, -0.0, 1e-320, 1.7976931348623157e308, 5e22, 1.0 / 3, std::nan(""), double{INFINITY}}) {
    const Promise c = graph().constant(x);
    REQUIRE(c.evaluated());
    CHECK((c.value().float_at(0) == x || std::isnan(x)));
    CHECK(std::signbit(c.value().float_at(0)) == std::signbit(x));
    CHECK(c.text().empty() != std::isfinite(x));
  }
  CHECK(graph().constant(std::int64_t{INT64_MIN}).value().int_at(0) == INT64_MIN);
}

TEST_CASE("types meet in a table that is symmetric and holds both") {
  for (int a = 0; a < 13; ++a)
    for (int b = 0; b < 13; ++b) {
      const auto x = static_cast<ElementType>(a), y = static_cast<ElementType>(b);
      CHECK(common(x, y) == common(y, x));
      CHECK(common(common(x, y), x) == common(x, y));
    }
  CHECK(common(ElementType::kint64, ElementType::kuint64) == ElementType::kfloat64);
  CHECK(common(ElementType::kint8, ElementType::kuint8) == ElementType::kint16);
  CHECK(common(ElementType::kint16, ElementType::kfloat32) == ElementType::kfloat32);
  CHECK(common(ElementType::kint32, ElementType::kcomplex64) == ElementType::kcomplex128);
}

TEST_CASE("an operator says why it is not applied") {
  const auto size = std::make_shared<Size>(graph(), 3);
  const Elements bools{ElementType::kbool, graph().given(make_bools(std::vector<std::uint8_t>{0, 1, 1})),
                       size};
  const Elements bytes{ElementType::kuint8, numbers(3), size};
  const Elements reals{ElementType::kfloat64, graph().given(make_floats(std::vector<double>{1, 2, 3})), size};
  const auto why = [&](ElementOp op, const Elements& a, const Operand& b) {
    const Operand both[] = {{&a, {}}, b};
    return apply(op, both, size).refusal;
  };
  WeakNumber large;
  large.whole = 256;
  CHECK(why(ElementOp::k_add, bytes, {nullptr, large}) == Refusal::kRange);
  CHECK(why(ElementOp::k_equal, bytes, {nullptr, large}) == Refusal::kNone);
  CHECK(why(ElementOp::k_subtract, bools, {&bools, {}}) == Refusal::kType);
  CHECK(why(ElementOp::k_bitwise_and, reals, {&reals, {}}) == Refusal::kType);
  CHECK(why(ElementOp::k_remainder, reals, {&reals, {}}) == Refusal::kElsewhere);
}

TEST_CASE("what is recorded twice is one promise while somebody holds it, unless it can fail") {
  Runs runs;
  const Promise x = numbers(kMany), y = numbers(kMany);
  const Promise sum = op("+ INT", {x, y});
  CHECK(op("+ INT", {x, y}).node() == sum.node());
  CHECK(op("+ INT", {y, x}).node() != sum.node());
  CHECK(op("* INT", {x, y}).node() != sum.node());
  CHECK(op("+ INT", {x, numbers(kMany)}).node() != sum.node());
  const Promise quotient = op("/ INT", {x, y});  // its line is that of who looks
  CHECK(op("/ INT", {x, y}).node() != quotient.node());

  const Promise packed = op("PACK INT", {x, op("< INT", {x, y}), segment(kMany)});
  CHECK(Promise(packed.node(), 1).kind() == Kind::kSegdes);
  CHECK(op("LENGTHS", {{packed.node(), 1}}).node() == op("LENGTHS", {{packed.node(), 1}}).node());

  std::vector<Promise> chain{sum};  // as many as need larger tables
  for (int k = 0; k < 300; ++k) chain.push_back(op("+ INT", {chain.back(), x}));
  for (std::size_t k = 1; k < chain.size(); ++k)
    REQUIRE(op("+ INT", {chain[k - 1], x}).node() == chain[k].node());
  chain.clear();

  CHECK_FALSE(runs.evaluate({sum}));
  const Promise again = op("+ INT", {x, y});  // the values of `sum` are not looked for
  CHECK_FALSE(again.evaluated());
  CHECK_FALSE(runs.evaluate({again}));
  CHECK(again.value().int_at(7) == 14);
}

TEST_CASE("a tape records a graph again, for other values") {
  Runs runs;
  const Promise parameter = graph().parameter(Kind::kInt), by = numbers(kMany), segments = segment(kMany);
  const auto above = [&](const Promise& x, const Promise& n) {
    const Promise few = op("DIST INT", {graph().constant(std::int64_t{3}), n});
    const Promise packed = op("PACK INT", {op("* INT", {x, few}), op("< INT", {x, by}), n});
    return op("+_REDUCE INT", {packed, {packed.node(), 1}});
  };
  const Promise inputs[] = {parameter, segments};
  const Promise results[] = {above(parameter, segments), op("+ INT", {parameter, by})};
  const Tape tape(inputs, results);
  REQUIRE(tape.inputs() == 2);
  for (int turn = 0; turn < 2; ++turn) {
    const Promise ones = op("DIST INT", {graph().constant(std::int64_t{1}), segment(kMany)});
    const Promise given[] = {op("- INT", {numbers(kMany), ones}), segment(kMany)};
    const std::vector<Promise> again = tape.record(given);
    REQUIRE(again.size() == 2);
    CHECK_FALSE(again[0].evaluated());
    CHECK_FALSE(runs.evaluate({again[0], again[1]}));
    CHECK(again[0].value().int_at(0) == 3 * (kMany * (kMany - 1) / 2 - kMany));
    CHECK(again[1].value().int_at(5) == 5 - 1 + 5);
  }
  CHECK(runs.programs == 2);

  const Promise same[] = {parameter};  // what it stands on may be an input itself
  const Tape nothing(same, same);
  const Promise x[] = {numbers(7)};
  CHECK(nothing.record(x)[0].node() == x[0].node());
  const Promise sum[] = {op("+ INT", {parameter, parameter})};
  CHECK_THROWS(Tape({}, sum));
}

TEST_CASE("what is known of the range of INTs: by what they are computed from") {
  const auto number = [](std::int64_t x) { return op("DIST INT", {graph().constant(x), segment(kMany)}); };
  const auto range = [](const Promise& p) { return range_of(p); };
  const Promise count =
      op("INDEX", {graph().constant(std::int64_t{0}), graph().constant(std::int64_t{1}), segment(kMany)});
  const Promise rest = op("%", {op("+ INT", {count, number(7)}), number(1337)});
  CHECK(range(rest) == Range{0, 1336});
  CHECK(range(op("- INT", {rest, number(2000)})) == Range{-2000, -664});
  CHECK(range(numbers(kMany)) == Range{});
  CHECK(magnitude_of(rest) == 31);
  CHECK(magnitude_of(count) == 46);
  CHECK(magnitude_of(op("- INT", {rest, number(1)})) == 0);
  CHECK(range(op("+ INT", {graph().parameter(Kind::kInt, 31), number(1)})) ==
        Range{1, std::int64_t{1} << 31});
}

TEST_CASE("graphs share nothing: threads that have one each need no lock") {
  const auto work = [](ExpressionGraph& mine, std::int64_t& sum) {
    Session session{Options{}};
    const auto here = [](Vm& vm, const Program& program, std::span<const Value> inputs, bool) {
      return vm.run(program, inputs);
    };
    const std::int64_t n = kMany;
    std::vector<std::int64_t> v(static_cast<std::size_t>(n), 2);
    for (std::int64_t turn = 0; turn < 20; ++turn) {
      const Promise segments = mine.given(*make_segdes({&n, 1}));
      const Promise by = op("DIST INT", {mine.constant(turn % 7), segments});
      const Promise x = mine.given(make_ints(v));
      const Promise total = op("+_REDUCE INT", {op("* INT", {x, by}), segments});
      Run run;
      const Promise wanted[] = {total};
      if (!session.evaluate(wanted, here, run)) sum += total.value().int_at(0);
    }
  };
  std::vector<std::int64_t> sums(3);
  std::vector<std::thread> threads;
  for (std::int64_t& sum : sums)
    threads.emplace_back([&] {
      ExpressionGraph mine;
      work(mine, sum);
    });
  for (std::thread& t : threads) t.join();
  std::int64_t want = 0;
  for (std::int64_t turn = 0; turn < 20; ++turn) want += 2 * kMany * (turn % 7);
  CHECK(sums == std::vector<std::int64_t>(3, want));
}
