// A body that is a loop (plan::Repeat): all lanes go round together until none of them wants another round.
// A lane that has enough keeps what it carries, so in the rounds of the others it computes the same again,
// and the last round has the results of all.
#pragma once

#include <algorithm>
#include <vector>

#include "bytecode/base/at.h"
#include "vm/cpu/codegen/lanes.h"
#include "vm/cpu/codegen/stage.h"
#include "vm/cpu/codegen/stage_frame.h"

namespace nvm::vm::cpu {

class Rounds {
 public:
  Rounds(Lanes& lanes, StageFrame& frame, const StageSpec& spec, const std::vector<bool>& needed)
      : lanes_(lanes),
        frame_(frame),
        spec_(spec),
        repeat_(*spec.repeat),
        varies_(needed.size()),
        decides_(needed.size()) {
    const auto& insts = spec.body->insts;
    for (const auto& c : repeat_.carried) varies_[at(c.value)] = decides_[at(c.next)] = true;
    decides_[at(repeat_.more)] = true;
    for (std::size_t i = 0; i < insts.size(); ++i)
      if (needed[i] && insts[i].pull != soac::Pull::kCheck && soac::may_trap(*spec.body, i))
        decides_[i] = true;
    for (std::size_t i = 0; i < insts.size(); ++i)
      for (const std::int32_t v : {insts[i].a, insts[i].b, insts[i].c})
        if (v != soac::kNone && varies_[at(v)]) varies_[i] = true;
    for (std::size_t i = insts.size(); i-- > 0;)
      for (const std::int32_t v : {insts[i].a, insts[i].b, insts[i].c})
        if (v != soac::kNone && decides_[i]) decides_[at(v)] = true;
    for (const auto& c : repeat_.carried) last_.push_back(comes_last(c, needed));
    std::size_t once = 4, each = repeat_.carried.size();  // registers; some for what is being computed
    for (std::size_t i = 0; i < insts.size(); ++i) {
      const bool everywhere = insts[i].pull == soac::Pull::kConst || insts[i].pull == soac::Pull::kUniform;
      const bool computed = insts[i].pull == soac::Pull::kApply || insts[i].pull == soac::Pull::kGather;
      if (needed[i] && !computed && !carried(i)) ++(everywhere ? once : each);
    }
    const std::size_t registers = lanes_.isa() == Isa::kAvx512 ? 32 : 16;
    while (together_ > 1 && once + together_ * each > registers) --together_;
  }

  // Vectors that go round together, so that one computes while the other waits for its results.
  [[nodiscard]] std::size_t together() const { return together_; }

  // Over all iterations. `evaluate(of, when)` does, for vector number `of` behind the index, what is to be
  // done then, behind the last round its stores, too; value(of, i) is its value i.
  enum class When : std::uint8_t { kBefore, kEach, kAfter };
  template <typename Evaluate, typename Value>
  void emit(Evaluate evaluate, Value value) {
    x86::Compiler& cc = lanes_.cc();
    const asmjit::Label leave = cc.newLabel();  // where a lane goes round too often
    for (std::size_t count = together_; count > 0; --count) {
      const asmjit::Label loop = cc.newLabel(), behind = cc.newLabel();
      const auto step = static_cast<std::int32_t>(count) * lanes_.count();
      const x86::Gp end = cc.newInt64();
      cc.bind(loop);
      cc.lea(end, x86::ptr(frame_.i(), step));
      cc.cmp(end, frame_.n());
      cc.ja(behind);
      emit_rounds(count, evaluate, value, leave);
      for (std::size_t of = 0; of < count; ++of) evaluate(of, When::kAfter);
      cc.add(frame_.i(), step);
      cc.jmp(loop);
      cc.bind(behind);
    }
    cc.bind(leave);
  }
  [[nodiscard]] bool evaluated(std::size_t i, When when) const {
    if (!varies_[i] || carried(i)) return when == When::kBefore;
    for (std::size_t k = 0; k < last_.size(); ++k)
      if (last_[k] && at(repeat_.carried[k].next) == i) return false;
    return when == (decides_[i] ? When::kEach : When::kAfter);
  }

