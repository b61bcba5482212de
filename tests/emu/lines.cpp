// Recorded lines, fused and run under CUDA emulation, equal eager execution. The plans are gathered by a
// first round that runs nothing, so that they share a compilation.
#include <algorithm>

#include "tests/support/emu_engine.h"
#include "tests/support/engines.h"
#include "tests/support/run_line.h"

using namespace nvm;
using namespace nvm::testing;

namespace {

class GatheringEngine final : public plan::Engine {
 public:
  [[nodiscard]] std::string name() const override { return "gathering"; }
  [[nodiscard]] bool calls_primitives() const override { return true; }
  [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan& plan, std::string& reason) override {
    plans.push_back(plan);
    reason = "only gathered";
    return nullptr;
  }
  std::vector<plan::Plan> plans;
};

void run_lines(plan::Engine& engine, plan::Fusion fusion, vm::JitCounters& total,
               LeftToPrimitives* left = nullptr) {
  const std::uint64_t first = fusion == plan::Fusion::kOff ? 100 : 200;
  for (std::uint64_t seed = first; seed < first + 16; ++seed)
    run_line(seed, engine, {.mode = vm::JitMode::kAlways, .fusion = fusion}, IntBits::k64, total, true, left);
}

bool puts_by_index(const plan::Plan& plan) {
  return std::any_of(plan.kernels.begin(), plan.kernels.end(), [](const plan::Kernel& k) {
    return std::any_of(k.sinks.begin(), k.sinks.end(),
                       [](const plan::Sink& s) { return s.kind == plan::SinkKind::kScatter; });
  });
}

// Places within segments, and elements of each stored apart.
bool moves_in_segments(const plan::Plan& plan) {
  return std::any_of(plan.kernels.begin(), plan.kernels.end(), [](const plan::Kernel& k) {
    return std::any_of(k.body.insts.begin(), k.body.insts.end(),
                       [](const soac::BodyInst& in) { return in.pull == soac::Pull::kSegPlace; });
  });
}

}  // namespace

TEST_CASE("recorded lines under CUDA emulation equal eager lines") {
  std::ptrdiff_t scattering = 0, segmented = 0;
  LeftToPrimitives left;
  for (const plan::Fusion fusion : {plan::Fusion::kOff, plan::Fusion::kGreedy}) {
    GatheringEngine gathering;
    vm::JitCounters ignored;
    run_lines(gathering, fusion, ignored);
    EmuEngine engine;
    engine.prepare(gathering.plans);
    vm::JitCounters total;
    run_lines(engine, fusion, total, &left);
    CHECK(total.fused >= 16);  // one line for each seed
    CHECK(total.refused == 0);
    scattering += std::count_if(gathering.plans.begin(), gathering.plans.end(), puts_by_index);
    segmented += std::count_if(gathering.plans.begin(), gathering.plans.end(), moves_in_segments);
  }
  CHECK(scattering > 0);
  CHECK(segmented > 0);
  CHECK(left.ranks > 0);
  CHECK(left.random > 0);
  CHECK(left.segdes > 0);
}
