// Sinks that pack elements of a chunk aside, in the cache, until the chunks before have counted.
#pragma once

#include <cstring>

#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

class AsideStore : public SinkCode {
 public:
  explicit AsideStore(const SinkSpec& s) : s_(s) {}
  [[nodiscard]] std::size_t worker_bytes() const override {
    return kHead + static_cast<std::size_t>(kChunkMax) * bytes() + 64;
  }
  void begin(Work& w) const override { state(w) = {aside(w), w.kernel->looks_back() ? 0 : first_place(w)}; }
  void block(Work& w) const override {
    pack(w);
    put_long(w);
  }
  [[nodiscard]] std::uint64_t* advanced(Work& w) const override {
    return reinterpret_cast<std::uint64_t*>(&state(w).place);
  }
  [[nodiscard]] bool advances_place() const override { return true; }
  void end(Work& w) const override {
    if (w.kernel->looks_back()) state(w).at = first_place(w);
    put(w);
  }

 protected:
  struct State {
    std::byte* place;  // of the next element, aside
    std::int64_t at;   // of the first element aside, in the result
  };
  [[nodiscard]] std::size_t bytes() const { return storage_bytes(s_.out_storage); }
  [[nodiscard]] State& state(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
  [[nodiscard]] std::byte* aside(const Work& w) const {
    return reinterpret_cast<std::byte*>(&state(w)) + kHead;
  }
  [[nodiscard]] std::byte* result(const Work& w) const {
    return static_cast<std::byte*>(w.kernel->context().var(s_.sink->out).data);
  }
  // How many elements the chunks before have kept, once they have counted.
  [[nodiscard]] std::int64_t offset(const Work& w) const {
    return w.kernel->chunk_state<CountState>(w.chunk, *s_.count).offset;
  }
  // Of the chunk's first element, in the result.
  [[nodiscard]] virtual std::int64_t first_place(const Work& w) const = 0;
  // May `n` elements stand at `at` of the result?
  [[nodiscard]] virtual bool fits(const Work&, std::int64_t /*at*/, std::int64_t /*n*/) const { return true; }

  // What machine code does itself elsewhere.
  void pack(Work& w) const {
    if (s_.packs) return;
    const std::int64_t m =
        w.kernel->routines().compress(w.scratch<std::byte>(s_.value), w.scratch<std::uint8_t>(s_.flag), w.n,
                                      static_cast<int>(bytes()), state(w).place);
    state(w).place += static_cast<std::size_t>(m) * bytes();
  }
  // One chunk, longer than there is room aside.
  void put_long(Work& w) const {
    if (w.chunk_end - w.chunk_begin > kChunkMax) put(w);
  }
  // What lies aside goes into the result.
  void put(Work& w) const {
    State& st = state(w);
    const auto packed = static_cast<std::size_t>(st.place - aside(w));
    const auto n = static_cast<std::int64_t>(packed / bytes());
    st.place = aside(w);
    if (packed == 0) return;
    if (!fits(w, st.at, n)) return w.kernel->trap();
    std::memcpy(result(w) + static_cast<std::size_t>(st.at) * bytes(), aside(w), packed);
    st.at += n;
  }
  SinkSpec s_;

 private:
  static constexpr std::size_t kHead = 64;  // the state; what lies aside follows
};

}  // namespace nvm::vm::cpu
