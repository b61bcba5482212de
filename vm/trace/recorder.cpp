#include "vm/trace/recorder.h"

#include <algorithm>

#include "bytecode/base/check.h"
#include "bytecode/table/op_kind.h"
#include "vm/interp/work.h"
#include "vm/prims/fold.h"
#include "vm/prims/repeated.h"

namespace nvm::vm {

using soac::DescForm;
using soac::kNone;
using soac::LengthId;
using soac::LengthKind;
using soac::Var;
using soac::VarId;
using soac::VarRole;

namespace {

using DeferredRef = std::shared_ptr<Deferred>;

bool waits(std::span<const Value> operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Value& v) { return std::holds_alternative<DeferredRef>(v); });
}

bool is_repeated(const Value& v) {
  const auto* x = std::get_if<Vector>(&v);
  return x != nullptr && x->is_repeated();
}

// As kernels store what they make.
Storage stored(Type type, IntBits bits) {
  if (type == Type::kFloat) return Storage::kF64;
  if (type == Type::kBool) return Storage::kB8;
  return bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
}

// What picks by index touches as many elements as it has indices, however many it may pick from.
bool touches(Op op, std::size_t operand) { return operand == 1 || !picks(op); }

// A promise that has been kept becomes the value itself; moved out if nobody else holds the promise.
inline void resolve(Value& v) {
  auto* d = std::get_if<DeferredRef>(&v);
  if (d == nullptr || !(*d)->computed()) [[likely]]
    return;
  Value value = d->use_count() == 1 ? (*d)->take() : (*d)->value();
  v = std::move(value);
}

}  // namespace

bool same_input(const Value& a, const Value& b) {
  const auto* s = std::get_if<Segdes>(&a);
  const auto* t = std::get_if<Segdes>(&b);
  if (s != nullptr && t != nullptr) return s->identical(*t);
  const auto* x = std::get_if<Vector>(&a);
  const auto* y = std::get_if<Vector>(&b);
  if (x == nullptr || y == nullptr || x->is_scalar() || y->is_scalar()) return false;
  return x->length() == y->length() && x->storage() == y->storage() &&
         x->buffer().get() == y->buffer().get() && x->place() == y->place();
}

DescForm form_of(const Segdes& s) {
  if (s.segments() == 1) return DescForm::kOneSegment;
  return s.is_regular() ? DescForm::kRegular : DescForm::kIrregular;
}

std::int64_t elements_of(const RecordedRegion& region) {
  std::int64_t work = 0;
  for (const soac::RegionInst& in : region.region.insts) work += elements_of(region, in);
  return work;
}

LengthId touched_length(const soac::Region& region, const soac::RegionInst& inst, std::size_t k) {
  if (!touches(inst.op, k)) return kNone;
  const Var& v = region.vars[static_cast<std::size_t>(inst.operands[k])];
  return v.is_desc ? v.total : v.length;
}

std::int64_t elements_of(const RecordedRegion& region, const soac::RegionInst& inst) {
  std::int64_t elements = 1;
  for (std::size_t k = 0; k < inst.operands.size(); ++k)
    if (const LengthId n = touched_length(region.region, inst, k); n != kNone)
      elements = std::max(elements, region.lengths[static_cast<std::size_t>(n)]);
  return elements;
}

void Recorder::reset() {
  now_.region.vars.clear();  // memory is kept for the next
  now_.region.insts.clear();
  now_.inputs.clear();
  now_.sites.clear();
  now_.trails.clear();
  now_.draws.clear();
  primitives_ = false;
  now_.region.int_bits = bits_;
  now_.region.lengths.assign(1, LengthKind::kOne);
  now_.lengths.assign(1, 1);
  promised_.clear();
  packed_.clear();
  lengths_of_.clear();
  length_of_.clear();
  each_.clear();
  charges_.resize(0);
  steps_.clear();
  knowable_ = true;
  stopper_ = nullptr;
  traces_.clear();
}

