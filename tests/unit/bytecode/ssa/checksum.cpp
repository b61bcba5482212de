#include "bytecode/ssa/checksum.h"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <utility>

using namespace nvm;

namespace {

// Two constants, and an instruction on them.
ssa::Module module_of(Op op, std::int64_t x, std::initializer_list<ssa::ValueId> operands) {
  ssa::Module m;
  m.constants = {{TypeWord::kInt, {x}, {}, -1, false}, {TypeWord::kInt, {7}, {}, -1, false}};
  ssa::Function f;
  f.name = "MAIN";
  f.value_types.assign(3, Type::kInt);
  f.results = {Type::kInt};
  f.operands = operands;
  ssa::Block block;
  for (const int c : {0, 1}) {
    ssa::Inst constant;
    constant.word = TypeWord::kInt;
    constant.index = c;
    constant.results = 1;
    constant.first_result = c;
    block.insts.push_back(constant);
  }
  ssa::Inst inst;
  inst.op = op;
  inst.word = TypeWord::kInt;
  inst.operands = 2;
  inst.results = 1;
  inst.first_result = 2;
  block.insts.push_back(inst);
  block.end.arguments = {2};
  f.blocks.push_back(std::move(block));
  m.functions.push_back(std::move(f));
  return m;
}

}  // namespace

TEST_CASE("the checksum of code follows what is executed, not how it is named", "[ssa]") {
  const ssa::Module code = module_of(Op::kSub, 3, {0, 1});
  const std::uint64_t sum = ssa::checksum(code);
  CHECK(ssa::checksum(module_of(Op::kSub, 3, {0, 1})) == sum);
  CHECK(ssa::checksum(module_of(Op::kAdd, 3, {0, 1})) != sum);
  CHECK(ssa::checksum(module_of(Op::kSub, 4, {0, 1})) != sum);
  CHECK(ssa::checksum(module_of(Op::kSub, 3, {1, 0})) != sum);
  ssa::Module other = code;
  other.functions[0].name = "OTHER";
  other.functions[0].blocks[0].insts[2].pos.line = 9;
  CHECK(ssa::checksum(other) == sum);
  other.functions[0].blocks[0].end.arguments = {1};
  CHECK(ssa::checksum(other) != sum);
  other = code;
  other.int_bits = IntBits::k32;
  CHECK(ssa::checksum(other) != sum);
}
