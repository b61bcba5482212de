// What a sink makes: without a cut by its definition, and of parts by interpreting its rule.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bytecode/plan/fission.h"
#include "tests/model/algebra.h"
#include "tests/model/scope.h"

namespace nvm::model {

// Constants of the fixed tree (vm/simd/reduce_tree.h), so small that a few elements make several blocks.
inline constexpr std::size_t kSequential = 2, kBlock = 4, kLanes = 2, kGroup = 2;

// One sink, by itself, and all that it reads. Words of counts, places and lengths are signed numbers.
struct SinkCase {
  plan::SinkKind kind = plan::SinkKind::kStore;
  bool in_tree = false;                               // the fold is one of FLOATs
  const Algebra* algebra = nullptr;                   // of folds
  std::vector<Word> value = {};                       // by iteration; kCount: 0 or 1
  std::optional<std::vector<Word>> kept = {};         // 0 or 1: of the filter
  std::optional<std::vector<std::size_t>> desc = {};  // lengths of segments
  std::vector<Word> index = {};                       // kScatter
  std::vector<Word> init = {};                        // kScatter: defaults; kPartition: by segment
  bool down = false;                                  // kRank
};

// Where the elements of what is made stand: one list for each part. `total`: of kCount and kSegdes. If a
// check fails, only where: the rest means nothing.
struct Made {
  std::vector<std::vector<Word>> parts = {};
  Word total = 0;
  std::optional<std::size_t> failed = {};
  friend bool operator==(const Made&, const Made&) = default;
};

// What a sink makes by its definition.
class Whole {
 public:
  explicit Whole(const SinkCase& c);
  // As the parts should have it. `target` cuts what kScatter and kPartition make.
  [[nodiscard]] Made laid_out(const Cut& cut, const Cut& target) const;

 private:
  const SinkCase& c_;
  std::vector<Word> made_;
  Word total_ = 0;
  std::optional<std::size_t> failed_ = {};
};

// Defects of whoever executes a rule.
enum class Defect : std::uint8_t {
  kNoDefect,
  kDropsRecord,  // a part begins as if nothing were before it
  kDropsBlock,   // of the record it drops the state of the tree's block only
  kPlaceOff,     // a part that goes on takes its place one too high
  kNumberOff,    // a part takes the number of its first segment one too high
  kReversed,     // what the parts have is joined in the opposite order
  kOwnFirst,     // a part writes its own elements first, then what it receives
};
inline constexpr Defect kDefects[] = {Defect::kDropsRecord, Defect::kDropsBlock, Defect::kPlaceOff,
                                      Defect::kNumberOff,   Defect::kReversed,   Defect::kOwnFirst};

// By the rule, part by part.
[[nodiscard]] Made made_by_parts(const SinkCase& c, const plan::SinkRule& rule, const Cut& cut,
                                 const Cut& target, Defect defect = Defect::kNoDefect);

}  // namespace nvm::model
