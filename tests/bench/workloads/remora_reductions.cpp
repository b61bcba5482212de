// R1, R3 and R16: reductions in Remora. A dot product; sums along rows and columns that are long or short;
// one whose operator is not commutative; sums of rows of 2^24 numbers in all, from few long ones to many
// short ones, which nvm chooses its parallelism for.
#include <cmath>
#include <functional>

#include "tests/bench/workloads/remora.h"

namespace nvm::bench {

namespace {

struct Matrix {
  std::int64_t rows = 0, columns = 0;
  Array<double> x, y, want, hand, other;
};
using Data = std::shared_ptr<Matrix>;

Data matrix(const Problem& p, std::int64_t rows, std::int64_t columns, std::int64_t results) {
  Problem all = p;
  all.n = rows * columns;
  return std::make_shared<Matrix>(Matrix{rows, columns, uniform(all, 1), Array<double>(0),
                                         Array<double>(results), Array<double>(results),
                                         Array<double>(results)});
}

double row_sum(const double* x, std::int64_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

double dot(const double* x, const double* y, std::int64_t n) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

// A thread to each part of the rows.
void outer(const Matrix& m, const Array<double>& out, int threads) {
  blocks(threads, m.rows, std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, m.columns)),
         [&](std::int64_t lo, std::int64_t hi) {
           for (std::int64_t i = lo; i < hi; ++i) out[i] = row_sum(m.x.data() + i * m.columns, m.columns);
         });
}

// All threads in one row after the other.
void inner(const Matrix& m, const Array<double>& out, int threads) {
  std::vector<double> sums(static_cast<std::size_t>(threads));
  for (std::int64_t i = 0; i < m.rows; ++i) {
    parts(threads, m.columns, [&](std::int64_t lo, std::int64_t hi, int t) {
      sums[static_cast<std::size_t>(t)] = row_sum(m.x.data() + i * m.columns + lo, hi - lo);
    });
    double sum = 0;
    for (const double s : sums) sum += s;
    out[i] = sum;
  }
}

// Rows are cut among threads, each with an equal part of the columns' sums.
void columns(const Matrix& m, const Array<double>& out, int threads) {
  const std::int64_t n = m.columns;
  std::vector<Array<double>> sums;
  for (int t = 0; t < threads; ++t) sums.emplace_back(n);
  parts(
      threads, m.rows,
      [&](std::int64_t lo, std::int64_t hi, int t) {
        double* __restrict to = sums[static_cast<std::size_t>(t)].data();
        for (std::int64_t i = lo; i < hi; ++i) {
          const double* from = m.x.data() + i * n;
#pragma omp simd
          for (std::int64_t j = 0; j < n; ++j) to[j] += from[j];
        }
      },
      1);
  for (std::int64_t j = 0; j < n; ++j) {
    double sum = 0;
    for (const Array<double>& s : sums) sum += s[j];
    out[j] = sum;
  }
}

Instance rows_of(const Problem& p, std::int64_t count, std::int64_t length) {
  const Data d = matrix(p, count, length, count);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < length; ++j) d->want[i] += d->x[i * length + j];
  Instance it;
  it.n = count * length;
  it.inputs = {array_of("m", {count, length}, d->x)};
  it.expression = "(row-sum m)";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-10); };
  // The better of both for few rows, or many.
  const auto by = count >= 8 * p.threads ? outer : inner;
  it.rivals.push_back({"hand", count >= 8 * p.threads ? "rows among threads" : "each row by all threads",
                       [d, p, by] { by(*d, d->hand, p.threads); },
                       [d] { return near(d->hand.all(), d->want.all(), 1e-10); }});
  const auto against = count >= 8 * p.threads ? inner : outer;
  if (count <= 4096)
    it.rivals.push_back({"other way",
                         count >= 8 * p.threads ? "each row by all threads" : "rows among threads",
                         [d, p, against] { against(*d, d->other, p.threads); },
                         [d] { return near(d->other.all(), d->want.all(), 1e-10); }});
  return it;
}

