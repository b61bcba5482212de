// Pinned memory that pageable memory passes through on its way to a device and back: the next piece is copied
// by the processor while the device moves the one before.
#pragma once

#include <cstddef>
#include <mutex>

#include "gpu/api/driver.h"

namespace nvm::gpu {

class Staging {
 public:
  // Of the current context, whose driver and stream must outlive this.
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Copies and waits. 0 or the driver's error.
  [[nodiscard]] int upload(const Driver& driver, Stream stream, DevicePointer to, const void* from,
                           std::size_t bytes);
  [[nodiscard]] int download(const Driver& driver, Stream stream, void* to, DevicePointer from,
                             std::size_t bytes);
  void close(const Driver& driver);

 private:
  static constexpr std::size_t kPiece = std::size_t{4} << 20;
  static constexpr std::size_t kWorthIt = std::size_t{64} << 10;  // below, the driver's own way is as good
  // False if there is no pinned memory to be had.
  [[nodiscard]] bool open(const Driver& driver);

  std::mutex mutex_;
  bool tried_ = false;
  std::byte* pieces_[2] = {};
  Event done_[2] = {};
};

}  // namespace nvm::gpu
