// What all carriers have in common: lengths are checked against buffers, what is sent is counted, and so is
// the time in which a rank had nothing to do but ask whether a round is over.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>

#include "vm/ranks/ranks.h"

namespace nvm::ranks {

class Tally {
 public:
  Tally(int rank, int size) : rank_(rank), size_(size) {}

  // A round is started.
  void all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                  std::span<std::byte> all);
  void all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent, std::span<std::byte> in,
                  std::span<const std::int64_t> received);
  void shift(std::span<const std::byte> out, std::span<std::byte> in);
  void broadcast(int from, std::span<std::byte> bytes);

  // What done() is to return. Passes it on.
  bool asked(bool done);
  // The round was given up.
  void broken() { running_ = false; }

  [[nodiscard]] bool running() const { return running_; }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  using Clock = std::chrono::steady_clock;
  void start(std::int64_t messages, std::int64_t bytes);

  int rank_;
  int size_;
  bool running_ = false;
  bool waits_ = false;
  Clock::time_point since_;  // when the rank began to wait, if it does
  Counts counts_;
};

// Seconds of a clock that all processes of a host share.
[[nodiscard]] double host_seconds();
[[nodiscard]] std::string host_name();

}  // namespace nvm::ranks
