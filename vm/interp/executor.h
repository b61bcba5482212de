// Executes one instruction that makes values, in the first of its ways that applies: as a view, for a level
// that waits, with others of its group, by whoever records, by its primitive; and counts what it costs.
#pragma once

#include <span>

#include "vm/interp/combined.h"
#include "vm/interp/pending_call.h"
#include "vm/interp/pulls.h"
#include "vm/interp/strided_places.h"

namespace nvm::vm {

class Executor : private Room {
 public:
  struct Rooms {
    StridedPlaces& strided;
    Pulls& pulls;
    Combined& combined;
    PendingCall& pending;
  };
  Executor(const Room& shared, const Rooms& rooms)
      : Room(shared),
        strided_(rooms.strided),
        pulls_(rooms.pulls),
        combined_(rooms.combined),
        pending_(rooms.pending) {}

  // Counts also what is moved, if somebody asks.
  void primitive(const Step& step) {
    if ((step.leaves_pull || step.takes_pull) && views_.combines && !(step.pending && pending_.open_here()) &&
        pulls_.take(step))
      return;
    if (accounts_.counts_moved() && machine_.hook == nullptr) [[unlikely]]
      return perform_counted(step);
    perform(step);
  }
  void host(const Step& step);
  void pair(const Step& step);
  void unpair(const Step& step);

 private:
  void perform(const Step& step);
  void perform_counted(const Step& step);
  [[nodiscard]] bool count_plain(const Step& step);
  void execute(const Step& step, std::span<Value> operands, std::span<Value> results);
  void execute_here(const Step& step, std::span<Value> operands, std::span<Value> results);
  void execute_counted(const Step& step, std::span<Value> operands, std::span<Value> results);

  StridedPlaces& strided_;
  Pulls& pulls_;
  Combined& combined_;
  PendingCall& pending_;
};

}  // namespace nvm::vm
