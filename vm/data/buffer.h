// Reference-counted, pooled memory for vector elements. Thread-safe counts; the pool is per Pool object, and
// a buffer may be released on any thread.
#pragma once

#include <sys/single_threaded.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "bytecode/base/remote.h"

namespace nvm::vm {

class Pool;
struct Buffer;

void fetch_remote(const Buffer& b);
// The device's copy; null if there is none. For engines that understand it and who compares places.
[[nodiscard]] std::shared_ptr<Remote> remote_of(const Buffer& b);
// Keeps the first that is attached.
void attach_remote(Buffer& b, std::shared_ptr<Remote> remote);
// Before the elements are overwritten: forgets the device's copy.
void drop_remote(Buffer& b);

// Header of a block of elements; the elements start at data(), aligned to 64 bytes, with 64 readable bytes of
// padding behind the last one so that full-width vector loads of the tail stay inside the block.
struct Buffer {
  std::atomic<std::int32_t> refs;
  std::uint32_t size_class;              // the pool's business
  std::size_t capacity;                  // bytes of elements
  Pool* pool;                            // null for memory that somebody else owns
  void (*release)(Buffer*, void* user);  // foreign memory: called when the last reference goes
  void* user;  // of a pool's: what keeps the sums of its INT elements (sums.h), atomic; null: nobody
  std::byte* bytes;
  // INT elements are run_first, run_first + 1, ... for at least the first `run` of them; 0: nothing is known.
  // Written by whoever fills the memory, before anybody else sees it.
  std::int32_t run_first = 0;
  std::uint32_t run = 0;
  // Set where the elements stand on a device, too, and maybe only there (see remote.cpp).
  std::atomic<std::shared_ptr<Remote>*> remote{nullptr};
  // The elements; copied back from a device if only that has them. Throws Fault (kDevice) if they are lost.
  [[nodiscard]] std::byte* data() const {
    if (remote.load(std::memory_order_relaxed) != nullptr) [[unlikely]]
      fetch_remote(*this);
    return bytes;
  }
};

void release_buffer(Buffer* b);  // called at zero references

// Owning pointer.
class BufferRef {
 public:
  BufferRef() = default;
  explicit BufferRef(Buffer* taken) : b_(taken) {}  // takes over one reference
  BufferRef(const BufferRef& o) : b_(o.b_) {
    if (b_ == nullptr) return;
    if (__libc_single_threaded !=
        0)  // as std::shared_ptr does: a locked instruction costs as much as a small one
      b_->refs.store(b_->refs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    else
      b_->refs.fetch_add(1, std::memory_order_relaxed);
  }
  BufferRef(BufferRef&& o) noexcept : b_(std::exchange(o.b_, nullptr)) {}
  BufferRef& operator=(BufferRef o) noexcept {
    std::swap(b_, o.b_);
    return *this;
  }
  ~BufferRef() {
    if (b_ == nullptr) return;
    // A count of one is ours alone and nobody can raise it: no read-modify-write then.
    const std::int32_t refs = b_->refs.load(std::memory_order_acquire);
    if (refs != 1) {
      if (__libc_single_threaded != 0) {
        b_->refs.store(refs - 1, std::memory_order_relaxed);
        return;
      }
      if (b_->refs.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    }
    release_buffer(b_);
  }
  [[nodiscard]] Buffer* get() const { return b_; }
  Buffer* release() { return std::exchange(b_, nullptr); }  // the reference is the caller's
  [[nodiscard]] explicit operator bool() const { return b_ != nullptr; }
  [[nodiscard]] bool unique() const { return b_ != nullptr && b_->refs.load(std::memory_order_acquire) == 1; }
  [[nodiscard]] std::byte* data() const { return b_->data(); }

 private:
  Buffer* b_ = nullptr;
};

}  // namespace nvm::vm
