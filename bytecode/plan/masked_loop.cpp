#include "bytecode/plan/masked_loop.h"

#include "bytecode/base/at.h"
#include "bytecode/base/check.h"
#include "bytecode/plan/masked_flags.h"
#include "bytecode/plan/masked_parameters.h"
#include "bytecode/table/op_kind.h"

namespace nvm::plan {

namespace {

using soac::BodyInst;
using soac::Pull;
using ssa::Inst;
using ssa::ValueId;

// What a value of the function is where there is one instance.
struct Meaning {
  enum class Kind : std::uint8_t {
    kNothing,    // no element, or not known: not read
    kNumber,     // one element: a value of the body
    kFrame,      // one segment of one element: the instance
    kParameter,  // parameter `value`, as it was given: a list, a descriptor, what all instances share
    kCalled,     // result `value` of the recursive call
  };
  Kind kind = Kind::kNothing;
  std::int32_t value = kNone;
};

// How an instance's round ends: another one, a return, the program's end.
struct Round {
  Flag more = known_flag(false), stops = known_flag(false);
  std::vector<std::int32_t> next, results;  // by parameter, by result; kNone: whatever, or as it was
};

// Goes every way that one instance may go, and makes one of them by selects.
class Instance {
 public:
  Instance(const ssa::Module& module, ssa::FunctionId function, std::span<const Storage> storages)
      : module_(module),
        id_(function),
        f_(module.functions[at(function)]),
        flags_(body_),
        parameters_(f_, storages, plan_, body_),
        values_(at(f_.values())) {
    plan_.int_bits = module.int_bits;
    plan_.lengths = {LengthKind::kOne, LengthKind::kBound};
    for (std::int32_t p = 0; p < parameters_.count(); ++p) begin(p);
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
  void begin(std::int32_t parameter) {
    const Type type = parameters_.type_of(parameter);
    const ssa::Split::Kind split = parameters_.split(parameter);
    Meaning& m = value(f_.blocks[0].parameters[at(parameter)]);
    if (type != Type::kInt && type != Type::kFloat && type != Type::kBool && type != Type::kSegdes)
      refuse("an instance has more than numbers and lists");
    else if (split == ssa::Split::Kind::kFrame)
      m = {Meaning::Kind::kFrame, kNone};
    else if (split == ssa::Split::Kind::kInstances && type != Type::kSegdes)
      m = {Meaning::Kind::kNumber, parameters_.begin(parameter)};
    else
      m = {Meaning::Kind::kParameter, parameter};
  }
  Meaning as_number(const Meaning& m) {
    if (m.kind != Meaning::Kind::kParameter || !parameters_.may_be_number(m.value)) return m;
    return {Meaning::Kind::kNumber, parameters_.begin(m.value)};
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
          const Meaning c = as_number(value(end.condition));
          if (c.kind != Meaning::Kind::kNumber) {
            refuse("a decision that is no instance's");
            return {};
          }
          const auto holds = flags_.known(c.value);
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
    const MaskedFlags::Facts facts = flags_.facts();
    const std::vector<Meaning> values = values_;
    const std::vector<std::int32_t> called = called_;
    const std::int32_t here = here_;
    flags_.learn(c, true);
    here_ = flags_.within(here, c, true);
    const Round yes = go(end.target);
    flags_.restore(facts);
    values_ = values;
    called_ = called;
    flags_.learn(c, false);
    here_ = flags_.within(here, c, false);
    const Round no = go(end.otherwise);
    flags_.restore(facts);
    here_ = here;
    return {flags_.choose(c, yes.more, no.more), flags_.choose(c, yes.stops, no.stops),
            choose(c, yes.next, no.next), choose(c, yes.results, no.results)};
  }
  std::vector<std::int32_t> choose(std::int32_t c, const std::vector<std::int32_t>& yes,
                                   const std::vector<std::int32_t>& no) {
    if (yes.empty()) return no;
    if (no.empty()) return yes;
    std::vector<std::int32_t> made;
    for (std::size_t i = 0; i < yes.size(); ++i) {
      // What one way leaves as it was, another may have read as a number.
      const auto now = [&](std::int32_t v) {
        return v == kNone ? parameters_.begun(static_cast<int>(i)) : v;
      };
      made.push_back(yes[i] == no[i] ? yes[i] : flags_.choose(c, now(yes[i]), now(no[i])));
    }
    return made;
  }
  Round stop() const {
    Round round;
    round.stops = known_flag(true);
    return round;
  }
  Round leave(const std::vector<ValueId>& results) {
    Round round;
    for (std::size_t r = 0; r < results.size(); ++r) {
      const Meaning m = as_number(value(results[r]));
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
    if (picks(in.op)) {
      value(in.first_result) = pick(in, of);
      return refusal_.empty();
    }
    if (op_kind(in.op) == OpKind::kShape && is_shape(of[0])) {  // its lengths
      value(in.first_result) = {Meaning::Kind::kNumber, parameters_.length_of(of[0].value)};
      return true;
    }
    for (Meaning& m : of) m = as_number(m);
    const bool constant = in.op == Op::kConst;
    const Meaning made = constant ? number(module_.constants[at(in.index)]) : meaning(in, of);
    // A constant may be nothing: what instances have on a way that this one does not go.
    if (made.kind == Meaning::Kind::kNothing && !constant) return unlike_number(), false;
    value(in.first_result) = made;
    return refusal_.empty();
  }

  bool call(const Inst& in, const std::vector<Meaning>& of) {
    if (in.index != id_) refuse("it calls another function");
    if (!called_.empty()) refuse("it goes on after its recursive call");
    for (std::size_t i = 0; refusal_.empty() && i < of.size(); ++i)
      called_.push_back(argument(static_cast<std::int32_t>(i), of[i]));
    for (std::uint32_t r = 0; r < in.results; ++r)
      value(in.first_result + static_cast<ValueId>(r)) = {Meaning::Kind::kCalled,
                                                          static_cast<std::int32_t>(r)};
    return refusal_.empty();
  }

  // kNone: it is as it was.
  std::int32_t argument(std::int32_t parameter, const Meaning& m) {
    if (m.kind == Meaning::Kind::kParameter && m.value == parameter) return parameters_.begun(parameter);
    const Meaning given = as_number(m);
    const bool frame = parameters_.split(parameter) == ssa::Split::Kind::kFrame;
    const bool number = !frame && parameters_.may_be_number(parameter);
    if (number ? given.kind != Meaning::Kind::kNumber : !frame || given.kind != Meaning::Kind::kFrame)
      refuse("its recursive call is not of the instance");
    else if (number)
      static_cast<void>(parameters_.begin(parameter));
    return given.value;
  }

  [[nodiscard]] bool is_shape(const Meaning& m) const {
    return m.kind == Meaning::Kind::kParameter && parameters_.is_shape(m.value);
  }
  // An element of the instance's own list, or of one that all share; for those who go this way.
  Meaning pick(const Inst& in, const std::vector<Meaning>& of) {
    const Meaning &list = of[0], index = as_number(of[1]), &shape = of[2];
    const bool extracts = op_kind(in.op) == OpKind::kExtract;
    const bool all = extracts || (move_operands(in.op).flags < 0 && of[3].kind == Meaning::Kind::kFrame);
    if (list.kind != Meaning::Kind::kParameter || !is_shape(shape) || index.kind != Meaning::Kind::kNumber)
      return unlike_number();
    const bool shared = parameters_.shared(list.value) && parameters_.shared(shape.value);
    if (shared ? !all : !extracts || !parameters_.own(list.value, shape.value)) return unlike_number();
    return {Meaning::Kind::kNumber, parameters_.element(list.value, shape.value, index.value, here_)};
  }
  Meaning unlike_number() {
    refuse("it does more than compute with numbers");
    return {};
  }

  [[nodiscard]] const BodyInst& inst(std::int32_t v) const { return body_.insts[at(v)]; }
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
      case OpKind::kMap: return numbers(of, of.size()) ? apply(in, info, of) : Meaning{};
      case OpKind::kDist:  // of one element to one
      case OpKind::kIota: return framed && numbers(of, of.size() - 1) ? of[0] : Meaning{};
      case OpKind::kReduce:  // INTs and BOOLs are what the identity and they give
        return framed && numbers(of, 1) && inst(of[0].value).type != Type::kFloat ? of[0] : Meaning{};
      default: return {};
    }
  }
  // Who goes another way divides by 1.
  Meaning apply(const Inst& in, const OpInfo& info, const std::vector<Meaning>& of) {
    std::int32_t operand[3] = {kNone, kNone, kNone};
    for (std::size_t i = 0; i < of.size(); ++i) operand[i] = of[i].value;
    if (scalar_traps(info.scalar, inst(of[0].value).type) && here_ != kNone && !divides(inst(of[1].value)))
      operand[1] = body_.apply(Scalar::kSelect, Type::kInt, here_, operand[1], parameters_.constant(1));
    const Type type = letter_type(info.results[0], in.word);
    return {Meaning::Kind::kNumber, body_.apply(info.scalar, type, operand[0], operand[1], operand[2])};
  }
  // What divides is an error nowhere.
  [[nodiscard]] static bool divides(const BodyInst& by) {
    return by.pull == Pull::kConst && by.imm != 0 && by.imm != -1;
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

  VarId add_var(VarRole role, Type type, Storage storage, LengthId length) {
    Var v;
    v.role = role;
    v.type = type;
    v.storage = storage;
    v.length = length;
    plan_.vars.push_back(v);
    return static_cast<VarId>(plan_.vars.size() - 1);
  }
  MaskedLoop finish(const Round& all) {
    Kernel kernel;
    kernel.space = 1;
    Repeat repeat;
    repeat.more = all.more.value;
    const Storage ints = plan_.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
    repeat.limit = add_var(VarRole::kInput, Type::kInt, ints, 0);
    for (std::int32_t p = 0; p < parameters_.count(); ++p)
      if (const std::int32_t next = all.next[at(p)]; next != kNone && next != parameters_.begun(p))
        repeat.carried.push_back({parameters_.begun(p), next});
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
    made.inputs = parameters_.inputs();
    check(made.plan);
    return made;
  }

  const ssa::Module& module_;
  ssa::FunctionId id_;
  const ssa::Function& f_;
  Plan plan_;
  soac::Body body_;
  MaskedFlags flags_;
  MaskedParameters parameters_;
  std::vector<Meaning> values_;       // on the way that is gone
  std::int32_t here_ = kNone;         // BOOL: who goes the way that is gone; kNone: all
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
