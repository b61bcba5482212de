#include "vm/interp/streams.h"

#include <algorithm>
#include <cerrno>
#include <utility>

namespace nvm::vm {

PipesMayBreak::PipesMayBreak() {
  sigset_t pipe, waiting;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pending_ = ::sigpending(&waiting) == 0 && sigismember(&waiting, SIGPIPE) == 1;
  ::pthread_sigmask(SIG_BLOCK, &pipe, &before_);
}

PipesMayBreak::~PipesMayBreak() {
  const int error = errno;
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  constexpr timespec kAtOnce{};
  while (!pending_ && ::sigtimedwait(&pipe, nullptr, &kAtOnce) == SIGPIPE) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

Streams::Streams(std::FILE* in, std::FILE* out, std::FILE* err) : slots_{in, out, err} {}

Streams::~Streams() {
  for (std::size_t slot = 0; slot < slots_.size(); ++slot)
    if (slots_[slot] != nullptr && (slot != 0)) close(static_cast<std::int64_t>(slot));
}

std::FILE* Streams::at(std::int64_t slot) const {
  return slot >= 0 && slot < static_cast<std::int64_t>(slots_.size()) ? slots_[static_cast<std::size_t>(slot)]
                                                                      : nullptr;
}

bool Streams::only_given() const {
  const auto others = slots_.begin() + kGiven;
  return std::find(slots_.begin(), others, nullptr) == others &&
         std::all_of(others, slots_.end(), [](std::FILE* file) { return file == nullptr; });
}

std::int64_t Streams::add(std::FILE* file) {
  auto free = std::find(slots_.begin() + kGiven, slots_.end(), nullptr);
  if (free == slots_.end()) free = slots_.insert(free, nullptr);
  *free = file;
  return free - slots_.begin();
}

bool Streams::close(std::int64_t slot) {
  std::FILE* file = std::exchange(slots_[static_cast<std::size_t>(slot)], nullptr);
  if (given(slot)) return std::fflush(file) == 0;
  const PipesMayBreak held;
  return std::fclose(file) == 0;
}

}  // namespace nvm::vm
