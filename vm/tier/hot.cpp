#include "vm/tier/hot.h"

#include <algorithm>
#include <bit>

namespace nvm::vm {

bool Budget::pays(std::int64_t work, std::int64_t total, std::size_t insts, bool compiled) {
  work_ += work;
  if (compiled) return false;
  const std::int64_t cost = options_.region_cost + options_.inst_cost * static_cast<std::int64_t>(insts);
  if (total >= options_.certain * cost) return true;
  if (total < cost || spent_ + cost > options_.grace + work_ / options_.share) return false;
  spent_ += cost;
  return true;
}

std::size_t Contest::class_of(std::int64_t work) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(work, 1)));
  return std::min(static_cast<std::size_t>(bits) / 3, kClasses - 1);
}

// The primitives get one run to show what they can. It may be much slower than the kernels: so it is a short
// one, or comes after many, and only where the kernels are not faster than primitives ever are.
bool Contest::kernels(std::int64_t work) const {
  constexpr double kShort = 2e6;    // nanoseconds
  constexpr double kFastest = 0.1;  // nanoseconds per instruction and element, of vectors in the cache
  constexpr double kSlow = 0.4;     // likewise: primitives will hardly take ten times as much
  constexpr double kMargin = 0.97;  // equal is good enough
  const Class& c = classes_[class_of(work)];
  if (fixed_ || c.kernels < kFastest) return true;
  if (c.primitives > 0.0) return c.kernels * kMargin < c.primitives;
  const double run = c.kernels * static_cast<double>(work);
  return run > kShort && c.spent < (c.kernels > kSlow ? 4.0 : 16.0) * run;
}

bool Contest::lost() const {
  return std::any_of(classes_.begin(), classes_.end(),
                     [](const Class& c) { return c.primitives > 0.0 && c.primitives < c.kernels; });
}

void Contest::note(std::int64_t work, double nanoseconds, bool by_kernels) {
  Class& c = classes_[class_of(work)];
  double& best = by_kernels ? c.kernels : c.primitives;
  const double cost = nanoseconds / static_cast<double>(std::max<std::int64_t>(work, 1));
  if (best == 0.0 || cost < best) best = cost;
  if (by_kernels) c.spent += nanoseconds;
}

}  // namespace nvm::vm
