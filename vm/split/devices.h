// The processor's threads as several devices: each has a thread that runs its parts, and its share of the
// others.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bytecode/base/thread.h"
#include "vm/split/split_run.h"

namespace nvm::vm {

// What `--devices` says: of each device how fast it is, compared with the others.
struct DeviceList {
  std::vector<int> speeds;
};

// "cpu", "cpu*K", "cpu*K=S:S...", K at most 64, speeds at most 1000. Nothing, with why in words, if it is
// none.
[[nodiscard]] std::optional<DeviceList> parse_devices(std::string_view text, std::string& why);

struct DeviceCounters {
  std::string name;
  std::uint64_t parts = 0;
  std::uint64_t iterations = 0;
};

// A kernel is cut into a long part for each device, by speed, which together are half of it, and shorter ones
// for whoever is free (guided self-scheduling: Polychronopoulos and Kuck 1987): so devices that turn out
// faster, or have got the part with less work, do more. Cuts are at multiples of whole superblocks of folds
// where parts are long, of blocks or groups where they are shorter, so that parts rarely wait. Devices slower
// than the fastest are imitated: they pause after each part.
// Folds of FLOATs by segment are cut where a segment begins, or a block of a long one.
class Devices final : public Crew {
 public:
  // Kernels of fewer iterations than `least` for each device are not cut.
  explicit Devices(const DeviceList& list, std::int64_t least = std::int64_t{1} << 15);
  ~Devices() override;

  [[nodiscard]] std::vector<std::int64_t> ends(const plan::Kernel& kernel, std::int64_t n,
                                               std::span<const plan::Desc> descs) override;
  void work(std::size_t parts, int threads, const RunPart& run) override;
  [[nodiscard]] std::vector<DeviceCounters> counters() const;

 private:
  struct Device;
  void in_order(std::size_t parts, int threads, const RunPart& run);
  [[nodiscard]] bool start();
  void serve(std::size_t device);
  void take_parts(std::size_t device, std::unique_lock<std::mutex>& lock);
  void count(std::size_t device, std::int64_t iterations);  // of a part that it ran, under the lock

  std::vector<int> speeds_;
  std::int64_t least_;
  std::vector<std::unique_ptr<Device>> devices_;
  mutable std::mutex mutex_;
  std::condition_variable begin_, done_;
  const RunPart* run_ = nullptr;                 // under way; null: nothing
  std::size_t parts_ = 0, left_ = 0, next_ = 0;  // not ended; not yet taken
  int threads_ = 1;
  std::uint64_t round_ = 0;
  bool closing_ = false;
  std::atomic_flag busy_;
};

}  // namespace nvm::vm
