// Where a vector is cut: rank r has the elements [begin(r), end(r)). All ranks know all cuts.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace nvm::vm::spmd {

class Cut {
 public:
  // Ascending positions, one more than ranks, from 0.
  explicit Cut(std::vector<std::int64_t> positions);
  // Parts of about the same length; long ones begin at a block of the tree of FLOAT folds.
  static Cut even(std::int64_t length, int ranks);
  // Parts of these lengths.
  static Cut of_lengths(const std::vector<std::int64_t>& lengths);

  [[nodiscard]] std::int64_t begin(int r) const { return at_[static_cast<std::size_t>(r)]; }
  [[nodiscard]] std::int64_t end(int r) const { return at_[static_cast<std::size_t>(r) + 1]; }
  [[nodiscard]] std::int64_t length(int r) const { return end(r) - begin(r); }
  [[nodiscard]] std::int64_t total() const { return at_.back(); }
  [[nodiscard]] int ranks() const { return static_cast<int>(at_.size()) - 1; }
  [[nodiscard]] std::int64_t longest() const;
  // Who has this element.
  [[nodiscard]] int owner(std::int64_t element) const;
  friend bool operator==(const Cut&, const Cut&) = default;

 private:
  std::vector<std::int64_t> at_;
};
using CutRef = std::shared_ptr<const Cut>;

// The cut of a vector that nothing else cuts; the same for all ranks.
using Cutter = std::function<Cut(std::int64_t length, int ranks)>;

}  // namespace nvm::vm::spmd
