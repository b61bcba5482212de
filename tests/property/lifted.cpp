// What find_lifted proves holds when run: the results for instances cut into two groups, joined, are those
// for all instances, unless a group faults.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bytecode/ssa/passes.h"
#include "bytecode/text/reader.h"
#include "bytecode/verify/verify.h"
#include "tests/support/bare_machine.h"
#include "tests/support/lifted_arguments.h"
#include "tests/support/lifted_programs.h"
#include "tests/support/nesl_module.h"
#include "tests/support/nesl_recursions.h"
#include "tests/support/random_module.h"
#include "vm/interp/interp.h"
#include "vm/interp/text_io.h"

namespace nvm {
namespace {

using test::Column;

// Instances first .. last-1 of them.
std::vector<Column> cut(const ssa::Function& f, const std::vector<Column>& all, std::int64_t first,
                        std::int64_t last) {
  const auto& splits = f.lifted.parameters;
  std::vector<Column> part = all;
  auto range_of = [&](auto self, std::size_t i) -> std::pair<std::int64_t, std::int64_t> {
    if (splits[i].kind != ssa::Split::Kind::kUnder) return {first, last};
    const auto under = static_cast<std::size_t>(splits[i].under);
    const auto [from, to] = self(self, under);
    std::int64_t begin = 0, end = 0;
    for (std::int64_t k = 0; k < to; ++k) {
      if (k < from) begin += all[under][static_cast<std::size_t>(k)];
      end += all[under][static_cast<std::size_t>(k)];
    }
    return {begin, end};
  };
  for (std::size_t i = 0; i < splits.size(); ++i) {
    if (splits[i].kind == ssa::Split::Kind::kSame) continue;
    if (splits[i].kind == ssa::Split::Kind::kFrame) {
      part[i] = {last - first};
      continue;
    }
    const auto [from, to] = range_of(range_of, i);
    part[i].assign(all[i].begin() + from, all[i].begin() + to);
  }
  return part;
}

// The results, each as its printed elements; nothing if the run faults.
std::optional<std::vector<std::string>> run(const ssa::Module& module, ssa::FunctionId id,
                                            const std::vector<Column>& columns) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  test::BareMachine bare(module, 200);
  const vm::Outcome outcome =
      vm::Interp(bare.code, bare.machine).call(id, test::lifted_arguments(bare.pool, f, columns));
  if (outcome.error) return std::nullopt;
  std::vector<std::string> results;
  for (const vm::Value& v : outcome.values) {
    std::string text;
    vm::append_value(text, v);
    results.push_back(text.substr(1, text.size() - 4));  // without "(" and " )\n"
  }
  return results;
}

void groups_join(const ssa::Module& module, ssa::FunctionId id, test::Choices choices) {
  const ssa::Function& f = module.functions[static_cast<std::size_t>(id)];
  const auto instances = static_cast<std::int64_t>(choices.below(7));
  const std::vector<Column> all = test::lifted_columns(f, instances, choices);
  const auto middle = static_cast<std::int64_t>(choices.below(static_cast<std::size_t>(instances) + 1));
  const auto first = run(module, id, cut(f, all, 0, middle));
  const auto second = run(module, id, cut(f, all, middle, instances));
  if (!first || !second) return;
  const auto whole = run(module, id, all);
  RC_LOG() << ssa::print(module, f);
  RC_ASSERT(whole.has_value());
  for (std::size_t r = 0; r < whole->size(); ++r) RC_ASSERT((*whole)[r] == (*first)[r] + (*second)[r]);
}

}  // namespace

TEST_CASE("the lifted factorial is found, and its groups join") {
  Diagnostics diagnostics("factorial", test::kFactorial);
  const Program program = read_vcode(test::kFactorial, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(!diagnostics.failed());
  const VerifyResult verified = verify(program, diagnostics);
  INFO(diagnostics.render());
  REQUIRE(verified.verdict == Verdict::kOk);
  ssa::Module module = ssa::lower(program, verified.verified, IntBits::k64);
  ssa::optimise(module, true);
  ssa::FunctionId id = 0;
  while (module.functions[static_cast<std::size_t>(id)].name != "FACT") ++id;
  INFO(module.functions[static_cast<std::size_t>(id)].lifted.refusal);
  REQUIRE(module.functions[static_cast<std::size_t>(id)].lifted.lifted);
  CHECK(rc::check("factorial", [&] { groups_join(module, id, test::Choices(test::long_list())); }));
}

TEST_CASE("recursive NESL functions are lifted, and their groups join") {
  for (const test::Recursion& recursion : test::nesl_recursions()) {
    INFO(recursion.name);
    const ssa::Module module = test::nesl_module(recursion.text);
    bool any = false;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      const ssa::Function& f = module.functions[i];
      if (f.removed || static_cast<ssa::FunctionId>(i) == module.entry) continue;
      any = true;
      INFO(f.name << ": " << f.lifted.refusal);
      CHECK(f.lifted.lifted);
      if (f.lifted.lifted)
        CHECK(rc::check(recursion.name, [&] {
          groups_join(module, static_cast<ssa::FunctionId>(i), test::Choices(test::long_list()));
        }));
    }
    CHECK(any);
  }
}

TEST_CASE("groups join for every random function that is found to be lifted") {
  CHECK(rc::check("random lifted functions", [] {
    const ssa::Module module = test::random_module();
    bool any = false;
    for (std::size_t i = 0; i < module.functions.size(); ++i) {
      if (!module.functions[i].lifted.lifted) continue;
      any = true;
      groups_join(module, static_cast<ssa::FunctionId>(i), test::Choices(test::long_list()));
    }
    RC_CLASSIFY(any, "lifted");
  }));
}

}  // namespace nvm
