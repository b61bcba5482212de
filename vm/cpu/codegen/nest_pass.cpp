#include "vm/cpu/codegen/nest_pass.h"
#include "bytecode/base/stack.h"

#include <bit>

namespace nvm::vm::cpu {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

NestPass::NestPass(Lanes& lanes, const plan::Nest& nest, const plan::NestStorage& storage,
                   NestNumbers& numbers, std::int32_t space, const std::vector<std::int32_t>& lists)
    : lanes_(lanes), cc_(lanes.cc()), nest_(nest), storage_(storage), numbers_(numbers) {
  BodyInst length;
  length.pull = Pull::kUniform;
  length.var = nest.find(plan::NestInput::What::kLength, space);
  for (std::size_t v = 0; v < nest.body.insts.size(); ++v)
    if (nest.body.insts[v] == length) n_ = numbers.get(static_cast<std::int32_t>(v));
  for (const std::int32_t l : lists) {
    written_.push_back({l, {}, {}});
    for (const std::int32_t v : {nest.lists[at(l)].value, nest.lists[at(l)].filter})
      if (v != kNone) hoist(v);
  }
}

// What does not change from element to element.
void NestPass::hoist(std::int32_t v) {
  check_stack();
  const BodyInst& in = nest_.body.insts[at(v)];
  if (nest_.spaces[at(v)] == kNone) {
    if (uniform_.count(v) == 0) uniform_.emplace(v, numbers_.in_lanes(v));
  } else if (in.pull == Pull::kWithin) {
    return;
  } else if (in.pull == Pull::kElement) {
    if (bases_.count(in.var) > 0) return;
    const x86::Gp base = cc_.newIntPtr();
    cc_.mov(base, numbers_.cell(in.var));
    bases_.emplace(in.var, base);
  } else {
    if (scalar_traps(in.scalar, nest_.body.insts[at(in.a)].type))  // which it never does: see plan::Nest
      lanes_.set_active(lanes_.all_true(), lanes_.constant_bool(false));
    for (const std::int32_t x : {in.a, in.b, in.c})
      if (x != kNone) hoist(x);
  }
}

std::uint32_t NestPass::scale(std::int32_t list) const {
  return static_cast<std::uint32_t>(std::countr_zero(storage_bytes(storage_.lists[at(list)])));
}

x86::Gp NestPass::end_of(std::int32_t list) const {
  for (const Written& w : written_)
    if (w.list == list) return w.to;
  return {};
}

std::int32_t NestPass::counted_by(const plan::NestList& list) const {
  for (std::size_t v = 0; v < nest_.body.insts.size(); ++v) {
    const BodyInst& in = nest_.body.insts[v];
    if (in.pull != Pull::kScanned || in.scalar != Scalar::kNoScalar) continue;
    const plan::NestList& of = nest_.lists[at(in.a)];
    if (of.space == list.space && of.filter == list.filter) return static_cast<std::int32_t>(v);
  }
  return kNone;
}

void NestPass::loop() {
  i_ = cc_.newInt64();
  for (Written& w : written_) {
    if (nest_.lists[at(w.list)].value != kNone) continue;
    w.count = cc_.newInt64();
    cc_.xor_(w.count.r32(), w.count.r32());
  }
  cc_.xor_(i_.r32(), i_.r32());
  const x86::Gp ahead = cc_.newInt64();
  const asmjit::Label whole = cc_.newLabel(), rest = cc_.newLabel(), done = cc_.newLabel();
  cc_.bind(whole);
  cc_.lea(ahead, x86::ptr(i_, lanes_.count()));
  cc_.cmp(ahead, n_);
  cc_.jg(rest);
  step(true);
  cc_.mov(i_, ahead);
  cc_.jmp(whole);
  cc_.bind(rest);
  cc_.cmp(i_, n_);
  cc_.jge(done);
  step(false);
  cc_.bind(done);
  // Without a filter, all.
  for (const Written& w : written_)
    if (nest_.lists[at(w.list)].filter == kNone) cc_.lea(w.to, x86::ptr(w.to, n_, scale(w.list)));
}

// A vector of elements; if not `whole`, the last of the instance, fewer than that.
void NestPass::step(bool whole) {
  values_.clear();
  Lane active;
  if (!whole) {
    const x86::Gp left = cc_.newInt64();
    cc_.mov(left, n_);
    cc_.sub(left, i_);
    active = lanes_.compare(Compare::kLt, lanes_.lane_numbers(), in_all(left));
  }
  std::map<std::int32_t, KeptLanes> kept;  // by filter
  for (const Written& w : written_) {
    const std::int32_t filter = nest_.lists[at(w.list)].filter;
    if (filter == kNone) {
      const std::int32_t v = nest_.lists[at(w.list)].value;
      lanes_.store(storage_.lists[at(w.list)], x86::ptr(w.to, i_, scale(w.list)), value(v), false);
      continue;
    }
    if (kept.count(filter) == 0) {
      const Lane& flags = value(filter);
      kept.emplace(filter, lanes_.kept(whole ? flags : lanes_.and_bool(flags, active)));
    }
    write(w, kept.at(filter));
  }
}

Lane NestPass::in_all(const x86::Gp& number) {
  const x86::Xmm one = cc_.newXmm();
  const x86::Vec all = lanes_.new_int();
  cc_.vmovq(one, number);
  cc_.vpbroadcastq(all, one);
  return lanes_.of(Type::kInt, all);
}

void NestPass::write(const Written& w, const KeptLanes& kept) {
  const std::int32_t v = nest_.lists[at(w.list)].value;
  if (v == kNone) {
    cc_.add(w.count, kept.count);
    return;
  }
  lanes_.store_kept(storage_.lists[at(w.list)], x86::ptr(w.to), value(v), kept);
  cc_.lea(w.to, x86::ptr(w.to, kept.count, scale(w.list)));
}

const Lane& NestPass::value(std::int32_t v) {
  check_stack();
  if (const auto u = uniform_.find(v); u != uniform_.end()) return u->second;
  if (const auto found = values_.find(v); found != values_.end()) return found->second;
  const BodyInst& in = nest_.body.insts[at(v)];
  if (in.pull == Pull::kElement) {
    const Storage storage = storage_.parameters[at(nest_.inputs[at(in.var)].parameter)];
    const auto shift = static_cast<std::uint32_t>(std::countr_zero(storage_bytes(storage)));
    return values_.emplace(v, lanes_.load(storage, x86::ptr(bases_.at(in.var), i_, shift))).first->second;
  }
  if (in.pull == Pull::kWithin)
    return values_.emplace(v, lanes_.add_int(in_all(i_), lanes_.lane_numbers())).first->second;
  Lane args[3];
  const std::int32_t of[3] = {in.a, in.b, in.c};
  for (std::size_t k = 0; k < 3; ++k)
    if (of[k] != kNone) args[k] = value(of[k]);
  return values_.emplace(v, emit_scalar(lanes_, in.scalar, args)).first->second;
}

}  // namespace nvm::vm::cpu
