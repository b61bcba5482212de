#include "vm/spmd/cut.h"

#include <algorithm>
#include <utility>

#include "bytecode/base/check.h"
#include "vm/simd/reduce_tree.h"

namespace nvm::vm::spmd {

Cut::Cut(std::vector<std::int64_t> positions) : at_(std::move(positions)) {
  NVM_CHECK(at_.size() > 1 && at_.front() == 0 && std::is_sorted(at_.begin(), at_.end()),
            "a cut is ascending positions");
}

Cut Cut::even(std::int64_t length, int ranks) {
  constexpr std::int64_t kEach = 4 * kReduceBlock;  // from which on a block more or less does not matter
  const std::int64_t unit = length >= kEach * ranks ? kReduceBlock : 1;
  const std::int64_t units = length / unit;
  std::vector<std::int64_t> at;
  for (std::int64_t r = 0; r < ranks; ++r)
    at.push_back((units / ranks * r + units % ranks * r / ranks) * unit);
  at.push_back(length);
  return Cut(std::move(at));
}

Cut Cut::of_lengths(const std::vector<std::int64_t>& lengths) {
  std::vector<std::int64_t> at = {0};
  for (const std::int64_t n : lengths) at.push_back(at.back() + n);
  return Cut(std::move(at));
}

int Cut::owner(std::int64_t element) const {
  return static_cast<int>(std::upper_bound(at_.begin(), at_.end(), element) - at_.begin()) - 1;
}

std::int64_t Cut::longest() const {
  std::int64_t most = 0;
  for (int r = 0; r < ranks(); ++r) most = std::max(most, length(r));
  return most;
}

}  // namespace nvm::vm::spmd
