#include "bytecode/ssa/checksum.h"

#include <bit>
#include <span>
#include <type_traits>

#include "bytecode/base/hash.h"

namespace nvm::ssa {

namespace {

class Sum {
 public:
  template <typename T>
  void add(T number) {
    if constexpr (std::is_floating_point_v<T>)
      hash_ = hash_step(std::bit_cast<std::uint64_t>(number), hash_);
    else
      hash_ = hash_step(static_cast<std::uint64_t>(number), hash_);
  }
  // With its length, so that what follows is not taken for a part of it.
  template <typename Range>
  void add_all(const Range& numbers) {
    add(numbers.size());
    for (const auto number : numbers) add(number);
  }
  void add(const Function& f, const Inst& inst) {
    add(inst.op);
    add(inst.word);
    add(inst.index);
    add_all(std::span(f.operands_of(inst), inst.operands));
    add(inst.first_result);
    add(inst.results);
  }
  void add(const Terminator& end) {
    add(end.kind);
    add(end.condition);
    add(end.target);
    add(end.otherwise);
    add_all(end.arguments);
  }
  void add(const Function& f) {
    add_all(f.value_types);
    add(f.blocks.size());
    for (const Block& block : f.blocks) {
      add_all(block.parameters);
      add(block.insts.size());
      for (const Inst& inst : block.insts) add(f, inst);
      add(block.end);
    }
  }
  void add(const Constant& c) {
    add(c.word);
    add(c.input);
    add_all(c.ints);
    add_all(c.floats);
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = kHashStart;
};

}  // namespace

std::uint64_t checksum(const Module& module) {
  Sum sum;
  sum.add(module.int_bits);
  sum.add(module.entry);
  sum.add(module.functions.size());
  for (const Function& f : module.functions) sum.add(f);
  sum.add(module.constants.size());
  for (const Constant& c : module.constants) sum.add(c);
  return sum.value();
}

}  // namespace nvm::ssa
