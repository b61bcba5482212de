#include "vm/tier/nests.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>

#include "bytecode/base/at.h"
#include "vm/interp/level_loop.h"
#include "vm/tier/nest_levels.h"

namespace nvm::vm {

namespace {

using plan::NestInput;

// A function whose calls are given up so often, one after the other, is left to interpreters.
constexpr int kMostLost = 3;
// Bytes of the arguments of all calls together before it pays to compile.
constexpr std::int64_t kWorthCompiling = 64 << 10;
// Elements of one call by all threads, where several could share it: more is left to those who cut it.
constexpr std::int64_t kMostOfShared = 128 << 10;

std::int64_t bytes_of(std::span<const Value> arguments) {
  std::int64_t bytes = 0;
  for (const Value& a : arguments)
    if (const auto* v = std::get_if<Vector>(&a))
      bytes += v->length() * static_cast<std::int64_t>(storage_bytes(v->storage()));
  return bytes;
}

}  // namespace

struct Nests::Compiled {
  plan::NestStorage storage;
  std::unique_ptr<plan::NestCode> code;  // null: the engine refuses
};

class NestRunner final : public FunctionHook {
 public:
  NestRunner(Nests& nests, Caller caller, const PrimContext& context, std::int64_t max_depth,
             std::size_t frame_bytes)
      : nests_(nests), caller_(caller), context_(context), max_depth_(max_depth), frame_bytes_(frame_bytes) {}

  [[nodiscard]] std::int64_t least(ssa::FunctionId function) override {
    return nests_.nest_of(function) != nullptr ? 1 : kNever;
  }
  [[nodiscard]] bool may_take(std::int64_t elements) const override {
    return caller_ == Caller::kWorker || context_.threads == 1 || elements <= kMostOfShared;
  }
  std::optional<std::vector<Value>> run(ssa::FunctionId function, std::int64_t depth,
                                        std::span<const Value> arguments) override {
    if (!wants(function, arguments)) return std::nullopt;
    if (!nests_.nest_of(function)->sizes) return run_found(function, depth, arguments);
    const CodeFunction& f = nests_.code_.functions[at(function)];
    try {
      OwnDestination own(context_, f, arguments);
      if (!run_counted(function, depth, arguments, own.destination())) return std::nullopt;
      return own.take();
    } catch (const Fault&) {  // memory
      return std::nullopt;
    }
  }
  bool run_into(ssa::FunctionId function, std::int64_t depth, std::span<const Value> arguments,
                const Destination& destination) override {
    try {
      return wants(function, arguments) && nests_.nest_of(function)->sizes &&
             run_counted(function, depth, arguments, destination);
    } catch (const Fault&) {  // memory
      return false;
    }
  }

 private:
  [[nodiscard]] bool wants(ssa::FunctionId function, std::span<const Value> arguments) {
    const plan::Nest* nest = nests_.nest_of(function);
    if (nest == nullptr || !std::holds_alternative<Segdes>(arguments[nest->frame])) return false;
    if (nest->sizes && !std::holds_alternative<Segdes>(arguments[*nest->sizes])) return false;
    return nests_.hot(function, bytes_of(arguments));
  }
  // Levels that there may be before an interpreter would have too many open calls.
  [[nodiscard]] std::int64_t most_levels(ssa::FunctionId function, std::int64_t depth) const {
    const auto slots = std::max(nests_.code_.functions[at(function)].slots, 1);
    const auto most =
        static_cast<std::int64_t>(frame_bytes_ / (static_cast<std::size_t>(slots) * sizeof(Value)));
    return max_depth_ > 0 ? std::min(most, max_depth_ - depth) : most;
  }
  [[nodiscard]] bool run_counted(ssa::FunctionId function, std::int64_t depth,
                                 std::span<const Value> arguments, const Destination& destination) {
    std::vector<Storage> storages;
    std::vector<std::byte*> targets;
    for (const Destination::Target& t : destination.targets) {
      storages.push_back(t.storage);
      targets.push_back(t.data);
    }
    if (!lay_out(*nests_.nest_of(function), arguments, destination.places)) return false;
    return run_levels(function, depth, arguments, std::move(storages), targets, nullptr);
  }
  [[nodiscard]] std::optional<std::vector<Value>> run_found(ssa::FunctionId function, std::int64_t depth,
                                                            std::span<const Value> arguments) {
    const plan::Nest& nest = *nests_.nest_of(function);
    try {
      if (!lay_out(nest, arguments, Places::evenly(0, 0))) return std::nullopt;
      NestResults results(nest, context_, instances_);
      if (!run_levels(function, depth, arguments, NestResults::storages(nest), {}, &results))
        return std::nullopt;
      return results.take();
    } catch (const Fault&) {  // memory
      nests_.count(function, false);
      return std::nullopt;
    }
  }
  // Of the instances that are laid out.
  [[nodiscard]] bool run_levels(ssa::FunctionId function, std::int64_t depth,
                                std::span<const Value> arguments, std::vector<Storage> results,
                                std::span<std::byte* const> targets, NestResults* found) {
    const plan::Nest& nest = *nests_.nest_of(function);
    Nests::Storages storages;
    storages.second = std::move(results);
    for (const Value& a : arguments) {
      const auto* v = std::get_if<Vector>(&a);
      storages.first.push_back(v != nullptr ? v->storage() : Storage::kI64);
    }
    const Nests::Compiled* compiled = nests_.find(function, storages);
    if (compiled == nullptr) return false;
    NestLevels levels(nest, compiled->storage, *compiled->code, *context_.pool, most_levels(function, depth),
                      nests_.options_.stop, found);
    const bool done = levels.run(instances_, targets);
    nests_.count(function, done);
    if (done) took(context_, FastPath::kLoopNest);
    return done;
  }

