// Streams of one device as a Queue: stream-ordered memory from the driver's pool, which keeps what is freed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/memory/device_ops.h"
#include "gpu/memory/device_vector.h"
#include "gpu/memory/loaded_module.h"
#include "gpu/memory/open_device.h"
#include "gpu/queue.h"

namespace nvm::gpu {

// Few bytes on their way to the host or from it pass through pinned memory.
class Notes {
 public:
  explicit Notes(OpenDevice& device) : device_(device) {}
  ~Notes();
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  // Pinned memory until deliver(); null if there is none left.
  [[nodiscard]] std::byte* room(std::size_t bytes);
  // What comes to `from`, which is room, belongs to `to`.
  void expect(void* to, const std::byte* from, std::size_t bytes) { expected_.push_back({to, from, bytes}); }
  // When all have come, or, if not `good`, none has.
  void deliver(bool good);

 private:
  struct Note {
    void* to = nullptr;
    const std::byte* from = nullptr;
    std::size_t bytes = 0;
  };
  OpenDevice& device_;
  std::byte* memory_ = nullptr;
  std::size_t used_ = 0;
  std::vector<Note> expected_;
};

// Work for the device is gathered and passed on when its results are waited for: to a stream for each lane,
// with events between them, or, where the same list has come before, as a graph. The first lane's stream goes
// on when all have done what was passed on together, and has everything else: memory, copies from and to the
// host.
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
  [[nodiscard]] bool share(std::shared_ptr<Remote>& remote, Address memory, void* data,
                           std::size_t bytes) override;
  void launch(const std::string& entry, std::int64_t blocks, int threads,
              std::span<const std::uint64_t> words, unsigned shared_bytes) override;
  void lane(int number) override { lane_ = number; }
  void after(int other) override;
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
  void note(int code, const std::string& doing);
  void ask(DeviceOp op);
  // Passes on what was asked for, then frees what was to be freed.
  void flush();
  void pass_on();
  [[nodiscard]] bool pass_on_graph();
  void pass_on_streams();
  void issue(const DeviceOp& op);
  [[nodiscard]] Stream stream(int lane);
  [[nodiscard]] Event event();
  void order(Stream first, Stream then, Event between);

  std::shared_ptr<OpenDevice> device_;
  const LoadedModule& module_;
  std::vector<Stream> streams_;  // by lane
  Event begin_ = nullptr;
  Event end_ = nullptr;
  bool timing_ = false;
  std::vector<Event> marks_;
  std::vector<std::shared_ptr<DeviceVector>> pinned_;
  std::string error_;
  bool short_of_memory_ = false;

  int lane_ = 0;
  std::vector<DeviceOp> asked_;
  std::vector<int> then_;  // lanes whose last operation the next one of lane_ comes after
  // Freed by work that has not been passed on: taken again by the same lane alone. Then by any.
  std::map<int, std::vector<Address>> freed_;
  std::vector<Address> spare_;
  bool busy_ = false;          // something has been passed on since the last wait
  std::vector<Event> events_;  // not in use
  std::vector<Event> used_events_;
  Notes notes_;
  // Passed on and not waited for.
  std::vector<std::pair<std::string, std::unique_ptr<ReadyGraph>>> running_;
};

}  // namespace nvm::gpu
