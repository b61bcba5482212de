#include "gpu/memory/device_vector.h"

namespace nvm::gpu {

DeviceVector::DeviceVector(std::shared_ptr<OpenDevice> device, const void* home, std::size_t bytes,
                           Address memory)
    : device_(std::move(device)),
      bytes_(bytes),
      home_(static_cast<std::byte*>(const_cast<void*>(home))),
      memory_(memory),
      home_valid_(memory == 0) {
  device_->residents().add(this);
}

DeviceVector::~DeviceVector() {
  device_->residents().remove(this);
  device_->release(memory_);
}

bool DeviceVector::fetch(std::string& why) {
  const std::lock_guard lock(mutex_);
  return fetch_locked(why);
}

bool DeviceVector::fetch_locked(std::string& why) {
  if (home_valid_ || home_ == nullptr) return true;
  if (!device_->download(home_, memory_, bytes_)) {
    why = "the GPU failed while " + device_->failure() + ", and elements that only it had are lost";
    return false;
  }
  home_valid_ = true;
  return true;
}

void DeviceVector::leave() {
  const std::lock_guard lock(mutex_);
  home_ = nullptr;
}

Address DeviceVector::pin(const void* from, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto* begin = static_cast<const std::byte*>(from);
  if (home_ == nullptr || begin < home_ || begin + bytes > home_ + bytes_ || device_->lost()) return 0;
  if (memory_ == 0) {
    ++pins_;  // making room must not look at this one
    const Address fresh = device_->take(bytes_);
    --pins_;
    if (fresh == 0) return 0;
    if (!device_->upload(fresh, home_, bytes_)) {
      device_->release(fresh);
      return 0;
    }
    memory_ = fresh;
  }
  ++pins_;
  device_->residents().touch(this);
  return memory_ + static_cast<Address>(begin - home_);
}

bool DeviceVector::evict(bool send) {
  if (pins_ > 0) return false;  // maybe by this thread, which then has the lock
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || pins_ > 0 || memory_ == 0 || home_ == nullptr) return false;
  std::string why;
  if (!home_valid_ && (!send || !fetch_locked(why))) return false;
  device_->release(memory_);
  memory_ = 0;
  return true;
}

void Residents::add(DeviceVector* v) {
  const std::lock_guard lock(mutex_);
  v->place_ = vectors_.insert(vectors_.end(), v);
}
void Residents::remove(DeviceVector* v) {
  const std::lock_guard lock(mutex_);
  vectors_.erase(v->place_);
}
void Residents::touch(DeviceVector* v) {
  const std::lock_guard lock(mutex_);
  vectors_.splice(vectors_.end(), vectors_, v->place_);
}

bool Residents::evict(std::size_t wanted) {
  const std::lock_guard lock(mutex_);
  std::size_t freed = 0;
  for (const bool send : {false, true}) {
    for (DeviceVector* v : vectors_) {
      if (freed >= wanted) return true;
      if (v->evict(send)) freed += v->bytes();
    }
  }
  return freed > 0;
}

}  // namespace nvm::gpu
