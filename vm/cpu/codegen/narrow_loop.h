// The loop over narrow vectors (narrow_lanes.h), in front of the ordinary one, which does what is left over.
#pragma once

#include <optional>
#include <vector>

#include "vm/cpu/codegen/narrow_lanes.h"
#include "vm/cpu/codegen/values.h"

namespace nvm::vm::cpu {

class NarrowLoop {
 public:
  NarrowLoop(x86::Compiler& cc, StageFrame& frame, const StageSpec& spec, StageValues& values,
             const NarrowPlan& plan)
      : cc_(cc), frame_(frame), spec_(spec), values_(values), plan_(plan) {}

  // `sinks` stores and packs what `wanted` says, by number, of what stands in the lanes of the values, and
  // folds. To `end` if nothing is left over.
  template <typename Sinks>
  void emit(Sinks& sinks, const asmjit::Label& end) {
    const asmjit::Label loop = cc_.newLabel(), behind = cc_.newLabel(), nothing = cc_.newLabel();
    const x86::Gp last = cc_.newInt64();
    std::vector<x86::Gp> counted(spec_.folds.size());
    for (std::size_t k = 0; k < counted.size(); ++k) {
      if (!plan_.counts[k]) continue;
      counted[k] = cc_.newInt64();
      cc_.xor_(counted[k].r32(), counted[k].r32());
    }
    StageValues::Other narrow = other(plan_.bytes, plan_.narrow, behind);
    const std::int32_t step = narrow.lanes->count();
    std::optional<StageValues::Other> wide;
    if (plan_.wide_bytes == 4 && !plan_.all_narrow) wide = other(4, plan_.wide, behind);
    cc_.bind(loop);
    cc_.lea(last, x86::ptr(frame_.i(), step));
    cc_.cmp(last, frame_.n());
    cc_.ja(behind);
    values_.in(narrow, [&] {
      for (std::size_t i = 0; i < values_.all().size(); ++i)
        if (plan_.narrow[i]) values_.emit(i);
      sinks.store([&](std::size_t k) { return plan_.outputs[k]; });
      sinks.pack([&](std::size_t k) { return plan_.packs[k]; });
      for (std::size_t k = 0; k < counted.size(); ++k)
        if (plan_.counts[k]) cc_.add(counted[k], values_.lanes().kept(flag_of(spec_.folds[k])).count);
      if (plan_.skips && !plan_.all_narrow) jump_unless_any(nothing);
    });
    const auto each_part = [&] { parts(narrow.values, sinks); };
    if (!plan_.all_narrow) wide ? values_.in(*wide, each_part) : each_part();
    cc_.bind(nothing);
    values_.step_index(step);
    values_.in(narrow, [&] { values_.step_index(step); });
    if (wide) values_.in(*wide, [&] { values_.step_index(step); });
    cc_.mov(frame_.i(), last);
    cc_.jmp(loop);
    cc_.bind(behind);
    for (std::size_t k = 0; k < counted.size(); ++k)
      if (plan_.counts[k]) sinks.add(k, counted[k]);
    cc_.cmp(frame_.i(), frame_.n());
    cc_.jae(end);
  }

 private:
  [[nodiscard]] StageValues::Other other(int bytes, const std::vector<bool>& values,
                                         const asmjit::Label& behind) {
    jump_unless_fit(cc_, frame_, spec_, values, bytes, behind);
    return values_.hoist_in(make_narrow_lanes(cc_, values_.lanes().isa(), bytes), values);
  }
  [[nodiscard]] const Lane& flag_of(const StageFold& counts) {
    return values_[spec_.body->insts[static_cast<std::size_t>(counts.value)].a];
  }
  void jump_unless_any(const asmjit::Label& to) {
    std::optional<Lane> any;
    for (std::size_t k = 0; k < spec_.packs.size(); ++k) {
      const Lane& flag = values_[spec_.packs[k].flag];
      if (!plan_.packs[k]) any = any ? values_.lanes().or_bool(*any, flag) : flag;
    }
    const x86::Gp some = cc_.newInt64();
    values_.lanes().any_to(some, *any);
    cc_.test(some, some);
    cc_.jz(to);
  }
  // What stands in wide lanes, part by part of a narrow vector.
  template <typename Sinks>
  void parts(const std::vector<Lane>& narrow, Sinks& sinks) {
    Lanes& lanes = values_.lanes();
    std::vector<std::optional<Crossing>> crossing(values_.all().size());
    for (std::size_t i = 0; i < values_.all().size(); ++i)
      if (plan_.crossing[i]) crossing[i].emplace(lanes, narrow[i], plan_.bytes);
    const std::vector<Lane> everywhere = values_.all();
    for (int part = 0; part < plan_.parts(); ++part) {
      values_.all() = everywhere;
      values_.look_ahead(static_cast<std::int64_t>(part) * lanes.count());
      for (std::size_t i = 0; i < values_.all().size(); ++i) {
        if (crossing[i]) values_.all()[i] = crossing[i]->part(part);
        if (plan_.wide[i]) values_.emit(i);
      }
      sinks.store([&](std::size_t k) { return !plan_.outputs[k]; });
      sinks.fold([&](std::size_t k) { return !plan_.counts[k]; });
      sinks.pack([&](std::size_t k) { return !plan_.packs[k]; });
    }
    values_.all() = everywhere;
    values_.look_ahead(0);
  }

  x86::Compiler& cc_;
  StageFrame& frame_;
  const StageSpec& spec_;
  StageValues& values_;
  const NarrowPlan& plan_;
};

}  // namespace nvm::vm::cpu
