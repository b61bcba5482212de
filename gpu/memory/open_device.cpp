#include "gpu/memory/open_device.h"

#include <cstdio>
#include <limits>
#include <utility>

#include "gpu/memory/device_vector.h"

namespace nvm::gpu {

namespace {

// Numbers of the driver's interface.
constexpr int kArchMajor = 75;
constexpr int kArchMinor = 76;
constexpr int kReleaseThreshold = 4;
constexpr unsigned kNonBlocking = 1;
constexpr int kLeastMajor = 7;  // threads of a warp that wait for each other's memory

}  // namespace

OpenDevice::OpenDevice() : residents_(std::make_unique<Residents>()) {}

std::shared_ptr<OpenDevice> OpenDevice::open(int ordinal, std::string& reason) {
  const std::shared_ptr<OpenDevice> d(new OpenDevice);
  d->driver_ = load_driver(reason);
  if (d->driver_ == nullptr) return nullptr;
  const auto good = [&](int code) {
    if (code != 0)
      reason = "device " + std::to_string(ordinal) + " cannot be used: " + d->driver_->error(code);
    return code == 0;
  };
  int count = 0;
  char name[256] = {};
  int major = 0;
  int minor = 0;
  if (!good(d->driver_->device_count(&count))) return nullptr;
  if (ordinal >= count) {
    reason = "the driver shows no device";
    return nullptr;
  }
  if (!good(d->driver_->device_get(&d->device_, ordinal)) ||
      !good(d->driver_->device_name(name, sizeof name, d->device_)) ||
      !good(d->driver_->device_attribute(&major, kArchMajor, d->device_)) ||
      !good(d->driver_->device_attribute(&minor, kArchMinor, d->device_)))
    return nullptr;
  if (major < kLeastMajor) {
    reason = "device " + std::to_string(ordinal) + " (" + name + ") is too old: it has compute capability " +
             std::to_string(major) + "." + std::to_string(minor) + ", 7.0 or later is needed";
    return nullptr;
  }
  if (!good(d->driver_->context_retain(&d->context_, d->device_)) ||
      !good(d->driver_->context_set(d->context_)) || !good(d->driver_->pool_default(&d->pool_, d->device_)) ||
      !good(d->driver_->stream_create(&d->transfers_, kNonBlocking)))
    return nullptr;
  std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
  static_cast<void>(d->driver_->pool_set(d->pool_, kReleaseThreshold, &keep_all));
  d->arch_ = major * 10 + minor;
  d->name_ = name;
  return d;
}

OpenDevice::~OpenDevice() {
  if (context_ == nullptr) return;
  enter();
  free_kept();
  staging_.close(*driver_);
  for (std::byte* const note : notes_) static_cast<void>(driver_->host_free(note));
  for (const Stream s : streams_) static_cast<void>(driver_->stream_destroy(s));
  if (transfers_ != nullptr) static_cast<void>(driver_->stream_destroy(transfers_));
  static_cast<void>(driver_->context_release(device_));
}

int OpenDevice::take_stream(Stream& stream) {
  {
    const std::lock_guard lock(mutex_);
    if (!streams_.empty()) {
      stream = streams_.back();
      streams_.pop_back();
      return 0;
    }
  }
  return driver_->stream_create(&stream, kNonBlocking);
}

void OpenDevice::give_stream(Stream stream) {
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream);
}

std::byte* OpenDevice::take_note() {
  {
    const std::lock_guard lock(mutex_);
    if (!notes_.empty()) {
      std::byte* const note = notes_.back();
      notes_.pop_back();
      return note;
    }
  }
  void* memory = nullptr;
  return driver_->host_allocate(&memory, kNoteBytes) == 0 ? static_cast<std::byte*>(memory) : nullptr;
}

void OpenDevice::give_note(std::byte* memory) {
  const std::lock_guard lock(mutex_);
  notes_.push_back(memory);
}

DevicePointer OpenDevice::take(std::size_t bytes) {
  if (lost()) return 0;
  if (const DevicePointer kept = take_kept(bytes); kept != 0) return kept;
  enter();
  DevicePointer p = 0;
  int code = driver_->allocate_async(&p, bytes, transfers_);
  while (code == kOutOfMemory && make_room(bytes)) code = driver_->allocate_async(&p, bytes, transfers_);
  if (code == kOutOfMemory) return 0;
  if (!good(code, "taking memory") || !good(driver_->stream_wait(transfers_), "taking memory")) return 0;
  note_taken(p, bytes);
  return p;
}

void OpenDevice::release(DevicePointer memory) {
  if (memory == 0) return;
  const std::lock_guard lock(mutex_);
  kept_.emplace(rooms_.at(memory), memory);
}

DevicePointer OpenDevice::take_kept(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto it = kept_.lower_bound(bytes);
  if (it == kept_.end() || it->first > 2 * bytes + 4096) return 0;
  const DevicePointer p = it->second;
  kept_.erase(it);
  return p;
}

void OpenDevice::note_taken(DevicePointer memory, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  rooms_[memory] = bytes;
}

std::size_t OpenDevice::room(DevicePointer memory) {
  const std::lock_guard lock(mutex_);
  return rooms_.at(memory);
}

bool OpenDevice::free_kept() {
  const std::lock_guard lock(mutex_);
  const bool any = !kept_.empty();
  for (const auto& [bytes, memory] : std::exchange(kept_, {})) {
    rooms_.erase(memory);
    static_cast<void>(driver_->free_async(memory, transfers_));
  }
  return any;
}

bool OpenDevice::make_room(std::size_t bytes) {
  const bool kept = free_kept();
  const bool sent = !kept && residents_->evict(bytes);
  free_kept();
  static_cast<void>(driver_->stream_wait(transfers_));
  std::size_t before = 0;
  std::size_t after = 0;
  std::size_t total = 0;
  static_cast<void>(driver_->memory_info(&before, &total));
  static_cast<void>(driver_->pool_trim(pool_, 0));
  static_cast<void>(driver_->memory_info(&after, &total));
  return kept || sent || after > before;
}

bool OpenDevice::upload(DevicePointer to, const void* from, std::size_t bytes) {
  enter();
  return good(staging_.upload(*driver_, context_, transfers_, to, from, bytes), "copying to the device");
}

bool OpenDevice::download(void* to, DevicePointer from, std::size_t bytes) {
  enter();
  return good(staging_.download(*driver_, context_, transfers_, to, from, bytes), "copying from the device");
}

bool OpenDevice::good(int code, const char* doing) {
  if (code != 0) lose(std::string(doing) + ": " + driver_->error(code));
  return code == 0;
}

void OpenDevice::lose(const std::string& doing) {
  const std::lock_guard lock(mutex_);
  if (lost_) return;
  failure_ = doing;
  lost_ = true;
  std::fprintf(stderr, "nvm: the GPU failed while %s; the program goes on without it\n", doing.c_str());
}

std::string OpenDevice::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace nvm::gpu
