// What running a plan needs of a device: memory, copies and launches in order. Implemented by a CUDA stream
// and, for tests, by emulation on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace nvm::gpu {

using Address = std::uint64_t;  // device memory; 0: none

// Work is done in the order in which it was asked for, at the latest when wait() returns.
class Queue {
 public:
  virtual ~Queue() = default;
  // Uninitialised memory, aligned to 256 bytes; 0 if there is none left.
  [[nodiscard]] virtual Address allocate(std::size_t bytes) = 0;
  virtual void free(Address memory) = 0;
  // The host memory must stay until wait().
  virtual void upload(Address to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, Address from, std::size_t bytes) = 0;
  virtual void copy(Address to, Address from, std::size_t bytes) = 0;
  virtual void clear(Address memory, std::size_t bytes) = 0;
  // One argument: a structure of these words, by value. The kernel is one of the loaded source's.
  virtual void launch(const std::string& entry, std::int64_t blocks, int threads,
                      std::span<const std::uint64_t> words) = 0;
  // False if anything failed since the last wait(): nothing that was asked for can be trusted then.
  [[nodiscard]] virtual bool wait() = 0;
};

}  // namespace nvm::gpu
