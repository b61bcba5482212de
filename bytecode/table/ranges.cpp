#include "bytecode/table/ranges.h"

#include <algorithm>
#include <array>

#include "bytecode/base/extent.h"
#include "bytecode/table/op_kind.h"

namespace nvm {
namespace {

__extension__ using Wide = __int128;  // holds products and shifts of INTs

constexpr Range kFlag{0, 1};
constexpr Range kUnbounded{};

Range exact(Wide low, Wide high, int bits) {
  const Range all = all_ints(bits);
  if (low < all.low || high > all.high) return all;
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

// Of an operation that grows or falls in each operand: its extremes are at the corners.
template <typename F>
std::pair<Wide, Wide> corners(const Range& a, const Range& b, F f) {
  const std::array<Wide, 4> at{f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  const auto [low, high] = std::minmax_element(at.begin(), at.end());
  return {*low, *high};
}

// Applies + - * without wrapping.
std::pair<Wide, Wide> exact_corners(Scalar scalar, const Range& a, const Range& b) {
  return corners(a, b, [&](Wide x, Wide y) {
    return scalar == Scalar::kAdd ? x + y : scalar == Scalar::kSub ? x - y : x * y;
  });
}

Range quotient(int bits, const Range& a, const Range& b) {
  const auto divide = [](Wide x, Wide y) { return x / y; };
  bool any = false;
  Wide low = 0, high = 0;
  for (const Range& part :
       {Range{b.low, std::min<std::int64_t>(b.high, -1)}, Range{std::max<std::int64_t>(b.low, 1), b.high}}) {
    if (part.low > part.high) continue;
    const auto [least, most] = corners(a, part, divide);
    low = any ? std::min(low, least) : least;
    high = any ? std::max(high, most) : most;
    any = true;
  }
  const Range all = all_ints(bits);
  if (!any) return all;
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(std::min<Wide>(high, all.high))};
}

Range remainder(int bits, const Range& a, const Range& b) {
  if (b == Range{0, 0}) return all_ints(bits);
  const Wide most = std::max<Wide>(-static_cast<Wide>(b.low), b.high) - 1;
  const Wide low = a.low < 0 ? std::max<Wide>(a.low, -most) : 0;
  const Wide high = a.high > 0 ? std::min<Wide>(a.high, most) : 0;
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

// The INTs of as few bits as hold both; of bitwise results, too.
Range same_bits(int bits, const Range& a, const Range& b) {
  int n = 2;
  while (n < bits && !(a.inside({-(std::int64_t{1} << (n - 1)), (std::int64_t{1} << (n - 1)) - 1}) &&
                       b.inside({-(std::int64_t{1} << (n - 1)), (std::int64_t{1} << (n - 1)) - 1})))
    ++n;
  if (n == bits) return all_ints(bits);
  return {-(std::int64_t{1} << (n - 1)), (std::int64_t{1} << (n - 1)) - 1};
}

Range conjunction(int bits, const Range& a, const Range& b) {
  Range out = same_bits(bits, a, b);
  if (a.low >= 0 || b.low >= 0) out.low = 0;
  // Not above an operand that is not negative; of two negative ones not above either.
  out.high = a.low >= 0 && b.low >= 0 ? std::min(a.high, b.high)
             : a.low >= 0             ? a.high
             : b.low >= 0             ? b.high
                                      : std::min(out.high, std::max(a.high, b.high));
  return out;
}

Range complement(const Range& a) { return {~a.high, ~a.low}; }

// By De Morgan.
Range disjunction(int bits, const Range& a, const Range& b) {
  return complement(conjunction(bits, complement(a), complement(b)));
}

Range difference_of_bits(int bits, const Range& a, const Range& b) {
  Range out = same_bits(bits, a, b);
  const bool like = (a.low >= 0 && b.low >= 0) || (a.high < 0 && b.high < 0);
  const bool unlike = (a.low >= 0 && b.high < 0) || (a.high < 0 && b.low >= 0);
  if (like) out.low = 0;
  if (unlike) out.high = -1;
  return out;
}

Range shifted(Scalar scalar, int bits, const Range& a, const Range& by) {
  const Range places{0, bits - 1};
  const Range count = by.is_one()         ? Range{by.low & places.high, by.low & places.high}
                      : by.inside(places) ? by
                                          : places;
  const auto [low, high] = corners(a, count, [&](Wide x, Wide n) {
    return scalar == Scalar::kShl ? x * (Wide{1} << static_cast<int>(n)) : x >> static_cast<int>(n);
  });
  return exact(low, high, bits);
}

Range comparison(Scalar scalar, const Range& a, const Range& b) {
  const auto answer = [](bool yes, bool no) { return yes ? Range{1, 1} : no ? Range{0, 0} : kFlag; };
  switch (scalar) {
    case Scalar::kLt: return answer(a.high < b.low, a.low >= b.high);
    case Scalar::kLe: return answer(a.high <= b.low, a.low > b.high);
    case Scalar::kGt: return answer(a.low > b.high, a.high <= b.low);
    case Scalar::kGe: return answer(a.low >= b.high, a.high < b.low);
    default: break;
  }
  const bool same = a.is_one() && a == b, apart = a.high < b.low || a.low > b.high;
  return scalar == Scalar::kEq ? answer(same, apart) : answer(apart, same);
}

}  // namespace

Range hull(const Range& a, const Range& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Range meet(const Range& a, const Range& b) {
  const Range both{std::max(a.low, b.low), std::min(a.high, b.high)};
  return both.low <= both.high ? both : a;
}

Range all_ints(int bits) {
  const std::int64_t high = INT64_MAX >> (64 - bits);
  return {-high - 1, high};
}

std::int64_t wrapped(std::int64_t x, int bits) {
  const int rest = 64 - bits;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << rest) >> rest;
}

Range all_lengths(int bits) { return {0, std::min(kTooLong - 1, all_ints(bits).high)}; }

Range scalar_range(Scalar scalar, TypeWord word, int bits, std::span<const Range> operands) {
  const Range all = all_ints(bits);
  const auto& a = operands[0];
  const auto& b = operands[operands.size() > 1 ? 1 : 0];
  if (word == TypeWord::kFloat && scalar != Scalar::kSelect) return is_relation(scalar) ? kFlag : all;
  if (is_relation(scalar)) return comparison(scalar, a, b);
  switch (scalar) {
    case Scalar::kAdd:
    case Scalar::kSub:
    case Scalar::kMul: {
      const auto [low, high] = exact_corners(scalar, a, b);
      return exact(low, high, bits);
    }
    case Scalar::kDiv: return quotient(bits, a, b);
    case Scalar::kRem: return remainder(bits, a, b);
    case Scalar::kNot: return word == TypeWord::kBool ? Range{1 - a.high, 1 - a.low} : complement(a);
    case Scalar::kAnd:
      if (word == TypeWord::kBool) return {std::min(a.low, b.low), std::min(a.high, b.high)};
      return conjunction(bits, a, b);
    case Scalar::kOr:
      return word == TypeWord::kBool ? Range{std::max(a.low, b.low), std::max(a.high, b.high)}
                                     : disjunction(bits, a, b);
    case Scalar::kXor:
      return word == TypeWord::kBool ? comparison(Scalar::kNe, a, b) : difference_of_bits(bits, a, b);
    case Scalar::kShl:
    case Scalar::kShr: return shifted(scalar, bits, a, b);
    case Scalar::kSelect: return a.is_one() ? operands[a.low != 0 ? 1 : 2] : hull(operands[1], operands[2]);
    case Scalar::kMax: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Scalar::kMin: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Scalar::kItoB: return a.contains(0) ? Range{0, a.is_one() ? 0 : 1} : Range{1, 1};
    case Scalar::kBtoI: return a;
    default: return all;
  }
}

bool may_wrap(Scalar scalar, int bits, const Range& a, const Range& b) {
  const auto [low, high] = exact_corners(scalar, a, b);
  const Range all = all_ints(bits);
  return low < all.low || high > all.high;
}

// ---- vectors

namespace {

bool bounded(const Range& sums) { return sums.low != kUnbounded.low && sums.high != kUnbounded.high; }

Range sums_between(Wide low, Wide high) {
  low = std::min<Wide>(low, 0);
  high = std::max<Wide>(high, 0);
  if (low <= kUnbounded.low || high >= kUnbounded.high) return kUnbounded;
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

// Whatever else is known: as many as there can be, each as great as it can be.
Numbers from_each(const Range& each, int bits) {
  const Wide most = all_lengths(bits).high;
  return {each, sums_between(most * std::min<std::int64_t>(each.low, 0),
                             most * std::max<std::int64_t>(each.high, 0))};
}

// An element is a sum of one.
Numbers known(const Range& each, const Range& sums, int bits) {
  Numbers out = from_each(each, bits);
  if (!bounded(sums)) return out;
  out.sums = bounded(out.sums) ? meet(sums, out.sums) : sums;
  out.each = meet(each, out.sums);
  return out;
}

Range added(const Range& a, const Range& b) {
  if (!bounded(a) || !bounded(b)) return kUnbounded;
  return sums_between(Wide{a.low} + b.low, Wide{a.high} + b.high);
}

// Sums of results, each of which is no further from 0 than the first operand's element, on the same side.
bool shrinks(Scalar scalar, const Range& a, const Range& result) {
  const bool one_sided = a.low >= 0 && result.low >= 0;
  return one_sided && (scalar == Scalar::kDiv || scalar == Scalar::kRem || scalar == Scalar::kShr ||
                       scalar == Scalar::kAnd || scalar == Scalar::kMin);
}

Range sums_of_map(Scalar scalar, TypeWord word, int bits, std::span<const Numbers> operands,
                  const Range& result) {
  if (word == TypeWord::kFloat || word == TypeWord::kBool) return kUnbounded;
  const bool two = operands.size() == 2;
  if (two && (scalar == Scalar::kAdd || scalar == Scalar::kSub) &&
      may_wrap(scalar, bits, operands[0].each, operands[1].each))
    return kUnbounded;
  switch (scalar) {
    case Scalar::kBtoI: return operands[0].sums;
    case Scalar::kAdd: return added(operands[0].sums, operands[1].sums);
    case Scalar::kMax:
      if (operands[0].each.low < 0 || operands[1].each.low < 0) break;
      return added(operands[0].sums, operands[1].sums);
    case Scalar::kSub:
      if (!bounded(operands[1].sums)) break;
      return added(operands[0].sums, {-operands[1].sums.high, -operands[1].sums.low});
    case Scalar::kSelect: return added(operands[1].sums, operands[2].sums);
    default: break;
  }
  return two && shrinks(scalar, operands[0].each, result) ? operands[0].sums : kUnbounded;
}

// What a reduction or an exclusive scan makes: of no elements the identity.
Numbers folded(Scalar scalar, TypeWord word, int bits, const Numbers& of, bool scan) {
  const Range all = all_ints(bits);
  const auto with = [&](std::int64_t identity, const Range& range) {
    return from_each(hull(range, {identity, identity}), bits);
  };
  switch (scalar) {
    case Scalar::kAdd: {
      const Range each = bounded(of.sums) && of.sums.inside(all) ? of.sums : all;
      // Segments have no element in common: a sum of sums is a sum of elements.
      return scan || each == all ? from_each(each, bits) : known(each, of.sums, bits);
    }
    case Scalar::kMax: return with(all.low, of.each);
    case Scalar::kMin: return with(all.high, of.each);
    case Scalar::kAnd:
      return word == TypeWord::kBool ? with(1, of.each) : with(-1, same_bits(bits, of.each, of.each));
    case Scalar::kOr:
    case Scalar::kXor:
      return word == TypeWord::kBool ? with(0, kFlag) : with(0, same_bits(bits, of.each, {0, 0}));
    default: return from_each(all, bits);
  }
}

Numbers counted(int bits) { return {all_lengths(bits), all_lengths(bits)}; }

Numbers progression(int bits, const Range& start, const Range& stride) {
  const Range places{0, std::max<std::int64_t>(all_lengths(bits).high - 1, 0)};
  const auto [low, high] = exact_corners(Scalar::kMul, stride, places);
  return from_each(exact(start.low + low, start.high + high, bits), bits);
}

// Elements of several vectors, each at most once unless `again`.
Numbers moved(int bits, std::span<const Numbers> from, bool again) {
  Numbers out = from[0];
  for (const Numbers& more : from.subspan(1)) out = {hull(out.each, more.each), added(out.sums, more.sums)};
  return again ? from_each(out.each, bits) : known(out.each, out.sums, bits);
}

constexpr Numbers kZero{{0, 0}, {0, 0}};

}  // namespace

Numbers all_numbers(Type type, int bits) {
  if (type == Type::kSegdes) return counted(bits);
  return from_each(type == Type::kBool ? kFlag : all_ints(bits), bits);
}

Numbers constant_numbers(Type type, int bits, std::span<const std::int64_t> elements) {
  if (type == Type::kFloat || type == Type::kPair) return all_numbers(type, bits);
  if (elements.empty()) return kZero;
  Range each{wrapped(elements[0], bits), wrapped(elements[0], bits)};
  Wide low = 0, high = 0;
  for (const std::int64_t element : elements) {
    const std::int64_t x = wrapped(element, bits);
    each = hull(each, {x, x});
    (x < 0 ? low : high) += x;
  }
  return {each, sums_between(low, high)};
}

Numbers hull(const Numbers& a, const Numbers& b) { return {hull(a.each, b.each), hull(a.sums, b.sums)}; }

Numbers meet(const Numbers& a, const Numbers& b) { return {meet(a.each, b.each), meet(a.sums, b.sums)}; }

Numbers widened(const Numbers& before, const Numbers& more, int bits) {
  const auto widen = [&](const Range& range, const Range& other) {
    Range out = hull(range, other);
    const Range lengths = all_lengths(bits);
    if (out.low < range.low) out.low = out.low >= lengths.low ? lengths.low : kUnbounded.low;
    if (out.high > range.high) out.high = out.high <= lengths.high ? lengths.high : kUnbounded.high;
    return out;
  };
  Numbers out{widen(before.each, more.each), widen(before.sums, more.sums)};
  out.each = meet(all_ints(bits), out.each);
  return out;
}

Numbers result_numbers(Op op, TypeWord word, int bits, std::span<const Numbers> operands) {
  const OpInfo& info = op_info(op);
  const Type type = info.results.empty() ? Type::kInt : letter_type(info.results[0], word);
  if (type != Type::kInt && type != Type::kBool && type != Type::kSegdes) return all_numbers(type, bits);
  switch (info.kind) {
    case OpKind::kMap: {
      std::array<Range, 3> ranges;
      for (std::size_t i = 0; i < operands.size(); ++i) ranges[i] = operands[i].each;
      const bool floats = info.operands[0] == 'F';
      const TypeWord of = floats ? TypeWord::kFloat : word;
      const Range each = scalar_range(info.scalar, of, bits, {ranges.data(), operands.size()});
      return known(each, sums_of_map(info.scalar, of, bits, operands, each), bits);
    }
    case OpKind::kScan:
    case OpKind::kReduce: return folded(info.scalar, word, bits, operands[0], info.kind == OpKind::kScan);
    case OpKind::kCombine:
      return is_extreme(info.scalar) ? from_each(hull(operands[0].each, operands[2].each), bits)
                                     : all_numbers(type, bits);
    case OpKind::kGather:
      if (op == Op::kBfpermute) return from_each(hull(operands[0].each, {0, 0}), bits);
      return moved(bits, operands.first(1), true);
    case OpKind::kDist: return moved(bits, operands.first(1), true);
    case OpKind::kExtract:
    case OpKind::kFilter: return moved(bits, operands.first(1), false);
    case OpKind::kReplace: return moved(bits, std::array{operands[0], operands[2]}, false);
    case OpKind::kScatter:  // over the operand in front of the two descriptors, or over zeros
      if (op == Op::kPermute || op == Op::kFpermute)
        return moved(bits, std::array{operands[0], kZero}, false);
      return moved(bits, std::array{operands[0], operands[operands.size() - 3]}, false);
    case OpKind::kIota: return progression(bits, operands[0].each, operands[1].each);
    case OpKind::kRandom:  // of a positive number, one below it
      return operands[0].each.low > 0 ? from_each({0, operands[0].each.high - 1}, bits)
                                      : all_numbers(type, bits);
    case OpKind::kRank: return from_each(all_lengths(bits), bits);
    case OpKind::kShape:
      if (op == Op::kLength) return counted(bits);
      return meet(counted(bits), operands[0]);
    default: return all_numbers(type, bits);
  }
}

}  // namespace nvm
