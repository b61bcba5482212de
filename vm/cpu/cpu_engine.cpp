#include "vm/cpu/cpu_engine.h"

#include <bit>
#include <optional>

#include "bytecode/base/call_once.h"
#include "bytecode/plan/uses.h"
#include "vm/cpu/codegen/kernel.h"
#include "vm/cpu/nest_code.h"
#include "vm/cpu/refuse.h"
#include "vm/cpu/scalar_kernel.h"

namespace nvm::vm::cpu {

namespace {

using plan::RunStatus;
using plan::VarRole;

class CpuCode final : public plan::Code {
 public:
  CpuCode(plan::Plan plan, std::shared_ptr<Machine> machine)
      : plan_(std::move(plan)), machine_(std::move(machine)) {}
  ~CpuCode() override {
    for (const auto& k : kernels_) release_code(*k, machine_->memory);
  }

  bool compile(std::string& reason) {
    for (std::size_t k = 0; k < plan_.kernels.size(); ++k) {
      // A primitive's kernel has no code.
      auto code = by_primitive(plan_.kernels[k]) ? std::make_unique<KernelCode>()
                                                 : compile_kernel(plan_, k, machine_->memory, reason);
      if (!code) return false;
      kernels_.push_back(std::move(code));
    }
    dead_after_ = plan::dead_after(plan_);
    list_vars();
    return true;
  }

  [[nodiscard]] RunStatus run(const plan::Run& run) const override {
    RunContext context;
    bind_inputs(context, run);
    if (run.part != nullptr) return run_part(context, *run.part);
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      run.host->begin_kernel(k);
      const RunStatus status = run_one(k, context);
      run.host->end_kernel(k);
      if (status != RunStatus::kDone) return status;
      for (const std::int32_t v : dead_after_[k])
        if (context.var(v).allocated) run.host->release(v);
    }
    publish(context);
    return RunStatus::kDone;
  }
  [[nodiscard]] bool splits() const override { return true; }

  [[nodiscard]] std::string listing() const override {
    std::string text;
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      text += "; kernel " + std::to_string(k) + "\n";
      for (const Stage& sweep : kernels_[k]->sweeps) text += sweep.listing;
      text += kernels_[k]->main.listing;
      if (const auto& parts = kernels_[k]->in_parts; parts != nullptr) text += parts->code->main.listing;
      for (const auto* outer : {&kernels_[k]->outer, &kernels_[k]->outer_many})
        if (*outer != nullptr) text += (*outer)->code->main.listing;
    }
    return text;
  }
  [[nodiscard]] std::size_t code_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& k : kernels_) {
      for (const Stage& sweep : k->sweeps) bytes += all_code_bytes(sweep);
      bytes += all_code_bytes(k->main) + all_code_bytes(k->streaming);
      if (k->in_parts != nullptr) bytes += all_code_bytes(k->in_parts->code->main);
      for (const auto* outer : {&k->outer, &k->outer_many})
        if (*outer != nullptr) bytes += all_code_bytes((*outer)->code->main);
    }
    return bytes;
  }

 private:
  [[nodiscard]] RunStatus run_one(std::size_t k, RunContext& context) const {
    const plan::Kernel& kernel = plan_.kernels[k];
    if (by_primitive(kernel)) return run_primitive(k, context);
    return kernels_[k]->one ? run_scalar_kernel(kernel, context)
                            : run_kernel(*kernels_[k], context, *machine_);
  }

  // Its kernel alone, which may read what others have made.
  [[nodiscard]] RunStatus run_part(RunContext& context, const plan::Part& part) const {
    const plan::Run& run = *context.run;
    for (std::size_t v = 0; v < plan_.vars.size(); ++v)
      if (!plan_.vars[v].is_desc) bind((*context.vars)[v], run.arrays[v]);
    const RunStatus status = run_one(part.kernel, context);
    if (status != RunStatus::kDone) return status;
    for (const plan::Sink& s : plan_.kernels[part.kernel].sinks) {
      if (s.out != soac::kNone) run.arrays[static_cast<std::size_t>(s.out)] = array_of(context.var(s.out));
      if (s.out_desc == soac::kNone) continue;
      const auto d = static_cast<std::size_t>(s.out_desc);
      if (by_primitive(s))
        run.descs[d] = context.desc(s.out_desc);
      else
        run.arrays[d] = array_of(context.var(s.out_desc));
    }
    return RunStatus::kDone;
  }

  [[nodiscard]] RunStatus run_primitive(std::size_t k, RunContext& context) const {
    const plan::Sink& sink = plan_.kernels[k].sinks.front();
    const std::int32_t from = plan_.kernels[k].body.insts[static_cast<std::size_t>(sink.value)].var;
    plan::PrimitiveStep step;
    step.kernel = k;
    step.operand = array_of(context.var(from));
    if (sink.desc != soac::kNone) step.segments = context.desc(sink.desc);
    const RunStatus status = context.run->host->primitive(step);
    if (status != RunStatus::kDone) return status;
    if (std::string why; step.result.remote != nullptr && !step.result.remote->fetch(why))
      return RunStatus::kNoMemory;
    if (sink.out_desc != soac::kNone) {
      context.desc(sink.out_desc) = step.made;
      context.length(sink.out_length) = step.made.total;
    } else {
      bind(context.var(sink.out), step.result);
      context.var(sink.out).allocated = step.result.length != 1;
    }
    return RunStatus::kDone;
  }

  static void bind(Bound& b, const plan::Array& a) {
    b = {a.data, a.length, a.storage, 0, false};
    if (a.length != 1) return;
    b.cell = a.storage == Storage::kF64 ? std::bit_cast<Cell>(a.real) : static_cast<Cell>(a.scalar);
    b.data = &b.cell;
  }
  static plan::Array array_of(const Bound& b) {
    plan::Array a;
    a.storage = b.storage;
    a.length = b.length;
    if (b.length != 1)
      a.data = b.data;
    else if (b.storage == Storage::kF64)
      a.real = std::bit_cast<double>(b.cell);
    else
      a.scalar = static_cast<std::int64_t>(b.cell);
    return a;
  }

  void list_vars() {
    for (std::size_t v = 0; v < plan_.vars.size(); ++v) {
      const plan::Var& var = plan_.vars[v];
      if (var.role == VarRole::kOutput) outputs_.push_back(v);
      if (var.is_desc)
        descs_.push_back(v);
      else if (var.role == VarRole::kInput)
        inputs_.push_back(v);
    }
    for (const plan::Kernel& kernel : plan_.kernels)
      for (const plan::Sink& s : kernel.sinks)
        if (plan::ors_ints(s) && plan_.vars[static_cast<std::size_t>(s.out)].role == VarRole::kTemp)
          outputs_.push_back(static_cast<std::size_t>(s.out));
  }

  void bind_inputs(RunContext& context, const plan::Run& run) const {
    context.plan = &plan_;
    context.run = &run;
    context.routines = &routines_of(machine_->memory.isa());
    context.vars->resize(plan_.vars.size() + 4);  // vector loads of the last cell stay inside
    if (!descs_.empty()) {
      context.descs->assign(run.descs.begin(), run.descs.end());
      context.descs->resize(plan_.vars.size());
    }
    for (const std::size_t v : descs_) {
      const plan::Var& var = plan_.vars[v];
      plan::Desc& d = (*context.descs)[v];
      if (var.form == plan::DescForm::kOneSegment) d = {1, d.total, d.total, nullptr};
      if (var.form == plan::DescForm::kRegular) d.offsets = nullptr;
    }
    for (const std::size_t v : inputs_) bind((*context.vars)[v], run.arrays[v]);
  }

  void publish(RunContext& context) const {
    for (const std::size_t v : outputs_) context.run->arrays[v] = array_of((*context.vars)[v]);
  }

  plan::Plan plan_;
  std::shared_ptr<Machine> machine_;
  std::vector<std::unique_ptr<KernelCode>> kernels_;
  std::vector<std::vector<std::int32_t>> dead_after_;
  // Variables of the plan: vectors, descriptors, and what the host is told of.
  std::vector<std::size_t> inputs_, descs_, outputs_;
};

