// Independent chains of a plan run on streams of their own, lists of work that come again as graphs; the
// emulated driver aborts where something is not ordered.
#include <catch2/catch.hpp>
#include <cstdio>

#include "gpu/cuda_engine.h"
#include "gpu/launch.h"
#include "gpu/memory/cuda_queue.h"
#include "tests/property/gen_plan.h"
#include "tests/support/emu_build.h"
#include "tests/support/emu_device.h"
#include "tests/support/plan_corpus.h"
#include "tests/support/plan_runner.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

std::shared_ptr<gpu::OpenDevice> device() {
  static std::string reason;
  static const auto kDevice = gpu::OpenDevice::open(0, reason);
  INFO(reason);
  REQUIRE(kDevice != nullptr);
  return kDevice;
}

// Plans in one source.
class Compiled {
 public:
  explicit Compiled(const std::vector<plan::Plan>& plans) {
    std::string source = gpu::prelude();
    std::string reason;
    for (std::size_t i = 0; i < plans.size(); ++i) {
      codes_.push_back(gpu::generate(plans[i], "p" + std::to_string(i) + "_"));
      source += codes_.back().source;
    }
    std::string log;
    const std::string image = "emulated\n" + build_emulated(source, log) + "\n";
    INFO(log);
    module_ = std::make_unique<gpu::LoadedModule>(device(), image.c_str(), reason);
    INFO(reason);
    REQUIRE(module_->ok());
  }

  class Code final : public plan::Code {
   public:
    Code(const gpu::Code& code, const gpu::LoadedModule& module) : code_(code), module_(module) {}
    [[nodiscard]] plan::RunStatus run(const plan::Run& run) const override {
      gpu::CudaQueue queue(device(), module_);
      const plan::RunStatus status = gpu::run_code(code_, run, queue);
      CHECK(queue.error().empty());
      return status;
    }
    [[nodiscard]] std::string listing() const override { return {}; }
    [[nodiscard]] std::size_t code_bytes() const override { return 0; }
    [[nodiscard]] bool resident() const override { return true; }

   private:
    const gpu::Code& code_;
    const gpu::LoadedModule& module_;
  };
  [[nodiscard]] Code code(std::size_t i) const { return Code(codes_[i], *module_); }
  [[nodiscard]] bool forks(std::size_t i) const {
    return std::any_of(codes_[i].kernels.begin(), codes_[i].kernels.end(),
                       [](const gpu::KernelCode& k) { return k.lane > 0; });
  }

 private:
  std::vector<gpu::Code> codes_;
  std::unique_ptr<gpu::LoadedModule> module_;
};

// Two chains of two kernels over different spaces, joined at the end: sum(scan(x) * 2) + sum(scan(y) * 2).
plan::Plan two_chains() {
  test::RegionBuilder r;
  std::vector<soac::VarId> sums;
  for (int chain = 0; chain < 2; ++chain) {
    const auto n = r.length();
    const auto x = r.vector(Type::kInt, n);
    const auto total = r.op(Op::kAddReduce, TypeWord::kInt, {x, r.whole(n)});
    const auto spread = r.op(Op::kDist, TypeWord::kInt, {total, r.whole(n)});
    const auto product = r.op(Op::kMul, TypeWord::kInt, {x, spread});
    r.live(product);
    sums.push_back(r.op(Op::kMaxReduce, TypeWord::kInt, {product, r.whole(n)}));
  }
  r.live(r.op(Op::kAdd, TypeWord::kInt, {sums[0], sums[1]}));
  return plan::fuse(soac::build(r.region()), plan::Fusion::kExact);
}

