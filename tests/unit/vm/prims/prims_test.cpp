// What the property tests do not see: messages, storages of results, memory taken over, random numbers, and
// that every instruction of the table has a primitive.
#include "vm/prims/prims.h"
#include "tests/support/division_cases.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace nvm::vm {
namespace {

using enum Op;
using Ints = std::vector<std::int64_t>;

struct Machine {
  Pool pool;
  PrimContext context;
  Machine() {
    context.pool = &pool;
    context.isa = best_isa();
  }
  Vector ints(const Ints& x, Storage s = Storage::kI64) { return int_vector(pool, x, s); }
  Segdes segdes(const Ints& lengths) {
    std::int64_t total = 0;
    for (const std::int64_t n : lengths) total += n;
    return Segdes::from_lengths(ints(lengths), total);
  }
  Vector run(Op op, TypeWord word, std::vector<Value> operands) {
    std::vector<Value> results(op_info(op).results.size());
    run_primitive(context, op, word, operands, results);
    return std::get<Vector>(results[0]);
  }
  std::string fault(Op op, TypeWord word, std::vector<Value> operands) {
    std::vector<Value> results(op_info(op).results.size());
    try {
      run_primitive(context, op, word, operands, results);
    } catch (const Fault& f) {
      return f.message;
    }
    return "no fault";
  }
};

constexpr TypeWord kI = TypeWord::kInt, kF = TypeWord::kFloat, kN = TypeWord::kNone;

TEST_CASE("every pure instruction has a primitive for each of its types, and no other has one") {
  for (const OpInfo& info : all_ops()) {
    const bool pure = info.kind <= OpKind::kRandom;
    for (int w = 0; w <= static_cast<int>(TypeWord::kChar); ++w) {
      const auto word = static_cast<TypeWord>(w);
      CHECK((find_primitive(info.op, word) != nullptr) == (pure && word_allowed(info.op, word)));
    }
  }
}

TEST_CASE("who asks a descriptor again for its lengths finds their sums") {
  for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64}) {
    Machine m;
    FastPathCounts paths;
    m.context.fast_paths = &paths;
    const Segdes s = Segdes::from_lengths(m.ints({3, 0, 2, 7}, storage), 12);
    const Segdes all = Segdes::regular(1, 4);
    for (std::uint64_t times = 0; times < 4; ++times) {
      const Vector lengths = m.run(kLengths, TypeWord::kNone, {s});
      const Vector sums = m.run(kAddScan, kI, {lengths, all});
      for (std::int64_t i = 0; i < 4; ++i)
        CHECK(sums.int_at(i) == Ints{0, 3, 3, 5}[static_cast<std::size_t>(i)]);
      CHECK(m.run(kAddReduce, kI, {lengths, all}).scalar_int() == 12);
      // Of other segments, of another operation, of a part: as ever.
      const Vector halves = m.run(kAddScan, kI, {lengths, Segdes::regular(2, 2)});
      for (std::int64_t i = 0; i < 4; ++i)
        CHECK(halves.int_at(i) == Ints{0, 3, 0, 2}[static_cast<std::size_t>(i)]);
      CHECK(m.run(kMaxReduce, kI, {lengths, all}).scalar_int() == 7);
      CHECK(paths[FastPath::kKeptSums] == (times == 0 ? 0 : 2 * times));
    }
    // Neither the lengths nor their sums are overwritten by who is alone with them.
    Vector lengths = m.run(kLengths, TypeWord::kNone, {s});
    const Vector sums = m.run(kAddScan, kI, {lengths, all});
    const Vector twice = m.run(kAdd, kI, {sums, sums});
    CHECK(twice.int_at(3) == 10);
    CHECK(m.run(kAddScan, kI, {lengths, all}).int_at(3) == 5);
    CHECK(s.offsets()[3] == 5);
  }
  Machine m;  // lengths that outlive their descriptor are overwritten no more
  std::vector<Value> operands(2);
  {
    const Segdes s = m.segdes({3, 0, 2, 7});
    static_cast<void>(m.run(kLengths, TypeWord::kNone, {s}));
    operands[0] = m.run(kLengths, TypeWord::kNone, {s});
  }
  CHECK_FALSE(std::get<Vector>(operands[0]).unique());
  operands[1] = m.ints({1, 1, 1, 1});
  CHECK(m.run(kAdd, kI, operands).int_at(3) == 8);
  CHECK(m.run(kAddScan, kI, {operands[0], Segdes::regular(1, 4)}).int_at(3) == 5);
  operands.clear();
  CHECK(m.pool.stats().live == 0);
  // Of lengths in the middle of a vector nothing is kept that its beginning could take for its own.
  const Vector whole = m.ints({5, 3, 0, 2});
  const Segdes middle = Segdes::from_lengths(Vector(whole.storage(), 3, whole.buffer(), 1), 5);
  for (int times = 0; times < 3; ++times) {
    CHECK(
        m.run(kAddScan, kI, {m.run(kLengths, TypeWord::kNone, {middle}), Segdes::regular(1, 3)}).int_at(1) ==
        3);
    CHECK(m.run(kAddScan, kI, {whole, Segdes::regular(1, 4)}).int_at(1) == 5);
    const Vector begin(whole.storage(), 3, whole.buffer());
    CHECK(m.run(kAddScan, kI, {begin, Segdes::regular(1, 3)}).int_at(1) == 5);
  }
  // A descriptor of the first lengths of a vector, which has more of them.
  const Vector all = m.ints({3, 0, 2, 7, 1, 9});
  const Vector some(all.storage(), 3, all.buffer());
  const Segdes s = Segdes::from_lengths(some, 5);
  for (int times = 0; times < 3; ++times) {
    CHECK(
        m.run(kAddReduce, kI, {m.run(kLengths, TypeWord::kNone, {s}), Segdes::regular(1, 3)}).scalar_int() ==
        5);
    CHECK(m.run(kAddReduce, kI, {all, Segdes::regular(1, 6)}).scalar_int() == 22);
    CHECK(m.run(kAddScan, kI, {all, Segdes::regular(1, 6)}).int_at(5) == 13);
  }
}

