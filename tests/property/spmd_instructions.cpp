// Every instruction on several ranks gives the bits that its primitive gives, and its fault: on lengths at
// which primitives change, on segments of every shape, on values whose order shows, however they are cut.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "tests/property/gen_segdes.h"
#include "tests/support/on_ranks.h"
#include "vm/interp/elements.h"

namespace nvm {
namespace {

using testing::below;
using testing::Rng;
using Lengths = std::vector<std::int64_t>;

std::int64_t sum(const Lengths& lengths) {
  std::int64_t all = 0;
  for (const std::int64_t n : lengths) all += n;
  return all;
}

// Operands of an instruction by its row of the table. Indices are those of their segments, but for one in
// some cases.
class Operands {
 public:
  Operands(const OpInfo& info, TypeWord word, vm::Pool& pool, Rng& rng, bool wrong)
      : info_(info), word_(word), pool_(pool), rng_(rng), wrong_(wrong) {
    const Shape& shape = op_shape(info.op);
    lengths_['1'] = 1;
    for (int i = 0; i < shape.operands; ++i)
      if (info.operands[static_cast<std::size_t>(i)] == 'S') describe(shape.terms[i]);
    for (int i = 0; i < shape.operands; ++i) values.push_back(make(i, shape.terms[i]));
    if (wrong_ && below(rng, 4) == 0 && !values.empty()) shorten();
  }

  // A vector loses or gains its last element, a descriptor a segment, or its last segment an element.
  void put_off_by_one(std::size_t i) {
    const std::int64_t by = below(rng_, 2) == 0 ? 1 : -1;
    if (const auto* s = std::get_if<vm::Segdes>(&values[i])) {
      values[i] = off_by_one(*s, by);
      return;
    }
    const auto& v = std::get<vm::Vector>(values[i]);
    const std::int64_t n = v.length();
    values[i] = by < 0 && n > 0 ? v.first(n - 1) : longer(v);
  }

  std::vector<vm::Value> values;

