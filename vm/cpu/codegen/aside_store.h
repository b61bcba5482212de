// Sinks that pack elements of a chunk aside, in the cache, until the chunks before have counted.
#pragma once

#include <cstring>

#include "vm/cpu/codegen/aside.h"

namespace nvm::vm::cpu {

class AsideStore : public Aside {
 public:
  explicit AsideStore(const SinkSpec& s) : Aside(s, s.out_storage, sizeof(State)) {}
  void begin(Work& w) const override { state(w) = {{aside(w)}, w.kernel->looks_back() ? 0 : first_place(w)}; }
  void block(Work& w) const override {
    pack(w);
    put_long(w);
  }
  void end(Work& w) const override {
    if (w.kernel->looks_back()) state(w).at = first_place(w);
    put(w);
  }

 protected:
  struct State : Aside::State {
    std::int64_t at;  // of the first element aside, in the result
  };
  [[nodiscard]] State& state(const Work& w) const { return w.kernel->worker_state<State>(w, *this); }
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

  // One chunk, longer than there is room aside.
  void put_long(Work& w) const {
    if (w.chunk_end - w.chunk_begin > kChunkMax) put(w);
  }
  // What lies aside goes into the result.
  void put(Work& w) const {
    State& st = state(w);
    const std::int64_t n = packed(w);
    st.place = aside(w);
    if (n == 0) return;
    if (!fits(w, st.at, n)) return w.kernel->trap();
    std::memcpy(result(w) + static_cast<std::size_t>(st.at) * bytes(), aside(w),
                static_cast<std::size_t>(n) * bytes());
    st.at += n;
  }
};

}  // namespace nvm::vm::cpu
