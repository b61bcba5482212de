// Work and depth against values derived by hand, in every tier.
#include <catch2/catch.hpp>

#include <sstream>

#include "vm/lib/nesl.hpp"

using namespace nvm::lib;

namespace {

struct Cost {
  std::uint64_t work, depth;
};

Options options_of(Jit jit, Fusion fusion) {
  Options options;
  options.cost = true;
  options.jit = jit;
  options.fusion = fusion;
  return options;
}

// The instructions of `body` behind a program without an optimiser, on inputs v (ints) and f (bools).
void check_cost(const std::string& body, std::int64_t n, Cost expected) {
  std::vector<std::int64_t> numbers;
  std::vector<std::uint8_t> flags;
  for (std::int64_t i = 0; i < n; ++i) numbers.push_back(i), flags.push_back(i % 3 == 0);
  LoadOptions load;
  load.inputs = {Kind::kInt, Kind::kBool, Kind::kSegdes};
  load.optimise = false;
  auto program = Program::from_text("FUNC MAIN " + body + " RET", "t.vcode", load);
  REQUIRE(program);
  auto descriptor = make_segdes(std::vector<std::int64_t>{n});
  REQUIRE(descriptor);
  for (const Jit jit : {Jit::kOff, Jit::kHot, Jit::kAlways})
    for (const Fusion fusion : {Fusion::kOff, Fusion::kExact}) {
      Vm vm(options_of(jit, fusion));
      auto run = vm.run(*program, std::vector<Value>{make_ints(numbers), make_bools(flags), *descriptor});
      INFO(body << " jit " << static_cast<int>(jit));
      if (!run) FAIL(run.failure().message);
      CHECK(run->counters.work == expected.work);
      CHECK(run->counters.instructions == expected.depth);
    }
}

}  // namespace

TEST_CASE("work and depth of small programs, in every tier", "[lib]") {
  constexpr std::int64_t n = 9000;
  constexpr std::uint64_t kept = n / 3;
  // v + v: n
  check_cost("POP 2 0 COPY 1 0 + INT", n, {n, 1});
  // sum(v): n, whatever it gives
  check_cost("CPOP 1 1 POP 1 0 +_REDUCE INT", n, {n, 1});
  // length of v: 1
  check_cost("POP 2 0 LENGTH INT", n, {1, 1});
  // pack: n, then the sum of what is kept, nothing of which is made
  check_cost("PACK INT +_REDUCE INT", n, {n + kept, 2});
  // pack, square what is kept, drop it: counted though nobody wants it
  check_cost("PACK INT POP 1 0 COPY 1 0 * INT POP 1 0 CONST INT 7", n, {n + kept, 2});
  // lengths of a descriptor and a descriptor of them: one each
  check_cost("CPOP 2 1 POP 2 0 LENGTHS MAKE_SEGDES", n, {2, 2});
  // dist counts its result
  check_cost("CPOP 2 1 POP 2 0 CONST INT 3 CPOP 1 1 DIST INT", n, {n, 1});
  // and so does [0:n]
  check_cost("CPOP 2 1 POP 2 0 CONST INT 0 CONST INT 1 CPOP 1 2 INDEX", n, {n, 1});
  // running sums: n
  check_cost("CPOP 1 1 POP 1 0 +_SCAN INT", n, {n, 1});
  // sum of the squares: n for them, n for the sum
  check_cost("CPOP 1 1 POP 1 0 CPOP 1 1 COPY 1 0 * INT CPOP 1 1 +_REDUCE INT", n, {2 * n, 2});
  // one element: 1, however long v is
  check_cost("CPOP 1 1 POP 1 0 CONST INT 5 CPOP 1 1 EXTRACT INT", n, {1, 1});
  // ranks: n, the passes of the sort are not counted
  check_cost("CPOP 1 1 POP 1 0 RANK_UP INT", n, {n, 1});
}

TEST_CASE("the costs of a NESL text add up over its forms", "[lib]") {
  for (const Jit jit : {Jit::kOff, Jit::kAlways}) {
    NeslOptions options;
    options.vm = options_of(jit, Fusion::kExact);
    std::ostringstream out, err;
    Nesl nesl(options, out, err);
    REQUIRE(nesl.run_text("sum([0:1000]) $\nsum([0:1000]) $\n", "t.nesl") == NeslStatus::kOk);
    const std::uint64_t both = nesl.counters().work;
    REQUIRE(nesl.run_text("sum([0:1000]) $\n", "t.nesl") == NeslStatus::kOk);
    CHECK(nesl.counters().work == both / 2 * 3);
    CHECK(both >= 4000);  // the range and its sum, twice
  }
}
