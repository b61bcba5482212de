// How passes change functions: replace values everywhere, rewrite instruction by instruction, drop what is
// left over.
#pragma once

#include <initializer_list>
#include <vector>

#include "bytecode/ssa/ssa.h"

namespace nvm::ssa {

// Which value stands for which. Chains are followed.
class Renaming {
 public:
  explicit Renaming(std::int32_t values);
  void replace(ValueId from, ValueId to);
  [[nodiscard]] ValueId find(ValueId v);
  [[nodiscard]] bool changed() const { return changed_; }

 private:
  std::vector<ValueId> to_;
  bool changed_ = false;
};

// Renames every use in the function.
void rename_uses(Function& function, Renaming& renaming);

// Numbers the values anew in order of their definition, without gaps, and drops unused pool entries. Every
// use must have a definition.
void compact(Function& function);

// Of a function that is not called, what is kept is its signature.
void remove_function(Function& function);

// Removes blocks that cannot be reached; keeps the order.
void drop_unreachable(Function& function);

// Joins a block with its successor where each is the other's only neighbour.
void join_chains(Function& function);

// One walk over all instructions in order, building new lists. visit(in) sees an instruction with its
// operands renamed; it may emit others, and returns true if it replaced all results, so that the instruction
// is dropped. compact() afterwards.
class Rewrite {
 public:
  explicit Rewrite(Function& function);

  template <typename Visit>
  void run(Visit visit) {
    run(visit, [](const Inst&) {});
  }
  // enter(in) may emit at the start of a block; `in` is its first instruction.
  template <typename Visit, typename Enter>
  void run(Visit visit, Enter enter) {
    for (block_ = 0; block_ < f_.blocks.size(); ++block_) {
      std::vector<Inst> old = std::move(f_.blocks[block_].insts);
      f_.blocks[block_].insts.clear();
      if (!old.empty()) enter(static_cast<const Inst&>(old.front()));
      for (Inst& in : old) {
        rename(in);
        if (!visit(static_cast<const Inst&>(in))) keep(in);
      }
      rename(f_.blocks[block_].end);
    }
  }

  [[nodiscard]] BlockId block() const { return static_cast<BlockId>(block_); }
  // The instruction that makes `v` (already visited or emitted), null for a block parameter.
  [[nodiscard]] const Inst* maker(ValueId v) const;
  [[nodiscard]] ValueId operand(const Inst& in, std::uint32_t i) const {
    return f_.operands[in.first_operand + i];
  }
  [[nodiscard]] BlockId block_of(ValueId v) const { return born_[static_cast<std::size_t>(v)].block; }
  void replace(ValueId from, ValueId to) { renaming_.replace(from, to); }
  // Adds an instruction in front of the one being visited, with its position; one result, returned.
  ValueId emit(Op op, TypeWord word, std::initializer_list<ValueId> operands, Type result, const Inst& like,
               std::int32_t index = 0);

 private:
  struct Birth {
    BlockId block = -1;
    std::int32_t inst = -1;
  };
  void rename(Inst& in);
  void rename(Terminator& end);
  void keep(const Inst& in);

  Function& f_;
  Renaming renaming_;
  std::vector<Birth> born_;
  std::size_t block_ = 0;
};

}  // namespace nvm::ssa
