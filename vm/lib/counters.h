// Counts what a run does: instructions by a tally, regions as an observer; behind --stats and --cost.
#pragma once

#include <vector>

#include "vm/data/fast_paths.h"
#include "vm/interp/observer.h"
#include "vm/interp/work.h"
#include "vm/lib/nvm.hpp"

namespace nvm::lib {

using FastPathRows = decltype(Counters::fast_paths);
// Those that were taken, in the order of vm/data/fast_paths.def.
[[nodiscard]] FastPathRows named(const vm::FastPathCounts& counts);
[[nodiscard]] FastPathRows sum(const FastPathRows& a, const FastPathRows& b);

// Those of another run, device by device.
void add_devices(Counters& to, const Counters& more);

class Counting final : public vm::Observer {
 public:
  // Bytes are counted only if they are wanted.
  Counting(Counters& counters, bool bytes) : Observer(false), counters_(counters) {
    see_calls(false);
    see_work(false);  // the tally has it
    tally_.counts_bytes = bytes;
  }
  // Where an interpreter is to count what it executes; the regions' is added to it.
  [[nodiscard]] vm::Tally& tally() { return tally_; }
  void end_run() override;
  void end_region(std::span<const vm::RecordedWork> recorded, const vm::RegionRun& run) override;

 private:
  Counters& counters_;
  vm::Tally tally_;
};

}  // namespace nvm::lib
