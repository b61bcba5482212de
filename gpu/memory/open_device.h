// One device, opened: its context, streams, memory, the vectors that stand there, and whether it still works.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/api/driver.h"
#include "gpu/memory/staging.h"

namespace nvm::gpu {

class Residents;

// Shared by all queues, modules and vectors; outlives them. Thread-safe.
class OpenDevice {
 public:
  // Null, with a reason in words, if there is none.
  static std::shared_ptr<OpenDevice> open(int ordinal, std::string& reason);
  ~OpenDevice();
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;

  [[nodiscard]] const Driver& driver() const { return *driver_; }
  [[nodiscard]] int arch() const { return arch_; }
  [[nodiscard]] Context context() const { return context_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Makes the device current in the calling thread.
  void enter() const { static_cast<void>(driver_->context_set(context_)); }
  // A stream that nobody else uses; making one costs more than a short region. 0 or the driver's error.
  [[nodiscard]] int take_stream(Stream& stream);
  void give_stream(Stream stream);
  // Pinned memory of kNoteBytes that nobody else uses, for the few words that a region brings back: a copy
  // into other memory makes the host wait twice. Null if there is none.
  [[nodiscard]] std::byte* take_note();
  void give_note(std::byte* memory);
  static constexpr std::size_t kNoteBytes = 4096;

  // ---- memory; what is released is kept and taken again without asking the driver
  // Ready when this returns; makes room where there is none; 0 if there is none then, or the device has
  // failed.
  [[nodiscard]] DevicePointer take(std::size_t bytes);
  void release(DevicePointer memory);  // 0 is fine; nothing may use it any more
  // Of what was released, with at least `bytes` and not much more; 0 if there is none.
  [[nodiscard]] DevicePointer take_kept(std::size_t bytes);
  // Of memory that was taken from the driver, so that it can be released.
  void note_taken(DevicePointer memory, std::size_t bytes);
  [[nodiscard]] std::size_t room(DevicePointer memory);  // its bytes
  // For who was refused memory: what is kept and vectors that are not in use go. False if that frees nothing.
  bool make_room(std::size_t bytes);
  // Copies and waits. False if the device fails.
  [[nodiscard]] bool upload(DevicePointer to, const void* from, std::size_t bytes);
  [[nodiscard]] bool download(void* to, DevicePointer from, std::size_t bytes);
  [[nodiscard]] Residents& residents() { return *residents_; }

  // ---- a device that fails is not used again: its context is lost, with all memory in it
  [[nodiscard]] bool lost() const { return lost_; }
  // Says so on standard error, the first time.
  void lose(const std::string& doing);
  [[nodiscard]] std::string failure();  // what was being done, and the driver's words

  static constexpr int kOutOfMemory = 2;  // the driver's number

 private:
  OpenDevice();
  [[nodiscard]] bool good(int code, const char* doing);
  bool free_kept();  // false if there was nothing

  const Driver* driver_ = nullptr;
  Device device_ = 0;
  Context context_ = nullptr;
  MemoryPool pool_ = nullptr;
  int arch_ = 0;
  std::string name_;
  Stream transfers_ = nullptr;
  Staging staging_;
  std::unique_ptr<Residents> residents_;
  std::atomic<bool> lost_{false};
  std::mutex mutex_;                                // guards the rest
  std::vector<Stream> streams_;                     // made and not in use
  std::vector<std::byte*> notes_;                   // likewise
  std::map<DevicePointer, std::size_t> rooms_;      // of all that was taken and not freed
  std::multimap<std::size_t, DevicePointer> kept_;  // by bytes, released
  std::string failure_;
};

}  // namespace nvm::gpu
