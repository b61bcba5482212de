// A part of a kernel: a range of its iterations, an argument of a run (Run::part). What parts of one kernel
// tell each other goes through an Exchange; fission.def says what that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nvm::plan {

// What a sink hands on. Only the engine that made the words reads them.
using RecordWords = std::vector<std::uint64_t>;

// An element that a kScatter writes, its bytes the low ones.
struct Write {
  std::int64_t place;
  std::uint64_t element;
};

// Calls come from any thread that runs a part.
class Exchange {
 public:
  virtual ~Exchange() = default;
  // What sink `sink` of the part before has handed on, which is waited for. Null: it never will.
  [[nodiscard]] virtual const RecordWords* before(std::size_t sink) = 0;
  virtual void after(std::size_t sink, RecordWords record) = 0;
  // Where the elements of a kScatter go, in the order of iterations, for whoever has their places; null: into
  // the vector itself.
  [[nodiscard]] virtual std::vector<Write>* writes(std::size_t sink) = 0;
};

// Iterations [begin, end) of kernel `kernel`, not empty; without an exchange all of them.
struct Part {
  std::size_t kernel = 0;
  std::int64_t begin = 0, end = 0;
  Exchange* exchange = nullptr;
};

}  // namespace nvm::plan
