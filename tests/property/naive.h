// The primitives as plain loops over plain vectors, one element at a time: what the real ones are held
// against. The order of FLOAT folds is written down here a second time, from the text of reduce_tree.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "bytecode/table/op_info.h"

namespace nvm::testing {

struct NaiveVector {
  Type type = Type::kInt;
  std::vector<std::int64_t> ints;  // Int and Bool
  std::vector<double> floats;
  [[nodiscard]] std::size_t size() const { return type == Type::kFloat ? floats.size() : ints.size(); }
};
using Lengths = std::vector<std::int64_t>;
using NaiveValue = std::variant<NaiveVector, Lengths>;

struct NaiveFault {};

struct Naive {
  Op op;
  TypeWord word;
  IntBits bits;
  std::vector<NaiveValue> in;

  [[nodiscard]] const NaiveVector& v(std::size_t i) const { return std::get<NaiveVector>(in[i]); }
  [[nodiscard]] const Lengths& s(std::size_t i) const { return std::get<Lengths>(in[i]); }
  [[nodiscard]] std::int64_t fit(std::int64_t x) const {
    return bits == IntBits::k32 ? static_cast<std::int32_t>(x) : x;
  }
  [[nodiscard]] std::int64_t least() const { return bits == IntBits::k32 ? INT32_MIN : INT64_MIN; }

  [[nodiscard]] std::int64_t from_float(double x) const {
    const bool fits = bits == IntBits::k32 ? x > -2147483649.0 && x < 2147483648.0
                                           : x >= -9223372036854775808.0 && x < 9223372036854775808.0;
    return fits ? static_cast<std::int64_t>(x) : least();
  }

  [[nodiscard]] std::int64_t int_op(Scalar f, std::int64_t a, std::int64_t b) const {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    const auto count = static_cast<int>(ub & (bits == IntBits::k32 ? 31 : 63));
    switch (f) {
      case Scalar::kAdd: return fit(static_cast<std::int64_t>(ua + ub));
      case Scalar::kSub: return fit(static_cast<std::int64_t>(ua - ub));
      case Scalar::kMul: return fit(static_cast<std::int64_t>(ua * ub));
      case Scalar::kDiv:
      case Scalar::kRem:
        if (b == 0 || (b == -1 && a == least())) throw NaiveFault{};
        return f == Scalar::kDiv ? a / b : a % b;
      case Scalar::kLt: return a < b;
      case Scalar::kLe: return a <= b;
      case Scalar::kGt: return a > b;
      case Scalar::kGe: return a >= b;
      case Scalar::kEq: return a == b;
      case Scalar::kNe: return a != b;
      case Scalar::kAnd: return a & b;
      case Scalar::kOr: return a | b;
      case Scalar::kXor: return a ^ b;
      case Scalar::kShl: return fit(static_cast<std::int64_t>(ua << count));
      case Scalar::kShr: return a >> count;
      case Scalar::kMax: return a > b ? a : b;
      case Scalar::kMin: return a < b ? a : b;
      default: throw std::logic_error("no such Int operation");
    }
  }
  [[nodiscard]] static double float_op(Scalar f, double a, double b) {
    switch (f) {
      case Scalar::kAdd: return a + b;
      case Scalar::kSub: return a - b;
      case Scalar::kMul: return a * b;
      case Scalar::kDiv: return a / b;
      case Scalar::kMax: return a > b ? a : b;
      case Scalar::kMin: return a < b ? a : b;
      default: throw std::logic_error("no such Float operation");
    }
  }
  [[nodiscard]] static bool float_compare(Scalar f, double a, double b) {
    switch (f) {
      case Scalar::kLt: return a < b;
      case Scalar::kLe: return a <= b;
      case Scalar::kGt: return a > b;
      case Scalar::kGe: return a >= b;
      case Scalar::kEq: return a == b;
      default: return a != b;
    }
  }
  [[nodiscard]] static double function(Scalar f, double x) {
    switch (f) {
      case Scalar::kLog: return std::log(x);
      case Scalar::kSqrt: return std::sqrt(x);
      case Scalar::kExp: return std::exp(x);
      case Scalar::kSin: return std::sin(x);
      case Scalar::kCos: return std::cos(x);
      case Scalar::kTan: return std::tan(x);
      case Scalar::kAsin: return std::asin(x);
      case Scalar::kAcos: return std::acos(x);
      case Scalar::kAtan: return std::atan(x);
      case Scalar::kSinh: return std::sinh(x);
      case Scalar::kCosh: return std::cosh(x);
      case Scalar::kTanh: return std::tanh(x);
      default: throw std::logic_error("no such function");
    }
  }

