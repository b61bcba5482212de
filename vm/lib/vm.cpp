#include <algorithm>
#include <chrono>
#include <list>

#include "bytecode/base/disk_cache.h"
#include "bytecode/base/stack.h"
#include "bytecode/base/thread.h"
#include "bytecode/ssa/checksum.h"
#include "gpu/api/devices.h"
#include "vm/block/block_mode.h"
#include "vm/interp/interp.h"
#include "vm/interp/output.h"
#include "vm/interp/stack_machine.h"
#include "vm/lib/alarm.h"
#include "vm/lib/carrier.h"
#include "vm/lib/checkpoint.h"
#include "vm/lib/compiling.h"
#include "vm/lib/counters.h"
#include "vm/lib/group_device.h"
#include "vm/lib/guarded.h"
#include "vm/lib/impl.h"
#include "vm/lib/inputs.h"
#include "vm/lib/legacy_trace.h"
#include "vm/lib/on_rank.h"
#include "vm/lib/watch.hpp"
#include "vm/profile/observers.h"
#include "vm/ranks/threads.h"

namespace nvm::lib {

namespace {

// Whether there is anything for block mode to cut.
bool has_lifted(const ssa::Module& module) {
  return std::any_of(module.functions.begin(), module.functions.end(),
                     [](const ssa::Function& f) { return f.lifted.lifted; });
}

vm::Isa isa_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::kPortable: return vm::Isa::kPortable;
    case InstructionSet::kAvx2: return std::min(vm::Isa::kAvx2, vm::best_isa());
    case InstructionSet::kAvx512: return std::min(vm::Isa::kAvx512, vm::best_isa());
    case InstructionSet::kBest: break;
  }
  return vm::best_isa();
}

// A line for each measurement.
void report_tuning(const ssa::Module& module, const vm::block::Tuning& tuning, std::FILE* to) {
  for (const vm::block::Tuning::Measured& m : tuning.measured()) {
    const ssa::Function& f = module.functions[static_cast<std::size_t>(m.function)];
    std::fprintf(to, "%s: instances of %lld bytes: groups %.3f ms, whole %.3f ms: %s\n",
                 (f.origin.empty() ? f.name : f.origin).c_str(), static_cast<long long>(m.average),
                 m.cut_seconds * 1e3, m.whole_seconds * 1e3,
                 m.cut_seconds < m.whole_seconds ? "block mode pays" : "block mode does not pay");
  }
}

}  // namespace

struct Limits::Impl {
  Impl(std::uint64_t memory, double seconds) : budget(account_of(memory), seconds) {}
  Budget budget;
};

// Where not even these few bytes are left, nothing that is limited succeeds.
Limits::Limits(std::uint64_t memory, double seconds)
    : impl_(guarded([&] { return std::make_unique<Impl>(memory, seconds); },
                    [](const Failure&) { return std::unique_ptr<Impl>(); })) {}
Limits::~Limits() = default;