 private:
  vm::Segdes off_by_one(const vm::Segdes& s, std::int64_t by) {
    Lengths lengths;
    for (std::int64_t k = 0; k < s.segments(); ++k) lengths.push_back(s.length(k));
    const bool segments = lengths.empty() || below(rng_, 2) == 0;
    if (segments && by < 0 && !lengths.empty())
      lengths.pop_back();
    else if (segments)
      lengths.push_back(below(rng_, 2));
    else
      lengths.back() = std::max<std::int64_t>(lengths.back() + by, 0);
    return vm::make_segdes(pool_, lengths, IntBits::k64);
  }
  vm::Value longer(const vm::Vector& v) {
    const std::int64_t n = v.length() + 1;
    if (v.type() == Type::kFloat) return vm::make_floats(pool_, std::vector<double>(n, 1));
    if (v.type() == Type::kBool) return vm::make_bools(pool_, std::vector<std::uint8_t>(n, 1));
    return vm::make_ints(pool_, Lengths(n, 1), IntBits::k64);
  }
  void describe(const ShapeTerm& term) {
    Lengths s;
    if (segments_.empty() || below(rng_, 2) == 0)
      s = testing::gen_lengths(static_cast<testing::SegShape>(below(rng_, testing::kSegShapes)), rng_);
    if (!segments_.empty()) {
      s.resize(segments_[0].size(), 3);
      for (std::size_t k = 0; k < s.size(); ++k)
        if (segments_[0][k] == 0 && !wrong_) s[k] = 0;
      if (scatters(info_.op))
        for (std::size_t k = 0; k < s.size(); ++k)
          if (s[k] == 0 && segments_[0][k] > 0 && !wrong_) s[k] = 2;
    }
    lengths_[term.length] = static_cast<std::int64_t>(s.size());
    lengths_[term.total] = sum(s);
    segments_.push_back(std::move(s));
  }
  vm::Value make(int i, const ShapeTerm& term) {
    const char letter = info_.operands[static_cast<std::size_t>(i)];
    if (letter == 'S') return vm::make_segdes(pool_, segments_[described_++], IntBits::k64);
    if (lengths_.find(term.length) == lengths_.end())
      lengths_[term.length] = below(rng_, 3) == 0 ? below(rng_, 40) : 3 * testing::threshold(rng_);
    const std::int64_t n = lengths_[term.length];
    const bool index = i == 1 && info_.effect == Effect::kFaults && info_.kind != OpKind::kMap;
    if (index) return indices(n);
    const Type type = letter_type(letter, word_);
    if (type == Type::kFloat) return floats(n);
    return type == Type::kBool ? bools(n) : ints(n);
  }
  vm::Value floats(std::int64_t n) {
    constexpr double kAny[] = {0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 1e-300};
    const bool special = below(rng_, 3) == 0;
    std::vector<double> x;
    for (std::int64_t i = 0; i < n; ++i) {
      x.push_back(static_cast<double>(below(rng_, 2001) - 1000) / 7);
      if (special && below(rng_, 4) == 0) x.back() = kAny[below(rng_, 7)];
      if (special && below(rng_, 50) == 0) x.back() = std::numeric_limits<double>::quiet_NaN();
    }
    return vm::make_floats(pool_, x);
  }
  vm::Value bools(std::int64_t n) {
    std::vector<std::uint8_t> x;
    for (std::int64_t i = 0; i < n; ++i) x.push_back(below(rng_, 3) != 0);
    return vm::make_bools(pool_, x);
  }
  vm::Value ints(std::int64_t n) {
    const std::int64_t most = below(rng_, 2) == 0 ? 100 : std::int64_t{1} << 50;
    std::vector<std::int64_t> x;
    for (std::int64_t i = 0; i < n; ++i) x.push_back(1 + below(rng_, most));
    if (wrong_ && n > 0) x[static_cast<std::size_t>(below(rng_, n))] = 0;
    if (info_.op == Op::kMakeSegdes)
      for (std::int64_t& length : x) length %= 50;
    return vm::make_ints(pool_, x, IntBits::k64);
  }
  vm::Value indices(std::int64_t n) {
    const bool sends = scatters(info_.op);
    const Lengths& stand = sends || segments_.size() == 1 ? segments_[0] : segments_.back();
    const Lengths& count = sends ? segments_.back() : segments_[0];
    const bool one = info_.kind == OpKind::kExtract || info_.kind == OpKind::kReplace;
    std::vector<std::int64_t> x;
    for (std::size_t k = 0; k < stand.size(); ++k)
      for (std::int64_t i = 0; i < (one ? 1 : stand[k]); ++i)
        x.push_back(below(rng_, std::max<std::int64_t>(count[k], 1)));
    if (wrong_ && !x.empty()) x[static_cast<std::size_t>(below(rng_, n))] = -1;
    return vm::make_ints(pool_, x, IntBits::k64);
  }
  void shorten() {
    if (auto* v = std::get_if<vm::Vector>(&values.back()); v != nullptr && v->length() > 0)
      *v = v->first(v->length() - 1);
  }

