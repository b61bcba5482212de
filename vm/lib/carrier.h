// This process as one of several ranks, each a process, that run its programs together.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "vm/ranks/rounds.h"

namespace nvm::lib {

class Carrier {
 public:
  // `of_host`: how many of the ranks this host has.
  Carrier(std::unique_ptr<ranks::Ranks> ranks, ranks::Waiting waiting, int of_host)
      : ranks_(std::move(ranks)), rounds_(*ranks_, std::move(waiting)), of_host_(of_host) {}

  [[nodiscard]] ranks::Rounds& rounds() { return rounds_; }
  [[nodiscard]] int rank() const { return rounds_.rank(); }
  [[nodiscard]] int of_host() const { return of_host_; }

  // Before the first run each rank says whether it has come so far; true if all have.
  bool all_begin(bool able) {
    if (asked_) return unable_ < 0;
    asked_ = true;
    const std::vector<char> all = rounds_.all_gather(able ? char{1} : char{0});
    for (std::size_t r = all.size(); r-- > 0;) {
      if (all[r] == 0) unable_ = static_cast<int>(r);
    }
    in_step_ = unable_ >= 0;
    return unable_ < 0;
  }
  [[nodiscard]] bool asked() const { return asked_; }
  [[nodiscard]] int unable() const { return unable_; }  // the first rank that could not begin, or -1

  // Before each run ranks say what it is a run of, and 0 behind the last one: false, on all, if that is not
  // the same. They have compared what the command line names, but not yet what that loads or imports.
  bool all_run(std::uint64_t program) {
    if (!unlike_.empty()) return false;
    const std::vector<std::uint64_t> all = rounds_.all_gather(program);
    const auto other = std::find_if(all.begin(), all.end(), [&](std::uint64_t p) { return p != all[0]; });
    if (other == all.end()) return true;
    const auto r = static_cast<int>(other - all.begin());
    unlike_ = "rank " + std::to_string(r) + " (" + rounds_.ranks().host(r) +
              ") has come to another program than rank 0: a file that is loaded or imported differs there";
    return false;
  }
  [[nodiscard]] const std::string& unlike() const { return unlike_; }

  // A run has ended, with a failure on all ranks alike or not.
  void ended(bool alike) { in_step_ = alike; }
  // Whether it is known that all ranks have failed, and none is in a run.
  [[nodiscard]] bool in_step() const { return in_step_; }

 private:
  std::unique_ptr<ranks::Ranks> ranks_;
  ranks::Rounds rounds_;
  int of_host_;
  bool asked_ = false;
  bool in_step_ = false;
  int unable_ = -1;
  std::string unlike_;
};

}  // namespace nvm::lib
