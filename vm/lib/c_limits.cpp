#include <thread>

#include "vm/lib/c_handles.h"

struct nvm_limits {
  std::thread::id thread;
  int depth;  // among those of the thread, from 1
  nvm::lib::Limits limits;
};

namespace {
constinit thread_local int limits_begun = 0;
}  // namespace

using namespace nvm::lib;

nvm_limits* nvm_limits_begin(uint64_t memory, double seconds) {
  return guarded_c([&] {
    if (!(seconds >= 0)) refuse("a time limit of " + std::to_string(seconds) + " seconds");
    auto* limits = new nvm_limits{std::this_thread::get_id(), limits_begun + 1, {memory, seconds}};
    ++limits_begun;
    return limits;
  });
}

int nvm_limits_end(nvm_limits* limits) {
  return guarded_c(
      [&] {
        if (limits == nullptr) return 0;
        if (limits->thread != std::this_thread::get_id()) refuse("these limits were begun on another thread");
        if (limits->depth != limits_begun) refuse("limits that were begun after these have not ended");
        delete limits;
        --limits_begun;
        return 0;
      },
      1);
}
