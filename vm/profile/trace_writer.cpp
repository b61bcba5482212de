// The writing side of a trace: a thread that fetches events, so that a run that is killed leaves what it had
// noted until shortly before. The array's closing bracket comes last; readers of the format do without it.
#include "vm/data/pool.h"
#include "vm/profile/chrome_trace.h"
#include "vm/profile/json.h"

namespace nvm::vm {

void ChromeTrace::write_loop() {
  std::unique_lock lock(mutex_);
  const std::chrono::duration<double> period(options_.period);
  int periods = 0;
  while (!wake_.wait_for(lock, period, [this] { return stop_; })) {
    lock.unlock();
    budget_.store(options_.budget, std::memory_order_relaxed);
    period_.fetch_add(1, std::memory_order_relaxed);
    see_instructions(true);
    see_calls(true);
    sample_memory();
    if (!options_.keep && (++periods % options_.write_every == 0 || ring_.half_full())) drain();
    lock.lock();
  }
}

bool ChromeTrace::close() {
  if (closed_) return good_;
  closed_ = true;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  writer_.join();
  if (writer_.failed()) good_ = false;  // events are lost
  end_phase();
  close_all();
  if (left_out_ > 0 || left_out_regions_ > 0)
    instant("trace", "left out",
            EventArgs()
                .add("calls", static_cast<std::int64_t>(left_out_))
                .add("regions", static_cast<std::int64_t>(left_out_regions_))
                .plain("why", "to note them all would have slowed the program down"));
  drain();
  put("\n]\n");
  return good_;
}

void ChromeTrace::put(const std::string& text) {
  if (good_) good_ = sink_(text);
}

void ChromeTrace::drain() {
  std::uint64_t lost = 0;
  const std::vector<Event> events = ring_.take(lost);
  if (lost > 0) {
    lost_ += lost;
    const std::string text = json_text(std::to_string(lost) + " events before this one were dropped");
    write_event({Phase::kInstant, 1, events.front().at, 0, 0, "trace", &text,
                 EventArgs().add("so far", static_cast<std::int64_t>(lost_))});
  }
  for (const Event& e : events) write_event(e);
  if (!pending_.empty()) put(pending_);
  pending_.clear();
}

// Beginnings and ends stay paired also where some were dropped.
void ChromeTrace::write_event(const Event& event) {
  const auto line = [&](const Event& e) {
    pending_ += ",\n";
    append_event(pending_, e);
  };
  if (event.phase == Phase::kEnd) {
    if (event.id >= open_written_) return;
    for (; open_written_ > event.id + 1; --open_written_) line(event);
    open_written_ = event.id;
  }
  if (event.phase == Phase::kBegin) {
    Event dropped = event;
    dropped.name = names_.words("dropped");
    for (; open_written_ < event.id; ++open_written_) line(dropped);
    open_written_ = event.id + 1;
  }
  line(event);
}

void ChromeTrace::sample_memory() {
  const std::lock_guard lock(pool_mutex_);
  if (pool_ == nullptr) return;
  const PoolStats s = pool_->stats();
  const std::array<std::size_t, 3> memory{s.live, s.mapped, s.peak};
  if (memory == memory_) return;
  memory_ = memory;
  EventArgs args;
  args.add("live", static_cast<std::int64_t>(s.live)).add("pool", static_cast<std::int64_t>(s.mapped));
  args.add("peak", static_cast<std::int64_t>(s.peak));
  ring_.push({Phase::kCounter, 1, clock(), 0, 0, "memory", names_.words("memory"), args});
}

}  // namespace nvm::vm