  [[nodiscard]] NaiveVector map() const {
    const OpInfo& info = op_info(op);
    NaiveVector r;
    r.type = letter_type(info.results[0], word);
    const Scalar f = info.scalar;
    for (std::size_t i = 0; i < v(0).size(); ++i) {
      if (f == Scalar::kSelect) {
        const NaiveVector& from = v(v(0).ints[i] != 0 ? 1 : 2);
        if (r.type == Type::kFloat)
          r.floats.push_back(from.floats[i]);
        else
          r.ints.push_back(from.ints[i]);
      } else if (info.operands.size() == 2) {
        if (v(0).type != Type::kFloat)
          r.ints.push_back(int_op(f, v(0).ints[i], v(1).ints[i]));
        else if (r.type == Type::kFloat)
          r.floats.push_back(float_op(f, v(0).floats[i], v(1).floats[i]));
        else
          r.ints.push_back(float_compare(f, v(0).floats[i], v(1).floats[i]));
      } else {
        unary(f, i, r);
      }
    }
    return r;
  }
  void unary(Scalar f, std::size_t i, NaiveVector& r) const {
    switch (f) {
      case Scalar::kNot: r.ints.push_back(r.type == Type::kBool ? 1 - v(0).ints[i] : ~v(0).ints[i]); break;
      case Scalar::kItoF: r.floats.push_back(static_cast<double>(v(0).ints[i])); break;
      case Scalar::kItoB: r.ints.push_back(v(0).ints[i] != 0); break;
      case Scalar::kBtoI: r.ints.push_back(v(0).ints[i]); break;
      case Scalar::kFloor: r.ints.push_back(from_float(std::floor(v(0).floats[i]))); break;
      case Scalar::kCeil: r.ints.push_back(from_float(std::ceil(v(0).floats[i]))); break;
      case Scalar::kTrunc: r.ints.push_back(from_float(v(0).floats[i])); break;
      case Scalar::kRound: r.ints.push_back(from_float(v(0).floats[i] + 0.5)); break;
      default: r.floats.push_back(function(f, v(0).floats[i]));
    }
  }

  // --- folds
  [[nodiscard]] static double reduce_float(Scalar f, const double* x, std::size_t n) {
    double acc = float_identity(f);
    if (n <= 32) {
      for (std::size_t i = 0; i < n; ++i) acc = float_op(f, acc, x[i]);
      return acc;
    }
    if (n <= 2048) return float_op(f, acc, reduce_block(f, x, n));
    std::vector<double> totals(x, x + n);
    do {
      std::vector<double> next;
      for (std::size_t b = 0; b < totals.size(); b += 2048)
        next.push_back(reduce_block(f, &totals[b], std::min<std::size_t>(2048, totals.size() - b)));
      totals = next;
    } while (totals.size() > 2048);
    for (const double t : totals) acc = float_op(f, acc, t);
    return acc;
  }
  [[nodiscard]] static double reduce_block(Scalar f, const double* x, std::size_t n) {
    std::vector<double> lane(16, float_identity(f));
    for (std::size_t i = 0; i < n; ++i) lane[i % 16] = float_op(f, lane[i % 16], x[i]);
    for (std::size_t w = 8; w > 0; w /= 2)
      for (std::size_t l = 0; l < w; ++l) lane[l] = float_op(f, lane[l], lane[l + w]);
    return lane[0];
  }
  static void scan_float(Scalar f, const double* x, std::size_t n, double* out) {
    const double id = float_identity(f);
    double carry = id;
    if (n <= 32) {
      for (std::size_t i = 0; i < n; ++i) {
        out[i] = carry;
        carry = float_op(f, carry, x[i]);
      }
      return;
    }
    scan_blocks(f, x, n, out);
  }
  // Totals of more than 2048 blocks are scanned as elements are.
  static void scan_blocks(Scalar f, const double* x, std::size_t n, double* out) {
    const double id = float_identity(f);
    std::vector<double> totals;
    for (std::size_t g = 0; g < n; g += 8) {
      if (g % 2048 == 0) totals.push_back(id);
      double t[8] = {};
      for (std::size_t i = 0; i < 8 && g + i < n; ++i) t[i] = x[g + i];
      for (const std::size_t i : {1, 3, 5, 7}) t[i] = float_op(f, t[i - 1], t[i]);
      for (const std::size_t i : {2, 3}) t[i] = float_op(f, t[1], t[i]);
      for (const std::size_t i : {6, 7}) t[i] = float_op(f, t[5], t[i]);
      for (const std::size_t i : {4, 5, 6, 7}) t[i] = float_op(f, t[3], t[i]);
      for (std::size_t i = 0; i < 8 && g + i < n; ++i)
        out[g + i] = float_op(f, totals.back(), i == 0 ? id : t[i - 1]);
      totals.back() = float_op(f, totals.back(), t[7]);
    }
    std::vector<double> carries(totals.size(), id);
    if (totals.size() > 2048) {
      scan_blocks(f, totals.data(), totals.size(), carries.data());
    } else {
      for (std::size_t b = 1; b < totals.size(); ++b) carries[b] = float_op(f, carries[b - 1], totals[b - 1]);
    }
    for (std::size_t i = 0; i < n; ++i) out[i] = float_op(f, carries[i / 2048], out[i]);
  }
  [[nodiscard]] NaiveVector fold() const {
    const bool scans = op_info(op).kind == OpKind::kScan;
    const Scalar f = op_info(op).scalar;
    NaiveVector r;
    r.type = v(0).type;
    if (r.type == Type::kFloat) r.floats.resize(scans ? v(0).size() : s(1).size());
    std::size_t at = 0;
    for (std::size_t k = 0; k < s(1).size(); ++k) {
      const auto n = static_cast<std::size_t>(s(1)[k]);
      if (r.type == Type::kFloat) {
        if (scans)
          scan_float(f, v(0).floats.data() + at, n, r.floats.data() + at);
        else
          r.floats[k] = reduce_float(f, v(0).floats.data() + at, n);
      } else {
        std::int64_t acc = r.type == Type::kBool ? (bool_identity(f) ? 1 : 0) : int_identity(f, bits);
        for (std::size_t i = 0; i < n; ++i) {
          if (scans) r.ints.push_back(acc);
          acc = int_op(f, acc, v(0).ints[at + i]);
        }
        if (!scans) r.ints.push_back(acc);
      }
      at += n;
    }
    return r;
  }

