#include "vm/profile/event_ring.h"

#include <algorithm>
#include <cstdio>

#include "vm/profile/json.h"

namespace nvm::vm {

namespace {

std::string microseconds(std::int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

}  // namespace

std::string event_json(const Event& e) {
  std::string out = "{\"ph\":\"";
  out += static_cast<char>(e.phase);
  out += "\",\"pid\":1,\"tid\":" + std::to_string(e.track) + ",\"ts\":" + microseconds(e.at);
  if (e.phase == Phase::kComplete) out += ",\"dur\":" + microseconds(e.duration);
  if (e.phase == Phase::kFlowStart || e.phase == Phase::kFlowEnd) out += ",\"id\":" + std::to_string(e.id);
  if (e.phase == Phase::kFlowEnd) out += ",\"bp\":\"e\"";
  if (e.phase == Phase::kInstant) out += ",\"s\":\"t\"";
  if (e.category[0] != '\0') out += ",\"cat\":" + json_text(e.category);
  out += ",\"name\":" + json_text(e.name);
  if (!e.args.empty()) out += ",\"args\":" + e.args;
  return out + "}";
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
