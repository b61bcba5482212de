// The library on flat vectors.
#include <algorithm>
#include <map>

#include "frontend/remora/flattener.h"

namespace nvm::remora {

namespace {

using L = Library;

constexpr std::int64_t kMostFolded = 64;

struct Scalar {
  AtomKind kind;
  const char* body;
};

// Functions of atoms that cannot fail.
const std::map<Library, Scalar>& scalars() {
  using enum AtomKind;
  static const std::map<Library, Scalar> all = {
      {L::kAdd, {kInt, "p + q"}},
      {L::kSub, {kInt, "p - q"}},
      {L::kMul, {kInt, "p * q"}},
      {L::kMin, {kInt, "if q < p then q else p"}},
      {L::kMax, {kInt, "if p < q then q else p"}},
      {L::kNeg, {kInt, "0 - p"}},
      {L::kAbs, {kInt, "if p < 0 then 0 - p else p"}},
      {L::kSign, {kInt, "if p < 0 then -1 else if p > 0 then 1 else 0"}},
      {L::kBitAnd, {kInt, "p and q"}},
      {L::kBitOr, {kInt, "p or q"}},
      {L::kBitXor, {kInt, "p xor q"}},
      {L::kBitNot, {kInt, "-1 - p"}},
      {L::kShl, {kInt, "lshift(p, q and 63)"}},
      {L::kEq, {kBool, "p == q"}},
      {L::kNe, {kBool, "p /= q"}},
      {L::kLt, {kBool, "p < q"}},
      {L::kLe, {kBool, "p <= q"}},
      {L::kGt, {kBool, "p > q"}},
      {L::kGe, {kBool, "p >= q"}},
      {L::kFEq, {kBool, "p == q"}},
      {L::kFNe, {kBool, "not(p == q)"}},
      {L::kFLt, {kBool, "p < q"}},
      {L::kFLe, {kBool, "p <= q"}},
      {L::kFGt, {kBool, "p > q"}},
      {L::kFGe, {kBool, "p >= q"}},
      {L::kBoolEq, {kBool, "not(p xor q)"}},
      {L::kCharEq, {kBool, "p == q"}},
      {L::kCharLt, {kBool, "p < q"}},
      {L::kFAdd, {kFloat, "p + q"}},
      {L::kFSub, {kFloat, "p - q"}},
      {L::kFMul, {kFloat, "p * q"}},
      {L::kFQuotient, {kFloat, "div_internal(p, q)"}},
      {L::kSqrt, {kFloat, "prim_sqrt(p)"}},
      {L::kLn, {kFloat, "prim_ln(p)"}},
      {L::kFNeg, {kFloat, "p * (-1.0)"}},
      {L::kFAbs, {kFloat, "if p > 0.0 then p else 0.0 - p"}},
      {L::kFMin, {kFloat, "if q < p then q else p"}},
      {L::kFMax, {kFloat, "if p < q then q else p"}},
      {L::kTan, {kFloat, "tan(p)"}},
      {L::kArctan, {kFloat, "atan(p)"}},
      {L::kExp, {kFloat, "exp(p)"}},
      {L::kSin, {kFloat, "sin(p)"}},
      {L::kCos, {kFloat, "cos(p)"}},
      {L::kIntToFloat, {kFloat, "float(p)"}},
      {L::kIntToBool, {kBool, "p /= 0"}},
      {L::kBoolToInt, {kInt, "if p then 1 else 0"}},
      {L::kAnd, {kBool, "p and q"}},
      {L::kOr, {kBool, "p or q"}},
      {L::kXor, {kBool, "p xor q"}},
      {L::kNot, {kBool, "not(p)"}},
  };
  return all;
}

// Functions that fail where the second argument is zero.
const std::map<Library, const char*>& quotients() {
  static const std::map<Library, const char*> all = {
      {L::kQuotient, "if q == 0 then 0 else if q == -1 then 0 - p else p / q"},
      {L::kRemainder, "if q == 0 then 0 else if q == -1 then 0 else rem(p, q)"},
      {L::kDiv,
       "if q == 0 then 0 else if q == -1 then 0 - p else "
       "if rem(p, q) /= 0 and ((p < 0) xor (q < 0)) then p / q - 1 else p / q"},
      {L::kMod,
       "if q == 0 then 0 else if q == -1 then 0 else "
       "if rem(p, q) /= 0 and ((p < 0) xor (q < 0)) then rem(p, q) + q else rem(p, q)"},
  };
  return all;
}

// Functions of floats that fail where the result is no integer of 64 bits.
const std::map<Library, const char*>& roundings() {
  static const std::map<Library, const char*> all = {{L::kFloor, "floor(p)"},
                                                     {L::kCeiling, "ceil(p)"},
                                                     {L::kTruncate, "trunc(p)"},
                                                     {L::kFloatToInt, "trunc(p)"},
                                                     {L::kRound, "floor(p + 0.5)"}};
  return all;
}

std::string number(std::int64_t n) { return std::to_string(n); }
Dims rest(const Dims& d) { return {d.begin() + 1, d.end()}; }

}  // namespace

std::optional<FlatArray> Flattener::scalar_call(Library id, const std::vector<FlatArray>& a) {
  if (const auto at = scalars().find(id); at != scalars().end())
    return each(at->second.kind, at->second.body, a);
  if (id == L::kSelect) return each(a[1].kind, "if r then p else q", {a[1], a[2], a[0]});
  if (id == L::kCharToInt) return FlatArray{a[0].name, AtomKind::kInt, {}, a[0].depth};
  return std::nullopt;
}

std::optional<FlatArray> Flattener::checked_call(Library id, const std::vector<FlatArray>& a) {
  if (const auto at = quotients().find(id); at != quotients().end()) {
    note("division", each(AtomKind::kBool, "p == 0", {a[1]}));
    return each(AtomKind::kInt, at->second, a);
  }
  if (const auto at = roundings().find(id); at != roundings().end()) {
    const std::string is_int = "p >= -9223372036854775808.0 and p < 9223372036854775808.0";
    note("domain", each(AtomKind::kBool, "not(" + is_int + ")", a));
    return each(AtomKind::kInt, "if " + is_int + " then " + at->second + " else 0", a);
  }
  if (id == L::kIntToChar) {
    note("domain", each(AtomKind::kBool, "p < 0 or p > 1114111 or (p >= 55296 and p < 57344)", {a[0]}));
    return FlatArray{a[0].name, AtomKind::kChar, {}, a[0].depth};
  }
  return std::nullopt;
}

// Items of x, [d ...], at the places in index, [e].
FlatArray Flattener::gathered(const FlatArray& from, const FlatArray& index, bool checked) {
  const std::size_t depth = std::max(from.depth, index.depth);
  const FlatArray x = expand(from, depth);
  FlatArray i = expand(index, depth);
  const std::int64_t d = x.shape[0];
  if (checked) {
    note("bounds", each(AtomKind::kBool, "p < 0 or p >= " + number(d), {i}));
    i = each(AtomKind::kInt, "if p < 0 or p >= " + number(d) + " then 0 else p", {i});
  }
  const Dims item = rest(x.shape), shape = joined_dims(i.shape, item);
  const std::int64_t cell = count_of(item), e = count_of(i.shape);
  FlatArray out{"", x.kind, shape, depth};
  const std::int64_t n = length(out);
  if (n == 0) return empty(x.kind, shape, depth);
  if (length(x) == 0) {  // all have failed
    const char* zero = x.kind == AtomKind::kFloat ? "0.0" : x.kind == AtomKind::kBool ? "f" : "0";
    return emit(x.kind, shape, depth, std::string("dist(") + zero + ", " + number(n) + ")");
  }
  std::string at = i.name;
  if (cell > 1) {
    at = emit(AtomKind::kInt, shape, depth,
              i.name + " -> {k / " + number(cell) + " : k in [0:" + number(n) + "]}")
             .name;
  }
  return emit(x.kind, shape, depth,
              x.name + " -> {(k / " + number(e * cell) + ") * " + number(d * cell) + " + i * " +
                  number(cell) + " + rem(k, " + number(cell) + ") : k in [0:" + number(n) + "]; i in " + at +
                  "}");
}

std::optional<FlatArray> Flattener::rearranged(const FlatValue& f, const std::vector<FlatArray>& a) {
  const auto id = static_cast<Library>(f.library);
  const auto d = [&] { return a[0].shape[0]; };
  const auto shaped = [&](Dims shape) {
    return FlatArray{a[0].name, a[0].kind, std::move(shape), a[0].depth};
  };
  const auto from = [&](std::int64_t n, std::int64_t first) {
    return items(a[0], n, [&](const std::string& j) { return j + " + " + number(first); });
  };
  switch (id) {
    case L::kLength: return constant(d());
    case L::kRank: return constant(static_cast<std::int64_t>(a[0].shape.size()));
    case L::kSize: return constant(count_of(a[0].shape));
    case L::kFlatten: return shaped(joined_dims({d() * a[0].shape[1]}, rest(rest(a[0].shape))));
    case L::kRavel: return shaped({count_of(a[0].shape)});
    case L::kItemize: return shaped(joined_dims({1}, a[0].shape));
    case L::kReplicate:
      return repeated(a[0], count_of(f.indices[0]), joined_dims(f.indices[0], a[0].shape), a[0].depth);
    case L::kWithShape:
      return repeated(a[1], count_of(a[0].shape), joined_dims(a[0].shape, a[1].shape), a[1].depth);
    case L::kHead: {
      FlatArray x = from(1, 0);
      x.shape = rest(x.shape);
      return x;
    }
    case L::kLast: {
      FlatArray x = from(1, d() - 1);
      x.shape = rest(x.shape);
      return x;
    }
    case L::kTail: return from(d() - 1, 1);
    case L::kCurtail: return from(d() - 1, 0);
    case L::kTake: return from(f.indices[0][0], 0);
    case L::kDrop: return from(d() - f.indices[0][0], f.indices[0][0]);
    case L::kAppend: return appended(a[0], a[1]);
    case L::kReverse:
      return items(a[0], d(), [&](const std::string& j) { return number(d() - 1) + " - " + j; });
    case L::kTranspose: {
      const std::int64_t m = d(), n = a[0].shape[1];
      FlatArray x = shaped(joined_dims({m * n}, rest(rest(a[0].shape))));
      x = items(x, m * n, [&](const std::string& j) {
        return "rem(" + j + ", " + number(m) + ") * " + number(n) + " + " + j + " / " + number(m);
      });
      x.shape = joined_dims({n, m}, rest(rest(a[0].shape)));
      return x;
    }
    case L::kRotate: {
      if (d() == 0) return a[0];
      const FlatArray by = each(AtomKind::kInt, "rem(p, " + number(d()) + ")", {a[1]});
      FlatArray places = repeated(by, d(), {d()}, by.depth);
      const std::int64_t n = length(places);
      if (n == 0) return empty(a[0].kind, a[0].shape, by.depth);
      const std::string m = number(d());
      places = emit(AtomKind::kInt, {d()}, by.depth,
                    "{rem(rem(k, " + m + ") + p + " + m + ", " + m + ") : k in [0:" + number(n) + "]; p in " +
                        places.name + "}");
      return gathered(a[0], places, false);
    }
    case L::kItem: return gathered(a[0], a[1], true);
    case L::kGather: return gathered(a[0], a[1], true);
    default: return std::nullopt;
  }
}

FlatArray Flattener::total(const FlatArray& x, const char* function) {
  const std::int64_t lanes = lanes_[x.depth], n = count_of(x.shape);
  if (lanes == 0) return empty(x.kind, {}, x.depth);
  if (lanes == 1) return emit(x.kind, {}, x.depth, std::string("[") + function + "(" + x.name + ")]");
  return emit(x.kind, {}, x.depth,
              std::string("{") + function + "(p) : p in partition(" + x.name + ", dist(" + number(n) + ", " +
                  number(lanes) + "))}");
}

FlatArray Flattener::combined(const FlatValue& op, const FlatArray& a, const FlatArray& b,
                              const Dims& frame) {
  FlatValue v = framed(op, {{a}, {b}}, {frame, frame}, frame);
  if (!v.array) refuse("operators of functions");
  return *v.array;
}

FlatArray Flattener::with_zero(const FlatValue& op, const FlatArray& zero, const FlatArray& x,
                               const Dims& frame) {
  FlatValue v = framed(op, {{zero}, {x}}, {{}, frame}, frame);
  if (!v.array) refuse("operators of functions");
  return *v.array;
}

FlatArray Flattener::reduced(const FlatValue& op, FlatArray x, const Dims& pad) {
  while (x.shape[0] > 1) {
    const std::int64_t d = x.shape[0], h = d / 2;
    const auto every = [&](const char* first) {
      return items(x, h, [&](const std::string& j) { return "(" + j + ") * 2" + first; });
    };
    const FlatArray last = items(x, d % 2, [&](const std::string& j) { return j + " + " + number(d - 1); });
    x = combined(op, every(""), every(" + 1"), joined_dims({h}, pad));
    if (d % 2 != 0) x = appended(x, last);
  }
  x.shape = rest(x.shape);
  return x;
}

FlatArray Flattener::scanned(const FlatValue& op, FlatArray x, const Dims& pad) {
  const std::int64_t d = x.shape[0];
  for (std::int64_t s = 1; s < d; s *= 2) {
    const auto from = [&](std::int64_t n, std::int64_t first) {
      return items(x, n, [&](const std::string& j) { return j + " + " + number(first); });
    };
    x = appended(from(s, 0), combined(op, from(d - s, 0), from(d - s, s), joined_dims({d - s}, pad)));
  }
  return x;
}

FlatValue Flattener::prefix(Library id, const FlatValue& f, const Values& arguments) {
  const bool zeroed = id != L::kReduce && id != L::kScan;
  const FlatValue& op = arguments[0];
  if (!arguments.back().array || (zeroed && !arguments[1].array)) refuse("reductions of functions");
  const FlatArray x = *arguments.back().array;
  const Dims& pad = f.indices[1];
  const std::int64_t d = x.shape[0];
  if (id == L::kReduce) return {reduced(op, x, pad)};
  if (id == L::kScan) return {scanned(op, x, pad)};
  const FlatArray zero = *arguments[1].array;
  const FlatArray padded = repeated(zero, count_of(pad), joined_dims(pad, zero.shape), zero.depth);
  if (id == L::kReduceZero) return {d == 0 ? padded : with_zero(op, zero, reduced(op, x, pad), pad)};
  FlatArray all = d == 0 ? x : with_zero(op, zero, scanned(op, x, pad), joined_dims({d}, pad));
  if (id == L::kScanZero) return {all};
  FlatArray first = padded;
  first.shape = joined_dims({1}, first.shape);
  all = appended(first, all);
  if (id == L::kOpenScanZero) return {all};
  return {items(all, d, [](const std::string& j) { return j; })};
}

// One item after another, written out.
FlatValue Flattener::folded(Library id, const Values& arguments) {
  const bool left = id == L::kFold || id == L::kTrace, traced = id == L::kTrace || id == L::kTraceRight;
  if (!arguments[2].array || (traced && !arguments[1].array)) refuse("folds of functions");
  const FlatArray x = *arguments[2].array;
  const std::int64_t d = x.shape[0];
  if (d > kMostFolded) refuse("folds of more than " + number(kMostFolded) + " items");
  FlatValue acc = arguments[1];
  const auto item_of = [](FlatArray a) {
    a.shape = joined_dims({1}, a.shape);
    return a;
  };
  FlatArray all = traced ? item_of(*acc.array) : FlatArray{};
  for (std::int64_t k = 0; k < d; ++k) {
    const std::int64_t at = left ? k : d - 1 - k;
    FlatArray item = items(x, 1, [&](const std::string& j) { return j + " + " + number(at); });
    item.shape = rest(item.shape);
    acc = call(arguments[0], left ? Values{acc, {item}} : Values{{item}, acc});
    if (!traced) continue;
    if (!acc.array) refuse("folds of functions");
    all = left ? appended(all, item_of(*acc.array)) : appended(item_of(*acc.array), all);
  }
  return traced ? FlatValue{all} : acc;
}

FlatValue Flattener::library(const FlatValue& f, const Values& arguments) {
  const auto id = static_cast<Library>(f.library);
  switch (id) {
    case L::kReduce:
    case L::kReduceZero:
    case L::kScan:
    case L::kScanZero:
    case L::kOpenScanZero:
    case L::kExscanZero: return prefix(id, f, arguments);
    case L::kFold:
    case L::kFoldR:
    case L::kTrace:
    case L::kTraceRight: return folded(id, arguments);
    default: break;
  }
  std::vector<FlatArray> a;
  for (const FlatValue& v : arguments) {
    if (!v.array) refuse("functions as arguments of this library function");
    a.push_back(*v.array);
  }
  const auto ones = [&] { return each(AtomKind::kInt, "if p then 1 else 0", {a[0]}); };
  switch (id) {
    case L::kProduct:
    case L::kFProduct: return {total(a[0], "product")};
    case L::kFMinimum:
    case L::kFMaximum: {
      FlatValue op;
      op.library = static_cast<std::int32_t>(id == L::kFMinimum ? L::kFMin : L::kFMax);
      return {reduced(op, a[0], {})};
    }
    case L::kSum:
    case L::kFSum: return {total(a[0], "sum")};
    case L::kCount: return {total(ones(), "sum")};
    case L::kAny: return {each(AtomKind::kBool, "p > 0", {total(ones(), "sum")})};
    case L::kAll:
      return {each(AtomKind::kBool, "p == " + number(count_of(a[0].shape)), {total(ones(), "sum")})};
    case L::kMinimum: return {total(a[0], "min_val")};
    case L::kMaximum: return {total(a[0], "max_val")};
    default: break;
  }
  if (const auto out = scalar_call(id, a)) return {*out};
  if (const auto out = checked_call(id, a)) return {*out};
  if (const auto out = rearranged(f, a)) return {*out};
  refuse("the library function " + std::string(remora::library()[static_cast<std::size_t>(f.library)].name));
}

}  // namespace nvm::remora
