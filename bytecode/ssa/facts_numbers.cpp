// The ranges of numbers: as sizes, from callers to callees and back. They change more often than sizes and
// decide nothing about them, so they are found behind them, and only for who asks.
#include <algorithm>

#include "bytecode/ssa/facts.h"
#include "bytecode/ssa/forward.h"

namespace nvm::ssa {

namespace {

using ManyNumbers = std::vector<Numbers>;

class NumberAnalysis final : public ForwardAnalysis {
 public:
  NumberAnalysis(const Module& m, std::vector<FunctionFacts>& facts)
      : ForwardAnalysis(m), facts_(facts), parameters_(m.functions.size()), results_(m.functions.size()) {}

  [[nodiscard]] int bits() const { return static_cast<int>(m_.int_bits); }
  [[nodiscard]] const ManyNumbers& parameters(FunctionId f) const { return *parameters_[index(f)]; }
  [[nodiscard]] const ManyNumbers* results(FunctionId f) const {
    const std::optional<Results>& known = results_[index(f)];
    return known && known->parameters == parameters(f) ? &known->results : nullptr;
  }

  void tell(FunctionId callee, ManyNumbers given) {
    std::optional<ManyNumbers>& known = parameters_[index(callee)];
    const bool seen = looks(callee) > 0;
    if (measures(m_.functions[index(callee)])) {
      if (!known) assume_nothing(callee);
      if (!seen) enqueue(callee);
      return;
    }
    if (known) widen(*known, given);
    if (known && *known == given && seen) return;
    known = std::move(given);
    enqueue(callee);
  }

  // With these parameters.
  void publish_results(FunctionId f, ManyNumbers parameters, ManyNumbers now) {
    std::optional<Results>& known = results_[index(f)];
    if (known) widen(known->results, now);
    if (looks(f) > 2 * kMaxLooks)
      for (std::size_t i = 0; i < now.size(); ++i)
        now[i] = all_numbers(m_.functions[index(f)].results[i], bits());
    Results both{std::move(parameters), std::move(now)};
    if (known && *known == both) return;
    known = std::move(both);
    publish(f);
  }

 private:
  struct Results {
    ManyNumbers parameters, results;
    friend bool operator==(const Results&, const Results&) = default;
  };

  void widen(const ManyNumbers& before, ManyNumbers& more) const {
    for (std::size_t i = 0; i < more.size(); ++i) more[i] = widened(before[i], more[i], bits());
  }

  std::unique_ptr<ForwardBody> look_at(FunctionId f) override;
  void enter_program() override { assume_nothing(m_.entry); }
  void assume_nothing(FunctionId f) override {
    const Function& function = m_.functions[index(f)];
    ManyNumbers& all = parameters_[index(f)].emplace();
    for (const ValueId v : function.blocks[0].parameters)
      all.push_back(all_numbers(function.value_types[static_cast<std::size_t>(v)], bits()));
  }

  std::vector<FunctionFacts>& facts_;
  std::vector<std::optional<ManyNumbers>> parameters_;
  std::vector<std::optional<Results>> results_;
};

class NumbersOf final : public ForwardBody {
 public:
  NumbersOf(NumberAnalysis& all, const Module& m, FunctionId id, const FunctionShape& shape,
            ManyNumbers& numbers)
      : ForwardBody(id, m.functions[static_cast<std::size_t>(id)], shape), all_(all), m_(m), of_(numbers) {
    of_.assign(f_.value_types.size(), Numbers{});
  }

 private:
  [[nodiscard]] Numbers& of(ValueId v) { return of_[static_cast<std::size_t>(v)]; }
  [[nodiscard]] Type type(ValueId v) const { return f_.value_types[static_cast<std::size_t>(v)]; }

  void unknown(ValueId v) override { of(v) = all_numbers(type(v), all_.bits()); }

  void enter() override {
    bound_ = all_.parameters(id_);
    for (std::size_t i = 0; i < bound_.size(); ++i) of(f_.blocks[0].parameters[i]) = bound_[i];
  }

  void join(std::size_t b, const std::vector<BlockId>& ways) override {
    const std::vector<ValueId>& parameters = f_.blocks[b].parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) of(parameters[i]) = met(ways, i);
  }

  // What the ends of these blocks give as argument `i`.
  template <typename Blocks>
  [[nodiscard]] Numbers met(const Blocks& blocks, std::size_t i) {
    const auto given = [&](auto b) { return of(f_.blocks[static_cast<std::size_t>(b)].end.arguments[i]); };
    Numbers all = given(blocks[0]);
    for (const auto b : blocks) all = hull(all, given(b));
    return all;
  }

  void inst(const Inst& in) override {
    for (std::uint32_t r = 1; r < in.results; ++r) unknown(in.first_result + static_cast<ValueId>(r));
    if (in.results == 0) return;
    if (in.op == Op::kConst) return constant(in);
    if (op_info(in.op).kind == OpKind::kBlock) return unknown(in.first_result);
    operands_.clear();
    for (std::uint32_t i = 0; i < in.operands; ++i) operands_.push_back(of(f_.operands_of(in)[i]));
    of(in.first_result) = result_numbers(in.op, in.word, all_.bits(), operands_);
  }

  void constant(const Inst& in) {
    const Constant& c = m_.constants[static_cast<std::size_t>(in.index)];
    if (c.input >= 0) return unknown(in.first_result);
    of(in.first_result) = constant_numbers(type(in.first_result), all_.bits(), c.ints);
  }

  bool tell(const Inst& call) override {
    if (all_.giving_up()) return false;
    ManyNumbers given;
    given.reserve(call.operands);
    for (std::uint32_t i = 0; i < call.operands; ++i) given.push_back(of(f_.operands_of(call)[i]));
    all_.tell(call.index, std::move(given));
    return all_.due(call.index);
  }

  bool take(const Inst& call) override {
    all_.reads(call.index);
    const ManyNumbers* known = all_.results(call.index);
    if (known == nullptr && !all_.giving_up()) return false;
    for (std::uint32_t r = 0; r < call.results; ++r) {
      const ValueId v = call.first_result + static_cast<ValueId>(r);
      if (known != nullptr)
        of(v) = (*known)[r];
      else
        unknown(v);
    }
    return true;
  }

  void leave() override {
    ManyNumbers out;
    for (std::size_t i = 0; i < f_.results.size(); ++i) out.push_back(met(returned_, i));
    all_.publish_results(id_, std::move(bound_), std::move(out));
  }

  NumberAnalysis& all_;
  const Module& m_;
  ManyNumbers& of_;
  ManyNumbers bound_;     // taken for granted about the parameters
  ManyNumbers operands_;  // of the instruction that is looked at
};

std::unique_ptr<ForwardBody> NumberAnalysis::look_at(FunctionId f) {
  return std::make_unique<NumbersOf>(*this, m_, f, shape(f), facts_[index(f)].numbers);
}

}  // namespace

std::vector<FunctionFacts> analyse_facts(const Module& module) {
  std::vector<FunctionFacts> facts = analyse_sizes(module);
  NumberAnalysis(module, facts).run();
  return facts;
}

}  // namespace nvm::ssa
