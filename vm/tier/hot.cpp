#include "vm/tier/hot.h"

#include <algorithm>
#include <bit>

namespace nvm::vm {

bool Budget::pays(std::int64_t work, std::int64_t total, std::size_t insts, bool compiled) {
  work_ += work;
  if (compiled) return false;
  const std::int64_t cost = cost_of(insts);
  if (total < options_.certain * cost) {
    const bool first = total == work;
    if (first || total < cost || spent_ + cost > options_.grace + work_ / options_.share) return false;
    spent_ += cost;
  }
  begun_ = true;
  return true;
}

std::int64_t Budget::cost_of(std::size_t insts) const {
  return options_.region_cost + options_.inst_cost * static_cast<std::int64_t>(insts) +
         (begun_ ? 0 : options_.first_cost);
}

std::size_t Contest::class_of(std::int64_t work) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(work, 1)));
  return std::min(static_cast<std::size_t>(bits) / 3, kClasses - 1);
}

// A first run touches new memory and says little: kernels get a few, fewer where the primitives were
// faster by far before anything was compiled. Then the primitives show what they can, early where the
// kernels are slow for what they do; a long run of theirs may be much slower, so it waits for more runs of
// the kernels. Where runs are brief, one of them decides nothing. Kernels that lost by few runs, whose memory
// may have been new in all of them, get a few more. Where it is close, both are tried again from time to
// time.
bool Contest::kernels(std::int64_t work) const {
  constexpr double kLong = 2e6;         // nanoseconds
  constexpr double kBrief = 1e5;        // nanoseconds: who is interrupted once looks slow
  constexpr double kFastest = 0.05;     // nanoseconds per instruction and element: primitives never are
  constexpr double kFast = 0.2;         // likewise: of vectors in the cache alone
  constexpr double kSlow = 0.4;         // likewise: primitives will hardly take ten times as much
  constexpr std::uint32_t kAgain = 64;  // runs until the loser is tried again, then twice as many
  constexpr std::uint32_t kSoon = 8;    // runs until kernels that lost are tried again, then every
  constexpr std::uint32_t kOften = 4;   // so many
  constexpr std::uint32_t kSure = 6;    // runs of kernels by which they may lose
  const Class& c = classes_[class_of(work)];
  if (c.kernels < kFastest) return true;
  if (c.kernel_runs < c.enough()) return true;
  if (c.primitive_runs == 0) {
    const bool is_long = c.kernels * static_cast<double>(work) > kLong;
    const std::uint32_t patience = c.kernels > kSlow ? 1 : c.kernels > kFast ? 2 : 4;
    return is_long && !c.beaten() && c.kernel_runs < kFirst * patience;
  }
  const bool close = c.primitives < kClose * c.kernels && c.kernels < kClose * c.primitives;
  const bool brief = c.primitives * static_cast<double>(work) < kBrief;
  if ((close || brief) && c.primitive_runs < kFirst) return false;
  const std::uint32_t runs = c.kernel_runs + c.primitive_runs;
  const bool doubted = !c.wins() && c.kernel_runs < kSure;
  const bool again =
      doubted ? runs >= kSoon && runs % kOften == 0 : close && runs >= kAgain && std::has_single_bit(runs);
  return c.wins() != again;
}

bool Contest::lost() const {
  return std::any_of(classes_.begin(), classes_.end(),
                     [](const Class& c) { return c.primitive_runs > 0 && c.kernel_runs > 0 && !c.wins(); });
}

void Contest::note(std::int64_t work, double nanoseconds, bool by_kernels) {
  Class& c = classes_[class_of(work)];
  double& best = by_kernels ? c.kernels : c.primitives;
  const double cost = nanoseconds / static_cast<double>(std::max<std::int64_t>(work, 1));
  if (best == 0.0 || cost < best) best = cost;
  ++(by_kernels ? c.kernel_runs : c.primitive_runs);
}

void Contest::note_before(std::int64_t work, double nanoseconds) {
  double& best = classes_[class_of(work)].before;
  const double cost = nanoseconds / static_cast<double>(std::max<std::int64_t>(work, 1));
  if (best == 0.0 || cost < best) best = cost;
}

bool Contest::hopeless(std::int64_t work, double overhead) const {
  constexpr double kSmall = 0.03;  // of the primitives' time
  const Class& c = classes_[class_of(work)];
  if (c.kernel_runs < c.enough() || c.primitive_runs < kFirst) return false;
  const double eager = c.primitives * static_cast<double>(work);
  return overhead > kSmall * eager && eager < c.kernels * static_cast<double>(work) + overhead;
}

void Shunned::add(const ssa::Inst& inst, std::int64_t elements) {
  constexpr std::uint32_t kFirst = 64, kMost = 1 << 14;
  Entry& e = insts_[&inst];
  if (e.left > 0 && e.elements / 2 <= elements && elements <= 2 * e.elements) return;
  e.elements = elements;
  e.period = e.period == 0 ? kFirst : std::min(2 * e.period, kMost);
  e.left = e.period;
}

bool Shunned::has(const ssa::Inst& inst, std::int64_t elements) {
  Entry* const known = insts_.find(&inst);
  if (known == nullptr) return false;
  Entry& e = *known;
  if (e.left == 0 || elements < e.elements / 2 || elements > 2 * e.elements) return false;
  --e.left;
  return true;
}

}  // namespace nvm::vm
