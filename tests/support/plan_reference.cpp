#include "tests/support/plan_reference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "bytecode/base/check.h"
#include "bytecode/table/op_info.h"

// Within 1 ulp, and the same bits as the vector forms that engines use.
#define NVM_FUNCTIONS(f)                                                                         \
  f(kLog, log) f(kExp, exp) f(kSin, sin) f(kCos, cos) f(kTan, tan) f(kAsin, asin) f(kAcos, acos) \
      f(kAtan, atan) f(kSinh, sinh) f(kCosh, cosh) f(kTanh, tanh)
extern "C" {
#define NVM_DECLARE(id, name) double Sleef_finz_##name##d1_u10purecfma(double);
NVM_FUNCTIONS(NVM_DECLARE)
#undef NVM_DECLARE
}

namespace {

// Where the vector forms overflow too early or lose precision, engines take the C library's value
// (vm/simd/functions.h).
double mended(double x, double y, double exact) {
  const double magnitude = std::fabs(x);
  const bool tiny = magnitude > 0.0 && magnitude < 1e-290;
  return !std::isfinite(y) || tiny ? exact : y;
}

}  // namespace

namespace nvm::testing {

namespace {

using plan::Kernel;
using plan::Sink;
using plan::SinkKind;
using soac::BodyInst;
using soac::kNone;
using soac::Pull;

std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

class Evaluator {
 public:
  Evaluator(const plan::Plan& plan, Bindings& b)
      : plan_(plan), b_(b), narrow_(plan.int_bits == IntBits::k32) {}

  bool run() {
    for (const Kernel& k : plan_.kernels) {
      run_kernel(k);
      if (trapped_) return false;
    }
    return true;
  }

 private:
  using Column = std::vector<Element>;

  void run_kernel(const Kernel& k) {
    body_ = &k.body;
    const std::int64_t n = plan_.lengths[at(k.space)] == plan::LengthKind::kOne ? 1 : b_.lengths[at(k.space)];
    std::vector<Column> values(k.body.insts.size(), Column(at(n)));
    std::vector<Column> scans(k.sinks.size());
    // A scan is settled one round after those that it depends on.
    for (int round = 0; round <= plan::kMostSweeps; ++round) {
      trapped_ = false;  // by what was read of a scan before it was settled
      for (std::int64_t i = 0; i < n; ++i)
        for (std::size_t v = 0; v < values.size(); ++v)
          values[v][at(i)] = pull(k.body.insts[v], values, scans, i);
      for (std::size_t s = 0; s < k.sinks.size(); ++s)
        if (k.sinks[s].kind == SinkKind::kScan || k.sinks[s].kind == SinkKind::kSegScan)
          scans[s] = scan(k.sinks[s], values);
    }
    if (trapped_) return;
    for (const Sink& s : k.sinks)
      if (s.kind == SinkKind::kCount) count(s, values);
    for (const Sink& s : k.sinks) sink(k, s, values);
  }

  // ------------------------------------------------------------------------------------------- pulls

  // Segment numbers by element, and offsets by segment.
  struct Map {
    std::vector<std::int64_t> ids, offsets;
  };
  const Map& map(std::int32_t desc) {
    const auto [it, fresh] = maps_.try_emplace(desc);
    if (!fresh) return it->second;
    std::int64_t sum = 0;
    for (std::size_t s = 0; s < b_.descs[at(desc)].size(); ++s) {
      const std::int64_t n = b_.descs[at(desc)][s];
      it->second.offsets.push_back(sum);
      it->second.ids.insert(it->second.ids.end(), at(n), static_cast<std::int64_t>(s));
      sum += n;
    }
    return it->second;
  }
  std::int64_t segment(std::int32_t desc, std::int64_t i) { return desc == kNone ? i : map(desc).ids[at(i)]; }
  std::int64_t offset(std::int32_t desc, std::int64_t s) { return map(desc).offsets[at(s)]; }

