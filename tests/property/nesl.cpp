// NESL programs, compiled and run in every way, give what their text means.
#include <rapidcheck.h>

#include <catch2/catch.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/nesl_generator.h"
#include "vm/lib/nesl.hpp"

namespace nvm {
namespace {

using test::nesl::Function;
using test::nesl::Node;

constexpr std::int64_t kMostSteps = 300000;

// {main(x) : x in [0:instances]}, and main itself as its only function's call outside of any apply-to-each.
struct Sample {
  std::vector<Function> functions;
  std::string text;
  std::string expected;
};

// Nothing for a program that takes too long.
std::optional<Sample> sample(const std::vector<std::uint32_t>& numbers, std::int64_t instances) {
  Sample s;
  s.functions = test::nesl::Generator(test::Choices(numbers)).make();
  for (const Function& f : s.functions) s.text += text(f);
  const test::nesl::Type& result = s.functions.back().body.type;
  const Node three{Node::Kind::kConstant, test::nesl::kInt, {}, {}, {3}};
  const Node once{Node::Kind::kCall, result, {three}, {"main"}};
  try {
    test::nesl::Evaluator evaluator(s.functions, kMostSteps);
    test::nesl::Value all;
    for (std::int64_t i = 0; i < instances; ++i) {
      Node call = once;
      call.kids[0].value.number = i - 2;
      all.parts.push_back(evaluator.eval(call));
    }
    const auto line = [](const test::nesl::Value& value, const test::nesl::Type& type) {
      return "it = " + text(value, type) + "\n";
    };
    s.text += text(once) + " $\n{main(x - 2) : x in [0:" + std::to_string(instances) + "]} $\n";
    s.expected = line(evaluator.eval(once), result) + line(all, test::nesl::seq(result));
  } catch (const test::nesl::TooMuch&) {
    return std::nullopt;
  }
  return s;
}

// Result lines without their types.
std::string run(const std::string& text, const lib::Options& vm) {
  lib::NeslOptions options;
  options.vm = vm;
  options.print_length = 1 << 20;
  std::ostringstream out, err;
  lib::Nesl nesl(options, out, err);
  nesl.run_text(text, "random.nesl");
  std::istringstream lines(out.str());
  std::string result;
  for (std::string line; std::getline(lines, line);) result += line.substr(0, line.find(" : ")) + "\n";
  return result + err.str();
}

void check(std::int64_t instances, int kinds) {
  using Numbers = std::vector<std::uint32_t>;
  const Numbers numbers =
      *rc::gen::resize(600, rc::gen::container<Numbers>(rc::gen::resize(100, rc::gen::inRange(0U, ~0U))));
  const auto program = sample(numbers, instances);
  if (!program) return;
  RC_LOG() << program->text << "expected\n" << program->expected;
  lib::Options eager;
  eager.jit = lib::Jit::kOff;
  eager.block_threshold = 0;
  RC_ASSERT(run(program->text, eager) == program->expected);
  lib::Options compiled = eager;
  compiled.jit = lib::Jit::kAlways;
  RC_ASSERT(run(program->text, compiled) == program->expected);
  if (kinds < 3) return;
  lib::Options groups = eager;
  groups.block_threshold = 2;
  groups.threads = 2;
  RC_ASSERT(run(program->text, groups) == program->expected);
}

}  // namespace

TEST_CASE("random NESL programs give what they mean, interpreted, compiled, and in groups") {
  CHECK(rc::check("few instances", [] { check(5, 3); }));
}

TEST_CASE("random NESL programs on so many instances that vectors are compiled") {
  CHECK(rc::check("many instances", [] { check(4200, 2); }));
}

}  // namespace nvm
