// Nothing is thrown out of libnvm: the one place where exceptions end. Every function of its interface goes
// through guarded() (tests/lint/guarded.py), and so do the commands.
#pragma once

#include <atomic>
#include <utility>

#include "vm/lib/watch.hpp"

namespace nvm::lib {

// What was thrown, as a failure; in a handler only. Where memory has run out this needs none.
[[nodiscard]] Failure failure_thrown() noexcept;

// f(), or if it throws what `otherwise` makes of the failure, or the failure itself.
template <typename F, typename G>
auto guarded(F&& f, G&& otherwise) noexcept -> decltype(f()) {
  try {
    return f();
  } catch (...) {
    return otherwise(failure_thrown());
  }
}
template <typename F>
auto guarded(F&& f) noexcept -> decltype(f()) {
  return guarded(f, [](Failure failure) -> decltype(f()) { return failure; });
}

// Of a word of the user's, before anything runs.
[[nodiscard]] Failure refusal(const std::string& reason);

// The watcher of what `impl` makes, which may throw a Failure of its own.
template <typename W, typename F>
Made<W> make_watcher(F&& impl) noexcept {
  return guarded([&]() -> Made<W> {
    try {
      return std::make_shared<W>(impl());
    } catch (Failure& refused) {
      return std::move(refused);
    }
  });
}

// Taken for as long as a call uses what only one at a time may use; false where another one does: a second
// thread, or a callback of the first call.
class Taken {
 public:
  explicit Taken(std::atomic<bool>& busy)
      : busy_(busy), mine_(!busy.exchange(true, std::memory_order_acquire)) {}
  ~Taken() {
    if (mine_) busy_.store(false, std::memory_order_release);
  }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
  [[nodiscard]] explicit operator bool() const { return mine_; }

 private:
  std::atomic<bool>& busy_;
  bool mine_;
};

inline constexpr char kBusy[] = "busy: another call uses it, on another thread or around this one";
inline constexpr char kNoMemory[] = "out of memory";  // short enough to be a string without memory of its own

}  // namespace nvm::lib