const ssa::Inst* Recorder::located_at(Site& site, CallTrail& trail) const {
  if (failed_.inst != nullptr) {
    site = failed_.site;
    trail = failed_trail_;
  }
  return failed_.inst;
}

// Of the instruction being recorded.
std::int32_t Recorder::trail() {
  if (callers_ == nullptr) return -1;
  if (now_.trails.empty() || now_.trails.back().serial != callers_->serial())
    now_.trails.push_back(callers_->trail());
  return static_cast<std::int32_t>(now_.trails.size()) - 1;
}

bool Recorder::trust(const Value& condition, const Site& branch) {
  const auto* d = std::get_if<DeferredRef>(&condition);
  if (d == nullptr || (*d)->computed()) return false;
  if (traces_.followed() != nullptr) {
    if (traces_.pass_check(**d, branch)) {
      traces_.note_trail(trail());
      return true;
    }
    record_known();
  }
  const VarId flag = (*d)->var();
  if (var(flag).length != 0 || now_.region.insts.size() >= limits_.max_insts) return false;
  append_check(flag, {nullptr, branch, trail()});
  note_step({.kind = TraceStep::Kind::kCheck, .operands = {flag}});
  return true;
}

// That the flag is F.
void Recorder::append_check(VarId flag, const RecordedSite& site) {
  soac::RegionInst in;
  in.op = Op::kIf;
  in.operands = {flag};
  in.site = static_cast<std::int32_t>(now_.sites.size());
  now_.region.insts.push_back(in);
  now_.sites.push_back(site);
}

void Recorder::force(Value& value) {
  failed_ = {};
  resolve(value);
  if (!std::holds_alternative<DeferredRef>(value)) return;
  flush(RegionStop::kAsked);
  resolve(value);
}

void Recorder::finish() {
  failed_ = {};
  if (traces_.followed() != nullptr || !now_.region.insts.empty()) flush(RegionStop::kAsked);
}

// Gives the instruction to the interpreter: nothing may stay promised among its operands. Unless a device can
// still record it when what was promised is there and counted: elements that stand there are not fetched.
bool Recorder::leave(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                     std::span<Value> results, RegionStop stop) {
  for (Value& v : operands) resolve(v);
  if (waits(operands)) {
    stopper_ = &inst;
    if (observer_ != nullptr && !limits_.scatters) observer_->left(inst, stop_text(stop));
    flush(stop);
    if (limits_.scatters) return offer(inst, site, operands, results);
  } else if (observer_ != nullptr) {
    observer_->left(inst, stop_text(stop));
  }
  for (Value& v : operands) resolve(v);
  return false;
}

// Cut where they began, the regions of a loop are all alike. Behind a primitive another turn gains little,
// and where compiling takes long, so does any.
// A region of a loop is best one whole turn, from wherever it began: then all are alike.
bool Recorder::comes_back(const ssa::Inst& inst) const {
  const std::size_t insts = now_.region.insts.size();
  const auto same = [&](const RecordedSite& s) { return s.inst == &inst; };
  if (insts == 0) return false;
  if (insts >= std::min(limits_.max_insts, limits_.long_turn) / 2 && same(now_.sites.front())) return true;
  return (primitives_ || insts / 2 >= limits_.long_turn) &&
         std::any_of(now_.sites.begin(), now_.sites.end(), same);
}

