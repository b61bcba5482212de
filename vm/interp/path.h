// The way that control took through lifted functions, so that what groups of instances execute beside each
// other can be counted as the whole would execute it: once.
//
// Noted are blocks that the cost model charges or that call, by their marks (Code::marks), in one or two
// bytes each. Grammar: activation = { mark activation * calls(mark) } 0, the marks of a function ascending.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nvm::vm {

// What a block counts that does not add up over groups.
struct Mark {
  std::uint64_t work = 0;   // however many instances there are
  std::uint64_t depth = 0;  // instructions
  std::uint32_t calls = 0;
};

using PathBytes = std::vector<std::uint8_t>;

// Notes one call and what it calls. Throws Fault (denied) if that is too much to keep.
class Path {
 public:
  void clear() {
    bytes_.clear();
    tails_.clear();
    before_.clear();
    rests_.clear();
    rest_ends_.clear();
  }
  void at(std::uint32_t mark) {
    for (; mark >= 0x80; mark >>= 7) bytes_.push_back(static_cast<std::uint8_t>(mark | 0x80));
    bytes_.push_back(static_cast<std::uint8_t>(mark));
  }
  // Around a call; a tail call ends with that which it takes the place of.
  void open();
  void tail() { ++tails_.back(); }
  void close() {
    bytes_.insert(bytes_.end(), tails_.back() + 1, 0);
    tails_.pop_back();
  }
  // The outermost activation goes on while a call that it makes waits (level_loop.h), then comes to its end;
  // the next activation is that of the call. Where none waited, put_together() the whole.
  void leave();
  void end_level();
  void put_together();
  // A call that was made in groups.
  void append(const PathBytes& activation);
  [[nodiscard]] PathBytes take();

 private:
  PathBytes bytes_;
  std::vector<std::uint32_t> tails_;  // by open call: tail calls in it
  PathBytes before_;                  // of levels: all up to the call that waits
  PathBytes rests_;                   // what came behind it, level by level
  std::vector<std::size_t> rest_ends_;
};

// What control came to in one activation or the other, of the same function. An empty one is none.
[[nodiscard]] PathBytes unite(std::span<const Mark> marks, const PathBytes& a, const PathBytes& b);
// The marks of a path, summed up.
[[nodiscard]] Mark sum_of(std::span<const Mark> marks, const PathBytes& path);

}  // namespace nvm::vm