  const OpInfo& info_;
  TypeWord word_;
  vm::Pool& pool_;
  Rng& rng_;
  bool wrong_;
  std::map<char, std::int64_t> lengths_;
  std::vector<Lengths> segments_;
  std::size_t described_ = 0;
};

struct End {
  std::vector<vm::Value> results;
  std::string fault;
};

End alone(const ssa::Inst& inst, vm::PrimContext context, std::vector<vm::Value> operands) {
  End end;
  end.results.resize(inst.results);
  const auto random = vm::make_random(vm::RandomKind::kPhilox);
  context.random = random.get();
  try {
    vm::run_primitive(context, inst.op, inst.word, operands, end.results);
  } catch (const vm::Fault& fault) {
    end.fault = fault.message;
  }
  return end;
}

// Operands that are long are cut anywhere first, or all ranks have them whole.
End on_rank(ranks::Ranks& carrier, const ssa::Module& module, vm::PrimContext context,
            const vm::spmd::Settings& settings, std::vector<vm::Value> operands, std::uint64_t seed) {
  const ssa::Inst& inst = module.functions[0].blocks[0].insts[0];
  End end;
  end.results.resize(inst.results);
  const auto random = vm::make_random(vm::RandomKind::kPhilox);
  context.random = random.get();
  vm::spmd::Exchange exchange(carrier, module, nullptr);
  vm::spmd::Hook hook(exchange, context, settings);
  try {
    Rng rng(seed);
    for (vm::Value& value : operands) {
      const auto* v = std::get_if<vm::Vector>(&value);
      if (v == nullptr || v->length() < settings.spread || below(rng, 3) == 0) continue;
      const auto cut =
          std::make_shared<const vm::spmd::Cut>(test::any_cut(rng())(v->length(), carrier.size()));
      const int r = carrier.rank();
      value = std::make_shared<const vm::Distributed>(
          vm::Distributed{v->type(), cut, v->part(cut->begin(r), cut->length(r)), {}});
    }
    if (!hook.offer(inst, {}, operands, end.results))
      vm::run_primitive(context, inst.op, inst.word, operands, end.results);
    hook.finish();
    for (vm::Value& value : end.results) hook.force(value);
  } catch (const vm::Fault& fault) {
    end.fault = fault.message;
    if (vm::spmd::strikes_one(fault.kind)) carrier.abort(1, fault.message);
  }
  return end;
}

// Of these operands one may be off by one.
void same_on_ranks(Op op, TypeWord word, std::uint64_t seed, std::optional<std::size_t> off = {}) {
  Rng rng(seed);
  vm::Pool pool;
  ssa::Module module;
  module.functions.resize(1);
  module.functions[0].blocks.resize(1);
  ssa::Inst inst;
  inst.op = op;
  inst.word = word;
  inst.results = static_cast<std::uint32_t>(op_info(op).results.size());
  module.functions[0].blocks[0].insts.push_back(inst);
  Operands operands(op_info(op), word, pool, rng, below(rng, 8) == 0);
  if (off) operands.put_off_by_one(*off);
  vm::PrimContext context;
  context.pool = &pool;
  context.prefix_lengths = off && below(rng, 4) == 0;
  const End expected = alone(inst, context, operands.values);
  vm::spmd::Settings settings;
  settings.spread = 1 + below(rng, 3) * 20;
  settings.cutter = below(rng, 3) == 0 ? vm::spmd::Cutter(vm::spmd::Cut::even) : test::any_cut(rng());
  settings.gathered = below(rng, 2) == 0 ? 0 : 1 << 20;
  const int n = 1 + static_cast<int>(below(rng, 5));
  std::vector<End> ends(static_cast<std::size_t>(n));
  const std::uint64_t cuts = rng();
  const auto carriers = ranks::thread_ranks(n);
  std::vector<std::thread> threads;
  for (std::size_t r = 0; r < ends.size(); ++r)
    threads.emplace_back(
        [&, r] { ends[r] = on_rank(*carriers[r], module, context, settings, operands.values, cuts); });
  for (std::thread& thread : threads) thread.join();
  INFO("seed " << seed << ", " << n << " ranks");
  for (const End& end : ends) {
    CHECK(end.fault == expected.fault);
    if (!end.fault.empty() || !expected.fault.empty()) continue;
    for (std::size_t i = 0; i < end.results.size(); ++i)
      CHECK(vm::difference(expected.results[i], end.results[i]) == "");
  }
}

// f(info, word, times) of every primitive, on each type that it has.
template <typename F>
void each_primitive(F f) {
  for (const OpInfo& info : all_ops())
    for (int w = 0; w < 6; ++w) {
      const auto word = static_cast<TypeWord>(w);
      if (!word_allowed(info.op, word) || vm::find_primitive(info.op, word) == nullptr) continue;
      INFO(info.text << " " << type_word_text(word));
      f(info, word, info.kind == OpKind::kMap ? 2 : 12);
    }
}

}  // namespace

TEST_CASE("every instruction on ranks, cut anywhere") {
  const std::uint64_t seed = Catch::rngSeed() * 1000003ULL;
  std::uint64_t tried = 0;
  each_primitive([&](const OpInfo& info, TypeWord word, int times) {
    for (; times > 0; --times) same_on_ranks(info.op, word, seed + tried++);
  });
  CHECK(tried > 500);
}

TEST_CASE("every instruction on ranks with an operand that is off by one") {
  const std::uint64_t seed = Catch::rngSeed() * 1000003ULL;
  std::uint64_t tried = 0;
  each_primitive([&](const OpInfo& info, TypeWord word, int times) {
    for (std::size_t i = 0; i < info.operands.size(); ++i)
      for (int t = 0; t < times; ++t) same_on_ranks(info.op, word, seed + tried++, i);
  });
  CHECK(tried > 1500);
}

}  // namespace nvm
