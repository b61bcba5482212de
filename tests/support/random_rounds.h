// The same random sequence of rounds on all ranks of any carrier. What each rank is to receive follows from
// the seed alone, so each compares for itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vm/ranks/rounds.h"

namespace nvm::testing {

class RandomRounds {
 public:
  // Vectors are up to `longest` elements long.
  RandomRounds(ranks::Rounds& rounds, std::uint64_t seed, std::int64_t longest)
      : rounds_(rounds), state_(seed), longest_(longest) {}

  // The next one; "" or what was wrong.
  [[nodiscard]] std::string next() {
    ++round_;
    switch (draw() % 5) {
      case 0: return gather();
      case 1: return exchange();
      case 2: return shift();
      case 3: return broadcast();
      default: return word();
    }
  }

 private:
  using Element = std::uint32_t;
  using Elements = std::vector<Element>;

  std::uint64_t draw() {
    state_ += 0x9e3779b97f4a7c15;
    std::uint64_t z = state_;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  // None, few, or many.
  std::int64_t length() {
    const std::uint64_t kind = draw() % 4;
    if (kind == 0) return 0;
    return static_cast<std::int64_t>(draw() % static_cast<std::uint64_t>(kind == 1 ? longest_ : 9));
  }
  std::vector<std::int64_t> lengths() {
    std::vector<std::int64_t> result;
    for (int r = 0; r < rounds_.size(); ++r) result.push_back(length());
    return result;
  }
  // What `from` gives to `to` in this round.
  void append(Elements& elements, int from, int to, std::int64_t n) const {
    for (std::int64_t i = 0; i < n; ++i) {
      elements.push_back(static_cast<Element>((round_ * 131 + from) * 137 + to) * 2654435761U +
                         static_cast<Element>(i));
    }
  }
  [[nodiscard]] Elements given(int from, int to, std::int64_t n) const {
    Elements result;
    append(result, from, to, n);
    return result;
  }
  [[nodiscard]] std::string compare(const char* what, const Elements& got, const Elements& wanted) const {
    if (got == wanted) return "";
    return std::string(what) + " in round " + std::to_string(round_) + " on rank " +
           std::to_string(rounds_.rank());
  }

  std::string gather() {
    const std::vector<std::int64_t> n = lengths();
    Elements wanted;
    for (int r = 0; r < rounds_.size(); ++r) append(wanted, r, 0, n[static_cast<std::size_t>(r)]);
    const Elements mine = given(rounds_.rank(), 0, n[static_cast<std::size_t>(rounds_.rank())]);
    if (draw() % 2 == 0) return compare("gather", rounds_.all_gather(std::span(mine), n), wanted);
    std::vector<std::int64_t> got;
    const std::string wrong = compare("gather", rounds_.all_gather_unequal(std::span(mine), &got), wanted);
    return got == n ? wrong : "lengths of a gather";
  }
  std::string exchange() {
    Elements out;
    Elements wanted;
    std::vector<std::int64_t> sent;
    std::vector<std::int64_t> received;
    for (int from = 0; from < rounds_.size(); ++from) {
      const std::vector<std::int64_t> n = lengths();
      for (int to = 0; to < rounds_.size(); ++to) {
        const std::int64_t k = n[static_cast<std::size_t>(to)];
        if (from == rounds_.rank()) {
          append(out, from, to, k);
          sent.push_back(k);
        }
        if (to == rounds_.rank()) {
          append(wanted, from, to, k);
          received.push_back(k);
        }
      }
    }
    return compare("exchange", rounds_.all_to_all(std::span<const Element>(out), sent, received), wanted);
  }
  std::string shift() {
    const std::vector<std::int64_t> n = lengths();
    const int me = rounds_.rank();
    Elements out;
    Elements wanted;
    if (me + 1 < rounds_.size()) append(out, me, me + 1, n[static_cast<std::size_t>(me)]);
    if (me > 0) append(wanted, me - 1, me, n[static_cast<std::size_t>(me) - 1]);
    Elements in(wanted.size());
    rounds_.shift(std::span<const Element>(out), std::span(in));
    return compare("shift", in, wanted);
  }
  std::string broadcast() {
    const int from = static_cast<int>(draw() % static_cast<std::uint64_t>(rounds_.size()));
    const Elements wanted = given(from, 0, length());
    Elements values = from == rounds_.rank() ? wanted : Elements(wanted.size());
    rounds_.broadcast(from, std::span(values));
    return compare("broadcast", values, wanted);
  }
  std::string word() {
    const std::vector<std::int64_t> got = rounds_.all_gather(std::int64_t{rounds_.rank()} * 7 + round_);
    for (std::int64_t r = 0; r < std::ssize(got); ++r) {
      if (got[static_cast<std::size_t>(r)] != r * 7 + round_) return "word of rank " + std::to_string(r);
    }
    return std::ssize(got) == rounds_.size() ? "" : "number of words";
  }

  ranks::Rounds& rounds_;
  std::uint64_t state_;
  std::int64_t longest_;
  std::int64_t round_ = 0;
};

}  // namespace nvm::testing
