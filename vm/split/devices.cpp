#include "vm/split/devices.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <numeric>
#include <system_error>
#include <thread>

#include "vm/simd/reduce_tree.h"
#include "vm/split/segments.h"

namespace nvm::vm {

namespace {

std::optional<int> number(std::string_view text, int most) {
  int n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1 || n > most) return std::nullopt;
  return n;
}

// What parts begin at multiples of, if the shortest has so many iterations.
std::int64_t grain_of(std::int64_t shortest) {
  constexpr std::int64_t kSuperblock = kReduceBlock * kReduceBlock;
  if (shortest >= 2 * kSuperblock) return kSuperblock;
  return shortest >= kReduceBlock ? kReduceBlock : kScanGroup;
}

// The segments of folds that would wait for the part before where they are cut.
const plan::Desc* followed(const plan::Kernel& kernel, std::span<const plan::Desc> descs) {
  for (const plan::Sink& s : kernel.sinks) {
    const bool folds = s.kind == plan::SinkKind::kSegReduce || s.kind == plan::SinkKind::kSegScan;
    if (!folds || s.type != Type::kFloat || s.desc == soac::kNone) continue;
    const plan::Desc& d = descs[static_cast<std::size_t>(s.desc)];
    if (d.segments > 1) return &d;
  }
  return nullptr;
}

// A place near `end` that a fold begins at; segments longer than an eighth of a part are cut between blocks.
std::int64_t settled(const plan::Desc& d, std::int64_t end, std::int64_t part) {
  const std::int64_t next = std::min(first_from(d, end), d.segments);
  if (next == 0 || offset_of(d, next) <= end) return end;
  const std::int64_t begin = offset_of(d, next - 1);
  return offset_of(d, next) - begin <= part / 8 ? begin : begin + (end - begin) / kReduceBlock * kReduceBlock;
}

constexpr std::int64_t kPieces = 16;  // what a device of speed 1 has is cut into, at most

}  // namespace

std::optional<DeviceList> parse_devices(std::string_view text, std::string& why) {
  constexpr int kMostDevices = 64, kMostSpeed = 1000;
  why =
      "expected cpu, cpu*K with K from 1 to " + std::to_string(kMostDevices) +
      ", or cpu*K=S:S..., as cpu*2=1:3, with a relative speed for each of K devices, an integer from 1 to " +
      std::to_string(kMostSpeed);
  if (text == "cpu") return DeviceList{{1}};
  if (!text.starts_with("cpu*")) return std::nullopt;
  text.remove_prefix(4);
  const std::size_t equals = text.find('=');
  const auto count = number(text.substr(0, equals), kMostDevices);
  if (!count) return std::nullopt;
  if (equals == std::string_view::npos)
    return DeviceList{std::vector<int>(static_cast<std::size_t>(*count), 1)};
  DeviceList list;
  text.remove_prefix(equals + 1);
  for (;;) {
    const std::size_t colon = text.find(':');
    const auto speed = number(text.substr(0, colon), kMostSpeed);
    if (!speed) return std::nullopt;
    list.speeds.push_back(*speed);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
  }
  if (list.speeds.size() != static_cast<std::size_t>(*count)) return std::nullopt;
  return list;
}

struct Devices::Device {
  DeviceCounters counters;
  Thread thread;
};

Devices::Devices(const DeviceList& list, std::int64_t least) : speeds_(list.speeds), least_(least) {
  for (std::size_t d = 0; d < speeds_.size(); ++d) {
    devices_.push_back(std::make_unique<Device>());
    devices_.back()->counters.name = "cpu/" + std::to_string(d);
  }
}

Devices::~Devices() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  begin_.notify_all();
  devices_.clear();  // their threads end before what they wait for does
}

