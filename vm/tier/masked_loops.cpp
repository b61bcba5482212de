#include "vm/tier/masked_loops.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include "bytecode/base/at.h"
#include "bytecode/table/op_kind.h"
#include "vm/tier/describe.h"

namespace nvm::vm {

namespace {

using soac::kNone;

// A function whose calls are given up so often, one after the other, is left to interpreters.
constexpr int kMostLost = 3;
// Instances: of a call, and of all calls together before it pays to compile.
constexpr std::int64_t kLeast = 16, kWorthCompiling = 1024;

// Memory for the results of one call.
class Results final : public plan::Host {
 public:
  Results(const plan::Plan& plan, Pool& pool, const std::atomic<Stop>* stop)
      : pool_(pool), stop_(stop), memory_(plan.vars.size()) {}

  void* allocate(plan::VarId var, Storage storage, std::int64_t length) override {
    try {
      memory_[at(var)] = pool_.allocate(ByteCount::of(length, storage_bytes(storage)));
    } catch (const Fault&) {
      return nullptr;
    }
    return memory_[at(var)].data();
  }
  void release(plan::VarId) override {}
  [[nodiscard]] bool cancelled() const override { return asked(stop_); }
  [[nodiscard]] Vector take(plan::VarId var, Storage storage, std::int64_t length) {
    return {storage, length, std::move(memory_[at(var)])};
  }

 private:
  Pool& pool_;
  const std::atomic<Stop>* stop_;
  std::vector<BufferRef> memory_;
};

plan::Array array_of(const Vector& v) {
  plan::Array a;
  a.length = v.length();
  a.storage = v.storage();
  if (!v.is_scalar())
    a.data = v.place();
  else if (v.type() == Type::kFloat)
    a.real = v.scalar_float();
  else
    a.scalar = v.scalar_int();
  return a;
}

bool calls_itself(const ssa::Module& module, ssa::FunctionId function) {
  for (const ssa::Block& block : module.functions[at(function)].blocks)
    for (const ssa::Inst& in : block.insts)
      if (op_kind(in.op) == OpKind::kControl && in.index == function) return true;
  return false;
}

}  // namespace

struct MaskedLoops::Compiled {
  plan::MaskedLoop loop;
  std::unique_ptr<plan::Code> code;  // null: the engine refuses
};

class MaskedRunner final : public FunctionHook {
 public:
  MaskedRunner(MaskedLoops& loops, const PrimContext& context, std::int64_t max_depth,
               std::size_t frame_bytes)
      : loops_(loops), context_(context), max_depth_(max_depth), frame_bytes_(frame_bytes) {}

  [[nodiscard]] std::int64_t least(ssa::FunctionId function) override {
    return loops_.loops(function) ? kLeast : kNever;
  }

  std::optional<std::vector<Value>> run(ssa::FunctionId function, std::int64_t depth,
                                        std::span<const Value> arguments) override {
    const std::int64_t limit = most_rounds(function, depth);
    const std::int64_t n = instances(function, arguments);
    if (limit <= 0 || n < kLeast || !loops_.hot(function, n)) return std::nullopt;
    const MaskedLoops::Compiled* compiled = loops_.find(function, storages_);
    if (compiled == nullptr || compiled->code == nullptr) return std::nullopt;
    auto results = run(*compiled, limit, n, arguments);
    loops_.count(function, results.has_value());
    if (results) took(context_, FastPath::kMaskedLoop);
    return results;
  }

