#include "vm/cpu/scalar_kernel.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "bytecode/base/at.h"
#include "bytecode/base/check.h"
#include "vm/simd/functions.h"

namespace nvm::vm::cpu {

namespace {

using soac::BodyInst;
using soac::kNone;
using soac::Pull;

// INT cells hold the value sign-extended to 64 bits, whatever the width of the run.
class Once {
 public:
  Once(const plan::Kernel& kernel, RunContext& context)
      : kernel_(kernel),
        context_(context),
        narrow_(context.plan->int_bits == IntBits::k32),
        values_(kernel.body.insts.size()) {}

  plan::RunStatus run() {
    for (std::size_t i = 0; i < values_.size(); ++i) values_[i] = evaluate(kernel_.body.insts[i]);
    if (trapped_) return plan::RunStatus::kTrapped;
    for (const plan::Sink& s : kernel_.sinks)
      if (s.kind == plan::SinkKind::kCount) count(s);
    for (const plan::Sink& s : kernel_.sinks)
      if (!sink(s)) return plan::RunStatus::kNoMemory;
    return trapped_ ? plan::RunStatus::kTrapped : plan::RunStatus::kDone;
  }

 private:
  [[nodiscard]] Cell v(std::int32_t i) const { return values_[at(i)]; }
  [[nodiscard]] std::int64_t int_of(std::int32_t i) const { return static_cast<std::int64_t>(v(i)); }
  [[nodiscard]] double real_of(std::int32_t i) const { return std::bit_cast<double>(v(i)); }
  [[nodiscard]] Cell from_int(std::int64_t x) const {
    return static_cast<Cell>(narrow_ ? std::int64_t{static_cast<std::int32_t>(x)} : x);
  }
  [[nodiscard]] Cell element(std::int32_t var, std::int64_t i) {
    const Bound& b = context_.var(var);
    return b.length == 1 && i == 0 ? b.cell : load_cell(b.data, b.storage, i);
  }
  // The segment of `desc` that the one element lies in.
  [[nodiscard]] std::int64_t segment(std::int32_t desc) {
    if (desc == kNone) return 0;  // by its number
    const plan::Desc& d = context_.desc(desc);
    std::int64_t s = 0;
    while (segment_offset(d, s + 1) == 0) ++s;
    return s;
  }

  Cell evaluate(const BodyInst& in) {
    switch (in.pull) {
      case Pull::kConst:
        return in.type == Type::kFloat ? std::bit_cast<Cell>(in.real) : static_cast<Cell>(in.imm);
      case Pull::kUniform:
      case Pull::kElement: return element(in.var, 0);
      case Pull::kIndex:
      case Pull::kWithin: return 0;
      case Pull::kPerSegment: return element(in.var, segment(in.desc));
      case Pull::kSegment: return static_cast<Cell>(segment(in.desc));
      case Pull::kGather: return gather(in, 0, context_.var(in.var).length);
      case Pull::kSegGather: {
        const std::int64_t s = segment(in.desc);
        const plan::Desc& d = context_.desc(in.desc2);
        return gather(in, segment_offset(d, s), segment_offset(d, s + 1) - segment_offset(d, s));
      }
      case Pull::kSegPlace: {
        const std::int64_t s = segment(in.desc);
        const plan::Desc& d = context_.desc(in.desc2);
        return place(in, segment_offset(d, s), segment_offset(d, s + 1) - segment_offset(d, s));
      }
      case Pull::kCheck: trapped_ = trapped_ || v(in.a) != 0; return v(in.a);
      case Pull::kScanned: return scan_identity(kernel_.sinks[at(in.a)]);
      case Pull::kApply: return apply(in);
    }
    return 0;
  }
  [[nodiscard]] Cell place(const BodyInst& in, std::int64_t offset, std::int64_t length) {
    if (in.b != kNone && v(in.b) == 0) return 0;
    const std::int64_t i = int_of(in.a);
    trapped_ = trapped_ || i < 0 || i >= length;
    return static_cast<Cell>(offset + i);
  }
  [[nodiscard]] Cell gather(const BodyInst& in, std::int64_t offset, std::int64_t length) {
    if (in.b != kNone && v(in.b) == 0) return 0;
    const std::int64_t i = int_of(in.a);
    if (i >= 0 && i < length) return element(in.var, offset + i);
    trapped_ = true;
    return 0;
  }
  [[nodiscard]] Cell scan_identity(const plan::Sink& s) const {
    if (s.type == Type::kFloat) return std::bit_cast<Cell>(float_identity(s.combine));
    if (s.type == Type::kBool) return bool_identity(s.combine);
    return static_cast<Cell>(int_identity(s.combine, context_.plan->int_bits));
  }