 private:
  static constexpr std::size_t kMost = 3;  // one more, and mask registers do not suffice
  [[nodiscard]] bool carried(std::size_t i) const {
    return std::any_of(repeat_.carried.begin(), repeat_.carried.end(),
                       [&](const auto& c) { return at(c.value) == i; });
  }

  // Is what is next computed for that alone, and of nothing else that is carried?
  [[nodiscard]] bool comes_last(const plan::Repeat::Carried& c, const std::vector<bool>& needed) const {
    const auto& insts = spec_.body->insts;
    if (insts[at(c.next)].pull != soac::Pull::kApply || insts[at(c.next)].type == Type::kBool) return false;
    for (const std::int32_t v : {insts[at(c.next)].a, insts[at(c.next)].b, insts[at(c.next)].c})
      if (v != soac::kNone && v != c.value && carried(at(v))) return false;
    if (scalar_traps(insts[at(c.next)].scalar, insts[at(insts[at(c.next)].a)].type)) return false;
    int readers = repeat_.more == c.next ? 1 : 0;
    for (const auto& other : repeat_.carried) readers += other.next == c.next ? 1 : 0;
    for (const StageOutput& out : spec_.outputs) readers += out.value == c.next ? 1 : 0;
    for (std::size_t i = 0; i < insts.size(); ++i)
      for (const std::int32_t v : {insts[i].a, insts[i].b, insts[i].c})
        readers += needed[i] && v == c.next ? 1 : 0;
    return readers == 1;
  }

  template <typename Evaluate, typename Value>
  void emit_rounds(std::size_t count, Evaluate evaluate, Value value, const asmjit::Label& leave) {
    x86::Compiler& cc = lanes_.cc();
    const x86::Gp left = cc.newInt64(), goes = cc.newInt64();
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
      const Lane& all = value(of, at(repeat_.more));
      more.push_back(count > 1 ? all : lanes_.and_bool(all, lanes_.active()));  // several are whole vectors
    }
    Lane any = more[0];
    for (std::size_t of = 1; of < count; ++of) any = lanes_.or_bool(any, more[of]);
    lanes_.any_to(goes, any);
    cc.test(goes, goes);
    cc.jz(done);
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
      now = like(lanes_, first);
      move(lanes_, now, first);
    }
  }
  // What is next may be what another value was.
  template <typename Value>
  void advance(std::size_t of, const Lane& more, Value value) {
    std::vector<Lane> next(repeat_.carried.size());
    for (std::size_t k = 0; k < next.size(); ++k) {
      if (last_[k]) continue;
      const std::size_t n = at(repeat_.carried[k].next);
      next[k] = value(of, n);
      if (!carried(n)) continue;
      next[k] = like(lanes_, next[k]);
      move(lanes_, next[k], value(of, n));
    }
    for (std::size_t k = 0; k < next.size(); ++k) {
      const Lane& to = value(of, at(repeat_.carried[k].value));
      if (!last_[k]) {
        move_where(lanes_, more, to, next[k]);
        continue;
      }
      const soac::BodyInst& in = spec_.body->insts[at(repeat_.carried[k].next)];
      const auto operand = [&](std::int32_t v) { return v == soac::kNone ? Lane{} : value(of, at(v)); };
      const Lane args[3] = {operand(in.a), operand(in.b), operand(in.c)};
      apply_where(lanes_, more, to, in.scalar, args);
    }
  }

  Lanes& lanes_;
  StageFrame& frame_;
  const StageSpec& spec_;
  const plan::Repeat& repeat_;
  std::vector<bool> varies_,
      decides_;  // by value: from round to round; whether there is a next one, what it has, or what is an
                 // error
  std::vector<bool> last_;  // by what is carried: it is computed when it is known who goes on
  std::size_t together_ = kMost;
};

}  // namespace nvm::vm::cpu
