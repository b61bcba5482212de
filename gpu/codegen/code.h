// What the generator makes of a plan: one CUDA C++ source and, for every kernel of the plan, the launches
// that run it. Everything the host must know stands here as data, so that the same launches run on a device
// and under emulation.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "bytecode/plan/plan.h"

namespace nvm::gpu {

using plan::LengthId;
using plan::VarId;
using soac::kNone;

// One 8-byte argument of a launch.
enum class ArgKind : std::uint8_t {
  kCells,          // the run's cells: trap word, lengths by LengthId, scalars by VarId
  kLength,         // value of length `id`
  kData,           // elements of vector `id`
  kOffsets,        // offsets of descriptor `id`
  kRegularLength,  // length of every segment of descriptor `id`
  kScratch,        // scratch `id` of the kernel
  kConstant,       // the number `id`
  kBits,           // bits[id] of the launch
  kDraws,          // where the kernel's draws begin: 0 the seed, 1 the first
};
struct Arg {
  ArgKind kind = ArgKind::kCells;
  std::int32_t id = kNone;
  friend bool operator==(const Arg&, const Arg&) = default;
};

// Device memory of one kernel's launches: max(least, ceil(length / unit)) entries of `bytes` bytes, or
// `enough`.
struct Scratch {
  LengthId length = kNone;  // kNone: `least` entries
  std::int64_t unit = 1;
  std::int64_t bytes = 8;
  std::int64_t least = 1;
  bool zeroed = false;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();    // entries; the device cannot do with more
  std::int64_t enough = std::numeric_limits<std::int64_t>::max();  // entries; it does not need more
};

// grid = max(1, ceil(over / items)) + extra blocks of `threads` threads.
struct Launch {
  std::string entry;
  LengthId over = kNone;
  std::int64_t items = 1;
  int extra = 0;
  int threads = 256;
  std::vector<Arg> args;
  std::vector<std::uint64_t> bits;
};

struct KernelCode {
  std::int32_t origin = kNone;  // the kernel of the plan that was given; kNone: one that was added
  LengthId space = kNone;
  std::vector<Scratch> scratch;
  std::vector<Launch> launches;
  int lane = 0;            // see Queue
  std::vector<int> after;  // lanes that have made what is read here
};

// offsets of a descriptor made by a filter, behind the kernel that makes its counts, and of one of computed
// lengths, in the kernel that reads these: see executor.
struct Code {
  plan::Plan plan;                  // with descriptors' offsets added as vectors
  std::string source;               // without the prelude
  std::vector<KernelCode> kernels;  // without launches where the host's primitive does the work
  std::vector<VarId>
      offsets_of;  // by VarId: for descriptors made here, the vector of their offsets; else kNone
  // Likewise, of computed lengths: a BOOL, whether some length is not as the first.
  std::vector<VarId> differs_of;
};

// Random numbers and descriptors are made here; a rank is a primitive, which runs on the device, too.
[[nodiscard]] inline bool left_to_host(const plan::Kernel& k) {
  return !k.sinks.empty() && k.sinks.front().kind == plan::SinkKind::kRank;
}

// Cells of a run.
[[nodiscard]] inline std::int32_t length_cell(LengthId n) { return 1 + n; }
[[nodiscard]] inline std::int32_t scalar_cell(const plan::Plan& plan, VarId v) {
  return 1 + static_cast<std::int32_t>(plan.lengths.size()) + v;
}
[[nodiscard]] inline std::size_t cell_count(const plan::Plan& plan) {
  return 1 + plan.lengths.size() + plan.vars.size();
}

// `prefix` starts every name of the source, so that several plans may share a source.
[[nodiscard]] Code generate(const plan::Plan& plan, const std::string& prefix);
// What must stand before the source, once.
[[nodiscard]] const std::string& prelude();

}  // namespace nvm::gpu
