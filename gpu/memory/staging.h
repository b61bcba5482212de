// Pinned memory that pageable memory passes through on its way to a device and back: the next piece is copied
// by the processor while the device moves the one before. One thread copies more slowly than a link moves, so
// long vectors have several.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>

#include "gpu/api/driver.h"

namespace nvm::gpu {

class Staging {
 public:
  // Of one context, whose driver and stream must outlive this.
  Staging() = default;
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  // Copies and waits. 0 or the driver's error.
  [[nodiscard]] int upload(const Driver& driver, Context context, Stream stream, DevicePointer to,
                           const void* from, std::size_t bytes);
  [[nodiscard]] int download(const Driver& driver, Context context, Stream stream, void* to,
                             DevicePointer from, std::size_t bytes);
  void close(const Driver& driver);

 private:
  static constexpr std::size_t kPiece = std::size_t{2} << 20;
  static constexpr std::size_t kWorthIt = std::size_t{64} << 10;  // below, the driver's own way is as good
  static constexpr std::size_t kOfThread = 4 * kPiece;            // from which on another thread is worth it
  static constexpr std::size_t kMostThreads = 8;

  // What one thread has: two pieces, and when the device is done with each.
  struct Lane {
    std::array<std::byte*, 2> pieces = {};
    std::array<Event, 2> done = {};
    bool tried = false;
    [[nodiscard]] bool open(const Driver& driver);  // false if there is no pinned memory to be had
  };
  // One transfer, which its threads take pieces of.
  struct Transfer {
    const Driver& driver;
    Stream stream;
    DevicePointer device;
    std::byte* host;
    std::size_t bytes;
    std::atomic<std::size_t> next = 0;
    std::atomic<int> code = 0;

    // The next piece; false if there is none.
    bool take(std::size_t& at, std::size_t& part);
    bool good(int error);
  };
  static void upload(Transfer& t, Lane& lane);
  static void download(Transfer& t, Lane& lane);
  void share_out(Transfer& t, Context context, void (*work)(Transfer&, Lane&));

  std::mutex mutex_;
  std::array<Lane, kMostThreads> lanes_;
};

}  // namespace nvm::gpu
