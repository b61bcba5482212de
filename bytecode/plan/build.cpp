// Schedule to plan: composes each kernel's body and turns its nodes into sinks.
//
// Requires: a schedule of this graph. Ensures: check(). Cost: linear in the bodies.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "bytecode/base/check.h"
#include "bytecode/plan/affine.h"
#include "bytecode/plan/placer.h"
#include "bytecode/table/identities.h"

namespace nvm::plan {

using soac::Combinator;
using soac::Graph;
using soac::Node;
using soac::Pull;

namespace {

class PlanBuilder {
 public:
  PlanBuilder(const Graph& graph, const Schedule& schedule, std::vector<RuleEvent>* events)
      : graph_(graph), schedule_(schedule), events_(events) {
    plan_.int_bits = graph.int_bits;
    plan_.lengths = graph.lengths;
    plan_.vars = graph.vars;
  }

  Plan run() {
    find_needed_counts();
    for (std::size_t k = 0; k < schedule_.spaces.size(); ++k) kernel(static_cast<std::int32_t>(k));
    return std::move(plan_);
  }

 private:
  [[nodiscard]] const Node& node(std::int32_t n) const { return graph_.nodes[static_cast<std::size_t>(n)]; }
  [[nodiscard]] bool stored(std::int32_t n) const { return schedule_.stored[static_cast<std::size_t>(n)]; }

  // Lengths that must be counted although no compacting store of their kernel asks for it: of outputs, of
  // spaces.
  void find_needed_counts() {
    const auto need = [&](LengthId n) {
      if (n != kNone && graph_.counted_by[static_cast<std::size_t>(n)] >= 0) counted_.insert(n);
    };
    for (const LengthId space : schedule_.spaces) need(space);
    for (std::size_t i = 0; i < graph_.vars.size(); ++i) {
      const Var& v = graph_.vars[i];
      if (v.role != VarRole::kOutput) continue;
      need(v.length);
      need(v.total);
    }
    for (const Node& n : graph_.nodes) {
      for (const soac::BodyInst& in : n.body.insts)
        for (const VarId d : {in.desc, in.desc2})
          if (d != kNone) need(graph_.vars[static_cast<std::size_t>(d)].total);
      if (n.desc != kNone) need(graph_.vars[static_cast<std::size_t>(n.desc)].total);
    }
  }

  void kernel(std::int32_t k) {
    kernel_ = Kernel{};
    kernel_.space = schedule_.spaces[static_cast<std::size_t>(k)];
    scan_sink_.clear();
    count_sink_.clear();
    Composer composer(graph_, schedule_, k, kernel_.space, kernel_.body);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const auto n = static_cast<std::int32_t>(i);
      if (schedule_.kernel[i] != k) continue;
      composer.record(events_, n);
      Refusal refusal = Refusal::kNone;
      const auto values = compose(graph_, composer, n, refusal);
      NVM_CHECK(values.has_value(), refusal_text(refusal));
      emit(composer, n, *values);
      kernel_.origin.push_back(node(n).inst);
    }
    for (soac::BodyInst& in : kernel_.body.insts)
      if (in.pull == Pull::kScanned) in.a = scan_sink_.at(in.a);
    plan_.kernels.push_back(std::move(kernel_));
  }

  Sink sink_of(const Node& n, std::int32_t value, SinkKind kind) const {
    Sink s;
    s.kind = kind;
    s.value = value;
    s.type = n.type;
    s.combine = n.combine;
    return s;
  }

  void emit(Composer& composer, std::int32_t id, const NodeValues& v) {
    const Node& n = node(id);
    const bool asks = v.predicate != kNone && !masked(n) && n.kind != Combinator::kCheck;
    const std::int32_t filter = asks ? count(composer, n.space, v.predicate) : kNone;
    switch (n.kind) {
      case Combinator::kMap:
      case Combinator::kOnce: store(composer, n, v.value, filter); break;
      case Combinator::kReduce:
      case Combinator::kSegReduce: fold(composer, n, v.value, filter); break;
      case Combinator::kScan:
      case Combinator::kSegScan: scan(composer, id, v); break;
      case Combinator::kFilter:
      case Combinator::kSegFilter: filtered(composer, id, v); break;
      case Combinator::kPermute:
      case Combinator::kSegPermute: scatter(n, v, filter); break;
      case Combinator::kPartition:
      case Combinator::kSegPartition: partition(composer, id, v); break;
      case Combinator::kRank:
      case Combinator::kSegRank:
      case Combinator::kRandom:
      case Combinator::kSegdes: primitive(n, v.value); break;
      case Combinator::kCheck: break;  // the body has it
    }
  }
  // Folds whose value is the identity at the elements that a filter drops.
  static bool masked(const Node& n) { return n.combine != Scalar::kNoScalar && any_order(n.type); }

