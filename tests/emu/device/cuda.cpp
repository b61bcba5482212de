// libcuda.so.1 for machines without a GPU: the driver functions that nvm uses. What is asked of a stream is
// done when somebody waits for it and no earlier, so that a missing wait shows; kernels are functions built
// against cuda_emu.h.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/emu/device/control.h"

namespace {

constexpr int kGood = 0, kInvalid = 1, kNoMemory = 2, kNotFound = 500, kNotReady = 600, kIllegal = 700,
              kLost = 719;
constexpr std::size_t kGuard = 64;
using Pointer = std::uint64_t;
using Work = std::function<int()>;

struct EmuEvent;
struct EmuStream {
  std::deque<Work> work;
};
struct EmuEvent {
  EmuStream* stream = nullptr;  // that will reach it; null: reached
  std::chrono::steady_clock::time_point at{};
};
struct EmuModule {
  void* library = nullptr;
  std::string prefix;
};
struct EmuKernel {
  void (*run)(const void*, unsigned, unsigned) = nullptr;
  unsigned bytes = 0;
};

struct Machine {
  std::recursive_mutex mutex;
  std::map<std::string, std::uint64_t> settings;
  emu::Counts counts;
  int lost = 0;
  std::map<Pointer, std::size_t> blocks;
  std::map<std::string, EmuKernel> kernels;

  Machine() { set(std::getenv("NVM_EMU")); }
  ~Machine() {
    const char* file = std::getenv("NVM_EMU_COUNTS");
    std::FILE* out = file == nullptr ? nullptr : std::fopen(file, "we");
    if (out == nullptr) return;
    const auto n = [](std::uint64_t x) { return static_cast<unsigned long long>(x); };
    std::fprintf(out, "launches=%llu uploads=%llu downloads=%llu allocations=%llu live=%llu\n",
                 n(counts.launches), n(counts.uploads), n(counts.downloads), n(counts.allocations),
                 n(counts.live));
    std::fclose(out);
  }
  void set(const char* text) {
    settings.clear();
    lost = 0;
    std::string rest = text == nullptr ? "" : text;
    while (!rest.empty()) {
      const std::string word = rest.substr(0, rest.find(','));
      rest.erase(0, word.size() + 1);
      const std::size_t equals = word.find('=');
      settings[word.substr(0, equals)] = std::strtoull(word.c_str() + equals + 1, nullptr, 10);
    }
    const emu::Counts before = counts;
    counts = {};
    counts.live = counts.peak = before.live;
  }
  [[nodiscard]] std::uint64_t setting(const char* name, std::uint64_t otherwise = 0) const {
    const auto it = settings.find(name);
    return it == settings.end() ? otherwise : it->second;
  }
  int call() {
    ++counts.calls;
    if (counts.calls == setting("lose")) lost = kLost;
    return lost;
  }
};
Machine& machine() {
  static auto* const m = [] {
    auto* made = new Machine;
    std::atexit([] { machine().~Machine(); });
    return made;
  }();
  return *m;
}

int run(EmuStream& s) {
  while (!s.work.empty() && machine().lost == 0) {
    const Work next = std::move(s.work.front());
    s.work.pop_front();
    if (const int code = next(); code != 0) machine().lost = code;
  }
  return machine().lost;
}
// Finds the block that has [p, p + bytes); a device would let some of these errors pass.
bool inside(Pointer p, std::size_t bytes) {
  auto it = machine().blocks.upper_bound(p);
  if (it == machine().blocks.begin()) return false;
  --it;
  return p + bytes <= it->first + it->second;
}
int copy(void* to, const void* from, std::size_t bytes, Pointer device) {
  if (!inside(device, bytes)) return kIllegal;
  std::memcpy(to, from, bytes);
  return kGood;
}
void free_now(Pointer p) {
  const auto it = machine().blocks.find(p);
  if (it == machine().blocks.end()) {
    std::fprintf(stderr, "emulated device: memory freed twice\n");
    std::abort();
  }
  const auto* bytes = reinterpret_cast<const unsigned char*>(p);
  for (std::size_t i = 0; i < kGuard; ++i) {
    if (bytes[it->second + i] == 0xC3) continue;
    std::fprintf(stderr, "emulated device: a kernel wrote behind its memory\n");
    std::abort();
  }
  machine().counts.live -= it->second;
  std::free(reinterpret_cast<void*>(p));
  machine().blocks.erase(it);
}

}  // namespace