 private:
  // Calls that may be open, this one among them, before the interpreter's would be too many.
  [[nodiscard]] std::int64_t most_rounds(ssa::FunctionId function, std::int64_t depth) const {
    const auto slots = std::max(loops_.code_.functions[at(function)].slots, 1);
    const std::size_t frames = frame_bytes_ / (static_cast<std::size_t>(slots) * sizeof(Value));
    const auto most = static_cast<std::int64_t>(frames);
    return max_depth_ > 0 ? std::min(most, max_depth_ - depth + 1) : most;
  }
  // 0: the arguments are not of equally many; also finds out how they are stored.
  [[nodiscard]] std::int64_t instances(ssa::FunctionId function, std::span<const Value> arguments) {
    const auto& splits = loops_.code_.functions[at(function)].source->lifted.parameters;
    std::int64_t n = kNone;
    storages_.assign(arguments.size(), Storage::kI64);
    const auto same = [&](std::int64_t length) {
      if (n == kNone) n = length;
      return n == length;
    };
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const bool each = splits[i].kind == ssa::Split::Kind::kInstances;
      if (const auto* s = std::get_if<Segdes>(&arguments[i])) {
        if (splits[i].kind == ssa::Split::Kind::kFrame && (s->segments() != 1 || !same(s->total()))) return 0;
        if (each && !same(s->segments())) return 0;
        continue;
      }
      const auto* v = std::get_if<Vector>(&arguments[i]);
      if (v == nullptr || v->is_repeated() || (each && !same(v->length()))) return 0;
      storages_[i] = v->storage();
    }
    return n;
  }

  // What the plan reads of an argument; nothing if it is not what it should be.
  [[nodiscard]] std::optional<plan::Array> bind(const plan::MaskedLoop::Input& in,
                                                std::span<const Value> arguments) {
    using What = plan::MaskedLoop::What;
    if (const auto* v = std::get_if<Vector>(&arguments[at(in.parameter)])) {
      if (in.what == What::kNumbers) return array_of(*v);
      const auto& shape = std::get<Segdes>(arguments[at(in.shape)]);
      const bool fits = shape.total() == v->length() && (in.what == What::kOwn || shape.segments() == 1);
      return fits ? std::optional(array_of(*v)) : std::nullopt;
    }
    const auto& shape = std::get<Segdes>(arguments[at(in.parameter)]);
    plan::Array a;
    a.length = 1;
    a.scalar = shape.total();
    if (in.what == What::kLength) return shape.segments() == 1 ? std::optional(a) : std::nullopt;
    a.length = shape.segments();
    a.data = const_cast<std::int64_t*>(offsets(shape)) + (in.what == What::kEnds ? 1 : 0);
    return a;
  }
  // Also of regular descriptors.
  [[nodiscard]] const std::int64_t* offsets(const Segdes& shape) {
    if (!shape.is_regular()) return shape.offsets();
    const std::int64_t count = shape.segments() + 1;
    made_.push_back(context_.pool->vector(Storage::kI64, count));
    auto* to = made_.back().mutable_data<std::int64_t>();
    for (std::int64_t k = 0; k < count; ++k) to[k] = shape.offset(k);
    return to;
  }

  std::optional<std::vector<Value>> run(const MaskedLoops::Compiled& compiled, std::int64_t limit,
                                        std::int64_t n, std::span<const Value> arguments) {
    const plan::Plan& plan = compiled.loop.plan;
    std::vector<plan::Array> arrays(plan.vars.size());
    std::vector<std::int64_t> lengths(plan.lengths.size(), n);
    lengths[0] = 1;
    made_.clear();
    for (const plan::MaskedLoop::Input& in : compiled.loop.inputs) {
      const auto array = bind(in, arguments);
      const plan::LengthId length = plan.vars[at(in.var)].length;
      if (in.shape != kNone && array) lengths[at(length)] = array->length;
      if (!array || array->length != lengths[at(length)]) return std::nullopt;
      arrays[at(in.var)] = *array;
    }
    plan::Array& rounds = arrays[at(plan.kernels[0].repeat->limit)];
    rounds.length = 1;
    rounds.scalar = limit;
    Results host(plan, *context_.pool, loops_.options_.stop);
    const plan::Run run{arrays, {}, lengths, &host, context_.threads};
    if (compiled.code->run(run) != plan::RunStatus::kDone) return std::nullopt;
    std::vector<Value> results;
    for (const plan::VarId x : compiled.loop.outputs)
      results.emplace_back(host.take(x, plan.vars[at(x)].storage, n));
    return results;
  }

  MaskedLoops& loops_;
  PrimContext context_;
  std::int64_t max_depth_;
  std::size_t frame_bytes_;
  std::vector<Storage> storages_;  // of the arguments
  std::vector<Vector> made_;       // of what a call reads and nobody has
};

