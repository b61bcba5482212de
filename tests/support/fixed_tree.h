// A model of the fixed tree that shares nothing with the rest of nvm but the numbers 32, 2048, 16 and 8.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bytecode/table/op_info.h"

namespace nvm::testing {

using Floats = std::vector<double>;
using Lengths = std::vector<std::int64_t>;

// The fixed tree over plain numbers.
class FixedTree {
 public:
  explicit FixedTree(Scalar op) : op_(op) {
    constexpr double kLimit = static_cast<double>(1.0e36F);
    id_ = op == Scalar::kAdd ? 0.0 : op == Scalar::kMul ? 1.0 : op == Scalar::kMax ? -kLimit : kLimit;
  }
  [[nodiscard]] double reduced(const double* x, std::size_t n) const {
    double all = id_;
    if (n <= 32) {
      for (std::size_t i = 0; i < n; ++i) all = with(all, x[i]);
      return all;
    }
    return combined(totals(x, n));
  }
  void scanned(const double* x, std::size_t n, Floats& out) const {
    double before = id_;
    if (n <= 32) {
      for (std::size_t i = 0; i < n; ++i) {
        out.push_back(before);
        before = with(before, x[i]);
      }
      return;
    }
    scanned_in_blocks(x, n, out);
  }

 private:
  [[nodiscard]] double with(double a, double b) const {
    switch (op_) {
      case Scalar::kAdd: return a + b;
      case Scalar::kMul: return a * b;
      case Scalar::kMax: return a > b ? a : b;
      default: return a < b ? a : b;
    }
  }
  [[nodiscard]] Floats totals(const double* x, std::size_t n) const {
    Floats of_blocks;
    for (std::size_t from = 0; from < n; from += 2048)
      of_blocks.push_back(lanes(x + from, std::min(n - from, std::size_t{2048})));
    return of_blocks;
  }
  // Of more than 2048 totals, the totals of blocks of them.
  [[nodiscard]] double combined(const Floats& t) const {
    if (t.size() > 2048) return combined(totals(t.data(), t.size()));
    double all = id_;
    for (const double e : t) all = with(all, e);
    return all;
  }
  void scanned_in_blocks(const double* x, std::size_t n, Floats& out) const {
    Floats locals;
    for (std::size_t from = 0; from < n; from += 2048) {
      locals.push_back(id_);
      for (std::size_t g = from; g + 8 <= std::min(n, from + 2048); g += 8)
        locals.back() = with(locals.back(), inclusive(x + g, 7));
    }
    Floats before;
    if (locals.size() > 2048) {
      scanned_in_blocks(locals.data(), locals.size(), before);
    } else {
      double all = id_;
      for (const double e : locals) {
        before.push_back(all);
        all = with(all, e);
      }
    }
    for (std::size_t b = 0; b < before.size(); ++b) {
      double local = id_;
      for (std::size_t g = 2048 * b; g < std::min(n, 2048 * (b + 1)); g += 8) {
        for (std::size_t k = 0; k < 8 && g + k < n; ++k) {
          const double e = k == 0 ? id_ : inclusive(x + g, k - 1);
          out.push_back(with(before[b], with(local, e)));
        }
        if (g + 8 <= n) local = with(local, inclusive(x + g, 7));
      }
    }
  }
  // x[0..k] of a group of 8 by halves.
  [[nodiscard]] double inclusive(const double* x, std::size_t k) const {
    const auto two = [&](std::size_t i) { return i % 2 == 0 ? x[i] : with(x[i - 1], x[i]); };
    const auto four = [&](std::size_t i) { return i % 4 < 2 ? two(i) : with(two(i / 4 * 4 + 1), two(i)); };
    return k < 4 ? four(k) : with(four(3), four(k));
  }
  [[nodiscard]] double lanes(const double* x, std::size_t n) const {
    double lane[16];
    for (std::size_t l = 0; l < 16; ++l) {
      lane[l] = id_;
      for (std::size_t i = l; i < n; i += 16) lane[l] = with(lane[l], x[i]);
    }
    return halves(lane, 16);
  }
  [[nodiscard]] double halves(const double* lane, std::size_t n) const {
    if (n == 1) return lane[0];
    double half[8] = {};
    for (std::size_t l = 0; l < n / 2; ++l) half[l] = with(lane[l], lane[l + n / 2]);
    return halves(half, n / 2);
  }
  Scalar op_;
  double id_ = 0;
};

[[nodiscard]] inline Floats folded(Scalar op, bool scan, const Floats& x, const Lengths& segments) {
  const FixedTree tree(op);
  Floats out;
  std::size_t from = 0;
  for (const std::int64_t n : segments) {
    const auto length = static_cast<std::size_t>(n);
    if (scan)
      tree.scanned(x.data() + from, length, out);
    else
      out.push_back(tree.reduced(x.data() + from, length));
    from += length;
  }
  return out;
}

}  // namespace nvm::testing
