// libcuda.so.1 for machines without a GPU: the driver functions that nvm uses; kernels are functions built
// against cuda_emu.h.
#include <dlfcn.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/emu/device/machine.h"

using emu::Deed;
using emu::kGood;
using emu::kInvalid;
using emu::machine;
using emu::Moment;
using emu::Pointer;

namespace {

emu::Stream& stream_of(void* stream) { return *static_cast<emu::Stream*>(stream); }

int copy(void* to, const void* from, std::size_t bytes, Pointer device, bool write, const Moment& m) {
  const char* const doing = write ? "a copy to the device" : "a copy from the device";
  if (!emu::usable(device, bytes, doing)) return emu::kIllegal;
  emu::touch(device, m, write, doing);
  std::memcpy(to, from, bytes);
  return kGood;
}

// Keeps freed memory for a while; what is oldest goes.
void free_now(Pointer p, const Moment& m) {
  emu::Machine& machine = emu::machine();
  const auto it = machine.blocks.find(p);
  if (it == machine.blocks.end() || it->second.freed) emu::fail("memory freed twice");
  emu::touch(p, m, true, "freeing");
  const auto* bytes = reinterpret_cast<const unsigned char*>(p) + it->second.bytes;
  if (std::any_of(bytes, bytes + emu::kGuard, [](unsigned char c) { return c != 0xC3; }))
    emu::fail("a kernel wrote behind its memory");
  it->second.freed = true;
  machine.counts.live -= it->second.bytes;
  machine.freed.push_back(p);
  machine.freed_bytes += it->second.bytes;
  constexpr std::size_t kMostFreed = std::size_t{32} << 20;
  while (machine.freed_bytes > kMostFreed) {
    const Pointer oldest = machine.freed.front();
    machine.freed.pop_front();
    machine.freed_bytes -= machine.blocks.at(oldest).bytes;
    machine.blocks.erase(oldest);
    std::free(reinterpret_cast<void*>(oldest));
  }
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
  *version = static_cast<int>(machine().setting("cuda", 13000));
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
  const int major = static_cast<int>(machine().setting("major", 8));
  *value = attribute == 75 ? major : attribute == 16 ? 4 : 0;
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
  auto* m = new emu::Module;
  m->library = dlopen(text.substr(first + 1, second - first - 1).c_str(), RTLD_NOW | RTLD_LOCAL);
  m->prefix = text.substr(second + 1);
  if (m->library == nullptr) return kInvalid;
  *out = m;
  return kGood;
}
int cuModuleUnload(void* m) {
  delete static_cast<emu::Module*>(m);
  return kGood;
}
int cuModuleGetFunction(void** out, void* module, const char* name) {
  ENTER;
  auto* m = static_cast<emu::Module*>(module);
  const std::string symbol = "emu_" + (std::strncmp(name, "nvm_", 4) == 0 ? "" : m->prefix) + name;
  emu::Kernel k;
  k.name = name;
  k.run = reinterpret_cast<void (*)(const void*, unsigned, unsigned)>(dlsym(m->library, symbol.c_str()));
  const void* bytes = dlsym(m->library, (symbol + "_bytes").c_str());
  if (k.run == nullptr || bytes == nullptr) return emu::kNotFound;
  k.bytes = *static_cast<const unsigned*>(bytes);
  *out = &m->kernels.try_emplace(name, k).first->second;
  return kGood;
}
int cuLaunchKernel(void* kernel, unsigned blocks, unsigned, unsigned, unsigned threads, unsigned, unsigned,
                   unsigned, void* stream, void** parameters, void**) {
  ENTER;
  Deed deed;
  if (machine().counts.launches + 1 == machine().setting("short_launch")) {
    ++machine().counts.launches;
    return emu::kNoMemory;
  }
  if (!emu::make_launch(deed, kernel, blocks, threads, parameters)) return kInvalid;
  emu::count_launch(deed);
  emu::ask(stream_of(stream), [deed = std::move(deed)](const Moment& m) { return emu::perform(deed, m); });
  return kGood;
}

int cuMemAllocAsync(Pointer* out, std::size_t bytes, void* stream) {
  ENTER;
  emu::Machine& m = machine();
  ++m.counts.allocations;
  const std::uint64_t full = m.setting("full_from");
  if (m.counts.allocations == m.setting("no_memory") || (full != 0 && m.counts.allocations >= full) ||
      m.counts.live + bytes > m.setting("memory", std::uint64_t{1} << 34))
    return emu::kNoMemory;
  auto* p = static_cast<unsigned char*>(std::aligned_alloc(256, (bytes + emu::kGuard + 255) / 256 * 256));
  std::memset(p, 0xA5, bytes);
  std::memset(p + bytes, 0xC3, emu::kGuard);
  *out = reinterpret_cast<Pointer>(p);
  m.blocks[*out] = {bytes, false, false, {}};
  m.counts.live += bytes;
  m.counts.peak = std::max(m.counts.peak, m.counts.live);
  emu::touch(*out, emu::ask(stream_of(stream), nullptr), true, "taking memory");
  return kGood;
}
int cuMemFreeAsync(Pointer p, void* stream) {
  ENTER;
  emu::Stream& s = stream_of(stream);
  const bool at_once = s.work.empty();
  emu::ask(s, [p](const Moment& moment) {
    free_now(p, moment);
    return kGood;
  });
  return at_once ? emu::run(s) : kGood;
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
  emu::ask(stream_of(stream),
           [=](const Moment& m) { return copy(reinterpret_cast<void*>(to), from, bytes, to, true, m); });
  return kGood;
}
int cuMemcpyDtoHAsync_v2(void* to, Pointer from, std::size_t bytes, void* stream) {
  ENTER;
  if (bytes >= emu::Counts::kLeast) {
    ++machine().counts.downloads;
    machine().counts.download_bytes += bytes;
  }
  emu::ask(stream_of(stream), [=](const Moment& m) {
    return copy(to, reinterpret_cast<const void*>(from), bytes, from, false, m);
  });
  return kGood;
}
int cuMemcpyDtoDAsync_v2(Pointer to, Pointer from, std::size_t bytes, void* stream) {
  ENTER;
  Deed deed;
  deed.kind = Deed::Kind::kCopy;
  deed.to = to;
  deed.from = from;
  deed.bytes = bytes;
  emu::ask(stream_of(stream), [=](const Moment& m) { return emu::perform(deed, m); });
  return kGood;
}
int cuMemsetD8Async(Pointer to, unsigned char value, std::size_t bytes, void* stream) {
  ENTER;
  Deed deed;
  deed.kind = Deed::Kind::kFill;
  deed.to = to;
  deed.value = value;
  deed.bytes = bytes;
  emu::ask(stream_of(stream), [=](const Moment& m) { return emu::perform(deed, m); });
  return kGood;
}

int cuStreamCreate(void** stream, unsigned) {
  ENTER;
  auto* s = new emu::Stream;
  s->id = ++machine().streams_made;
  machine().streams.push_back(s);
  *stream = s;
  return kGood;
}
int cuStreamDestroy_v2(void* stream) {
  const std::lock_guard<std::recursive_mutex> lock(machine().mutex);
  std::erase(machine().streams, static_cast<emu::Stream*>(stream));
  delete static_cast<emu::Stream*>(stream);
  return kGood;
}
int cuStreamSynchronize(void* stream) {
  ENTER;
  ++machine().counts.waits;
  const int code = emu::run(stream_of(stream));
  emu::join(machine().host, stream_of(stream).clock);
  return code;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) {
  ENTER;
  // Of the event, what it was recorded for last; an event never recorded is over.
  const std::shared_ptr<emu::Record>& last = static_cast<emu::Event*>(event)->last;
  if (last != nullptr) {
    ++machine().counts.joins;
    emu::ask(stream_of(stream), nullptr, last);
  }
  return kGood;
}
int cuEventCreate(void** event, unsigned) {
  *event = new emu::Event;
  return kGood;
}
int cuEventDestroy_v2(void* event) {
  delete static_cast<emu::Event*>(event);
  return kGood;
}
int cuEventRecord(void* event, void* stream) {
  ENTER;
  auto record = std::make_shared<emu::Record>();
  record->stream = static_cast<emu::Stream*>(stream);
  record->clock = emu::ask(stream_of(stream), [record](const Moment&) {
                    record->reached = true;
                    record->at = std::chrono::steady_clock::now();
                    return kGood;
                  }).before;
  static_cast<emu::Event*>(event)->last = std::move(record);
  return kGood;
}
int cuEventSynchronize(void* event) {
  ENTER;
  ++machine().counts.waits;
  const std::shared_ptr<emu::Record> last = static_cast<emu::Event*>(event)->last;
  if (last == nullptr) return kGood;
  if (!last->reached) emu::run(*last->stream, last.get());
  emu::join(machine().host, last->clock);
  return machine().lost;
}
int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  const auto& a = static_cast<emu::Event*>(from)->last;
  const auto& b = static_cast<emu::Event*>(to)->last;
  if (a == nullptr || b == nullptr || !a->reached || !b->reached) return emu::kNotReady;
  *milliseconds = std::chrono::duration<float, std::milli>(b->at - a->at).count();
  return kGood;
}
int cuGetErrorString(int error, const char** text) {
  *text = error == emu::kNoMemory  ? "out of memory"
          : error == emu::kIllegal ? "an illegal memory access was encountered"
          : error == emu::kLost    ? "unspecified launch failure"
          : error == 803           ? "system has unsupported display driver / cuda driver combination"
                                   : "an error of the emulated device";
  return kGood;
}

}  // extern "C"
