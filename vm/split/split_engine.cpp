#include "vm/split/split_engine.h"

#include <mutex>

namespace nvm::vm {

namespace {

class SplitCode final : public plan::Code {
 public:
  SplitCode(plan::Plan plan, std::unique_ptr<plan::Code> code, Devices& devices)
      : plan_(std::move(plan)), code_(std::move(code)), devices_(devices) {}
  [[nodiscard]] plan::RunStatus run(const plan::Run& run) const override {
    return SplitRun(*code_, plan_, run, devices_).run();
  }
  [[nodiscard]] std::string listing() const override { return code_->listing(); }
  [[nodiscard]] std::size_t code_bytes() const override { return code_->code_bytes(); }
  [[nodiscard]] std::string refusal() const override { return code_->refusal(); }

 private:
  plan::Plan plan_;
  std::unique_ptr<plan::Code> code_;
  Devices& devices_;
};

class SplitEngine final : public plan::Engine {
 public:
  SplitEngine(plan::Engine& engine, Devices& devices) : engine_(engine), devices_(devices) {}
  [[nodiscard]] std::string name() const override { return engine_.name(); }
  [[nodiscard]] std::unique_ptr<plan::Code> compile(const plan::Plan& plan, std::string& reason) override {
    auto code = engine_.compile(plan, reason);
    if (code == nullptr || !code->splits()) return code;
    return std::make_unique<SplitCode>(plan, std::move(code), devices_);
  }
  [[nodiscard]] bool scatters() const override { return engine_.scatters(); }
  [[nodiscard]] bool calls_primitives() const override { return engine_.calls_primitives(); }
  [[nodiscard]] std::string prefers_primitives(const plan::Plan& plan) const override {
    return engine_.prefers_primitives(plan);
  }
  [[nodiscard]] Orderer* orderer() override { return engine_.orderer(); }

 private:
  plan::Engine& engine_;
  Devices& devices_;
};

}  // namespace

std::unique_ptr<plan::Engine> make_split_engine(plan::Engine& engine, Devices& devices) {
  return std::make_unique<SplitEngine>(engine, devices);
}

}  // namespace nvm::vm
