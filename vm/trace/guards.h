// How conditionals went whose conditions were asked for: what a region is guarded by when it goes on behind
// one.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "vm/interp/region_hook.h"

namespace nvm::vm {

class Decisions {
 public:
  // after: equal decisions in a row, by which the next one is expected.
  explicit Decisions(std::uint32_t after) : after_(after) {}
  void note(const Site& branch, bool way);
  // It was expected to go the other way. It is expected again only after twice as many as before.
  void missed(const Site& branch, bool way);
  [[nodiscard]] std::optional<bool> expected(const Site& branch) const;

 private:
  struct Past {
    bool way = false;
    std::uint32_t equal = 0;   // last decisions, this way all
    std::uint32_t wanted = 0;  // of them
  };
  static std::uint64_t key(const Site& branch) {
    return static_cast<std::uint64_t>(branch.function) << 32 | static_cast<std::uint32_t>(branch.block);
  }

  std::uint32_t after_;
  std::unordered_map<std::uint64_t, Past> past_;
};

}  // namespace nvm::vm
