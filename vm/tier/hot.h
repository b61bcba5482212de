// When compiling a region pays, and which instructions are not worth recording. Whether a region's kernels
// are better than the primitives is a Choice (vm/data/choice.h).
//
// Work is instructions times elements. When to compile depends on work alone, not on time, so that equal runs
// take equal ways.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vm/data/choice.h"
#include "vm/trace/by_inst.h"

namespace nvm::vm {

struct HotOptions {
  // What compiling costs, as the work that the primitives do meanwhile.
  std::int64_t region_cost = 800'000;
  std::int64_t inst_cost = 60'000;
  // The first compilation of a run comes with the compiler's own code and memory, touched for the first time.
  std::int64_t first_cost = 2'000'000;
  // Where a region's own work is this many times the cost, it is compiled at once: a line of that much work
  // mostly gains more.
  std::int64_t certain = 2;
  // Otherwise the primitives have it once, for many lines never come back; then all compilations together may
  // cost a `share`-th of the work so far, and `grace` for a start.
  std::int64_t share = 50;
  std::int64_t grace = 1'000'000;
};

// Decides on compilations, for all regions of a run.
class Budget {
 public:
  explicit Budget(const HotOptions& options) : options_(options), uncertain_(options.share, options.grace) {}
  // A region of `insts` instructions is about to run with `work`; its work including this is `total`, and
  // `compiled` if that was tried. True: compile it now.
  [[nodiscard]] bool pays(std::int64_t work, std::int64_t total, std::size_t insts, bool compiled);
  // Is `total` work so much that there is no doubt?
  [[nodiscard]] bool certain(std::int64_t total, std::size_t insts) const {
    return total >= options_.certain * cost_of(insts);
  }
  // Something is compiled.
  void begin() { begun_ = true; }

 private:
  [[nodiscard]] std::int64_t cost_of(std::size_t insts) const;

  HotOptions options_;
  Allowance uncertain_;  // for compilations that are not certain to pay
  bool begun_ = false;   // anything was compiled
};

// Instructions at which recording is not begun for a while, by the size of their vectors: of regions that the
// primitives execute anyway.
class Blacklist {
 public:
  void add(const ssa::Inst& inst, std::int64_t elements);
  // Counts the times it is asked: every so often the answer is no, and the region is tried again.
  [[nodiscard]] bool has(const ssa::Inst& inst, std::int64_t elements);
  void clear() { insts_.clear(); }

 private:
  struct Entry {
    std::int64_t elements = 0;  // about
    Backoff<64, 1 << 14> backoff;
    [[nodiscard]] bool is_about(std::int64_t n) const { return elements / 2 <= n && n <= 2 * elements; }
  };
  ByInst<Entry> insts_;
};

}  // namespace nvm::vm
