#include "vm/profile/event_ring.h"

#include <algorithm>
#include <charconv>

#include "vm/profile/json.h"

namespace nvm::vm {

namespace {

void append_number(std::string& out, std::int64_t x) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, x).ptr);
}

void append_microseconds(std::string& out, std::int64_t ns) {
  append_number(out, ns / 1000);
  const auto rest = static_cast<int>(ns % 1000);
  const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10)};
  out.append(digits, sizeof digits);
}

}  // namespace

void append_event(std::string& out, const Event& e) {
  out += "{\"ph\":\"";
  out += static_cast<char>(e.phase);
  out += "\",\"pid\":1,\"tid\":";
  append_number(out, e.track);
  out += ",\"ts\":";
  append_microseconds(out, e.at);
  if (e.phase == Phase::kComplete) {
    out += ",\"dur\":";
    append_microseconds(out, e.duration);
  }
  if (e.phase == Phase::kFlowStart || e.phase == Phase::kFlowEnd) {
    out += ",\"id\":";
    append_number(out, e.id);
  }
  if (e.phase == Phase::kFlowEnd) out += ",\"bp\":\"e\"";
  if (e.phase == Phase::kInstant) out += ",\"s\":\"t\"";
  if (e.category[0] != '\0') {
    out += ",\"cat\":";
    append_json(out, e.category);
  }
  out += ",\"name\":";
  append_json(out, e.name);
  if (!e.args.empty()) {
    out += ",\"args\":";
    out += e.args;
  }
  out += "}";
}

void EventRing::push(Event event) {
  const std::lock_guard lock(mutex_);
  if (events_.size() < capacity_) {
    events_.push_back(std::move(event));
    return;
  }
  events_[oldest_] = std::move(event);
  oldest_ = (oldest_ + 1) % capacity_;
  ++lost_;
}

std::vector<Event> EventRing::take(std::uint64_t& lost) {
  std::vector<Event> events;
  const std::lock_guard lock(mutex_);
  events.reserve(events_.size());
  events.swap(events_);
  std::rotate(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(oldest_), events.end());
  oldest_ = 0;
  lost = lost_;
  lost_ = 0;
  return events;
}

}  // namespace nvm::vm
