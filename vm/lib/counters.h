// Counts what a run does; the observer behind --stats and --cost.
#pragma once

#include "vm/interp/observer.h"
#include "vm/lib/nvm.hpp"

namespace nvm::lib {

class Counting final : public vm::Observer {
 public:
  explicit Counting(Counters& counters) : counters_(counters) { see_calls(false); }
  void begin(const ssa::Inst& inst, const vm::Site& site, std::span<const vm::Value> operands) override;
  void end(const ssa::Inst& inst, const vm::Site& site, std::span<const vm::Value> results) override;
  void end_region(std::span<const vm::RecordedWork> recorded, const vm::RegionRun& run) override;

 private:
  Counters& counters_;
};

}  // namespace nvm::lib
