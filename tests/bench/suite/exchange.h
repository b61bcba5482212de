// What a command from outside and the measurement hand each other: files in a folder of their own.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tests/bench/suite/workload.h"

namespace nvm::bench {

// The parts of the inputs as NAME.K.npy, parts counted from 0 as Nesl::bind takes them (of a sequence 0 is
// its length, as a descriptor of one segment). What a command leaves there as result.K.npy is its result, in
// the parts of nvm's. The folder goes with its owner.
class Exchange {
 public:
  explicit Exchange(const Instance& instance);
  ~Exchange();
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] std::string path() const { return folder_; }
  void forget() const;  // removes results
  // What is wrong with the result there; nothing if there is none.
  [[nodiscard]] std::optional<std::string> check() const;

 private:
  std::filesystem::path folder_;
  std::function<std::string(Values)> check_;
};

}  // namespace nvm::bench
