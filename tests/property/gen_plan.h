// Random plans and data for them: bodies over vectors of every storage, descriptors of every shape, every
// sink, one to three kernels. Equal seeds give equal plans.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "bytecode/plan/plan.h"
#include "bytecode/table/op_info.h"
#include "tests/property/gen_moves.h"

namespace nvm::testing {

struct PlanCase {
  plan::Plan plan;
  Bindings inputs;
};

class PlanGenerator {
 public:
  // `n`: iterations of the main space. `of_each`: also what the processor's engine leaves to its primitives,
  // partitions of segments and one element of each.
  PlanGenerator(std::uint64_t seed, std::int64_t n, IntBits bits, bool of_each = true)
      : random_(seed), more_(seed + 1), n_(n), of_each_(of_each) {
    plan_.int_bits = bits;
  }

  PlanCase make() {
    add_lengths();
    add_inputs();
    for (int k = 1 + below(3); k > 0; --k) add_kernel();
    if (chance(50)) add_scalar_kernel();
    add_partitions();
    if (n_ > 0) moves().add(plan_.kernels.front(), of_each_);
    bindings_.vectors.resize(plan_.vars.size());
    bindings_.descs.resize(plan_.vars.size());
    bindings_.lengths.resize(plan_.lengths.size());
    return {plan_, bindings_};
  }

 private:
  using Inst = soac::BodyInst;
  using Pull = soac::Pull;
  static constexpr std::int32_t kNone = soac::kNone;

  int below(int limit) { return static_cast<int>(random_() % static_cast<std::uint64_t>(limit)); }
  bool chance(int percent) { return below(100) < percent; }
  bool wide() const { return plan_.int_bits == IntBits::k64; }
  Storage ints() const { return wide() ? Storage::kI64 : Storage::kI32; }

  // ------------------------------------------------------------------------------------------- data

  plan::LengthId add_length(plan::LengthKind kind, std::int64_t value) {
    plan_.lengths.push_back(kind);
    bindings_.lengths.push_back(value);
    return static_cast<plan::LengthId>(plan_.lengths.size() - 1);
  }
  void add_lengths() {
    one_ = add_length(plan::LengthKind::kOne, 1);
    space_ = add_length(plan::LengthKind::kBound, n_);
    source_total_ = add_length(plan::LengthKind::kBound, 0);
  }
  std::int32_t add_var(const plan::Var& var) {
    plan_.vars.push_back(var);
    bindings_.vectors.emplace_back();
    bindings_.descs.emplace_back();
    return static_cast<std::int32_t>(plan_.vars.size() - 1);
  }
  static Type type_of(Storage s) {
    return s == Storage::kF64 ? Type::kFloat : s == Storage::kB8 ? Type::kBool : Type::kInt;
  }
  std::int32_t add_vector(plan::VarRole role, Storage storage, plan::LengthId length) {
    plan::Var var;
    var.role = role;
    var.type = type_of(storage);
    var.storage = storage;
    var.length = length;
    return add_var(var);
  }
  std::int64_t random_int(Storage storage) {
    const auto bits = random_();
    switch (below(6)) {
      case 0: return storage == Storage::kI8 ? -128 : storage == Storage::kI32 ? INT32_MIN : INT64_MIN;
      case 1: return storage == Storage::kI8 ? 127 : storage == Storage::kI32 ? INT32_MAX : INT64_MAX;
      case 2: return below(5) - 2;
      default: break;
    }
    if (storage == Storage::kI8) return static_cast<std::int8_t>(bits);
    return storage == Storage::kI32 ? static_cast<std::int32_t>(bits) : static_cast<std::int64_t>(bits);
  }
  double random_real() {
    static constexpr double kSpecial[] = {0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e300, 9.3e18, 2147483648.0};
    switch (below(40)) {
      case 0: return std::numeric_limits<double>::quiet_NaN();
      case 1: return std::numeric_limits<double>::infinity();
      case 2: return kSpecial[below(9)];
      default: return (static_cast<double>(random_() >> 11) * 0x1p-53 - 0.5) * 20.0;
    }
  }
  Element random_element(Storage storage) {
    if (storage == Storage::kF64) return {0, random_real()};
    if (storage == Storage::kB8) return {below(2), 0};
    return {random_int(storage), 0};
  }
  std::int32_t add_random_input(Storage storage, plan::LengthId length) {
    const std::int32_t v = add_vector(plan::VarRole::kInput, storage, length);
    const std::int64_t n = bindings_.lengths[static_cast<std::size_t>(length)];
    for (std::int64_t i = 0; i < n; ++i)
      bindings_.vectors[static_cast<std::size_t>(v)].push_back(random_element(storage));
    return v;
  }

