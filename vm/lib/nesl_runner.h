// What runs the programs of a session.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "vm/data/kept.h"
#include "vm/lib/counters.h"
#include "vm/lib/impl.h"
#include "vm/lib/nesl.hpp"
#include "vm/lib/nesl_session.h"
#include "vm/lib/watch.hpp"

namespace nvm::lib {

// Programs of a session run on one machine, whose memory holds the session's values.
class Runner : public vm::ProgramRunner {
 public:
  Runner(const NeslOptions& o, const std::shared_ptr<MemoryAccount>& account, std::string name)
      : name_(std::move(name)), options_(o.vm), vm_(first_machine(account)), watchers_(o.vm.watchers) {
    load_.optimise = o.optimise;
    load_.cancelled = o.vm.cancelled;
    vm_.keep_random();
  }

  Result run(ssa::Module program, std::span<const vm::Value> inputs) override {
    begin_phase("load");
    auto loaded = make_program(std::move(program), name_, load_);
    end_phase();
    if (!loaded && loaded.failure().kind == Failure::Class::kRuntime)
      return {true, loaded.failure().reason, loaded.failure().origin, {}};
    if (!loaded) return {true, "internal error: " + loaded.failure().message, 0, {}};
    std::vector<Value> given;
    for (const vm::Value& v : inputs)
      given.emplace_back(std::make_shared<Value::Impl>(Value::Impl{nullptr, nullptr, v}));
    auto done = vm_.run(*loaded, given);
    begin_phase("compile and print");
    if (!done) {
      const Failure& f = done.failure();
      const auto kind = f.cause == Failure::Cause::kOther
                            ? std::nullopt
                            : std::optional(static_cast<vm::Fault::Kind>(f.cause));
      return {true, f.reason, f.origin, {}, f.line_open, kind};
    }
    add(done->counters);
    if (done->counters.regions > 0) explanation_ += done->explanation;
    if (done->exited) return {true, "", done->exit_origin, {}, done->line_open};
    Result result;
    result.line_open = done->line_open;
    for (const Value& v : done->values)
      result.values.push_back(vm::moved_out(v.impl()->value, loaded->impl()->pool, *v.impl()->pool));
    return result;
  }

  void begin_phase(const char* name) const {
    for (const auto& watcher : watchers_) watcher->begin_phase(name);
  }
  void end_phase() const {
    for (const auto& watcher : watchers_) watcher->end_phase();
  }

  Vm& machine() { return vm_; }
  // Another one with the same options, in its place.
  [[nodiscard]] Vm machine_for(const std::shared_ptr<MemoryAccount>& account) const {
    const Budget budget(account);
    return {options_, vm_};
  }
  [[nodiscard]] const Counters& counters() const { return counters_; }
  [[nodiscard]] const std::string& explanation() const { return explanation_; }

 private:
  [[nodiscard]] Vm first_machine(const std::shared_ptr<MemoryAccount>& account) const {
    const Budget budget(account);
    return Vm(options_);
  }
  void add(const Counters& c) {
    counters_.instructions += c.instructions;
    counters_.work += c.work;
    counters_.uncharged += c.uncharged;
    counters_.bytes += c.bytes;
    counters_.peak_bytes = std::max(counters_.peak_bytes, c.peak_bytes);
    counters_.mapped_bytes = std::max(counters_.mapped_bytes, c.mapped_bytes);
    counters_.seconds += c.seconds;
    counters_.regions += c.regions;
    counters_.fused += c.fused;
    counters_.kernels += c.kernels;
    counters_.compiled += c.compiled;
    counters_.block_calls += c.block_calls;
    counters_.rounds += c.rounds;
    counters_.messages += c.messages;
    counters_.bytes_sent += c.bytes_sent;
    counters_.waited_seconds += c.waited_seconds;
    counters_.checkpoints += c.checkpoints;
    counters_.largest_share = std::max(counters_.largest_share, c.largest_share);
    counters_.block_groups += c.block_groups;
    counters_.block_levels += c.block_levels;
    add_devices(counters_, c);
    counters_.compile_seconds += c.compile_seconds;
    counters_.fast_paths = sum(counters_.fast_paths, c.fast_paths);
  }

  std::string name_;  // of programs, in messages
  Options options_;
  Vm vm_;
  std::vector<std::shared_ptr<Watcher>> watchers_;
  Counters counters_;
  std::string explanation_;
  LoadOptions load_;
};

}  // namespace nvm::lib
