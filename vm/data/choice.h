// Online tuning: of two ways to do the same, the faster one is found by timing both on what is to be done
// anyway. What must be done for the timing alone is kept to a share of the rest.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace nvm::vm {

// The candidate needs something made for it first: compiled code, groups. The baseline always works.
enum class Way : std::uint8_t { kBaseline, kCandidate };

// Two ways to do work of one kind, as far as they were timed. Costs are nanoseconds per unit of work.
class Choice {
 public:
  void note(Way way, double cost);
  // The baseline when there was no candidate yet; perhaps a first run, so it decides nothing alone.
  void note_before(double cost);

  [[nodiscard]] std::uint32_t runs(Way way) const { return runs_[at(way)]; }
  // Infinite if it was never timed.
  [[nodiscard]] double best(Way way) const { return best_[at(way)]; }
  // Of the slower way's cost to the faster one's. Both have been timed.
  [[nodiscard]] double ratio() const {
    return best_[0] < best_[1] ? best_[1] / best_[0] : best_[0] / best_[1];
  }
  // Does the candidate win? Equal is good enough. Both have been timed.
  [[nodiscard]] bool wins() const { return best_[1] * kEqual < best_[0]; }
  // Has it lost?
  [[nodiscard]] bool lost() const { return runs_[0] > 0 && runs_[1] > 0 && !wins(); }

  // In turn, beginning with `first`: twice each or, where it is close, four times; then the faster one for
  // ever.
  [[nodiscard]] Way next_in_turn(Way first) const;
  [[nodiscard]] bool settled() const;

  // Some runs of the candidate, one or some of the baseline, then the faster one; where that may be an
  // error, the other again from time to time. For `work` of which there is much and often.
  [[nodiscard]] Way next(std::int64_t work) const;
  // Both have shown what they can, and the baseline takes less time for `work` than the candidate and
  // `overhead` nanoseconds, which are not small beside that.
  [[nodiscard]] bool hopeless(std::int64_t work, double overhead) const;

  // As kept between processes, after `size`: a line. Returns what follows it, null if there is none.
  void print(int size, char* to, std::size_t room) const;
  [[nodiscard]] const char* read(const char* text, int& size);

 private:
  static constexpr double kEqual = 0.97;  // of the other's cost
  static std::size_t at(Way way) { return static_cast<std::size_t>(way); }
  [[nodiscard]] bool beaten() const;
  [[nodiscard]] std::uint32_t enough() const;

  static constexpr double kNone = std::numeric_limits<double>::infinity();
  std::array<double, 2> best_ = {kNone, kNone};  // by Way
  double before_ = kNone;                        // of note_before
  std::array<std::uint32_t, 2> runs_ = {0, 0};
};

// One for each order of magnitude of work, for how the ways compare depends on the cache that the data fits.
class ChoiceBySize {
 public:
  [[nodiscard]] Way next(std::int64_t work) const { return of(work).next(work); }
  void note(Way way, std::int64_t work, double nanoseconds) { of(work).note(way, nanoseconds / units(work)); }
  void note_before(std::int64_t work, double nanoseconds) { of(work).note_before(nanoseconds / units(work)); }
  [[nodiscard]] bool hopeless(std::int64_t work, double overhead) const {
    return of(work).hopeless(work, overhead);
  }
  // Has the candidate lost for some amount of work?
  [[nodiscard]] bool lost() const;

 private:
  static constexpr std::size_t kClasses = 16;
  static std::size_t class_of(std::int64_t work);
  static double units(std::int64_t work) { return work > 1 ? static_cast<double>(work) : 1.0; }
  [[nodiscard]] const Choice& of(std::int64_t work) const { return classes_[class_of(work)]; }
  [[nodiscard]] Choice& of(std::int64_t work) { return classes_[class_of(work)]; }

  std::array<Choice, kClasses> classes_;
};

// What may be spent on finding out: a share of what is done, in any unit.
class Allowance {
 public:
  // A `share`-th of what was earned, and `grace` for a start.
  explicit Allowance(std::int64_t share, std::int64_t grace = 0) : share_(share), grace_(grace) {}
  void earn(std::int64_t done) { earned_ += done; }
  // False: that is too much, and nothing is spent.
  [[nodiscard]] bool spend(std::int64_t cost) {
    if (spent_ + cost > grace_ + earned_ / share_) return false;
    spent_ += cost;
    return true;
  }

 private:
  std::int64_t share_, grace_;
  std::int64_t earned_ = 0, spent_ = 0;
};

// What failed is not tried for a while, then again, each time after twice as long.
template <std::uint32_t kFirst, std::uint32_t kLongest>
class Backoff {
 public:
  void fail() {
    left_ = period_;
    period_ = period_ < kLongest / 2 ? 2 * period_ : kLongest;
  }
  void succeed() { period_ = kFirst; }
  [[nodiscard]] bool waits() const { return left_ > 0; }
  // One time it would have been tried. True: it still waits.
  [[nodiscard]] bool pass() { return left_ > 0 && left_-- > 0; }

 private:
  std::uint32_t left_ = 0, period_ = kFirst;  // times
};

// Which runs are timed: a clock costs something, so of very many it is one in sixteen.
class Sampling {
 public:
  explicit Sampling(std::uint32_t all) : all_(all) {}
  [[nodiscard]] bool next() { return ++runs_ < all_ || runs_ % 16 == 0; }

 private:
  std::uint32_t all_, runs_ = 0;
};

}  // namespace nvm::vm
