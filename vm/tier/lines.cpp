#include "vm/tier/lines.h"

#include <algorithm>
#include <chrono>

#include "vm/interp/value_moves.h"
#include "vm/interp/work.h"
#include "vm/tier/binding.h"
#include "vm/tier/describe.h"
#include "vm/tier/pipeline.h"

namespace nvm::vm {

namespace {

constexpr std::int64_t kLeast = 128;  // elements: below, a step costs less than the entry of a line
// A line's work before it is compiled, as a multiple of what compiling costs: it may gain nothing.
constexpr std::int64_t kPatience = 32;
// Runs that say nothing of what the next will take; runs of which all are timed.
constexpr std::uint32_t kWarm = 3, kOften = 256;
constexpr std::int64_t kMostElements = std::int64_t{1} << 31;

// Of what the first step reads.
std::int64_t elements_at(const CodeFunction& f, const Line& line, const Value* frame) {
  const Step& first = f.steps[static_cast<std::size_t>(line.steps.front())];
  std::int64_t most = 1;
  for (std::uint32_t i = 0; i < first.operands; ++i)
    if (const Operand o = f.operands[first.first_operand + i]; !o.is_constant())
      most = std::max(most, elements_of(frame[o.slot()]));
  return most;
}

}  // namespace

// One interpreter's.
class LineRunner final : public LineHook {
 public:
  LineRunner(Lines& lines, const PrimContext& context)
      : LineHook(lines.always() ? 2 : kLeast), lines_(lines), context_(context) {
    runs_.resize(lines.shared_.size() * Lines::kMostVariants);
  }

  Answer run(const CodeFunction& function, const Line& line, Value* frame,
             std::span<const Value> constants) override {
    Lines::Shared& shared = lines_.shared_[static_cast<std::size_t>(line.number)];
    const std::size_t first = static_cast<std::size_t>(line.number) * Lines::kMostVariants;
    for (std::size_t i = 0; i < Lines::kMostVariants; ++i) {
      const LineVariant* variant = shared.variants[i].load(std::memory_order_acquire);
      if (variant == nullptr) {
        lines_.meet(function, line, frame, constants, context_.int_bits);
        return Answer::kSteps;
      }
      if (variant->dead.load(std::memory_order_relaxed) || !fits(*variant, frame, constants)) continue;
      if (variant->entry.code == nullptr) return Answer::kSteps;
      return run_variant(*variant, runs_[first + i], frame, constants, shared);
    }
    return Answer::kSteps;
  }

  void timed(const Line& /*line*/, double nanoseconds) override {
    if (timed_ != nullptr) timed_->tier.note(Way::kBaseline, timed_work_, nanoseconds);
    timed_ = nullptr;
  }

 private:
  struct Run {  // of one variant by this interpreter
    Run(const LineVariant& variant, Pool& pool, const std::atomic<Stop>* stop)
        : region(variant.pattern),
          outputs(region.region.vars.size()),
          binding(variant.entry.plan, region, pool, stop) {}
    RecordedRegion region;
    std::vector<Value> outputs;
    Binding binding;  // to them
    ChoiceBySize tier;
    std::uint32_t warm_runs = 0;
    Sampling timed{kOften};
  };

  static const Value& value_of(const LineSource& s, const Value* frame, std::span<const Value> constants) {
    return s.from.is_constant() ? constants[static_cast<std::size_t>(s.from.constant())]
                                : frame[s.from.slot()];
  }

  // Lengths that the region names alike are equal, and only that of one is one.
  bool length_fits(soac::LengthId id, std::int64_t n) {
    std::int64_t& known = lengths_[static_cast<std::size_t>(id)];
    if (known < 0) known = n;
    return known == n && (id == 0 || (n > 1 && n < kMostElements));
  }