  Element pull(const BodyInst& in, const std::vector<Column>& values, const std::vector<Column>& scans,
               std::int64_t i) {
    switch (in.pull) {
      case Pull::kConst: return {in.imm, in.real};
      case Pull::kUniform: return b_.vectors[at(in.var)][0];
      case Pull::kElement: return b_.vectors[at(in.var)][at(i)];
      case Pull::kIndex: return {i, 0};
      case Pull::kPerSegment: return b_.vectors[at(in.var)][at(segment(in.desc, i))];
      case Pull::kSegment: return {segment(in.desc, i), 0};
      case Pull::kWithin: return {i - offset(in.desc, segment(in.desc, i)), 0};
      case Pull::kCheck:
        trapped_ = trapped_ || values[at(in.a)][at(i)].i != 0;
        return values[at(in.a)][at(i)];
      case Pull::kScanned: return scans[at(in.a)].empty() ? Element{} : scans[at(in.a)][at(i)];
      case Pull::kGather:
        return gather(in, values, i, 0, static_cast<std::int64_t>(b_.vectors[at(in.var)].size()));
      case Pull::kSegGather: {
        const std::int64_t s = segment(in.desc, i);
        return gather(in, values, i, offset(in.desc2, s), b_.descs[at(in.desc2)][at(s)]);
      }
      case Pull::kSegPlace: {
        const std::int64_t s = segment(in.desc, i);
        return place(in, values, i, offset(in.desc2, s), b_.descs[at(in.desc2)][at(s)]);
      }
      case Pull::kApply: {
        const auto arg = [&](std::int32_t v) { return v == kNone ? Element{} : values[at(v)][at(i)]; };
        return apply(in.scalar, body_->insts[at(in.a)].type, arg(in.a), arg(in.b), arg(in.c));
      }
    }
    return {};
  }
  Element gather(const BodyInst& in, const std::vector<Column>& values, std::int64_t i, std::int64_t from,
                 std::int64_t length) {
    if (in.b != kNone && values[at(in.b)][at(i)].i == 0) return {};
    const std::int64_t index = values[at(in.a)][at(i)].i;
    if (index >= 0 && index < length) return b_.vectors[at(in.var)][at(from + index)];
    trapped_ = true;
    return {};
  }

  Element place(const BodyInst& in, const std::vector<Column>& values, std::int64_t i, std::int64_t from,
                std::int64_t length) {
    const bool wanted = in.b == kNone || values[at(in.b)][at(i)].i != 0;
    const std::int64_t index = values[at(in.a)][at(i)].i;
    if (wanted && index >= 0 && index < length) return {from + index, 0};
    trapped_ = trapped_ || wanted;
    return {-1, 0};
  }

  // ------------------------------------------------------------------------------------------ scalars

  Element from_int(std::uint64_t x) const {
    return {narrow_ ? static_cast<std::int32_t>(x) : static_cast<std::int64_t>(x), 0};
  }
  Element to_int(double x) const {
    const double limit = narrow_ ? 0x1p31 : 0x1p63;
    const double t = std::trunc(x);
    if (!(t >= -limit && t < limit)) return {least(), 0};
    return {static_cast<std::int64_t>(t), 0};
  }
  std::int64_t least() const { return narrow_ ? INT32_MIN : INT64_MIN; }

