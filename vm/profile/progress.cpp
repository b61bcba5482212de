#include "vm/profile/progress.h"

#include <cstdio>

#include "vm/data/pool.h"
#include "vm/interp/work.h"

namespace nvm::vm {

namespace {

std::string scaled(double x) {
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  int u = 0;
  while (x >= 999.5 && u < 4) x /= 1000, ++u;
  char text[40];
  std::snprintf(text, sizeof text, x < 10 && u > 0 ? "%.1f%s" : "%.0f%s", x, kUnits[u]);
  return text;
}

}  // namespace

Progress::Progress(Show show, const ProgressOptions& options)
    : Observer(true, Recorded::kNothing),
      show_(std::move(show)),
      options_(options),
      thread_([this] { loop(); }) {}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Progress::loop() {
  std::unique_lock lock(mutex_);
  const auto wait = [&](double seconds) {
    return wake_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return stop_; });
  };
  if (wait(options_.delay)) return;
  do {
    lock.unlock();
    show_(line());
    lock.lock();
  } while (!wait(options_.period));
  show_("");
}

std::string Progress::line() {
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const std::int64_t elements = elements_.load(std::memory_order_relaxed);
  char head[80];
  std::snprintf(head, sizeof head, "%.1f s, ", now);
  std::string out = head;
  out += scaled(static_cast<double>(elements - shown_elements_) / std::max(now - shown_at_, 1e-9)) +
         " elements/s";
  shown_elements_ = elements;
  shown_at_ = now;
  if (const std::string* function = function_.load(std::memory_order_acquire))
    out += ", " + *function + " level " + std::to_string(level_.load(std::memory_order_relaxed));
  const std::lock_guard lock(pool_mutex_);
  if (pool_ != nullptr) out += ", " + scaled(static_cast<double>(pool_->stats().live)) + "B";
  return out;
}

void Progress::begin_run(const ssa::Module& module, const Pool& pool) {
  levels_.begin(module.functions.size());
  open_.clear();
  name_of_.clear();
  for (const ssa::Function& f : module.functions)
    name_of_.push_back(&names_.emplace_back(f.origin.empty() ? f.name : f.origin));
  const std::lock_guard lock(pool_mutex_);
  pool_ = &pool;
}

void Progress::end_run() {
  open_.clear();
  show_call();
  const std::lock_guard lock(pool_mutex_);
  pool_ = nullptr;
}

void Progress::show_call() {
  function_.store(open_.empty() ? nullptr : open_.back().name, std::memory_order_release);
  level_.store(open_.empty() ? 0 : open_.back().level, std::memory_order_relaxed);
}

void Progress::begin(const ssa::Inst&, const Site&, std::int64_t work) {
  const std::int64_t now = elements_.load(std::memory_order_relaxed);
  elements_.store(now + work, std::memory_order_relaxed);
}

void Progress::end_region(std::span<const RecordedWork>, const RegionRun& run) {
  elements_.store(elements_.load(std::memory_order_relaxed) + run.elements, std::memory_order_relaxed);
}

void Progress::enter(const CallStart& call) {
  open_.push_back({name_of_[static_cast<std::size_t>(call.function)], levels_.enter(call)});
  show_call();
}

void Progress::leave(ssa::FunctionId) {
  levels_.leave();
  if (!open_.empty()) open_.pop_back();
  show_call();
}

void Progress::begin_groups(const CallStart& call, std::int64_t, std::size_t) {
  const std::int32_t level = levels_.enter(call);
  levels_.leave();
  function_.store(name_of_[static_cast<std::size_t>(call.function)], std::memory_order_release);
  level_.store(level, std::memory_order_relaxed);
}

}  // namespace nvm::vm
