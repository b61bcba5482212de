// Random lines through recorder and engine, held against eager execution.
#pragma once

#include <catch2/catch.hpp>

#include "tests/support/random_line.h"
#include "vm/data/compare.h"
#include "vm/interp/random.h"
#include "vm/tier/jit.h"

namespace nvm::testing {

// Kernels of all plans that were left to primitives.
struct LeftToPrimitives {
  int ranks = 0, random = 0, segdes = 0;
};
inline void note_primitives(const vm::Jit& jit, LeftToPrimitives& left) {
  for (const auto& e : jit.entries()) {
    for (const plan::Kernel& k : e->plan.kernels) {
      if (!by_primitive(k)) continue;
      const plan::SinkKind kind = k.sinks.front().kind;
      left.ranks += kind == plan::SinkKind::kRank ? 1 : 0;
      left.random += kind == plan::SinkKind::kRandom ? 1 : 0;
      left.segdes += kind == plan::SinkKind::kSegdes ? 1 : 0;
    }
  }
}

// Runs one random line eagerly and through the recorder; returns the number of instructions recorded.
inline int run_line(std::uint64_t seed, plan::Engine& engine, vm::JitOptions options, IntBits bits,
                    vm::JitCounters& total, bool scatters = false, LeftToPrimitives* left = nullptr) {
  vm::Pool pool;
  vm::PrimContext context;
  context.pool = &pool;
  context.int_bits = bits;
  context.isa = vm::best_isa();
  const auto drawn = vm::make_random(vm::RandomKind::kPhilox);
  context.random = drawn.get();
  RandomLine line(context, seed);
  line.start();
  vm::PrimContext chaining = context;  // lines that are not compiled go strip by strip
  chaining.grain = 64;
  const auto again = vm::make_random(vm::RandomKind::kPhilox);  // the same numbers
  chaining.random = again.get();
  vm::Jit jit(engine, chaining, options);
  vm::Recorder::Limits limits{.min_elements = 1, .max_insts = 60, .scatters = scatters};
  limits.primitives = engine.calls_primitives();
  limits.random = again.get();
  vm::Recorder recorder(jit, bits, limits);
  std::vector<Value> lazy = line.values();
  std::vector<ssa::Inst> insts;
  insts.reserve(64);
  int recorded = 0;
  for (int i = 0; i < 60; ++i) {
    LineStep step;
    if (!line.step(step)) continue;
    ssa::Inst inst;
    inst.op = step.op;
    inst.word = step.word;
    insts.push_back(inst);
    std::vector<Value> operands;
    for (const std::size_t x : step.operands) operands.push_back(lazy[x]);
    std::vector<Value> results(op_info(step.op).results.size());
    if (recorder.offer(insts.back(), {}, operands, results))
      ++recorded;
    else
      vm::run_primitive(chaining, step.op, step.word, operands, results);
    for (Value& r : results) lazy.push_back(std::move(r));
  }
  // Some values die before they are asked for, as in a program.
  for (std::size_t i = 0; i < lazy.size(); i += 3) lazy[i] = {};
  for (std::size_t i = 0; i < lazy.size(); ++i) {
    if (std::holds_alternative<std::monostate>(lazy[i])) continue;
    recorder.force(lazy[i]);
    INFO("seed " << seed << " value " << i);
    const std::string d = vm::difference(lazy[i], line.values()[i]);
    if (!d.empty()) {
      for (const auto& e : jit.entries()) UNSCOPED_INFO(soac::print(e->region) << plan::print(e->plan));
      FAIL_CHECK(d);
      return recorded;
    }
  }
  if (left != nullptr) note_primitives(jit, *left);
  total.fused += jit.counters().fused;
  total.compiled += jit.counters().compiled;
  total.refused += jit.counters().refused;
  total.trapped += jit.counters().trapped;
  return recorded;
}

}  // namespace nvm::testing