class CpuEngine final : public plan::Engine, public plan::NestEngine {
 public:
  explicit CpuEngine(const EngineOptions& options)
      : options_(options), isa_(options.isa ? options.isa : best_isa()) {
    if (isa_ && !isa_supported(*isa_)) isa_.reset();
  }
  [[nodiscard]] std::string name() const override {
    return isa_ ? "cpu " + std::string(isa_name(*isa_)) : "cpu";
  }
  [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan& plan, std::string& reason) override {
    if (!begin(reason)) return nullptr;
    auto code = std::make_unique<CpuCode>(plan, machine_);
    if (!code->compile(reason)) return nullptr;
    return code;
  }
  [[nodiscard]] plan::NestEngine* nests() override { return this; }
  [[nodiscard]] std::unique_ptr<plan::NestCode> compile_nest(const plan::Nest& nest,
                                                             const plan::NestStorage& storage,
                                                             const std::string& name,
                                                             std::string& reason) override {
    if (!begin(reason)) return nullptr;
    return cpu::compile_nest(nest, storage, name, machine_, reason);
  }
  // One element of each of several segments is moved by the primitives without a vector of places.
  [[nodiscard]] std::string prefers_primitives(const plan::Plan& plan) const override {
    for (const plan::Kernel& kernel : plan.kernels)
      for (const soac::BodyInst& in : kernel.body.insts)
        if ((in.pull == soac::Pull::kSegGather || in.pull == soac::Pull::kSegPlace) && in.desc == soac::kNone)
          return refuse_text(Refuse::kSegments);
    return {};
  }
  [[nodiscard]] bool calls_primitives() const override { return true; }

 private:
  // Memory for code is made when it is first wanted: most short programs never do.
  [[nodiscard]] bool begin(std::string& reason) {
    if (!isa_) {
      reason = refuse_text(Refuse::kNoIsa);
      return false;
    }
    machine_once_([this] {
      machine_ = std::make_shared<Machine>(*isa_, options_.code_limit, options_.listings, options_.perf,
                                           options_.complaints);
    });
    return true;
  }

  EngineOptions options_;
  std::optional<Isa> isa_;
  CallOnce machine_once_;
  std::shared_ptr<Machine> machine_;
};

}  // namespace

std::unique_ptr<plan::Engine> make_engine(const EngineOptions& options) {
  return std::make_unique<CpuEngine>(options);
}

}  // namespace nvm::vm::cpu
