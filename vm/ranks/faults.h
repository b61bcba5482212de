// A carrier around another that has the network one wishes, and fails when one wishes: for tests, and for
// predicting what many ranks on a slow network would do.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "vm/ranks/ranks.h"

namespace nvm::ranks {

struct Faults {
  // A round takes at least latency * ceil(log2 of the ranks) + seconds_a_byte * bytes that this rank sends,
  // give or take up to a share `jitter` of it.
  double latency = 0;
  double seconds_a_byte = 0;
  double jitter = 0;

  // What happens at a call, the first being 1: a start, the first question of a round whether it is done, a
  // split, the closing. kStop: the process stops, as by SIGSTOP; kKill: it is killed.
  enum class What : std::uint8_t { kNothing, kDelay, kFail, kStop, kKill };
  What what = What::kNothing;
  std::int64_t call = 1;
  double seconds = 0;  // of kDelay
  int rank = 0;        // where

  // In place of the signals, for ranks that are threads.
  std::function<void(Ranks&)> act;

  // From words such as "latency=0.001 rank=1 call=7 do=kill"; none if there is one that it does not know.
  [[nodiscard]] static std::optional<Faults> read(std::string_view words);
};

// Those of a split have the same network, and no faults.
[[nodiscard]] std::unique_ptr<Ranks> with_faults(std::unique_ptr<Ranks> ranks, const Faults& faults,
                                                 std::int64_t* calls = nullptr);

}  // namespace nvm::ranks
