// Programs on several ranks do what the interpreter does alone: values, faults, and what checks that fail
// print; however many ranks there are, whatever is distributed, and wherever it is cut.
#include <rapidcheck.h>

#include <catch2/catch.hpp>

#include "tests/support/on_ranks.h"

namespace nvm {
namespace {

using Numbers = std::vector<std::uint32_t>;

ssa::Module random_module(IntBits bits) {
  const Numbers numbers =
      *rc::gen::resize(1500, rc::gen::container<Numbers>(rc::gen::resize(100, rc::gen::inRange(0U, ~0U))));
  std::optional<ssa::Module> module = test::random_segment_module(test::Choices(numbers), bits);
  RC_ASSERT(module.has_value());
  return *std::move(module);
}

vm::spmd::Settings any_settings() {
  vm::spmd::Settings settings;
  settings.spread = *rc::gen::element(1, 2, 4, 6, 30);
  settings.cutter = test::any_cut(*rc::gen::arbitrary<std::uint64_t>());
  settings.gathered = *rc::gen::element(0, 40, 1 << 20);
  return settings;
}

void same_on_ranks(IntBits bits) {
  CHECK(rc::check("random programs", [&] {
    const ssa::Module module = random_module(bits);
    vm::Pool pool;
    const vm::Code code = vm::make_code(module, pool);
    const test::ProgramResult alone = test::WritingMachine(code, pool, 1).run(code, 1);
    const int n = *rc::gen::element(1, 2, 3, 5, 8);
    const std::vector<test::RankResult> ranks = test::run_on_ranks(module, n, any_settings());
    RC_CLASSIFY(ranks[0].counts.rounds > 0, "rounds");
    RC_CLASSIFY(alone.outcome.exited, "a check failed");
    RC_CLASSIFY(alone.outcome.error.has_value(), "a fault");
    for (const test::RankResult& r : ranks) RC_ASSERT(test::difference(alone, r.result) == "");
  }));
}

// On `n` ranks, each of which has `result`: not more than the end of what is written alone.
void same_end(const test::ProgramResult& alone, const std::vector<test::RankResult>& ranks) {
  for (const test::RankResult& r : ranks) {
    test::ProgramResult expected = alone;
    const std::size_t less = alone.written.size() - std::min(alone.written.size(), r.result.written.size());
    expected.written.erase(0, less);
    RC_ASSERT(test::difference(expected, r.result) == "");
  }
}

// From any of the checkpoints that a run has taken, on another number of ranks, with other cuts; or from the
// last one, if there is one, of a run that a rank has broken off.
void goes_on(IntBits bits, bool broken_off) {
  int checkpoints = 0;
  CHECK(rc::check("random programs", [&] {
    const ssa::Module module = random_module(bits);
    vm::Pool pool;
    const vm::Code code = vm::make_code(module, pool);
    const test::ProgramResult alone = test::WritingMachine(code, pool, 1).run(code, 1);
    test::Kept kept(*rc::gen::element(1, 3));
    ranks::Faults faults;
    if (broken_off) {
      faults.what = ranks::Faults::What::kFail;
      faults.call = *rc::gen::inRange(1, 80);
    }
    const int n = *rc::gen::element(1, 2, 3, 5);
    const vm::spmd::Settings settings = any_settings();
    if (broken_off) static_cast<void>(test::run_on_ranks(module, n, settings, &kept, faults));
    const bool is_last = !kept.all().empty();
    RC_CLASSIFY(is_last, "broken off behind one");
    if (!is_last)
      for (const test::RankResult& r : test::run_on_ranks(module, n, settings, &kept))
        RC_ASSERT(test::difference(alone, r.result) == "");
    RC_CLASSIFY(!kept.all().empty(), "a checkpoint");
    if (kept.all().empty()) return;
    const auto which = is_last ? kept.all().size() - 1 : *rc::gen::inRange<std::size_t>(0, kept.all().size());
    test::Kept from(0, kept.all()[which]);
    const int m = *rc::gen::element(1, 2, 3, 8);
    same_end(alone, test::run_on_ranks(module, m, any_settings(), &from));
    RC_ASSERT(from.read_whole());
    ++checkpoints;
  }));
  CHECK(checkpoints > 0);
}

}  // namespace

TEST_CASE("runs go on from checkpoints, on any ranks") { goes_on(IntBits::k64, false); }
TEST_CASE("so with INT of 32 bits, too") { goes_on(IntBits::k32, false); }
TEST_CASE("runs that a rank has broken off go on") { goes_on(IntBits::k64, true); }

TEST_CASE("programs on several ranks keep results, faults and messages") { same_on_ranks(IntBits::k64); }
TEST_CASE("so with INT of 32 bits") { same_on_ranks(IntBits::k32); }

}  // namespace nvm