  bool source_fits(const LineSource& s, const Value& value, const Value* frame,
                   std::span<const Value> constants, const std::vector<LineSource>& sources) {
    const Value* twin =
        s.same_as < 0 ? nullptr : &value_of(sources[static_cast<std::size_t>(s.same_as)], frame, constants);
    if (s.is_desc) {
      const auto* d = std::get_if<Segdes>(&value);
      return d != nullptr && form_of(*d) == s.form && length_fits(s.length, d->segments()) &&
             length_fits(s.total, d->total()) && (twin == nullptr || d->identical(std::get<Segdes>(*twin)));
    }
    const auto* v = std::get_if<Vector>(&value);
    if (v == nullptr || v->storage() != s.storage || v->is_repeated() || !length_fits(s.length, v->length()))
      return false;
    return twin == nullptr || v->place() == std::get<Vector>(*twin).place();
  }

  // Do the values have the lengths, forms and storages that the variant is for? Then lengths_ has those.
  bool fits(const LineVariant& variant, const Value* frame, std::span<const Value> constants) {
    lengths_ = variant.pattern.lengths;
    for (const LineSource& s : variant.sources)
      if (s.read && !source_fits(s, value_of(s, frame, constants), frame, constants, variant.sources))
        return false;
    return true;
  }

  Answer run_variant(const LineVariant& variant, std::unique_ptr<Run>& mine, Value* frame,
                     std::span<const Value> constants, Lines::Shared& shared) {
    if (mine == nullptr) mine = std::make_unique<Run>(variant, *context_.pool, lines_.options_.stop);
    Run& run = *mine;
    const std::int64_t work = *std::max_element(lengths_.begin(), lengths_.end()) *
                              static_cast<std::int64_t>(run.region.region.insts.size());
    const bool warm = run.warm_runs == kWarm;
    if (!warm) ++run.warm_runs;
    const bool clocked = warm && run.timed.next();
    if (!lines_.always() && warm && run.tier.next(work) == Way::kBaseline) {
      if (!clocked) return Answer::kSteps;
      timed_ = &run;
      timed_work_ = work;
      return Answer::kTimed;
    }
    run.region.lengths = lengths_;
    if (!clocked) return execute(variant, run, frame, constants, shared) ? Answer::kDone : Answer::kSteps;
    const auto begin = std::chrono::steady_clock::now();
    if (!execute(variant, run, frame, constants, shared)) return Answer::kSteps;
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    run.tier.note(Way::kCandidate, work, took.count());
    return Answer::kDone;
  }

  // False: nothing has happened.
  bool execute(const LineVariant& variant, Run& run, Value* frame, std::span<const Value> constants,
               Lines::Shared& shared) {
    std::vector<Value>& inputs = run.region.inputs;
    for (const LineVariant::Input& in : variant.inputs)
      copy_value(value_of(variant.sources[static_cast<std::size_t>(in.source)], frame, constants),
                 inputs[static_cast<std::size_t>(in.var)]);
    run.binding.bind();
    const plan::RunStatus status = variant.entry.code->run(run.binding.run(1));
    if (status == plan::RunStatus::kDone) run.binding.take(run.outputs);
    for (const LineVariant::Input& in : variant.inputs) release(inputs[static_cast<std::size_t>(in.var)]);
    if (status == plan::RunStatus::kTrapped) {  // a check of the program's, or a guess that was wrong
      shared.wide.store(true, std::memory_order_relaxed);
      variant.dead.store(true, std::memory_order_relaxed);
    }
    if (status == plan::RunStatus::kDone) put(variant, run, frame, constants);
    return status == plan::RunStatus::kDone;
  }

  Value repeated(const LineVariant& variant, const LineVariant::Repeated& r, const Value* frame,
                 std::span<const Value> constants) const {
    Value operands[2], result;
    for (std::size_t i = 0; i < std::size(operands); ++i) {
      const auto at = static_cast<std::size_t>(r.operands[i].number);
      operands[i] = r.operands[i].constant ? constants[at] : value_of(variant.sources[at], frame, constants);
    }
    run_repeating_dist(context_, r.word, operands, {&result, 1});
    return result;
  }