  // The call's instances; false if the arguments are not of equally many.
  [[nodiscard]] bool lay_out(const plan::Nest& nest, std::span<const Value> arguments, const Places& places) {
    const std::int64_t n = std::get<Segdes>(arguments[nest.frame]).total();
    const std::size_t cells = nest.cells();
    instances_.resize(static_cast<std::size_t>(n) * cells);
    singles_.assign(nest.inputs.size(), {});
    for (std::int64_t k = 0; k < n; ++k) instances_[static_cast<std::size_t>(k) * cells] = places[k];
    for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
      const NestInput& in = nest.inputs[i];
      const Value& argument = arguments[at(in.parameter)];
      std::int64_t* const cell = instances_.data() + i + 1;
      if (in.what == NestInput::What::kList) {
        const auto* s = std::get_if<Segdes>(&arguments[at(nest.under[at(in.parameter)])]);
        if (s == nullptr || s->segments() != n || !lists(std::get_if<Vector>(&argument), *s, i, cell, cells))
          return false;
      } else if (in.what == NestInput::What::kLength) {
        const auto* s = std::get_if<Segdes>(&argument);
        if (s == nullptr || s->segments() != n) return false;
        for (std::int64_t k = 0; k < n; ++k) cell[static_cast<std::size_t>(k) * cells] = s->length(k);
      } else if (!numbers(std::get_if<Vector>(&argument), n, cell, cells)) {
        return false;
      }
    }
    return true;
  }
  [[nodiscard]] bool lists(const Vector* v, const Segdes& s, std::size_t input, std::int64_t* cell,
                           std::size_t cells) {
    if (v == nullptr || v->is_repeated() || v->length() != s.total()) return false;
    const std::byte* data = v->raw();
    if (v->is_scalar()) {  // its one element may be the last that can be read
      std::memcpy(singles_[input].data(), data, sizeof(std::int64_t));
      data = singles_[input].data();
    }
    const auto width = static_cast<std::int64_t>(storage_bytes(v->storage()));
    for (std::int64_t k = 0; k < s.segments(); ++k)
      cell[static_cast<std::size_t>(k) * cells] =
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data)) + s.offset(k) * width;
    return true;
  }
  [[nodiscard]] static bool numbers(const Vector* v, std::int64_t n, std::int64_t* cell, std::size_t cells) {
    if (v == nullptr || v->is_repeated() || v->length() != n) return false;
    for (std::int64_t k = 0; k < n; ++k) {
      std::int64_t& to = cell[static_cast<std::size_t>(k) * cells];
      switch (v->storage()) {
        case Storage::kI8: to = v->data<std::int8_t>()[k]; break;
        case Storage::kB8: to = v->data<std::uint8_t>()[k]; break;
        case Storage::kI32: to = v->data<std::int32_t>()[k]; break;
        case Storage::kI64: to = v->data<std::int64_t>()[k]; break;
        case Storage::kF64: to = std::bit_cast<std::int64_t>(v->data<double>()[k]); break;
      }
    }
    return true;
  }

  Nests& nests_;
  Caller caller_;
  PrimContext context_;
  std::int64_t max_depth_;
  std::size_t frame_bytes_;
  std::vector<std::int64_t> instances_;
  std::vector<std::array<std::byte, 72>> singles_;  // lists of one element, by input
};

