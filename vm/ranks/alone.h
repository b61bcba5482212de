// A carrier for one rank, which has nobody to talk to: each round is over when it is started.
#pragma once

#include "vm/ranks/tally.h"

namespace nvm::ranks {

class Alone final : public Ranks {
 public:
  // `rank`: its number among all, where it is one of several that are on their own.
  explicit Alone(int rank = 0) : whole_(rank) {}

  [[nodiscard]] int rank() const override { return 0; }
  [[nodiscard]] int size() const override { return 1; }
  [[nodiscard]] std::string name() const override { return "alone"; }
  [[nodiscard]] std::string host(int r) const override;

  void start_all_gather(std::span<const std::byte> mine, std::span<const std::int64_t> lengths,
                        std::span<std::byte> all) override;
  void start_all_to_all(std::span<const std::byte> out, std::span<const std::int64_t> sent,
                        std::span<std::byte> in, std::span<const std::int64_t> received) override;
  void start_shift(std::span<const std::byte> out, std::span<std::byte> in) override;
  void start_broadcast(int from, std::span<std::byte> bytes) override;
  [[nodiscard]] bool done() override;
  [[nodiscard]] std::vector<int> absent() override { return {}; }

  void give_up(const Broken& why) override;
  void abort(int status, std::string_view why) override;
  [[nodiscard]] std::unique_ptr<Ranks> split(std::span<const int> colours) override;
  void close() override;

  [[nodiscard]] double seconds() const override { return host_seconds(); }
  [[nodiscard]] Counts counts() const override { return tally_.counts(); }

 private:
  void check() const;

  int whole_;
  Tally tally_{0, 1};
  bool broken_ = false;
  Broken why_;
};

}  // namespace nvm::ranks