bool Recorder::offer(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                     std::span<Value> results) {
  failed_ = {};
  declined_ = false;
  bool waits = false, repeated = false;
  std::int64_t elements = 0;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    resolve(operands[k]);
    waits |= std::holds_alternative<DeferredRef>(operands[k]);
    repeated |= is_repeated(operands[k]);
    if (touches(inst.op, k)) elements = std::max(elements, elements_of(operands[k]));
  }
  if (limits_.repeats != nullptr && computes_once(inst, site, operands, results)) return true;
  if (guarded() && op_kind(inst.op) == OpKind::kRandom) flush(RegionStop::kKind);  // draws for good
  if (!waits && elements < limits_.min_elements) return false;
  if (!waits && traces_.followed() == nullptr && now_.region.insts.empty() &&
      executor_.declines(inst, elements)) {
    declined_ = true;
    if (observer_ != nullptr) observer_->left(inst, stop_text(RegionStop::kLost));
    return false;
  }
  if (predicts_)
    if (const auto taken = follow({inst, site, operands, results, elements, waits, repeated})) {
      if (!*taken) {
        const CachedTrace* trace = traces_.followed();
        return leave(inst, site, operands, results, trace != nullptr ? trace->stop : RegionStop::kLost);
      }
      return true;
    }
  if (op_kind(inst.op) == OpKind::kShape) {
    if (waits && record_shape_op(inst, site, operands, results)) return true;
    const bool recorded =
        inst.op == Op::kMakeSegdes ? !(waits && compute_aside(operands)) && describes(operands[0]) : waits;
    if (!recorded) return leave(inst, site, operands, results, RegionStop::kDescriptor);
  }
  if (waits && inst.op == Op::kAddReduce && record_known_sum(inst, site, operands, results)) return true;
  if (const auto stop = refuses(inst, operands)) return leave(inst, site, operands, results, *stop);
  const std::size_t insts = now_.region.insts.size();
  declined_ = repeated && limits_.repeats == nullptr;
  if (declined_) return leave(inst, site, operands, results, RegionStop::kLost);
  const bool loops = comes_back(inst);
  if (loops || insts >= limits_.max_insts) {
    stopper_ = &inst;
    flush(loops ? RegionStop::kLoop : RegionStop::kLong);
    return offer(inst, site, operands, results);  // what was promised is there now
  }
  return record(inst, site, operands, results);
}

bool Recorder::record(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                      std::span<Value> results) {
  const std::size_t vars = now_.region.vars.size();
  const std::size_t lengths = now_.lengths.size();
  const std::size_t insts = now_.region.insts.size();
  const RecordedSite reader{&inst, site, trail()};
  operands_.clear();
  for (const Value& v : operands) {
    const auto* d = std::get_if<DeferredRef>(&v);
    operands_.push_back(d != nullptr     ? (*d)->var()
                        : is_repeated(v) ? spell_out(std::get<Vector>(v), reader)
                                         : input(v));
  }
  if (inst.op == Op::kIndex) fix_index();
  const bool fits = forms_fit(inst);
  if (!fits || !unify(inst)) {
    forget(vars, lengths, insts);
    return leave(inst, site, operands, results, fits ? RegionStop::kShape : RegionStop::kSegments);
  }
  append(inst, site, results);
  return true;
}

// Lets go of operands that were taken up for an instruction that is not recorded after all: a value that is
// referenced here could not be overwritten in place.
void Recorder::forget(std::size_t vars, std::size_t lengths, std::size_t insts) {
  now_.region.insts.resize(insts);
  now_.sites.resize(insts);
  now_.region.vars.resize(vars);
  now_.inputs.resize(vars);
  promised_.resize(vars);
  lengths_of_.resize(vars);
  length_of_.resize(vars);
  each_.resize(vars);
  now_.region.lengths.resize(lengths);
  now_.lengths.resize(lengths);
}

// Does at once what is done once for all elements, or what is known.
bool Recorder::computes_once(const ssa::Inst& inst, const Site& site, std::span<Value> operands,
                             std::span<Value> results) {
  if (results.size() != 1) return false;
  if (sums_known(inst.op, inst.word, operands, bits_, results[0]))
    took(*limits_.repeats, FastPath::kKeptSums);
  else if (!run_repeated({*limits_.repeats, inst.op, inst.word, operands.data(), results.data()}))
    return false;
  const Work work = op_info(inst.op).work;
  const std::int64_t elements =
      work == Work::k1 ? 1 : elements_of(work == Work::kN ? operands[0] : results[0]);
  charges_.add_known(inst, site, elements);
  return true;
}