  [[nodiscard]] Cell apply(const BodyInst& in) {
    const Type type = kernel_.body.insts[at(in.a)].type;
    if (in.scalar == Scalar::kSelect) return v(in.a) != 0 ? v(in.b) : v(in.c);
    const Cell b = in.b == kNone ? 0 : v(in.b);
    return combine(in.scalar, type, v(in.a), b);
  }
  [[nodiscard]] Cell combine(Scalar scalar, Type type, Cell a, Cell b) {
    if (type == Type::kFloat) return apply_float(scalar, std::bit_cast<double>(a), std::bit_cast<double>(b));
    if (type == Type::kBool) return apply_bool(scalar, a != 0, b != 0);
    return apply_int(scalar, static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
  }

  [[nodiscard]] Cell divide(std::int64_t a, std::int64_t b, bool remainder) {
    const std::int64_t least = narrow_ ? INT32_MIN : INT64_MIN;
    if (b == 0 || (a == least && b == -1)) {
      trapped_ = true;
      return 0;
    }
    return from_int(remainder ? a % b : a / b);
  }
  [[nodiscard]] Cell apply_int(Scalar scalar, std::int64_t a, std::int64_t b) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    const std::uint64_t by = ub & (narrow_ ? 31U : 63U);
    switch (scalar) {
      case Scalar::kAdd: return from_int(static_cast<std::int64_t>(ua + ub));
      case Scalar::kSub: return from_int(static_cast<std::int64_t>(ua - ub));
      case Scalar::kMul: return from_int(static_cast<std::int64_t>(ua * ub));
      case Scalar::kDiv: return divide(a, b, false);
      case Scalar::kRem: return divide(a, b, true);
      case Scalar::kLt: return a < b;
      case Scalar::kLe: return a <= b;
      case Scalar::kGt: return a > b;
      case Scalar::kGe: return a >= b;
      case Scalar::kEq: return a == b;
      case Scalar::kNe: return a != b;
      case Scalar::kNot: return ~ua;
      case Scalar::kAnd: return ua & ub;
      case Scalar::kOr: return ua | ub;
      case Scalar::kXor: return ua ^ ub;
      case Scalar::kShl: return from_int(static_cast<std::int64_t>(ua << by));
      case Scalar::kShr: return static_cast<Cell>(a >> by);
      case Scalar::kMax: return static_cast<Cell>(a > b ? a : b);
      case Scalar::kMin: return static_cast<Cell>(a < b ? a : b);
      case Scalar::kItoF: return std::bit_cast<Cell>(static_cast<double>(a));
      case Scalar::kItoB: return a != 0;
      default: break;
    }
    NVM_CHECK(false, "a scalar operation on INT");
    return 0;
  }

  [[nodiscard]] static Cell apply_bool(Scalar scalar, bool a, bool b) {
    switch (scalar) {
      case Scalar::kLt: return !a && b;
      case Scalar::kLe: return !a || b;
      case Scalar::kGt: return a && !b;
      case Scalar::kGe: return a || !b;
      case Scalar::kEq: return a == b;
      case Scalar::kNe:
      case Scalar::kXor: return a != b;
      case Scalar::kNot: return !a;
      case Scalar::kAnd:
      case Scalar::kMin: return a && b;
      case Scalar::kOr:
      case Scalar::kMax: return a || b;
      case Scalar::kBtoI: return a;
      default: break;
    }
    NVM_CHECK(false, "a scalar operation on BOOL");
    return 0;
  }