  void put(const LineVariant& variant, Run& run, Value* frame, std::span<const Value> constants) {
    moved_.clear();
    for (const LinePut& p : variant.puts) {
      if (p.kind == LinePut::Kind::kSource)
        moved_.push_back(value_of(variant.sources[static_cast<std::size_t>(p.from)], frame, constants));
      if (p.kind == LinePut::Kind::kRepeated)
        moved_.push_back(
            repeated(variant, variant.repeated[static_cast<std::size_t>(p.from)], frame, constants));
    }
    std::size_t next = 0;
    for (const LinePut& p : variant.puts) {
      Value& to = frame[p.slot];
      switch (p.kind) {
        case LinePut::Kind::kMade: copy_value(run.outputs[static_cast<std::size_t>(p.from)], to); break;
        case LinePut::Kind::kSource:
        case LinePut::Kind::kRepeated: move_value(moved_[next++], to); break;
        case LinePut::Kind::kConstant: copy_value(constants[static_cast<std::size_t>(p.from)], to); break;
        case LinePut::Kind::kNothing: release(to); break;
      }
    }
    for (const LinePut& p : variant.puts)
      if (p.kind == LinePut::Kind::kMade) release(run.outputs[static_cast<std::size_t>(p.from)]);
  }

  Lines& lines_;
  const PrimContext& context_;
  std::vector<std::unique_ptr<Run>> runs_;  // by line and variant
  std::vector<std::int64_t> lengths_;
  std::vector<Value> moved_;
  Run* timed_ = nullptr;
  std::int64_t timed_work_ = 0;
};

Lines::Lines(const Code& code, plan::Engine& engine, const JitOptions& options)
    : engine_(engine), options_(options), shared_(code.lines) {
  options_.observer = nullptr;
  for (const ssa::Constant& c : code.module->constants) inputs_.push_back(c.input >= 0);
}

std::unique_ptr<LineHook> Lines::hook(const PrimContext& context) {
  return std::make_unique<LineRunner>(*this, context);
}

LineCounters Lines::counters() const {
  const std::lock_guard lock(mutex_);
  return counters_;
}

void Lines::meet(const CodeFunction& function, const Line& line, const Value* frame,
                 std::span<const Value> constants, IntBits bits) {
  Shared& shared = shared_[static_cast<std::size_t>(line.number)];
  const auto steps = static_cast<std::int64_t>(line.steps.size());
  const std::int64_t cost = options_.hot.region_cost + options_.hot.inst_cost * steps;
  const std::int64_t work = elements_at(function, line, frame) * steps;
  if (shared.work.fetch_add(work, std::memory_order_relaxed) + work < kPatience * cost && !always()) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const auto free = std::find_if(shared.variants.begin(), shared.variants.end(),
                                 [](const auto& v) { return v.load(std::memory_order_relaxed) == nullptr; });
  if (free == shared.variants.end() || (!always() && shared.work.load() < kPatience * cost)) return;
  shared.work.store(0, std::memory_order_relaxed);
  auto variant = trace_line(function, line, frame, constants, inputs_, bits);
  if (variant == nullptr) return;
  compile(*variant, shared);
  free->store(variant.get(), std::memory_order_release);
  variants_.push_back(std::move(variant));
}

void Lines::compile(LineVariant& variant, const Shared& shared) {
  const auto begin = std::chrono::steady_clock::now();
  RegionEntry& e = variant.entry;
  e.guesses = !shared.wide.load(std::memory_order_relaxed);
  e.plan.name = code_name(variant.pattern, options_.module);
  compile_region(variant.pattern.region, engine_, options_.fusion, e);
  ++(e.code != nullptr ? counters_.compiled : counters_.refused);
  const auto took = std::chrono::steady_clock::now() - begin;
  counters_.compile_ns +=
      static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(took).count());
}

}  // namespace nvm::vm
