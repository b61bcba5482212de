#include "tests/bench/suite/contestant.h"

#include <chrono>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <type_traits>

#include "vm/lib/nesl.hpp"
#include "vm/lib/remora.hpp"

namespace nvm::bench {

namespace {

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::optional<std::string> bind(lib::Nesl& session, const Input& input) {
  return session.bind(input.name, input.type, input.slots);
}
std::optional<std::string> bind(lib::Remora& session, const Input& input) {
  return session.bind(input.name, input.type, input.slots.at(0));
}

// A prepared expression and its machine, which keeps its memory and compiled code from run to run.
class Machine {
 public:
  Machine(const Workload& workload, const Instance& instance, const lib::Options& options) : vm_(options) {
    if (std::string_view(workload.program).ends_with(".remora"))
      open<lib::Remora>(workload, instance, options);
    else
      open<lib::Nesl>(workload, instance, options);
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
  template <typename Session>
  void open(const Workload& workload, const Instance& instance, const lib::Options& options) {
    lib::NeslOptions with;
    with.vm = options;
    const auto session = std::make_shared<Session>(with, output_, output_);
    session_ = session;
    session->compile_only();
    const auto bind_all = [&] {
      for (const Input& input : instance.inputs)
        if (const auto wrong = bind(*session, input))
          throw std::runtime_error(std::string(workload.id) + ": " + input.name + ": " + *wrong);
    };
    // Inputs of Remora stand in front; the text of a program in NESL may bind their names, too.
    constexpr bool kFirst = std::is_same_v<Session, lib::Remora>;
    if (kFirst) bind_all();
    if (session->run_file(workload.program_file()) != lib::NeslStatus::kOk) fail(workload);
    if (!kFirst) bind_all();
    prepared_ = session->prepare(instance.expression);
    if (!prepared_) fail(workload);
  }
  [[noreturn]] void fail(const Workload& workload) {
    throw std::runtime_error(std::string(workload.id) + ": " + output_.str());
  }

  std::ostringstream output_;
  std::shared_ptr<void> session_;
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
