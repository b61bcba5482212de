#include "bytecode/plan/nest_numbers.h"
#include "bytecode/base/stack.h"

#include <algorithm>
#include <cstdlib>

namespace nvm::plan {

using soac::BodyInst;
using soac::Pull;

std::int32_t NestNumbers::constant(std::int64_t i) {
  BodyInst in;
  in.imm = i;
  return body_.add(in);
}

std::optional<std::int64_t> NestNumbers::known(std::int32_t v) const {
  const BodyInst& in = inst(v);
  if (in.pull == Pull::kConst && in.type != Type::kFloat) return in.imm;
  return std::nullopt;
}

std::optional<std::size_t> NestNumbers::few(std::int32_t v) const {
  constexpr std::int64_t kMost = 8;
  const auto n = known(v);
  if (!n || *n < 0 || *n > kMost) return std::nullopt;
  return static_cast<std::size_t>(*n);
}

std::int32_t NestNumbers::apply(Scalar s, Type type, std::int32_t a, std::int32_t b, std::int32_t c) {
  if (type != Type::kInt || b == kNone) return body_.apply(s, type, a, b, c);
  const bool adds = s == Scalar::kAdd, subtracts = s == Scalar::kSub;
  if ((adds || subtracts) && is_known(b, 0)) return a;
  if (adds && is_known(a, 0)) return b;
  if (s == Scalar::kMul && is_known(b, 1)) return a;
  constexpr std::int64_t kSmall = 1 << 30;  // no sum or product wraps
  const std::int64_t x = known(a).value_or(kSmall), y = known(b).value_or(kSmall);
  if (std::abs(x) < kSmall && std::abs(y) < kSmall) {
    if (adds || subtracts) return constant(adds ? x + y : x - y);
    if (s == Scalar::kMul) return constant(x * y);
  }
  return body_.apply(s, type, a, b, c);
}

void NestNumbers::add_terms(std::int32_t v, std::int64_t factor, int depth, Terms& terms) const {
  check_stack();
  const BodyInst& in = inst(v);
  const bool adds = in.pull == Pull::kApply && (in.scalar == Scalar::kAdd || in.scalar == Scalar::kSub);
  if (const auto i = known(v)) {
    terms[kNone] += factor * *i;
  } else if (adds && depth > 0) {
    add_terms(in.a, factor, depth - 1, terms);
    add_terms(in.b, in.scalar == Scalar::kAdd ? factor : -factor, depth - 1, terms);
  } else {
    terms[v] += factor;
  }
}

bool NestNumbers::equal(std::int32_t a, std::int32_t b) const {
  if (a == b) return true;
  Terms terms;
  add_terms(a, 1, kDeepest, terms);
  add_terms(b, -1, kDeepest, terms);
  return std::all_of(terms.begin(), terms.end(), [](const auto& t) { return t.second == 0; });
}

std::optional<std::int32_t> NestNumbers::without(std::int32_t v, const std::vector<std::int32_t>& terms) {
  Terms all;
  add_terms(v, 1, kDeepest, all);
  for (const std::int32_t t : terms)
    if (const auto found = all.find(t); found == all.end() || found->second != 1) return std::nullopt;
  for (const std::int32_t t : terms) all.erase(t);
  std::int32_t rest = constant(0);
  for (const auto& [term, factor] : all)
    rest =
        sum(rest, term == kNone ? constant(factor) : apply(Scalar::kMul, Type::kInt, term, constant(factor)));
  return rest;
}

bool NestNumbers::called(std::int32_t v) const {
  std::vector<bool> read(static_cast<std::size_t>(v) + 1);
  read.back() = true;
  for (std::int32_t x = v; x >= 0; --x) {
    if (!read[static_cast<std::size_t>(x)]) continue;
    const BodyInst& in = inst(x);
    if (in.pull == Pull::kPerSegment) return true;
    if (in.pull != Pull::kApply && in.pull != Pull::kGather) continue;
    for (const std::int32_t of : {in.a, in.b, in.c})
      if (of != kNone) read[static_cast<std::size_t>(of)] = true;
  }
  return false;
}

bool NestNumbers::not_negative(std::int32_t v) const {
  Terms terms;
  add_terms(v, 1, kDeepest, terms);
  return std::all_of(terms.begin(), terms.end(), [&](const auto& t) {
    return t.second >= 0 && (t.first == kNone || lengths_.count(t.first) > 0);
  });
}

}  // namespace nvm::plan
