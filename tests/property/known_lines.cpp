// Lines that come again: however the next one differs from the last, in what is live, where the host looks in
// between, how long the vectors are or where it ends, the values are those of the primitives.
#include <catch2/catch.hpp>
#include <deque>

#include "tests/support/random_line.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/data/compare.h"
#include "vm/interp/random.h"
#include "vm/tier/jit.h"

namespace nvm::testing {
namespace {

// A random line with its values, made once by the primitives.
struct Line {
  Line(const vm::PrimContext& context, std::uint64_t seed) : made(context, seed) {
    made.start();
    given = made.values();
    for (int i = 0; i < 40; ++i) {
      LineStep step;
      if (!made.step(step)) continue;
      ssa::Inst& inst = insts.emplace_back();
      inst.op = step.op;
      inst.word = step.word;
      steps.push_back(step);
    }
  }
  RandomLine made;
  std::vector<Value> given;
  std::vector<LineStep> steps;
  std::deque<ssa::Inst> insts;
};

// One run through the recorder. Every `host`-th step is the host's, every `dead`-th value is given up before
// it is asked for, and the line ends after `most` steps; 0: none, none, at its end.
struct Way {
  std::size_t host = 0, dead = 0, most = 0;
};

std::string run(const Line& line, vm::Recorder& recorder, const vm::PrimContext& context, Way way) {
  std::vector<Value> lazy = line.given;
  const std::size_t steps = way.most == 0 ? line.steps.size() : std::min(way.most, line.steps.size());
  for (std::size_t i = 0; i < steps; ++i) {
    const LineStep& step = line.steps[i];
    std::vector<Value> operands;
    for (const std::size_t x : step.operands) operands.push_back(lazy[x]);
    std::vector<Value> results(op_info(step.op).results.size());
    const bool by_host = way.host != 0 && i % way.host == 0;
    if (by_host)
      for (Value& v : operands) recorder.force(v);
    if (by_host || !recorder.offer(line.insts[i], {}, operands, results))
      vm::run_primitive(context, step.op, step.word, operands, results);
    for (Value& r : results) lazy.push_back(std::move(r));
  }
  if (way.dead != 0)
    for (std::size_t i = 0; i < lazy.size(); i += way.dead) lazy[i] = {};
  for (std::size_t i = 0; i < lazy.size(); ++i) {
    if (std::holds_alternative<std::monostate>(lazy[i])) continue;
    recorder.force(lazy[i]);
    if (std::string d = vm::difference(lazy[i], line.made.values()[i]); !d.empty())
      return "value " + std::to_string(i) + ": " + d;
  }
  return "";
}

struct Setting {
  explicit Setting(vm::JitMode mode) : engine(vm::cpu::make_engine({})) {
    context.pool = &pool;
    context.isa = vm::best_isa();
    jit.emplace(*engine, context, vm::JitOptions{.mode = mode});
    vm::Recorder::Limits limits{.min_elements = 1, .max_insts = 60};
    limits.primitives = true;
    recorder.emplace(*jit, IntBits::k64, limits);
  }
  vm::Pool pool;
  vm::PrimContext context;
  std::unique_ptr<plan::Engine> engine;
  std::optional<vm::Jit> jit;
  std::optional<vm::Recorder> recorder;
};

}  // namespace

TEST_CASE("lines that come again and differ keep their results") {
  std::uint64_t followed = 0, left = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    INFO("seed " << seed);
    Setting s(seed % 2 == 0 ? vm::JitMode::kAlways : vm::JitMode::kHot);
    const Line line(s.context, seed);
    std::mt19937_64 rng(seed);
    for (int turn = 0; turn < 24; ++turn) {
      Way way;
      if (turn > 4 && turn % 3 == 0) {
        way.host = below(rng, 2) == 0 ? 0 : 1 + static_cast<std::size_t>(below(rng, 9));
        way.dead = static_cast<std::size_t>(below(rng, 5));
        way.most = static_cast<std::size_t>(below(rng, 41));
      }
      INFO("turn " << turn << " host " << way.host << " dead " << way.dead << " most " << way.most);
      const std::string d = run(line, *s.recorder, s.context, way);
      REQUIRE(d == "");
    }
    followed += s.recorder->traces().hits();
    left += s.recorder->traces().misses();
  }
  CHECK(followed > 1000);  // to their ends
  CHECK(left > 100);       // at some step
}

TEST_CASE("a line that comes again takes other lengths, and not one element for many") {
  Setting s(vm::JitMode::kAlways);
  ssa::Inst mul, add;
  mul.op = Op::kMul;
  add.op = Op::kAdd;
  mul.word = add.word = TypeWord::kInt;
  const auto go = [&](std::int64_t n, std::int64_t m) {
    std::vector<std::int64_t> xs(static_cast<std::size_t>(n)), ys(static_cast<std::size_t>(m));
    for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<std::int64_t>(i) - 3;
    for (std::size_t i = 0; i < ys.size(); ++i) ys[i] = static_cast<std::int64_t>(i * i);
    const Value x = int_vector(s.pool, xs), y = int_vector(s.pool, ys);
    Value both[2] = {x, x}, made[1], more[2], sum[1];
    if (!s.recorder->offer(mul, {}, both, made)) return std::string("not recorded");
    more[0] = std::move(made[0]);
    more[1] = y;
    if (!s.recorder->offer(add, {}, more, sum)) return std::string("lengths differ");
    s.recorder->force(sum[0]);
    for (std::int64_t i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      if (std::get<Vector>(sum[0]).int_at(i) != xs[k] * xs[k] + ys[k]) return "element " + std::to_string(i);
    }
    return std::string();
  };
  for (const std::int64_t n : {8, 8, 8, 5, 3000, 2, 1, 8, 8, 8}) {
    INFO("length " << n);
    CHECK(go(n, n) == "");
  }
  CHECK(go(8, 9) == "lengths differ");
  CHECK(go(8, 8) == "");
  CHECK(s.recorder->traces().hits() == 8);
}

}  // namespace nvm::testing
