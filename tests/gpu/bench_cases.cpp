#include "tests/gpu/bench_cases.h"

#include <random>

#include "tests/support/plan_corpus.h"

namespace nvm::bench {

using soac::VarId;
using test::RegionBuilder;

namespace {

using Write = std::function<void(RegionBuilder&)>;

struct Data {
  std::int64_t n = 0;
  std::vector<double> scalars;        // in the order in which the region asks for them
  double low = -1.0;                  // of vectors
  std::vector<std::int64_t> lengths;  // of segments
};

void bind(Case& c, std::size_t v, const Data& data, std::size_t& scalars, std::mt19937_64& random) {
  const plan::Var& var = c.plan.vars[v];
  if (var.role != plan::VarRole::kInput) return;
  auto& length = c.lengths[static_cast<std::size_t>(var.length)];
  if (var.is_desc) {
    if (var.form != plan::DescForm::kIrregular) return;
    c.offsets[v].assign(1, 0);
    for (const std::int64_t l : data.lengths) c.offsets[v].push_back(c.offsets[v].back() + l);
    c.segment_offsets = c.offsets[v];
    length = static_cast<std::int64_t>(data.lengths.size());
  } else if (c.plan.lengths[static_cast<std::size_t>(var.length)] == plan::LengthKind::kOne) {
    c.reals[v].assign(1, data.scalars.at(scalars++));
  } else {
    std::uniform_real_distribution<double> values(data.low, 1.0);
    c.reals[v].resize(static_cast<std::size_t>(data.n));
    for (double& x : c.reals[v]) x = values(random);
    length = data.n;
  }
}

Case make(const std::string& name, const std::string& rival, double bytes, const Data& data,
          const Write& write) {
  RegionBuilder b;
  write(b);
  Case c;
  c.name = name;
  c.rival = rival;
  c.bytes = bytes;
  c.plan = plan::fuse(soac::build(b.region()), plan::Fusion::kExact);
  plan::check(c.plan);
  c.lengths.assign(c.plan.lengths.size(), 0);
  c.reals.resize(c.plan.vars.size());
  c.offsets.resize(c.plan.vars.size());
  std::mt19937_64 random(1);
  std::size_t scalars = 0;
  for (std::size_t v = 0; v < c.plan.vars.size(); ++v) bind(c, v, data, scalars, random);
  for (std::size_t i = 0; i < c.lengths.size(); ++i)
    if (c.plan.lengths[i] == plan::LengthKind::kOne) c.lengths[i] = 1;
  return c;
}

// Held against the copy as well as against the rival.
Case elementwise(const std::string& name, double bytes, const Data& data, const Write& write) {
  Case c = make(name, name, bytes, data, write);
  c.least_of_rival = 0.9;
  c.least_of_copy = 0.85;
  return c;
}

void line_fit(RegionBuilder& r) {
  const auto n = r.length();
  const auto x = r.vector(Type::kFloat, n), y = r.vector(Type::kFloat, n);
  const auto times = [&](VarId a, VarId b) { return r.op(Op::kMul, TypeWord::kFloat, {a, b}); };
  for (const VarId v : {x, y, times(x, x), times(x, y)})
    r.live(r.op(Op::kAddReduce, TypeWord::kFloat, {v, r.whole(n)}));
}

void scan(RegionBuilder& r) {
  const auto n = r.length();
  r.live(r.op(Op::kAddScan, TypeWord::kFloat, {r.vector(Type::kFloat, n), r.whole(n)}));
}

void filter(RegionBuilder& r) {
  const auto n = r.length();
  const auto x = r.vector(Type::kFloat, n);
  const auto zero = r.op(Op::kDist, TypeWord::kFloat, {r.scalar(Type::kFloat), r.whole(n)});
  r.live(r.op(Op::kPack, TypeWord::kFloat, {x, r.op(Op::kGt, TypeWord::kFloat, {x, zero}), r.whole(n)}));
}

void segmented_sum(RegionBuilder& r) {
  const auto n = r.length();
  const auto s = r.segments(r.length(), n);
  r.live(r.op(Op::kAddReduce, TypeWord::kFloat, {r.vector(Type::kFloat, n), s}));
}

// Expressions over vectors; numbers become scalars of the region, in order.
class Formula {
 public:
  explicit Formula(RegionBuilder& r) : r_(r), n_(r.length()) {}
  VarId vector() { return r_.vector(Type::kFloat, n_); }
  VarId number(double x) {
    numbers.push_back(x);
    return r_.op(Op::kDist, TypeWord::kFloat, {r_.scalar(Type::kFloat), r_.whole(n_)});
  }
  VarId operator()(Op op, VarId a, VarId b) { return r_.op(op, TypeWord::kFloat, {a, b}); }
  VarId operator()(Op op, VarId a) { return r_.op(op, TypeWord::kNone, {a}); }
  VarId select(VarId flag, VarId a, VarId b) { return r_.op(Op::kSelect, TypeWord::kFloat, {flag, a, b}); }
  std::vector<double> numbers;

