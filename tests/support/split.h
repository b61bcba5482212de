// Code that is run in parts, as a crew wants.
#pragma once

#include <functional>
#include <span>
#include <thread>
#include <vector>

#include "vm/split/split_run.h"

namespace nvm::testing {

class SplitCode final : public plan::Code {
 public:
  SplitCode(const plan::Code& code, const plan::Plan& plan, vm::Crew& crew)
      : code_(code), plan_(plan), crew_(crew) {}
  [[nodiscard]] plan::RunStatus run(const plan::Run& run) const override {
    vm::SplitRun split(code_, plan_, run, crew_);
    const plan::RunStatus status = split.run();
    counters = split.counters();
    return status;
  }
  [[nodiscard]] std::string listing() const override { return {}; }
  [[nodiscard]] std::size_t code_bytes() const override { return 0; }
  mutable vm::SplitCounters counters;  // of the last run

 private:
  const plan::Code& code_;
  const plan::Plan& plan_;
  vm::Crew& crew_;
};

// The same ends in every kernel that is long enough; one part after the other, or each on a thread of its
// own, the last one first.
class FixedCrew final : public vm::Crew {
 public:
  FixedCrew(std::vector<std::int64_t> ends, bool at_once) : ends_(std::move(ends)), at_once_(at_once) {}
  [[nodiscard]] std::vector<std::int64_t> ends(const plan::Kernel&, std::int64_t n,
                                               std::span<const plan::Desc>) override {
    std::vector<std::int64_t> ends;
    for (const std::int64_t end : ends_)
      if (end < n) ends.push_back(end);
    ends.push_back(n);
    return ends;
  }
  void work(std::size_t parts, int threads, const RunPart& run) override {
    std::vector<std::thread> crew;
    for (std::size_t p = 0; p < parts; ++p)
      if (at_once_)
        crew.emplace_back([&run, threads, p = parts - 1 - p] { run(p, threads); });
      else
        run(p, threads);
    for (std::thread& t : crew) t.join();
  }

 private:
  std::vector<std::int64_t> ends_;
  bool at_once_;
};

}  // namespace nvm::testing