Nests::Nests(const Code& code, plan::Engine& engine, const JitOptions& options)
    : code_(code), engine_(engine.nests()), options_(options), functions_(code.functions.size()) {}

Nests::~Nests() = default;

std::unique_ptr<FunctionHook> Nests::hook(Caller caller, const PrimContext& context, std::int64_t max_depth,
                                          std::size_t max_frame_bytes) {
  if (engine_ == nullptr) return nullptr;
  return std::make_unique<NestRunner>(*this, caller, context, max_depth, max_frame_bytes);
}

const plan::Nest* Nests::nest_of(ssa::FunctionId function) {
  Function& f = functions_[at(function)];
  if (!f.looked_at.load(std::memory_order_acquire)) {
    const std::lock_guard lock(mutex_);
    if (!f.looked_at.load(std::memory_order_relaxed)) {
      if (auto nest = plan::build_nest(*code_.module, function, f.refusal))
        f.built = std::make_unique<const plan::Nest>(std::move(*nest));
      f.nest.store(f.built.get(), std::memory_order_relaxed);
      f.looked_at.store(true, std::memory_order_release);
    }
  }
  return f.lost.load(std::memory_order_relaxed) < kMostLost ? f.nest.load(std::memory_order_relaxed)
                                                            : nullptr;
}

bool Nests::hot(ssa::FunctionId function, std::int64_t bytes) {
  if (options_.mode != JitMode::kHot) return true;
  std::atomic<std::int64_t>& seen = functions_[at(function)].seen;
  const std::int64_t before = seen.load(std::memory_order_relaxed);
  if (before >= kWorthCompiling) return true;
  seen.store(before + bytes, std::memory_order_relaxed);
  return before + bytes >= kWorthCompiling;
}

const Nests::Compiled* Nests::find(ssa::FunctionId function, const Storages& storages) {
  const std::lock_guard lock(mutex_);
  const auto [place, fresh] = compiled_.try_emplace({function, storages});
  if (!fresh) return place->second.get();
  const auto begin = std::chrono::steady_clock::now();
  const plan::Nest& nest = *functions_[at(function)].built;
  if (auto storage = plan::store_lists(nest, storages.first, storages.second)) {
    auto made = std::make_unique<Compiled>();
    std::string why;
    made->storage = std::move(*storage);
    made->code = engine_->compile_nest(nest, made->storage, code_.module->functions[at(function)].name, why);
    if (made->code != nullptr) place->second = std::move(made);
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  compile_ns_ += static_cast<std::uint64_t>(std::chrono::nanoseconds(took).count());
  return place->second.get();
}

void Nests::count(ssa::FunctionId function, bool done) {
  (done ? functions_[at(function)].calls : given_up_).fetch_add(1, std::memory_order_relaxed);
  std::atomic<int>& lost = functions_[at(function)].lost;
  done ? lost.store(0, std::memory_order_relaxed)
       : static_cast<void>(lost.fetch_add(1, std::memory_order_relaxed));
}

NestCounters Nests::counters() const {
  const std::lock_guard lock(mutex_);
  NestCounters c;
  c.compiled = compiled_.size();
  c.compile_ns = compile_ns_;
  for (const Function& f : functions_) c.calls += f.calls.load();
  c.given_up = given_up_.load();
  return c;
}

std::string Nests::explain() const {
  std::string out;
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const ssa::Function& f = code_.module->functions[i];
    if (!functions_[i].looked_at.load(std::memory_order_acquire) ||
        !plan::may_be_nest(*code_.module, static_cast<ssa::FunctionId>(i)))
      continue;
    const std::uint64_t calls = functions_[i].calls.load();
    out += (f.origin.empty() ? f.name : f.origin) + ": ";
    out += functions_[i].built != nullptr
               ? "a loop nest, " + std::to_string(calls) + (calls == 1 ? " call\n" : " calls\n")
               : "no loop nest: " + functions_[i].refusal + "\n";
  }
  return out;
}

}  // namespace nvm::vm
