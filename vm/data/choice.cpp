#include "vm/data/choice.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace nvm::vm {

namespace {

constexpr std::uint32_t kRuns = 3;  // of either way, before it has shown what it can
constexpr double kClose = 1.5;      // times

}  // namespace

void Choice::note(Way way, double cost) {
  best_[at(way)] = std::min(best_[at(way)], cost);
  ++runs_[at(way)];
}

void Choice::note_before(double cost) { before_ = std::min(before_, cost); }

// Other work on the processors makes some timings long, so where it is close there must be more.
bool Choice::settled() const {
  constexpr std::uint32_t kFew = 2, kMore = 4;
  constexpr double kTurnClose = 1.25;  // times
  const auto [least, most] = std::minmax(best_[0], best_[1]);
  return std::min(runs_[0], runs_[1]) >= (most < kTurnClose * least ? kMore : kFew);
}

Way Choice::next_in_turn(Way first) const {
  if (settled()) return best_[1] < best_[0] ? Way::kCandidate : Way::kBaseline;
  if (runs_[0] == runs_[1]) return first;
  return runs_[0] < runs_[1] ? Way::kBaseline : Way::kCandidate;
}

// The baseline was faster by far before there was a candidate.
bool Choice::beaten() const { return best_[1] > kClose * before_; }

// Runs after which the candidate has shown what it can.
std::uint32_t Choice::enough() const { return beaten() ? 2 : kRuns; }

// A first run touches new memory and says little: the candidate gets a few, fewer where the baseline was
// faster by far before there was one. Then the baseline shows what it can, early where the candidate is slow
// for what it does; a long run of the baseline may be much slower, so it waits for more runs of the
// candidate. Where runs are brief, one of them decides nothing. A candidate that lost by few runs, whose
// memory may have been new in all of them, gets a few more. Where it is close, both are tried again from time
// to time.
Way Choice::next(std::int64_t work) const {
  constexpr double kLong = 2e6;         // nanoseconds
  constexpr double kBrief = 1e5;        // nanoseconds: who is interrupted once looks slow
  constexpr double kFastest = 0.05;     // nanoseconds per unit: no baseline ever is
  constexpr double kFast = 0.2;         // likewise: of vectors in the cache alone
  constexpr double kSlow = 0.4;         // likewise: a baseline will hardly take ten times as much
  constexpr std::uint32_t kAgain = 64;  // runs until the loser is tried again, then twice as many
  constexpr std::uint32_t kSoon = 8;    // runs until a candidate that lost is tried again, then every
  constexpr std::uint32_t kOften = 4;   // so many
  constexpr std::uint32_t kSure = 6;    // runs of a candidate by which it may lose
  const auto [baseline, candidate] = best_;
  const auto [baseline_runs, candidate_runs] = runs_;
  if (candidate < kFastest || candidate_runs < enough()) return Way::kCandidate;
  const auto all = static_cast<double>(work);
  if (baseline_runs == 0) {
    const std::uint32_t patience = candidate > kSlow ? 1 : candidate > kFast ? 2 : 4;
    const bool waits = candidate * all > kLong && !beaten() && candidate_runs < kRuns * patience;
    return waits ? Way::kCandidate : Way::kBaseline;
  }
  const bool close = baseline < kClose * candidate && candidate < kClose * baseline;
  const bool brief = baseline * all < kBrief;
  if ((close || brief) && baseline_runs < kRuns) return Way::kBaseline;
  const std::uint32_t runs = candidate_runs + baseline_runs;
  const bool doubted = !wins() && candidate_runs < kSure;
  const bool again =
      doubted ? runs >= kSoon && runs % kOften == 0 : close && runs >= kAgain && std::has_single_bit(runs);
  return wins() != again ? Way::kCandidate : Way::kBaseline;
}

bool Choice::hopeless(std::int64_t work, double overhead) const {
  constexpr double kSmall = 0.03;  // of the baseline's time
  if (runs_[1] < enough() || runs_[0] < kRuns) return false;
  const double baseline = best_[0] * static_cast<double>(work);
  return overhead > kSmall * baseline && baseline < best_[1] * static_cast<double>(work) + overhead;
}

void Choice::print(int size, char* to, std::size_t room) const {
  std::snprintf(to, room, "tried %d %u %a %u %a\n", size, runs_[1], best_[1], runs_[0], best_[0]);
}

const char* Choice::read(const char* text, int& size) {
  int length = 0;
  const int read = std::sscanf(text, "tried %d %u %la %u %la\n%n", &size, &runs_[1], &best_[1], &runs_[0],
                               &best_[0], &length);
  return read == 5 ? text + length : nullptr;
}

std::size_t ChoiceBySize::class_of(std::int64_t work) {
  const auto bits = std::bit_width(static_cast<std::uint64_t>(std::max<std::int64_t>(work, 1)));
  return std::min(static_cast<std::size_t>(bits) / 3, kClasses - 1);
}

bool ChoiceBySize::lost() const {
  return std::any_of(classes_.begin(), classes_.end(), [](const Choice& c) { return c.lost(); });
}

}  // namespace nvm::vm