MaskedLoops::MaskedLoops(const Code& code, plan::Engine& engine, const JitOptions& options)
    : code_(code), engine_(engine), options_(options), functions_(code.functions.size()) {}

MaskedLoops::~MaskedLoops() = default;

std::unique_ptr<FunctionHook> MaskedLoops::hook(Caller, const PrimContext& context, std::int64_t max_depth,
                                                std::size_t max_frame_bytes) {
  return std::make_unique<MaskedRunner>(*this, context, max_depth, max_frame_bytes);
}

bool MaskedLoops::loops(ssa::FunctionId function) {
  Function& f = functions_[at(function)];
  if (!f.looked_at.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    const auto storages = plan::widest_storages(*code_.module, function);
    std::string why;
    f.loops.store(plan::build_masked_loop(*code_.module, function, storages, why).has_value(),
                  std::memory_order_relaxed);
    if (!f.looked_at.load(std::memory_order_relaxed)) f.refusal = std::move(why);
    f.looked_at.store(true, std::memory_order_release);
  }
  return f.loops.load(std::memory_order_relaxed) && f.lost.load(std::memory_order_relaxed) < kMostLost;
}

bool MaskedLoops::hot(ssa::FunctionId function, std::int64_t instances) {
  if (options_.mode != JitMode::kHot) return true;
  std::atomic<std::int64_t>& seen = functions_[at(function)].seen;
  const std::int64_t before = seen.load(std::memory_order_relaxed);
  if (before >= kWorthCompiling) return true;
  seen.store(before + instances, std::memory_order_relaxed);
  return before + instances >= kWorthCompiling;
}

const MaskedLoops::Compiled* MaskedLoops::find(ssa::FunctionId function,
                                               const std::vector<Storage>& storages) {
  const std::lock_guard lock(mutex_);
  auto& compiled = compiled_[{function, storages}];
  if (compiled != nullptr) return compiled.get();
  const auto begin = std::chrono::steady_clock::now();
  std::string why;
  auto made = std::make_unique<Compiled>();
  auto loop = plan::build_masked_loop(*code_.module, function, storages, why);
  if (loop) {
    made->loop = std::move(*loop);
    made->loop.plan.name = code_.module->functions[at(function)].name;
    made->code = engine_.compile(made->loop.plan, why);
  }
  compiled = std::move(made);
  const auto took = std::chrono::steady_clock::now() - begin;
  compile_ns_ += static_cast<std::uint64_t>(std::chrono::nanoseconds(took).count());
  return compiled.get();
}

void MaskedLoops::count(ssa::FunctionId function, bool done) {
  (done ? functions_[at(function)].calls : given_up_).fetch_add(1, std::memory_order_relaxed);
  std::atomic<int>& lost = functions_[at(function)].lost;
  done ? lost.store(0, std::memory_order_relaxed)
       : static_cast<void>(lost.fetch_add(1, std::memory_order_relaxed));
}

MaskedLoopCounters MaskedLoops::counters() const {
  const std::lock_guard lock(mutex_);
  MaskedLoopCounters c;
  c.compiled = compiled_.size();
  c.compile_ns = compile_ns_;
  for (const Function& f : functions_) c.calls += f.calls.load();
  c.given_up = given_up_.load();
  return c;
}

std::string MaskedLoops::explain() const {
  std::string out;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const ssa::Function& f = code_.module->functions[i];
    if (!functions_[i].looked_at.load(std::memory_order_acquire) || !f.lifted.lifted ||
        !calls_itself(*code_.module, static_cast<ssa::FunctionId>(i)))
      continue;
    const std::uint64_t calls = functions_[i].calls.load();
    out += (f.origin.empty() ? f.name : f.origin) + ": ";
    out += functions_[i].loops.load()
               ? "a masked loop, " + std::to_string(calls) + (calls == 1 ? " call\n" : " calls\n")
               : "no masked loop: " + functions_[i].refusal + "\n";
  }
  return out;
}

}  // namespace nvm::vm
