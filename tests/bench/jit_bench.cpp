// What the compiling tier costs by itself: planning and machine code for lines of 20, 100 and 400
// instructions, compiled lines on eight elements with their recording, how many
// compilations a thousand lengths cause, and what a second thread brings where arithmetic is the limit.
// Prints a table; medians.
//
//   jit_bench
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <vector>

#include "vm/cpu/cpu_engine.h"
#include "vm/interp/value_moves.h"
#include "vm/tier/jit.h"
#include "vm/tier/pipeline.h"

namespace {

using namespace nvm;
using namespace nvm::vm;

double median_us(int runs, const std::function<void()>& f) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(times.begin(), times.begin() + runs / 2, times.end());
  return times[static_cast<std::size_t>(runs / 2)];
}

class Bench {
 public:
  // predicts: lines that come again are followed, not recorded anew.
  explicit Bench(int threads, bool predicts = true) : predicts_(predicts) {
    context_.pool = &pool_;
    context_.isa = best_isa();
    context_.threads = threads;
  }
  [[nodiscard]] Jit& jit() { return jit_; }
  [[nodiscard]] plan::Engine& engine() { return *engine_; }
  Vector floats(std::int64_t n) {
    Vector x = pool_.vector(Storage::kF64, n);
    for (std::int64_t i = 0; i < n; ++i) x.mutable_data<double>()[i] = 0.5 + static_cast<double>(i % 7) / 8;
    return x;
  }
  // Records and executes a line: x is combined `insts` times with y by the operations of `ops` in turn.
  void line(const Vector& x, const Vector& y, int insts, const std::vector<Op>& ops) {
    Value operands[2], now;
    copy_value(x, operands[0]);
    for (int i = 0; i < insts; ++i) {
      const ssa::Inst& in = inst(ops, static_cast<std::size_t>(i));
      const std::size_t n = op_info(in.op).operands.size();
      if (n == 2) copy_value(y, operands[1]);
      if (!recorder_.offer(in, {}, {operands, n}, {&now, 1})) std::printf("not recorded\n");
      move_value(now, operands[0]);
    }
    recorder_.force(operands[0]);
  }

 private:
  // Number i of a line; as in a program, each has a place of its own.
  const ssa::Inst& inst(const std::vector<Op>& ops, std::size_t i) {
    for (std::size_t n = insts_.size(); n <= i; ++n) {
      ssa::Inst& in = insts_.emplace_back();
      in.op = ops[n % ops.size()];
      in.word = TypeWord::kFloat;
    }
    return insts_[i];
  }

  bool predicts_;
  Pool pool_;
  PrimContext context_;
  std::unique_ptr<plan::Engine> engine_ = cpu::make_engine({});
  Jit jit_{*engine_, context_, JitOptions{.mode = JitMode::kAlways}};
  Recorder recorder_{jit_, IntBits::k64, {.min_elements = 1, .max_insts = 1000, .predicts = predicts_}};
  std::deque<ssa::Inst> insts_;
};

const std::vector<Op> kPlain = {Op::kMul, Op::kAdd, Op::kSub};

void compile_cost() {
  for (const int insts : {20, 100, 400}) {
    Bench bench(1);
    bench.line(bench.floats(8), bench.floats(8), insts, kPlain);
    const soac::Region& region = bench.jit().entries().front()->region;
    RegionEntry planned;
    const double all = median_us(51, [&] {
      RegionEntry entry;
      compile_region(region, bench.engine(), plan::Fusion::kExact, entry);
      planned.plan = std::move(entry.plan);
    });
    std::string reason;
    const double code =
        median_us(51, [&] { static_cast<void>(bench.engine().compile(planned.plan, reason)); });
    std::printf("%4d instructions: planning %8.1f us, machine code %8.1f us (%.1f us for each 100)\n", insts,
                all - code, code, 100 * code / insts);
  }
}

// Memory for the vectors of a plan over eight FLOATs; inputs read `x`.
class EightElements final : public plan::Host {
 public:
  EightElements(const plan::Plan& plan, const double* x)
      : arrays_(plan.vars.size()), descs_(plan.vars.size()), lengths_(plan.lengths.size(), 8) {
    for (std::size_t i = 0; i < arrays_.size(); ++i)
      arrays_[i] = {const_cast<double*>(x), 8, Storage::kF64, 0, 0.0};
    lengths_[0] = 1;
  }
  plan::Run run() { return {arrays_, descs_, lengths_, this, 1}; }
  void* allocate(plan::VarId, Storage, std::int64_t) override { return memory_; }
  void release(plan::VarId) override {}
  [[nodiscard]] bool cancelled() const override { return false; }

 private:
  std::vector<plan::Array> arrays_;
  std::vector<plan::Desc> descs_;
  std::vector<std::int64_t> lengths_;
  alignas(64) double memory_[24] = {};
};

double line_ns(Bench& bench, int insts) {
  constexpr int kLines = 2000;
  const Vector x = bench.floats(8), y = bench.floats(8);
  for (int i = 0; i < 10; ++i) bench.line(x, y, insts, kPlain);
  const double us = median_us(21, [&] {
    for (int i = 0; i < kLines; ++i) bench.line(x, y, insts, kPlain);
  });
  return 1e3 * us / kLines;
}

void small_lines() {
  for (const int insts : {3, 10, 30, 100}) {
    constexpr int kRuns = 2000;
    Bench anew(1, false), again(1);
    const double recorded = line_ns(anew, insts), followed = line_ns(again, insts);
    const RegionEntry& entry = *again.jit().entries().front();
    const Vector x = again.floats(8);
    EightElements host(entry.plan, x.data<double>());
    const double alone = median_us(21, [&] {
      for (int i = 0; i < kRuns; ++i) static_cast<void>(entry.code->run(host.run()));
    });
    std::printf(
        "%4d instructions on 8 elements: recorded anew and run %6.0f ns, come again %5.0f ns, "
        "the kernel alone %4.0f ns\n",
        insts, recorded, followed, 1e3 * alone / kRuns);
  }
}

void distinct_lengths() {
  Bench bench(1);
  for (std::int64_t n = 2; n < 1002; ++n) bench.line(bench.floats(n), bench.floats(n), 10, kPlain);
  std::printf("1000 distinct lengths: %llu compilation(s)\n",
              static_cast<unsigned long long>(bench.jit().counters().compiled));
}

void second_thread() {
  const std::vector<Op> heavy = {Op::kExp, Op::kSin, Op::kMul, Op::kCos, Op::kAdd};
  double us[2];
  for (const int threads : {1, 2}) {
    Bench bench(threads);
    const Vector x = bench.floats(2'000'000), y = bench.floats(2'000'000);
    bench.line(x, y, 20, heavy);
    us[threads - 1] = median_us(9, [&] { bench.line(x, y, 20, heavy); });
  }
  std::printf(
      "20 instructions with exp, sin, cos on 2 million: 1 thread %.1f ms, 2 threads %.1f ms, %.2f times\n",
      us[0] / 1e3, us[1] / 1e3, us[0] / us[1]);
}

}  // namespace

int main() {
  compile_cost();
  small_lines();
  distinct_lengths();
  second_thread();
}