  void store(Composer& composer, const Node& n, std::int32_t value, std::int32_t filter) {
    if (plan_.vars[static_cast<std::size_t>(n.out)].guessed)
      composer.check_narrow(filter == kNone ? kNone : kernel_.sinks[static_cast<std::size_t>(filter)].value,
                            value);
    Sink s = sink_of(n, value, SinkKind::kStore);
    s.combine = Scalar::kNoScalar;
    s.filter = filter;
    s.out = n.out;
    kernel_.sinks.push_back(s);
  }

  void fold(Composer& composer, const Node& n, std::int32_t value, std::int32_t filter) {
    const bool segmented = n.desc != kNone;
    Sink s = sink_of(n, value, segmented ? SinkKind::kSegReduce : SinkKind::kReduce);
    if (segmented) s.desc = *composer.segments(n.desc);
    s.filter = filter;
    s.out = n.out;
    kernel_.sinks.push_back(s);
  }

  void scan(Composer& composer, std::int32_t id, const NodeValues& v) {
    const Node& n = node(id);
    Sink s = sink_of(n, v.value, n.desc != kNone ? SinkKind::kSegScan : SinkKind::kScan);
    if (n.desc != kNone) s.desc = *composer.segments(n.desc);
    scan_sink_[id] = static_cast<std::int32_t>(kernel_.sinks.size());
    kernel_.sinks.push_back(s);
    if (!stored(id)) return;
    soac::BodyInst in;
    in.pull = Pull::kScanned;
    in.type = n.type;
    in.a = id;
    const std::int32_t filter = v.predicate == kNone ? kNone : count(composer, n.space, v.predicate);
    store(composer, n, kernel_.body.add(in), filter);
  }

  void filtered(Composer& composer, std::int32_t id, const NodeValues& v) {
    const Node& n = node(id);
    const bool wanted = stored(id) || counted_.contains(n.out_length);
    if (!wanted) return;
    std::int32_t flag = v.flag;
    if (v.predicate != kNone) {
      soac::BodyInst both;
      both.pull = Pull::kApply;
      both.type = Type::kBool;
      both.scalar = Scalar::kAnd;
      both.a = v.flag;
      both.b = v.predicate;
      flag = kernel_.body.add(both);
    }
    const std::int32_t sink = count(composer, n.out_length, flag);
    if (stored(id)) store(composer, n, v.value, sink);
  }

  void scatter(const Node& n, const NodeValues& v, std::int32_t filter) {
    Sink s = sink_of(n, v.value, SinkKind::kScatter);
    s.out = n.out;
    s.index = v.index;
    s.flag = v.flag;
    s.init = n.init;
    s.distinct = n.distinct || places_differ(kernel_.body, v.index);
    s.filter = filter;
    kernel_.sinks.push_back(s);
  }

  void partition(Composer& composer, std::int32_t id, const NodeValues& v) {
    const Node& n = node(id);
    if (plan_.vars[static_cast<std::size_t>(n.out)].guessed) composer.check_narrow(kNone, v.value);
    Sink count;
    count.kind = SinkKind::kCount;
    count.value = v.flag;
    count.type = Type::kBool;
    kernel_.sinks.push_back(count);
    Sink s = sink_of(n, v.value, SinkKind::kPartition);
    s.out = n.out;
    if (n.desc != kNone) s.desc = *composer.segments(n.desc);
    s.init = n.init;
    s.filter = static_cast<std::int32_t>(kernel_.sinks.size()) - 1;
    kernel_.sinks.push_back(s);
    note(Rule::kPartition, id);
  }

  void primitive(const Node& n, std::int32_t value) {
    const SinkKind kind = ranks(n)                        ? SinkKind::kRank
                          : n.kind == Combinator::kRandom ? SinkKind::kRandom
                                                          : SinkKind::kSegdes;
    Sink s = sink_of(n, value, kind);
    s.desc = n.desc;
    s.down = n.down;
    s.out = n.out;
    s.out_desc = n.out_desc;
    s.out_length = n.out_length;
    kernel_.sinks.push_back(s);
  }

