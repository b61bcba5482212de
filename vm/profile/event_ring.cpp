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

const std::string* EventWords::of(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const auto found = of_text_.find(text);
  if (found != of_text_.end()) return &found->second;
  return &of_text_.emplace(text, json_text(text)).first->second;
}

const std::string* EventWords::json(const std::string& text) {
  const std::lock_guard lock(mutex_);
  return &*json_.insert(text).first;
}

EventArgs& EventArgs::put(const char* key, Kind kind, Value value) {
  if (count_ == kMost) return *this;
  keys_[count_] = key;
  kinds_[count_] = kind;
  values_[count_++] = value;
  return *this;
}

EventArgs& EventArgs::add(const char* key, std::int64_t value) {
  return put(key, Kind::kInteger, {.integer = value});
}
EventArgs& EventArgs::add(const char* key, double value) { return put(key, Kind::kReal, {.real = value}); }
EventArgs& EventArgs::add(const char* key, const std::string* json) {
  return put(key, Kind::kJson, {.json = json});
}
EventArgs& EventArgs::plain(const char* key, const char* text) {
  return put(key, Kind::kPlain, {.plain = text});
}

void EventArgs::append_to(std::string& out) const {
  for (std::size_t i = 0; i < count_; ++i) {
    out += i == 0 ? "\"" : ",\"";
    out += keys_[i];
    out += "\":";
    switch (kinds_[i]) {
      case Kind::kInteger: append_number(out, values_[i].integer); break;
      case Kind::kReal: out += json_number(values_[i].real); break;
      case Kind::kJson: out += *values_[i].json; break;
      case Kind::kPlain: (out += '"') += values_[i].plain, out += '"'; break;
    }
  }
}

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
    out += ",\"cat\":\"";
    out += e.category;
    out += '"';
  }
  out += ",\"name\":";
  out += *e.name;
  if (!e.args.empty() || !e.more.empty()) {
    out += ",\"args\":{";
    e.args.append_to(out);
    if (!e.args.empty() && !e.more.empty()) out += ',';
    out += e.more;
    out += '}';
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

bool EventRing::half_full() {
  const std::lock_guard lock(mutex_);
  return events_.size() > capacity_ / 2;
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
