// What each instruction says about the sizes of its results.
#include <algorithm>

#include "bytecode/ssa/constants.h"
#include "bytecode/ssa/facts_internal.h"
#include "bytecode/table/op_kind.h"
#include "bytecode/table/shape_letters.h"

namespace nvm::ssa {
namespace {

// Of longer ones no sum is made: looking at each of n insertions from each of them costs n * n.
constexpr std::size_t kLongestList = 32;

}  // namespace

void SizesOf::inst(const Inst& in) {
  if (in.op == Op::kConst) return constant(in);
  for (std::uint32_t r = 0; r < in.results; ++r) fresh(in.first_result + static_cast<ValueId>(r));
  if (in.op == Op::kPair || in.op == Op::kUnpair) return;
  by_shape(in);
  by_kind(in);
  for (std::uint32_t r = 0; r < in.results; ++r) note_count(in.first_result + static_cast<ValueId>(r));
}

void SizesOf::note_count(ValueId v) {
  if (type(v) != Type::kBool && type(v) != Type::kSegdes) return;
  const auto sum = static_cast<std::size_t>(facts(v).sum);
  if (sum >= counts_.size()) counts_.resize(sum + sum / 2 + 16, false);
  counts_[sum] = true;
}

void SizesOf::constant(const Inst& in) {
  const Constant& c = m_.constants[static_cast<std::size_t>(in.index)];
  ValueFacts& v = facts(in.first_result);
  if (c.input >= 0) {
    fresh(in.first_result);
    if (c.is_single) v.length = k_.one;
    return;
  }
  const std::size_t n = c.word == TypeWord::kFloat ? c.floats.size() : c.ints.size();
  v.length = k_.symbols.constant(static_cast<std::int64_t>(n));
  std::uint64_t sum = 0;
  for (const std::int64_t x : c.ints) sum += static_cast<std::uint64_t>(x);
  v.sum = has_sum(in.first_result)
              ? k_.symbols.constant(wrap_int(static_cast<std::int64_t>(sum), m_.int_bits))
              : k_.symbols.fresh();
}

void SizesOf::by_shape(const Inst& in) {
  const Shape& shape = op_shape(in.op);
  ShapeLetters<Symbol> bound(kNoSymbol);
  bound('1') = k_.one;
  for (std::uint32_t i = 0; i < in.operands; ++i) {
    const ShapeTerm& t = shape.terms[i];
    const ValueFacts& v = facts(f_.operands_of(in)[i]);
    if (t.length != '_' && bound(t.length) == kNoSymbol) bound(t.length) = v.length;
    if (t.total != 0 && bound(t.total) == kNoSymbol) bound(t.total) = v.sum;
  }
  for (std::uint32_t r = 0; r < in.results; ++r) {
    const ShapeTerm& t = shape.terms[in.operands + r];
    ValueFacts& v = facts(in.first_result + static_cast<ValueId>(r));
    if (t.length != '_') {
      if (bound(t.length) == kNoSymbol) bound(t.length) = v.length;
      v.length = bound(t.length);
    }
    if (t.total == 0) continue;
    if (bound(t.total) == kNoSymbol) bound(t.total) = v.sum;
    v.sum = bound(t.total);
  }
}

void SizesOf::by_kind(const Inst& in) {
  const ValueId* operands = f_.operands_of(in);
  auto of = [&](std::uint32_t i) -> const ValueFacts& { return facts(operands[i]); };
  if (in.results == 0) return;
  const bool whole = !m_.prefix_lengths || in.operands < 2 || of(0).length == of(1).length;
  ValueFacts& out = facts(in.first_result);
  switch (in.op) {
    case Op::kMakeSegdes: out.sum = of(0).sum; break;
    case Op::kLengths:
    case Op::kBtoI: out.sum = of(0).sum; break;
    case Op::kLength: out.sum = of(0).length; break;
    case Op::kPack: {
      ValueFacts& lengths = facts(in.first_result + 1);
      out.length = lengths.sum = of(1).sum;
      if (in.word == TypeWord::kInt) out.sum = sum_of_kept(operands[0], flag_of(operands[1]));
      break;
    }
    case Op::kAddReduce:
      if (in.word == TypeWord::kInt) out.sum = of(0).sum;
      break;
    case Op::kAdd:
      if (in.word == TypeWord::kInt && whole) out.sum = k_.symbols.add(of(0).sum, of(1).sum);
      break;
    case Op::kSub:
      if (in.word == TypeWord::kInt && whole) out.sum = k_.symbols.subtract(of(0).sum, of(1).sum);
      break;
    case Op::kMul:
      if (in.word != TypeWord::kInt || !whole) break;
      if (const auto number = one_number(operands[0]))
        out.sum = k_.symbols.scale(*number, of(1).sum);
      else if (const auto factor = one_number(operands[1]))
        out.sum = k_.symbols.scale(*factor, of(0).sum);
      break;
    case Op::kNot:
      if (in.word == TypeWord::kBool) out.sum = k_.symbols.subtract(of(0).length, of(0).sum);
      break;
    case Op::kDist:
      if (in.word == TypeWord::kBool) out.sum = sum_of_kept(operands[1], flag_of(operands[0]));
      if (in.word != TypeWord::kInt) break;
      // Copies of one number, or as many copies of each.
      if (const auto number = one_number(operands[0]))
        out.sum = k_.symbols.scale(*number, out.length);
      else if (const auto copies = one_length(operands[1]))
        out.sum = k_.symbols.scale(*copies, of(0).sum);
      break;
    case Op::kDpermute:
      if (const auto sum = sum_of_placed(in)) out.sum = *sum;
      if (auto flag = chosen_by(operands[1]); flag && in.word == TypeWord::kInt) {
        flag->negated = !flag->negated;
        out.sum = k_.symbols.add(of(0).sum, sum_of_kept(operands[2], *flag));
      }
      break;
    case Op::kReplace:
      if (const auto sum = sum_of_list(in)) out.sum = *sum;
      break;
    case Op::kBpermute:
      if (const auto flag = chosen_by(operands[1]); flag && in.word == TypeWord::kInt)
        out.sum = sum_of_kept(operands[0], *flag);
      break;
    default: break;
  }
  if (op_kind(in.op) == OpKind::kCombine && op_info(in.op).scalar == Scalar::kAdd &&
      in.word == TypeWord::kInt)
    out.sum = k_.symbols.add(of(0).sum, of(2).sum);
  bounds(in, out);
}

void SizesOf::bounds(const Inst& in, ValueFacts& out) {
  const ValueId* operands = f_.operands_of(in);
  if (in.op == Op::kIndex) {
    if (facts(operands[2]).length == k_.one && counts_up(in)) out.below = facts(operands[2]).sum;
  }
  if (in.op == Op::kPack || in.op == Op::kBpermute || in.op == Op::kExtract || in.op == Op::kDist)
    out.below = facts(operands[0]).below;
}

std::optional<Symbol> SizesOf::sum_of_placed(const Inst& outermost) {
  std::vector<std::int64_t> places;
  std::optional<Symbol> sum;
  const Inst* in = &outermost;
  while (in != nullptr && in->op == Op::kDpermute && in->word == TypeWord::kInt) {
    const ValueId* operands = f_.operands_of(*in);
    const Inst* single = maker(operands[3]);
    const Constant* place = constant_elements(m_, f_, operands[1], shape_.makers);
    if (place == nullptr || place->ints.size() != 1 || operands[4] != f_.operands_of(outermost)[4] ||
        places.size() == kLongestList)
      return std::nullopt;
    if (single == nullptr || !describes_singles(*single)) return std::nullopt;
    if (std::find(places.begin(), places.end(), place->ints[0]) == places.end())
      sum = sum ? k_.symbols.add(*sum, facts(operands[0]).sum) : facts(operands[0]).sum;
    places.push_back(place->ints[0]);
    if (all_elements(m_, f_, operands[2], shape_.makers, 0)) return sum;
    in = maker(operands[2]);
  }
  return std::nullopt;
}

std::optional<Symbol> SizesOf::sum_of_list(const Inst& outermost) {
  std::vector<std::int64_t> places;
  std::vector<ValueId> items;  // by place; summed only once it is known that the list is not too long
  const ValueId over = f_.operands_of(outermost)[3];
  std::size_t looked = 0;
  const Inst* in = &outermost;
  while (in != nullptr && in->op == Op::kReplace && in->word == TypeWord::kInt) {
    const ValueId* operands = f_.operands_of(*in);
    const auto place = one_number(operands[1]);
    if (!place || operands[3] != over || looked++ == kLongestList) return std::nullopt;
    if (std::find(places.begin(), places.end(), *place) == places.end()) {
      items.push_back(operands[2]);
      places.push_back(*place);
    }
    in = maker(operands[0]);
  }
  std::sort(places.begin(), places.end());
  Symbol sum = k_.symbols.constant(0);
  for (const ValueId item : items) sum = k_.symbols.add(sum, facts(item).sum);
  if (in == nullptr || places.empty() || places.front() < 0) return std::nullopt;
  if (in->op == Op::kConst && k_.is_scalar(over)) {
    const std::vector<std::int64_t>& left = m_.constants[static_cast<std::size_t>(in->index)].ints;
    if (places.back() >= static_cast<std::int64_t>(left.size())) return std::nullopt;
    for (std::size_t i = 0; i < left.size(); ++i)
      if (!std::binary_search(places.begin(), places.end(), static_cast<std::int64_t>(i)))
        sum = k_.symbols.add(sum, k_.symbols.constant(left[i]));
    return sum;
  }
  // The list may have been filled as a whole: then `over` must be one segment too.
  if (in->op != Op::kDist || (f_.operands_of(*in)[1] != over && !k_.is_scalar(over))) return std::nullopt;
  const auto n = one_length(f_.operands_of(*in)[1]);
  if (!n || places.back() >= *n) return std::nullopt;
  const auto left = *n - static_cast<std::int64_t>(places.size());
  return k_.symbols.add(sum, k_.symbols.scale(left, facts(f_.operands_of(*in)[0]).sum));
}

std::optional<std::int64_t> SizesOf::one_number(ValueId v) const {
  const Constant* c = constant_elements(m_, f_, v, shape_.makers);
  if (c == nullptr || c->word != TypeWord::kInt || c->ints.size() != 1) return std::nullopt;
  return c->ints[0];
}

std::optional<std::int64_t> SizesOf::one_length(ValueId descriptor) const {
  const Inst* in = maker(descriptor);
  if (in == nullptr) return std::nullopt;
  if (in->op == Op::kMakeSegdes) return one_number(f_.operands_of(*in)[0]);
  if (in->op != Op::kConst) return std::nullopt;
  const Constant& c = m_.constants[static_cast<std::size_t>(in->index)];
  if (c.input >= 0 || c.ints.size() != 1) return std::nullopt;
  return c.ints[0];
}

SizesOf::Flag SizesOf::flag_of(ValueId v) const {
  Flag flag{v, false};
  const Inst* in = maker(v);
  while (in != nullptr && in->op == Op::kNot) {
    flag = {f_.operands_of(*in)[0], !flag.negated};
    in = maker(flag.flags);
  }
  return flag;
}

std::optional<SizesOf::Flag> SizesOf::chosen_by(ValueId indices) const {
  const Inst* pack = maker(indices);
  if (pack == nullptr || pack->op != Op::kPack || pack->first_result != indices) return std::nullopt;
  const ValueId* operands = f_.operands_of(*pack);
  const Inst* all = maker(operands[0]);
  if (all == nullptr || all->op != Op::kIndex || !counts_up(*all)) return std::nullopt;
  if (f_.operands_of(*all)[2] != operands[2] || !k_.is_scalar(operands[2])) return std::nullopt;
  return flag_of(operands[1]);
}

Symbol SizesOf::sum_of_kept(ValueId v, Flag flag) {
  v = lengths_behind(v);
  const Inst* in = maker(v);
  // Where these flags chose the places, what was put there; where the others did, what was there before.
  while (in != nullptr && in->op == Op::kDpermute && in->word == TypeWord::kInt) {
    const std::optional<Flag> put = chosen_by(f_.operands_of(*in)[1]);
    if (put == flag) return facts(f_.operands_of(*in)[0]).sum;
    if (!put || put->flags != flag.flags) break;
    v = f_.operands_of(*in)[2];
    in = maker(v);
  }
  if (all_elements(m_, f_, v, shape_.makers, 0)) return k_.symbols.constant(0);
  const auto [it, fresh] = kept_.try_emplace({v, flag}, kNoSymbol);
  if (fresh) it->second = k_.symbols.fresh();
  return it->second;
}

bool SizesOf::describes_singles(const Inst& descriptor) const {
  if (descriptor.op == Op::kMakeSegdes)
    return all_elements(m_, f_, f_.operands_of(descriptor)[0], shape_.makers, 1);
  if (descriptor.op != Op::kConst) return false;
  const Constant& c = m_.constants[static_cast<std::size_t>(descriptor.index)];
  return c.input < 0 && std::all_of(c.ints.begin(), c.ints.end(), [](std::int64_t n) { return n == 1; });
}

bool SizesOf::counts_up(const Inst& in) const {
  return all_elements(m_, f_, f_.operands_of(in)[0], shape_.makers, 0) &&
         all_elements(m_, f_, f_.operands_of(in)[1], shape_.makers, 1);
}

}  // namespace nvm::ssa
