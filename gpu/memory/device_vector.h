// Elements of a vector on a device. Host memory for them is always there, though it may not be valid; so a
// device that needs room can send any vector home.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "bytecode/base/remote.h"
#include "gpu/memory/open_device.h"
#include "gpu/queue.h"

namespace nvm::gpu {

class DeviceVector final : public Remote {
 public:
  // `bytes` of host memory at `home`. Not on the device yet, or already there, alone, at `memory`, which then
  // belongs to this.
  DeviceVector(std::shared_ptr<OpenDevice> device, const void* home, std::size_t bytes, Address memory = 0);
  ~DeviceVector() override;

  [[nodiscard]] bool fetch(std::string& why) override;
  void leave() override;

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool on(const OpenDevice& device) const { return device_.get() == &device; }
  // Where bytes of the home from `from` on stand on the device, copied there if they do not stand there yet;
  // 0 if there is no memory, they are not all of this vector's, or the device has failed. They stay until
  // unpin().
  [[nodiscard]] Address pin(const void* from, std::size_t bytes);
  void hold() { ++pins_; }  // for the maker
  void unpin() { --pins_; }
  // Frees the device's memory, if nobody uses it, and says whether there was any. What only the device has is
  // sent home, if `send`; otherwise such a vector stays.
  bool evict(bool send);

 private:
  [[nodiscard]] bool fetch_locked(std::string& why);

  const std::shared_ptr<OpenDevice> device_;
  const std::size_t bytes_;
  std::mutex mutex_;
  std::byte* home_;
  Address memory_;
  bool home_valid_;
  std::atomic<int> pins_{0};
  std::list<DeviceVector*>::iterator place_;  // of Residents
  friend class Residents;
};

// The vectors of one device, in the order of their last use.
class Residents {
 public:
  void add(DeviceVector* v);
  void remove(DeviceVector* v);
  void touch(DeviceVector* v);
  // Makes room: frees, the longest unused first, what stands on the host too, or else what can be sent there.
  // False if nothing was freed.
  bool evict(std::size_t wanted);

 private:
  std::mutex mutex_;
  std::list<DeviceVector*> vectors_;
};

}  // namespace nvm::gpu
