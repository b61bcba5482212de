#include "vm/tier/line_trace.h"

#include <algorithm>

namespace nvm::vm {

using soac::kNone;
using soac::VarId;
using soac::VarRole;

namespace {

constexpr std::size_t kFewest = 3;  // instructions

// Keeps the region, and gives each result its name in it as a number.
class Capture final : public RegionExecutor {
 public:
  void execute(RecordedRegion& region, std::span<Value> outputs, RecordedSite& /*failed*/) override {
    for (std::size_t i = 0; i < outputs.size(); ++i)
      if (region.region.vars[i].role == VarRole::kOutput)
        outputs[i] = Vector::of_int(static_cast<std::int64_t>(i));
    captured = region;
    ++regions;
  }
  RecordedRegion captured;
  int regions = 0;
};

// The same value, or the same scalar: those of sources have tags.
bool same(const Value& a, const Value& b) {
  const auto* s = std::get_if<Segdes>(&a);
  const auto* t = std::get_if<Segdes>(&b);
  if (s != nullptr && t != nullptr) return s->identical(*t);
  const auto* x = std::get_if<Vector>(&a);
  const auto* y = std::get_if<Vector>(&b);
  if (x == nullptr || y == nullptr || x->storage() != y->storage() || x->length() != y->length())
    return false;
  if (x->is_scalar())
    return x->type() == Type::kFloat ? x->scalar_float() == y->scalar_float()
                                     : x->scalar_int() == y->scalar_int();
  return x->buffer().get() == y->buffer().get() && x->place() == y->place();
}

// A value that code can be compiled for: written, or one number. A truth value has no tag.
bool plain(const Value& value) {
  if (std::holds_alternative<Segdes>(value)) return true;
  const auto* v = std::get_if<Vector>(&value);
  if (v == nullptr || v->is_repeated()) return false;
  return !v->is_scalar() || v->type() != Type::kBool;
}

// Follows the steps of a line with the frame's slots as they would be.
class Tracer {
 public:
  Tracer(const CodeFunction& f, const Line& line, const Value* frame, std::span<const Value> constants,
         const std::vector<bool>& inputs)
      : f_(f), line_(line), frame_(frame), constants_(constants), inputs_(inputs) {
    slots_.resize(static_cast<std::size_t>(f.slots));
  }

  std::unique_ptr<LineVariant> run(IntBits bits) {
    Recorder recorder(capture_, bits, {.min_elements = 0});
    for (const std::int32_t i : line_.steps)
      if (!take(f_.steps[static_cast<std::size_t>(i)], recorder)) return nullptr;
    for (Slot& slot : slots_)
      if (slot.kind == Slot::Kind::kMade && slot.number >= 0) slot = {Slot::Kind::kRepeated, slot.number, {}};
    recorder.finish();
    if (capture_.regions != 1 || capture_.captured.region.insts.size() < kFewest) return nullptr;
    auto variant = std::make_unique<LineVariant>();
    variant->pattern = std::move(capture_.captured);
    if (!name_sources(*variant)) return nullptr;
    leave(*variant);
    return variant;
  }

 private:
  struct Slot {
    enum class Kind : std::uint8_t { kBefore, kNothing, kSource, kConstant, kMade, kRepeated };
    Kind kind = Kind::kBefore;  // what the slot had before the line, and nobody has looked
    std::int32_t number = 0;    // of the source or constant; kMade: of its repetition or -1, kRepeated: of it
    Value made;
  };

  // A number that no constant of the code is and no other source has.
  [[nodiscard]] Vector tag(const Vector& scalar) {
    for (;; ++tag_) {
      const Vector tagged = scalar.type() == Type::kFloat ? Vector::of_float(static_cast<double>(tag_) + 0.5)
                                                          : Vector::of_int(tag_, scalar.storage());
      if (std::any_of(constants_.begin(), constants_.end(), [&](const Value& c) { return same(c, tagged); }))
        continue;
      ++tag_;
      return tagged;
    }
  }

