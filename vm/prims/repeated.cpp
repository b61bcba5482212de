#include "vm/prims/repeated.h"

#include <algorithm>
#include <cstring>

#include "vm/prims/operands.h"
#include "vm/prims/spread.h"

namespace nvm::vm {

namespace {

const Vector* vector_at(const PrimCall& call, std::size_t i) {
  return std::get_if<Vector>(&call.operands[i]);
}
const Segdes* segdes_at(const PrimCall& call, std::size_t i) {
  return std::get_if<Segdes>(&call.operands[i]);
}

bool lengths_repeated(const PrimCall& call) {
  const Segdes* s = segdes_at(call, 0);
  if (s == nullptr || !s->is_regular() || s->segments() < 2) return false;
  call.results[0] = repeat_element(Vector::of_int(s->regular_length()), s->segments(), call.context);
  return true;
}

// Elementwise on operands that are all repeated. Whatever may fail is left to those who say where.
bool map_repeated(const PrimCall& call) {
  const OpInfo& info = op_info(call.op);
  const std::size_t n = info.operands.size();
  const Vector* first = vector_at(call, 0);
  if (n > 3 || first == nullptr) return false;
  Value ones[3];
  for (std::size_t i = 0; i < n; ++i) {
    const Vector* v = vector_at(call, i);
    if (v == nullptr || !v->is_repeated() || v->length() != first->length()) return false;
    ones[i] = v->repeated_element();
  }
  const bool divides = info.scalar == Scalar::kDiv || info.scalar == Scalar::kRem;
  if (divides ? std::get<Vector>(ones[1]).scalar_int() <= 0 : info.effect != Effect::kPure) return false;
  Value one;
  run_primitive(call.context, call.op, call.word, {ones, n}, {&one, 1});
  call.results[0] = repeat_element(std::get<Vector>(one), first->length(), call.context);
  return true;
}

bool dist_repeated(const PrimCall& call) {
  const Vector* x = vector_at(call, 0);
  const Segdes* s = segdes_at(call, 1);
  if (x == nullptr || s == nullptr || x->length() != s->segments() || s->total() < 2) return false;
  if (!x->is_repeated() && !x->is_scalar()) return false;
  const Vector one = x->is_scalar() ? *x : x->repeated_element();
  call.results[0] = repeat_element(one, s->total(), call.context);
  return true;
}

// Segments of n > 0 equal elements each, which are not FLOAT: of those the order of addition counts.
bool reduce_repeated(const PrimCall& call) {
  const Vector* v = vector_at(call, 0);
  const Segdes* s = segdes_at(call, 1);
  if (v == nullptr || s == nullptr || !v->is_repeated() || v->type() == Type::kFloat || !s->is_regular() ||
      s->regular_length() < 1 || s->total() != v->length())
    return false;
  Vector one = v->repeated_element();
  const Scalar scalar = op_info(call.op).scalar;
  switch (scalar) {
    case Scalar::kAnd:
    case Scalar::kOr: break;
    case Scalar::kMin:
    case Scalar::kMax: {
      const std::int64_t from = int_identity(scalar, call.context.int_bits);
      one = Vector::of_int(scalar == Scalar::kMin ? std::min(one.scalar_int(), from)
                                                  : std::max(one.scalar_int(), from));
      break;
    }
    case Scalar::kAdd: {
      if (one.type() != Type::kInt) return false;
      const auto sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(one.scalar_int()) *
                                                 static_cast<std::uint64_t>(s->regular_length()));
      one = Vector::of_int(call.context.int_bits == IntBits::k32 ? static_cast<std::int32_t>(sum) : sum);
      break;
    }
    default: return false;
  }
  call.results[0] = repeat_element(one, s->segments(), call.context);
  return true;
}

bool extract_repeated(const PrimCall& call) {
  const Vector* v = vector_at(call, 0);
  const Vector* index = vector_at(call, 1);
  const Segdes* s = segdes_at(call, 2);
  if (v == nullptr || index == nullptr || s == nullptr || !v->is_repeated() || !s->is_regular() ||
      s->total() != v->length() || index->length() != s->segments() ||
      !(index->is_repeated() || index->is_scalar()))
    return false;
  const std::int64_t i = index->scalar_int();
  if (i < 0 || i >= s->regular_length()) return false;
  call.results[0] = repeat_element(v->repeated_element(), s->segments(), call.context);
  return true;
}

bool compute_repeated(const PrimCall& call) {
  switch (op_info(call.op).kind) {
    case OpKind::kMap: return map_repeated(call);
    case OpKind::kDist: return dist_repeated(call);
    case OpKind::kReduce: return reduce_repeated(call);
    case OpKind::kExtract: return extract_repeated(call);
    case OpKind::kShape: return call.op == Op::kLengths && lengths_repeated(call);
    default: return false;
  }
}

}  // namespace

bool run_repeated(const PrimCall& call) {
  const bool done = compute_repeated(call);
  if (done) took(call.context, FastPath::kComputeRepeated);
  return done;
}

bool all_equal(const Vector& v) {
  const std::byte* first = v.raw();
  const std::size_t width = storage_bytes(v.storage());
  const auto bytes = static_cast<std::size_t>(v.bytes());
  return std::memcmp(first, first + bytes - width, width) == 0 &&
         std::memcmp(first, first + width, bytes - width) == 0;
}

void write_repeated(const PrimContext& context, Value& value) {
  const auto* v = std::get_if<Vector>(&value);
  if (v == nullptr || !v->is_repeated()) return;
  took(context, FastPath::kWriteRepeated);
  Fresh out(context, v->storage(), v->length());
  fill_repeated(*v, context, v->length(), out.data());
  value = out.take();
}

}  // namespace nvm::vm
