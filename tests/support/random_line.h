// Random straight lines of vector instructions that are legal by construction: a second list of values is
// computed eagerly along the way, so that every operand can be chosen to fit. Data are numbers of every
// magnitude; lengths and indices are chosen among vectors that are small.
#pragma once

#include <functional>
#include <random>
#include <vector>

#include "tests/property/gen_segdes.h"
#include "tests/support/any_numbers.h"
#include "vm/prims/prims.h"

namespace nvm::testing {

using vm::Value;
using vm::Vector;

// One step: an instruction and the numbers of its operands among the values so far.
struct LineStep {
  Op op = Op::kAdd;
  TypeWord word = TypeWord::kNone;
  std::vector<std::size_t> operands;
};

class RandomLine {
 public:
  RandomLine(const vm::PrimContext& context, std::uint64_t seed) : context_(context), rng_(seed) {}

  // Starts with a few vectors over one random descriptor; their eager values are in values().
  void start() {
    const auto shape = static_cast<SegShape>(below(rng_, kSegShapes));
    const std::vector<std::int64_t> lengths = gen_lengths(shape, rng_);
    std::int64_t total = 0;
    for (const std::int64_t n : lengths) total += n;
    add(vm::Segdes::from_lengths(ints(lengths, wide()), total));
    add(vm::Segdes::regular(1, total));
    const auto segments = static_cast<std::int64_t>(lengths.size());
    add(small_ints(total, wide()));
    add(small_ints(total, Storage::kI8));
    add(small_ints(segments, wide()));
    for (int i = 0; i < 2; ++i) add(random_ints(total));
    for (int i = 0; i < 2; ++i) add(random_floats(total));
    add(random_bools(total));
    add(random_ints(segments));
    add(random_floats(segments));
    add(Vector::of_int(below(rng_, 9) - 4));
    add(Vector::of_int(test::any_int(bits(), context_.int_bits)));
    add(Vector::of_float(test::any_float(bits())));
  }

  [[nodiscard]] const std::vector<Value>& values() const { return values_; }

  // A random legal step, executed eagerly; false if none was found this time. Its results are appended to
  // values().
  bool step(LineStep& out) {
    const auto ops = all_ops();
    const OpInfo& info = ops[static_cast<std::size_t>(below(rng_, static_cast<std::int64_t>(ops.size())))];
    if (!wanted(info)) return false;
    out.op = info.op;
    out.word = word_for(info);
    if (!word_allowed(info.op, out.word)) return false;
    // Ranks tell NaNs by their signs, which an operation on two of them may take from either.
    if (info.kind == OpKind::kRank && out.word == TypeWord::kFloat) return false;
    if (!choose(info, out)) return false;
    std::vector<Value> operands;
    for (const std::size_t i : out.operands) operands.push_back(values_[i]);
    std::vector<Value> results(info.results.size());
    try {
      vm::run_primitive(context_, out.op, out.word, operands, results);
    } catch (const vm::Fault&) {
      return false;  // an index out of range, a division by zero: legal, but not for this line
    }
    for (Value& r : results) add(std::move(r));
    return true;
  }

 private:
  [[nodiscard]] bool wanted(const OpInfo& info) {
    switch (info.kind) {
      case OpKind::kBlock:
      case OpKind::kControl:
      case OpKind::kHost: return false;
      case OpKind::kRandom: return context_.random != nullptr;
      case OpKind::kCombine: return below(rng_, 7) == 0;  // seven that no line goes on behind
      default: return true;
    }
  }

  // Is operand i of these a length or an index?
  static bool must_be_small(const OpInfo& info, std::size_t i) {
    switch (info.kind) {
      case OpKind::kScatter:
      case OpKind::kCombine:
      case OpKind::kGather:
      case OpKind::kExtract:
      case OpKind::kReplace: return i == 1;
      default: return info.op == Op::kMakeSegdes;
    }
  }
  static bool is_small(const Value& v) {
    const auto& x = std::get<Vector>(v);
    for (std::int64_t i = 0; i < x.length(); ++i)
      if (x.int_at(i) < -5 || x.int_at(i) > 10000) return false;
    return true;
  }