TEST_CASE("faults are worded as the legacy interpreter words them, and say what was found") {
  Machine m;
  CHECK(m.fault(kAdd, kI, {m.ints({1, 2}), m.ints({1})}) ==
        "length mismatch between args 0(2) and 1(1) in +");
  CHECK(m.fault(kAddScan, kI, {m.ints({1, 2}), Segdes::regular(1, 3)}) ==
        "Args 0 and 1 to +_SCAN are incompatible: 2 elements, but segments of 3 in all");
  CHECK(m.fault(kExtract, kI, {m.ints({1, 2}), m.ints({1, 0}), Segdes::regular(1, 2)}) ==
        "length mismatch between args 1(2) and 2(1) in EXTRACT");
  CHECK(m.fault(kDiv, kI, {m.ints({7, 8, 9}), m.ints({1, 0, 0})}) == "division by zero in / at position 1");
  CHECK(m.fault(kRem, kN, {m.ints({INT64_MIN, 8}), m.ints({-1, 1})}) ==
        "quotient out of range in %: -9223372036854775808 by -1 at position 0");
  CHECK(m.fault(kMakeSegdes, kN, {m.ints({3, -1})}) == "negative length -1 in MAKE_SEGDES, segment 1");
  CHECK(m.fault(kMakeSegdes, kN, {Vector::of_int(-4)}) == "negative length -4 in MAKE_SEGDES, segment 0");
  CHECK(m.fault(kMakeSegdes, kN, {m.ints({INT64_MAX, INT64_MAX})}) ==
        "the lengths given to MAKE_SEGDES sum to more than memory can hold");
}

TEST_CASE("quotients and remainders by one number are exact at every boundary, on every instruction set") {
  for (const Isa isa : {Isa::kPortable, Isa::kAvx2, Isa::kAvx512}) {
    if (isa > best_isa()) continue;
    Machine m;
    m.context.isa = isa;
    for (const std::int64_t d : testing::boundary_divisors(64)) {
      if (d == 0) continue;
      for (const Storage storage : {Storage::kI64, Storage::kI32}) {  // large ones among them, or none
        const auto dividends = testing::dividends(d, storage, IntBits::k64);
        REQUIRE(dividends.size() >= 32);
        const Vector divisors = m.ints(std::vector<std::int64_t>(dividends.size(), d));
        const Vector quotients = m.run(kDiv, kI, {m.ints(dividends), divisors});
        const Vector remainders = m.run(kRem, kN, {m.ints(dividends), divisors});
        for (std::size_t i = 0; i < dividends.size(); ++i) {
          INFO(dividends[i] << " by " << d);
          const auto at = static_cast<std::int64_t>(i);
          REQUIRE(quotients.int_at(at) == dividends[i] / d);
          REQUIRE(remainders.int_at(at) == dividends[i] % d);
        }
      }
    }
  }
}