 private:
  RegionBuilder& r_;
  soac::LengthId n_;
};

// The normal distribution, by the polynomial of Abramowitz and Stegun 26.2.17.
VarId normal(Formula& f, VarId x) {
  const VarId zero = f.number(0), one = f.number(1);
  const VarId size = f.select(f(Op::kLt, x, zero), f(Op::kSub, zero, x), x);
  const VarId k = f(Op::kDiv, one, f(Op::kAdd, one, f(Op::kMul, f.number(0.2316419), size)));
  VarId sum = f.number(1.330274429);
  for (const double c : {-1.821255978, 1.781477937, -0.356563782, 0.319381530})
    sum = f(Op::kAdd, f.number(c), f(Op::kMul, k, sum));
  const VarId bell = f(Op::kExp, f(Op::kMul, f(Op::kMul, f.number(-0.5), x), x));
  const VarId tail = f(Op::kMul, f(Op::kMul, f(Op::kMul, bell, f.number(0.39894228040143270)), k), sum);
  return f.select(f(Op::kGt, x, zero), f(Op::kSub, one, tail), tail);
}

std::vector<double> black_scholes(RegionBuilder& r) {
  Formula f(r);
  const VarId s = f.vector(), x = f.vector(), t = f.vector(), rate = f.vector(), v = f.vector();
  const VarId root = f(Op::kMul, v, f(Op::kSqrt, t));
  const VarId drift = f(Op::kAdd, rate, f(Op::kMul, f(Op::kMul, f.number(0.5), v), v));
  const VarId d1 = f(Op::kDiv, f(Op::kAdd, f(Op::kLog, f(Op::kDiv, s, x)), f(Op::kMul, drift, t)), root);
  const VarId d2 = f(Op::kSub, d1, root);
  const VarId discount = f(Op::kExp, f(Op::kMul, f(Op::kSub, f.number(0), rate), t));
  r.live(f(Op::kSub, f(Op::kMul, s, normal(f, d1)), f(Op::kMul, f(Op::kMul, x, discount), normal(f, d2))));
  return f.numbers;
}

Case black_scholes_case(std::int64_t n) {
  RegionBuilder numbers;
  const Data data{n, black_scholes(numbers), 0.1, {}};
  Case c = elementwise("black scholes", 48 * static_cast<double>(n), data,
                       [](RegionBuilder& r) { static_cast<void>(black_scholes(r)); });
  c.exact = false;  // logarithms and exponentials
  return c;
}

// One half, one quarter, ... and the rest in single elements.
std::vector<std::int64_t> power_law(std::int64_t n) {
  std::vector<std::int64_t> out;
  std::int64_t left = n;
  for (std::int64_t l = n / 2; l > 64; l /= 2) {
    out.push_back(l);
    left -= l;
  }
  for (; left > 0; --left) out.push_back(1);
  return out;
}

}  // namespace

std::vector<std::function<Case()>> cases(std::int64_t n) {
  const double e = 8.0 * static_cast<double>(n);
  const auto sums = [n](const char* name, double bytes, std::vector<std::int64_t> lengths) {
    return make(name, "segmented sum", bytes, {n, {}, -1.0, std::move(lengths)}, segmented_sum);
  };
  return {
      [=] {
        return elementwise("axpy", 3 * e, {n, {0.5}, -1.0, {}}, test::corpus::axpy);
      },
      [=] {
        return elementwise("dot", 2 * e, {n, {}, -1.0, {}}, test::corpus::dot);
      },
      [=] {
        return elementwise("line fit", 2 * e, {n, {}, -1.0, {}}, line_fit);
      },
      [=] {
        return elementwise("norm2", e, {n, {0.5}, -1.0, {}}, test::corpus::norm2);
      },
      [=] { return black_scholes_case(n); },
      [=] {
        return make("scan", "scan", 2 * e, {n, {}, -1.0, {}}, scan);
      },
      [=] {
        return make("filter", "filter", 1.5 * e, {n, {0.0}, -1.0, {}}, filter);
      },
      [=] { return sums("segmented sum, 8 long", e, std::vector<std::int64_t>(8, n / 8)); },
      [=] {
        return sums("segmented sum, 16 elements each", 1.125 * e,
                    std::vector<std::int64_t>(static_cast<std::size_t>(n / 16), 16));
      },
      [=] { return sums("segmented sum, power law", e, power_law(n)); },
  };
}

Case short_case() { return make("short norm2", "", 0, {4096, {0.5}, -1.0, {}}, test::corpus::norm2); }

}  // namespace nvm::bench
