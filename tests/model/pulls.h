// What a pull yields: in a whole space by its definition, and in parts by interpreting its rule.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bytecode/plan/fission.h"
#include "tests/model/algebra.h"
#include "tests/model/scope.h"

namespace nvm::model {

// One pull, by itself, and all that it reads.
struct PullCase {
  soac::Pull pull = soac::Pull::kConst;
  std::size_t n = 0;                                  // iterations
  std::vector<Word> var = {};                         // the vector
  std::optional<std::vector<std::size_t>> desc = {};  // segments over the space
  std::vector<std::size_t> desc2 = {};                // segments over var, or over what is written
  std::vector<std::int64_t> arg = {};                 // by iteration: what kApply, kCheck and indices take
  std::vector<bool> wanted = {};                      // where a gather happens; empty: everywhere
};

// By iteration; if a check fails, only where. `missed`: something was asked for that was not there.
struct Yield {
  std::vector<Word> values = {};
  std::optional<std::size_t> failed = {};
  bool missed = false;
  std::size_t given = 0;  // elements of var, in all parts
};

[[nodiscard]] Yield yield_whole(const PullCase& c);

// Defects of whoever brings what a part needs, or joins failures.
enum class PullDefect : std::uint8_t {
  kNoDefect,
  kBeginOff,      // a is one too high
  kShifted,       // a view of a vector begins one too late
  kNumberOff,     // the number of the first segment is one too high
  kPlaceOff,      // so is the place of a in it
  kDropsRecord,   // a scan begins anew
  kLocalFailure,  // a failure counts from a
  kLastFailure,   // the last part's counts
};
inline constexpr PullDefect kPullDefects[] = {
    PullDefect::kBeginOff,    PullDefect::kShifted,      PullDefect::kNumberOff,  PullDefect::kPlaceOff,
    PullDefect::kDropsRecord, PullDefect::kLocalFailure, PullDefect::kLastFailure};

[[nodiscard]] Yield yield_by_parts(const PullCase& c, plan::Need need, const Cut& cut,
                                   PullDefect defect = PullDefect::kNoDefect);

}  // namespace nvm::model
