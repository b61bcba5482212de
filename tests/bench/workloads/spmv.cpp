// W7: sparse matrix times vector, rows of 1 to 19 entries. Gathers from a vector of 8 MB.
#include <numeric>

#include "tests/bench/suite/ints.h"
#include "tests/bench/suite/standard.h"

namespace nvm::bench {

namespace {

struct Data {
  Array<std::int64_t> lengths;
  Array<std::int32_t> start, column;
  Array<double> value, x, want, hand, library, standard;
};

void rows(const Data& d, double* out, std::int64_t begin, std::int64_t end) {
  const double *value = d.value.data(), *x = d.x.data();
  const std::int32_t *start = d.start.data(), *column = d.column.data();
  for (std::int64_t i = begin; i < end; ++i) {
    double sum = 0;
    for (std::int32_t j = start[i]; j < start[i + 1]; ++j) sum += value[j] * x[column[j]];
    out[i] = sum;
  }
}

std::shared_ptr<Data> make_data(const Problem& p) {
  const std::int64_t rows_count = p.n / 10;
  const auto d = std::make_shared<Data>();
  d->lengths = Array<std::int64_t>(rows_count);
  d->start = Array<std::int32_t>(rows_count + 1);
  const Draw length(p.seed, 1), at(p.seed, 2), value(p.seed, 3), x(p.seed, 4);
  for (std::int64_t i = 0; i < rows_count; ++i) {
    d->lengths[i] = 1 + length.below(i, 19);
    d->start[i + 1] = d->start[i] + static_cast<std::int32_t>(d->lengths[i]);
  }
  const std::int64_t entries = d->start[rows_count];
  d->column = Array<std::int32_t>(entries);
  d->value = Array<double>(entries);
  d->x = Array<double>(rows_count);
  d->want = Array<double>(rows_count);
  d->hand = Array<double>(rows_count);
  d->library = Array<double>(rows_count);
  d->standard = Array<double>(rows_count);
  for (std::int64_t j = 0; j < entries; ++j) {
    d->column[j] = static_cast<std::int32_t>(at.below(j, rows_count));
    d->value[j] = value.unit(j);
  }
  for (std::int64_t i = 0; i < rows_count; ++i) d->x[i] = x.unit(i);
  rows(*d, d->want.data(), 0, rows_count);
  return d;
}

}  // namespace

Instance spmv(const Problem& p) {
  const auto d = make_data(p);
  Instance it;
  it.inputs = {{"matrix",
                "[[(int, float)]]",
                {sequence_of(d->lengths.size()), *lib::make_segdes(d->lengths.all()), borrowed(d->column),
                 borrowed(d->value)}},
               floats("x", d->x)};
  it.expression = "spmv(matrix, x)";
  it.check = [d](Values v) { return near(v[1], d->want.all(), 1e-12); };
  it.rivals.push_back({"hand", "a sum for each row, rows in a part for each thread",
                       [d, p] {
                         parts(p.threads, d->x.size(),
                               [&](auto lo, auto hi, int) { rows(*d, d->hand.data(), lo, hi); });
                       },
                       [d] { return near(d->hand.all(), d->want.all(), 1e-12); }});
  it.rivals.push_back({"library", "the same, blocks of rows as threads become free",
                       [d, p] {
                         blocks(p.threads, d->x.size(), 1 << 11,
                                [&](auto lo, auto hi) { rows(*d, d->library.data(), lo, hi); });
                       },
                       [d] { return near(d->library.all(), d->want.all(), 1e-12); }});
  it.rivals.push_back({"std", "std::for_each(par_unseq) over rows, std::transform_reduce in each",
                       [d, p] {
                         for_each_result(p.threads, d->standard, [&](std::int64_t i) {
                           const double *begin = &d->value[d->start[i]], *end = &d->value[d->start[i + 1]];
                           return std::transform_reduce(
                               begin, end, &d->column[d->start[i]], 0.0, std::plus<>(),
                               [&](double v, std::int32_t c) { return v * d->x[c]; });
                         });
                       },
                       [d] { return near(d->standard.all(), d->want.all(), 1e-12); }});
  return it;
}

}  // namespace nvm::bench
