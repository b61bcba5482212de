#include "gpu/memory/cuda_queue.h"

#include <limits>

namespace nvm::gpu {

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
  for (const Event e : marks_)
    if (e != nullptr) static_cast<void>(device_->driver().event_destroy(e));
  if (stream_ != nullptr) device_->give_stream(stream_);
  for (const auto& vector : pinned_) vector->unpin();
}

void CudaQueue::note(int code, const char* doing) {
  if (code != 0 && error_.empty()) error_ = std::string(doing) + ": " + device_->driver().error(code);
}

Address CudaQueue::allocate(std::size_t bytes) {
  DevicePointer p = 0;
  int code = device_->driver().allocate_async(&p, bytes, stream_);
  while (code == OpenDevice::kOutOfMemory) {
    static_cast<void>(device_->driver().stream_wait(stream_));  // what is freed there can be given back
    if (!device_->make_room(bytes)) return 0;
    code = device_->driver().allocate_async(&p, bytes, stream_);
  }
  note(code, "taking memory");
  return code == 0 ? p : 0;
}

Address CudaQueue::bring(std::shared_ptr<Remote>& remote, const void* data, std::size_t bytes) {
  auto vector = std::dynamic_pointer_cast<DeviceVector>(remote);
  Address memory = vector != nullptr && vector->on(*device_) ? vector->pin(data, bytes) : 0;
  if (memory == 0) {  // elsewhere, or another part of the same memory
    std::string why;
    if (remote != nullptr && !remote->fetch(why)) return 0;
    vector = std::make_shared<DeviceVector>(device_, data, bytes);
    memory = vector->pin(data, bytes);
    if (memory != 0 && remote == nullptr) remote = vector;
  }
  if (memory != 0) pinned_.push_back(std::move(vector));
  return memory;
}

void CudaQueue::keep(std::shared_ptr<Remote>& remote, Address memory, void* data, std::size_t bytes) {
  auto vector = std::make_shared<DeviceVector>(device_, data, bytes, memory);
  vector->hold();
  remote = vector;
  pinned_.push_back(std::move(vector));
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
                       std::span<const std::uint64_t> words, unsigned shared_bytes) {
  const Kernel kernel = module_.kernel(entry);
  if (kernel == nullptr || blocks > std::numeric_limits<std::int32_t>::max()) {
    if (error_.empty()) error_ = "launching " + entry + ": no such kernel or too many blocks";
    return;
  }
  void* parameters[] = {const_cast<std::uint64_t*>(words.data())};
  note(device_->driver().launch(kernel, static_cast<unsigned>(blocks), 1, 1, static_cast<unsigned>(threads),
                                1, 1, shared_bytes, stream_, parameters, nullptr),
       ("launching " + entry).c_str());
}

std::size_t CudaQueue::mark() {
  Event event = nullptr;
  const Driver& driver = device_->driver();
  if (driver.event_create(&event, 0) == 0 && driver.event_record(event, stream_) != 0) {
    static_cast<void>(driver.event_destroy(event));
    event = nullptr;
  }
  marks_.push_back(event);
  return marks_.size() - 1;
}

// A time that cannot be told is no error of the run.
double CudaQueue::seconds_at(std::size_t mark) {
  float milliseconds = 0;
  if (marks_.front() == nullptr || marks_[mark] == nullptr ||
      device_->driver().event_elapsed(&milliseconds, marks_.front(), marks_[mark]) != 0)
    return -1;
  return static_cast<double>(milliseconds) * 1e-3;
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