  // Out of range, unordered included, gives the least INT.
  [[nodiscard]] Cell to_int(double x) const {
    const double limit = narrow_ ? 0x1p31 : 0x1p63;
    const bool inside = narrow_ ? x > -limit - 1.0 && x < limit : x >= -limit && x < limit;
    if (!inside) return static_cast<Cell>(narrow_ ? std::int64_t{INT32_MIN} : INT64_MIN);
    return static_cast<Cell>(static_cast<std::int64_t>(x));
  }
  [[nodiscard]] Cell apply_float(Scalar scalar, double a, double b) const {
    switch (scalar) {
      case Scalar::kAdd: return std::bit_cast<Cell>(a + b);
      case Scalar::kSub: return std::bit_cast<Cell>(a - b);
      case Scalar::kMul: return std::bit_cast<Cell>(a * b);
      case Scalar::kDiv: return std::bit_cast<Cell>(a / b);
      case Scalar::kLt: return a < b;
      case Scalar::kLe: return a <= b;
      case Scalar::kGt: return a > b;
      case Scalar::kGe: return a >= b;
      case Scalar::kEq: return a == b;
      case Scalar::kNe: return a != b;
      case Scalar::kMax: return std::bit_cast<Cell>(a > b ? a : b);
      case Scalar::kMin: return std::bit_cast<Cell>(a < b ? a : b);
      case Scalar::kFloor: return to_int(std::floor(a));
      case Scalar::kCeil: return to_int(std::ceil(a));
      case Scalar::kTrunc: return to_int(a);
      case Scalar::kRound: return to_int(a + 0.5);
      case Scalar::kSqrt: return std::bit_cast<Cell>(std::sqrt(a));
#define ELEMENTARY(id, name) \
  case Scalar::id:           \
    return std::bit_cast<Cell>(simd::elementary<simd::name##_f>(a));
#include "vm/simd/elementary.def"
      default: break;
    }
    NVM_CHECK(false, "a scalar operation on FLOAT");
    return 0;
  }

  void count(const plan::Sink& s) {
    if (s.out_length != kNone) context_.length(s.out_length) = v(s.value) != 0 ? 1 : 0;
  }
  [[nodiscard]] bool kept(const plan::Sink& s) const {
    return s.filter == kNone || v(kernel_.sinks[at(s.filter)].value) != 0;
  }
  [[nodiscard]] bool sink(const plan::Sink& s) {
    switch (s.kind) {
      case plan::SinkKind::kStore: return store(s, kept(s) ? 1 : 0);
      case plan::SinkKind::kReduce: return reduce(s);
      case plan::SinkKind::kSegReduce: return per_segment(s.out, s.desc, reduced(s), scan_identity(s));
      case plan::SinkKind::kCount: return s.desc == kNone || kept_counts(s);
      case plan::SinkKind::kScatter: return scatter(s);
      case plan::SinkKind::kPartition:
        trapped_ = trapped_ || partition_base(context_, s) != (kept(s) ? 0 : 1);
        return store(s, 1);
      case plan::SinkKind::kScan:
      case plan::SinkKind::kSegScan: return true;  // its first element is the identity
      case plan::SinkKind::kRank:
      case plan::SinkKind::kRandom:
      case plan::SinkKind::kSegdes: break;  // the host's primitives
    }
    return true;
  }
  [[nodiscard]] Cell reduced(const plan::Sink& s) {
    return kept(s) ? combine(s.combine, s.type, scan_identity(s), v(s.value)) : scan_identity(s);
  }
  [[nodiscard]] bool store(const plan::Sink& s, std::int64_t length) {
    if (!context_.allocate(s.out, length)) return false;
    if (length == 1) context_.var(s.out).cell = v(s.value);
    return true;
  }
  [[nodiscard]] bool reduce(const plan::Sink& s) {
    if (!context_.allocate(s.out, 1)) return false;
    context_.var(s.out).cell = reduced(s);
    return true;
  }
  // One value in the segment of the one element, another in the empty ones.
  [[nodiscard]] bool per_segment(std::int32_t out, std::int32_t desc, Cell here, Cell elsewhere) {
    const std::int64_t n = context_.desc(desc).segments;
    if (!context_.allocate(out, n)) return false;
    Bound& b = context_.var(out);
    for (std::int64_t s = 0; s < n; ++s) {
      const Cell value = s == segment(desc) ? here : elsewhere;
      store_cell_as(b.data, b.storage, s, value);
      if (n == 1) b.cell = value;
    }
    return true;
  }
  [[nodiscard]] bool kept_counts(const plan::Sink& s) {
    if (!per_segment(s.out_desc, s.desc, v(s.value), 0)) return false;
    make_kept_desc(context_, s.out_desc, context_.length(s.out_length));
    return true;
  }
  [[nodiscard]] bool scatter(const plan::Sink& s) {
    if (!start_scatter(context_, s)) return false;
    if (s.flag != kNone && v(s.flag) == 0) return true;
    Bound& out = context_.var(s.out);
    const std::int64_t i = int_of(s.index);
    if (i < 0 || i >= out.length) {
      trapped_ = true;
      return true;
    }
    store_cell_as(out.data, out.storage, i, v(s.value));
    if (out.length == 1) out.cell = v(s.value);
    return true;
  }

  const plan::Kernel& kernel_;
  RunContext& context_;
  bool narrow_;
  bool trapped_ = false;
  std::vector<Cell> values_;
};

}  // namespace

plan::RunStatus run_scalar_kernel(const plan::Kernel& kernel, RunContext& context) {
  return Once(kernel, context).run();
}

}  // namespace nvm::vm::cpu