TEST_CASE("an index fault names the index, its place, the segment and its length") {
  Machine m;
  const Segdes s = m.segdes({3, 2});
  CHECK(m.fault(kBpermute, kI, {m.ints({1, 2, 3, 4, 5}), m.ints({0, 1, 2, 2, 0}), s, s}) ==
        "index out of range in BPERMUTE: index 2 at position 3, segment 1 has 2 elements");
  CHECK(m.fault(kPermute, kI, {m.ints({1, 2, 3, 4, 5}), m.ints({0, 1, 2, -1, 0}), s}) ==
        "index out of range in PERMUTE: index -1 at position 3, segment 1 has 2 elements");
  CHECK(m.fault(kExtract, kI, {m.ints({1, 2, 3}), m.ints({0, 0}), m.segdes({3, 0})}) ==
        "index out of range in EXTRACT: index 0 at position 1, segment 1 has 0 elements");
}

TEST_CASE("a source of one segment takes any destination as one segment") {
  Machine m;
  const Vector v =
      m.run(kBpermute, kI, {m.ints({10, 20}), m.ints({1, 0}), Segdes::regular(1, 2), Segdes::regular(2, 1)});
  CHECK(v.int_at(0) == 20);
  CHECK(v.int_at(1) == 10);
}

TEST_CASE("sums of narrow vectors do not wrap in a 64-bit run, and do in a 32-bit one") {
  Machine m;
  const Ints big = {INT32_MAX, INT32_MAX, 5};
  CHECK(m.run(kAdd, kI, {m.ints(big, Storage::kI32), m.ints(big, Storage::kI32)}).int_at(0) ==
        2 * std::int64_t{INT32_MAX});
  CHECK(m.run(kAddReduce, kI, {m.ints(big, Storage::kI32), Segdes::regular(1, 3)}).int_at(0) ==
        2 * std::int64_t{INT32_MAX} + 5);
  m.context.int_bits = IntBits::k32;
  CHECK(m.run(kAdd, kI, {m.ints(big, Storage::kI32), m.ints(big, Storage::kI32)}).int_at(0) == -2);
  CHECK(m.run(kAdd, kI, {Vector::of_int(INT32_MAX), Vector::of_int(1)}).scalar_int() == INT32_MIN);
}

TEST_CASE("results are stored narrow where they provably fit") {
  Machine m;
  CHECK(m.run(kIndex, kN, {Vector::of_int(0), Vector::of_int(1), Segdes::regular(1, 100)}).storage() ==
        Storage::kI32);
  CHECK(
      m.run(kIndex, kN, {Vector::of_int(INT32_MAX), Vector::of_int(1), Segdes::regular(1, 100)}).storage() ==
      Storage::kI64);
  CHECK(m.run(kRankUp, kI, {m.ints({5, 3}), Segdes::regular(1, 2)}).storage() == Storage::kI32);
  const bool flags[] = {true, false};
  CHECK(m.run(kBtoI, kN, {bool_vector(m.pool, flags)}).storage() == Storage::kI8);
}

TEST_CASE("wide elements that fit do not widen what they are scattered over, wider ones do") {
  Machine m;
  const Segdes one = Segdes::regular(1, 1), two = Segdes::regular(1, 2), four = Segdes::regular(1, 4);
  const Ints base = {1, 2, 3, 4};
  const auto over = [&](const Ints& x, const Ints& at, const Segdes& s) {
    return m.run(kDpermute, kI, {m.ints(x), m.ints(at), m.ints(base, Storage::kI32), s, four});
  };
  const Vector small = over({-(std::int64_t{1} << 31), 7}, {3, 1}, two);
  CHECK(small.storage() == Storage::kI32);
  CHECK(small.int_at(1) == 7);
  CHECK(small.int_at(3) == -(std::int64_t{1} << 31));
  const Vector large = over({7, std::int64_t{1} << 31}, {3, 1}, two);
  CHECK(large.storage() == Storage::kI64);
  CHECK(large.int_at(1) == std::int64_t{1} << 31);
  CHECK(large.int_at(2) == 3);
  CHECK(over({9}, {0}, one).storage() == Storage::kI32);
}

