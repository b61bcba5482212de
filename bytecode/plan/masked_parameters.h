// What a masked loop reads of its function's parameters: numbers and lists of the instance, and those that
// all instances share.
#pragma once

#include <span>
#include <vector>

#include "bytecode/base/at.h"
#include "bytecode/plan/masked_loop.h"

namespace nvm::plan {

// Adds to a plan and the body of its kernel.
class MaskedParameters {
 public:
  MaskedParameters(const ssa::Function& function, std::span<const Storage> storages, Plan& plan, Body& body)
      : f_(function),
        plan_(plan),
        body_(body),
        storages_(storages.begin(), storages.end()),
        begins_(storages.size(), kNone) {}

  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(begins_.size()); }
  [[nodiscard]] const std::vector<MaskedLoop::Input>& inputs() const { return inputs_; }

  [[nodiscard]] ssa::Split::Kind split(std::int32_t parameter) const {
    return f_.lifted.parameters[at(parameter)].kind;
  }
  [[nodiscard]] Type type_of(std::int32_t parameter) const {
    return f_.value_types[at(f_.blocks[0].parameters[at(parameter)])];
  }
  [[nodiscard]] bool shared(std::int32_t parameter) const {
    return split(parameter) == ssa::Split::Kind::kSame;
  }
  // A descriptor that has one segment for each instance, or one for all.
  [[nodiscard]] bool is_shape(std::int32_t parameter) const {
    return type_of(parameter) == Type::kSegdes && split(parameter) != ssa::Split::Kind::kUnder;
  }
  // What all instances share may be one.
  [[nodiscard]] bool may_be_number(std::int32_t parameter) const {
    return type_of(parameter) != Type::kSegdes && split(parameter) != ssa::Split::Kind::kUnder;
  }

  // What a parameter that is a number is in the first round.
  std::int32_t begin(std::int32_t parameter) {
    std::int32_t& v = begins_[at(parameter)];
    if (v == kNone) v = of(What::kNumbers, parameter, !shared(parameter));
    return v;
  }
  // The same; kNone: nobody has asked.
  [[nodiscard]] std::int32_t begun(std::int32_t parameter) const { return begins_[at(parameter)]; }

  // How many elements a list has that lies as descriptor `shape` says.
  std::int32_t length_of(std::int32_t shape) {
    if (shared(shape)) return of(What::kLength, shape, false);
    return body_.apply(Scalar::kSub, Type::kInt, of(What::kEnds, shape, true),
                       of(What::kBegins, shape, true));
  }
  // Is it the instance's own?
  [[nodiscard]] bool own(std::int32_t list, std::int32_t shape) const {
    return !shared(shape) && f_.lifted.parameters[at(list)].under == shape;
  }
  // An element, for those lanes whose flag `here` is T (kNone: all).
  std::int32_t element(std::int32_t list, std::int32_t shape, std::int32_t index, std::int32_t here) {
    const bool own = !shared(shape);
    BodyInst g;
    g.pull = Pull::kGather;
    g.type = type_of(list);
    g.a = own ? place(index, shape) : index;
    g.b = here;
    g.var = input(own ? What::kOwn : What::kShared, list, shape, kNone);
    return body_.add(g);
  }
  std::int32_t constant(std::int64_t i) {
    BodyInst in;
    in.imm = i;
    return body_.add(in);
  }

 private:
  using What = MaskedLoop::What;
  using BodyInst = soac::BodyInst;
  using Pull = soac::Pull;

  // One number for each instance, or one for all.
  std::int32_t of(What what, std::int32_t parameter, bool each) {
    BodyInst in;
    in.pull = each ? Pull::kElement : Pull::kUniform;
    in.type = what == What::kNumbers ? type_of(parameter) : Type::kInt;
    in.var = input(what, parameter, kNone, each ? 1 : 0);
    return body_.add(in);
  }
  // Of `length`; kNone: of as many as there are.
  VarId input(What what, std::int32_t parameter, std::int32_t shape, LengthId length) {
    for (const MaskedLoop::Input& in : inputs_)
      if (in.what == what && in.parameter == parameter && in.shape == shape) return in.var;
    if (length == kNone) plan_.lengths.push_back(LengthKind::kBound);
    Var v;
    v.role = VarRole::kInput;
    v.type = type_of(parameter) == Type::kSegdes ? Type::kInt : type_of(parameter);
    v.storage = storages_[at(parameter)];
    v.length = length != kNone ? length : static_cast<LengthId>(plan_.lengths.size() - 1);
    plan_.vars.push_back(v);
    inputs_.push_back({what, parameter, shape, static_cast<VarId>(plan_.vars.size() - 1)});
    return inputs_.back().var;
  }
  // Among the elements of all instances; -1, where none is, for what is not in the instance's.
  std::int32_t place(std::int32_t index, std::int32_t shape) {
    const auto flag = [&](Scalar s, std::int32_t a, std::int32_t b) {
      return body_.apply(s, Type::kBool, a, b);
    };
    const std::int32_t inside =
        flag(Scalar::kAnd, flag(Scalar::kGe, index, constant(0)), flag(Scalar::kLt, index, length_of(shape)));
    const std::int32_t there = body_.apply(Scalar::kAdd, Type::kInt, of(What::kBegins, shape, true), index);
    return body_.apply(Scalar::kSelect, Type::kInt, inside, there, constant(-1));
  }

  const ssa::Function& f_;
  Plan& plan_;
  Body& body_;
  std::vector<Storage> storages_;     // by parameter
  std::vector<std::int32_t> begins_;  // values of the body, by parameter
  std::vector<MaskedLoop::Input> inputs_;
};

}  // namespace nvm::plan
