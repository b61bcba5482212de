// Every rule of ranges.h against what instructions do, with INTs of so few bits that all ranges can be tried.
#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <vector>

#include "bytecode/table/op_kind.h"
#include "bytecode/table/ranges.h"

namespace nvm {
namespace {

constexpr int kBits = 4;

using Ints = std::vector<std::int64_t>;

// One element's meaning, as scalar.def says it; none where it faults.
std::optional<std::int64_t> meaning(Scalar scalar, TypeWord word, const Ints& x) {
  const std::int64_t a = x[0], b = x.size() > 1 ? x[1] : 0;
  const auto count = static_cast<int>(b & (kBits - 1));
  switch (scalar) {
    case Scalar::kAdd: return wrapped(a + b, kBits);
    case Scalar::kSub: return wrapped(a - b, kBits);
    case Scalar::kMul: return wrapped(a * b, kBits);
    case Scalar::kDiv:
    case Scalar::kRem:
      if (b == 0 || (b == -1 && a == all_ints(kBits).low)) return std::nullopt;
      return scalar == Scalar::kDiv ? a / b : a % b;
    case Scalar::kLt: return a < b;
    case Scalar::kLe: return a <= b;
    case Scalar::kGt: return a > b;
    case Scalar::kGe: return a >= b;
    case Scalar::kEq: return a == b;
    case Scalar::kNe: return a != b;
    case Scalar::kNot: return word == TypeWord::kBool ? 1 - a : ~a;
    case Scalar::kAnd: return a & b;
    case Scalar::kOr: return a | b;
    case Scalar::kXor: return a ^ b;
    case Scalar::kShl: return wrapped(a << count, kBits);
    case Scalar::kShr: return a >> count;
    case Scalar::kSelect: return a != 0 ? b : x[2];
    case Scalar::kMax: return std::max(a, b);
    case Scalar::kMin: return std::min(a, b);
    case Scalar::kItoB: return a != 0;
    case Scalar::kBtoI: return a;
    default: return std::nullopt;
  }
}

std::vector<Range> ranges_within(const Range& all) {
  std::vector<Range> out;
  for (std::int64_t low = all.low; low <= all.high; ++low)
    for (std::int64_t high = low; high <= all.high; ++high) out.push_back({low, high});
  return out;
}

Range domain(char letter, TypeWord word) {
  return letter_type(letter, word) == Type::kBool ? Range{0, 1} : all_ints(kBits);
}

bool is_sound(const ScalarInfo& info, TypeWord word, const std::vector<Range>& operands) {
  const Range result = scalar_range(info.scalar, word, kBits, operands);
  if (!result.inside(info.result == 'B' || (info.result == 't' && word == TypeWord::kBool) ? Range{0, 1}
                                                                                           : all_ints(kBits)))
    return false;
  Ints x;
  for (const Range& r : operands) x.push_back(r.low);
  for (;;) {
    const auto value = meaning(info.scalar, word, x);
    if (value && !result.contains(*value)) return false;
    std::size_t i = 0;
    while (i < x.size() && x[i] == operands[i].high) {
      x[i] = operands[i].low;
      ++i;
    }
    if (i == x.size()) return true;
    ++x[i];
  }
}

// Do these numbers describe the elements, and all sums of some of them?
bool describe(const Numbers& numbers, const Ints& elements) {
  std::int64_t low = 0, high = 0;
  for (const std::int64_t x : elements) {
    if (!numbers.each.contains(x)) return false;
    (x < 0 ? low : high) += x;
  }
  return numbers.sums.contains(low) && numbers.sums.contains(high);
}

class Vectors {
 public:
  explicit Vectors(unsigned seed) : random_(seed) {}
  std::int64_t number(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
  }
  Ints ints(std::size_t n, const Range& from) {
    Ints out(n);
    const Range part{number(from.low, from.high), from.high};
    for (auto& x : out) x = number(part.low, part.high);
    return out;
  }
  // True of the elements, but not all that could be said.
  Numbers of(Type type, const Ints& elements) {
    const Numbers exact = constant_numbers(type, kBits, elements);
    const Numbers other =
        constant_numbers(type, kBits, ints(2, type == Type::kBool ? Range{0, 1} : all_ints(kBits)));
    switch (number(0, 2)) {
      case 0: return exact;
      case 1: return hull(exact, other);
      default: return hull(exact, all_numbers(type, kBits));
    }
  }

