#include "gpu/memory/staging.h"

#include <algorithm>
#include <cstring>
#include <system_error>
#include <thread>

#include "bytecode/base/thread.h"

namespace nvm::gpu {

bool Staging::Lane::open(const Driver& driver) {
  constexpr unsigned kNoTiming = 2;
  if (!tried) {
    tried = true;
    void* memory = nullptr;
    for (Event& e : done)
      if (driver.event_create(&e, kNoTiming) != 0) return false;
    if (driver.host_allocate(&memory, 2 * kPiece) != 0) return false;
    pieces = {static_cast<std::byte*>(memory), static_cast<std::byte*>(memory) + kPiece};
  }
  return pieces[0] != nullptr;
}

void Staging::close(const Driver& driver) {
  for (const Lane& lane : lanes_) {
    for (const Event e : lane.done)
      if (e != nullptr) static_cast<void>(driver.event_destroy(e));
    if (lane.pieces[0] != nullptr) static_cast<void>(driver.host_free(lane.pieces[0]));
  }
}

bool Staging::Transfer::take(std::size_t& at, std::size_t& part) {
  at = next.fetch_add(kPiece);
  if (code != 0 || at >= bytes) return false;
  part = std::min(kPiece, bytes - at);
  return true;
}

bool Staging::Transfer::good(int error) {
  if (error != 0) code = error;
  return error == 0;
}

void Staging::upload(Transfer& t, Lane& lane) {
  std::size_t at = 0, part = 0;
  for (std::size_t k = 0; t.take(at, part); ++k) {
    const std::size_t turn = k % 2;
    if (k >= 2 && !t.good(t.driver.event_wait(lane.done[turn]))) return;
    std::memcpy(lane.pieces[turn], t.host + at, part);
    if (!t.good(t.driver.copy_in(t.device + at, lane.pieces[turn], part, t.stream)) ||
        !t.good(t.driver.event_record(lane.done[turn], t.stream)))
      return;
  }
}

void Staging::download(Transfer& t, Lane& lane) {
  std::array<std::size_t, 2> at = {}, part = {};
  const auto ask = [&](std::size_t turn) {
    part[turn] = 0;
    if (!t.take(at[turn], part[turn])) return;
    if (!t.good(t.driver.copy_out(lane.pieces[turn], t.device + at[turn], part[turn], t.stream)) ||
        !t.good(t.driver.event_record(lane.done[turn], t.stream)))
      part[turn] = 0;
  };
  ask(0);
  for (std::size_t turn = 0; part[turn] > 0; turn ^= 1) {
    ask(turn ^ 1);
    if (!t.good(t.driver.event_wait(lane.done[turn]))) return;
    std::memcpy(t.host + at[turn], lane.pieces[turn], part[turn]);
  }
}

// Where threads or pinned memory are wanting, those that are there do all.
void Staging::share_out(Transfer& t, Context context, void (*work)(Transfer&, Lane&)) {
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t wanted =
      std::clamp<std::size_t>(t.bytes / kOfThread, 1, std::min(kMostThreads, (processors + 1) / 2));
  std::array<Thread, kMostThreads> threads;
  for (std::size_t k = 1; k < wanted && lanes_[k].open(t.driver); ++k) {
    try {
      threads[k].start([&, k] {
        if (t.good(t.driver.context_set(context))) work(t, lanes_[k]);
      });
    } catch (const std::system_error&) {
      break;
    }
  }
  work(t, lanes_[0]);
}

int Staging::upload(const Driver& driver, Context context, Stream stream, DevicePointer to, const void* from,
                    std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes < kWorthIt || !lanes_[0].open(driver)) {
    const int code = driver.copy_in(to, from, bytes, stream);
    return code != 0 ? code : driver.stream_wait(stream);
  }
  Transfer t{driver, stream, to, static_cast<std::byte*>(const_cast<void*>(from)), bytes};
  share_out(t, context, upload);
  return t.code != 0 ? t.code.load() : driver.stream_wait(stream);
}

int Staging::download(const Driver& driver, Context context, Stream stream, void* to, DevicePointer from,
                      std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (bytes < kWorthIt || !lanes_[0].open(driver)) {
    const int code = driver.copy_out(to, from, bytes, stream);
    return code != 0 ? code : driver.stream_wait(stream);
  }
  Transfer t{driver, stream, from, static_cast<std::byte*>(to), bytes};
  share_out(t, context, download);
  return t.code;
}

}  // namespace nvm::gpu
