// Random plans on the device give what the reference evaluator gives, bit by bit. Plans with elementary
// functions are left out: CUDA's differ from the CPU's in the last place.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "gpu/cuda_engine.h"
#include "tests/property/gen_plan.h"
#include "tests/support/plan_runner.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

constexpr std::int64_t kSizes[] = {0, 1, 31, 32, 33, 2047, 2049, 4097, 70000, 1000003};

bool elementary(const plan::Plan& plan) {
  return std::any_of(plan.kernels.begin(), plan.kernels.end(), [](const plan::Kernel& k) {
    return std::any_of(k.body.insts.begin(), k.body.insts.end(), [](const soac::BodyInst& in) {
      return in.pull == soac::Pull::kApply && in.scalar >= Scalar::kLog && in.scalar != Scalar::kSqrt;
    });
  });
}

// The number of plans to try; NVM_GPU_PLANS overrides it.
int plan_count() {
  const char* text = std::getenv("NVM_GPU_PLANS");
  return text == nullptr ? 60 : std::atoi(text);
}

}  // namespace

TEST_CASE("random plans on the device give what the reference gives") {
  std::string reason;
  const auto engine = gpu::make_engine(reason);
  if (engine == nullptr) {
    std::printf("skipped 1 test, plans on a device: %s\n", reason.c_str());
    return;
  }
  int run = 0;
  for (int i = 0; i < plan_count(); ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const IntBits bits = i % 2 == 0 ? IntBits::k64 : IntBits::k32;
    const PlanCase c = PlanGenerator(seed, kSizes[seed % std::size(kSizes)], bits).make();
    const auto code = elementary(c.plan) ? nullptr : engine->compile(c.plan, reason);
    if (code == nullptr) continue;
    ++run;
    Bindings wanted = c.inputs;
    const bool fine = evaluate(c.plan, wanted);
    const PlanRun got = run_plan(*code, c.plan, c.inputs, 1);
    INFO("seed " << seed << "\n" << print(c.plan));
    CHECK(got.trouble == "");
    CHECK(got.status == (fine ? plan::RunStatus::kDone : plan::RunStatus::kTrapped));
    if (!fine || got.status != plan::RunStatus::kDone) continue;
    CHECK(differences(c.plan, wanted, got.results) == "");
    CHECK(got.kernels(plan::KernelWay::kOnDevice) > 0);
  }
  std::printf("%d plans run on %s\n", run, engine->name().c_str());
}
