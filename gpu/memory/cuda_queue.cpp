#include "gpu/memory/cuda_queue.h"

#include <limits>

namespace nvm::gpu {

namespace {

// Numbers of the driver's interface.
constexpr int kArchMajor = 75;
constexpr int kArchMinor = 76;
constexpr int kReleaseThreshold = 4;
constexpr int kOutOfMemory = 2;
constexpr unsigned kNonBlocking = 1;

}  // namespace

std::shared_ptr<OpenDevice> OpenDevice::open(int ordinal, std::string& reason) {
  const std::shared_ptr<OpenDevice> d(new OpenDevice);
  d->driver_ = load_driver(reason);
  if (d->driver_ == nullptr) return nullptr;
  const auto good = [&](int code) {
    if (code != 0)
      reason = "device " + std::to_string(ordinal) + " cannot be used: " + d->driver_->error(code);
    return code == 0;
  };
  char name[256] = {};
  int major = 0;
  int minor = 0;
  if (!good(d->driver_->device_get(&d->device_, ordinal)) ||
      !good(d->driver_->device_name(name, sizeof name, d->device_)) ||
      !good(d->driver_->device_attribute(&major, kArchMajor, d->device_)) ||
      !good(d->driver_->device_attribute(&minor, kArchMinor, d->device_)) ||
      !good(d->driver_->context_retain(&d->context_, d->device_)) ||
      !good(d->driver_->context_set(d->context_)) || !good(d->driver_->pool_default(&d->pool_, d->device_)))
    return nullptr;
  std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
  static_cast<void>(d->driver_->pool_set(d->pool_, kReleaseThreshold, &keep_all));
  d->arch_ = major * 10 + minor;
  d->name_ = name;
  return d;
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

OpenDevice::~OpenDevice() {
  for (const Stream s : streams_) static_cast<void>(driver_->stream_destroy(s));
  if (context_ != nullptr) static_cast<void>(driver_->context_release(device_));
}

LoadedModule::LoadedModule(std::shared_ptr<OpenDevice> device, const void* image, std::string& reason)
    : device_(std::move(device)) {
  device_->enter();
  const int code = device_->driver().module_load(&module_, image);
  if (code == 0) return;
  module_ = nullptr;
  reason = "the compiled kernels cannot be loaded: " + device_->driver().error(code);
}

LoadedModule::~LoadedModule() {
  if (module_ == nullptr) return;
  device_->enter();
  static_cast<void>(device_->driver().module_unload(module_));
}

Kernel LoadedModule::kernel(const std::string& name) const {
  Kernel k = nullptr;
  return device_->driver().module_function(&k, module_, name.c_str()) == 0 ? k : nullptr;
}

CudaQueue::CudaQueue(std::shared_ptr<OpenDevice> device, const LoadedModule& module)
    : device_(std::move(device)), module_(module) {
  device_->enter();
  note(device_->take_stream(stream_), "making a stream");
}

CudaQueue::~CudaQueue() {
  for (const Event e : {begin_, end_})
    if (e != nullptr) static_cast<void>(device_->driver().event_destroy(e));
  if (stream_ != nullptr) device_->give_stream(stream_);
}

void CudaQueue::note(int code, const char* doing) {
  if (code != 0 && error_.empty()) error_ = std::string(doing) + ": " + device_->driver().error(code);
}

Address CudaQueue::allocate(std::size_t bytes) {
  DevicePointer p = 0;
  int code = device_->driver().allocate_async(&p, bytes, stream_);
  if (code == kOutOfMemory) {
    static_cast<void>(device_->driver().stream_wait(stream_));
    device_->trim();
    code = device_->driver().allocate_async(&p, bytes, stream_);
  }
  if (code != kOutOfMemory) note(code, "taking memory");
  return code == 0 ? p : 0;
}

void CudaQueue::free(Address memory) {
  note(device_->driver().free_async(memory, stream_), "freeing memory");
}
void CudaQueue::upload(Address to, const void* from, std::size_t bytes) {
  note(device_->driver().copy_in(to, from, bytes, stream_), "copying to the device");
}
void CudaQueue::download(void* to, Address from, std::size_t bytes) {
  note(device_->driver().copy_out(to, from, bytes, stream_), "copying from the device");
}
void CudaQueue::copy(Address to, Address from, std::size_t bytes) {
  note(device_->driver().copy_within(to, from, bytes, stream_), "copying on the device");
}
void CudaQueue::clear(Address memory, std::size_t bytes) {
  note(device_->driver().fill8(memory, 0, bytes, stream_), "clearing memory");
}

void CudaQueue::launch(const std::string& entry, std::int64_t blocks, int threads,
                       std::span<const std::uint64_t> words) {
  const Kernel kernel = module_.kernel(entry);
  if (kernel == nullptr || blocks > std::numeric_limits<std::int32_t>::max()) {
    if (error_.empty()) error_ = "launching " + entry + ": no such kernel or too many blocks";
    return;
  }
  void* parameters[] = {const_cast<std::uint64_t*>(words.data())};
  note(device_->driver().launch(kernel, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(threads),
                                1, 1, 0, stream_, parameters, nullptr),
       ("launching " + entry).c_str());
}

void CudaQueue::begin_timing() {
  if (timing_) return;
  timing_ = true;
  if (begin_ == nullptr) note(device_->driver().event_create(&begin_, 0), "making an event");
  note(device_->driver().event_record(begin_, stream_), "recording an event");
}

void CudaQueue::end_timing() {
  if (end_ == nullptr) note(device_->driver().event_create(&end_, 0), "making an event");
  note(device_->driver().event_record(end_, stream_), "recording an event");
}

double CudaQueue::seconds() {
  timing_ = false;
  float milliseconds = 0;
  if (begin_ != nullptr && end_ != nullptr)
    note(device_->driver().event_elapsed(&milliseconds, begin_, end_), "reading events");
  return static_cast<double>(milliseconds) * 1e-3;
}

bool CudaQueue::wait() {
  note(device_->driver().stream_wait(stream_), "running kernels");
  return error_.empty();
}

}  // namespace nvm::gpu
