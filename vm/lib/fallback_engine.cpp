#include "vm/lib/fallback_engine.h"

#include <algorithm>
#include <mutex>

namespace nvm::lib {

namespace {

using plan::RunStatus;

// A scatter is serial in a kernel of the processor; its primitives share it out.
bool for_processor(const plan::Plan& plan) {
  return std::none_of(plan.kernels.begin(), plan.kernels.end(), [](const plan::Kernel& k) {
    return std::any_of(k.sinks.begin(), k.sinks.end(),
                       [](const plan::Sink& s) { return s.kind == plan::SinkKind::kScatter; });
  });
}

class FallbackCode final : public plan::Code {
 public:
  FallbackCode(plan::Plan plan, std::unique_ptr<plan::Code> device, plan::Engine& processor)
      : plan_(std::move(plan)), device_(std::move(device)), processor_(processor) {}

  [[nodiscard]] RunStatus run(const plan::Run& run) const override {
    const RunStatus status = device_->run(run);
    if (status != RunStatus::kNoMemory && status != RunStatus::kNotYet) return status;
    const plan::Code* code = on_processor();
    std::string why;
    return code != nullptr && plan::fetch_inputs(run, why) ? code->run(run) : status;
  }
  [[nodiscard]] std::string refusal() const override {
    return on_processor() == nullptr ? device_->refusal() : std::string();
  }
  [[nodiscard]] std::string listing() const override { return device_->listing(); }
  [[nodiscard]] std::size_t code_bytes() const override { return device_->code_bytes(); }
  [[nodiscard]] bool resident() const override { return true; }

 private:
  const plan::Code* on_processor() const {
    const std::lock_guard lock(mutex_);
    if (!tried_ && for_processor(plan_)) {
      std::string reason;
      code_ = processor_.compile(plan_, reason);
    }
    tried_ = true;
    return code_.get();
  }

  plan::Plan plan_;
  std::unique_ptr<plan::Code> device_;
  plan::Engine& processor_;
  mutable std::mutex mutex_;
  mutable bool tried_ = false;
  mutable std::unique_ptr<plan::Code> code_;
};

class FallbackEngine final : public plan::Engine {
 public:
  FallbackEngine(std::unique_ptr<plan::Engine> device, std::unique_ptr<plan::Engine> processor)
      : device_(std::move(device)), processor_(std::move(processor)) {}

  [[nodiscard]] std::string name() const override { return device_->name(); }
  [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan& plan, std::string& reason) override {
    auto code = device_->compile(plan, reason);
    if (code != nullptr) return std::make_unique<FallbackCode>(plan, std::move(code), *processor_);
    if (!for_processor(plan)) return nullptr;
    std::string other;
    code = processor_->compile(plan, other);
    if (code == nullptr) reason += "; " + other;
    return code;
  }

  [[nodiscard]] bool scatters() const override { return device_->scatters(); }
  [[nodiscard]] bool calls_primitives() const override {
    return device_->calls_primitives() && processor_->calls_primitives();
  }
  [[nodiscard]] Orderer* orderer() override { return device_->orderer(); }

 private:
  std::unique_ptr<plan::Engine> device_;
  std::unique_ptr<plan::Engine> processor_;
};

}  // namespace

std::unique_ptr<plan::Engine> with_fallback(std::unique_ptr<plan::Engine> device,
                                            std::unique_ptr<plan::Engine> processor) {
  if (processor == nullptr) return device;
  return std::make_unique<FallbackEngine>(std::move(device), std::move(processor));
}

}  // namespace nvm::lib