#define ENTER                                                        \
  const std::lock_guard<std::recursive_mutex> lock(machine().mutex); \
  if (const int code = machine().call(); code != 0) return code

extern "C" {

void emu_control(const char* settings) {
  const std::lock_guard<std::recursive_mutex> lock(machine().mutex);
  machine().set(settings);
}
void emu_counts(emu::Counts* out) {
  const std::lock_guard<std::recursive_mutex> lock(machine().mutex);
  *out = machine().counts;
}

int cuInit(unsigned) { return static_cast<int>(machine().setting("init")); }
int cuDriverGetVersion(int* version) {
  *version = 13000;
  return kGood;
}
int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(machine().setting("devices", 1));
  return kGood;
}
int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return kGood;
}
int cuDeviceGetName(char* name, int length, int) {
  std::snprintf(name, static_cast<std::size_t>(length), "emulated device");
  return kGood;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = machine().setting("memory", std::uint64_t{1} << 34);
  return kGood;
}
int cuDeviceGetAttribute(int* value, int attribute, int) {
  *value = attribute == 75 ? 8 : attribute == 16 ? 4 : 0;
  return kGood;
}
int cuDevicePrimaryCtxRetain(void** context, int) {
  static int one = 0;
  *context = &one;
  return kGood;
}
int cuDevicePrimaryCtxRelease_v2(int) { return kGood; }
int cuCtxSetCurrent(void*) { return machine().lost; }

// The image names a library of emulated kernels and what their names begin with.
int cuModuleLoadData(void** out, const void* image) {
  ENTER;
  const std::string text(static_cast<const char*>(image));
  const std::size_t first = text.find('\n');
  const std::size_t second = text.find('\n', first + 1);
  if (first == std::string::npos || second == std::string::npos) return kInvalid;
  auto* m = new EmuModule;
  m->library = dlopen(text.substr(first + 1, second - first - 1).c_str(), RTLD_NOW | RTLD_LOCAL);
  m->prefix = text.substr(second + 1);
  if (m->library == nullptr) return kInvalid;
  *out = m;
  return kGood;
}
int cuModuleUnload(void* m) {
  delete static_cast<EmuModule*>(m);
  return kGood;
}
int cuModuleGetFunction(void** out, void* module, const char* name) {
  ENTER;
  const auto* m = static_cast<EmuModule*>(module);
  const std::string symbol = "emu_" + (std::strncmp(name, "nvm_", 4) == 0 ? "" : m->prefix) + name;
  EmuKernel k;
  k.run = reinterpret_cast<void (*)(const void*, unsigned, unsigned)>(dlsym(m->library, symbol.c_str()));
  const void* bytes = dlsym(m->library, (symbol + "_bytes").c_str());
  if (k.run == nullptr || bytes == nullptr) return kNotFound;
  k.bytes = *static_cast<const unsigned*>(bytes);
  *out = new EmuKernel(k);
  return kGood;
}
int cuLaunchKernel(void* kernel, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned, void* stream, void** parameters, void**) {
  ENTER;
  if (blocks == 0 || threads == 0 || threads > 1024) return kInvalid;
  Machine& m = machine();
  ++m.counts.launches;
  const bool bad = m.counts.launches == m.setting("bad_launch");
  const auto* k = static_cast<EmuKernel*>(kernel);
  const auto* from = static_cast<const unsigned char*>(parameters[0]);
  std::vector<unsigned char> copied(from, from + k->bytes);
  static_cast<EmuStream*>(stream)->work.push_back([=, copied = std::move(copied)] {
    if (bad) return kIllegal;
    k->run(copied.data(), blocks, threads);
    return kGood;
  });
  return kGood;
}

