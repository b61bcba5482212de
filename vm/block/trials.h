// Small steps of loops are made as usual at first; if there are many, both ways in turn, some times each, and
// then as was faster: nothing is computed for the measurement alone, and it is a small part of all.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>

#include "bytecode/ssa/ssa.h"
#include "vm/block/timings.h"

namespace nvm::vm::block {

class Trials {
 public:
  // Calls within a factor of two in instances and bytes are of one kind.
  struct Kind {
    Kind(ssa::FunctionId f, std::int64_t count, std::int64_t size)
        : function(f), instances(class_of(count)), bytes(class_of(size)) {}
    friend auto operator<=>(const Kind&, const Kind&) = default;
    ssa::FunctionId function;
    int instances, bytes;

   private:
    static int class_of(std::int64_t n) {
      return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 0))));
    }
  };

  // Counts a call. Have there been too few to begin trying?
  [[nodiscard]] bool waits(const Kind& kind) { return of(kind).seen++ < kPatience; }
  [[nodiscard]] Timings& timings(const Kind& kind) { return of(kind).timings; }

 private:
  static constexpr std::int64_t kPatience = 32;
  struct Known {
    Timings timings;  // seconds for each byte
    std::int64_t seen = 0;
  };
  Known& of(const Kind& kind) { return known_[kind]; }

  std::map<Kind, Known> known_;
};

}  // namespace nvm::vm::block
