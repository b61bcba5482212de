// Writes plans by hand: bodies from left to right, vectors with what they hold, sinks.
#pragma once

#include <cstdint>

#include "bytecode/plan/plan.h"
#include "tests/support/plan_reference.h"

namespace nvm::testing {

// A body over the iteration that is written from left to right.
struct BodyWriter {
  soac::Body body;
  std::int32_t index() { return body.add({soac::Pull::kIndex, Type::kInt}); }
  std::int32_t number(std::int64_t v) {
    soac::BodyInst in{soac::Pull::kConst, Type::kInt};
    in.imm = v;
    return body.add(in);
  }
  std::int32_t uniform(std::int32_t var, Type type = Type::kInt) {
    return pull(soac::Pull::kUniform, var, type);
  }
  std::int32_t pull(soac::Pull how, std::int32_t var, Type type) {
    soac::BodyInst in{how, type};
    in.var = var;
    return body.add(in);
  }
  std::int32_t apply(Scalar op, Type type, std::int32_t a, std::int32_t b = soac::kNone,
                     std::int32_t c = soac::kNone) {
    soac::BodyInst in{soac::Pull::kApply, type, op};
    in.a = a;
    in.b = b;
    in.c = c;
    return body.add(in);
  }
  std::int32_t gather(std::int32_t var, std::int32_t at, Type type, std::int32_t where = soac::kNone) {
    soac::BodyInst in{soac::Pull::kGather, type};
    in.var = var;
    in.a = at;
    in.b = where;
    return body.add(in);
  }
};

// A plan of one kernel. Lengths: 0 the space, 1 one, 2 counted.
struct PlanWriter {
  plan::Plan plan;
  plan::Kernel kernel;
  Bindings bindings;
  BodyWriter w;

  PlanWriter(IntBits bits, std::int64_t n) {
    plan.int_bits = bits;
    plan.lengths = {plan::LengthKind::kBound, plan::LengthKind::kOne, plan::LengthKind::kCounted};
    bindings.lengths = {n, 1, 0};
    kernel.space = 0;
  }
  [[nodiscard]] Storage ints() const { return plan.int_bits == IntBits::k64 ? Storage::kI64 : Storage::kI32; }
  std::int32_t add_var(plan::VarRole role, Type type, Storage storage, plan::LengthId length) {
    plan::Var var;
    var.role = role;
    var.type = type;
    var.storage = storage;
    var.length = length;
    plan.vars.push_back(var);
    bindings.vectors.emplace_back();
    bindings.descs.emplace_back();
    return static_cast<std::int32_t>(plan.vars.size() - 1);
  }
  std::int32_t add_number(std::int64_t v) {
    const std::int32_t var = add_var(plan::VarRole::kInput, Type::kInt, ints(), 1);
    bindings.vectors.back().push_back({v, 0});
    return var;
  }
  // Returns the sink's number.
  std::int32_t add_sink(plan::SinkKind kind, std::int32_t value, Type type) {
    plan::Sink s;
    s.kind = kind;
    s.value = value;
    s.type = type;
    kernel.sinks.push_back(s);
    return static_cast<std::int32_t>(kernel.sinks.size() - 1);
  }
  void store(std::int32_t value, Type type, Storage storage, plan::LengthId length, std::int32_t filter) {
    add_sink(plan::SinkKind::kStore, value, type);
    kernel.sinks.back().filter = filter;
    kernel.sinks.back().out = add_var(plan::VarRole::kOutput, type, storage, length);
  }
  void reduce(Scalar op, std::int32_t value, Type type) {
    add_sink(plan::SinkKind::kReduce, value, type);
    kernel.sinks.back().combine = op;
    kernel.sinks.back().out =
        add_var(plan::VarRole::kOutput, type, type == Type::kFloat ? Storage::kF64 : ints(), 1);
  }
  // The exclusive scan's result at the iteration.
  std::int32_t scan(Scalar op, std::int32_t value, Type type) {
    soac::BodyInst in{soac::Pull::kScanned, type};
    in.a = add_sink(plan::SinkKind::kScan, value, type);
    kernel.sinks.back().combine = op;
    return w.body.add(in);
  }
  [[nodiscard]] plan::Plan finished() {
    kernel.body = w.body;
    plan.kernels = {kernel};
    return plan;
  }
};

}  // namespace nvm::testing