int cuMemAllocAsync(Pointer* out, std::size_t bytes, void*) {
  ENTER;
  Machine& m = machine();
  ++m.counts.allocations;
  const std::uint64_t full = m.setting("full_from");
  if (m.counts.allocations == m.setting("no_memory") || (full != 0 && m.counts.allocations >= full) ||
      m.counts.live + bytes > m.setting("memory", std::uint64_t{1} << 34))
    return kNoMemory;
  auto* p = static_cast<unsigned char*>(std::aligned_alloc(256, (bytes + kGuard + 255) / 256 * 256));
  std::memset(p, 0xA5, bytes);
  std::memset(p + bytes, 0xC3, kGuard);
  *out = reinterpret_cast<Pointer>(p);
  m.blocks[*out] = bytes;
  m.counts.live += bytes;
  m.counts.peak = std::max(m.counts.peak, m.counts.live);
  return kGood;
}
int cuMemFreeAsync(Pointer p, void* stream) {
  ENTER;
  auto& work = static_cast<EmuStream*>(stream)->work;
  if (work.empty()) {
    free_now(p);
    return kGood;
  }
  work.push_back([p] {
    free_now(p);
    return kGood;
  });
  return kGood;
}
int cuDeviceGetDefaultMemPool(void** pool, int) {
  static int one = 0;
  *pool = &one;
  return kGood;
}
int cuMemPoolSetAttribute(void*, int, void*) { return kGood; }
int cuMemPoolTrimTo(void*, std::size_t) { return machine().lost; }
int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  ENTER;
  *total = machine().setting("memory", std::uint64_t{1} << 34);
  *free = *total - machine().counts.live;
  return kGood;
}
int cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  return kGood;
}
int cuMemFreeHost(void* memory) {
  std::free(memory);
  return kGood;
}
int cuMemcpyHtoDAsync_v2(Pointer to, const void* from, std::size_t bytes, void* stream) {
  ENTER;
  if (bytes >= emu::Counts::kLeast) {
    ++machine().counts.uploads;
    machine().counts.upload_bytes += bytes;
  }
  static_cast<EmuStream*>(stream)->work.push_back(
      [=] { return copy(reinterpret_cast<void*>(to), from, bytes, to); });
  return kGood;
}
int cuMemcpyDtoHAsync_v2(void* to, Pointer from, std::size_t bytes, void* stream) {
  ENTER;
  if (bytes >= emu::Counts::kLeast) {
    ++machine().counts.downloads;
    machine().counts.download_bytes += bytes;
  }
  static_cast<EmuStream*>(stream)->work.push_back(
      [=] { return copy(to, reinterpret_cast<const void*>(from), bytes, from); });
  return kGood;
}
int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, std::size_t bytes, void* stream) {
  ENTER;
  static_cast<EmuStream*>(stream)->work.push_back([=] {
    return inside(from, bytes)
               ? copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes, to)
               : kIllegal;
  });
  return kGood;
}
int cuMemsetD8Async(Pointer to, unsigned char value, std::size_t bytes, void* stream) {
  ENTER;
  static_cast<EmuStream*>(stream)->work.push_back([=] {
    if (!inside(to, bytes)) return kIllegal;
    std::memset(reinterpret_cast<void*>(to), value, bytes);
    return kGood;
  });
  return kGood;
}

int cuStreamCreate(void** stream, unsigned) {
  ENTER;
  *stream = new EmuStream;
  return kGood;
}
int cuStreamDestroy_v2(void* stream) {
  delete static_cast<EmuStream*>(stream);
  return kGood;
}
int cuStreamSynchronize(void* stream) {
  ENTER;
  return run(*static_cast<EmuStream*>(stream));
}
int cuEventCreate(void** event, unsigned) {
  *event = new EmuEvent;
  return kGood;
}
int cuEventDestroy_v2(void* event) {
  delete static_cast<EmuEvent*>(event);
  return kGood;
}
int cuEventRecord(void* event, void* stream) {
  ENTER;
  auto* e = static_cast<EmuEvent*>(event);
  auto* s = static_cast<EmuStream*>(stream);
  e->stream = s;
  s->work.push_back([e] {
    e->stream = nullptr;
    e->at = std::chrono::steady_clock::now();
    return kGood;
  });
  return kGood;
}
int cuEventSynchronize(void* event) {
  ENTER;
  auto* e = static_cast<EmuEvent*>(event);
  return e->stream == nullptr ? kGood : run(*e->stream);
}
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  const auto* a = static_cast<EmuEvent*>(from);
  const auto* b = static_cast<EmuEvent*>(to);
  if (a->stream != nullptr || b->stream != nullptr) return kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(b->at - a->at).count();
  return kGood;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  ENTER;
  auto* e = static_cast<EmuEvent*>(event);
  static_cast<EmuStream*>(stream)->work.push_back(
      [e] { return e->stream == nullptr ? kGood : run(*e->stream); });
  return kGood;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == kNoMemory  ? "out of memory"
          : error == kIllegal ? "an illegal memory access was encountered"
          : error == kLost    ? "unspecified launch failure"
          : error == 803      ? "system has unsupported display driver / cuda driver combination"
                              : "an error of the emulated device";
  return kGood;
}

}  // extern "C"