  std::int32_t source(Operand from) {
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const Operand known = sources_[i].from;
      if (known.is_constant() != from.is_constant()) continue;
      if (from.is_constant() ? known.constant() == from.constant() : known.slot() == from.slot())
        return static_cast<std::int32_t>(i);
    }
    LineSource s;
    s.from = from.is_constant() ? from : Operand::slot(from.slot(), false);
    Value value =
        from.is_constant() ? constants_[static_cast<std::size_t>(from.constant())] : frame_[from.slot()];
    if (const auto* v = std::get_if<Vector>(&value)) {
      s.storage = v->storage();
      if (plain(value) && v->is_scalar()) value = tag(*v);
    }
    sources_.push_back(s);
    values_.push_back(std::move(value));
    return static_cast<std::int32_t>(sources_.size() - 1);
  }

  // What an operand is; taken away from its slot if it dies.
  Slot read(Operand from) {
    if (from.is_constant()) {
      if (inputs_[static_cast<std::size_t>(from.constant())]) return {Slot::Kind::kSource, source(from), {}};
      return {Slot::Kind::kConstant, from.constant(), {}};
    }
    Slot& slot = slots_[static_cast<std::size_t>(from.slot())];
    if (slot.kind == Slot::Kind::kBefore) slot = {Slot::Kind::kSource, source(from), {}};
    if (!from.dies()) return slot;
    return std::exchange(slot, {Slot::Kind::kNothing, 0, {}});
  }

  void write(std::int32_t slot, Slot what) {
    if (slot >= 0) slots_[static_cast<std::size_t>(slot)] = std::move(what);
  }

  [[nodiscard]] bool take(const Step& step, Recorder& recorder) {
    const std::int32_t* to = f_.result_slots.data() + step.first_result;
    if (step.kind == StepKind::kDrop) {
      for (std::uint32_t i = 0; i < step.results; ++i) write(to[i], {Slot::Kind::kNothing, 0, {}});
      return true;
    }
    std::vector<Slot> read_now;
    for (std::uint32_t i = 0; i < step.operands; ++i)
      read_now.push_back(read(f_.operands[step.first_operand + i]));
    if (step.kind == StepKind::kJump) {
      for (std::uint32_t i = 0; i < step.operands; ++i) write(to[i], std::move(read_now[i]));
      return true;
    }
    const std::int32_t repetition = repetition_of(step, read_now);
    std::vector<Value> operands;
    for (Slot& slot : read_now) {
      if (!give(slot, operands.emplace_back())) return false;
      slot = {};
    }
    std::vector<Value> results(step.results);
    if (!recorder.offer(*step.inst, step.site, operands, results)) return false;
    for (std::uint32_t i = 0; i < step.results; ++i)
      write(to[i], {Slot::Kind::kMade, repetition, std::move(results[i])});
    return true;
  }

  // Of a DIST that repeats one value: its number, or -1.
  [[nodiscard]] std::int32_t repetition_of(const Step& step, const std::vector<Slot>& operands) {
    if (!step.repeats) return -1;
    LineVariant::Repeated made{{}, step.word};
    for (std::size_t i = 0; i < made.operands.size(); ++i) {
      const Slot& slot = operands[i];
      if (slot.kind != Slot::Kind::kSource && slot.kind != Slot::Kind::kConstant) return -1;
      made.operands[i] = {slot.kind == Slot::Kind::kConstant, slot.number};
    }
    const auto [constant, number] = made.operands[0];
    const auto at = static_cast<std::size_t>(number);
    const auto* one = std::get_if<Vector>(constant ? &constants_[at] : &values_[at]);
    if (one == nullptr || !one->is_scalar()) return -1;
    repeated_.push_back(made);
    return static_cast<std::int32_t>(repeated_.size() - 1);
  }

  // The value of an operand; false if no code can be compiled for it.
  [[nodiscard]] bool give(Slot& slot, Value& value) {
    switch (slot.kind) {
      case Slot::Kind::kSource: {
        const auto i = static_cast<std::size_t>(slot.number);
        sources_[i].read = true;
        value = values_[i];
        return plain(value);
      }
      case Slot::Kind::kConstant: value = constants_[static_cast<std::size_t>(slot.number)]; return true;
      case Slot::Kind::kMade: value = std::move(slot.made); return true;
      default: return false;
    }
  }

