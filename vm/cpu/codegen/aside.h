// Sinks that pack elements of a chunk aside, in the cache.
#pragma once

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

class Aside : public SinkCode {
 public:
  // `head` bytes of state, which begins with a State; what lies aside follows.
  Aside(const SinkSpec& s, Storage storage, std::size_t head)
      : s_(s), storage_(storage), head_((head + 63) / 64 * 64) {}
  [[nodiscard]] std::size_t worker_bytes() const override {
    return head_ + static_cast<std::size_t>(kChunkMax) * bytes() + 64;
  }
  [[nodiscard]] std::uint64_t* advanced(Work& w) const override {
    return reinterpret_cast<std::uint64_t*>(&w.kernel->worker_state<State>(w, *this).place);
  }
  [[nodiscard]] bool advances_place() const override { return true; }

 protected:
  struct State {
    std::byte* place;  // of the next element, aside
  };
  [[nodiscard]] std::size_t bytes() const { return storage_bytes(storage_); }
  [[nodiscard]] std::byte* aside(const Work& w) const {
    return reinterpret_cast<std::byte*>(&w.kernel->worker_state<State>(w, *this)) + head_;
  }
  // How many elements lie aside.
  [[nodiscard]] std::int64_t packed(const Work& w) const {
    const std::byte* place = w.kernel->worker_state<State>(w, *this).place;
    return (place - aside(w)) / static_cast<std::int64_t>(bytes());
  }
  // What machine code does itself elsewhere.
  void pack(Work& w) const {
    if (s_.packs) return;
    std::byte*& place = w.kernel->worker_state<State>(w, *this).place;
    const std::int64_t m =
        w.kernel->routines().compress(w.scratch<std::byte>(s_.value), w.scratch<std::uint8_t>(s_.flag), w.n,
                                      static_cast<int>(bytes()), place);
    place += static_cast<std::size_t>(m) * bytes();
  }
  SinkSpec s_;

 private:
  Storage storage_;  // of what lies aside
  std::size_t head_;
};

}  // namespace nvm::vm::cpu
