#include "vm/split/exchange.h"

#include <utility>

namespace nvm::vm {

Records::Records(std::size_t parts, std::size_t sinks)
    : sinks_(sinks), cells_(parts * sinks), ended_(parts, false) {
  links_.reserve(parts);
  for (std::size_t p = 0; p < parts; ++p) links_.emplace_back(*this, p);
}

void Records::list(std::size_t sink) {
  for (std::size_t p = 0; p < links_.size(); ++p) cell(p, sink).listed = true;
}

void Records::ended(std::size_t part, bool well) {
  const std::lock_guard lock(mutex_);
  ended_[part] = true;
  stopped_ = stopped_ || !well;
  news_.notify_all();
}

bool Records::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopped_;
}

const std::vector<plan::Write>& Records::writes(std::size_t part, std::size_t sink) const {
  return cells_[part * sinks_ + sink].writes;
}

std::size_t Records::count() const {
  std::size_t n = 0;
  for (const Cell& c : cells_) n += c.record ? 1 : 0;
  return n;
}

std::size_t Records::words() const {
  std::size_t n = 0;
  for (const Cell& c : cells_) n += c.record ? c.record->size() : 0;
  return n;
}

const plan::RecordWords* Records::Link::before(std::size_t sink) {
  std::unique_lock lock(all_.mutex_);
  const Cell& c = all_.cell(part_ - 1, sink);
  all_.news_.wait(lock, [&] { return c.record || all_.stopped_ || all_.ended_[part_ - 1]; });
  return c.record ? &*c.record : nullptr;
}

void Records::Link::after(std::size_t sink, plan::RecordWords record) {
  const std::lock_guard lock(all_.mutex_);
  Cell& c = all_.cell(part_, sink);
  if (!c.record) c.record = std::move(record);
  all_.news_.notify_all();
}

std::vector<plan::Write>* Records::Link::writes(std::size_t sink) {
  Cell& c = all_.cell(part_, sink);
  return c.listed ? &c.writes : nullptr;
}

}  // namespace nvm::vm