  // Which variables the sources are; the others are constants. False if one has gone that is read.
  [[nodiscard]] bool name_sources(LineVariant& variant) {
    RecordedRegion& region = variant.pattern;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      LineSource& s = sources_[i];
      if (!s.read) continue;
      bool named = false;
      for (std::size_t v = 0; v < region.inputs.size(); ++v) {
        if (!same(values_[i], region.inputs[v])) continue;
        const soac::Var& var = region.region.vars[v];
        s.is_desc = var.is_desc;
        s.form = var.form;
        s.length = var.length;
        s.total = var.is_desc ? var.total : kNone;
        named = true;
      }
      if (!named) return false;
      for (std::size_t k = 0; k < i && s.same_as < 0; ++k)
        if (sources_[k].read && same(values_[i], values_[k])) s.same_as = static_cast<std::int32_t>(k);
    }
    for (std::size_t i = 0; i < sources_.size(); ++i) bind(variant, i);
    variant.sources = sources_;
    variant.repeated = repeated_;
    return keep_lengths(region);
  }

  // Of the lengths, those of what stays as it is in every run, and of one. False if there is one that nothing
  // which a run reads will tell.
  [[nodiscard]] bool keep_lengths(RecordedRegion& region) const {
    const std::vector<std::int64_t> traced = region.lengths;
    std::vector<bool> told(traced.size(), false);
    std::fill(region.lengths.begin(), region.lengths.end(), -1);
    const auto keep = [&](soac::LengthId n) {
      if (n != kNone) region.lengths[static_cast<std::size_t>(n)] = traced[static_cast<std::size_t>(n)];
    };
    keep(0);
    for (std::size_t v = 0; v < region.inputs.size(); ++v) {
      if (std::holds_alternative<std::monostate>(region.inputs[v])) continue;
      keep(region.region.vars[v].length);
      if (region.region.vars[v].is_desc) keep(region.region.vars[v].total);
    }
    for (const LineSource& s : sources_)
      for (const soac::LengthId n : {s.length, s.total})
        if (s.read && n != kNone) told[static_cast<std::size_t>(n)] = true;
    for (std::size_t n = 0; n < traced.size(); ++n)
      if (region.region.lengths[n] == soac::LengthKind::kBound && region.lengths[n] < 0 && !told[n])
        return false;
    return true;
  }

  void bind(LineVariant& variant, std::size_t source) {
    if (!sources_[source].read) return;
    std::vector<Value>& inputs = variant.pattern.inputs;
    for (std::size_t v = 0; v < inputs.size(); ++v) {
      if (!same(values_[source], inputs[v])) continue;
      variant.inputs.push_back({static_cast<VarId>(v), static_cast<std::int32_t>(source)});
      inputs[v] = {};
    }
  }

  void leave(LineVariant& variant) const {
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_[i];
      const auto at = static_cast<std::int32_t>(i);
      switch (slot.kind) {
        case Slot::Kind::kBefore: break;
        case Slot::Kind::kNothing: variant.puts.push_back({at, LinePut::Kind::kNothing, 0}); break;
        case Slot::Kind::kConstant:
          variant.puts.push_back({at, LinePut::Kind::kConstant, slot.number});
          break;
        case Slot::Kind::kRepeated:
          variant.puts.push_back({at, LinePut::Kind::kRepeated, slot.number});
          break;
        case Slot::Kind::kMade: variant.puts.push_back({at, LinePut::Kind::kMade, name_of(slot.made)}); break;
        case Slot::Kind::kSource: {
          const Operand from = sources_[static_cast<std::size_t>(slot.number)].from;
          if (from.is_constant() || from.slot() != at)
            variant.puts.push_back({at, LinePut::Kind::kSource, slot.number});
        }
      }
    }
  }
  static std::int32_t name_of(const Value& made) {
    const auto& promise = std::get<std::shared_ptr<Deferred>>(made);
    return static_cast<std::int32_t>(std::get<Vector>(promise->value()).scalar_int());
  }

  const CodeFunction& f_;
  const Line& line_;
  const Value* frame_;
  std::span<const Value> constants_;
  const std::vector<bool>& inputs_;
  Capture capture_;
  std::vector<Slot> slots_;
  std::vector<LineSource> sources_;
  std::vector<Value> values_;  // of the sources, as they are traced
  std::vector<LineVariant::Repeated> repeated_;
  std::int64_t tag_ = 1'000'003;
};

}  // namespace

std::unique_ptr<LineVariant> trace_line(const CodeFunction& function, const Line& line, const Value* frame,
                                        std::span<const Value> constants, const std::vector<bool>& inputs,
                                        IntBits bits) {
  return Tracer(function, line, frame, constants, inputs).run(bits);
}

}  // namespace nvm::vm
