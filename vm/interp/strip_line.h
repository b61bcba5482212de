// Elementwise instructions on long vectors wait for those that follow, and are executed as one strip loop
// (vm/prims/chain.h): what joins, what may pass meanwhile, and where the results go.
#pragma once

#include <vector>

#include "vm/interp/room.h"
#include "vm/prims/chain.h"

namespace nvm::vm {

class StripLine : private Room {
 public:
  explicit StripLine(const Room& shared) : Room(shared) {}

  [[nodiscard]] bool begins(const Step& step) const;
  void start(const Step& step);
  [[nodiscard]] bool empty() const { return chain_.empty(); }
  [[nodiscard]] bool full() const { return chain_.full(); }
  // True: the instruction waits.
  [[nodiscard]] bool join(const Step& step) {
    return join_map(step) || join_dist(step) || join_reduction(step);
  }
  // May it be executed while the line waits?
  [[nodiscard]] bool passes(const Step& step) const;
  // Executes what waits.
  void finish();
  void drop();

 private:
  [[nodiscard]] bool goes_alone(const Step& step) const;
  [[nodiscard]] bool join_map(const Step& step);
  [[nodiscard]] bool join_dist(const Step& step);
  [[nodiscard]] bool join_reduction(const Step& step);
  void await(const Step& step, std::int32_t made);
  [[nodiscard]] std::int32_t waiting(Operand operand) const;

  Chain chain_;
  std::vector<std::int32_t> slots_;    // by instruction of chain_: the slot of its result, or -1
  std::vector<std::int32_t> waiting_;  // by slot: the instruction whose result it is to hold, or -1
  const Step* joined_ = nullptr;       // the last
};

}  // namespace nvm::vm