  // --- movement: v is copied element by element, of either kind
  static void put(NaiveVector& to, std::size_t i, const NaiveVector& from, std::size_t j) {
    if (to.type == Type::kFloat)
      to.floats[i] = from.floats[j];
    else
      to.ints[i] = from.ints[j];
  }
  static void append(NaiveVector& to, const NaiveVector& from, std::size_t j) {
    if (to.type == Type::kFloat)
      to.floats.push_back(from.floats[j]);
    else
      to.ints.push_back(from.ints[j]);
  }
  [[nodiscard]] static NaiveVector zeros(Type type, std::size_t n) {
    NaiveVector r;
    r.type = type;
    if (type == Type::kFloat)
      r.floats.resize(n);
    else
      r.ints.resize(n);
    return r;
  }
  [[nodiscard]] static std::size_t checked(std::int64_t index, std::int64_t length) {
    if (index < 0 || index >= length) throw NaiveFault{};
    return static_cast<std::size_t>(index);
  }
  [[nodiscard]] NaiveVector scatter(const NaiveVector* flags, NaiveVector out, const Lengths& ss,
                                    const Lengths& ds) const {
    std::size_t from = 0;
    std::size_t to = 0;
    for (std::size_t k = 0; k < ss.size(); ++k) {
      for (std::int64_t j = 0; j < ss[k]; ++j, ++from) {
        if (flags != nullptr && flags->ints[from] == 0) continue;
        put(out, to + checked(v(1).ints[from], ds[k]), v(0), from);
      }
      to += static_cast<std::size_t>(ds[k]);
    }
    return out;
  }
  // Each value is combined with what is there, in order.
  [[nodiscard]] NaiveVector combine(NaiveVector out, const Lengths& ss, const Lengths& ds) const {
    const Scalar f = op_info(op).scalar;
    std::size_t from = 0;
    std::size_t to = 0;
    for (std::size_t k = 0; k < ss.size(); ++k) {
      for (std::int64_t j = 0; j < ss[k]; ++j, ++from) {
        const std::size_t at = to + checked(v(1).ints[from], ds[k]);
        if (out.type == Type::kFloat)
          out.floats[at] = float_op(f, out.floats[at], v(0).floats[from]);
        else
          out.ints[at] = int_op(f, out.ints[at], v(0).ints[from]);
      }
      to += static_cast<std::size_t>(ds[k]);
    }
    return out;
  }
  [[nodiscard]] NaiveVector gather(const NaiveVector* flags, const Lengths& ss, const Lengths& ds) const {
    NaiveVector out = zeros(v(0).type, v(1).size());
    std::size_t from = 0;
    std::size_t to = 0;
    for (std::size_t k = 0; k < ds.size(); ++k) {
      for (std::int64_t j = 0; j < ds[k]; ++j, ++to) {
        if (flags != nullptr && flags->ints[to] == 0) continue;
        put(out, to, v(0), from + checked(v(1).ints[to], ss[k]));
      }
      from += static_cast<std::size_t>(ss[k]);
    }
    return out;
  }
  [[nodiscard]] static std::size_t total(const Lengths& s) {
    std::size_t t = 0;
    for (const std::int64_t n : s) t += static_cast<std::size_t>(n);
    return t;
  }
  // Does a come before b? By value, -0 before 0, NaN by sign at the ends.
  [[nodiscard]] bool before(const NaiveVector& x, std::size_t a, std::size_t b) const {
    if (x.type != Type::kFloat) return x.ints[a] < x.ints[b];
    const auto order = [](double d) {
      std::int64_t bits_of;
      std::memcpy(&bits_of, &d, sizeof d);
      return bits_of < 0 ? bits_of ^ INT64_MAX : bits_of;
    };
    return order(x.floats[a]) < order(x.floats[b]);
  }
  [[nodiscard]] NaiveVector rank() const {
    NaiveVector r;
    std::size_t at = 0;
    for (const std::int64_t n : s(1)) {
      std::vector<std::size_t> order;
      for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) order.push_back(at + i);
      std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return op == Op::kRankUp ? before(v(0), a, b) : before(v(0), b, a);
      });
      r.ints.resize(at + order.size());
      for (std::size_t i = 0; i < order.size(); ++i) r.ints[order[i]] = static_cast<std::int64_t>(i);
      at += order.size();
    }
    return r;
  }

  [[nodiscard]] std::vector<NaiveValue> run() const {
    switch (op_info(op).kind) {
      case OpKind::kMap: return {map()};
      case OpKind::kScan:
      case OpKind::kReduce: return {fold()};
      case OpKind::kRank: return {rank()};
      case OpKind::kCombine: return {combine(v(2), s(3), s(4))};
      default: break;
    }
    std::size_t at = 0;
    NaiveVector r;
    switch (op) {
      case Op::kPermute: return {scatter(nullptr, zeros(v(0).type, v(0).size()), s(2), s(2))};
      case Op::kDpermute: return {scatter(nullptr, v(2), s(3), s(4))};
      case Op::kFpermute: return {scatter(&v(2), zeros(v(0).type, total(s(4))), s(3), s(4))};
      case Op::kDfpermute: return {scatter(&v(2), v(3), s(4), s(5))};
      case Op::kBpermute: return {gather(nullptr, s(2), s(3))};
      case Op::kBfpermute: return {gather(&v(2), s(3), s(4))};
      case Op::kExtract:
        r.type = v(0).type;
        for (std::size_t k = 0; k < s(2).size(); at += static_cast<std::size_t>(s(2)[k++]))
          append(r, v(0), at + checked(v(1).ints[k], s(2)[k]));
        return {r};
      case Op::kReplace:
        r = v(0);
        for (std::size_t k = 0; k < s(3).size(); at += static_cast<std::size_t>(s(3)[k++]))
          if (s(3)[k] != 0) put(r, at + checked(v(1).ints[k], s(3)[k]), v(2), k);
        return {r};
      case Op::kDist:
        r.type = v(0).type;
        for (std::size_t k = 0; k < s(1).size(); ++k)
          for (std::int64_t j = 0; j < s(1)[k]; ++j) append(r, v(0), k);
        return {r};
      case Op::kIndex:
        for (std::size_t k = 0; k < s(2).size(); ++k)
          for (std::int64_t j = 0; j < s(2)[k]; ++j)
            r.ints.push_back(int_op(Scalar::kAdd, v(0).ints[k], int_op(Scalar::kMul, j, v(1).ints[k])));
        return {r};
      case Op::kPack: {
        r.type = v(0).type;
        Lengths lengths;
        for (const std::int64_t n : s(2)) {
          std::int64_t kept = 0;
          for (std::int64_t j = 0; j < n; ++j, ++at) {
            if (v(1).ints[at] == 0) continue;
            append(r, v(0), at);
            ++kept;
          }
          lengths.push_back(kept);
        }
        return {r, lengths};
      }
      case Op::kLength: r.ints = {static_cast<std::int64_t>(v(0).size())}; return {r};
      case Op::kLengths: r.ints = s(0); return {r};
      case Op::kMakeSegdes:
        for (const std::int64_t n : v(0).ints)
          if (n < 0) throw NaiveFault{};
        return {v(0).ints};
      default: throw std::logic_error("not a primitive of the model");
    }
  }
};

}  // namespace nvm::testing
