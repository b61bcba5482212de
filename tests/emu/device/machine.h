// The emulated device: its memory, streams, events, graphs. What is asked of a stream is done when somebody
// waits for it and no earlier, so that a missing wait shows.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/emu/device/control.h"
#include "tests/emu/device/order.h"

namespace emu {

inline constexpr int kGood = 0, kInvalid = 1, kNoMemory = 2, kNotFound = 500, kNotReady = 600, kIllegal = 700,
                     kLost = 719;
inline constexpr std::size_t kGuard = 64;
using Pointer = std::uint64_t;

struct Block {
  std::size_t bytes = 0;
  bool freed = false;  // kept for a while, so that late uses are found
  bool cells = false;  // some kernel's first argument
  History history;
};

struct Stream;
// One recording of an event.
struct Record {
  Stream* stream = nullptr;  // that will reach it
  bool reached = false;
  Clock clock;
  std::chrono::steady_clock::time_point at{};
};
struct Event {
  std::shared_ptr<Record> last;
};

struct Work {
  Moment moment;
  std::function<int(const Moment&)> act;
  std::shared_ptr<Record> after;  // waits for it first
};
struct Stream {
  std::uint64_t id = 0;
  std::uint64_t asked = 0;
  Clock clock;
  std::deque<Work> work;
};

struct Kernel {
  std::string name;
  void (*run)(const void*, unsigned, unsigned) = nullptr;
  unsigned bytes = 0;
};
struct Module {
  void* library = nullptr;
  std::string prefix;
  std::map<std::string, Kernel> kernels;
};

// What a launch, a fill or a copy on the device does; of a stream or of a node of a graph.
struct Deed {
  enum class Kind : std::uint8_t { kLaunch, kFill, kCopy } kind = Kind::kLaunch;
  const Kernel* kernel = nullptr;
  unsigned blocks = 0, threads = 0;
  std::vector<unsigned char> arguments;
  Pointer to = 0, from = 0;
  std::size_t bytes = 0;
  unsigned char value = 0;
  bool bad = false;
};

struct Machine {
  std::recursive_mutex mutex;
  std::map<std::string, std::uint64_t> settings;
  Counts counts;
  int lost = 0;
  std::map<Pointer, Block> blocks;
  std::deque<Pointer> freed;  // the oldest first
  std::size_t freed_bytes = 0;
  std::vector<Stream*> streams;
  std::uint64_t streams_made = 0;
  Clock host;  // what the host has waited for

  Machine();
  ~Machine();
  void set(const char* text);
  [[nodiscard]] std::uint64_t setting(const char* name, std::uint64_t otherwise = 0) const;
  // Counts a call of the driver; the error of a lost device.
  int call();
};
[[nodiscard]] Machine& machine();

[[noreturn]] void fail(const std::string& what);

// The next piece of work of a stream; `act` may be null (it only takes a place in the order).
Moment ask(Stream& s, std::function<int(const Moment&)> act, std::shared_ptr<Record> after = nullptr);
// Does a stream's work, all of it or until `until` is reached. The device's state.
int run(Stream& s, const Record* until = nullptr);

// The block that has [p, p + bytes), not freed; null if there is none. `any`: freed ones, too.
[[nodiscard]] Block* find(Pointer p, std::size_t bytes, bool any = false);
// Is it there? Aborts if it has been freed.
[[nodiscard]] bool usable(Pointer p, std::size_t bytes, const char* doing);
// Notes a use of the block of p, and aborts if it is at odds with another.
void touch(Pointer p, const Moment& m, bool write, const char* doing);
// Blocks that a deed is told of, and what it wrote there.
struct Touched {
  Pointer block = 0;
  bool write = false;
  bool by_words = false;
  Words words;
};
int perform(const Deed& deed, std::vector<Touched>& touched);
void note(const std::vector<Touched>& touched, const Moment& m, const char* doing);
// Both.
int perform(const Deed& deed, const Moment& m);
[[nodiscard]] const char* name(const Deed& deed);
// A launch with the arguments as they are now; false if it cannot be.
[[nodiscard]] bool make_launch(Deed& deed, void* kernel, unsigned blocks, unsigned threads,
                               void** parameters);
// As it is sent to the device.
void count_launch(Deed& deed);

}  // namespace emu