TEST_CASE("numbers that fit do not widen what they replace elements of, others do") {
  Machine m;
  const Segdes two = Segdes::regular(2, 2);
  const auto put = [&](const Segdes& s, Ints at, Value x) {
    return m.run(kReplace, kI, {m.ints({10, 20, 30, 40}, Storage::kI32), m.ints(at), std::move(x), s});
  };
  const Vector one = put(Segdes::regular(1, 4), {2}, Vector::of_int(-7));
  CHECK(one.storage() == Storage::kI32);
  CHECK((one.int_at(1) == 20 && one.int_at(2) == -7 && one.int_at(3) == 40));
  const Vector each = put(two, {1, 0}, Vector::repeated(Vector::of_int(5, Storage::kI32), 2));
  CHECK(each.storage() == Storage::kI32);
  CHECK((each.int_at(0) == 10 && each.int_at(1) == 5 && each.int_at(2) == 5));
  const Vector wide = put(Segdes::regular(1, 4), {0}, Vector::of_int(INT64_MIN));
  CHECK((wide.int_at(0) == INT64_MIN && wide.int_at(3) == 40));
}

TEST_CASE("a dying operand gives its memory to the result, a shared one keeps it") {
  Machine m;
  const Vector shared = m.ints({10, 20, 30});
  std::vector<Value> in;
  in.emplace_back(m.ints({1, 2, 3}));
  in.emplace_back(shared);
  const std::byte* memory = std::get<Vector>(in[0]).raw();
  std::vector<Value> out(1);
  run_primitive(m.context, kAdd, kI, in, out);
  CHECK(std::get<Vector>(out[0]).raw() == memory);
  CHECK(std::get<Vector>(out[0]).int_at(2) == 33);
  CHECK(shared.int_at(2) == 30);
}

TEST_CASE("PACK of all flags and PERMUTE by the identity move nothing") {
  Machine m;
  const Vector v = m.ints({1, 2, 3});
  const bool flags[] = {true, true, true};
  CHECK(m.run(kPack, kI, {v, bool_vector(m.pool, flags), Segdes::regular(1, 3)}).raw() == v.raw());
  CHECK(m.run(kPermute, kI, {v, m.ints({0, 1, 2}), Segdes::regular(1, 3)}).raw() == v.raw());
}

class Counter : public RandomSource {
 public:
  void seed(std::int64_t s) override { next_ = s; }
  void draw(std::int64_t* out, std::int64_t n) override {
    for (std::int64_t i = 0; i < n; ++i) out[i] = next_++;
  }

 private:
  std::int64_t next_ = 0;
};

// 5000 places: 0, 1, ... cut into the ranges between `cuts`, which follow in the order of `order`, the odd
// ones backwards.
Ints places_of_runs(const Ints& cuts, const Ints& order) {
  Ints places;
  for (const std::int64_t r : order) {
    const auto first = cuts[static_cast<std::size_t>(r)];
    const auto last = cuts[static_cast<std::size_t>(r) + 1];
    for (std::int64_t i = first; i < last; ++i) places.push_back(r % 2 == 0 ? i : last - 1 - (i - first));
  }
  return places;
}

TEST_CASE("PERMUTE by runs of places gives what PERMUTE one by one gives") {
  Machine m;
  constexpr std::int64_t n = 5000;
  std::vector<Ints> cases = {places_of_runs({0, 0, n}, {1}), places_of_runs({0, 1234, 1234, n}, {2, 0}),
                             places_of_runs({0, 1, 2, 3, 4000, n - 1, n}, {4, 1, 5, 0, 2, 3}),
                             places_of_runs({0, 2500, n}, {1, 0})};
  cases.push_back(cases[1]);
  cases.back()[4321] = 17;  // twice 17: the last one wins, and a place stays zero
  cases.push_back(cases[1]);
  for (std::int64_t i = 0; i < 300; ++i) cases.back()[static_cast<std::size_t>(i)] = 7;
  for (const int threads : {1, 3})
    for (const Storage storage : {Storage::kI8, Storage::kI32, Storage::kI64})
      for (const Storage index : {Storage::kI32, Storage::kI64})
        for (const Ints& places : cases) {
          m.context.threads = threads;
          m.context.grain = 64;
          Ints v;
          for (std::int64_t i = 0; i < n; ++i) v.push_back(1 + i % 100);
          Ints wanted(n, 0);
          for (std::size_t i = 0; i < v.size(); ++i) wanted[static_cast<std::size_t>(places[i])] = v[i];
          const Vector out =
              m.run(kPermute, kI, {m.ints(v, storage), m.ints(places, index), Segdes::regular(1, n)});
          Ints got;
          for (std::int64_t i = 0; i < n; ++i) got.push_back(out.int_at(i));
          CHECK(got == wanted);
        }
  Ints wild = cases[1];
  wild[4000] = n;
  CHECK(m.fault(kPermute, kI, {m.ints(wild), m.ints(wild), Segdes::regular(1, n)}) ==
        "index out of range in PERMUTE: index 5000 at position 4000, segment 0 has 5000 elements");
}

