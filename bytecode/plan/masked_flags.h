// Flags of one instance, as values of a body: what is known of them on the way that is gone, and choices
// between ways.
#pragma once

#include <map>
#include <optional>

#include "bytecode/soac/body.h"
#include "bytecode/table/op_kind.h"

namespace nvm::plan {

using soac::kNone;

// Known, or a value of the body.
struct Flag {
  std::optional<bool> known;
  std::int32_t value = kNone;
};
constexpr Flag known_flag(bool b) { return {b, kNone}; }

class MaskedFlags {
 public:
  using Facts = std::map<std::int32_t, bool>;

  explicit MaskedFlags(soac::Body& body) : body_(body) {}

  [[nodiscard]] const soac::BodyInst& inst(std::int32_t v) const {
    return body_.insts[static_cast<std::size_t>(v)];
  }
  [[nodiscard]] bool applies(std::int32_t v, Scalar s) const {
    return inst(v).pull == soac::Pull::kApply && inst(v).scalar == s && inst(v).type == Type::kBool;
  }
  // On the way that is gone.
  [[nodiscard]] std::optional<bool> known(std::int32_t v) const {
    if (const auto it = facts_.find(v); it != facts_.end()) return it->second;
    if (inst(v).pull == soac::Pull::kConst) return inst(v).imm != 0;
    if (!applies(v, Scalar::kNot)) return std::nullopt;
    const auto of = known(inst(v).a);
    return of ? std::optional(!*of) : std::nullopt;
  }
  void learn(std::int32_t v, bool holds) {
    const auto [at, fresh] = facts_.try_emplace(v, holds);
    if (!fresh && at->second == holds) return;  // so is what follows from it
    at->second = holds;
    if (applies(v, Scalar::kNot)) return learn(inst(v).a, !holds);
    if (!applies(v, holds ? Scalar::kAnd : Scalar::kOr)) return;
    learn(inst(v).a, holds);
    learn(inst(v).b, holds);
  }
  std::int32_t flag(Scalar s, std::int32_t a, std::int32_t b = kNone) {
    return body_.apply(s, Type::kBool, a, b);
  }
  std::int32_t negated(std::int32_t c) {
    const soac::BodyInst in = inst(c);
    const bool ints =
        in.pull == soac::Pull::kApply && is_relation(in.scalar) && inst(in.a).type == Type::kInt;
    return ints ? flag(inverse(in.scalar), in.a, in.b) : flag(Scalar::kNot, c);
  }
  // `yes` where c is T, else `no`. Of BOOLs, a < b is b without a.
  Flag choose(std::int32_t c, const Flag& yes, const Flag& no) {
    if (yes.known && no.known) {
      if (*yes.known == *no.known) return yes;
      return {std::nullopt, *yes.known ? c : negated(c)};
    }
    if (yes.known) {
      if (*yes.known) return {std::nullopt, flag(Scalar::kOr, c, no.value)};
      return {std::nullopt, flag(Scalar::kLt, c, no.value)};
    }
    if (no.known) {
      if (!*no.known) return {std::nullopt, flag(Scalar::kAnd, c, yes.value)};
      return {std::nullopt, flag(Scalar::kLe, c, yes.value)};
    }
    if (yes.value == no.value) return yes;
    return {std::nullopt,
            flag(Scalar::kOr, flag(Scalar::kAnd, c, yes.value), flag(Scalar::kLt, c, no.value))};
  }
  // The same of numbers.
  std::int32_t choose(std::int32_t c, std::int32_t yes, std::int32_t no) {
    if (yes == no) return yes;
    if (inst(yes).type == Type::kBool) return choose(c, Flag{{}, yes}, Flag{{}, no}).value;
    return body_.apply(Scalar::kSelect, inst(yes).type, c, yes, no);
  }
  // Who goes a way that begins where c `holds`; kNone: all.
  std::int32_t within(std::int32_t here, std::int32_t c, bool holds) {
    if (here == kNone) return holds ? c : negated(c);
    return flag(holds ? Scalar::kAnd : Scalar::kLt, c, here);
  }

  [[nodiscard]] Facts facts() const { return facts_; }
  void restore(const Facts& facts) { facts_ = facts; }

 private:
  soac::Body& body_;
  Facts facts_;
};

}  // namespace nvm::plan
