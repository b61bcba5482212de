// Events of a trace on their way to a file: a bounded ring, from which the oldest drop out if nobody fetches
// them in time, and their text in Chrome's trace event format. An event is noted in a fraction of a
// microsecond, without text being made: its texts are kept once and pointed to, its numbers are written when
// it is fetched.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
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

// Texts that events show, each kept once. Thread-safe.
class EventWords {
 public:
  // The text as JSON, quotes included; stays where it is.
  [[nodiscard]] const std::string* of(std::string_view text);
  // Text that is JSON already.
  [[nodiscard]] const std::string* json(const std::string& text);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::mutex mutex_;
  std::unordered_map<std::string, std::string, Hash, std::equal_to<>> of_text_;
  std::unordered_set<std::string> json_;
};

// Up to kMost members of an event's "args". Keys, plain texts and JSON are pointed to and must stay.
class EventArgs {
 public:
  static constexpr std::size_t kMost = 8;

  EventArgs& add(const char* key, std::int64_t value);
  EventArgs& add(const char* key, double value);
  EventArgs& add(const char* key, const std::string* json);
  // A text without characters that JSON escapes.
  EventArgs& plain(const char* key, const char* text);

  [[nodiscard]] bool empty() const { return count_ == 0; }
  // The members, without braces.
  void append_to(std::string& out) const;

 private:
  enum class Kind : std::uint8_t { kInteger, kReal, kJson, kPlain };
  union Value {
    std::int64_t integer;
    double real;
    const std::string* json;
    const char* plain;
  };
  EventArgs& put(const char* key, Kind kind, Value value);

  std::uint8_t count_ = 0;
  std::array<Kind, kMost> kinds_;
  std::array<const char*, kMost> keys_;
  std::array<Value, kMost> values_;
};

struct Event {
  Phase phase = Phase::kComplete;
  std::int32_t track = 0;
  std::int64_t at = 0;        // nanoseconds since the trace began
  std::int64_t duration = 0;  // kComplete
  std::int64_t id = 0;        // flows: number of the arrow; kBegin, kEnd: calls open outside
  const char* category = "";
  const std::string* name = nullptr;  // of EventWords
  EventArgs args = {};
  std::string more = {};  // further members, as JSON without braces
};

// One line of the file, without a comma.
void append_event(std::string& out, const Event& event);

// Thread-safe.
class EventRing {
 public:
  explicit EventRing(std::size_t capacity) : capacity_(capacity) {}

  void push(Event event);
  [[nodiscard]] bool half_full();
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
