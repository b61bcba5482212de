#include "vm/cpu/codegen/strided.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>

#include "bytecode/base/at.h"
#include "vm/cpu/code_memory.h"
#include "vm/cpu/codegen/kernel.h"

namespace nvm::vm::cpu {

std::vector<StridedLoad> strided_loads(const Stretch& stretch, const soac::Body& body) {
  std::vector<Stretch::Offset> offsets;
  for (const Stretch::Offset& o : stretch.offsets)
    if (o.stride != 1) offsets.push_back(o);
  const auto of = [&](const Stretch::Offset& o) { return body.insts[at(o.gather)].var; };
  std::stable_sort(offsets.begin(), offsets.end(), [&](const auto& a, const auto& b) {
    return std::tuple(of(a), a.stride, a.by) < std::tuple(of(b), b.stride, b.by);
  });
  std::vector<StridedLoad> loads;
  const Stretch::Offset* from = nullptr;
  for (const Stretch::Offset& o : offsets) {
    if (from == nullptr || of(*from) != of(o) || from->stride != o.stride || o.by - from->by >= kStripeTurn)
      from = &o;
    loads.push_back({o.gather, from->gather, o.by - from->by});
  }
  return loads;
}

StridedLoads::StridedLoads(Lanes& lanes, StageFrame& frame, const StageSpec& spec)
    : lanes_(lanes),
      frame_(frame),
      spec_(spec),
      by_value_(spec.body->insts.size(), nullptr),
      is_first_(spec.body->insts.size()) {
  for (const StridedLoad& load : spec.strided) by_value_[at(load.gather)] = &load;
  std::set<std::int32_t> seen;
  for (std::size_t i = 0; i < by_value_.size(); ++i)
    if (by_value_[i] != nullptr) is_first_[i] = seen.insert(by_value_[i]->from).second;
}

Storage StridedLoads::storage_of(std::int32_t gather) const {
  return (*spec_.vars)[at(spec_.body->insts[at(gather)].var)].storage;
}

namespace {

Slot slot_of(SlotKind kind, std::int32_t gather, Storage storage) {
  return {kind, gather, static_cast<std::int32_t>(storage_bytes(storage))};
}

}  // namespace

void StridedLoads::hoist(std::size_t gather) {
  const std::int32_t from = by_value_[gather]->from;
  for (const SlotKind kind : {SlotKind::kStraight, SlotKind::kStride})
    static_cast<void>(frame_.pointer(slot_of(kind, from, storage_of(from))));
}

Lane StridedLoads::load(std::size_t gather, std::int64_t ahead) {
  const StridedLoad& load = *by_value_[gather];
  std::array<Lane, kStripeTurn>& four = loaded_[{load.from, ahead}];
  if (is_first_[gather]) {
    const Storage storage = storage_of(load.gather);
    const Slot first = slot_of(SlotKind::kStraight, load.from, storage);
    four =
        load_stripes(lanes_, storage, places(first, slot_of(SlotKind::kStride, load.from, storage), ahead));
  }
  return four[static_cast<std::size_t>(load.behind)];
}

// Where the lanes' elements stand: lanes 0 to 3 in registers, the others four strides behind these.
std::array<x86::Mem, kMostStripes> StridedLoads::places(const Slot& first, const Slot& stride,
                                                        std::int64_t ahead) {
  x86::Compiler& cc = lanes_.cc();
  const x86::Gp step = frame_.pointer(stride);
  std::array<x86::Gp, 4> lane;
  for (x86::Gp& p : lane) p = cc.newIntPtr();
  cc.lea(lane[0], x86::ptr(frame_.i(), static_cast<std::int32_t>(ahead)));
  cc.imul(lane[0], step);
  cc.add(lane[0], frame_.pointer(first));
  cc.lea(lane[1], x86::ptr(lane[0], step));
  cc.lea(lane[2], x86::ptr(lane[0], step, 1));
  cc.lea(lane[3], x86::ptr(lane[1], step, 1));
  std::array<x86::Mem, kMostStripes> at;
  for (std::size_t l = 0; l < at.size(); ++l)
    at[l] = l < lane.size() ? x86::ptr(lane[l]) : x86::ptr(lane[l - lane.size()], step, 2);
  return at;
}

const Stage* StridedCode::stage(const KernelCode& code, const StretchIndices& indices,
                                const std::vector<StridedLoad>& loads, std::int64_t iterations,
                                CodeMemory& memory) const {
  constexpr std::int64_t kFewest = 1 << 15;  // fewer take less time than compiling
  if (seen_.fetch_add(iterations, std::memory_order_relaxed) + iterations < kFewest) return nullptr;
  once_([&] {
    StageSpec spec = code.main_spec;
    spec.straight = indices;
    spec.strided = loads_ = loads;
    std::string reason;
    if (!memory.compile(spec, code.name + ".strided", stage_, reason)) stage_ = {};
  });
  return stage_.function != nullptr && loads_ == loads ? &stage_ : nullptr;
}

void StridedCode::release(CodeMemory& memory) { memory.release(stage_); }

}  // namespace nvm::vm::cpu
