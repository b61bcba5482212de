// Events of a trace on their way to a file: a bounded ring, from which the oldest drop out if nobody fetches
// them in time, and their text in Chrome's trace event format.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace nvm::vm {

// Chrome's phases, as far as they are used.
enum class Phase : char {
  kComplete = 'X',
  kBegin = 'B',
  kEnd = 'E',
  kInstant = 'i',
  kCounter = 'C',
  kFlowStart = 's',
  kFlowEnd = 'f',
  kMetadata = 'M',
};

struct Event {
  Phase phase = Phase::kComplete;
  std::int32_t track = 0;
  std::int64_t at = 0;        // nanoseconds since the trace began
  std::int64_t duration = 0;  // kComplete
  std::int64_t id = 0;        // flows: number of the arrow; kBegin, kEnd: calls open outside
  const char* category = "";
  std::string name;
  std::string args = {};  // a JSON object, "" for none
};

// One line of the file, without a comma.
void append_event(std::string& out, const Event& event);

// Thread-safe.
class EventRing {
 public:
  explicit EventRing(std::size_t capacity) : capacity_(capacity) {}

  void push(Event event);
  // All events that are there, oldest first, and how many were lost before them.
  [[nodiscard]] std::vector<Event> take(std::uint64_t& lost);

 private:
  std::size_t capacity_;
  std::mutex mutex_;
  std::vector<Event> events_;
  std::size_t oldest_ = 0;  // once the ring is full
  std::uint64_t lost_ = 0;
};

}  // namespace nvm::vm