  // Lengths of segments with the given total: many short, few long, empty ones, one giant.
  std::vector<std::int64_t> random_lengths(std::int64_t total) {
    std::vector<std::int64_t> lengths;
    const int shape = below(4);
    for (std::int64_t left = total; left > 0;) {
      std::int64_t n = 0;
      if (shape == 0) n = below(21);
      if (shape == 1) n = chance(95) ? below(4) : below(5000);
      if (shape == 2) n = 1 + below(100000);
      if (shape == 3) n = 20 + below(30);
      n = std::min(n, left);
      lengths.push_back(n);
      left -= n;
    }
    for (int i = below(3); i > 0; --i) lengths.push_back(0);
    if (chance(30)) lengths.insert(lengths.begin(), 0);
    return lengths;
  }
  std::int32_t add_desc(plan::LengthId segments, plan::LengthId total, plan::DescForm form,
                        const std::vector<std::int64_t>& lengths) {
    plan::Var var;
    var.is_desc = true;
    var.length = segments;
    var.total = total;
    var.form = form;
    const std::int32_t v = add_var(var);
    bindings_.descs[static_cast<std::size_t>(v)] = lengths;
    return v;
  }
  // The segments of the space: every form.
  void add_space_desc() {
    std::vector<std::int64_t> lengths;
    const int form = below(4);
    if (form == 0) {
      lengths = {n_};
    } else if (form == 1 && n_ > 0) {
      std::int64_t k = 1 + below(40);
      while (n_ % k != 0) --k;
      lengths.assign(static_cast<std::size_t>(chance(50) ? k : n_ / k), 0);
      for (auto& l : lengths) l = n_ / static_cast<std::int64_t>(lengths.size());
    } else {
      lengths = random_lengths(n_);
    }
    const auto kind = form == 0             ? plan::DescForm::kOneSegment
                      : form == 1 && n_ > 0 ? plan::DescForm::kRegular
                                            : plan::DescForm::kIrregular;
    segments_ =
        form == 0 ? one_ : add_length(plan::LengthKind::kBound, static_cast<std::int64_t>(lengths.size()));
    desc_ = add_desc(segments_, space_, kind, lengths);
  }
  void add_inputs() {
    add_space_desc();
    for (const Storage s :
         {Storage::kI8, Storage::kI32, ints(), Storage::kF64, Storage::kF64, Storage::kB8}) {
      elements_.push_back(add_random_input(s, space_));
      uniforms_.push_back(add_random_input(s, one_));
      per_segment_.push_back(add_random_input(s, segments_));
    }
    // What segmented gathers read: segments of their own lengths, as many.
    std::vector<std::int64_t> lengths;
    std::int64_t total = 0;
    for (std::size_t i = 0; i < bindings_.descs[static_cast<std::size_t>(desc_)].size(); ++i) {
      lengths.push_back(1 + below(6));
      total += lengths.back();
    }
    bindings_.lengths[static_cast<std::size_t>(source_total_)] = total;
    source_desc_ =
        add_desc(segments_, source_total_,
                 segments_ == one_ ? plan::DescForm::kOneSegment : plan::DescForm::kIrregular, lengths);
    for (const Storage s : {Storage::kI8, Storage::kI32, ints(), Storage::kF64, Storage::kB8})
      sources_.push_back(add_random_input(s, source_total_));
    if (n_ > 0) place_ = add_permutation();
  }
  std::int32_t add_permutation() {
    const std::int32_t v = add_vector(plan::VarRole::kInput, Storage::kI32, space_);
    auto& x = bindings_.vectors[static_cast<std::size_t>(v)];
    for (std::int64_t i = 0; i < n_; ++i)
      x.push_back({static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n_)), 0});
    return v;
  }

  // ------------------------------------------------------------------------------------------ bodies

  std::int32_t add(Inst in) { return kernel_.body.add(in); }
  std::int32_t apply(Scalar op, Type type, std::int32_t a, std::int32_t b = kNone, std::int32_t c = kNone) {
    return kernel_.body.apply(op, type, a, b, c);
  }
  std::int32_t pull(Pull pull, std::int32_t var, std::int32_t desc = kNone) {
    Inst in;
    in.pull = pull;
    in.var = var;
    in.desc = desc;
    in.type = var == kNone ? Type::kInt : plan_.vars[static_cast<std::size_t>(var)].type;
    return add(in);
  }
  std::int32_t constant(Type type) {
    Inst in;
    in.type = type;
    if (type == Type::kFloat) in.real = random_real();
    if (std::isnan(in.real)) in.real = 1.5;  // equal bodies must compare equal
    if (type == Type::kInt) in.imm = random_int(ints());
    if (type == Type::kBool) in.imm = below(2);
    return add(in);
  }
  std::int32_t small(std::int64_t v) {
    Inst in;
    in.imm = v;
    return add(in);
  }
  Type type_at(std::int32_t v) const { return kernel_.body.insts[static_cast<std::size_t>(v)].type; }
  // A value of the body of this type; unless `any`, one that a scan or count may depend on.
  std::int32_t pick(Type type, bool any = false) {
    std::vector<std::int32_t> fit;
    for (std::size_t v = 0; v < kernel_.body.insts.size(); ++v)
      if (kernel_.body.insts[v].type == type &&
          (any || sweep_of(static_cast<std::int32_t>(v)) < plan::kMostSweeps))
        fit.push_back(static_cast<std::int32_t>(v));
    if (fit.empty()) return constant(type);
    return fit[static_cast<std::size_t>(below(static_cast<int>(fit.size())))];
  }
  // Scans in the longest chain that v depends on.
  std::int32_t sweep_of(std::int32_t v) const {
    if (v == kNone) return 0;
    const Inst& in = kernel_.body.insts[static_cast<std::size_t>(v)];
    if (in.pull == Pull::kScanned) return 1 + sweep_of(kernel_.sinks[static_cast<std::size_t>(in.a)].value);
    return std::max({sweep_of(in.a), sweep_of(in.b), sweep_of(in.c)});
  }
  template <typename V>
  auto any_of(const V& v) {
    return v[static_cast<std::size_t>(below(static_cast<int>(v.size())))];
  }

  void add_pull() {
    switch (below(8)) {
      case 0: constant(any_of(std::vector{Type::kInt, Type::kFloat, Type::kBool})); return;
      case 1: pull(Pull::kUniform, any_of(uniforms_)); return;
      case 2: pull(Pull::kIndex, kNone); return;
      case 3: pull(Pull::kPerSegment, any_of(per_segment_), desc_); return;
      case 4: pull(chance(50) ? Pull::kSegment : Pull::kWithin, kNone, desc_); return;
      case 5: return chance(20) ? add_check() : add_gather();
      default: pull(Pull::kElement, any_of(elements_)); return;
    }
  }
  // The index is taken modulo a power of two, so that it is inside or nearly; a flag may guard it.
  void add_gather() {
    const bool segmented = chance(50);
    Inst in;
    in.pull = segmented ? Pull::kSegGather : Pull::kGather;
    in.var = any_of(sources_);
    in.type = plan_.vars[static_cast<std::size_t>(in.var)].type;
    if (segmented) {
      in.desc = desc_;
      in.desc2 = source_desc_;
    }
    const bool risky = chance(3);
    const std::int64_t last = segmented ? 0 : bindings_.lengths[static_cast<std::size_t>(source_total_)] - 1;
    if (last < 0) return;
    std::int32_t index = apply(Scalar::kMax, Type::kInt, pick(Type::kInt), small(0));
    in.a = apply(Scalar::kMin, Type::kInt, index, small(risky ? last + 1 : last));
    if (chance(40)) in.b = pick(Type::kBool);
    add(in);
  }
  // Mostly of flags that are T behind the end only.
  void add_check() {
    Inst in;
    in.pull = Pull::kCheck;
    in.type = Type::kBool;
    const std::int32_t behind = apply(Scalar::kGe, Type::kBool, pull(Pull::kIndex, kNone), small(n_));
    in.a = chance(3) ? pick(Type::kBool) : apply(Scalar::kAnd, Type::kBool, pick(Type::kBool), behind);
    add(in);
  }
  void add_apply() {
    const auto op = static_cast<Scalar>(below(static_cast<int>(Scalar::kNoScalar)));
    const ScalarInfo& info = scalar_info(op);
    const Type word = any_of(std::vector{Type::kInt, Type::kFloat, Type::kBool});
    std::int32_t args[3] = {kNone, kNone, kNone};
    const bool logical = op == Scalar::kNot || op == Scalar::kAnd || op == Scalar::kOr || op == Scalar::kXor;
    Type t = word;
    if (logical && t == Type::kFloat) t = Type::kInt;
    if (!logical && op != Scalar::kSelect && t == Type::kBool) t = Type::kInt;
    const auto type_of_letter = [&](char c) {
      return c == 'I' ? Type::kInt : c == 'F' ? Type::kFloat : c == 'B' ? Type::kBool : t;
    };
    for (std::size_t i = 0; i < info.operands.size(); ++i)
      args[i] = pick(type_of_letter(info.operands[i]), true);
    const bool divides = info.traps && type_of_letter(info.operands[0]) == Type::kInt;
    if (divides && chance(95)) args[1] = apply(Scalar::kOr, Type::kInt, args[1], small(chance(50) ? 1 : 3));
    apply(op, type_of_letter(info.result), args[0], args[1], args[2]);
  }

  // ------------------------------------------------------------------------------------------- sinks

  plan::Sink sink(plan::SinkKind kind, std::int32_t value) {
    plan::Sink s;
    s.kind = kind;
    s.value = value;
    s.type = type_at(value);
    return s;
  }
  Scalar folding(Type type) {
    static constexpr Scalar kInt[] = {Scalar::kAdd, Scalar::kMul, Scalar::kMax, Scalar::kMin,
                                      Scalar::kAnd, Scalar::kOr,  Scalar::kXor};
    static constexpr Scalar kBool[] = {Scalar::kAnd, Scalar::kOr, Scalar::kXor};
    if (type == Type::kBool) return kBool[below(3)];
    return kInt[below(type == Type::kFloat ? 4 : 7)];
  }
  Type any_type() { return any_of(std::vector{Type::kInt, Type::kFloat, Type::kBool}); }
  Storage storage_for(Type type) {
    if (type == Type::kFloat) return Storage::kF64;
    if (type == Type::kBool) return Storage::kB8;
    return ints();
  }
  std::int32_t add_output(Type type, plan::LengthId length) {
    const auto role = chance(75) ? plan::VarRole::kOutput : plan::VarRole::kTemp;
    return add_vector(role, storage_for(type), length);
  }
  std::int32_t push(const plan::Sink& s) {
    kernel_.sinks.push_back(s);
    return static_cast<std::int32_t>(kernel_.sinks.size() - 1);
  }

  void add_scan() {
    plan::Sink s = sink(chance(50) ? plan::SinkKind::kScan : plan::SinkKind::kSegScan, pick(any_type()));
    s.combine = folding(s.type);
    if (s.kind == plan::SinkKind::kSegScan) s.desc = desc_;
    Inst in;
    in.pull = Pull::kScanned;
    in.type = s.type;
    in.a = push(s);
    add(in);
  }
  void add_count() {
    plan::Sink s = sink(plan::SinkKind::kCount, pick(Type::kBool));
    s.out_length = add_length(plan::LengthKind::kCounted, 0);
    if (chance(50)) {
      s.desc = desc_;
      plan::Var var;
      var.role = plan::VarRole::kOutput;
      var.is_desc = true;
      var.length = segments_;
      var.total = s.out_length;
      var.form = segments_ == one_ ? plan::DescForm::kOneSegment : plan::DescForm::kIrregular;
      s.out_desc = add_var(var);
    }
    counts_.push_back(push(s));
  }
  void add_sink() {
    const std::int32_t value = pick(any_type(), true);
    const bool filtered = !counts_.empty() && chance(40);
    const std::int32_t filter = filtered ? any_of(counts_) : kNone;
    switch (below(5)) {
      case 0:
      case 1: {
        plan::Sink s = sink(plan::SinkKind::kStore, value);
        s.filter = filter;
        const auto length = filtered ? kernel_.sinks[static_cast<std::size_t>(filter)].out_length : space_;
        s.out = add_output(s.type, length);
        push(s);
        if (!filtered) made_.push_back(s.out);
        return;
      }
      case 2: {
        plan::Sink s = sink(plan::SinkKind::kReduce, value);
        if (s.type == Type::kFloat) s.filter = filter;
        s.combine = folding(s.type);
        s.out = add_output(s.type, one_);
        push(s);
        made_scalars_.push_back(s.out);
        return;
      }
      case 3: {
        plan::Sink s = sink(plan::SinkKind::kSegReduce, value);
        s.combine = folding(s.type);
        s.desc = desc_;
        s.out = add_output(s.type, segments_);
        push(s);
        return;
      }
      default: return add_scatter(value);
    }
  }
  void add_scatter(std::int32_t value) {
    if (n_ == 0) return;
    plan::Sink s = sink(plan::SinkKind::kScatter, value);
    s.index = pull(Pull::kElement, place_);
    if (chance(40)) s.flag = pick(Type::kBool, true);
    if (chance(40))
      for (const std::int32_t v : elements_)
        if (plan_.vars[static_cast<std::size_t>(v)].type == s.type) s.init = v;
    s.out = add_output(s.type, space_);
    push(s);
  }

  MoveGenerator moves() {
    return {plan_, bindings_, more_, {space_, segments_, source_total_, desc_, source_desc_}};
  }
  // Behind everything else and from numbers of their own: seeds that stand in tests mean the same plans.
  void add_partitions() {
    std::vector<std::int32_t> inputs, flags;
    for (const std::int32_t v : elements_) {
      const plan::Var& var = plan_.vars[static_cast<std::size_t>(v)];
      if (var.role == plan::VarRole::kInput) inputs.push_back(v);
      if (var.role == plan::VarRole::kInput && var.storage == Storage::kB8) flags.push_back(v);
    }
    const auto one_of = [&](const auto& some) { return some[more_() % some.size()]; };
    for (plan::Kernel& k : plan_.kernels)
      if (k.space == space_ && more_() % 3 == 0)
        moves().add_partition(k, one_of(inputs), one_of(flags), kNone);
  }
  void add_kernel() {
    kernel_ = {};
    kernel_.space = space_;
    counts_.clear();
    made_.clear();
    made_scalars_.clear();
    for (int i = 3 + below(6); i > 0; --i) add_pull();
    for (int i = below(12); i > 0; --i) add_apply();
    for (int i = below(3); i > 0; --i) add_scan();
    if (chance(50)) add_count();
    for (int i = below(8); i > 0; --i) add_apply();
    for (int i = 1 + below(4); i > 0; --i) add_sink();
    if (kernel_.sinks.empty()) push_store();
    plan_.kernels.push_back(kernel_);
    for (const std::int32_t v : made_) elements_.push_back(v);
    for (const std::int32_t v : made_scalars_) uniforms_.push_back(v);
  }
  void push_store() {
    plan::Sink s = sink(plan::SinkKind::kStore, pick(any_type(), true));
    s.out = add_output(s.type, space_);
    push(s);
  }
  // Arithmetic on what reductions have left.
  void add_scalar_kernel() {
    kernel_ = {};
    kernel_.space = one_;
    counts_.clear();
    for (int i = 1 + below(4); i > 0; --i) pull(Pull::kElement, any_of(uniforms_));
    for (int i = below(8); i > 0; --i) add_apply();
    plan::Sink s = sink(plan::SinkKind::kStore, pick(any_type(), true));
    s.out = add_vector(plan::VarRole::kOutput, storage_for(s.type), one_);
    push(s);
    plan_.kernels.push_back(kernel_);
  }

  std::mt19937_64 random_;
  std::mt19937_64 more_;
  std::int64_t n_;
  bool of_each_;
  plan::Plan plan_;
  Bindings bindings_;
  plan::Kernel kernel_;
  plan::LengthId one_ = 0, space_ = 0, segments_ = 0, source_total_ = 0;
  std::int32_t desc_ = 0, source_desc_ = 0, place_ = kNone;
  std::vector<std::int32_t> elements_, uniforms_, per_segment_, sources_, counts_, made_, made_scalars_;
};

}  // namespace nvm::testing
