// When compiling a region pays, and whether its kernels are better than the primitives.
//
// Work is instructions times elements. When to compile depends on work alone, not on time, so that equal runs
// take equal ways.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

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
  explicit Budget(const HotOptions& options) : options_(options) {}
  // A region of `insts` instructions is about to run with `work`; its work including this is `total`, and
  // `compiled` if that was tried. True: compile it now.
  [[nodiscard]] bool pays(std::int64_t work, std::int64_t total, std::size_t insts, bool compiled);

 private:
  [[nodiscard]] std::int64_t cost_of(std::size_t insts) const;

  HotOptions options_;
  std::int64_t work_ = 0;   // of all regions
  std::int64_t spent_ = 0;  // on compilations that were not certain to pay
  bool begun_ = false;      // anything was compiled
};

// Times runs of one region both ways and settles on the better one, for each order of magnitude of work: how
// primitives and kernels compare depends on the cache that the vectors fit in.
class Contest {
 public:
  // Whether kernels should execute the next run.
  [[nodiscard]] bool kernels(std::int64_t work) const;
  // Whether the kernels have lost for some amount of work.
  [[nodiscard]] bool lost() const;
  void note(std::int64_t work, double nanoseconds, bool by_kernels);
  // A run of the primitives when there were no kernels yet; perhaps the first, so it decides nothing alone.
  void note_before(std::int64_t work, double nanoseconds);
  // Both ways have been timed for this amount of work, and the primitives take less than the kernels and
  // `overhead` nanoseconds of recording, which are not small beside that.
  [[nodiscard]] bool hopeless(std::int64_t work, double overhead) const;

 private:
  static constexpr std::uint32_t kFirst = 3;   // runs
  static constexpr std::uint32_t kBeaten = 2;  // runs, of kernels that take kClose times as long
  static constexpr double kClose = 1.5;        // times

  struct Class {
    double kernels = 0.0;     // best nanoseconds per unit of work seen
    double primitives = 0.0;  // likewise
    double before = 0.0;      // likewise, of the primitives before kernels were compiled
    std::uint32_t kernel_runs = 0, primitive_runs = 0;
    // The primitives were faster by far before anything was compiled.
    [[nodiscard]] bool beaten() const { return before > 0 && kernels > kClose * before; }
    // Runs after which kernels have shown what they can.
    [[nodiscard]] std::uint32_t enough() const { return beaten() ? kBeaten : kFirst; }
    // Of the kernels; equal is good enough. Both have run.
    [[nodiscard]] bool wins() const { return kernels * 0.97 < primitives; }
  };
  static constexpr std::size_t kClasses = 16;
  static std::size_t class_of(std::int64_t work);
  std::array<Class, kClasses> classes_{};
};

// Instructions at which recording is not begun for a while, by the size of their vectors: of regions that the
// primitives execute anyway.
class Shunned {
 public:
  void add(const ssa::Inst& inst, std::int64_t elements);
  // Counts the times it is asked: every so often the answer is no, and the region is tried again.
  [[nodiscard]] bool has(const ssa::Inst& inst, std::int64_t elements);
  void clear() { insts_.clear(); }

 private:
  struct Entry {
    std::int64_t elements = 0;  // about
    std::uint32_t left = 0, period = 0;
  };
  ByInst<Entry> insts_;
};

}  // namespace nvm::vm
