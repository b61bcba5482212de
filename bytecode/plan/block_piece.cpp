#include "bytecode/plan/block_piece.h"

#include <algorithm>
#include <utility>

#include "bytecode/base/budget.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "bytecode/table/op_kind.h"

namespace nvm::plan {

using soac::DescForm;
using soac::Var;
using soac::VarRole;
using ssa::Inst;

namespace {

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

bool makes_segdes(Op op) { return op_kind(op) == OpKind::kShape && op_info(op).results == "S"; }

}  // namespace

BlockPiece::BlockPiece(const ssa::Module& module, const ssa::Function& function,
                       const ssa::FunctionFacts& facts, std::vector<const Inst*> makers)
    : module_(module), f_(function), facts_(facts), makers_(std::move(makers)) {
  begin_anew();
}

BlockPiece::State BlockPiece::begin_anew() {
  State stood = std::exchange(now_, State{});
  now_.region.int_bits = module_.int_bits;
  new_length(LengthKind::kOne);
  return stood;
}

BlockSource BlockPiece::source_of(const std::vector<const Inst*>& makers, ValueId v) {
  const Inst* made = makers[at(v)];
  if (made != nullptr && is_constant(*made)) return {true, made->index};
  return {false, v};
}

Type BlockPiece::type_of(ValueId v) const { return f_.value_types[at(v)]; }
Storage BlockPiece::widest(Type t) const {
  if (t == Type::kFloat) return Storage::kF64;
  if (t == Type::kBool) return Storage::kB8;
  return module_.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
}
const Var& BlockPiece::var(VarId x) const { return now_.region.vars[at(x)]; }

VarId BlockPiece::new_var(const Var& v) {
  now_.region.vars.push_back(v);
  now_.lengths_of.push_back(kNone);
  now_.number_of.push_back(kNone);
  return static_cast<VarId>(now_.region.vars.size() - 1);
}

VarId BlockPiece::new_input(const BlockInput& from, const Var& v) {
  for (const BlockInput& known : now_.inputs)
    if (known.what == from.what && known.source == from.source) return known.var;
  const VarId x = new_var(v);
  now_.inputs.push_back({x, from.what, from.source});
  return x;
}

LengthId BlockPiece::new_length(LengthKind kind) {
  const auto n = static_cast<LengthId>(now_.region.lengths.size());
  now_.region.lengths.push_back(kind);
  now_.same.push_back(n);
  now_.computed.push_back(false);
  return n;
}
LengthId BlockPiece::root(LengthId n) const {
  while (now_.same[at(n)] != n) n = now_.same[at(n)];
  return n;
}
bool BlockPiece::bound(LengthId n) const { return now_.region.lengths[at(root(n))] != LengthKind::kCounted; }

LengthId BlockPiece::input_length(ssa::Symbol s) {
  if (s == facts_.one) return 0;
  if (s == ssa::kNoSymbol) return new_length(LengthKind::kBound);
  const auto it = now_.symbols.find(s);
  if (it != now_.symbols.end()) return bound(it->second) ? root(it->second) : kNone;
  return now_.symbols[s] = new_length(LengthKind::kBound);
}

BlockPiece::Taken BlockPiece::no(const Inst& in, const char* why) {
  refusal_ = std::string(op_info(in.op).text) + " in " + f_.name + ": " + why;
  return Taken::kNo;
}

BlockPiece::Taken BlockPiece::operand(ValueId v, VarId& x) {
  if (const auto it = now_.vars.find(v); it != now_.vars.end()) {
    x = it->second;
    return Taken::kYes;
  }
  if (const Inst* maker = makers_[at(v)]; maker != nullptr && is_spread(*maker)) {
    check_stack();
    if (const Taken taken = take_any(*maker); taken != Taken::kYes) return taken;
    now_.made.pop_back();  // the frame has it from its own place, if it is to
    x = now_.vars.at(v);
    return Taken::kYes;
  }
  Var made;
  const ssa::ValueFacts& facts = facts_.of(v);
  made.length = input_length(facts.length);
  if (made.length == kNone) return Taken::kCut;
  made.is_desc = type_of(v) == Type::kSegdes;
  if (made.is_desc) {
    made.total = input_length(facts.sum);
    if (made.total == kNone) return Taken::kCut;
    made.form = made.length == 0 ? DescForm::kOneSegment : DescForm::kIrregular;
  } else {
    made.type = type_of(v);
    made.storage = widest(made.type);
  }
  const BlockSource source = source_of(makers_, v);
  if (source.constant && !made.is_desc && made.type == Type::kInt && made.length == 0) {
    made.is_fixed = true;
    made.fixed = module_.constants[at(source.number)].ints.at(0);
  }
  x = new_input({kNone, BlockInput::What::kValue, source}, made);
  now_.vars[v] = x;
  return Taken::kYes;
}

BlockPiece::Taken BlockPiece::take(const Inst& in) {
  check_budget();
  const Taken taken = try_take(in);
  if (taken == Taken::kYes) now_.taken.push_back(&in);
  if (taken == Taken::kCut) {
    const State stood = begin_anew();
    for (const Inst* before : stood.taken) NVM_CHECK(try_take(*before) == Taken::kYes, "taken before");
    now_.taken = stood.taken;
  }
  return taken;
}

BlockPiece::Taken BlockPiece::try_take(const Inst& in) {
  bool done = false;
  switch (op_info(in.op).kind) {
    case OpKind::kRandom: return no(in, "the numbers drawn depend on the order of draws");
    case OpKind::kBlock: return no(in, "no plan has pairs");
    default: break;
  }
  if (op_kind(in.op) == OpKind::kShape && !makes_segdes(in.op))
    return op_info(in.op).operands == "S" ? take_lengths(in) : take_length(in);
  if (makes_segdes(in.op)) {
    const Taken taken = take_segdes(in, done);
    if (taken != Taken::kYes || done) return taken;
  }
  return take_any(in);
}

void BlockPiece::define(ValueId v, VarId x) {
  now_.vars[v] = x;
  now_.made.push_back(v);
}

// A length that an input has, as a number.
BlockPiece::Taken BlockPiece::known_number(const Inst& in, LengthId n) {
  if (n == 0) return no(in, "the length of a single number");
  for (const BlockInput& from : now_.inputs) {
    if (from.what != BlockInput::What::kValue) continue;
    const Var& carrier = var(from.var);
    const bool total = carrier.is_desc && root(carrier.total) == n;
    if (!total && root(carrier.length) != n) continue;
    Var number;
    number.length = 0;
    number.storage = widest(Type::kInt);
    const VarId x =
        new_input({kNone, total ? BlockInput::What::kTotal : BlockInput::What::kCount, from.source}, number);
    now_.number_of[at(x)] = n;
    define(in.first_result, x);
    return Taken::kYes;
  }
  return no(in, "a length that nothing has");
}

BlockPiece::Taken BlockPiece::take_lengths(const Inst& in) {
  VarId d = kNone;
  if (const Taken taken = operand(f_.operands_of(in)[0], d); taken != Taken::kYes) return taken;
  if (var(d).form == DescForm::kOneSegment && bound(var(d).total))
    return known_number(in, root(var(d).total));
  const auto from =
      std::find_if(now_.inputs.begin(), now_.inputs.end(), [&](const BlockInput& i) { return i.var == d; });
  if (from == now_.inputs.end()) {
    const Taken taken = take_any(in);
    if (taken == Taken::kYes) now_.lengths_of[at(now_.vars.at(in.first_result))] = d;
    return taken;
  }
  Var lengths;
  lengths.storage = widest(Type::kInt);
  lengths.length = var(d).length;
  const VarId x = new_input({kNone, BlockInput::What::kLengths, from->source}, lengths);
  now_.lengths_of[at(x)] = d;
  define(in.first_result, x);
  return Taken::kYes;
}

BlockPiece::Taken BlockPiece::take_length(const Inst& in) {
  VarId x = kNone;
  if (const Taken taken = operand(f_.operands_of(in)[0], x); taken != Taken::kYes) return taken;
  if (bound(var(x).length)) return known_number(in, root(var(x).length));
  return take_any(in);
}

// Of the lengths of a descriptor: that descriptor. Of one length that is known: its total.
BlockPiece::Taken BlockPiece::take_segdes(const Inst& in, bool& done) {
  VarId x = kNone;
  if (const Taken taken = operand(f_.operands_of(in)[0], x); taken != Taken::kYes) return taken;
  VarId d = now_.lengths_of[at(x)];
  if (d == kNone && now_.number_of[at(x)] != kNone) {
    Var whole;
    whole.role = VarRole::kTemp;
    whole.is_desc = true;
    whole.length = 0;
    whole.total = now_.number_of[at(x)];
    whole.form = DescForm::kOneSegment;
    d = new_var(whole);
  }
  if (d == kNone) return Taken::kYes;
  define(in.first_result, d);
  done = true;
  return Taken::kYes;
}

// One element is no vector to a plan: scans, filters, ranks and segments of it have no combinator.
bool BlockPiece::forms_fit(const Inst& in, const soac::VarList& operands) const {
  for (const VarId x : operands)
    if (var(x).is_desc && var(x).form != DescForm::kOneSegment && root(var(x).total) == 0) return false;
  const OpKind kind = op_info(in.op).kind;
  const bool whole = kind == OpKind::kScan || kind == OpKind::kRank || kind == OpKind::kFilter;
  return !whole || root(var(operands.at(0)).length) != 0;
}

// Lengths that must be equal are one length: of inputs that is looked at when the block is entered.
BlockPiece::Taken BlockPiece::unify(const Inst& in, const soac::VarList& operands) {
  const Shape& shape = op_shape(in.op);
  std::fill(std::begin(letters_), std::end(letters_), kNone);
  letters_[static_cast<std::size_t>('1')] = 0;
  const auto bind = [&](char letter, LengthId n) {
    if (letter == 0 || letter == '_') return Taken::kYes;
    n = root(n);
    LengthId& known = letters_[static_cast<unsigned char>(letter)];
    if (known == kNone) known = n;
    known = root(known);
    if (known == n) return Taken::kYes;
    if (!bound(known) || !bound(n)) return Taken::kCut;
    if (known == 0 || n == 0) return no(in, "of a length that should be one it is not known");
    now_.same[at(n)] = known;
    return Taken::kYes;
  };
  for (int i = 0; i < shape.operands; ++i) {
    const Var v = var(operands.at(static_cast<std::size_t>(i)));
    if (const Taken t = bind(shape.terms[i].length, v.length); t != Taken::kYes) return t;
    if (!v.is_desc) continue;
    if (const Taken t = bind(shape.terms[i].total, v.total); t != Taken::kYes) return t;
  }
  return Taken::kYes;
}

BlockPiece::Taken BlockPiece::take_any(const Inst& in) {
  if (!soac::recordable(in.op)) return no(in, "no combinator makes it");
  soac::RegionInst made;
  made.op = in.op;
  made.word = in.word;
  for (std::uint32_t k = 0; k < in.operands; ++k) {
    VarId x = kNone;
    if (const Taken taken = operand(f_.operands_of(in)[k], x); taken != Taken::kYes) return taken;
    made.operands.push_back(x);
  }
  if (const Taken taken = unify(in, made.operands); taken != Taken::kYes) return taken;
  if (!forms_fit(in, made.operands)) return no(in, "of a single number");
  if (const Taken taken = results(in, made); taken != Taken::kYes) return taken;
  now_.region.insts.push_back(made);
  return Taken::kYes;
}

BlockPiece::Taken BlockPiece::results(const Inst& in, soac::RegionInst& made) {
  const OpInfo& info = op_info(in.op);
  const Shape& shape = op_shape(in.op);
  const Packed* known = nullptr;
  const bool packs = op_kind(in.op) == OpKind::kFilter;
  if (packs)
    for (const Packed& p : now_.packed)
      if (p.flags == made.operands[1] && p.desc == made.operands[2]) known = &p;
  if (known != nullptr) letters_[static_cast<std::size_t>('m')] = known->length;
  const auto length_of = [&](char letter, ssa::Symbol s) {
    LengthId& n = letters_[static_cast<unsigned char>(letter)];
    if (n != kNone) return n = root(n);
    n = new_length(LengthKind::kCounted);
    now_.computed[at(n)] = makes_segdes(in.op);
    if (s != ssa::kNoSymbol) now_.symbols.try_emplace(s, n);
    return n;
  };
  for (std::size_t i = 0; i < info.results.size(); ++i) {
    const ShapeTerm& term = shape.terms[static_cast<std::size_t>(shape.operands) + i];
    const ValueId v = in.first_result + static_cast<ValueId>(i);
    if (known != nullptr && i == 1) {
      made.results.push_back(known->out_desc);
      define(v, known->out_desc);
      continue;
    }
    Var x;
    x.role = VarRole::kTemp;
    x.type = letter_type(info.results[i], in.word);
    x.is_desc = x.type == Type::kSegdes;
    x.length = length_of(term.length, facts_.of(v).length);
    if (x.is_desc) {
      x.type = Type::kInt;
      x.total = length_of(term.total, facts_.of(v).sum);
      x.form = x.length == 0 ? DescForm::kOneSegment : DescForm::kIrregular;
    } else {
      x.storage = widest(x.type);
      if (now_.computed[at(x.length)]) return Taken::kCut;  // how much memory is not known
    }
    const VarId r = new_var(x);
    made.results.push_back(r);
    define(v, r);
  }
  if (packs && known == nullptr)
    now_.packed.push_back(
        {made.operands[1], made.operands[2], made.results.at(1), var(made.results.at(0)).length});
  return Taken::kYes;
}

PlanBlock BlockPiece::finish(const std::function<bool(ValueId)>& wanted, Fusion fusion) {
  PlanBlock block;
  for (const ValueId v : now_.made) {
    if (!wanted(v)) continue;
    const VarId x = now_.vars.at(v);
    block.outputs.push_back({v, x});
    Var& out = now_.region.vars[at(x)];
    if (out.role == VarRole::kTemp) out.role = VarRole::kOutput;
  }
  for (Var& v : now_.region.vars) {
    v.length = root(v.length);
    if (v.is_desc) v.total = root(v.total);
  }
  soac::Graph graph = soac::build(now_.region);
  soac::drop_unread(graph);
  soac::check(graph);
  block.plan = fuse(graph, fusion);
  block.inputs = begin_anew().inputs;
  return block;
}

}  // namespace nvm::plan
