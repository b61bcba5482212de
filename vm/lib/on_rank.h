// A run as one rank of several: what it computes with the others, and what comes to it from outside, which
// rank 0 sees and tells.
#pragma once

#include <atomic>
#include <optional>

#include "vm/block/block_mode.h"
#include "vm/interp/machine.h"
#include "vm/interp/world.h"
#include "vm/lib/nvm.hpp"
#include "vm/ranks/rounds.h"
#include "vm/spmd/exchange.h"

namespace nvm::lib {

// A place among the ranks, and how the last run on it ended.
struct Seat {
  ranks::Ranks* carrier = nullptr;
  ranks::Waiting waiting = {};
  bool broken = false;  // by others
  bool alone = false;   // with something that the others do not know
};

class OnRank final : public vm::World {
 public:
  // All must outlive it; `outside` may be null.
  OnRank(Seat& seat, const ssa::Module& module, const std::atomic<vm::Stop>* stop, vm::World* outside)
      : seat_(seat),
        outside_(outside),
        exchange_(*seat.carrier, module, stop, seat.waiting),
        before_(seat.carrier->counts()) {}

  // Runs the entry function. What a rank can finish alone, `machine` does, with block mode if there is any.
  [[nodiscard]] vm::Outcome run(const vm::Code& code, const vm::Machine& machine,
                                std::span<const vm::Value> inputs, const Options& options,
                                vm::block::BlockMode* blocks);
  // However the run was executed.
  void end(vm::Outcome& outcome);
  void report(Counters& counters) const;

  [[nodiscard]] bool plays() const override;
  std::optional<std::string> read_file(const std::string& path, const Reader& outside) override;
  bool play(Op op, vm::Pool& pool, std::span<vm::Value> results) override;
  [[nodiscard]] bool ended() const override;
  void note(Op op, std::span<const vm::Value> results) override;
  [[nodiscard]] bool sees_output() const override { return true; }

 private:
  void tell(std::span<const vm::Value> results);

  Seat& seat_;
  vm::World* outside_;
  vm::spmd::Exchange exchange_;
  ranks::Counts before_;  // of the carrier, which may have had other runs
  double largest_share_ = 1;
  std::int64_t dealt_out_ = 0;
};

}  // namespace nvm::lib