  // The sink that counts the elements of the kept space `length`, whose membership is `flag`.
  std::int32_t count(Composer& composer, LengthId length, std::int32_t flag) {
    const auto known = count_sink_.find(length);
    if (known != count_sink_.end()) {
      note(Rule::kFilterCount, filter_of(graph_, length));
      return known->second;
    }
    const Node& f = node(filter_of(graph_, length));
    Sink s;
    s.kind = SinkKind::kCount;
    s.value = flag;
    s.type = Type::kBool;
    s.out_length = length;
    if (f.desc != kNone) {
      s.desc = *composer.segments(f.desc);
      s.out_desc = f.out_desc;
    }
    const auto at = static_cast<std::int32_t>(kernel_.sinks.size());
    kernel_.sinks.push_back(s);
    count_sink_[length] = at;
    return at;
  }

  void note(Rule rule, std::int32_t n) const {
    if (events_ == nullptr) return;
    RuleEvent e;
    e.rule = rule;
    e.from = n;
    e.to = n;
    if (std::find(events_->begin(), events_->end(), e) == events_->end()) events_->push_back(e);
  }

  const Graph& graph_;
  const Schedule& schedule_;
  std::vector<RuleEvent>* events_;
  Plan plan_;
  Kernel kernel_;
  std::set<LengthId> counted_;
  std::unordered_map<std::int32_t, std::int32_t> scan_sink_;  // node to sink
  std::unordered_map<LengthId, std::int32_t> count_sink_;     // kept space to sink
};

// Nodes over one space that share a kernel although neither reads the other.
void note_horizontal(const Schedule& schedule, std::vector<RuleEvent>& events) {
  std::set<std::pair<std::int32_t, std::int32_t>> vertical;
  for (const RuleEvent& e : events)
    if (e.fired) vertical.emplace(e.from, e.to);
  for (std::size_t j = 0; j < schedule.kernel.size(); ++j) {
    for (std::size_t i = 0; i < j; ++i) {
      if (schedule.kernel[i] == kNone || schedule.kernel[i] != schedule.kernel[j]) continue;
      const auto from = static_cast<std::int32_t>(i);
      const auto to = static_cast<std::int32_t>(j);
      if (!vertical.contains({from, to}))
        events.push_back({true, Rule::kHorizontal, Refusal::kNone, from, to});
    }
  }
}

// The anchored nodes that node n reads, directly or through MAPs computed in place.
std::set<std::int32_t> anchors_read(const Graph& graph, const Schedule& schedule, std::int32_t n) {
  std::set<std::int32_t> anchors;
  std::vector<bool> seen(graph.nodes.size());  // there may be exponentially many ways to a node
  std::vector<std::int32_t> open{n};
  while (!open.empty()) {
    const Node& node = graph.nodes[static_cast<std::size_t>(open.back())];
    open.pop_back();
    for (const soac::BodyInst& in : node.body.insts) {
      const std::int32_t p = in.var == kNone ? -1 : graph.producer[static_cast<std::size_t>(in.var)];
      if (p < 0 || seen[static_cast<std::size_t>(p)]) continue;
      seen[static_cast<std::size_t>(p)] = true;
      if (schedule.kernel[static_cast<std::size_t>(p)] == kNone)
        open.push_back(p);
      else
        anchors.insert(p);
    }
  }
  return anchors;
}

// Why a consumer did not join the kernel of what it reads.
void note_refusals(const Graph& graph, const Schedule& schedule, std::vector<RuleEvent>& events) {
  for (std::size_t j = 0; j < graph.nodes.size(); ++j) {
    const auto n = static_cast<std::int32_t>(j);
    if (schedule.kernel[j] == kNone) continue;
    for (const std::int32_t p : anchors_read(graph, schedule, n)) {
      const std::int32_t k = schedule.kernel[static_cast<std::size_t>(p)];
      if (k == schedule.kernel[j]) continue;
      Schedule trial = schedule;
      trial.kernel[j] = kNone;
      Body scratch;
      Composer composer(graph, trial, k, schedule.spaces[static_cast<std::size_t>(k)], scratch);
      Refusal refusal = Refusal::kNone;
      if (!compose(graph, composer, n, refusal)) events.push_back({false, Rule::kMapMap, refusal, p, n});
    }
  }
}

}  // namespace

Plan build(const Graph& graph, const Schedule& schedule, std::vector<RuleEvent>* events) {
  Plan plan = PlanBuilder(graph, schedule, events).run();
  if (events != nullptr) {
    note_horizontal(schedule, *events);
    note_refusals(graph, schedule, *events);
  }
  return plan;
}

}  // namespace nvm::plan