Bindings numbers(const plan::Plan& plan, std::int64_t n, std::int64_t step) {
  Bindings b;
  b.vectors.resize(plan.vars.size());
  b.descs.resize(plan.vars.size());
  b.lengths.assign(plan.lengths.size(), 0);
  for (std::size_t l = 0; l < plan.lengths.size(); ++l)
    b.lengths[l] = plan.lengths[l] == plan::LengthKind::kOne ? 1 : n;
  for (std::size_t v = 0; v < plan.vars.size(); ++v) {
    const plan::Var& var = plan.vars[v];
    if (var.is_desc || var.role != plan::VarRole::kInput) continue;
    const std::int64_t count = b.lengths[static_cast<std::size_t>(var.length)];
    for (std::int64_t i = 0; i < count; ++i) b.vectors[v].push_back({(i * step) % 1000, 0.0});
  }
  return b;
}

void check_run(const plan::Code& code, const plan::Plan& plan, const Bindings& inputs) {
  Bindings wanted = inputs;
  const bool fine = evaluate(plan, wanted);
  const PlanRun got = run_plan(code, plan, inputs, 1);
  INFO(print(plan));
  CHECK(got.trouble == "");
  CHECK(got.status == (fine ? plan::RunStatus::kDone : plan::RunStatus::kTrapped));
  if (fine && got.status == plan::RunStatus::kDone) CHECK(differences(plan, wanted, got.results) == "");
}

}  // namespace

TEST_CASE("independent chains run on streams of their own") {
  const plan::Plan plan = two_chains();
  const Compiled compiled({plan});
  REQUIRE(compiled.forks(0));
  for (const char* order : {"", "others_first=1"}) {
    control(order);
    check_run(compiled.code(0), plan, numbers(plan, 3000 + std::string(order).size(), 7));
    CHECK(counts().joins >= 3);
    static_cast<void>(device()->make_room(0));
    CHECK(counts().live == 0);
  }
  control("");
}

TEST_CASE("work that comes again becomes a graph, which then gets other data") {
  const plan::Plan plan = two_chains();
  const Compiled compiled({plan});
  control("");
  for (std::int64_t round = 0; round < 6; ++round)
    check_run(compiled.code(0), plan, numbers(plan, 5000, round + 3));
  CHECK(counts().graphs == 4);
  CHECK(counts().graphs_made == 1);
  // Other lengths, other grids.
  for (std::int64_t round = 0; round < 4; ++round)
    check_run(compiled.code(0), plan, numbers(plan, 20000, round + 3));
  CHECK(counts().graphs == 6);
  CHECK(counts().graphs_made == 2);
}

TEST_CASE("a graph that cannot be made is done without") {
  const plan::Plan plan = two_chains();
  const Compiled compiled({plan});
  control("no_graph=1");
  for (std::int64_t round = 0; round < 5; ++round)
    check_run(compiled.code(0), plan, numbers(plan, 5000, round + 3));
  CHECK(counts().graphs == 0);
  control("");
}

TEST_CASE("random plans on streams and as graphs give what the reference gives") {
  constexpr std::int64_t kSizes[] = {0, 1, 33, 2049, 4097, 9000};
  std::vector<PlanCase> cases;
  std::vector<plan::Plan> plans;
  for (std::uint64_t i = 0; i < 24; ++i) {
    cases.push_back(
        PlanGenerator(5000 + i, kSizes[i % std::size(kSizes)], i % 3 == 0 ? IntBits::k32 : IntBits::k64)
            .make());
    plans.push_back(cases.back().plan);
  }
  const Compiled compiled(plans);
  int run = 0, forked = 0;
  std::uint64_t graphs = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const Compiled::Code code = compiled.code(i);
    ++run;
    forked += compiled.forks(i) ? 1 : 0;
    INFO("seed " << 5000 + i);
    control("");
    for (int round = 0; round < 4; ++round) check_run(code, plans[i], cases[i].inputs);
    graphs += counts().graphs;
    control("others_first=1");
    check_run(code, plans[i], cases[i].inputs);
  }
  control("");
  std::printf("%d plans, %d on several streams, %d launches of graphs\n", run, forked,
              static_cast<int>(graphs));
  CHECK(run > 12);
  CHECK(forked > 3);
  CHECK(graphs > 12);
}
