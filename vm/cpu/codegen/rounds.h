// A body that is a loop (plan::Repeat): all lanes go round together until none of them wants another round.
// A lane that has enough keeps what it carries, so in the rounds of the others it computes the same again,
// and the last round has the results of all.
#pragma once

#include <algorithm>
#include <vector>

#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"

namespace nvm::vm::cpu {

class Rounds {
 public:
  Rounds(Lanes& lanes, StageFrame& frame, const StageSpec& spec, const std::vector<bool>& needed)
      : lanes_(lanes), frame_(frame), repeat_(*spec.repeat), varies_(needed.size()), decides_(needed.size()) {
    const auto& insts = spec.body->insts;
    for (const auto& c : repeat_.carried) varies_[at(c.value)] = decides_[at(c.next)] = true;
    decides_[at(repeat_.more)] = true;
    for (std::size_t i = 0; i < insts.size(); ++i)
      for (const std::int32_t v : {insts[i].a, insts[i].b, insts[i].c})
        if (v != soac::kNone && varies_[at(v)]) varies_[i] = true;
    for (std::size_t i = insts.size(); i-- > 0;)
      for (const std::int32_t v : {insts[i].a, insts[i].b, insts[i].c})
        if (v != soac::kNone && decides_[i]) decides_[at(v)] = true;
    std::size_t kept = 4;  // registers: of what is being computed
    for (std::size_t i = 0; i < insts.size(); ++i) {
      const bool everywhere = insts[i].pull == soac::Pull::kConst || insts[i].pull == soac::Pull::kUniform;
      if (needed[i] && insts[i].pull != soac::Pull::kApply) kept += everywhere ? 1 : kMost;
    }
    kept += kMost * repeat_.carried.size();
    together_ = kept <= (lanes_.isa() == Isa::kAvx512 ? 32U : 16U) ? kMost : 1;
  }

  // Vectors that go round together, so that one computes while the other waits for its results.
  [[nodiscard]] std::size_t together() const { return together_; }

  // Over all iterations. `round(of, when)` evaluates, for vector number `of` behind the index, what is to be
  // evaluated then, into what value(of, i) refers to; `store(of)` writes its results.
  enum class When : std::uint8_t { kBefore, kEach, kAfter };
  template <typename Evaluate, typename Value, typename Store>
  void emit(Evaluate evaluate, Value value, Store store, const asmjit::Label& leave) {
    x86::Compiler& cc = lanes_.cc();
    for (std::size_t count = together_; count > 0; --count) {
      const asmjit::Label loop = cc.newLabel(), behind = cc.newLabel();
      const auto step = static_cast<std::int32_t>(count) * lanes_.count();
      const x86::Gp end = cc.newInt64();
      cc.bind(loop);
      cc.lea(end, x86::ptr(frame_.i(), step));
      cc.cmp(end, frame_.n());
      cc.ja(behind);
      emit_rounds(count, evaluate, value, leave);
      for (std::size_t of = 0; of < count; ++of) {
        evaluate(of, When::kAfter);
        store(of);
      }
      cc.add(frame_.i(), step);
      cc.jmp(loop);
      cc.bind(behind);
    }
  }
  [[nodiscard]] bool evaluated(std::size_t i, When when) const {
    if (!varies_[i] || carried(i)) return when == When::kBefore;
    return when == (decides_[i] ? When::kEach : When::kAfter);
  }

 private:
  static constexpr std::size_t kMost = 2;
  [[nodiscard]] static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  [[nodiscard]] bool carried(std::size_t i) const {
    return std::any_of(repeat_.carried.begin(), repeat_.carried.end(),
                       [&](const auto& c) { return at(c.value) == i; });
  }

  template <typename Evaluate, typename Value>
  void emit_rounds(std::size_t count, Evaluate evaluate, Value value, const asmjit::Label& leave) {
    x86::Compiler& cc = lanes_.cc();
    const x86::Gp left = cc.newInt64();
    cc.mov(left, frame_.cell({SlotKind::kUniform, repeat_.limit}));
    for (std::size_t of = 0; of < count; ++of) {
      evaluate(of, When::kBefore);
      begin(of, value);
    }
    const asmjit::Label again = cc.newLabel(), done = cc.newLabel();
    cc.bind(again);
    std::vector<Lane> more;
    for (std::size_t of = 0; of < count; ++of) {
      evaluate(of, When::kEach);
      more.push_back(lanes_.and_bool(value(of, at(repeat_.more)), lanes_.active()));
    }
    lanes_.jump_if_none(count == 1 ? more[0] : lanes_.or_bool(more[0], more[1]), done);
    for (std::size_t of = 0; of < count; ++of) advance(of, more[of], value);
    cc.dec(left);
    cc.jnz(again);
    for (const Lane& lanes : more) lanes_.trap_where(lanes);
    cc.jmp(leave);
    cc.bind(done);
  }
  template <typename Value>
  void begin(std::size_t of, Value value) {
    for (const auto& c : repeat_.carried) {
      Lane& now = value(of, at(c.value));
      const Lane first = now;
      now = lanes_.like(first);
      lanes_.move(now, first);
    }
  }
  // What is next may be what another value was.
  template <typename Value>
  void advance(std::size_t of, const Lane& more, Value value) {
    std::vector<Lane> next;
    for (const auto& c : repeat_.carried) {
      const Lane from = value(of, at(c.next));
      next.push_back(carried(at(c.next)) ? lanes_.like(from) : from);
      if (carried(at(c.next))) lanes_.move(next.back(), from);
    }
    for (std::size_t k = 0; k < next.size(); ++k)
      lanes_.move_where(more, value(of, at(repeat_.carried[k].value)), next[k]);
  }

  Lanes& lanes_;
  StageFrame& frame_;
  const plan::Repeat& repeat_;
  std::vector<bool> varies_,
      decides_;  // by value: from round to round; whether there is a next one, or what it has
  std::size_t together_ = 1;
};

}  // namespace nvm::vm::cpu
