// Every primitive against the naive model: all segment shapes, storages and extreme values, on each
// instruction set of this machine, one and two threads, 32 and 64 bits; and all of these agree to the last
// bit.
#include <rapidcheck.h>

#include <bit>
#include <catch2/catch.hpp>
#include <limits>

#include "bytecode/table/op_kind.h"
#include "tests/property/gen_segdes.h"
#include "tests/property/naive.h"
#include "vm/prims/prims.h"

namespace nvm::testing {
namespace {

using vm::Isa;
using vm::PrimContext;
using vm::Segdes;
using vm::Value;
using vm::Vector;

std::int64_t gen_int(Rng& rng, IntBits bits) {
  // The extremes of each storage width, and one beyond.
  static constexpr std::int64_t kExtremes[] = {0,
                                               1,
                                               -1,
                                               127,
                                               128,
                                               -128,
                                               -129,
                                               32767,
                                               INT32_MAX,
                                               INT32_MIN,
                                               INT32_MAX + std::int64_t{1},
                                               INT32_MIN - std::int64_t{1},
                                               INT64_MAX,
                                               INT64_MIN,
                                               std::int64_t{1} << 53};
  std::int64_t x = 0;
  switch (below(rng, 4)) {
    case 0: x = kExtremes[below(rng, std::size(kExtremes))]; break;
    case 1: x = static_cast<std::int64_t>(rng()); break;
    default: x = below(rng, 41) - 20;
  }
  return bits == IntBits::k32 ? static_cast<std::int32_t>(x) : x;
}

double gen_float(Rng& rng) {
  static const double kExtremes[] = {0.0,
                                     -0.0,
                                     1.0,
                                     -1.0,
                                     0.5,
                                     -0.5,
                                     2.5,
                                     -2.5,
                                     1e36,
                                     -1e37,
                                     std::numeric_limits<double>::quiet_NaN(),
                                     -std::numeric_limits<double>::quiet_NaN(),
                                     std::numeric_limits<double>::infinity(),
                                     -std::numeric_limits<double>::infinity(),
                                     std::numeric_limits<double>::max(),
                                     5e-324,
                                     -1e-310,
                                     2147483647.5,
                                     -2147483648.9,
                                     9223372036854775807.0,
                                     0.49999999999999994};
  switch (below(rng, 8)) {
    case 0: return kExtremes[below(rng, std::size(kExtremes))];
    case 1: return static_cast<double>(below(rng, 9) - 4);
    default:
      return std::ldexp(static_cast<double>(static_cast<std::int64_t>(rng())),
                        static_cast<int>(below(rng, 24)) - 70);
  }
}

struct Case {
  Op op;
  TypeWord word;
  IntBits bits;
  std::vector<NaiveValue> in;
};

NaiveVector gen_vector(Type type, std::int64_t n, Rng& rng, IntBits bits) {
  NaiveVector v;
  v.type = type;
  const bool tame = below(rng, 3) != 0;  // small values alone, so that narrow storages and equal keys occur
  for (std::int64_t i = 0; i < n; ++i) {
    if (type == Type::kFloat)
      v.floats.push_back(tame ? static_cast<double>(below(rng, 200)) / 8 - 12 : gen_float(rng));
    else if (type == Type::kBool)
      v.ints.push_back(below(rng, 2));
    else
      v.ints.push_back(tame ? below(rng, 201) - 100 : gen_int(rng, bits));
  }
  return v;
}

// Indices into segments `to` for each of `count[k]` positions; a few wild ones if `wild`.
NaiveVector gen_indices(const Lengths& to, const Lengths& count, bool wild, Rng& rng) {
  NaiveVector v;
  const int order = static_cast<int>(below(rng, 3));
  for (std::size_t k = 0; k < count.size(); ++k) {
    for (std::int64_t j = 0; j < count[k]; ++j) {
      std::int64_t i = to[k] == 0   ? 0
                       : order == 0 ? j % to[k]
                       : order == 1 ? to[k] - 1 - j % to[k]
                                    : below(rng, to[k]);
      if (wild && below(rng, 50) == 0) i = below(rng, 2) == 0 ? to[k] : -1 - below(rng, 5);
      v.ints.push_back(i);
    }
  }
  return v;
}

Lengths ones(std::size_t k) { return Lengths(k, 1); }

Case gen_case(Op op, TypeWord word, IntBits bits, SegShape shape, Rng& rng) {
  const OpInfo& info = op_info(op);
  Case c{op, word, bits, {}};
  const Lengths first = gen_lengths(shape, rng);
  Lengths second;  // another descriptor of as many segments, empty only where it must be
  const bool copy = below(rng, 3) == 0;
  for (const std::int64_t n : first)
    second.push_back(copy ? n : n == 0 ? below(rng, 3) : 1 + below(rng, 2 * n));
  const bool gathers = info.kind == OpKind::kGather;
  if (gathers) {  // nothing can be gathered from an empty segment
    Lengths source = second;
    second = first;
    return [&] {
      const NaiveVector v =
          gen_vector(type_of(word), static_cast<std::int64_t>(Naive::total(source)), rng, bits);
      const NaiveVector i = gen_indices(source, second, below(rng, 6) == 0, rng);
      c.in = {v, i};
      if (op == Op::kBfpermute)
        c.in.emplace_back(gen_vector(Type::kBool, static_cast<std::int64_t>(i.size()), rng, bits));
      c.in.emplace_back(source);
      c.in.emplace_back(second);
      return c;
    }();
  }
  const auto n = static_cast<std::int64_t>(Naive::total(first));
  const auto m = static_cast<std::int64_t>(Naive::total(second));
  const auto k = static_cast<std::int64_t>(first.size());
  const bool wild = below(rng, 6) == 0;
  int descriptors = 0;
  for (std::size_t i = 0; i < info.operands.size(); ++i) {
    const char letter = info.operands[i];
    const ShapeTerm term = op_shape(op).terms[i];
    if (letter == 'S') {
      c.in.emplace_back(descriptors++ == 0 ? first : second);
      continue;
    }
    const std::int64_t length = term.length == 'k' ? k : term.length == 'm' ? m : n;
    if (op == Op::kPermute && i == 1)
      c.in.emplace_back(gen_indices(first, first, wild, rng));
    else if (scatters(op) && i == 1)
      c.in.emplace_back(gen_indices(second, first, wild, rng));
    else if ((op == Op::kExtract || op == Op::kReplace) && i == 1)
      c.in.emplace_back(gen_indices(first, ones(first.size()), wild, rng));
    else if (op == Op::kMakeSegdes)
      c.in.emplace_back(NaiveVector{Type::kInt, first, {}});
    else
      c.in.emplace_back(gen_vector(letter_type(letter, word), length, rng, bits));
  }
  if (info.scalar == Scalar::kDiv || info.scalar == Scalar::kRem) {
    auto& b = std::get<NaiveVector>(c.in[1]);
    if (!wild)
      for (auto& x : b.ints) x = x == 0 || x == -1 ? 3 : x;
  }
  return c;
}

Vector to_vector(const NaiveVector& v, vm::Pool& pool, IntBits bits, Rng& rng) {
  if (v.type == Type::kFloat) return vm::float_vector(pool, v.floats);
  if (v.type == Type::kBool) {
    if (v.ints.size() == 1) return Vector::of_bool(v.ints[0] != 0);
    Vector b = pool.vector(Storage::kB8, static_cast<std::int64_t>(v.ints.size()));
    for (std::size_t i = 0; i < v.ints.size(); ++i)
      b.mutable_data<std::uint8_t>()[i] = static_cast<std::uint8_t>(v.ints[i]);
    return b;
  }
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (const std::int64_t x : v.ints) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
  Storage storage = bits == IntBits::k32 ? Storage::kI32 : Storage::kI64;
  if (low >= INT32_MIN && high <= INT32_MAX && below(rng, 2) == 0) storage = Storage::kI32;
  if (low >= INT8_MIN && high <= INT8_MAX && below(rng, 2) == 0) storage = Storage::kI8;
  return vm::int_vector(pool, v.ints, storage);
}

Value to_value(const NaiveValue& v, vm::Pool& pool, IntBits bits, Rng& rng) {
  if (const auto* x = std::get_if<NaiveVector>(&v)) return to_vector(*x, pool, bits, rng);
  const Lengths& lengths = std::get<Lengths>(v);
  std::int64_t total = 0;
  for (const std::int64_t n : lengths) total += n;
  return Segdes::from_lengths(vm::int_vector(pool, lengths), total);
}

NaiveValue from_value(const Value& v, vm::Pool& pool) {
  if (const auto* s = std::get_if<Segdes>(&v)) {
    const Vector lengths = s->lengths(pool);
    Lengths out;
    std::int64_t total = 0;
    for (std::int64_t k = 0; k < lengths.length(); ++k) {
      RC_ASSERT(s->offset(k) == total);
      RC_ASSERT(s->length(k) == lengths.int_at(k));
      out.push_back(lengths.int_at(k));
      total += out.back();
    }
    RC_ASSERT(total == s->total());
    return out;
  }
  const auto& x = std::get<Vector>(v);
  NaiveVector out;
  out.type = x.type();
  for (std::int64_t i = 0; i < x.length(); ++i) {
    if (out.type == Type::kFloat)
      out.floats.push_back(x.float_at(i));
    else if (out.type == Type::kBool)
      out.ints.push_back(x.bool_at(i) ? 1 : 0);
    else
      out.ints.push_back(x.int_at(i));
  }
  return out;
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
// 1 ulp on either side of the truth, so 2 between two implementations.
bool close(double a, double b) {
  if (same_bits(a, b)) return true;
  const double up = std::nextafter(b, std::numeric_limits<double>::infinity());
  const double down = std::nextafter(b, -std::numeric_limits<double>::infinity());
  return a >= std::nextafter(down, -std::numeric_limits<double>::infinity()) &&
         a <= std::nextafter(up, std::numeric_limits<double>::infinity());
}

bool is_function(Scalar s) { return s >= Scalar::kLog && s <= Scalar::kTanh && s != Scalar::kSqrt; }

void compare(const NaiveValue& got, const NaiveValue& want, bool approximately) {
  RC_ASSERT(got.index() == want.index());
  if (const auto* lengths = std::get_if<Lengths>(&want)) {
    RC_ASSERT(std::get<Lengths>(got) == *lengths);
    return;
  }
  const auto& g = std::get<NaiveVector>(got);
  const auto& w = std::get<NaiveVector>(want);
  RC_ASSERT(g.type == w.type);
  RC_ASSERT(g.ints == w.ints);
  RC_ASSERT(g.floats.size() == w.floats.size());
  for (std::size_t i = 0; i < w.floats.size(); ++i) {
    const bool agree = approximately ? close(g.floats[i], w.floats[i]) : same_bits(g.floats[i], w.floats[i]);
    if (!agree)
      RC_FAIL("element " + std::to_string(i) + ": " + std::to_string(g.floats[i]) + " for " +
              std::to_string(w.floats[i]));
    // The sign of a NaN that a function makes is printed.
    if (approximately && std::isnan(w.floats[i]))
      RC_ASSERT(std::signbit(g.floats[i]) == std::signbit(w.floats[i]));
  }
}

std::optional<std::vector<NaiveValue>> run_real(const Case& c, const PrimContext& context,
                                                std::uint64_t seed) {
  Rng rng(seed);
  std::vector<Value> operands;
  for (const NaiveValue& v : c.in) operands.push_back(to_value(v, *context.pool, c.bits, rng));
  std::vector<Value> held;  // some operands are shared, so that nothing may overwrite them
  std::vector<NaiveValue> before;
  for (const Value& v : operands)
    if (below(rng, 3) == 0) {
      held.push_back(v);
      before.push_back(from_value(v, *context.pool));
    }
  std::vector<Value> results(op_info(c.op).results.size());
  try {
    vm::run_primitive(context, c.op, c.word, operands, results);
  } catch (const vm::Fault&) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < held.size(); ++i) compare(from_value(held[i], *context.pool), before[i], false);
  std::vector<NaiveValue> out;
  for (const Value& v : results) out.push_back(from_value(v, *context.pool));
  return out;
}

// One generated case on every configuration.
void check_case(const Case& c, vm::Pool& pool, std::uint64_t seed) {
  std::optional<std::vector<NaiveValue>> want;
  try {
    want = Naive{c.op, c.word, c.bits, c.in}.run();
  } catch (const NaiveFault&) {
    want.reset();
  }
  std::optional<std::vector<NaiveValue>> first;
  for (int isa = 0; isa <= static_cast<int>(vm::best_isa()); ++isa) {
    for (const int threads : {1, 2}) {
      PrimContext context;
      context.pool = &pool;
      context.int_bits = c.bits;
      context.isa = static_cast<Isa>(isa);
      context.threads = threads;
      context.grain = threads == 1 ? 1 << 15 : 100;  // many small chunks
      const auto got = run_real(c, context, seed);
      RC_ASSERT(got.has_value() == want.has_value());
      if (!got) continue;
      for (std::size_t i = 0; i < want->size(); ++i) {
        compare((*got)[i], (*want)[i], is_function(op_info(c.op).scalar));
        if (first) compare((*got)[i], (*first)[i], false);
      }
      if (!first) first = got;
    }
  }
}

void check_op(Op op, TypeWord word) {
  vm::Pool pool;
  const std::string name = std::string(op_info(op).text) + " " + std::string(type_word_text(word));
  const bool ok = rc::check(name, [&] {
    const auto bits = *rc::gen::element(IntBits::k32, IntBits::k64);
    const auto shape = static_cast<SegShape>(*rc::gen::inRange(0, kSegShapes));
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    Rng rng(seed);
    check_case(gen_case(op, word, bits, shape, rng), pool, seed);
  });
  CHECK(ok);
}

void check_kinds(std::initializer_list<OpKind> kinds) {
  for (const OpInfo& info : all_ops()) {
    if (std::find(kinds.begin(), kinds.end(), info.kind) == kinds.end()) continue;
    for (int w = 0; w <= static_cast<int>(TypeWord::kChar); ++w)
      if (word_allowed(info.op, static_cast<TypeWord>(w))) check_op(info.op, static_cast<TypeWord>(w));
  }
}

TEST_CASE("elementwise instructions compute what the model computes") { check_kinds({OpKind::kMap}); }
TEST_CASE("reductions and scans combine in the documented order") {
  check_kinds({OpKind::kReduce, OpKind::kScan});
}
TEST_CASE("combining scatters take their values in order") { check_kinds({OpKind::kCombine}); }
TEST_CASE("data movement agrees with the model and rejects what it rejects") {
  check_kinds({OpKind::kScatter, OpKind::kGather, OpKind::kExtract, OpKind::kReplace, OpKind::kDist,
               OpKind::kIota, OpKind::kFilter, OpKind::kShape});
}
TEST_CASE("ranks are stable and ordered as the model orders") { check_kinds({OpKind::kRank}); }

}  // namespace
}  // namespace nvm::testing
