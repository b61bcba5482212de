#include "vm/interp/pack_groups.h"

#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "bytecode/base/at.h"
#include "bytecode/ssa/facts.h"
#include "vm/interp/elements.h"
#include "vm/prims/views.h"

namespace nvm::vm {

namespace {

using ssa::ValueId;

class Finder {
 public:
  Finder(const ssa::Function& f, const Slots& slots, const ssa::Demand& demand)
      : f_(f), slots_(slots), demand_(demand) {}

  std::vector<PackGroup> run() {
    find_groups();
    find_halves();
    return std::move(groups_);
  }

 private:
  // PACKs of a block, with no call between them, whose flags are comparisons of what they pack.
  void find_groups() {
    const std::vector<const ssa::Inst*> makers = ssa::makers_of(f_);
    for (const ssa::Block& block : f_.blocks) {
      std::map<std::array<ValueId, 3>, std::size_t> open;  // by elements, descriptor, values compared with
      for (const ssa::Inst& inst : block.insts) {
        if (inst.op == Op::kCall) open.clear();
        if (inst.op != Op::kPack) continue;
        const ValueId* operands = f_.operands_of(inst);
        const ssa::Inst* flags = makers[at(operands[1])];
        if (!demand_.may(operands[1], Form::kFlags) || flags == nullptr) continue;
        const ValueId* sides = f_.operands_of(*flags);
        const bool left = sides[0] == operands[0];
        if (!left && sides[1] != operands[0]) continue;
        const Scalar relation = op_info(flags->op).scalar;
        const auto [found, fresh] =
            open.try_emplace({operands[0], operands[2], sides[left ? 1 : 0]}, groups_.size());
        if (!fresh && groups_[found->second].members.size() == kMostPackings) found->second = groups_.size();
        if (found->second == groups_.size()) groups_.emplace_back();
        groups_[found->second].members.push_back(
            {&inst, left ? relation : mirrored(relation), slots_.slot[at(inst.first_result + 1)] != kNoSlot});
      }
    }
  }

  // A DPERMUTE over another one, nobody else looking at that: of two PACKs of one group, nobody else looking
  // at their elements either, these are halves. No call lies between them.
  void find_halves() {
    const std::vector<int> reads = ssa::reads_of(f_);
    for (const ssa::Block& block : f_.blocks) {
      std::unordered_map<ValueId, PackGroup::Member*> packs;  // by elements
      std::unordered_map<ValueId, PackGroup::Member*> moved;  // by result of the DPERMUTE of them
      for (const ssa::Inst& inst : block.insts) {
        if (inst.op == Op::kCall) packs.clear(), moved.clear();
        if (inst.op == Op::kPack && reads[at(inst.first_result)] == 1) {
          if (PackGroup::Member* member = member_of(inst)) packs[inst.first_result] = member;
        }
        if (inst.op != Op::kDpermute) continue;
        const ValueId* operands = f_.operands_of(inst);
        const auto pack = packs.find(operands[0]);
        if (pack == packs.end()) continue;
        const auto below = moved.find(operands[2]);
        if (below != moved.end() && pair(*below->second, *pack->second)) continue;
        if (reads[at(inst.first_result)] == 1 && demand_.may(inst.first_result, Form::kPending))
          moved[inst.first_result] = pack->second;
      }
    }
  }
  [[nodiscard]] PackGroup::Member* member_of(const ssa::Inst& inst) {
    for (PackGroup& group : groups_)
      for (PackGroup::Member& member : group.members)
        if (member.inst == &inst) return &member;
    return nullptr;
  }
  // Makes halves of two members if they are of one group that has none, and no element goes to both.
  [[nodiscard]] bool pair(PackGroup::Member& first, PackGroup::Member& second) {
    for (PackGroup& group : groups_) {
      std::size_t found = 0;
      for (PackGroup::Member& member : group.members) {
        if (member.half != Packing::Half::kNone) return false;
        found += &member == &first || &member == &second ? 1 : 0;
      }
      if (found == 1) return false;
      if (found == 0) continue;
      if (&first == &second || !exclude(first.relation, second.relation)) return false;
      first.half = Packing::Half::kFirst;
      second.half = Packing::Half::kSecond;
      return true;
    }
    return false;
  }
  const ssa::Function& f_;
  const Slots& slots_;
  const ssa::Demand& demand_;
  std::vector<PackGroup> groups_;
};

}  // namespace

std::vector<PackGroup> find_pack_groups(const ssa::Function& f, const Slots& slots,
                                        const ssa::Demand& demand) {
  return Finder(f, slots, demand).run();
}

std::int16_t group_of(const std::vector<PackGroup>& groups, const ssa::Inst& inst) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const auto& members = groups[g].members;
    for (std::size_t i = 0; i < members.size() && members.size() > 1; ++i)
      if (members[i].inst == &inst)
        return static_cast<std::int16_t>(i == 0 ? static_cast<int>(g) : Step::kInGroup);
  }
  return Step::kNoGroup;
}

}  // namespace nvm::vm