std::vector<std::int64_t> Devices::ends(const plan::Kernel& kernel, std::int64_t n,
                                        std::span<const plan::Desc> descs) {
  const auto count = static_cast<std::int64_t>(speeds_.size());
  if (count < 2 || n / count < least_) return {n};
  const std::int64_t all = std::max(count, std::accumulate(speeds_.begin(), speeds_.end(), std::int64_t{0}));
  const std::int64_t shortest = std::max(least_ / kPieces, n / (all * kPieces));
  const std::int64_t grain = grain_of(shortest);
  std::vector<std::int64_t> ends;
  std::int64_t speed = 0;
  for (const int s : speeds_) {
    speed += s;
    ends.push_back(n / 2 / all * speed / grain * grain);
  }
  while (ends.back() < n) {
    const std::int64_t left = n - ends.back();
    const std::int64_t part = std::max(left / (2 * count), shortest);
    ends.push_back(left <= 2 * shortest ? n : std::min((ends.back() + part + grain - 1) / grain * grain, n));
  }
  if (const plan::Desc* d = followed(kernel, descs))
    for (std::size_t p = 0; p + 1 < ends.size(); ++p) ends[p] = settled(*d, ends[p], shortest);
  return ends;
}

// The calling thread is the first device's. Whoever comes while they work does all
// alone.
void Devices::work(std::size_t parts, int threads, const RunPart& run) {
  if (busy_.test_and_set(std::memory_order_acquire)) return in_order(parts, threads, run);
  if (!start()) {
    in_order(parts, threads, run);
    return busy_.clear(std::memory_order_release);
  }
  const int each = std::max(1, threads / static_cast<int>(devices_.size()));
  {
    const std::lock_guard lock(mutex_);
    run_ = &run;
    parts_ = left_ = parts;
    next_ = std::min(devices_.size(), parts);
    threads_ = each;
    ++round_;
  }
  begin_.notify_all();
  std::unique_lock lock(mutex_);
  take_parts(0, lock);
  done_.wait(lock, [&] { return left_ == 0; });
  run_ = nullptr;
  busy_.clear(std::memory_order_release);
}

void Devices::in_order(std::size_t parts, int threads, const RunPart& run) {
  for (std::size_t p = 0; p < parts; ++p) {
    const std::int64_t iterations = run(p, threads);
    const std::lock_guard lock(mutex_);
    count(0, iterations);
  }
}

// False: the system has no more threads.
bool Devices::start() {
  try {
    for (std::size_t d = 1; d < devices_.size(); ++d)
      if (!devices_[d]->thread.running()) devices_[d]->thread.start([this, d] { serve(d); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void Devices::serve(std::size_t device) {
  std::uint64_t seen = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    begin_.wait(lock, [&] { return closing_ || (run_ != nullptr && round_ != seen); });
    if (closing_) return;
    seen = round_;
    take_parts(device, lock);
  }
}

// Its own, and then the first one that nobody has: who waits for a part waits for one that somebody has
// begun.
void Devices::take_parts(std::size_t device, std::unique_lock<std::mutex>& lock) {
  const int fastest = *std::max_element(speeds_.begin(), speeds_.end());
  const auto& run = *run_;
  const int threads = threads_;
  for (std::size_t part = device; part < parts_; part = next_++) {
    lock.unlock();
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t iterations = run(part, threads);
    if (speeds_[device] < fastest)
      std::this_thread::sleep_for((std::chrono::steady_clock::now() - begin) * (fastest - speeds_[device]) /
                                  speeds_[device]);
    lock.lock();
    count(device, iterations);
    if (--left_ == 0) done_.notify_one();
  }
}

void Devices::count(std::size_t device, std::int64_t iterations) {
  DeviceCounters& c = devices_[device]->counters;
  ++c.parts;
  c.iterations += static_cast<std::uint64_t>(iterations);
}

std::vector<DeviceCounters> Devices::counters() const {
  const std::lock_guard lock(mutex_);
  std::vector<DeviceCounters> all;
  for (const auto& d : devices_) all.push_back(d->counters);
  return all;
}

}  // namespace nvm::vm
