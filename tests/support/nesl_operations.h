// The operations of NESL that random programs are made of. None can fail: divisors are made positive, indices
// are taken modulo the length.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/nesl_reference.h"

namespace nvm::test::nesl {

using Values = std::vector<Value>;

inline std::int64_t wrapped(std::uint64_t x) { return static_cast<std::int64_t>(x); }
inline std::uint64_t bits(const Value& v) { return static_cast<std::uint64_t>(v.number); }
inline std::int64_t small(const Value& v, std::int64_t limit) { return std::llabs(v.number % limit); }
inline Value flag(bool b) { return {b ? 1 : 0}; }
inline Value real(double x) { return {0, x}; }
inline std::size_t place(const Value& index, const Value& in) {
  return static_cast<std::size_t>(small(index, 97)) % in.parts.size();
}

inline void add_arithmetic(std::vector<Operation>& out) {
  const auto ints = [&](const char* form, auto apply) {
    out.push_back({form, {kInt, kInt}, kInt, [apply](const Values& v) { return Value{apply(v[0], v[1])}; }});
  };
  ints("$0 + $1", [](const Value& a, const Value& b) { return wrapped(bits(a) + bits(b)); });
  ints("$0 - $1", [](const Value& a, const Value& b) { return wrapped(bits(a) - bits(b)); });
  ints("$0 * $1", [](const Value& a, const Value& b) { return wrapped(bits(a) * bits(b)); });
  ints("max($0, $1)", [](const Value& a, const Value& b) { return std::max(a.number, b.number); });
  ints("min($0, $1)", [](const Value& a, const Value& b) { return std::min(a.number, b.number); });
  ints("$0 / (1 + abs(rem($1, 7)))",
       [](const Value& a, const Value& b) { return a.number / (1 + small(b, 7)); });
  ints("rem($0, 1 + abs(rem($1, 7)))",
       [](const Value& a, const Value& b) { return a.number % (1 + small(b, 7)); });
  out.push_back({"$0 / 3", {kInt}, kInt, [](const Values& v) { return Value{v[0].number / 3}; }});
  out.push_back({"btoi($0)", {kBool}, kInt, [](const Values& v) { return v[0]; }});
  out.push_back({"trunc($0)", {kFloat}, kInt, [](const Values& v) {
                   return Value{static_cast<std::int64_t>(v[0].real)};
                 }});
  out.push_back({"float(rem($0, 100))", {kInt}, kFloat, [](const Values& v) {
                   return real(static_cast<double>(v[0].number % 100));
                 }});
  out.push_back(
      {"$0 + $1", {kFloat, kFloat}, kFloat, [](const Values& v) { return real(v[0].real + v[1].real); }});
  out.push_back(
      {"$0 - $1", {kFloat, kFloat}, kFloat, [](const Values& v) { return real(v[0].real - v[1].real); }});
  out.push_back({"$0 * 2.0", {kFloat}, kFloat, [](const Values& v) { return real(v[0].real * 2); }});
  out.push_back({"max($0, $1)", {kFloat, kFloat}, kFloat, [](const Values& v) {
                   return real(std::max(v[0].real, v[1].real));
                 }});
}

inline void add_logic(std::vector<Operation>& out) {
  const auto compare = [&](const char* form, auto holds) {
    out.push_back({form, {kInt, kInt}, kBool, [holds](const Values& v) {
                     return flag(holds(v[0].number, v[1].number));
                   }});
    out.push_back({form, {kFloat, kFloat}, kBool, [holds](const Values& v) {
                     return flag(holds(v[0].real, v[1].real));
                   }});
  };
  compare("$0 < $1", [](auto a, auto b) { return a < b; });
  compare("$0 >= $1", [](auto a, auto b) { return a >= b; });
  compare("$0 == $1", [](auto a, auto b) { return a == b; });
  compare("$0 /= $1", [](auto a, auto b) { return a != b; });
  const auto both = [&](const char* form, auto holds) {
    out.push_back({form, {kBool, kBool}, kBool, [holds](const Values& v) {
                     return flag(holds(v[0].number != 0, v[1].number != 0));
                   }});
  };
  both("$0 and $1", [](bool a, bool b) { return a && b; });
  both("$0 or $1", [](bool a, bool b) { return a || b; });
  both("$0 xor $1", [](bool a, bool b) { return a != b; });
  out.push_back({"not($0)", {kBool}, kBool, [](const Values& v) { return flag(v[0].number == 0); }});
}

template <typename Combine>
Value folded(const Value& v, Value first, Combine combine) {
  return std::accumulate(v.parts.begin(), v.parts.end(), std::move(first), combine);
}

inline void add_folds(std::vector<Operation>& out) {
  const auto plus = [](const Value& a, const Value& b) { return Value{wrapped(bits(a) + bits(b))}; };
  out.push_back({"sum($0)", {seq(kInt)}, kInt, [plus](const Values& v) { return folded(v[0], {}, plus); }});
  out.push_back({"sum($0)", {seq(kFloat)}, kFloat, [](const Values& v) {
                   return folded(v[0], {},
                                 [](const Value& a, const Value& b) { return real(a.real + b.real); });
                 }});
  out.push_back({"any($0)", {seq(kBool)}, kBool, [](const Values& v) {
                   return flag(folded(v[0], {}, [](const Value& a, const Value& b) {
                                 return Value{a.number | b.number};
                               }).number != 0);
                 }});
  out.push_back({"all($0)", {seq(kBool)}, kBool, [](const Values& v) {
                   return flag(folded(v[0], {1}, [](const Value& a, const Value& b) {
                                 return Value{a.number & b.number};
                               }).number != 0);
                 }});
  out.push_back(
      {"count($0)", {seq(kBool)}, kInt, [plus](const Values& v) { return folded(v[0], {}, plus); }});
  out.push_back(
      {"let v_ = $0 in if #v_ == 0 then $1 else max_val(v_)", {seq(kInt), kInt}, kInt, [](const Values& v) {
         if (v[0].parts.empty()) return v[1];
         return folded(v[0], v[0].parts[0],
                       [](const Value& a, const Value& b) { return a.number < b.number ? b : a; });
       }});
  out.push_back({"plus_scan($0)", {seq(kInt)}, seq(kInt), [plus](const Values& v) {
                   Value out, sum;
                   for (const Value& x : v[0].parts) {
                     out.parts.push_back(sum);
                     sum = plus(sum, x);
                   }
                   return out;
                 }});
  out.push_back({"sort($0)", {seq(kInt)}, seq(kInt), [](const Values& v) {
                   Value out = v[0];
                   std::stable_sort(out.parts.begin(), out.parts.end(),
                                    [](const Value& a, const Value& b) { return a.number < b.number; });
                   return out;
                 }});
  out.push_back({"[0:abs(rem($0, 5))]", {kInt}, seq(kInt), [](const Values& v) {
                   Value out;
                   for (std::int64_t i = 0; i < small(v[0], 5); ++i) out.parts.push_back({i});
                   return out;
                 }});
}

// For elements of type `a`.
inline void add_sequences(std::vector<Operation>& out, const Type& a) {
  const Type s = seq(a);
  out.push_back({"#($0)", {s}, kInt, [](const Values& v) {
                   return Value{static_cast<std::int64_t>(v[0].parts.size())};
                 }});
  out.push_back({"eql($0, $1)", {a, a}, kBool, [](const Values& v) { return flag(v[0] == v[1]); }});
  out.push_back({"let v_ = $0 in if #v_ == 0 then $1 else v_[rem(abs(rem($2, 97)), #v_)]",
                 {s, a, kInt},
                 a,
                 [](const Values& v) { return v[0].parts.empty() ? v[1] : v[0].parts[place(v[2], v[0])]; }});
  out.push_back({"$0 ++ $1", {s, s}, s, [](const Values& v) {
                   Value out = v[0];
                   out.parts.insert(out.parts.end(), v[1].parts.begin(), v[1].parts.end());
                   return out;
                 }});
  out.push_back({"reverse($0)", {s}, s, [](const Values& v) {
                   Value out = v[0];
                   std::reverse(out.parts.begin(), out.parts.end());
                   return out;
                 }});
  out.push_back({"dist($0, abs(rem($1, 4)))", {a, kInt}, s, [](const Values& v) {
                   return Value{0, 0, Values(static_cast<std::size_t>(small(v[1], 4)), v[0])};
                 }});
  out.push_back({"let v_ = $0 in take(v_, min(#v_, abs(rem($1, 4))))", {s, kInt}, s, [](const Values& v) {
                   Value out = v[0];
                   out.parts.resize(std::min(out.parts.size(), static_cast<std::size_t>(small(v[1], 4))));
                   return out;
                 }});
  out.push_back({"let v_ = $0 in if #v_ == 0 then v_ else v_ -> {rem(abs(rem(i_, 97)), #v_) : i_ in $1}",
                 {s, seq(kInt)},
                 s,
                 [](const Values& v) {
                   Value out;
                   if (!v[0].parts.empty())
                     for (const Value& i : v[1].parts) out.parts.push_back(v[0].parts[place(i, v[0])]);
                   return out;
                 }});
  out.push_back(
      {"let v_ = $0 in if #v_ == 0 then v_ else v_ <- {(rem(abs(rem(i_, 97)), #v_), x_) : (i_, x_) in $1}",
       {s, seq(pair(kInt, a))},
       s,
       [](const Values& v) {
         Value out = v[0];
         if (!out.parts.empty())
           for (const Value& p : v[1].parts) out.parts[place(p.parts[0], out)] = p.parts[1];
         return out;
       }});
  out.push_back({"let v_ = $0 in if #v_ == 0 then v_ else rep(v_, $1, rem(abs(rem($2, 97)), #v_))",
                 {s, a, kInt},
                 s,
                 [](const Values& v) {
                   Value out = v[0];
                   if (!out.parts.empty()) out.parts[place(v[2], out)] = v[1];
                   return out;
                 }});
  out.push_back({"flatten($0)", {seq(s)}, s, [](const Values& v) {
                   Value out;
                   for (const Value& part : v[0].parts)
                     out.parts.insert(out.parts.end(), part.parts.begin(), part.parts.end());
                   return out;
                 }});
  out.push_back(
      {"bottop($0)", {s}, seq(s), [](const Values& v) {
         const auto half = static_cast<std::ptrdiff_t>((v[0].parts.size() + 1) / 2);
         const auto begin = v[0].parts.begin();
         return Value{0, 0, {{0, 0, {begin, begin + half}}, {0, 0, {begin + half, v[0].parts.end()}}}};
       }});
}

inline const std::vector<Operation>& operations() {
  static const std::vector<Operation> kAll = [] {
    std::vector<Operation> out;
    add_arithmetic(out);
    add_logic(out);
    add_folds(out);
    for (const Type& a : {kInt, kBool, kFloat, pair(kInt, kFloat), seq(kInt), seq(kBool),
                          seq(pair(kInt, kInt)), seq(seq(kInt)), pair(seq(kInt), kBool)})
      add_sequences(out, a);
    return out;
  }();
  return kAll;
}

}  // namespace nvm::test::nesl
