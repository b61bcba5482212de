#include "vm/tier/call_shares.h"

#include <bit>

namespace nvm::vm {

namespace {

constexpr std::size_t kMostOpen = 64;       // watched calls
constexpr std::int64_t kEnough = 1 << 17;   // work that tells something
constexpr std::int64_t kShare = 32;         // kernels must do this part of the work
constexpr std::int64_t kSmall = 64 * 1024;  // work that takes about as long as recording a region of it
constexpr std::uint32_t kPass = 7;          // calls

}  // namespace

// What is long ago counts less and less.
void CallShares::Work::add(const Work& since, const Work& before) {
  kernels = kernels / 2 + since.kernels - before.kernels;
  primitives = primitives / 2 + since.primitives - before.primitives;
  open = open / 2 + since.open - before.open;
  open_regions = open_regions / 2 + since.open_regions - before.open_regions;
}

bool CallShares::Work::lost() const {
  return primitives >= kEnough && kShare * (kernels + open) < primitives;
}

bool CallShares::Work::cold() const {
  return open + primitives >= kEnough && kShare * kernels < open + primitives && open < kSmall * open_regions;
}

CallWay CallShares::begins(ssa::FunctionId function, std::int64_t elements, std::int64_t depth) {
  const auto size = static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(elements)));
  Known& known = known_[static_cast<std::uint64_t>(function) << 8 | size];
  if (known.unrecorded.pass() || (known.passed > 0 && known.passed-- > 0)) return CallWay::kUnrecorded;
  if (open_.size() == kMostOpen) return CallWay::kRecorded;
  open_.push_back({&known, depth, done_});
  return CallWay::kWatched;
}

std::int64_t CallShares::ends(std::int64_t depth) {
  while (!open_.empty() && open_.back().depth >= depth) {
    const Watched& call = open_.back();
    Known& known = *call.known;
    known.done.add(done_, call.before);
    if (known.done.lost())
      known.unrecorded.fail();
    else if (known.done.cold())
      known.passed = kPass;
    else
      known.unrecorded.succeed();
    open_.pop_back();
  }
  return open_.empty() ? -1 : open_.back().depth;
}

}  // namespace nvm::vm
