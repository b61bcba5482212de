// The emulation catches what a device would not show: races, bounds, barriers that some threads never reach.
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdio>

#include "gpu/codegen/code.h"
#include "tests/support/emu_engine.h"

namespace {

constexpr const char* kKernels = R"(
struct watch_args { u64 s[1]; };
#define KERNEL(name) extern "C" __global__ void name(const watch_args a)
KERNEL(good) {
  NVM_SHARED(u64, x, 64);
  x[threadIdx.x] = threadIdx.x;
  __syncthreads();
  ((u64*)a.s[0])[threadIdx.x] = x[63 - threadIdx.x];
}
NVM_ENTRY(good, watch_args)
KERNEL(unordered) {
  NVM_SHARED(u64, x, 64);
  x[threadIdx.x] = threadIdx.x;
  ((u64*)a.s[0])[threadIdx.x] = x[63 - threadIdx.x];
}
NVM_ENTRY(unordered, watch_args)
KERNEL(both_write) {
  NVM_SHARED(u64, x, 64);
  x[threadIdx.x / 2] = threadIdx.x;
}
NVM_ENTRY(both_write, watch_args)
KERNEL(all_read_one_writes) {
  NVM_SHARED(u64, x, 1);
  if (threadIdx.x == 0) x[0] = 0;
  __syncthreads();
  ((u64*)a.s[0])[threadIdx.x] = x[0];
  if (threadIdx.x == 63) x[0] = 1;
}
NVM_ENTRY(all_read_one_writes, watch_args)
KERNEL(all_add) {
  NVM_SHARED(u64, x, 1);
  if (threadIdx.x == 0) x[0] = 0;
  __syncthreads();
  nvm_shared_add(x, 0, 1);
  __syncthreads();
  ((u64*)a.s[0])[threadIdx.x] = x[0] - 1;
}
NVM_ENTRY(all_add, watch_args)
KERNEL(adds_too_early) {
  NVM_SHARED(u64, x, 1);
  if (threadIdx.x == 0) x[0] = 0;
  nvm_shared_add(x, 0, 1);
}
NVM_ENTRY(adds_too_early, watch_args)
KERNEL(read_too_early) {
  NVM_SHARED(u64, x, 1);
  if (threadIdx.x == 0) x[0] = 0;
  __syncthreads();
  nvm_shared_add(x, 0, 1);
  ((u64*)a.s[0])[threadIdx.x] = x[0];
}
NVM_ENTRY(read_too_early, watch_args)
KERNEL(outside) {
  NVM_SHARED(u64, x, 64);
  x[threadIdx.x + 1] = 0;
}
NVM_ENTRY(outside, watch_args)
KERNEL(left_out) {
  if (threadIdx.x % 32 == 0) __ballot_sync(0xffffffffu, true);
}
NVM_ENTRY(left_out, watch_args)
)";

// True if the kernel ends well; runs in a process of its own, since a violation aborts.
bool ends_well(void* library, const char* kernel) {
  using Entry = void (*)(const void*, unsigned, unsigned);
  const auto entry = reinterpret_cast<Entry>(dlsym(library, (std::string("emu_") + kernel).c_str()));
  REQUIRE(entry != nullptr);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);
    static_cast<void>(std::freopen("/dev/null", "w", stderr));
    unsigned long long out[64] = {};
    const unsigned long long args[1] = {reinterpret_cast<unsigned long long>(out)};
    entry(args, 1, 64);
    _exit(out[0] == 63 || out[0] == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("emulation stops at races, bounds and barriers that cannot open") {
  void* library = nvm::testing::load_emulated(nvm::gpu::prelude() + kKernels);
  CHECK(ends_well(library, "good"));
  CHECK_FALSE(ends_well(library, "unordered"));
  CHECK_FALSE(ends_well(library, "both_write"));
  CHECK_FALSE(ends_well(library, "all_read_one_writes"));
  CHECK(ends_well(library, "all_add"));
  CHECK_FALSE(ends_well(library, "adds_too_early"));
  CHECK_FALSE(ends_well(library, "read_too_early"));
  CHECK_FALSE(ends_well(library, "outside"));
  CHECK_FALSE(ends_well(library, "left_out"));
}