  Element apply(Scalar op, Type type, Element a, Element b, Element c) {
    if (op == Scalar::kSelect) return a.i != 0 ? b : c;
    return type == Type::kFloat ? apply_float(op, a.f, b.f) : apply_int(op, type == Type::kBool, a.i, b.i);
  }
  Element apply_float(Scalar op, double a, double b) const {
    switch (op) {
      case Scalar::kAdd: return {0, a + b};
      case Scalar::kSub: return {0, a - b};
      case Scalar::kMul: return {0, a * b};
      case Scalar::kDiv: return {0, a / b};
      case Scalar::kLt: return {a < b, 0};
      case Scalar::kLe: return {a <= b, 0};
      case Scalar::kGt: return {a > b, 0};
      case Scalar::kGe: return {a >= b, 0};
      case Scalar::kEq: return {a == b, 0};
      case Scalar::kNe: return {a != b, 0};
      case Scalar::kMax: return {0, a > b ? a : b};
      case Scalar::kMin: return {0, a < b ? a : b};
      case Scalar::kFloor: return to_int(std::floor(a));
      case Scalar::kCeil: return to_int(std::ceil(a));
      case Scalar::kTrunc: return to_int(a);
      case Scalar::kRound: return to_int(a + 0.5);
      case Scalar::kSqrt: return {0, std::sqrt(a)};
#define NVM_CASE(id, name) \
  case Scalar::id: return {0, mended(a, Sleef_finz_##name##d1_u10purecfma(a), std::name(a))};
        NVM_FUNCTIONS(NVM_CASE)
#undef NVM_CASE
      default: break;
    }
    NVM_CHECK(false, "a scalar operation on FLOAT");
    return {};
  }
  Element apply_int(Scalar op, bool is_bool, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    switch (op) {
      case Scalar::kAdd: return from_int(ua + ub);
      case Scalar::kSub: return from_int(ua - ub);
      case Scalar::kMul: return from_int(ua * ub);
      case Scalar::kDiv:
      case Scalar::kRem:
        if (b == 0 || (b == -1 && a == least())) {
          trapped_ = true;
          return {};
        }
        return {op == Scalar::kDiv ? a / b : a % b, 0};
      case Scalar::kLt: return {a < b, 0};
      case Scalar::kLe: return {a <= b, 0};
      case Scalar::kGt: return {a > b, 0};
      case Scalar::kGe: return {a >= b, 0};
      case Scalar::kEq: return {a == b, 0};
      case Scalar::kNe: return {a != b, 0};
      case Scalar::kNot: return {is_bool ? 1 - a : ~a, 0};
      case Scalar::kAnd: return {a & b, 0};
      case Scalar::kOr: return {a | b, 0};
      case Scalar::kXor: return {a ^ b, 0};
      case Scalar::kShl: return from_int(ua << (ub & (narrow_ ? 31U : 63U)));
      case Scalar::kShr: return {a >> (ub & (narrow_ ? 31U : 63U)), 0};
      case Scalar::kMax: return {a > b ? a : b, 0};
      case Scalar::kMin: return {a < b ? a : b, 0};
      case Scalar::kItoF: return {0, static_cast<double>(a)};
      case Scalar::kItoB: return {a != 0, 0};
      case Scalar::kBtoI: return {a, 0};
      default: break;
    }
    NVM_CHECK(false, "a scalar operation on INT or BOOL");
    return {};
  }

  // -------------------------------------------------------------------------------------------- folds

  Element identity(const Sink& s) const {
    if (s.type == Type::kFloat) return {0, float_identity(s.combine)};
    if (s.type == Type::kBool) return {bool_identity(s.combine), 0};
    return {int_identity(s.combine, plan_.int_bits), 0};
  }
  Element op(const Sink& s, Element a, Element b) { return apply(s.combine, s.type, a, b, {}); }

  Element reduce_block(const Sink& s, const Element* x, std::size_t n) {
    std::vector<Element> lane(16, identity(s));
    for (std::size_t i = 0; i < n; ++i) lane[i % 16] = op(s, lane[i % 16], x[i]);
    for (std::size_t w = 8; w >= 1; w /= 2)
      for (std::size_t l = 0; l < w; ++l) lane[l] = op(s, lane[l], lane[l + w]);
    return lane[0];
  }
  Element reduce(const Sink& s, const Column& x) {
    Element r = identity(s);
    if (x.size() <= 32) {
      for (const Element& e : x) r = op(s, r, e);
      return r;
    }
    return combine_totals(s, x);
  }
  // Of more than 2048 blocks the totals are cut into blocks in turn.
  Element combine_totals(const Sink& s, const Column& x) {
    Column totals;
    for (std::size_t b = 0; b < x.size(); b += 2048)
      totals.push_back(reduce_block(s, x.data() + b, std::min<std::size_t>(2048, x.size() - b)));
    if (totals.size() > 2048) return combine_totals(s, totals);
    Element r = identity(s);
    for (const Element& e : totals) r = op(s, r, e);
    return r;
  }

  // The inclusive scan of a group of 8.
  void scan_group(const Sink& s, Element* g) {
    for (const int i : {1, 3, 5, 7}) g[i] = op(s, g[i - 1], g[i]);
    for (const int i : {2, 3}) g[i] = op(s, g[1], g[i]);
    for (const int i : {6, 7}) g[i] = op(s, g[5], g[i]);
    for (const int i : {4, 5, 6, 7}) g[i] = op(s, g[3], g[i]);
  }
  Column scan_in_order(const Sink& s, const Column& x) {
    Column out;
    Element carry = identity(s);
    for (const Element& e : x) {
      out.push_back(carry);
      carry = op(s, carry, e);
    }
    return out;
  }
  Column scan_segment(const Sink& s, const Column& x) {
    return x.size() <= 32 ? scan_in_order(s, x) : scan_blocks(s, x);
  }
  // What each block starts from: its element of the scan of the blocks' totals, which more than 2048 of are
  // scanned as elements are.
  Column scan_blocks(const Sink& s, const Column& x) {
    Column out, totals;
    for (std::size_t i = 0; i < x.size(); i += 8) {
      if (i % 2048 == 0) totals.push_back(identity(s));
      Element g[8] = {};
      for (std::size_t j = 0; j < 8 && i + j < x.size(); ++j) g[j] = x[i + j];
      scan_group(s, g);
      for (std::size_t j = 0; j < 8 && i + j < x.size(); ++j)
        out.push_back(op(s, totals.back(), j == 0 ? identity(s) : g[j - 1]));
      totals.back() = op(s, totals.back(), g[7]);
    }
    const Column carries = totals.size() > 2048 ? scan_blocks(s, totals) : scan_in_order(s, totals);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = op(s, carries[i / 2048], out[i]);
    return out;
  }

  // Whether the filter of `s` keeps iteration i.
  bool kept(const Kernel& k, const Sink& s, const std::vector<Column>& values, std::size_t i) const {
    return s.filter == kNone || values[at(k.sinks[at(s.filter)].value)][i].i != 0;
  }
  Column packed(const Kernel& k, const Sink& s, const std::vector<Column>& values) {
    Column x;
    for (std::size_t i = 0; i < values[at(s.value)].size(); ++i)
      if (kept(k, s, values, i)) x.push_back(values[at(s.value)][i]);
    return x;
  }
  // The segments of `x` under desc, or all of it.
  std::vector<Column> segments(const Column& x, std::int32_t desc) const {
    if (desc == kNone) return {x};
    std::vector<Column> parts;
    auto from = x.begin();
    for (const std::int64_t n : b_.descs[at(desc)]) {
      parts.emplace_back(from, from + n);
      from += n;
    }
    return parts;
  }

  // -------------------------------------------------------------------------------------------- sinks

  Column scan(const Sink& s, const std::vector<Column>& values) {
    Column out;
    for (const Column& part : segments(values[at(s.value)], s.kind == SinkKind::kSegScan ? s.desc : kNone))
      for (const Element& e : scan_segment(s, part)) out.push_back(e);
    return out;
  }
  void count(const Sink& s, const std::vector<Column>& values) {
    std::int64_t kept_count = 0;
    for (const Element& e : values[at(s.value)]) kept_count += e.i;
    if (s.out_length != kNone) b_.lengths[at(s.out_length)] = kept_count;
    if (s.desc == kNone) return;
    std::vector<std::int64_t> counts;
    for (const Column& part : segments(values[at(s.value)], s.desc)) {
      counts.push_back(0);
      for (const Element& e : part) counts.back() += e.i;
    }
    b_.descs[at(s.out_desc)] = counts;
  }
  void sink(const Kernel& k, const Sink& s, const std::vector<Column>& values) {
    switch (s.kind) {
      case SinkKind::kStore: out(s) = packed(k, s, values); return;
      case SinkKind::kReduce: out(s) = {reduce(s, packed(k, s, values))}; return;
      case SinkKind::kSegReduce: {
        Column result;
        for (const Column& part : segments(values[at(s.value)], s.desc)) result.push_back(reduce(s, part));
        out(s) = result;
        return;
      }
      case SinkKind::kScatter: scatter(k, s, values); return;
      case SinkKind::kPartition: partition(k, s, values); return;
      case SinkKind::kRank: rank(s, values); return;
      case SinkKind::kSegdes: describe(s, values); return;
      case SinkKind::kRandom: NVM_CHECK(false, "random numbers are the host's"); return;
      case SinkKind::kScan:
      case SinkKind::kSegScan:
      case SinkKind::kCount: return;
    }
  }
  void partition(const Kernel& k, const Sink& s, const std::vector<Column>& values) {
    const std::vector<Column> flags = segments(values[at(k.sinks[at(s.filter)].value)], s.desc);
    const std::vector<Column> parts = segments(values[at(s.value)], s.desc);
    Column result;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const auto front = std::count_if(flags[p].begin(), flags[p].end(), [](Element f) { return f.i == 0; });
      trapped_ = trapped_ || (!parts[p].empty() && b_.vectors[at(s.init)][p].i != front);
      for (const std::int64_t side : {0, 1})
        for (std::size_t i = 0; i < parts[p].size(); ++i)
          if (flags[p][i].i == side) result.push_back(parts[p][i]);
    }
    out(s) = result;
  }
  void scatter(const Kernel& k, const Sink& s, const std::vector<Column>& values) {
    const std::int64_t length = b_.lengths[at(plan_.vars[at(s.out)].length)];
    Column result = s.init == kNone ? Column(at(length)) : b_.vectors[at(s.init)];
    for (std::size_t i = 0; i < values[at(s.value)].size(); ++i) {
      if (!kept(k, s, values, i) || (s.flag != kNone && values[at(s.flag)][i].i == 0)) continue;
      const std::int64_t to = values[at(s.index)][i].i;
      if (to < 0 || to >= length) {
        trapped_ = true;
        return;
      }
      result[at(to)] = values[at(s.value)][i];
    }
    out(s) = result;
  }
  void rank(const Sink& s, const std::vector<Column>& values) {
    Column result;
    for (const Column& part : segments(values[at(s.value)], s.desc)) {
      const auto before = [&](Element a, Element b) {
        if (s.down) std::swap(a, b);
        return s.type == Type::kFloat ? a.f < b.f : a.i < b.i;
      };
      for (std::size_t i = 0; i < part.size(); ++i) {
        std::int64_t place = 0;
        for (std::size_t j = 0; j < part.size(); ++j)
          place += before(part[j], part[i]) || (j < i && !before(part[i], part[j])) ? 1 : 0;
        result.push_back({place, 0});
      }
    }
    out(s) = result;
  }
  void describe(const Sink& s, const std::vector<Column>& values) {
    std::vector<std::int64_t> lengths;
    std::int64_t sum = 0;
    for (const Element& e : values[at(s.value)]) {
      trapped_ = trapped_ || e.i < 0;
      lengths.push_back(e.i);
      sum += e.i;
    }
    b_.descs[at(s.out_desc)] = lengths;
    b_.lengths[at(s.out_length)] = sum;
  }
  Column& out(const Sink& s) { return b_.vectors[at(s.out)]; }

  const plan::Plan& plan_;
  Bindings& b_;
  bool narrow_;
  bool trapped_ = false;
  std::map<std::int32_t, Map> maps_;
  const soac::Body* body_ = nullptr;
};

}  // namespace

bool evaluate(const plan::Plan& plan, Bindings& bindings) { return Evaluator(plan, bindings).run(); }

}  // namespace nvm::testing
