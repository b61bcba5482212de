// What running a plan needs of a device: memory, copies and launches in order. Implemented by a CUDA stream
// and, for tests, by emulation on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bytecode/base/remote.h"

namespace nvm::gpu {

using Address = std::uint64_t;  // device memory; 0: none

// Work is done at the latest when wait() returns: that of a lane in the order in which it was asked for, that
// of different lanes in any order, but as after() says, and before whatever the host takes part in: upload(),
// download(), mark(), wait().
class Queue {
 public:
  virtual ~Queue() = default;
  // What follows is asked of this lane; 0 in the beginning.
  virtual void lane(int /*number*/) {}
  // What follows of this lane comes after all that was asked of the other.
  virtual void after(int /*other*/) {}
  // Uninitialised memory, aligned to 256 bytes; 0 if there is none left. For work of this lane, and what
  // comes after; free() is of the lane that uses the memory last.
  [[nodiscard]] virtual Address allocate(std::size_t bytes) = 0;
  virtual void free(Address memory) = 0;
  // The host memory must stay until wait().
  virtual void upload(Address to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, Address from, std::size_t bytes) = 0;
  virtual void copy(Address to, Address from, std::size_t bytes) = 0;
  virtual void clear(Address memory, std::size_t bytes) = 0;
  // The elements of an input, on the device until the queue goes; 0 if there is no memory left. `remote` is
  // where they stand already, if anywhere, and may be set.
  [[nodiscard]] virtual Address bring(std::shared_ptr<Remote>& remote, const void* data, std::size_t bytes) {
    static_cast<void>(remote);
    const Address memory = allocate(bytes);
    if (memory != 0) upload(memory, data, bytes);
    return memory;
  }
  // The elements of an output are the first `bytes` of `memory`, which is given away, and belong into `data`:
  // copied there, or left on the device and `remote` set.
  virtual void keep(std::shared_ptr<Remote>& remote, Address memory, void* data, std::size_t bytes) {
    static_cast<void>(remote);
    download(data, memory, bytes);
    free(memory);
  }
  // The elements of a vector that the host is to have, too, which stays in use here: true if `memory` is
  // given away and `remote` set, as by keep(), and stays until the queue goes; else they are copied to
  // `data`.
  [[nodiscard]] virtual bool share(std::shared_ptr<Remote>& remote, Address memory, void* data,
                                   std::size_t bytes) {
    static_cast<void>(remote);
    download(data, memory, bytes);
    return false;
  }
  // One argument: a structure of these words, by value. The kernel is one of the loaded source's.
  // `shared_bytes`: of dynamic shared memory for each block.
  virtual void launch(const std::string& entry, std::int64_t blocks, int threads,
                      std::span<const std::uint64_t> words, unsigned shared_bytes) = 0;
  // A moment on the device: when all that was asked for before is done.
  [[nodiscard]] virtual std::size_t mark() { return 0; }
  // Seconds from the first mark to this one, after wait(); negative if they are not known.
  [[nodiscard]] virtual double seconds_at(std::size_t mark) {
    static_cast<void>(mark);
    return -1;
  }
  // False if anything failed since the last wait(): nothing that was asked for can be trusted then.
  [[nodiscard]] virtual bool wait() = 0;
};

}  // namespace nvm::gpu