 private:
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("scalar operations stay within their ranges, for all ranges of INTs of four bits") {
  int rules = 0;
  for (const ScalarInfo& info : all_scalars()) {
    for (const TypeWord word : {TypeWord::kInt, TypeWord::kBool}) {
      const bool typed = info.operands.find('t') != std::string_view::npos;
      const bool logical = info.scalar == Scalar::kNot || info.scalar == Scalar::kAnd ||
                           info.scalar == Scalar::kOr || info.scalar == Scalar::kXor ||
                           info.scalar == Scalar::kSelect;
      if (info.operands.find('F') != std::string_view::npos || info.result == 'F') continue;
      if (word == TypeWord::kBool && (!typed || !logical)) continue;
      CAPTURE(info.name);
      ++rules;
      std::vector<std::vector<Range>> choices;
      for (const char letter : info.operands) choices.push_back(ranges_within(domain(letter, word)));
      const bool three = choices.size() == 3;  // not all of them: every seventh
      bool sound = true;
      for (const Range& a : choices[0]) {
        if (choices.size() == 1) {
          sound = sound && is_sound(info, word, {a});
          continue;
        }
        for (const Range& b : choices[1]) {
          if (!three) sound = sound && is_sound(info, word, {a, b});
          if (three)
            for (std::size_t c = 0; c < choices[2].size(); c += 7)
              sound = sound && is_sound(info, word, {a, b, choices[2][c]});
        }
      }
      CHECK(sound);
    }
  }
  CHECK(rules >= 24);
}

TEST_CASE("what does not wrap is told from what may") {
  const Range all = all_ints(kBits);
  const std::vector<Range> ranges = ranges_within(all);
  bool exact = true;
  for (const Scalar scalar : {Scalar::kAdd, Scalar::kSub, Scalar::kMul})
    for (const Range& a : ranges)
      for (const Range& b : ranges) {
        bool wraps = false;
        for (std::int64_t x = a.low; x <= a.high; ++x)
          for (std::int64_t y = b.low; y <= b.high; ++y)
            wraps = wraps || !all.contains(scalar == Scalar::kAdd   ? x + y
                                           : scalar == Scalar::kSub ? x - y
                                                                    : x * y);
        exact = exact && wraps == may_wrap(scalar, kBits, a, b);
      }
  CHECK(exact);
}

TEST_CASE("elementwise instructions: elements and sums are described") {
  Vectors vectors(1);
  for (const OpInfo& info : all_ops()) {
    if (info.kind != OpKind::kMap || info.operands.find('F') != std::string_view::npos || info.results == "F")
      continue;
    for (const TypeWord word : {TypeWord::kInt, TypeWord::kBool}) {
      if (word == TypeWord::kBool && (info.words == Words::kNumeric || info.words == Words::kNoWord))
        continue;
      CAPTURE(info.text, word);
      bool sound = true;
      for (int round = 0; round < 3000; ++round) {
        const auto n = static_cast<std::size_t>(vectors.number(0, 5));
        std::vector<Ints> operands;
        std::vector<Numbers> known;
        for (const char letter : info.operands) {
          operands.push_back(vectors.ints(n, domain(letter, word)));
          known.push_back(vectors.of(letter_type(letter, word), operands.back()));
        }
        Ints result;
        for (std::size_t i = 0; i < n; ++i) {
          Ints x;
          for (const Ints& operand : operands) x.push_back(operand[i]);
          if (const auto value = meaning(info.scalar, word, x)) result.push_back(*value);
        }
        sound = sound && describe(result_numbers(info.op, word, kBits, known), result);
      }
      CHECK(sound);
    }
  }
}

TEST_CASE("reductions and scans: wrapped sums are not taken for exact ones") {
  Vectors vectors(2);
  for (const OpInfo& info : all_ops()) {
    if (info.kind != OpKind::kReduce && info.kind != OpKind::kScan) continue;
    for (const TypeWord word : {TypeWord::kInt, TypeWord::kBool}) {
      if (!word_allowed(info.op, word)) continue;
      CAPTURE(info.text, word);
      bool sound = true;
      for (int round = 0; round < 3000; ++round) {
        Ints lengths{vectors.number(0, 3), vectors.number(0, 3)}, result;
        const auto n = static_cast<std::size_t>(lengths[0] + lengths[1]);
        const Range all = word == TypeWord::kBool ? Range{0, 1} : all_ints(kBits);
        const Ints elements = vectors.ints(n, all);
        std::size_t at = 0;
        for (const std::int64_t length : lengths) {
          std::int64_t so_far = 0;
          if (info.scalar == Scalar::kMul) so_far = 1;
          if (info.scalar == Scalar::kMax) so_far = all.low;
          if (info.scalar == Scalar::kMin) so_far = all.high;
          if (info.scalar == Scalar::kAnd) so_far = word == TypeWord::kBool ? 1 : -1;
          for (std::int64_t i = 0; i < length; ++i) {
            if (info.kind == OpKind::kScan) result.push_back(so_far);
            so_far = *meaning(info.scalar, word, {so_far, elements[at++]});
          }
          if (info.kind == OpKind::kReduce) result.push_back(so_far);
        }
        const Numbers known[] = {vectors.of(type_of(word), elements), all_numbers(Type::kSegdes, kBits)};
        sound = sound && describe(result_numbers(info.op, word, kBits, known), result);
      }
      CHECK(sound);
    }
  }
}

TEST_CASE("moves, copies and progressions are described") {
  Vectors vectors(3);
  const Numbers any = all_numbers(Type::kInt, kBits), segments = all_numbers(Type::kSegdes, kBits);
  for (int round = 0; round < 3000; ++round) {
    const auto n = static_cast<std::size_t>(vectors.number(1, 5));
    const Ints v = vectors.ints(n, all_ints(kBits)), over = vectors.ints(n, all_ints(kBits));
    const Numbers of_v = vectors.of(Type::kInt, v), of_over = vectors.of(Type::kInt, over);
    const auto place = static_cast<std::size_t>(vectors.number(0, static_cast<std::int64_t>(n) - 1));
    const auto described = [&](Op op, std::vector<Numbers> operands, const Ints& result) {
      return describe(result_numbers(op, TypeWord::kInt, kBits, operands), result);
    };
    Ints put = over;
    put[place] = v[place];
    CHECK(described(Op::kReplace, {of_over, any, of_v, segments}, put));
    CHECK(described(Op::kDpermute, {of_v, any, of_over, segments, segments}, put));
    CHECK(described(Op::kExtract, {of_v, any, segments}, {v[place]}));
    CHECK(described(Op::kPack, {of_v, any, segments},
                    Ints(v.begin() + static_cast<std::ptrdiff_t>(place), v.end())));
    CHECK(described(Op::kBpermute, {of_v, any, segments, segments}, Ints(n, v[place])));
    CHECK(described(Op::kDist, {of_v, segments}, Ints(n, v[place])));
    Ints scattered(n, 0);
    scattered[0] = v[place];
    CHECK(described(Op::kFpermute, {of_v, any, all_numbers(Type::kBool, kBits), segments, segments},
                    scattered));
    Ints run;
    for (std::size_t i = 0; i < n; ++i)
      run.push_back(wrapped(v[0] + static_cast<std::int64_t>(i) * over[0], kBits));
    CHECK(described(Op::kIndex, {of_v, of_over, segments}, run));
  }
}

TEST_CASE("a value joined again and again comes to rest") {
  Numbers known = constant_numbers(Type::kInt, 64, Ints{1});
  int changes = 0;
  for (std::int64_t x = 1; x < 1000000; x *= 3) {
    const Numbers next = widened(known, constant_numbers(Type::kInt, 64, Ints{x, -x}), 64);
    changes += next == known ? 0 : 1;
    known = next;
  }
  CHECK(changes <= 3);
  CHECK(known.each.contains(-531441));
}

}  // namespace nvm