TEST_CASE("RAND draws once per element, in order") {
  Machine m;
  Counter source;
  m.context.random = &source;
  const Vector first = m.run(kRand, kN, {m.run(kDist, kI, {Vector::of_int(1000), Segdes::regular(1, 3000)})});
  CHECK(first.int_at(0) == 0);
  CHECK(first.int_at(2999) == 2999 % 1000);
  CHECK(m.run(kRand, kN, {m.ints({-7, 1'000'000})}).int_at(0) == 3000 % 7);
  CHECK(m.run(kRand, kN, {m.ints({})}).length() == 0);
  CHECK(m.run(kRand, kN, {Vector::of_int(1'000'000)}).scalar_int() == 3002);
  CHECK(m.fault(kRand, kN, {m.ints({5, 0})}) == "RAND below 0 at position 1");
}

TEST_CASE("running out of memory in a primitive is a fault, and the pool stays usable") {
  Machine m;
  m.context.threads = 2;
  m.context.grain = 100;
  Ints keys(20'000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int64_t>(i * 7919 % 100'003) << 20;
  const Vector v = m.ints(keys);
  int faults = 0;
  for (std::uint64_t k = 1; k <= 3; ++k) {
    m.pool.fail_at(k);
    faults += m.fault(kRankUp, kI, {v, Segdes::regular(1, 20'000)}) != "no fault" ? 1 : 0;
  }
  m.pool.fail_at(0);
  CHECK(faults == 3);
  CHECK(m.run(kRankUp, kI, {v, Segdes::regular(1, 20'000)}).length() == 20'000);
}

TEST_CASE("FLOAT folds of up to 32 elements go from left to right") {
  Machine m;
  const double xs[] = {1e16, 1.0, -1e16, 1.0};
  CHECK(m.run(kAddReduce, kF, {float_vector(m.pool, xs), Segdes::regular(1, 4)}).scalar_float() == 1.0);
  const double zeros[] = {-0.0, -0.0};
  CHECK_FALSE(std::signbit(
      m.run(kAddReduce, kF, {float_vector(m.pool, zeros), Segdes::regular(1, 2)}).scalar_float()));
}

TEST_CASE("ascending indices give a part of the vector, in its memory where that holds little more") {
  Machine m;
  const std::int64_t n = 4096;
  const auto from_to = [&](std::int64_t from, std::int64_t length) {
    return m.run(kIndex, kN, {Vector::of_int(from), Vector::of_int(1), Segdes::regular(1, length)});
  };
  const Vector v = m.run(kItoF, kN, {from_to(0, n)});
  for (const std::int64_t length : {n / 16, n * 3 / 4}) {
    const Vector known = from_to(100, length);
    Ints elements;
    for (std::int64_t i = 0; i < length; ++i) elements.push_back(100 + i);
    for (const Vector& indices : {known, m.ints(elements)}) {
      const Vector part =
          m.run(kBpermute, kF, {v, indices, Segdes::regular(1, n), Segdes::regular(1, length)});
      REQUIRE(part.length() == length);
      for (std::int64_t i = 0; i < length; ++i) REQUIRE(part.float_at(i) == static_cast<double>(100 + i));
      CHECK((part.buffer().get() == v.buffer().get()) == (length > n / 2));
    }
  }
  const Vector over = from_to(1, n);
  CHECK(m.fault(kBpermute, kF, {v, over, Segdes::regular(1, n), Segdes::regular(1, n)}) ==
        "index out of range in BPERMUTE: index 4096 at position 4095, segment 0 has 4096 elements");
  CHECK(over.run_from() == 1);
  const Vector sum = m.run(kAdd, kI, {from_to(5, n), from_to(5, n)});
  CHECK(!sum.run_from());
}

}  // namespace
}  // namespace nvm::vm
