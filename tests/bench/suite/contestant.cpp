#include "tests/bench/suite/contestant.h"

#include <chrono>
#include <optional>
#include <sstream>
#include <stdexcept>

#include "vm/lib/nesl.hpp"

namespace nvm::bench {

namespace {

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// A prepared expression and its machine, which keeps its memory and compiled code from run to run.
class Machine {
 public:
  Machine(const Workload& workload, const Instance& instance, const lib::Options& options)
      : nesl_(nesl_options(options), output_, output_), vm_(options) {
    nesl_.compile_only();
    if (nesl_.run_file(std::string(NVM_SOURCE_DIR "/") + workload.program) != lib::NeslStatus::kOk)
      fail(workload);
    for (const Input& input : instance.inputs)
      if (const auto wrong = nesl_.bind(input.name, input.type, input.slots))
        throw std::runtime_error(std::string(workload.id) + ": " + input.name + ": " + *wrong);
    prepared_ = nesl_.prepare(instance.expression);
    if (!prepared_) fail(workload);
  }

  void forget() { last_.reset(); }
  void run() { last_.emplace(vm_.run(prepared_->program, prepared_->inputs)); }

  std::string check(const std::function<std::string(Values)>& check) {
    if (!*last_) return last_->failure().message;
    std::vector<lib::Value> parts = (*last_)->values;
    if (parts.empty()) return "ended without a result";
    parts.resize(std::max(parts.size(), kParts), lib::make_bools({}));  // what is missing is never right
    return check(parts);
  }

 private:
  static lib::NeslOptions nesl_options(const lib::Options& options) {
    lib::NeslOptions nesl;
    nesl.vm = options;
    return nesl;
  }
  [[noreturn]] void fail(const Workload& workload) {
    throw std::runtime_error(std::string(workload.id) + ": " + output_.str());
  }

  std::ostringstream output_;
  lib::Nesl nesl_;
  lib::Vm vm_;
  std::optional<lib::Nesl::Prepared> prepared_;
  std::optional<lib::Result<lib::Run>> last_;
};

}  // namespace

Contestant nvm_contestant(const Workload& workload, const Instance& instance, const lib::Options& options,
                          const std::string& name) {
  std::shared_ptr<Machine> machine;
  try {
    machine = std::make_shared<Machine>(workload, instance, options);
  } catch (const std::runtime_error& e) {
    return {name, instance.expression, [] { return 0.0; }, [why = std::string(e.what())] { return why; }};
  }
  const auto run = [machine] {
    machine->forget();
    return seconds_of([&] { machine->run(); });
  };
  // The compiling tier may try a region both ways before it settles.
  const int warm_up = options.jit == lib::Jit::kOff ? 1 : 3;
  return {name, instance.expression, run, [machine, check = instance.check] { return machine->check(check); },
          warm_up};
}

Contestant rival_contestant(const Rival& rival) {
  const auto run = [rival] {
    if (rival.prepare) rival.prepare();
    return seconds_of(rival.run);
  };
  return {rival.name, rival.what, run, rival.check};
}

}  // namespace nvm::bench
