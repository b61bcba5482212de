#include "vm/lib/compiling.h"

#include <algorithm>
#include <cstdio>

#include "gpu/cuda_engine.h"
#include "vm/cpu/cpu_engine.h"
#include "vm/lib/fallback_engine.h"
#include "vm/lib/impl.h"
#include "vm/tier/explain.h"

namespace nvm::lib {

namespace {

vm::cpu::EngineOptions engine_options(const Options& options) {
  vm::cpu::EngineOptions engine;
  if (options.isa == InstructionSet::kAvx2) engine.isa = vm::cpu::Isa::kAvx2;
  if (options.isa == InstructionSet::kAvx512) engine.isa = vm::cpu::Isa::kAvx512;
  engine.code_limit = options.code_memory;
  engine.perf = static_cast<vm::cpu::Perf>(options.perf);
  engine.complaints = options.err;
  engine.listings = options.explain.find('x') != std::string::npos;
  return engine;
}

// CUDA where it is wanted and there, with the processor's behind it, else that; null if neither fits this
// machine.
std::unique_ptr<plan::Engine> make_engine(const Options& options, std::string& told) {
  auto processor =
      options.isa == InstructionSet::kPortable ? nullptr : vm::cpu::make_engine(engine_options(options));
  if (options.engine == Engine::kCpu) return processor;
  // Whoever wants a line compiled at once, to see it run there, waits.
  const auto compiling = options.jit == Jit::kHot ? gpu::Compiling::kInBackground : gpu::Compiling::kAtOnce;
  std::string reason;
  if (auto device = gpu::make_engine(reason, compiling))
    return with_fallback(std::move(device), std::move(processor));
  // A file of NESL comes here for every expression; of several ranks the first one speaks.
  if (options.engine == Engine::kCuda && reason != told && options.err != nullptr)
    std::fprintf(options.err, "nvm: no CUDA engine, the processor is used: %s\n", reason.c_str());
  told = reason;
  return processor;
}

vm::JitOptions jit_options(const Options& options) {
  vm::JitOptions jit;
  jit.mode = static_cast<vm::JitMode>(options.jit);
  jit.fusion = static_cast<plan::Fusion>(options.fusion);
  jit.max_regions = static_cast<std::size_t>(options.region_variants);
  return jit;
}

}  // namespace

Compiling::Compiling(const Options& options, const vm::Code& code, const std::atomic<vm::Stop>* stop,
                     std::string& told, vm::Observer* observer)
    : options_(options), observer_(observer) {
  if (options.jit == Jit::kOff) return;
  engine_ = make_engine(options, told);
  if (engine_ == nullptr) return;
  vm::JitOptions jit = jit_options(options);
  jit.observer = observer;
  jit.module = code.module;
  jit.stop = stop;
  std::string why;
  if (const auto list = vm::parse_devices(options.devices, why); list && list->speeds.size() > 1) {
    devices_ = std::make_unique<vm::Devices>(*list);
    split_ = vm::make_split_engine(*engine_, *devices_);
  }
  jit_ = std::make_unique<vm::Jit>(split_ != nullptr ? *split_ : *engine_, context_, jit);
  // The stack machine, which runs what is not verified, has no code. Under kCompare nothing runs unchecked.
  if (options.engine == Engine::kCpu && options.jit != Jit::kCompare && code.module != nullptr)
    loops_ = std::make_unique<vm::MaskedLoops>(code, *engine_, jit);
  if (loops_ != nullptr) nests_ = std::make_unique<vm::Nests>(code, *engine_, jit);
}

Compiling::~Compiling() = default;

std::vector<vm::FunctionTier*> Compiling::functions() const {
  std::vector<vm::FunctionTier*> tiers;
  if (loops_ != nullptr) tiers.push_back(loops_.get());
  if (nests_ != nullptr) tiers.push_back(nests_.get());
  return tiers;
}

vm::RegionHook* Compiling::begin(const vm::PrimContext& context) {
  if (jit_ == nullptr) return nullptr;
  context_ = context;
  before_ = jit_->counters();
  if (loops_ != nullptr) loops_before_ = loops_->counters();
  if (nests_ != nullptr) nests_before_ = nests_->counters();
  if (devices_ != nullptr) devices_before_ = devices_->counters();
  vm::Recorder::Limits limits;
  limits.max_insts = static_cast<std::size_t>(options_.region_limit);
  if (options_.jit != Jit::kHot) limits.min_elements = 2;
  limits.guard_after = static_cast<std::uint32_t>(std::min<std::int64_t>(options_.guard_after, 1 << 12));
  limits.scatters = engine_->scatters();
  limits.primitives = engine_->calls_primitives();
  limits.random = context.random;
  if (limits.scatters) {  // a device's engine
    limits.repeats = &context_;
    limits.long_turn = limits.max_insts / 8;
  }
  recorder_ = std::make_unique<vm::Recorder>(*jit_, context.int_bits, limits, observer_);
  return recorder_.get();
}

void Compiling::report_devices(Counters& counters) const {
  if (devices_ == nullptr) return;
  const std::vector<vm::DeviceCounters> now = devices_->counters();
  for (std::size_t d = 0; d < now.size(); ++d)
    counters.devices.push_back({now[d].name, now[d].parts - devices_before_[d].parts,
                                now[d].iterations - devices_before_[d].iterations});
}

void Compiling::report(const Program::Impl& program, Run& run) const {
  if (jit_ == nullptr) {
    if (!options_.explain.empty())
      run.explanation = "nothing is compiled: switched off, or no AVX2 on this machine\n";
    return;
  }
  const vm::JitCounters& c = jit_->counters();
  run.counters.regions = c.regions - before_.regions;
  run.counters.fused = c.fused - before_.fused;
  run.counters.kernels = c.kernels - before_.kernels;
  run.counters.compiled = c.compiled - before_.compiled;
  run.counters.compile_seconds = static_cast<double>(c.compile_ns - before_.compile_ns) * 1e-9;
  report_devices(run.counters);
  if (loops_ != nullptr) {
    const vm::MaskedLoopCounters now = loops_->counters();
    run.counters.compile_seconds += static_cast<double>(now.compile_ns - loops_before_.compile_ns) * 1e-9;
    run.counters.masked_loops = now.calls - loops_before_.calls;
  }
  if (nests_ != nullptr)
    run.counters.compile_seconds +=
        static_cast<double>(nests_->counters().compile_ns - nests_before_.compile_ns) * 1e-9;
  if (options_.explain.empty()) return;
  run.explanation = vm::summary(*jit_, program.loaded.module);
  if (loops_ != nullptr) run.explanation += loops_->explain() + nests_->explain();
  if (options_.explain == "-") return;
  for (const auto& e : jit_->entries())
    run.explanation += "\n" + vm::explain(*e, program.loaded.module, options_.explain);
}

bool are_devices(const std::string& list, std::string& why) {
  return vm::parse_devices(list, why).has_value();
}

}  // namespace nvm::lib
