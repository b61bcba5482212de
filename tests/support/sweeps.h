// The same short line again and again: x = x * x + x, or x = ranks of x * x, + x.
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "vm/tier/jit.h"

namespace nvm::testing {

using namespace nvm::vm;

inline constexpr std::int64_t kElements = 2000;

inline vm::Pool& pool() {  // outlives all values
  static vm::Pool one;
  return one;
}

// Each sweep is a line of its own. `engine` may be null: then nothing is compiled.
class Loop {
 public:
  explicit Loop(plan::Engine* engine, bool ranks = false)
      : executor_(refuse_if_null(engine)),
        jit_(executor_, context(), {.mode = mode(engine)}),
        ranks_(ranks) {}

  Value run(int sweeps) {
    std::vector<std::int64_t> elements;
    for (std::int64_t i = 0; i < kElements; ++i) elements.push_back(i % 17);
    Value x = int_vector(pool(), elements);
    for (int sweep = 0; sweep < sweeps; ++sweep) x = line(x);
    return x;
  }
  [[nodiscard]] const JitCounters& counters() const { return jit_.counters(); }
  [[nodiscard]] std::uint64_t taken(FastPath path) const { return paths_[path]; }

 private:
  struct Refusing final : plan::Engine {
    [[nodiscard]] std::string name() const override { return "none"; }
    [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan&, std::string&) override {
      return nullptr;
    }
  };
  plan::Engine& refuse_if_null(plan::Engine* engine) {
    static Refusing none;
    return engine == nullptr ? none : *engine;
  }
  static JitMode mode(const plan::Engine* engine) {
    return engine == nullptr ? JitMode::kOff : JitMode::kAlways;
  }
  const PrimContext& context() {
    context_.pool = &pool();
    context_.isa = best_isa();
    context_.orderer = executor_.orderer();
    context_.fast_paths = &paths_;
    return context_;
  }
  Value line(const Value& x) {
    Recorder recorder(jit_, IntBits::k64, {.min_elements = 2, .max_insts = 60, .primitives = true});
    Value square = step(recorder, Op::kMul, {x, x});
    if (ranks_) square = step(recorder, Op::kRankUp, {square, Segdes::regular(1, kElements)});
    Value sum = step(recorder, Op::kAdd, {square, x});
    square = {};
    recorder.force(sum);
    return sum;
  }
  Value step(Recorder& recorder, Op op, std::vector<Value> operands) {
    auto inst = std::make_unique<ssa::Inst>();
    inst->op = op;
    inst->word = TypeWord::kInt;
    std::vector<Value> results(1);
    REQUIRE(recorder.offer(*inst, {}, operands, results));
    insts_.push_back(std::move(inst));
    return std::move(results[0]);
  }

  FastPathCounts paths_;
  PrimContext context_;
  plan::Engine& executor_;
  Jit jit_;
  bool ranks_;
  std::vector<std::unique_ptr<ssa::Inst>> insts_;
};

inline Value expected(int sweeps, bool ranks = false) { return Loop(nullptr, ranks).run(sweeps); }

}  // namespace nvm::testing
