#include "bytecode/plan/masked_loop.h"

#include <map>

#include "bytecode/base/check.h"
#include "bytecode/table/op_kind.h"

namespace nvm::plan {

namespace {

using soac::BodyInst;
using soac::Pull;
using ssa::Inst;
using ssa::ValueId;

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

// A flag of an instance: known, or a value of the body.
struct Flag {
  std::optional<bool> known;
  std::int32_t value = kNone;
};
constexpr Flag known_flag(bool b) { return {b, kNone}; }

// What a value of the function is where there is one instance.
struct Meaning {
  enum class Kind : std::uint8_t {
    kNothing,  // no element, or not known: not read
    kNumber,   // one element: a value of the body
    kFrame,    // one segment of one element: the instance
    kCalled,   // result `value` of the recursive call
  };
  Kind kind = Kind::kNothing;
  std::int32_t value = kNone;
};

// How an instance's round ends: another one, a return, the program's end.
struct Round {
  Flag more = known_flag(false), stops = known_flag(false);
  std::vector<std::int32_t> next, results;  // by parameter, by result; kNone: whatever
};

// Goes every way that one instance may go, and makes one of them by selects.
class Instance {
 public:
  Instance(const ssa::Module& module, ssa::FunctionId function, std::span<const Storage> storages)
      : module_(module), id_(function), f_(module.functions[at(function)]), values_(at(f_.values())) {
    plan_.int_bits = module.int_bits;
    plan_.lengths = {LengthKind::kOne, LengthKind::kBound};
    for (std::size_t i = 0; i < f_.lifted.parameters.size(); ++i) add_parameter(i, storages[i]);
  }

  std::optional<MaskedLoop> run(std::string& refusal) {
    Round all;
    if (refusal_.empty()) all = go(0);
    if (refusal_.empty() && all.more.known) refuse("it does not call itself, or always does");
    if (!refusal_.empty()) {
      refusal = refusal_;
      return std::nullopt;
    }
    return finish(all);
  }

 private:
  static constexpr int kMostSteps = 2000;  // blocks and instructions on all ways together
  static constexpr std::size_t kMostValues = 200;

  void refuse(const std::string& why) {
    if (refusal_.empty()) refusal_ = why;
  }
  [[nodiscard]] std::int32_t pull(Pull from, Type type, VarId var) {
    BodyInst in;
    in.pull = from;
    in.type = type;
    in.var = var;
    return body_.add(in);
  }
  VarId add_var(VarRole role, Type type, Storage storage, LengthId length) {
    Var v;
    v.role = role;
    v.type = type;
    v.storage = storage;
    v.length = length;
    plan_.vars.push_back(v);
    return static_cast<VarId>(plan_.vars.size() - 1);
  }

  void add_parameter(std::size_t i, Storage storage) {
    const ValueId v = f_.blocks[0].parameters[i];
    const Type type = f_.value_types[at(v)];
    const ssa::Split::Kind kind = f_.lifted.parameters[i].kind;
    inputs_.push_back(kNone);
    begins_.push_back(kNone);
    if (kind == ssa::Split::Kind::kFrame) {
      values_[at(v)] = {Meaning::Kind::kFrame, kNone};
      return;
    }
    const bool number = type == Type::kInt || type == Type::kFloat || type == Type::kBool;
    if (kind == ssa::Split::Kind::kUnder || !number) return refuse("an instance has more than numbers");
    const bool each = kind == ssa::Split::Kind::kInstances;
    inputs_.back() = add_var(VarRole::kInput, type, storage, each ? 1 : 0);
    begins_.back() = pull(each ? Pull::kElement : Pull::kUniform, type, inputs_.back());
    values_[at(v)] = {Meaning::Kind::kNumber, begins_.back()};
  }

  // ---- flags

