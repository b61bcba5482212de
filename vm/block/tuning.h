// Whether cutting pays, by function and size of its instances: measured once, remembered between runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "bytecode/base/disk_cache.h"
#include "bytecode/ssa/ssa.h"
#include "vm/block/timings.h"

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
  // One measurement of the same work both ways, a part of a call. What can not be written is lost, quietly.
  void learn(ssa::FunctionId function, std::int64_t average, double cut_seconds, double whole_seconds,
             Reach reach = Reach::kCached);

  // Calls that are too small for a part of them to tell are made whole, one way or the other, while it is
  // not known what pays at their size: the way to make the next one, and how long it took for each byte. When
  // they can be compared, that is learned.
  [[nodiscard]] Way next(ssa::FunctionId function, std::int64_t average);
  void note(ssa::FunctionId function, std::int64_t average, Way way, double seconds_per_byte);

  struct Measured {
    ssa::FunctionId function = 0;
    std::int64_t average = 0;
    double cut_seconds = 0, whole_seconds = 0;
  };
  // By this object, in order.
  [[nodiscard]] const std::vector<Measured>& measured() const { return measured_; }

 private:
  struct Known {
    bool read = false;
    int pays = -1;                 // largest class of sizes
    int loses = 64;                // smallest class of sizes, above `pays`
    int clear = 0;                 // 1 if the last measurement was clear
    std::map<int, Timings> tried;  // of whole calls, by class of sizes
  };
  Known& known(ssa::FunctionId function, Reach reach);
  void keep(ssa::FunctionId function, Reach reach) const;
  [[nodiscard]] std::string key(ssa::FunctionId function, Reach reach) const;

  const ssa::Module& module_;
  std::string setting_;
  const DiskCache* cache_;
  bool afresh_;
  std::vector<Known> known_[2];  // by Reach and function
  std::vector<Measured> measured_;
};

}  // namespace nvm::vm::block