Instance columns_of(const Problem& p, std::int64_t count, std::int64_t length) {
  const Data d = matrix(p, count, length, length);
  for (std::int64_t i = 0; i < count; ++i)
    for (std::int64_t j = 0; j < length; ++j) d->want[j] += d->x[i * length + j];
  Instance it;
  it.n = count * length;
  it.inputs = {array_of("m", {count, length}, d->x)};
  it.expression = "(column-sums m)";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-10); };
  it.rivals.push_back({"hand", "rows in order, sums of columns for each thread",
                       [d, p] { columns(*d, d->hand, p.threads); },
                       [d] { return near(d->hand.all(), d->want.all(), 1e-10); }});
  return it;
}

// The last that is not zero of a part, seen from its end as a loop that must look at all.
double last_of(const double* x, std::int64_t n) {
  double last = 0;
  for (std::int64_t i = 0; i < n; ++i) last = x[i] == 0 ? last : x[i];
  return last;
}

}  // namespace

Instance remora_dot(const Problem& p) {
  const Data d = matrix(p, 1, p.n, 1);
  d->y = uniform(p, 2);
  for (std::int64_t i = 0; i < p.n; ++i) d->want[0] += d->x[i] * d->y[i];
  Instance it;
  it.inputs = {array_of("x", {p.n}, d->x), array_of("y", {p.n}, d->y)};
  it.expression = "(dot x y)";
  it.check = [d](Values v) { return near(first_float(v[0]), d->want[0], 1e-10); };
  it.rivals.push_back({"hand", "vectorised sum of products in a part for each thread",
                       [d, p] {
                         d->hand[0] = sum_of_parts(p, [&](std::int64_t lo, std::int64_t hi) {
                           return dot(d->x.data() + lo, d->y.data() + lo, hi - lo);
                         });
                       },
                       [d] { return near(d->hand.all(), d->want.all(), 1e-10); }});
  return it;
}

Instance remora_long_rows(const Problem& p) { return rows_of(p, 10, std::max<std::int64_t>(1, p.n / 10)); }
Instance remora_short_rows(const Problem& p) { return rows_of(p, std::max<std::int64_t>(1, p.n / 16), 16); }
Instance remora_long_columns(const Problem& p) {
  return columns_of(p, std::max<std::int64_t>(1, p.n / 16), 16);
}
Instance remora_short_columns(const Problem& p) {
  return columns_of(p, 16, std::max<std::int64_t>(1, p.n / 16));
}

Instance remora_last(const Problem& p) {
  const Data d = matrix(p, 1, p.n, 1);
  for (std::int64_t i = p.n - p.n / 8; i < p.n; ++i) d->x[i] = 0;
  d->want[0] = last_of(d->x.data(), p.n);
  Instance it;
  it.inputs = {array_of("x", {p.n}, d->x)};
  it.expression = "(last-of x)";
  it.check = [d](Values v) { return near(first_float(v[0]), d->want[0], 0); };
  it.rivals.push_back({"hand", "a part for each thread, from left to right",
                       [d, p] {
                         std::vector<double> last(static_cast<std::size_t>(p.threads));
                         parts(p.threads, p.n, [&](std::int64_t lo, std::int64_t hi, int t) {
                           last[static_cast<std::size_t>(t)] = last_of(d->x.data() + lo, hi - lo);
                         });
                         d->hand[0] = last_of(last.data(), p.threads);
                       },
                       [d] { return near(d->hand.all(), d->want.all(), 0); }});
  const double sum = row_sum(d->x.data(), p.n);
  it.rivals.push_back({"sum", "the commutative reduction: a vectorised sum in a part for each thread",
                       [d, p] {
                         d->other[0] = sum_of_parts(p, [&](std::int64_t lo, std::int64_t hi) {
                           return row_sum(d->x.data() + lo, hi - lo);
                         });
                       },
                       [d, sum] { return near(d->other[0], sum, 1e-10); }});
  return it;
}

namespace {
Instance grid(const Problem& p, std::int64_t length) {
  const std::int64_t row = std::min(length, p.n);
  return rows_of(p, std::max<std::int64_t>(1, p.n / row), row);
}
}  // namespace

Instance remora_rows_of_4(const Problem& p) { return grid(p, 4); }
Instance remora_rows_of_64(const Problem& p) { return grid(p, 64); }
Instance remora_rows_of_4096(const Problem& p) { return grid(p, 4096); }
Instance remora_rows_of_million(const Problem& p) { return grid(p, 1 << 20); }
Instance remora_one_row(const Problem& p) { return grid(p, p.n); }

}  // namespace nvm::bench
