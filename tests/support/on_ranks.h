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
#include "vm/ranks/threads.h"
#include "vm/spmd/calls.h"
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

// What each rank comes to; only the first one writes.
inline std::vector<RankResult> run_on_ranks(const ssa::Module& module, int n,
                                            const vm::spmd::Settings& settings) {
  std::vector<RankResult> results(static_cast<std::size_t>(n));
  const auto carriers = ranks::thread_ranks(n);
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
