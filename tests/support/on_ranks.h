// Programs and instructions executed by several ranks, which are threads, with vectors cut anywhere.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/program_run.h"
#include "vm/ranks/faults.h"
#include "vm/ranks/threads.h"
#include "vm/spmd/calls.h"
#include "vm/spmd/checkpoints.h"
#include "vm/spmd/hook.h"

namespace nvm::test {

// A cut of a length that follows from it and from `seed` alone: parts of any length, often none.
inline vm::spmd::Cutter any_cut(std::uint64_t seed) {
  return [seed](std::int64_t length, int ranks) {
    std::mt19937_64 rng(seed * 31 + static_cast<std::uint64_t>(length));
    std::vector<std::int64_t> at = {0, length};
    for (int r = 1; r < ranks; ++r) {
      const auto any = static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(length + 1));
      at.push_back(rng() % 4 == 0 ? at[rng() % at.size()] : any);
    }
    std::sort(at.begin(), at.end());
    return vm::spmd::Cut(std::move(at));
  };
}

struct RankResult {
  std::shared_ptr<vm::Pool> pool;  // of the values
  ProgramResult result;
  ranks::Counts counts;
  std::int64_t dealt_out = 0;
};

// Checkpoints in memory, one as soon as there were `every` rounds; none of 0.
class Kept final : public vm::spmd::Store {
 public:
  explicit Kept(std::int64_t every, std::vector<std::byte> from = {})
      : every_(every), from_(std::move(from)) {}
  [[nodiscard]] bool due(std::int64_t rounds) override { return every_ > 0 && rounds >= last_ + every_; }
  [[nodiscard]] bool possible() override { return true; }
  void begin() override { open_.clear(); }
  void write(std::span<const std::byte> bytes) override {
    open_.insert(open_.end(), bytes.begin(), bytes.end());
  }
  void end(std::int64_t rounds) override {
    all_.push_back(std::move(open_));
    last_ = rounds;
  }
  [[nodiscard]] std::size_t read(std::span<std::byte> to) override {
    const std::size_t n = std::min(to.size(), from_.size() - at_);
    std::copy_n(from_.begin() + static_cast<std::ptrdiff_t>(at_), n, to.begin());
    at_ += n;
    return n;
  }
  [[nodiscard]] const std::vector<std::vector<std::byte>>& all() const { return all_; }
  [[nodiscard]] bool continues() const { return !from_.empty(); }
  [[nodiscard]] bool read_whole() const { return at_ == from_.size(); }

 private:
  std::int64_t every_, last_ = 0;
  std::vector<std::byte> from_, open_;
  std::size_t at_ = 0;
  std::vector<std::vector<std::byte>> all_;
};

// What each rank comes to; only the first one writes. With `kept` checkpoints are taken, and perhaps gone on
// from.
inline std::vector<RankResult> run_on_ranks(const ssa::Module& module, int n,
                                            const vm::spmd::Settings& settings, Kept* kept = nullptr,
                                            const ranks::Faults& faults = {}) {
  std::vector<RankResult> results(static_cast<std::size_t>(n));
  auto carriers = ranks::thread_ranks(n);
  if (faults.what != ranks::Faults::What::kNothing)
    for (auto& carrier : carriers) carrier = ranks::with_faults(std::move(carrier), faults);
  std::vector<std::thread> threads;
  for (int r = 0; r < n; ++r)
    threads.emplace_back([&, r] {
      RankResult& mine = results[static_cast<std::size_t>(r)];
      mine.pool = std::make_shared<vm::Pool>();
      const vm::Code code = vm::make_code(module, *mine.pool);
      WritingMachine own(code, *mine.pool, 1);
      vm::Machine& machine = own.machine();
      ranks::Ranks& carrier = *carriers[static_cast<std::size_t>(r)];
      vm::spmd::Exchange exchange(carrier, module, nullptr);
      vm::spmd::Hook hook(exchange, machine.prims, settings);
      vm::spmd::Calls calls(code, machine, {}, hook.parts());
      machine.hook = &hook;
      machine.calls = &calls;
      std::optional<vm::spmd::Checkpointing> checkpoints;
      if (kept != nullptr)
        machine.checkpoints = &checkpoints.emplace(code, hook.parts(), own.random(), r == 0 ? kept : nullptr,
                                                   kept->continues());
      mine.result = own.run(code, 1);
      if (exchange.broken()) mine.result.written += "broken: " + exchange.broken()->why;
      mine.counts = carrier.counts();
      mine.dealt_out = calls.dealt_out();
      if (const auto& error = mine.result.outcome.error; error && vm::spmd::strikes_one(error->kind))
        carrier.abort(1, error->message);
    });
  for (std::thread& thread : threads) thread.join();
  return results;
}

}  // namespace nvm::test