Options untrusted_limits(Options options) {
  if (!options.untrusted) return options;
  const auto or_else = [](auto& limit, auto otherwise) {
    if (limit == 0) limit = otherwise;
  };
  or_else(options.memory, std::uint64_t{1} << 30);
  or_else(options.time_limit, 60.0);
  or_else(options.output_limit, std::uint64_t{16} << 20);
  or_else(options.fuel, std::uint64_t{10'000'000'000});
  return options;
}

namespace {

// Only the first rank is seen from outside.
Options of_other_rank(Options options) {
  options.ranks = 1;
  options.in = options.out = options.err = nullptr;
  options.watchers.clear();
  options.count = options.cost = false;
  options.explain.clear();
  options.tune = nullptr;
  return options;
}

int processors() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

// Work is counted exactly where instructions are executed one by one; ranks share the machine.
Options effective(const Options& given) {
  Options options = untrusted_limits(given);
  if (options.checkpoint != nullptr && options.carrier == nullptr) options.ranks = std::max(options.ranks, 1);
  if (options.ranks > 1 && options.threads == 0) options.threads = std::max(1, processors() / options.ranks);
  if (options.ranks > 1 && options.memory == 0)
    options.memory = machine_memory() / static_cast<std::uint64_t>(options.ranks);
  if (options.carrier != nullptr && options.carrier->rank() > 0) options = of_other_rank(std::move(options));
  if (options.fuel > 0) {
    options.jit = Jit::kOff;
    options.engine = Engine::kCpu;
    options.block_threshold = vm::block::Options::kOff;
  }
  return options;
}

bool asks_for_anything(const Capabilities& allow) {
  return !allow.read.empty() || !allow.write.empty() || allow.spawn;
}

}  // namespace

struct Vm::Impl {
  Options options;
  vm::Gate gate;
  std::shared_ptr<MemoryAccount> account;
  vm::OutputBudget output;
  std::uint64_t fuel_left;
  std::shared_ptr<vm::Pool> pool;
  MemoryAccount::Trimmer trimmer;
  std::shared_ptr<std::atomic<vm::Stop>> stopping;  // of all machines in one place
  std::atomic<vm::Stop>& stop = *stopping;
  std::atomic<bool> effects_forbidden{false};  // for runs that begin
  // What was compiled for the last program that ran without an observer.
  std::shared_ptr<const Program::Impl> compiled_program;
  std::unique_ptr<Compiling> compiled;
  std::unique_ptr<vm::block::GroupEngine> groups;  // for the last program
  std::shared_ptr<const Program::Impl> groups_program;
  std::shared_ptr<const Program::Impl> running;
  std::string told;                           // why there is no CUDA engine
  std::atomic<bool> busy{false};              // its owner may be destroyed meanwhile: who calls shares it
  std::vector<std::unique_ptr<Impl>> others;  // machines of the further ranks
  bool keeps_random = false;
  std::vector<std::uint64_t> random;  // as the last run left the generator

  explicit Impl(const Options& given, const Impl* first = nullptr)
      : options(effective(given)),
        gate(gate_of(given)),
        account(account_of(options)),
        output(options.output_limit),
        fuel_left(options.fuel),
        pool(pool_of(account)),
        trimmer(account, [this] { pool->trim(); }),
        stopping(first != nullptr ? first->stopping
                                  : std::make_shared<std::atomic<vm::Stop>>(vm::Stop::kNo)) {
    for (int r = 1; r < std::min(options.ranks, kMostRanks); ++r) {
      const bool same = first != nullptr && others.size() < first->others.size();
      others.push_back(std::make_unique<Impl>(of_other_rank(options),
                                              same ? first->others[others.size()].get() : nullptr));
    }
  }

  vm::Machine machine(vm::Host& host, IntBits bits) {
    vm::Machine m;
    m.prims.pool = pool.get();
    m.prims.int_bits = bits;
    m.prims.isa = isa_of(options.isa);
    m.prims.threads = options.threads > 0 ? options.threads : processors();
    m.prims.random = &host.random();
    m.host = &host;
    m.prims.stop = &stop;
    m.max_depth = options.max_depth;
    m.max_frame_bytes = frame_memory(options);
    return m;
  }

  // Many small groups keep a device busy.
  static constexpr std::int64_t kDeviceGroupBytes = 16 << 10;
  // Null if a GPU is not wanted, not there, or would not do what this run asks for.
  vm::block::GroupEngine* group_device(const vm::Machine& machine) {
    const bool wanted = options.engine != Engine::kCpu && options.jit != Jit::kOff &&
                        options.block_threshold != vm::block::Options::kOff && options.max_depth == 0 &&
                        !machine.prims.prefix_lengths && !options.cost;  // a device counts nothing
    if (!wanted) return nullptr;
    if (groups == nullptr || groups_program != running) {
      groups = make_group_device(running->loaded.module, options.jit == Jit::kHot);
      groups_program = running;
    }
    return groups.get();
  }

  vm::Outcome execute(const Program::Impl& program, vm::Machine machine, std::span<const vm::Value> inputs,
                      Counters& counters, OnRank* on_rank) {
    const bool stack = program.has_stack_code();
    if (stack && traces_execution(options.legacy_trace)) {
      StackTrace trace(options.legacy_trace, program.loaded.program, *pool, options.err);
      return vm::StackMachine(program.loaded.program, machine, inputs, &trace).run();
    }
    if (program.loaded.verdict != Verdict::kOk || (stack && options.legacy_checks))
      return vm::StackMachine(program.loaded.program, machine, inputs).run();
    if (!has_lifted(program.loaded.module))
      return on_rank != nullptr ? on_rank->run(program.code, machine, inputs, options, nullptr)
                                : vm::Interp(program.code, machine, inputs).run();
    const DiskCache cache(cache_folder(), "tuning 2");
    vm::block::Options blocks;
    blocks.threshold = options.block_threshold;
    blocks.cache = &cache;
    blocks.afresh = options.tune != nullptr;
    blocks.build = build_name();
    blocks.exact_costs = options.cost;
    blocks.device = group_device(machine);
    if (blocks.device != nullptr) blocks.group_bytes = kDeviceGroupBytes;
    vm::block::BlockMode block(program.code, machine, inputs, blocks);
    vm::block::BlockMode* const cuts = options.block_threshold != vm::block::Options::kOff ? &block : nullptr;
    machine.calls = cuts;
    vm::Outcome outcome = on_rank != nullptr ? on_rank->run(program.code, machine, inputs, options, cuts)
                                             : vm::Interp(program.code, machine, inputs).run();
    counters.block_calls = block.counters().calls;
    counters.block_groups = block.counters().groups;
    counters.block_levels = static_cast<std::uint64_t>(block.levels());
    if (options.tune != nullptr) report_tuning(program.loaded.module, block.tuning(), options.tune);
    return outcome;
  }

  Compiling& compiling(const Program& program) {
    if (compiled == nullptr || compiled_program != program.impl()) {
      compiled = std::make_unique<Compiling>(options, program.impl()->code, &stop, told);
      compiled_program = program.impl();
    }
    return *compiled;
  }

  Result<Run> run(const Program& program, std::span<const Value> inputs, Seat* seat = nullptr);
  Result<Run> run_anywhere(const Program& program, std::span<const Value> inputs);
  Result<Run> run_on_ranks(const Program& program, std::span<const Value> inputs);
  Result<Run> run_as_rank(const Program& program, std::span<const Value> inputs);
  void set_random(const std::vector<std::uint64_t>& to) {
    random = to;
    for (const auto& other : others) other->random = to;
  }
  // What a run that was thrown out of has left half done.
  void forget_programs() {
    groups.reset();
    compiled.reset();
    groups_program.reset();
    compiled_program.reset();
    running.reset();
  }
};

void set_origin(Failure& failure, Origin origin, const Program::Impl& program) {
  failure.origin = origin;
  if (origin != 0) failure.origin_file = program.loaded.program.origins.of(origin);
  failure.origin_line = origin_line_of(origin);
  failure.origin_column = origin_column_of(origin);
}

namespace {

Failure refused(std::string reason) {
  Failure failure;
  failure.message = "nvm: " + reason + "\n";
  failure.reason = std::move(reason);
  return failure;
}

Failure run_failure(const vm::RunError& error, const Program::Impl& program, std::optional<bool> line_open) {
  Failure failure;
  failure.kind = Failure::Class::kRuntime;
  failure.message = render(error, program);
  failure.line = error.at.pos.line;
  failure.column = error.at.pos.column;
  failure.reason = error.message;
  set_origin(failure, origin_of(error), program);
  failure.line_open = line_open;
  failure.cause = static_cast<Failure::Cause>(error.kind);
  return failure;
}

}  // namespace

// Of all watchers, for one run.
class Watching {
 public:
  explicit Watching(const std::vector<std::shared_ptr<Watcher>>& watchers) {
    for (const auto& watcher : watchers) good_ = taken_.emplace_back(watcher->busy_) && good_;
  }
  [[nodiscard]] explicit operator bool() const { return good_; }

 private:
  std::list<Taken> taken_;
  bool good_ = true;
};

Result<Run> Vm::Impl::run(const Program& given, std::span<const Value> inputs, Seat* seat) {
  const Program program = given;  // NOLINT(performance-unnecessary-copy-initialization): it may go meanwhile
  if (program.impl() == nullptr) return refused("there is no program");
  const Watching watching(options.watchers);
  if (!watching) return refused("busy: a watcher of this machine watches another run");
  if (effects_forbidden.load()) gate = gate.reading_only();
  const Program::Impl& loaded = *program.impl();
  const IntBits bits = loaded.bits;
  running = program.impl();
  vm::World* world = world_of(options.watchers);
  std::optional<OnRank> on_rank;
  if (seat != nullptr) world = &on_rank.emplace(*seat, loaded.loaded.module, &stop, world);
  vm::Host host({options.in, options.out, options.err, &gate, static_cast<vm::RandomKind>(options.random),
                 world, &output, options.checkpoint != nullptr},
                *pool, bits);
  if (options.seed) host.random().seed(*options.seed);
  if (keeps_random && !random.empty()) static_cast<void>(host.random().set_state(random));
  std::vector<vm::Value> values;
  for (const Value& input : inputs) {
    if (!input) return refused("input " + std::to_string(values.size()) + " could not be made: " + kNoMemory);
    values.push_back(input.impl()->value);
  }
  if (const std::string wrong = wrong_inputs(loaded, bits, values); !wrong.empty())
    return Failure{Failure::Class::kProgram, loaded.file + ": " + wrong + "\n", 0, 0, wrong};
  if (bits == IntBits::k32)
    for (vm::Value& value : values) value = in_four_bytes(*pool, value);
  if (options.untrusted && asks_for_anything(options.allow))
    return refusal("nothing can be allowed to an untrusted program");
  Checkpoint* const kept = seat != nullptr && seat->carrier->rank() == 0 ? options.checkpoint.get() : nullptr;
  if (kept != nullptr)
    if (const std::string wrong = kept->begin_run(loaded, host, options.err); !wrong.empty())
      return refused(wrong);
  Run run;
  Counting counting(run.counters, options.count);
  vm::Machine m = machine(host, bits);
  vm::FastPathCounts fast_paths;
  m.prims.fast_paths = &fast_paths;
  m.prims.prefix_lengths = loaded.loaded.module.prefix_lengths && !options.legacy_checks;
  vm::Observers observers;
  if (options.count || options.cost || options.fuel > 0) {
    observers.add(counting);
    m.tally = &counting.tally();
  }
  if (options.fuel > 0) m.tally->fuel = fuel_left;
  for (const auto& watcher : options.watchers) observers.add(watcher->observer());
  vm::Observer* const observer = observers.one();
  m.observer = observer == &counting ? nullptr : observer;  // which sees regions only
  std::optional<Compiling> observed;
  if (observer != nullptr) observed.emplace(options, loaded.code, &stop, told, observer);
  Compiling& compiling = observed ? *observed : this->compiling(program);
  m.prims.orderer = compiling.orderer();
  m.hook = compiling.begin(m.prims);
  const bool counted = options.cost || options.fuel > 0;  // of what these run, no work is counted
  if (!counted) m.functions = compiling.functions();
  stop.store(vm::Stop::kNo);
  if (options.cancelled != nullptr && options.cancelled->load()) stop.store(vm::Stop::kInterrupt);
  if (observer != nullptr) observer->begin_run(loaded.loaded.module, *pool);
  const auto begin = std::chrono::steady_clock::now();
  vm::Outcome outcome = [&] {
    const Alarm alarm(Budget::seconds_left(), stop);
    return execute(loaded, m, values, run.counters, on_rank ? &*on_rank : nullptr);
  }();
  if (on_rank) {
    on_rank->end(outcome);
    on_rank->report(run.counters);
  }
  run.counters.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (kept != nullptr) kept->leave_run(host);
  if (options.fuel > 0) fuel_left -= std::min(fuel_left, m.tally->spent());
  run.counters.peak_bytes = pool->stats().peak;
  if (observer != nullptr) observer->end_run();
  run.counters.mapped_bytes = pool->stats().mapped_peak;
  run.counters.fast_paths = named(fast_paths);
  compiling.report(loaded, run);
  if (outcome.error) return run_failure(*outcome.error, loaded, host.line_open());
  random = host.random().state();
  run.exited = outcome.exited;
  run.exit_line = origin_line_of(outcome.exit_line);
  run.exit_origin = outcome.exit_line;
  run.line_open = host.line_open();
  run.out_closed = host.streams().at(1) == nullptr;
  for (const vm::Value& value : outcome.values)
    run.values.emplace_back(std::make_shared<Value::Impl>(Value::Impl{program.impl(), pool, value}));
  for (const auto& watcher : options.watchers) watcher->results(run.values);
  return run;
}

// All ranks end with what one of them ends with that nobody else has broken off.
Result<Run> Vm::Impl::run_on_ranks(const Program& program, std::span<const Value> inputs) {
  if (options.ranks > kMostRanks)
    return refused("at most " + std::to_string(kMostRanks) + " ranks are threads");
  const std::vector<std::unique_ptr<ranks::Ranks>> carriers = ranks::thread_ranks(options.ranks);
  std::vector<Seat> seats;
  for (const auto& carrier : carriers) seats.push_back({carrier.get(), {}, false, true});
  std::vector<std::optional<Result<Run>>> ends(seats.size());
  const auto run_one = [&](std::size_t r) {
    Impl& impl = r == 0 ? *this : *others[r - 1];
    ends[r].emplace(guarded([&] {
      const Budget budget(impl.account, options.time_limit, options.cancelled);
      return impl.run(program, inputs, &seats[r]);
    }));
    if (!*ends[r] && seats[r].alone) seats[r].carrier->abort(1, ends[r]->failure().reason);
  };
  {
    std::list<Thread> threads;
    try {
      for (std::size_t r = 1; r < seats.size(); ++r) threads.emplace_back([&, r] { run_one(r); });
    } catch (...) {
      for (const Seat& seat : seats) seat.carrier->abort(1, "a rank could not be started");
      throw;
    }
    run_one(0);
  }
  for (std::size_t r = 0; r < seats.size(); ++r)
    if (!*ends[r] && !seats[r].broken) return std::move(*ends[r]);
  return std::move(*ends[0]);
}

// Those of the ranks that are other processes end by themselves.
Result<Run> Vm::Impl::run_as_rank(const Program& program, std::span<const Value> inputs) {
  Carrier& carrier = *options.carrier;
  if (program.impl() == nullptr) return refused("there is no program");
  if (!carrier.all_begin(true)) return refused("");  // the rank that cannot says why
  if (!carrier.all_run(ssa::checksum(program.impl()->loaded.module))) {
    carrier.ended(true);
    return refused(carrier.unlike());
  }
  Seat seat{&carrier.rounds().ranks(), carrier.rounds().waiting(), false, true};
  carrier.ended(false);
  Result<Run> end = run(program, inputs, &seat);
  carrier.ended(!end && !seat.alone && !seat.broken);
  return end;
}

// What has ended before a checkpoint is not run again.
Result<Run> Vm::Impl::run_anywhere(const Program& program, std::span<const Value> inputs) {
  Checkpoint* const kept = options.checkpoint.get();
  if (kept != nullptr)
    if (auto again = kept->again(program.impl(), pool, options)) {
      if (*again) set_random(kept->random());
      return std::move(*again);
    }
  Result<Run> end = options.carrier != nullptr ? run_as_rank(program, inputs)
                    : options.ranks > 0        ? run_on_ranks(program, inputs)
                                               : run(program, inputs);
  if (kept != nullptr && end) kept->end_run(*end);
  return end;
}

Vm::Vm(const Options& options)
    : impl_(guarded([&] { return std::make_shared<Impl>(options); },
                    [](const Failure&) { return std::shared_ptr<Impl>(); })) {}
Vm::Vm(const Options& options, const Vm& first)
    : impl_(guarded([&] { return std::make_shared<Impl>(options, first.impl_.get()); },
                    [](const Failure&) { return std::shared_ptr<Impl>(); })) {}
Vm::Vm(Vm&&) noexcept = default;
Vm& Vm::operator=(Vm&&) noexcept = default;
Vm::~Vm() = default;

Result<Run> Vm::run(const Program& program, std::span<const Value> inputs) {
  return guarded([&]() -> Result<Run> {
    const std::shared_ptr<Impl> impl = impl_;
    if (impl == nullptr) {
      Failure failure =
          refused("there is no machine: it was moved, or made when the process was out of memory");
      failure.cause = Failure::Cause::kMemory;
      return failure;
    }
    const Taken taken(impl->busy);
    if (!taken) return refused(kBusy);
    const bool together = impl->options.carrier != nullptr || impl->options.ranks > 0;
    if (together && (impl->options.cost || impl->options.fuel > 0))
      return refused("work is not counted on ranks: there is no cost, and no limit by fuel");
    const Budget budget(impl->account, impl->options.time_limit, impl->options.cancelled);
    try {
      return impl->run_anywhere(program, inputs);
    } catch (...) {
      impl->forget_programs();
      throw;
    }
  });
}
void Vm::cancel() noexcept {
  if (impl_ == nullptr) return;
  impl_->stop.store(vm::Stop::kInterrupt);
  for (const auto& other : impl_->others) other->stop.store(vm::Stop::kInterrupt);
}
void Vm::forbid_effects() noexcept {
  if (impl_ == nullptr) return;
  impl_->effects_forbidden.store(true);
  for (const auto& other : impl_->others) other->effects_forbidden.store(true);
}
void Vm::keep_random() noexcept {
  if (impl_ == nullptr) return;
  impl_->keeps_random = true;
  for (const auto& other : impl_->others) other->keeps_random = true;
}
bool Vm::may_write(std::uint64_t bytes) {
  return guarded([&] { return impl_ != nullptr && impl_->output.take(bytes); },
                 [](const Failure&) { return false; });
}

const char* version() { return NVM_VERSION; }
std::string describe_devices() { return gpu::describe_devices(); }

}  // namespace nvm::lib
