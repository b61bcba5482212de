// Rounds of values, which wait for their end.
#pragma once

#include <functional>
#include <numeric>
#include <type_traits>
#include <vector>

#include "vm/ranks/ranks.h"

namespace nvm::ranks {

// How a rank waits: it asks 20 times, then lets others run between, and from a millisecond on it sleeps, 50
// us at first and 1 ms from 100 ms on. Never in a call of the carrier: those spin, which takes the processor
// from the rank that is waited for where ranks share one.
struct Waiting {
  double limit = 60;  // seconds after which a round takes too long; 0: none does
  bool stop = false;  // a round that takes too long is broken
  // Called once in a round that takes too long, with the ranks that are not waiting themselves.
  std::function<void(const std::vector<int>& missing, double seconds)> late;
  std::function<void()> look;  // called between sleeps; what it throws ends the waiting
};

class Rounds {
 public:
  explicit Rounds(Ranks& ranks, Waiting waiting = {}) : ranks_(ranks), waiting_(std::move(waiting)) {}

  [[nodiscard]] Ranks& ranks() const { return ranks_; }
  [[nodiscard]] const Waiting& waiting() const { return waiting_; }
  [[nodiscard]] int rank() const { return ranks_.rank(); }
  [[nodiscard]] int size() const { return ranks_.size(); }

  // Waits for the round that was started.
  void finish();

  // The ranks that give the same colour, among themselves: a round.
  [[nodiscard]] std::unique_ptr<Ranks> split(int colour) { return ranks_.split(all_gather(colour)); }
  // A last round, after which no rank needs another.
  void close() {
    (void)all_gather(char{});
    ranks_.close();
  }

  // The values of all ranks.
  template <typename T>
  [[nodiscard]] std::vector<T> all_gather(const T& mine) {
    return all_gather(std::span(&mine, 1), same(1));
  }
  // As many of each rank as `lengths` says, end to end.
  template <typename T>
  [[nodiscard]] std::vector<T> all_gather(std::span<const T> mine, std::span<const std::int64_t> lengths) {
    std::vector<T> all(total(lengths));
    all_gather(mine, lengths, std::span(all));
    return all;
  }
  template <typename T>
  void all_gather(std::span<const T> mine, std::span<const std::int64_t> lengths, std::span<T> all) {
    const std::vector<std::int64_t> in_bytes = bytes<T>(lengths);
    ranks_.start_all_gather(std::as_bytes(mine), in_bytes, writable(all));
    finish();
  }
  // Of lengths that only their ranks know: a round for the lengths, which are returned if asked for, and one
  // more.
  template <typename T>
  [[nodiscard]] std::vector<T> all_gather_unequal(std::span<const T> mine,
                                                  std::vector<std::int64_t>* lengths = nullptr) {
    const std::vector<std::int64_t> all = all_gather(static_cast<std::int64_t>(mine.size()));
    if (lengths != nullptr) *lengths = all;
    return all_gather(mine, std::span(all));
  }

  // To each rank, in order, as many as `sent` says; returns what comes from each, in order.
  template <typename T>
  [[nodiscard]] std::vector<T> all_to_all(std::span<const T> out, std::span<const std::int64_t> sent,
                                          std::span<const std::int64_t> received) {
    std::vector<T> in(total(received));
    const std::vector<std::int64_t> sent_bytes = bytes<T>(sent);
    const std::vector<std::int64_t> received_bytes = bytes<T>(received);
    ranks_.start_all_to_all(std::as_bytes(out), sent_bytes, writable(std::span(in)), received_bytes);
    finish();
    return in;
  }

  template <typename T>
  void shift(std::span<const T> out, std::span<T> in) {
    ranks_.start_shift(std::as_bytes(out), writable(in));
    finish();
  }

  template <typename T>
  void broadcast(int from, std::span<T> values) {
    ranks_.start_broadcast(from, writable(values));
    finish();
  }
  template <typename T>
  [[nodiscard]] T broadcast(int from, T value) {
    broadcast(from, std::span(&value, 1));
    return value;
  }
  // A text, of a length that only that rank knows: two rounds.
  [[nodiscard]] std::string broadcast_text(int from, std::string text);

 private:
  template <typename T>
  [[nodiscard]] static std::span<std::byte> writable(std::span<T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    return std::as_writable_bytes(values);
  }
  template <typename T>
  [[nodiscard]] static std::vector<std::int64_t> bytes(std::span<const std::int64_t> lengths) {
    std::vector<std::int64_t> result(lengths.begin(), lengths.end());
    for (std::int64_t& n : result) n *= static_cast<std::int64_t>(sizeof(T));
    return result;
  }
  [[nodiscard]] static std::size_t total(std::span<const std::int64_t> lengths) {
    return static_cast<std::size_t>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  }
  [[nodiscard]] std::vector<std::int64_t> same(std::int64_t n) const {
    return std::vector<std::int64_t>(static_cast<std::size_t>(size()), n);
  }
  void wait_long();

  Ranks& ranks_;
  Waiting waiting_;
};

}  // namespace nvm::ranks
