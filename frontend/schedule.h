// When the statements of flat code are executed. A statement of one result that is used once is executed
// where it is used, so that vectors live shortly and operands appear on top of a stack in order; a small
// constant is made anew at every use; all others are executed where they stand.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "frontend/flat.h"

namespace nvm::frontend::flat {

class Schedule {
 public:
  Schedule(const Program& program, const Function& function);

  // The statements of a block in the order of their execution. Before one of them, what it has for arguments
  // is made, from the first on; and before the block ends, what it yields.
  [[nodiscard]] const std::vector<const Stmt*>& of(const Block& block) const { return blocks_.at(&block); }
  // The statement that is executed where its result is used; null for all other values.
  [[nodiscard]] const Stmt* at_use(Atom atom) const { return at_use_[static_cast<std::size_t>(atom)]; }
  // The constant that is made at every use; -1 for all other values.
  [[nodiscard]] std::int32_t at_uses(Atom atom) const { return at_uses_[static_cast<std::size_t>(atom)]; }

 private:
  void count_uses(const Block& block);
  void used(Atom atom, const Block& block);
  void order(const Block& block);
  [[nodiscard]] bool is_small_constant(const Stmt& stmt) const;
  [[nodiscard]] bool may_wait(const Stmt& stmt, const Block& block) const;
  bool wait(const Stmt& stmt);
  void make(const Atoms& args);

  const Program& program_;
  std::unordered_map<const Block*, std::vector<const Stmt*>> blocks_;
  std::vector<const Stmt*> at_use_;
  std::vector<std::int32_t> at_uses_;
  struct Use {
    int count = 0;
    const Block* block = nullptr;  // the last of them; not one around it
  };
  std::vector<Use> uses_;
  // Of what waits for its use: how many statements wait for one another up to it. 0 of other values.
  std::vector<int> waiting_;
};

}  // namespace nvm::frontend::flat