// A vector of equal elements as the DIST that it comes of, for the instruction that reads it.
VarId Recorder::spell_out(const Vector& repeated, const RecordedSite& reader) {
  const Value one = repeated.repeated_element();
  const Value all = Segdes::regular(1, repeated.length());
  soac::RegionInst in;
  in.op = Op::kDist;
  in.word = word_of(repeated.type());
  const VarId from = input(one);
  in.operands = {from, input(all)};
  in.site = static_cast<std::int32_t>(now_.sites.size());
  Var v;
  v.role = VarRole::kTemp;
  v.type = repeated.type();
  v.storage = stored(v.type, bits_);
  v.length = length_symbol(repeated.length());
  const VarId made = new_var(v);
  in.results = {made};
  if (now_.region.insts.empty()) now_.begun = std::chrono::steady_clock::now();
  note_each(in);
  now_.region.insts.push_back(in);
  now_.sites.push_back(reader);
  return made;
}

VarId Recorder::input(Value value) {
  for (std::size_t i = 0; i < now_.inputs.size(); ++i)
    if (same_input(now_.inputs[i], value)) return static_cast<VarId>(i);
  Var v;
  if (const auto* s = std::get_if<Segdes>(&value)) {
    v.is_desc = true;
    v.length = length_symbol(s->segments());
    v.total = length_symbol(s->total());
    v.form = form_of(*s);
  } else {
    const Vector& x = std::get<Vector>(value);
    v.type = x.type();
    v.storage = x.storage();
    v.length = length_symbol(x.length());
  }
  const VarId id = new_var(v);
  now_.inputs[static_cast<std::size_t>(id)] = std::move(value);
  return id;
}

VarId Recorder::new_var(const Var& v) {
  now_.region.vars.push_back(v);
  now_.inputs.emplace_back();
  promised_.emplace_back();
  lengths_of_.push_back(kNone);
  length_of_.push_back(kNone);
  each_.emplace_back();
  return static_cast<VarId>(now_.region.vars.size() - 1);
}

LengthId Recorder::length_symbol(std::int64_t n) {
  const auto it = std::find(now_.lengths.begin(), now_.lengths.end(), n);
  if (it != now_.lengths.end()) return static_cast<LengthId>(it - now_.lengths.begin());
  now_.lengths.push_back(n);
  now_.region.lengths.push_back(LengthKind::kBound);
  return static_cast<LengthId>(now_.lengths.size() - 1);
}

LengthId Recorder::counted() {
  now_.lengths.push_back(-1);
  now_.region.lengths.push_back(LengthKind::kCounted);
  return static_cast<LengthId>(now_.lengths.size() - 1);
}

// Binds the letters of the shape column; false if two symbols would have to be equal and are not known to be.
bool Recorder::unify(const ssa::Inst& inst) {
  const Shape& shape = op_shape(inst.op);
  std::fill(std::begin(letters_), std::end(letters_), kNone);
  letters_[static_cast<std::size_t>('1')] = 0;
  const auto bind = [&](char letter, LengthId n) {
    if (letter == 0 || letter == '_') return true;
    LengthId& known = letters_[static_cast<unsigned char>(letter)];
    if (known == kNone) known = n;
    return known == n;
  };
  for (int i = 0; i < shape.operands; ++i) {
    const Var& v = var(operands_[static_cast<std::size_t>(i)]);
    if (!bind(shape.terms[i].length, v.length)) return false;
    if (v.is_desc && !bind(shape.terms[i].total, v.total)) return false;
  }
  return true;
}

VarId Recorder::result(char letter, TypeWord word, const ShapeTerm& term, const ssa::Inst& inst) {
  const auto symbol = [&](char c) {
    LengthId& known = letters_[static_cast<unsigned char>(c)];
    if (known == kNone) known = counted();
    return known;
  };
  Var v;
  v.role = VarRole::kTemp;
  const Type type = letter_type(letter, word);
  if (type == Type::kSegdes) {
    v.is_desc = true;
    v.length = symbol(term.length);
    v.total = symbol(term.total);
    v.form = v.length == 0 ? DescForm::kOneSegment : DescForm::kIrregular;
    return new_var(v);
  }
  v.type = type;
  v.storage = stored(type, bits_);
  v.length = symbol(term.length);
  const VarId id = new_var(v);
  if (inst.op == Op::kLengths) lengths_of_[static_cast<std::size_t>(id)] = operands_[0];
  if (inst.op == Op::kLength) length_of_[static_cast<std::size_t>(id)] = var(operands_[0]).length;
  return id;
}

