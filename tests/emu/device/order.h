// What the emulated device knows of the order of its work. Streams promise an order only of what each was
// asked, and between streams what events say; so two pieces of work that no stream, event or wait of the host
// orders must not touch the same memory, unless both only read. Whoever does is found by vector clocks,
// whatever order the work happened to be done in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace emu {

using Clock = std::map<std::uint64_t, std::uint64_t>;  // by stream: how much of its work is over

void join(Clock& into, const Clock& from);

// One piece of work: the `number`-th of its stream; `before` is over when it begins (itself included).
struct Moment {
  std::uint64_t stream = 0;
  std::uint64_t number = 0;
  Clock before;
};

// Of a block of cells, which work shares word by word: what was changed, and what is known to have been read.
struct Words {
  std::vector<std::size_t> changed, read;
};

// Last times a block of memory was read and written, by stream.
class History {
 public:
  // `words`: only these, of a block of cells; of what a kernel reads nothing is known. Empty text, or with
  // what it is at odds.
  [[nodiscard]] std::string touch(const Moment& m, bool write, const Words* words);

 private:
  Clock reads_, writes_;            // of the whole block
  Clock cell_reads_, cell_writes_;  // of some of its words
  std::map<std::size_t, Clock> by_word_, read_by_word_;
};

}  // namespace emu