  TypeWord word_for(const OpInfo& info) {
    if (info.words == Words::kNoWord) return TypeWord::kNone;
    static constexpr TypeWord kWords[] = {TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool};
    return kWords[below(rng_, 3)];
  }

  static bool is(const Value& v, Type type) {
    if (const auto* x = std::get_if<Vector>(&v)) return x->type() == type;
    return type == Type::kSegdes && std::holds_alternative<vm::Segdes>(v);
  }

  // Fills in operands that fit the shape column, trying random values of the right kind.
  bool choose(const OpInfo& info, LineStep& out) {
    const Shape& shape = op_shape(info.op);
    std::int64_t known[128];
    std::fill(std::begin(known), std::end(known), -1);
    known[static_cast<std::size_t>('1')] = 1;
    out.operands.assign(info.operands.size(), 0);
    for (std::size_t i = info.operands.size(); i-- > 0;) {
      const Type type = letter_type(info.operands[i], out.word);
      bool found = false;
      for (int attempt = 0; attempt < 40 && !found; ++attempt) {
        const auto at = static_cast<std::size_t>(below(rng_, static_cast<std::int64_t>(values_.size())));
        if (!is(values_[at], type) || (must_be_small(info, i) && !is_small(values_[at])) ||
            !fits(values_[at], shape.terms[i], known))
          continue;
        out.operands[i] = at;
        found = true;
      }
      if (!found) return false;
    }
    return true;
  }

  static bool bind(char letter, std::int64_t n, std::int64_t* known) {
    if (letter == 0 || letter == '_') return true;
    std::int64_t& k = known[static_cast<std::size_t>(letter)];
    if (k < 0) k = n;
    return k == n;
  }

  static bool fits(const Value& v, const ShapeTerm& term, std::int64_t* known) {
    std::int64_t trial[128];
    std::copy(known, known + 128, trial);
    bool ok = false;
    if (const auto* x = std::get_if<Vector>(&v))
      ok = bind(term.length, x->length(), trial);
    else if (const auto* s = std::get_if<vm::Segdes>(&v))
      ok = bind(term.length, s->segments(), trial) && bind(term.total, s->total(), trial);
    if (ok) std::copy(trial, trial + 128, known);
    return ok;
  }

  // The widest storage of the run's INT.
  [[nodiscard]] Storage wide() const {
    return context_.int_bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
  }

  void add(Value v) { values_.push_back(std::move(v)); }

  Vector ints(const std::vector<std::int64_t>& v, Storage storage) {
    return vm::int_vector(*context_.pool, v, storage);
  }
  std::function<std::uint64_t()> bits() {
    return [this] { return rng_(); };
  }
  Vector small_ints(std::int64_t n, Storage storage) {
    std::vector<std::int64_t> v(static_cast<std::size_t>(n));
    for (std::int64_t& x : v) x = below(rng_, 21) - 5;
    return ints(v, storage);
  }
  Vector random_ints(std::int64_t n) {
    std::vector<std::int64_t> v(static_cast<std::size_t>(n));
    for (std::int64_t& x : v) x = test::any_int(bits(), context_.int_bits);
    return ints(v, wide());
  }
  Vector random_floats(std::int64_t n) {
    std::vector<double> v(static_cast<std::size_t>(n));
    for (double& x : v) x = test::any_float(bits());
    return vm::float_vector(*context_.pool, v);
  }
  Vector random_bools(std::int64_t n) {
    Vector v = small_ints(n, wide());
    Value operands[1] = {std::move(v)};
    Value results[1];
    vm::run_primitive(context_, Op::kItoB, TypeWord::kNone, operands, results);
    return std::get<Vector>(results[0]);
  }

  const vm::PrimContext& context_;
  Rng rng_;
  std::vector<Value> values_;
};

}  // namespace nvm::testing