// Of one number distributed, that number is known of each.
void Recorder::note_each(const soac::RegionInst& in) {
  if (in.op != Op::kDist || in.word != TypeWord::kInt) return;
  const auto* one = std::get_if<Vector>(&now_.inputs[static_cast<std::size_t>(in.operands[0])]);
  if (one != nullptr && one->is_scalar()) each_[static_cast<std::size_t>(in.results[0])] = one->scalar_int();
}

// Of the line that is recorded, for when it comes again.
void Recorder::note_step(TraceStep step) {
  if (!predicts_) return;
  const auto size = [](const auto& list) { return static_cast<std::uint32_t>(list.size()); };
  if (step.inst != nullptr) {
    step.op = step.inst->op;
    step.word = step.inst->word;
  }
  step.vars = size(now_.region.vars);
  step.lengths = size(now_.region.lengths);
  step.insts = size(now_.region.insts);
  step.packed = size(packed_);
  steps_.push_back(step);
}

void Recorder::append(const ssa::Inst& inst, const Site& site, std::span<Value> results) {
  const OpInfo& info = op_info(inst.op);
  const Shape& shape = op_shape(inst.op);
  if (now_.region.insts.empty()) now_.begun = std::chrono::steady_clock::now();
  soac::RegionInst in;
  in.op = inst.op;
  in.word = inst.word;
  in.operands = soac::VarList(operands_);
  in.site = static_cast<std::int32_t>(now_.sites.size());
  const PackedVar* known = nullptr;
  if (inst.op == Op::kPack) {
    const auto it = std::find_if(packed_.begin(), packed_.end(), [&](const PackedVar& p) {
      return p.flags == operands_[1] && p.desc == operands_[2];
    });
    if (it != packed_.end()) known = &*it;
    if (known != nullptr) letters_[static_cast<std::size_t>('m')] = known->length;
  }
  for (std::size_t i = 0; i < info.results.size(); ++i) {
    const ShapeTerm& term = shape.terms[static_cast<std::size_t>(shape.operands) + i];
    const bool shared = known != nullptr && i == 1;
    const VarId r = shared ? known->out_desc : result(info.results[i], inst.word, term, inst);
    in.results.push_back(r);
    results[i] = promise(r);
  }
  if (inst.op == Op::kPack && known == nullptr)
    packed_.push_back({operands_[1], operands_[2], in.results[1], var(in.results[0]).length});
  const LengthId charged = info.work == Work::k1   ? 0
                           : info.work == Work::kN ? var(in.operands[0]).length
                                                   : var(in.results[0]).length;
  charges_.add(inst, site, charged);
  if (inst.op == Op::kRand) {
    const std::int64_t n = now_.lengths[static_cast<std::size_t>(var(in.operands[0]).length)];
    in.draw = static_cast<std::int32_t>(now_.draws.size());
    now_.draws.push_back(*limits_.random->take(n));
    knowable_ = false;
  }
  const OpKind kind = info.kind;
  const bool makes_segdes = inst.op == Op::kMakeSegdes;
  primitives_ |= kind == OpKind::kRank || kind == OpKind::kRandom || makes_segdes;
  knowable_ &= !makes_segdes;  // how many there are decides whether it is recorded
  note_lengths(in);
  note_each(in);
  now_.region.insts.push_back(in);
  now_.sites.push_back({&inst, site, trail()});
  note_step({.inst = &inst, .operands = in.operands, .results = in.results, .charged = charged});
}

}  // namespace nvm::vm
