// Segmented primitives on 10 million elements in one segment up to 10 million segments, of lengths that
// scatter about their mean, and with lengths of a power law.
#include "tests/bench/prims_harness.h"

namespace nvm::vm::bench {
namespace {

using enum Op;
constexpr TypeWord kI = TypeWord::kInt, kF = TypeWord::kFloat;

Segdes scattered(std::int64_t mean) {
  if (mean == kMany) return Segdes::regular(1, kMany);
  return segments_of([=](std::int64_t k) { return noise(k) % (2 * mean + 1); }, kMany);
}
Segdes power_law() {
  return segments_of(
      [](std::int64_t k) { return std::min<std::int64_t>(1000000, 1000000 / (1 + noise(k) % 1000000)); },
      kMany);
}
Segdes shape(const std::string& name) {
  if (name == "power") return power_law();
  return scattered(kMany / static_cast<std::int64_t>(std::stod(name)));
}
// Within every segment, from the back.
Vector reversing(const Segdes& s) {
  Vector idx = pool().vector(Storage::kI64, kMany);
  for (std::int64_t k = 0; k < s.segments(); ++k)
    for (std::int64_t i = 0; i < s.length(k); ++i)
      idx.mutable_data<std::int64_t>()[s.offset(k) + i] = s.length(k) - 1 - i;
  return idx;
}
void add_shape(const std::string& name) {
  const double n = kMany;
  const double k = name == "power" ? 7e5 : std::stod(name);  // about as many segments
  const std::string of = "_segments:" + name;
  add("sum_f64" + of, kAddReduce, kF, 8 * n + 16 * k, [=] { return Values{xs(), shape(name)}; });
  add("sum_i64" + of, kAddReduce, kI, 8 * n + 16 * k, [=] { return Values{is(), shape(name)}; });
  add("scan_f64" + of, kAddScan, kF, 16 * n + 8 * k, [=] { return Values{xs(), shape(name)}; });
  add("scan_i64" + of, kAddScan, kI, 16 * n + 8 * k, [=] { return Values{is(), shape(name)}; });
  add("pack_f64" + of, kPack, kF, 13 * n + 12 * k, [=] {
    return Values{xs(), flags(kMany, 2), shape(name)};
  });
  add("dist_f64" + of, kDist, kF, 8 * n + 16 * k, [=] {
    const Segdes d = shape(name);
    return Values{d.segments() == 1 ? Vector::of_float(1.5) : floats(d.segments()), d};
  });
  add("permute_f64" + of, kPermute, kF, 24 * n + 8 * k, [=] {
    const Segdes d = shape(name);
    return Values{xs(), reversing(d), d};
  });
}

}  // namespace

void add_segment_sweeps() {
  for (const char* name : {"1", "10", "1e3", "1e5", "1e6", "1e7", "power"}) add_shape(name);
}

}  // namespace nvm::vm::bench
