#include "gpu/memory/staging.h"

#include <algorithm>
#include <cstring>

namespace nvm::gpu {

bool Staging::open(const Driver& driver) {
  constexpr unsigned kNoTiming = 2;
  if (!tried_) {
    tried_ = true;
    void* memory = nullptr;
    if (driver.host_allocate(&memory, 2 * kPiece) != 0) return false;
    for (Event& e : done_)
      if (driver.event_create(&e, kNoTiming) != 0) return false;
    pieces_[0] = static_cast<std::byte*>(memory);
    pieces_[1] = pieces_[0] + kPiece;
  }
  return pieces_[0] != nullptr;
}

void Staging::close(const Driver& driver) {
  for (const Event e : done_)
    if (e != nullptr) static_cast<void>(driver.event_destroy(e));
  if (pieces_[0] != nullptr) static_cast<void>(driver.host_free(pieces_[0]));
}

int Staging::upload(const Driver& driver, Stream stream, DevicePointer to, const void* from,
                    std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  int code = 0;
  if (bytes < kWorthIt || !open(driver)) {
    code = driver.copy_in(to, from, bytes, stream);
    return code != 0 ? code : driver.stream_wait(stream);
  }
  for (std::size_t at = 0, k = 0; at < bytes && code == 0; at += kPiece, k ^= 1) {
    const std::size_t part = std::min(kPiece, bytes - at);
    if (at >= 2 * kPiece) code = driver.event_wait(done_[k]);
    std::memcpy(pieces_[k], static_cast<const std::byte*>(from) + at, part);
    if (code == 0) code = driver.copy_in(to + at, pieces_[k], part, stream);
    if (code == 0) code = driver.event_record(done_[k], stream);
  }
  return code != 0 ? code : driver.stream_wait(stream);
}

int Staging::download(const Driver& driver, Stream stream, void* to, DevicePointer from, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  int code = 0;
  if (bytes < kWorthIt || !open(driver)) {
    code = driver.copy_out(to, from, bytes, stream);
    return code != 0 ? code : driver.stream_wait(stream);
  }
  const auto piece = [&](std::size_t at) { return std::min(kPiece, bytes - at); };
  const auto ask = [&](std::size_t at) {
    const std::size_t k = at / kPiece % 2;
    code = driver.copy_out(pieces_[k], from + at, piece(at), stream);
    if (code == 0) code = driver.event_record(done_[k], stream);
  };
  ask(0);
  for (std::size_t at = 0; at < bytes && code == 0; at += kPiece) {
    if (at + kPiece < bytes) ask(at + kPiece);
    const std::size_t k = at / kPiece % 2;
    if (code == 0) code = driver.event_wait(done_[k]);
    if (code == 0) std::memcpy(static_cast<std::byte*>(to) + at, pieces_[k], piece(at));
  }
  return code;
}

}  // namespace nvm::gpu