  [[nodiscard]] const BodyInst& inst(std::int32_t v) const { return body_.insts[at(v)]; }
  [[nodiscard]] bool applies(std::int32_t v, Scalar s) const {
    return inst(v).pull == Pull::kApply && inst(v).scalar == s && inst(v).type == Type::kBool;
  }
  // On the way that is gone.
  [[nodiscard]] std::optional<bool> known(std::int32_t v) const {
    if (const auto it = facts_.find(v); it != facts_.end()) return it->second;
    if (inst(v).pull == Pull::kConst) return inst(v).imm != 0;
    if (!applies(v, Scalar::kNot)) return std::nullopt;
    const auto of = known(inst(v).a);
    return of ? std::optional(!*of) : std::nullopt;
  }
  void learn(std::int32_t v, bool holds) {
    facts_[v] = holds;
    if (applies(v, Scalar::kNot)) return learn(inst(v).a, !holds);
    if (!applies(v, holds ? Scalar::kAnd : Scalar::kOr)) return;
    learn(inst(v).a, holds);
    learn(inst(v).b, holds);
  }
  std::int32_t flag(Scalar s, std::int32_t a, std::int32_t b = kNone) {
    return body_.apply(s, Type::kBool, a, b);
  }
  std::int32_t negated(std::int32_t c) {
    const BodyInst in = inst(c);
    const bool ints = in.pull == Pull::kApply && is_relation(in.scalar) && inst(in.a).type == Type::kInt;
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
  std::vector<std::int32_t> choose(std::int32_t c, const std::vector<std::int32_t>& yes,
                                   const std::vector<std::int32_t>& no) {
    if (yes.empty()) return no;
    if (no.empty()) return yes;
    std::vector<std::int32_t> made;
    for (std::size_t i = 0; i < yes.size(); ++i) {
      if (yes[i] == no[i]) {
        made.push_back(yes[i]);
      } else if (inst(yes[i]).type == Type::kBool) {
        made.push_back(choose(c, {std::nullopt, yes[i]}, {std::nullopt, no[i]}).value);
      } else {
        made.push_back(body_.apply(Scalar::kSelect, inst(yes[i]).type, c, yes[i], no[i]));
      }
    }
    return made;
  }

  // ---- ways

  [[nodiscard]] Meaning& value(ValueId v) { return values_[at(v)]; }

  Round go(ssa::BlockId b) {
    while (refusal_.empty()) {
      if (++steps_ > kMostSteps) refuse("it has too many ways");
      const ssa::Block& block = f_.blocks[at(b)];
      if (block.end.kind == ssa::Exit::kStop) return stop();
      for (const Inst& in : block.insts)
        if (!step(in)) return {};
      const ssa::Terminator& end = block.end;
      switch (end.kind) {
        case ssa::Exit::kStop: break;
        case ssa::Exit::kReturn: return leave(end.arguments);
        case ssa::Exit::kJump: b = jump(end); break;
        case ssa::Exit::kBranch: {
          const Meaning c = value(end.condition);
          if (c.kind != Meaning::Kind::kNumber) {
            refuse("a decision that is no instance's");
            return {};
          }
          const auto holds = known(c.value);
          if (!holds) return fork(c.value, end);
          b = *holds ? end.target : end.otherwise;
          break;
        }
      }
    }
    return {};
  }
  ssa::BlockId jump(const ssa::Terminator& end) {
    std::vector<Meaning> passed;
    for (const ValueId v : end.arguments) passed.push_back(value(v));
    const std::vector<ValueId>& parameters = f_.blocks[at(end.target)].parameters;
    for (std::size_t i = 0; i < passed.size(); ++i) value(parameters[i]) = passed[i];
    return end.target;
  }
  Round fork(std::int32_t c, const ssa::Terminator& end) {
    const std::map<std::int32_t, bool> facts = facts_;
    const std::vector<Meaning> values = values_;
    const std::vector<std::int32_t> called = called_;
    learn(c, true);
    const Round yes = go(end.target);
    facts_ = facts;
    values_ = values;
    called_ = called;
    learn(c, false);
    const Round no = go(end.otherwise);
    facts_ = facts;
    return {choose(c, yes.more, no.more), choose(c, yes.stops, no.stops), choose(c, yes.next, no.next),
            choose(c, yes.results, no.results)};
  }
  Round stop() const {
    Round round;
    round.stops = known_flag(true);
    return round;
  }
  Round leave(const std::vector<ValueId>& results) {
    Round round;
    for (std::size_t r = 0; r < results.size(); ++r) {
      const Meaning m = value(results[r]);
      const bool called = m.kind == Meaning::Kind::kCalled && m.value == static_cast<std::int32_t>(r);
      if (called == called_.empty() || (!called && m.kind != Meaning::Kind::kNumber))
        refuse(called_.empty() ? "a result that is no number" : "it goes on after its recursive call");
      round.results.push_back(m.value);
    }
    if (called_.empty()) return round;
    round.results.clear();
    round.more = known_flag(true);
    round.next = called_;
    return round;
  }

  // ---- instructions

  bool step(const Inst& in) {
    if (++steps_ > kMostSteps || body_.insts.size() > kMostValues) refuse("it has too many ways");
    std::vector<Meaning> of;
    for (std::uint32_t k = 0; k < in.operands; ++k) of.push_back(value(f_.operands_of(in)[k]));
    if (in.op == Op::kCall) return call(in, of) && refusal_.empty();
    const bool constant = in.op == Op::kConst;
    const Meaning made = constant ? number(module_.constants[at(in.index)]) : meaning(in, of);
    // A constant may be nothing: what instances have on a way that this one does not go.
    if (made.kind == Meaning::Kind::kNothing && !constant) refuse("it does more than compute with numbers");
    value(in.first_result) = made;
    return refusal_.empty();
  }

  bool call(const Inst& in, const std::vector<Meaning>& of) {
    if (in.index != id_) refuse("it calls another function");
    if (!called_.empty()) refuse("it goes on after its recursive call");
    for (std::size_t i = 0; refusal_.empty() && i < of.size(); ++i) {
      const bool frame = inputs_[i] == kNone;
      if (of[i].kind != (frame ? Meaning::Kind::kFrame : Meaning::Kind::kNumber))
        refuse("its recursive call is not of the instance");
      called_.push_back(of[i].value);
    }
    for (std::uint32_t r = 0; r < in.results; ++r)
      value(in.first_result + static_cast<ValueId>(r)) = {Meaning::Kind::kCalled,
                                                          static_cast<std::int32_t>(r)};
    return refusal_.empty();
  }

  [[nodiscard]] static bool numbers(const std::vector<Meaning>& of, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      if (of[i].kind != Meaning::Kind::kNumber) return false;
    return true;
  }
  // kNothing: it has none.
  Meaning meaning(const Inst& in, const std::vector<Meaning>& of) {
    const OpInfo& info = op_info(in.op);
    const bool framed = !of.empty() && of.back().kind == Meaning::Kind::kFrame;
    switch (info.kind) {
      case OpKind::kMap:
        if (!numbers(of, of.size()) || !total(info.scalar, of)) return {};
        return apply(in, info, of);
      case OpKind::kDist:  // of one element to one
      case OpKind::kIota: return framed && numbers(of, of.size() - 1) ? of[0] : Meaning{};
      case OpKind::kReduce:  // INTs and BOOLs are what the identity and they give
        return framed && numbers(of, 1) && inst(of[0].value).type != Type::kFloat ? of[0] : Meaning{};
      default: return {};
    }
  }
  // Can what it computes of these be no error? Divisors that are numbers of the program are not 0, nor -1.
  [[nodiscard]] bool total(Scalar s, const std::vector<Meaning>& of) const {
    if (!scalar_traps(s, inst(of[0].value).type)) return true;
    const BodyInst& by = inst(of[1].value);
    return by.pull == Pull::kConst && by.imm != 0 && by.imm != -1;
  }
  Meaning apply(const Inst& in, const OpInfo& info, const std::vector<Meaning>& of) {
    const auto operand = [&](std::size_t i) { return i < of.size() ? of[i].value : kNone; };
    const Type type = letter_type(info.results[0], in.word);
    return {Meaning::Kind::kNumber, body_.apply(info.scalar, type, operand(0), operand(1), operand(2))};
  }
  Meaning number(const ssa::Constant& c) {
    const bool real = c.word == TypeWord::kFloat;
    if (c.input >= 0 || (c.word != TypeWord::kInt && c.word != TypeWord::kBool && !real)) return {};
    if ((real ? c.floats.size() : c.ints.size()) != 1) return {};
    BodyInst in;
    in.type = real ? Type::kFloat : c.word == TypeWord::kBool ? Type::kBool : Type::kInt;
    if (real)
      in.real = c.floats[0];
    else
      in.imm = c.ints[0];
    return {Meaning::Kind::kNumber, body_.add(in)};
  }

  MaskedLoop finish(const Round& all) {
    Kernel kernel;
    kernel.space = 1;
    Repeat repeat;
    repeat.more = all.more.value;
    const Storage ints = plan_.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
    repeat.limit = add_var(VarRole::kInput, Type::kInt, ints, 0);
    for (std::size_t i = 0; i < begins_.size(); ++i)
      if (begins_[i] != kNone && all.next[i] != begins_[i])
        repeat.carried.push_back({begins_[i], all.next[i]});
    if (all.stops.value != kNone) {
      BodyInst check;
      check.pull = Pull::kCheck;
      check.type = Type::kBool;
      check.a = all.stops.value;
      static_cast<void>(body_.add(check));
    }
    MaskedLoop made;
    for (std::size_t r = 0; r < all.results.size(); ++r) {
      Sink s;
      s.value = all.results[r];
      s.type = f_.results[r];
      const Storage storage = s.type == Type::kFloat  ? Storage::kF64
                              : s.type == Type::kBool ? Storage::kB8
                                                      : ints;
      s.out = add_var(VarRole::kOutput, s.type, storage, 1);
      made.outputs.push_back(s.out);
      kernel.sinks.push_back(s);
    }
    kernel.body = body_;
    kernel.repeat = std::move(repeat);
    plan_.kernels.push_back(std::move(kernel));
    made.plan = std::move(plan_);
    made.inputs = inputs_;
    check(made.plan);
    return made;
  }

  const ssa::Module& module_;
  ssa::FunctionId id_;
  const ssa::Function& f_;
  Plan plan_;
  soac::Body body_;
  std::vector<VarId> inputs_;
  std::vector<std::int32_t> begins_;  // values of the body, by parameter
  std::vector<Meaning> values_;       // on the way that is gone
  std::map<std::int32_t, bool> facts_;
  std::vector<std::int32_t> called_;  // arguments of the recursive call, if there was one
  int steps_ = 0;
  std::string refusal_;
};

}  // namespace

std::optional<MaskedLoop> build_masked_loop(const ssa::Module& module, ssa::FunctionId function,
                                            std::span<const Storage> storages, std::string& refusal) {
  const ssa::Function& f = module.functions[at(function)];
  if (!f.lifted.lifted) {
    refusal = "it is not lifted";
    return std::nullopt;
  }
  if (module.prefix_lengths) {
    refusal = "operands may be longer than others";
    return std::nullopt;
  }
  return Instance(module, function, storages).run(refusal);
}

std::vector<Storage> widest_storages(const ssa::Module& module, ssa::FunctionId function) {
  const ssa::Function& f = module.functions[at(function)];
  std::vector<Storage> storages;
  for (const ValueId v : f.blocks[0].parameters) {
    const Type type = f.value_types[at(v)];
    storages.push_back(type == Type::kFloat              ? Storage::kF64
                       : type == Type::kBool             ? Storage::kB8
                       : module.int_bits == IntBits::k32 ? Storage::kI32
                                                         : Storage::kI64);
  }
  return storages;
}

}  // namespace nvm::plan
