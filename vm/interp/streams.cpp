#include "vm/interp/streams.h"

#include <algorithm>
#include <utility>

namespace nvm::vm {

namespace {
constexpr std::int64_t kGiven = 3;
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

std::int64_t Streams::add(std::FILE* file) {
  auto free = std::find(slots_.begin() + kGiven, slots_.end(), nullptr);
  if (free == slots_.end()) free = slots_.insert(free, nullptr);
  *free = file;
  return free - slots_.begin();
}

bool Streams::close(std::int64_t slot) {
  std::FILE* file = std::exchange(slots_[static_cast<std::size_t>(slot)], nullptr);
  return (slot < kGiven ? std::fflush(file) : std::fclose(file)) == 0;
}

}  // namespace nvm::vm
