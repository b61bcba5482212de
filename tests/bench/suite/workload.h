// A workload: one program in NESL or Remora, inputs of three sizes, and those who do the same without nvm.
//
// Each stands in a file of its own under workloads/, with one function that makes an instance of it; the list
// is workloads/table.def.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "vm/lib/nvm.hpp"

namespace nvm::bench {

// Somebody who solves the instance. Its memory is allocated beforehand and used again in each run.
struct Rival {
  std::string name;                    // "hand", "library", "std"
  std::string what;                    // the algorithm in a few words
  std::function<void()> run;           // what is timed
  std::function<std::string()> check;  // what is wrong with the last run's result, "" if nothing
  std::function<void()> prepare = {};  // before each run, not timed
};

// A value for a variable; type and parts as Nesl::bind takes them, for Remora as Remora::bind.
struct Input {
  std::string name;
  std::string type;
  std::vector<lib::Value> slots;
};

using Values = std::span<const lib::Value>;
constexpr std::size_t kParts = 8;  // a check gets so many at least, more than any result has

struct Instance {
  std::int64_t n = 0;  // the size that was made, if not the one asked for
  std::vector<Input> inputs;
  std::string expression;                    // what nvm computes of them
  std::function<std::string(Values)> check;  // what is wrong with its value, "" if nothing
  std::vector<Rival> rivals;
};

struct Problem {
  std::int64_t n = 0;
  std::uint64_t seed = 1;
  int threads = 1;
};

struct Workload {
  const char* id;       // "W1"
  const char* title;    // "dot product, f64"
  const char* program;  // its text, from the root of the sources
  std::int64_t n;       // of the large size; the others are a tenth and a hundredth of it
  double target;        // nvm's time is to be at most so many times that of ...
  const char* rival;    // ... this one
  Instance (*make)(const Problem&);
  // The program's file: below the folder that NVM_BENCH_SOURCES names, else below the sources that this was
  // built from.
  [[nodiscard]] std::string program_file() const {
    const char* const moved = std::getenv("NVM_BENCH_SOURCES");
    return std::string(moved == nullptr ? NVM_SOURCE_DIR : moved) + "/" + program;
  }
};

[[nodiscard]] std::span<const Workload> all_workloads();

}  // namespace nvm::bench
