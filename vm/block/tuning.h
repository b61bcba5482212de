// Whether cutting pays, by function and size of its instances: measured once, remembered between runs. The
// candidate is groups, the baseline kernel mode.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bytecode/base/disk_cache.h"
#include "bytecode/ssa/ssa.h"
#include "vm/data/choice.h"

namespace nvm::vm::block {

class Tuning {
 public:
  enum class Verdict : std::uint8_t { kUnknown, kPays, kLoses };
  // Whether the arguments of a whole call lie in a cache. Those that stream through memory gain more by
  // groups, so each kind is measured for itself.
  enum class Reach : std::uint8_t { kCached, kStreams };

  // `setting` says what else decides, such as the number of threads. `cache` may be null: then nothing
  // outlives this; `afresh`: what it has is not believed, only replaced. All must outlive this.
  Tuning(const ssa::Module& module, std::string setting, const DiskCache* cache, bool afresh);

  // For instances with so many bytes of arguments on average. Small ones gain more: what pays at one size
  // pays below it, what loses at one loses above.
  [[nodiscard]] Verdict of(ssa::FunctionId function, std::int64_t average, Reach reach = Reach::kCached);
  // Was it much faster whenever it was measured? Then sizes that cannot be tried may be believed to gain.
  [[nodiscard]] bool clear(ssa::FunctionId function);
  // The ways as far as they were timed while that is not known: on parts of calls, or, where these are too
  // small to tell, on calls that are made whole, one way or the other.
  [[nodiscard]] Choice tried(ssa::FunctionId function, std::int64_t average, Reach reach = Reach::kCached);
  // `bytes` of a call took `seconds`. What can not be written is lost, quietly.
  void note(ssa::FunctionId function, std::int64_t average, Way way, double seconds, std::int64_t bytes,
            Reach reach = Reach::kCached);
  // Both ways, of the same.
  void note(ssa::FunctionId function, std::int64_t average, double whole_seconds, double cut_seconds,
            std::int64_t bytes, Reach reach = Reach::kCached);

  struct Measured {
    ssa::FunctionId function = 0;
    std::int64_t average = 0;
    double cut_seconds = 0, whole_seconds = 0;  // of what was timed last
  };
  // By this object, in order.
  [[nodiscard]] const std::vector<Measured>& measured() const { return measured_; }

 private:
  struct Known {
    bool read = false;
    int pays = -1;                // largest class of sizes
    int loses = 64;               // smallest class of sizes, above `pays`
    int clear = 0;                // 1 if the last measurement was clear
    std::map<int, Choice> tried;  // by class of sizes
    std::string key;              // in the cache, once it is needed
  };
  Known& known(ssa::FunctionId function, Reach reach);
  // When the ways can be compared, that is learned.
  void settle(ssa::FunctionId function, std::int64_t average, std::int64_t bytes, Reach reach);
  static void learn(Known& k, int size, const Choice& settled, Reach reach);
  void keep(ssa::FunctionId function, Reach reach);
  [[nodiscard]] const std::string& key(ssa::FunctionId function, Reach reach);

  const ssa::Module& module_;
  std::string setting_;
  const DiskCache* cache_;
  bool afresh_;
  std::vector<Known> known_[2];  // by Reach and function
  std::vector<Measured> measured_;
};

// A part of a large call, made both ways beside the call: how large, and how often. All of it takes at most a
// tenth of the work of the call, counted in bytes at the faster way's speed as far as that is known.
class PartTrial {
 public:
  // Of a call with `bytes` of arguments that is cut into `groups`.
  PartTrial(std::int64_t bytes, std::int64_t groups, int threads);
  // Groups of the part.
  [[nodiscard]] std::int64_t groups() const { return part_; }
  // Its bytes, about.
  [[nodiscard]] std::int64_t bytes() const { return part_ * each_; }
  // May it, and `more` groups, be made both ways once more? Then they are.
  [[nodiscard]] bool begin(const Choice& tried, std::int64_t more = 0);

 private:
  std::int64_t each_, part_;
  Allowance allowance_;
};

// Small steps of loops, within a factor of two in instances and bytes, are made as usual at first; if there
// are many, both ways in turn, then as was faster. Only this run remembers.
class StepTuning {
 public:
  struct Kind {
    Kind(ssa::FunctionId f, std::int64_t count, std::int64_t size);
    friend auto operator<=>(const Kind&, const Kind&) = default;
    ssa::FunctionId function;
    int instances, bytes;
  };
  // Counts a call. Have there been too few to begin trying?
  [[nodiscard]] bool waits(const Kind& kind) { return known_[kind].seen++ < kPatience; }
  [[nodiscard]] Choice& choice(const Kind& kind) { return known_[kind].choice; }

 private:
  static constexpr std::int64_t kPatience = 32;
  struct Known {
    Choice choice;
    std::int64_t seen = 0;
  };
  std::map<Kind, Known> known_;
};

}  // namespace nvm::vm::block
