#include "vm/lib/lazy.hpp"

#include <atomic>
#include <optional>
#include <string>

#include "bytecode/base/per_thread.h"
#include "vm/lib/elements.h"
#include "vm/lib/guarded.h"
#include "vm/lib/lazy_parts.h"
#include "vm/lib/session_node.h"

namespace nvm::lib {

using Core = ArraySession::Core;
using namespace lazily;

// Whoever has set `use` uses the graph. Handles that are let go of meanwhile wait in `released`, and are let
// go of in the graph by him, or by who let go of one when nobody uses it. No code of a host runs in that, so
// who wants to use the graph may wait for it.
struct ArraySession::Core {
  enum class State : std::uint8_t { kFree, kCall, kClean };
  // What the graph does not need any more. To free it may call the host.
  struct Garbage {
    DeadNodes nodes;
    Lazy::Impl* handles;
    ~Garbage();
  };

  explicit Core(const Options& options) : session(options), number(Size::of_number(graph)) {}
  ~Core() { const Garbage garbage = drain(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  [[nodiscard]] bool begin_call();
  void end_call();
  void release(Lazy::Impl* impl);

  std::atomic<State> use{State::kFree};
  std::atomic<Lazy::Impl*> released{nullptr};
  ExpressionGraph graph{{}, ExpressionGraph::Dead::kKept};
  Session session;
  SizeRef number;  // of all numbers

 private:
  [[nodiscard]] Garbage drain();
  void clean();
};

struct Lazy::Impl {
  std::shared_ptr<Core> core;  // null: a number of no session, which has a value
  Promise values;              // these two belong to the graph
  SizeRef size;
  bool number = false;
  bool of_program = false;
  std::optional<Value> value;  // may be read if it is there
  std::atomic<bool> there{false};
  Impl* next = nullptr;  // released

  void publish(Value found) {
    if (there.load(std::memory_order_relaxed)) return;
    value = std::move(found);
    there.store(true, std::memory_order_release);
  }
  [[nodiscard]] bool is_there() const { return there.load(std::memory_order_acquire); }
};

bool Core::begin_call() {
  State now = State::kFree;
  while (!use.compare_exchange_weak(now, State::kCall)) {
    if (now == State::kCall) return false;
    if (now == State::kClean) use.wait(now);
    now = State::kFree;
  }
  return true;
}

void Core::end_call() {
  const Garbage garbage = drain();  // freed when others may use the graph again
  use.store(State::kFree);
  use.notify_all();
  clean();
}

void Core::clean() {
  while (released.load() != nullptr) {
    State now = State::kFree;
    if (!use.compare_exchange_strong(now, State::kClean)) return;  // he who uses it does it
    const Garbage garbage = drain();
    use.store(State::kFree);
    use.notify_all();
  }
}

void Core::release(Lazy::Impl* impl) {
  impl->next = released.load();
  while (!released.compare_exchange_weak(impl->next, impl)) {
  }
  clean();
}

Core::Garbage Core::drain() {
  Lazy::Impl* const handles = released.exchange(nullptr);
  for (Lazy::Impl* impl = handles; impl != nullptr; impl = impl->next) {
    impl->values = {};
    impl->size.reset();
  }
  return {graph.take_dead(), handles};
}

Core::Garbage::~Garbage() {
  while (handles != nullptr) delete std::exchange(handles, handles->next);
}

namespace {

constexpr int kMostDepth = 200;  // of a chain that nobody looks at

// The session in which a thread makes its vectors.
struct Current {
  std::shared_ptr<Core> core;
};
std::shared_ptr<Core>& current() {
  struct OfArrays {};
  return PerThread<Current, OfArrays>::get().core;
}
const std::shared_ptr<Core>& here() {
  std::shared_ptr<Core>& mine = current();
  if (mine == nullptr) mine = std::make_shared<Core>(Options{});
  return mine;
}

// A session that nobody else uses; false where somebody does.
class Use {
 public:
  explicit Use(std::shared_ptr<Core> core) : core_(std::move(core)), mine_(core_->begin_call()) {}
  ~Use() {
    if (mine_) core_->end_call();
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  [[nodiscard]] explicit operator bool() const { return mine_; }

 private:
  std::shared_ptr<Core> core_;
  bool mine_;
};

void release(Lazy::Impl* impl) {
  const std::shared_ptr<Core> core = std::move(impl->core);
  if (core == nullptr)
    delete impl;
  else
    core->release(impl);
}

Lazy number_of(const Value& element, bool of_program) {
  auto impl = std::make_unique<Lazy::Impl>();
  impl->number = true;
  impl->of_program = of_program;
  impl->publish(element);
  return Lazy(std::shared_ptr<Lazy::Impl>(impl.release(), release));
}

// The rest is with a session in use.

Promise constant(ExpressionGraph& graph, const Value& x) {
  switch (x.kind()) {
    case Kind::kInt: return graph.constant(x.int_at(0));
    case Kind::kFloat: return graph.constant(x.float_at(0));
    default: return graph.constant(x.bool_at(0));
  }
}

Part operand_of(Core& core, const Lazy::Impl& x) {
  if (x.core.get() == &core) return {x.values, x.size};
  if (x.of_program) return {constant(core.graph, *x.value), core.number};
  const SizeRef size = x.number ? core.number : std::make_shared<Size>(core.graph, x.value->size());
  return {core.graph.given(*x.value), size};
}

std::optional<Failure> computed(Core& core, std::span<const Promise> wanted) {
  const auto runner = [](Vm& vm, const Program& program, std::span<const Value> inputs, bool) {
    return vm.run(program, inputs);
  };
  Run run;
  auto failed = core.session.evaluate(wanted, runner, run);
  if (!failed) return std::nullopt;
  return std::move(failed->failure);
}

// A long chain is computed now and then. What fails is recorded further, and fails when somebody looks.
void bound_depth(Core& core, std::span<const Promise> operands) {
  for (const Promise& p : operands)
    if (p.depth() > 0 && p.depth() % kMostDepth == 0) {
      static_cast<void>(computed(core, operands));
      return;
    }
}

const char* word_of(Kind kind) {
  return kind == Kind::kFloat ? "FLOAT" : kind == Kind::kBool ? "BOOL" : "INT";
}

Result<Lazy> positions(const std::shared_ptr<Core>& core, const SizeRef& size) {
  const Promise operands[] = {core->graph.constant(std::int64_t{0}), core->graph.constant(std::int64_t{1}),
                              size->segments()};
  return emit(core, "INDEX", operands, size);
}

// f(session) of the thread's session.
template <typename F>
Result<Lazy> in_current(F f) {
  return together({},
                  [&](const std::shared_ptr<Core>& core, const Part*) -> Result<Lazy> { return f(core); });
}

bool is_vector(const Value& x) {
  return x.kind() == Kind::kInt || x.kind() == Kind::kFloat || x.kind() == Kind::kBool;
}

Result<Lazy> number(const Value& element, bool of_program) {
  return guarded([&]() -> Result<Lazy> {
    if (!element) throw std::bad_alloc();
    if (!is_vector(element) || element.size() != 1) return refused("a number is one element");
    return number_of(element, of_program);
  });
}

// Computes those that belong to one session, and marks them.
std::optional<Failure> compute_session(const std::shared_ptr<Core>& core, std::span<const Lazy> wanted) {
  const Use use(core);
  if (!use) return refused(kBusy, Failure::Cause::kOther);
  std::vector<Promise> promises;
  for (const Lazy& x : wanted)
    if (x.impl().core == core && !x.impl().values.evaluated()) promises.push_back(x.impl().values);
  if (!promises.empty())
    if (auto failure = computed(*core, promises)) return failure;
  for (const Lazy& x : wanted)
    if (x.impl().core == core) x.impl().publish(x.impl().values.value());
  return std::nullopt;
}

}  // namespace

namespace lazily {

Lazy made(const std::shared_ptr<Core>& core, Promise values, SizeRef size) {
  auto impl = std::make_unique<Lazy::Impl>();
  impl->core = core;
  impl->number = size->is_number();
  impl->size = std::move(size);
  if (values.evaluated()) impl->publish(values.value());
  impl->values = std::move(values);
  return Lazy(std::shared_ptr<Lazy::Impl>(impl.release(), release));
}

Failure refused(const std::string& reason, Failure::Cause cause) {
  Failure failure = refusal(reason);
  failure.kind = Failure::Class::kRuntime;
  failure.cause = cause;
  return failure;
}

Result<Lazy> emit(const std::shared_ptr<Core>& core, std::string_view text, std::span<const Promise> operands,
                  SizeRef size) {
  const Instruction* instruction = find_instruction(text);
  bool fits = instruction != nullptr && operands_of(*instruction) == static_cast<int>(operands.size());
  for (std::size_t k = 0; fits && k < operands.size(); ++k)
    fits = operands[k].kind() == operand_kind(*instruction, static_cast<int>(k));
  if (!fits)
    return refused("there is no instruction " + std::string(text) + " of such operands",
                   Failure::Cause::kType);
  bound_depth(*core, operands);
  Promise result = record(*instruction, operands);
  if (size == nullptr) size = std::make_shared<Size>(Promise(result.node(), 1));
  return made(core, std::move(result), std::move(size));
}

std::string typed(const char* name, const Promise& of) {
  return std::string(name) + " " + word_of(of.kind());
}

Promise spread(const Part& x, const SizeRef& size) {
  if (!x.size->is_number() || size->is_number()) return x.values;
  const Promise operands[] = {x.values, size->segments()};
  return record(*find_instruction(typed("DIST", x.values)), operands);
}

std::string text_of(std::optional<std::int64_t> n) { return std::to_string(n.value_or(0)); }
bool differ(const Part& a, const Part& b) {
  const auto n = a.size->known(), m = b.size->known();
  return !a.size->is_number() && !b.size->is_number() && n && m && *n != *m;
}

Promise whole(const CoreRef& core, std::int64_t x) { return core->graph.constant(x); }

Result<Lazy> together(std::span<const Lazy> operands, const Recording& f) {
  return guarded([&]() -> Result<Lazy> {
    if (operands.size() > kMostOperands) return refused("too many operands", Failure::Cause::kType);
    std::shared_ptr<Core> core;
    for (const Lazy& x : operands)
      if (core == nullptr) core = x.impl().core;
    if (core == nullptr) core = here();
    for (const Lazy& x : operands) {
      if (x.impl().core == nullptr || x.impl().core == core) continue;
      auto value = lazy_value(x);
      if (!value) return std::move(value).failure();
    }
    const Use use(core);
    if (!use) return refused(kBusy, Failure::Cause::kOther);
    Part mine[kMostOperands];
    for (std::size_t k = 0; k < operands.size(); ++k) mine[k] = operand_of(*core, operands[k].impl());
    return f(core, mine);
  });
}

}  // namespace lazily

ArraySession::ArraySession(const Options& options) noexcept
    : core_(guarded([&] { return std::make_shared<Core>(options); },
                    [](const Failure&) { return std::shared_ptr<Core>(); })) {}
ArraySession::Scope::Scope(const ArraySession& session) {
  if (session.core_ == nullptr) throw std::bad_alloc();
  before_ = std::exchange(current(), session.core_);
}
ArraySession::Scope::~Scope() { current() = std::move(before_); }

Result<Lazy> lazy_vector(const Value& elements) {
  return in_current([&](const std::shared_ptr<Core>& core) -> Result<Lazy> {
    if (!elements) throw std::bad_alloc();
    if (!is_vector(elements)) return refused("a descriptor or pair is no vector", Failure::Cause::kType);
    return made(core, core->graph.given(elements), std::make_shared<Size>(core->graph, elements.size()));
  });
}

Result<Lazy> lazy_number(const Value& element) { return number(element, false); }
Result<Lazy> lazy_constant(const Value& element) { return number(element, true); }

Result<Lazy> lazy_count(std::int64_t n) {
  return in_current([&](const std::shared_ptr<Core>& core) -> Result<Lazy> {
    if (auto fits = make_segdes({&n, 1}); !fits)
      return refused("a vector of " + std::to_string(n) + " elements");
    return positions(core, std::make_shared<Size>(core->graph, n));
  });
}

Result<Lazy> lazy_positions(const Lazy& vector) {
  return together({&vector, 1},
                  [](const std::shared_ptr<Core>& core, const Part* x) { return positions(core, x->size); });
}

Result<Lazy> lazy_length(const Lazy& vector) {
  return together({&vector, 1}, [](const std::shared_ptr<Core>& core, const Part* x) -> Result<Lazy> {
    if (const auto n = x->size->known()) return number_of(make_ints({&*n, 1}), false);
    return emit(core, "LENGTHS", {&x->size->segments(), 1}, core->number);
  });
}

Result<Lazy> lazy_map(std::string_view instruction, std::span<const Lazy> operands) {
  return together(operands, [&](const std::shared_ptr<Core>& core, const Part* x) -> Result<Lazy> {
    const Instruction* found = find_instruction(instruction);
    if (found == nullptr || op_info(found->op).kind != OpKind::kMap)
      return refused(std::string(instruction) + " is not elementwise", Failure::Cause::kType);
    const Part* vector = x;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      if (vector->size->is_number()) vector = &x[k];
      if (differ(*vector, x[k]))
        return refused("arrays of " + text_of(vector->size->known()) + " and " + text_of(x[k].size->known()) +
                       " elements");
    }
    Promise values[kMostOperands];
    for (std::size_t k = 0; k < operands.size(); ++k) values[k] = spread(x[k], vector->size);
    return emit(core, instruction, {values, operands.size()}, vector->size);
  });
}

Result<Lazy> lazy_spread(const Lazy& number, std::span<const Lazy> others) {
  if (!lazy_is_number(number)) return number;
  for (const Lazy& other : others) {
    if (lazy_is_number(other)) continue;
    const Lazy both[] = {number, other};
    return together(both, [](const std::shared_ptr<Core>& core, const Part* x) -> Result<Lazy> {
      return made(core, spread(x[0], x[1].size), x[1].size);
    });
  }
  return number;
}

Result<Lazy> lazy_fold(std::string_view instruction, const Lazy& elements) {
  return together({&elements, 1}, [&](const std::shared_ptr<Core>& core, const Part* x) -> Result<Lazy> {
    const Instruction* found = find_instruction(instruction);
    const OpKind kind = found == nullptr ? OpKind::kMap : op_info(found->op).kind;
    if (kind != OpKind::kReduce && kind != OpKind::kScan)
      return refused(std::string(instruction) + " is no reduction and no scan", Failure::Cause::kType);
    const Promise operands[] = {x->values, x->size->segments()};
    return emit(core, instruction, operands, kind == OpKind::kReduce ? core->number : x->size);
  });
}

Result<Lazy> lazy_pack(const Lazy& elements, const Lazy& flags) {
  const Lazy both[] = {elements, flags};
  return together(both, [](const std::shared_ptr<Core>& core, const Part* x) -> Result<Lazy> {
    if (differ(x[0], x[1]))
      return refused(text_of(x[1].size->known()) + " flags for " + text_of(x[0].size->known()) + " elements");
    const Promise operands[] = {x[0].values, spread(x[1], x[0].size), x[0].size->segments()};
    return emit(core, typed("PACK", x[0].values), operands, nullptr);
  });
}

Result<Lazy> lazy_gather(const Lazy& elements, const Lazy& index, const Lazy* flags) {
  const Lazy all[] = {elements, index, flags != nullptr ? *flags : index};
  return together(
      {all, flags != nullptr ? 3U : 2U},
      [&](const std::shared_ptr<Core>& core, const Part* x) -> Result<Lazy> {
        const SizeRef& size = x[1].size;
        if (flags == nullptr) {
          const Promise operands[] = {x[0].values, x[1].values, x[0].size->segments(), size->segments()};
          return emit(core, typed("BPERMUTE", x[0].values), operands, size);
        }
        const Promise operands[] = {x[0].values, x[1].values, spread(x[2], size), x[0].size->segments(),
                                    size->segments()};
        return emit(core, typed("BFPERMUTE", x[0].values), operands, size);
      });
}

Result<bool> lazy_evaluate(std::span<const Lazy> wanted) {
  return guarded([&]() -> Result<bool> {
    for (const Lazy& x : wanted) {
      if (x.impl().is_there()) continue;
      if (auto failure = compute_session(x.impl().core, wanted)) return std::move(*failure);
    }
    return true;
  });
}

Result<Value> lazy_value(const Lazy& vector) {
  if (!vector.impl().is_there()) {
    auto done = lazy_evaluate({&vector, 1});
    if (!done) return std::move(done).failure();
  }
  return *vector.impl().value;
}

Result<std::int64_t> lazy_size(const Lazy& vector) {
  return guarded([&]() -> Result<std::int64_t> {
    Lazy::Impl& x = vector.impl();
    if (x.number) return std::int64_t{1};
    if (x.is_there()) return x.value->size();
    const Use use(x.core);
    if (!use) return refused(kBusy, Failure::Cause::kOther);
    if (const auto n = x.size->known()) return *n;
    const Promise& segments = x.size->segments();
    if (!segments.evaluated())
      if (auto failure = computed(*x.core, {&segments, 1})) return std::move(*failure);
    x.size->become_known(segments.value().int_at(0));
    return *x.size->known();
  });
}

bool lazy_is_evaluated(const Lazy& vector) {
  Lazy::Impl& x = vector.impl();
  if (x.is_there()) return true;
  const Use use(x.core);
  return use && x.values.evaluated();
}

bool lazy_is_number(const Lazy& vector) { return vector.impl().number; }

}  // namespace nvm::lib
