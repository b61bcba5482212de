// A stream of one device as a Queue: stream-ordered memory from the driver's pool, which keeps what is freed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/memory/device_vector.h"
#include "gpu/memory/open_device.h"
#include "gpu/queue.h"

namespace nvm::gpu {

// A loaded cubin.
class LoadedModule {
 public:
  LoadedModule(std::shared_ptr<OpenDevice> device, const void* image, std::string& reason);
  ~LoadedModule();
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  [[nodiscard]] bool ok() const { return module_ != nullptr; }
  // Null if there is no such kernel.
  [[nodiscard]] Kernel kernel(const std::string& name) const;

 private:
  std::shared_ptr<OpenDevice> device_;
  Module module_ = nullptr;
};

class CudaQueue final : public Queue {
 public:
  CudaQueue(std::shared_ptr<OpenDevice> device, const LoadedModule& module);
  ~CudaQueue() override;
  CudaQueue(const CudaQueue&) = delete;
  CudaQueue& operator=(const CudaQueue&) = delete;

  [[nodiscard]] Address allocate(std::size_t bytes) override;
  void free(Address memory) override;
  void upload(Address to, const void* from, std::size_t bytes) override;
  void download(void* to, Address from, std::size_t bytes) override;
  void copy(Address to, Address from, std::size_t bytes) override;
  void clear(Address memory, std::size_t bytes) override;
  [[nodiscard]] Address bring(std::shared_ptr<Remote>& remote, const void* data, std::size_t bytes) override;
  void keep(std::shared_ptr<Remote>& remote, Address memory, void* data, std::size_t bytes) override;
  void launch(const std::string& entry, std::int64_t blocks, int threads,
              std::span<const std::uint64_t> words, unsigned shared_bytes) override;
  [[nodiscard]] std::size_t mark() override;
  [[nodiscard]] double seconds_at(std::size_t mark) override;
  [[nodiscard]] bool wait() override;

  // The first error since the queue was made, in the driver's words, with what was being done; empty if none.
  // Memory that ran out is no error. The device has been told.
  [[nodiscard]] const std::string& error() const { return error_; }

  // For measurements: time on the device from the first begin_timing() to the last end_timing() since
  // seconds() was asked; the queue must have been waited for.
  void begin_timing();
  void end_timing();
  [[nodiscard]] double seconds();

 private:
  void note(int code, const char* doing);
  std::shared_ptr<OpenDevice> device_;
  const LoadedModule& module_;
  Stream stream_ = nullptr;
  Event begin_ = nullptr;
  Event end_ = nullptr;
  bool timing_ = false;
  std::vector<Event> marks_;
  std::vector<std::shared_ptr<DeviceVector>> pinned_;
  std::string error_;
};

}  // namespace nvm::gpu
