// Which calls are worth recording. For what may be recorded the interpreter leaves no vector delayed
// (docs/delayed-vectors.md), so where kernels do next to nothing of a call, recording it is all loss; and
// where its regions are so small that they may never be compiled, a few calls are enough to see that.
//
// Work is instructions times elements, as in vm/tier/hot.h.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "vm/data/choice.h"
#include "vm/interp/region_hook.h"

namespace nvm::vm {

class CallShares {
 public:
  // Work that kernels have done, that primitives did because kernels are slower or cannot do it, and that
  // they did before that was known.
  void note_kernels(std::int64_t work) { done_.kernels += work; }
  void note_primitives(std::int64_t work) { done_.primitives += work; }
  void note_open(std::int64_t work) {
    done_.open += work;
    ++done_.open_regions;
  }

  // A call on so many elements begins, `depth` deep. What is known is of calls of its function on about as
  // many.
  [[nodiscard]] CallWay begins(ssa::FunctionId function, std::int64_t elements, std::int64_t depth);
  // Those so deep and deeper have ended; the depth of the innermost open one that is watched, or -1.
  std::int64_t ends(std::int64_t depth);

 private:
  struct Work {
    std::int64_t kernels = 0, primitives = 0, open = 0, open_regions = 0;
    void add(const Work& since, const Work& before);
    [[nodiscard]] bool lost() const;
    [[nodiscard]] bool cold() const;
  };
  struct Known {
    Work done;                        // of late
    Backoff<16, 1 << 12> unrecorded;  // calls until one is recorded again
    std::uint32_t passed = 0;         // likewise, if they are cold
  };
  struct Watched {
    Known* known;
    std::int64_t depth;
    Work before;
  };

  Work done_;
  std::unordered_map<std::uint64_t, Known> known_;  // by function and size
  std::vector<Watched> open_;                       // innermost last
};

}  // namespace nvm::vm
