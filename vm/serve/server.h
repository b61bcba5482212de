// The playground: a page for programs, on the loopback device only. Programs run in processes of their own
// (child.h); the server reads none of their text.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nvm::serve {

struct Settings {
  unsigned short port = 0;         // 0: one that is free
  std::string nvm;                 // the path of the program that children run
  std::vector<std::string> words;  // options of theirs, such as limits
  double seconds = 10;             // when a child is ended at the latest, if it does not end by itself
  std::uint64_t output = 1 << 20;  // bytes that a child may write
  std::function<void()> lost;      // a request was given up, for want of memory
};

// Serves until `stop`; then no child is left. `ready` gets the address to open. The answer
// is why it cannot serve, or "".
[[nodiscard]] std::string serve(const Settings& settings, const std::atomic<bool>& stop,
                                const std::function<void(const std::string& address)>& ready);

}  // namespace nvm::serve
