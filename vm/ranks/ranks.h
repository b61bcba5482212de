// The seam between a program that several processes run together and what carries their words: ranks are
// numbered, all execute the same, and meet in rounds in which each of them takes part. Bytes only, and
// nothing is combined by a carrier: order is never its choice.
//
// One round at a time: start one, then ask done() until it says so (vm/ranks/rounds.h has forms that wait).
// All ranks start the same rounds in the same order with the same lengths; each knows every length
// beforehand. One thread of a rank uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nvm::ranks {

// What a rank has done with the others since the beginning.
struct Counts {
  std::int64_t rounds = 0;
  std::int64_t messages = 0;    // to other ranks
  std::int64_t bytes_sent = 0;  // to other ranks
  double waited_seconds = 0;
};

// A round that will not come to its end: why, and whose fault it is if that is known, by its number among
// all. Thrown by start_*(), done(), split() and close(), from then on by each of them.
struct Broken {
  int rank = -1;
  std::string why;

  [[nodiscard]] std::string text() const {
    return (rank < 0 ? "" : "rank " + std::to_string(rank) + ": ") + why;
  }
};

// Ending one that was not closed breaks the rounds of the others.
class Ranks {
 public:
  virtual ~Ranks() = default;

  [[nodiscard]] virtual int rank() const = 0;
  [[nodiscard]] virtual int size() const = 0;
  // What the carrier is called ("alone", "threads", "Open MPI 4.1.4"), and the host of rank `r`.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string host(int r) const = 0;

  // Buffers stay as they are, and belong to the round, until done(). Lengths are in bytes, one for each rank.
  // `all` gets what the ranks give, in their order; `mine` has lengths[rank()] bytes.
  virtual void start_all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                                std::span<std::byte> all) = 0;
  // `out` has for each rank, in order, sent[r] bytes; `in` gets received[r] bytes of each, in order.
  virtual void start_all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent,
                                std::span<std::byte> in, std::span<const std::int64_t> received) = 0;
  // `out` goes to the next rank, `in` comes from the one before; both are empty where there is none.
  virtual void start_shift(std::span<const std::byte> out, std::span<std::byte> in) = 0;
  // `bytes` of rank `from` become those of all.
  virtual void start_broadcast(int from, std::span<std::byte> bytes) = 0;
  // The round that was started is over. Moves it on, and does not wait.
  [[nodiscard]] virtual bool done() = 0;
  // For a round that takes long: tells the others that this rank waits in one, and returns the ranks, by
  // their numbers among all, of which nothing of the kind is known. Not a round.
  [[nodiscard]] virtual std::vector<int> absent() = 0;

  // The round that was started, if any, is given up and will not come to its end anywhere; its buffers are
  // free where the carrier can see to it. From now on everything throws `why`.
  virtual void give_up(const Broken& why) = 0;
  // Ends all ranks, this one too if it can, with that status; those that wait throw Broken with `why`.
  virtual void abort(int status, std::string_view why) = 0;
  // The ranks of this one's colour among themselves, in the same order. Of all ranks, which know all colours.
  [[nodiscard]] virtual std::unique_ptr<Ranks> split(std::span<const int> colours) = 0;
  // The last call, after a round of all: this rank sends nothing any more and is not waited for.
  virtual void close() = 0;

  [[nodiscard]] virtual double seconds() const = 0;  // a clock that the ranks of a host share
  [[nodiscard]] virtual Counts counts() const = 0;
};

}  // namespace nvm::ranks
