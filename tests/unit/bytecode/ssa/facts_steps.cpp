// What the analyses of facts cost, counted: instructions and blocks looked at, as a multiple of the code.
#include <catch2/catch.hpp>

#include "bytecode/ssa/facts_internal.h"

using namespace nvm;

namespace {

void call(ssa::Function& f, ssa::FunctionId callee, ssa::ValueId argument, ssa::ValueId result) {
  ssa::Inst in;
  in.op = Op::kCall;
  in.index = callee;
  in.first_operand = static_cast<std::uint32_t>(f.operands.size());
  in.operands = in.results = 1;
  in.first_result = result;
  f.operands.push_back(argument);
  f.blocks[0].insts.push_back(in);
}

// MAIN calls f1 with a constant, each function the next one twice, the last one nothing.
ssa::Module chain(int functions) {
  ssa::Module m;
  m.constants = {{TypeWord::kInt, {7}, {}, -1, false}};
  for (int i = 0; i < functions; ++i) {
    ssa::Function f;
    f.name = "F" + std::to_string(i);
    f.results = {Type::kInt};
    f.blocks.emplace_back();
    f.value_types.assign(3, Type::kInt);
    if (i > 0) {
      f.blocks[0].parameters = {0};
    } else {
      ssa::Inst constant;
      constant.word = TypeWord::kInt;
      constant.results = 1;
      constant.first_result = 0;
      f.blocks[0].insts.push_back(constant);
    }
    const bool last = i + 1 == functions;
    if (last)
      f.value_types.resize(1);
    else
      for (const ssa::ValueId v : {0, 1}) call(f, i + 1, v, v + 1);
    f.blocks[0].end.arguments = {last ? 0 : 2};
    m.functions.push_back(std::move(f));
  }
  return m;
}

std::size_t size_of(const ssa::Module& m) {
  std::size_t n = 0;
  for (const ssa::Function& f : m.functions)
    for (const ssa::Block& block : f.blocks) n += 1 + block.insts.size();
  return n;
}

std::size_t steps_of(const ssa::Module& m) {
  const std::vector<ssa::ParameterClasses> most;
  const std::vector<bool> granted;
  ssa::SizeAnalysis analysis(m, most, granted);
  analysis.run();
  const std::vector<ssa::FunctionFacts> facts = analysis.take_facts();
  for (std::size_t i = 0; i + 1 < facts.size(); ++i) {
    // The constant arrives at the end of the chain, and comes back.
    const ssa::Symbol last = facts[i].of(2).sum;
    REQUIRE(facts[i].symbols.is_constant(last));
    REQUIRE(facts[i].symbols.value(last) == 7);
  }
  return analysis.steps();
}

}  // namespace

TEST_CASE("functions that call each other in a chain are looked at once", "[ssa][facts]") {
  for (const int n : {1, 2, 100, 400}) CHECK(steps_of(chain(n)) == size_of(chain(n)));
}

TEST_CASE("a chain that is longer than what is kept at once costs a few looks", "[ssa][facts]") {
  for (const int n : {600, 5000, 10000}) CHECK(steps_of(chain(n)) <= 3 * size_of(chain(n)));
}
