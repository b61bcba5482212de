// Runs the levels of a nest, from those instances on that a call is made for. Where the elements of a level
// do not fit a cache, its instances are taken in shares, each with all that comes of it.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <vector>

#include "bytecode/plan/nest.h"
#include "vm/data/pool.h"
#include "vm/interp/machine.h"
#include "vm/tier/nest_results.h"

namespace nvm::vm {

class NestLevels {
 public:
  // All must outlive this. `limit`: levels that there may be. `found`: who keeps results whose lengths are
  // found; else null.
  NestLevels(const plan::Nest& nest, const plan::NestStorage& storage, const plan::NestCode& code, Pool& pool,
             std::int64_t limit, const std::atomic<Stop>* stop, NestResults* found)
      : nest_(nest), storage_(storage), code_(code), pool_(pool), limit_(limit), stop_(stop), found_(found) {}

  // False: an interpreter is to do it. Throws Fault (memory).
  [[nodiscard]] bool run(std::span<const std::int64_t> instances, std::span<std::byte* const> targets);

 private:
  // What a level writes: instances, and the elements of their lists.
  struct Memory {
    BufferRef buffer;
    std::int64_t bytes = 0;
    std::vector<std::byte*> lists;
    std::int64_t* instances = nullptr;
  };
  // Of the lengths that instances have, by input.
  struct Lengths {
    std::vector<std::int64_t> total, most;
  };
  struct Part {
    const std::int64_t *first, *last;
  };
  [[nodiscard]] bool run(Part part, std::int64_t level, std::size_t share);
  [[nodiscard]] Lengths lengths_of(Part part) const;
  // Of the elements that its children may have.
  [[nodiscard]] std::int64_t bytes_of(const Lengths& lengths) const;
  [[nodiscard]] const std::int64_t* middle(Part part, const Lengths& lengths) const;
  void reserve(Memory& memory, Part part, const Lengths& lengths);
  // What a part's instances have of results at most.
  [[nodiscard]] std::int64_t most_own(Part part, const Lengths& lengths) const;
  [[nodiscard]] bool step(Part part, const Lengths& lengths, Memory& memory, const std::int64_t*& last);
  [[nodiscard]] std::int64_t list_bytes(std::size_t list, const std::vector<std::int64_t>& lengths) const;
  [[nodiscard]] std::int64_t cells() const { return static_cast<std::int64_t>(nest_.cells()); }

  const plan::Nest& nest_;
  const plan::NestStorage& storage_;
  const plan::NestCode& code_;
  Pool& pool_;
  std::int64_t limit_;
  const std::atomic<Stop>* stop_;
  NestResults* found_;
  std::span<std::byte* const> targets_;
  std::vector<bool> kept_;                                      // by list: a child gets it
  std::vector<std::unique_ptr<std::array<Memory, 2>>> shares_;  // of the levels of a share, in turn
};

}  // namespace nvm::vm
