// Why composing terminates: every step goes to a producer, which stands earlier in the graph. Why it
// preserves results bit for bit: a body value is the same scalar expression over the same elements, and a
// combination over kept elements either is exact in any order, and sees identities in place of the others
// (source: lambda-cu, FILTER-REDUCE), or has a sink that passes over the others, or is refused.
#include "bytecode/plan/composer.h"

#include <algorithm>

#include "bytecode/base/check.h"
#include "bytecode/plan/recompute.h"
#include "bytecode/table/identities.h"

namespace nvm::plan {

using soac::BodyInst;
using soac::Combinator;
using soac::Graph;
using soac::Node;
using soac::Pull;

namespace {

constexpr std::size_t kGatherableInsts = 12;

const Node& node_at(const Graph& graph, std::int32_t n) {
  return graph.nodes.at(static_cast<std::size_t>(n));
}
std::int32_t producer_of(const Graph& graph, VarId x) {
  return graph.producer.at(static_cast<std::size_t>(x));
}
bool is_scan(const Node& n) { return n.kind == Combinator::kScan || n.kind == Combinator::kSegScan; }

Rule scan_rule(const Node& consumer) {
  if (is_scan(consumer)) return Rule::kScanScan;
  return permutes(consumer) || partitions(consumer) ? Rule::kScanPermute : Rule::kScanMap;
}

bool may_trap(const Node& node, const BodyInst& in) {
  if (in.pull == Pull::kSegGather || in.pull == Pull::kSegPlace) return true;
  return in.pull == Pull::kApply &&
         scalar_traps(in.scalar, node.body.insts[static_cast<std::size_t>(in.a)].type);
}

Rule map_rule(const Node& consumer) {
  switch (consumer.kind) {
    case Combinator::kReduce:
    case Combinator::kSegReduce: return Rule::kMapReduce;
    case Combinator::kScan:
    case Combinator::kSegScan: return Rule::kMapScan;
    case Combinator::kFilter:
    case Combinator::kSegFilter: return Rule::kMapFilter;
    case Combinator::kPermute:
    case Combinator::kPartition:
    case Combinator::kSegPermute:
    case Combinator::kSegPartition: return Rule::kMapPermute;
    default: return Rule::kMapMap;
  }
}

}  // namespace

std::int32_t finder_of(const Graph& graph, LengthId length) {
  return graph.counted_by.at(static_cast<std::size_t>(length));
}

std::int32_t filter_of(const Graph& graph, LengthId space) {
  const std::int32_t by = finder_of(graph, space);
  return by >= 0 && filters(node_at(graph, by)) ? by : kNone;
}

bool gatherable(const Graph& graph, std::int32_t n) {
  const Node& node = node_at(graph, n);
  if (node.kind != Combinator::kMap || node.body.insts.size() > kGatherableInsts) return false;
  // Without an element pull nothing would check that the index lies within the vector. What may fail is
  // computed for all elements, so that errors do not depend on which of them are wanted.
  const auto pulls_element = [](const BodyInst& in) { return in.pull == Pull::kElement; };
  if (std::none_of(node.body.insts.begin(), node.body.insts.end(), pulls_element)) return false;
  return std::all_of(node.body.insts.begin(), node.body.insts.end(), [](const BodyInst& in) {
    if (in.pull == Pull::kApply) return !scalar_info(in.scalar).traps;
    return in.pull == Pull::kConst || in.pull == Pull::kUniform || in.pull == Pull::kElement ||
           in.pull == Pull::kIndex;
  });
}

std::vector<bool> must_store(const Graph& graph) {
  std::vector<bool> stored(graph.nodes.size(), false);
  const auto store = [&](VarId x) {
    if (x != kNone && producer_of(graph, x) >= 0)
      stored[static_cast<std::size_t>(producer_of(graph, x))] = true;
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    if (n.out != kNone && graph.vars[static_cast<std::size_t>(n.out)].role == VarRole::kOutput)
      stored[i] = true;
    if (n.kind == Combinator::kReduce || n.kind == Combinator::kSegReduce || permutes(n) || partitions(n))
      stored[i] = true;
    store(n.init);
    for (const BodyInst& in : n.body.insts) {
      if (by_primitive(n)) store(in.var);
      const bool gathers = in.pull == Pull::kGather || in.pull == Pull::kSegGather;
      const std::int32_t from = in.var == kNone ? -1 : producer_of(graph, in.var);
      if (from < 0) continue;
      if (gathers && (in.pull == Pull::kSegGather || in.b != kNone || !gatherable(graph, from)))
        store(in.var);
      if (in.pull == Pull::kPerSegment) store(in.var);
      const bool scalar_space = graph.lengths[static_cast<std::size_t>(n.space)] == soac::LengthKind::kOne;
      const bool scalar_work = scalar_space && node_at(graph, from).kind == Combinator::kOnce;
      if (in.pull == Pull::kUniform && !scalar_work) store(in.var);
    }
  }
  // A gatherable MAP computes its own elements at any index, so what it pulls must be in memory.
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    for (const BodyInst& use : graph.nodes[i].body.insts) {
      if (use.pull != Pull::kGather || use.var == kNone) continue;
      const std::int32_t from = producer_of(graph, use.var);
      if (from < 0 || stored[static_cast<std::size_t>(from)]) continue;
      for (const BodyInst& in : node_at(graph, from).body.insts)
        if (in.pull == Pull::kElement && producer_of(graph, in.var) >= 0)
          stored[static_cast<std::size_t>(from)] = true;
    }
  }
  store_costly(graph, stored);
  return stored;
}

void Composer::fired(Rule rule, std::int32_t from) {
  if (events_ == nullptr) return;
  RuleEvent e;
  e.rule = rule;
  e.from = from;
  e.to = consumer_;
  if (std::find(events_->begin(), events_->end(), e) == events_->end()) events_->push_back(e);
}

std::int32_t Composer::pull(Pull kind, VarId x) {
  BodyInst in;
  in.pull = kind;
  in.type = x == kNone ? Type::kInt : graph_.vars[static_cast<std::size_t>(x)].type;
  in.var = x;
  return body_.add(in);
}

std::int32_t Composer::apply(Scalar s, Type type, std::int32_t a, std::int32_t b, std::int32_t c) {
  return body_.apply(s, type, a, b, c);
}

bool Composer::runs_before(std::int32_t k) {
  if (k == kNone || k == kernel_) return false;
  if (order_ != nullptr ? order_->behind(k, kernel_) : k > kernel_) return false;
  reads_.push_back(k);
  return true;
}

bool Composer::made_before(VarId x) {
  const std::int32_t from = producer_of(graph_, x);
  return from < 0 || runs_before(schedule_.kernel[static_cast<std::size_t>(from)]);
}

bool Composer::counted_before(LengthId length) {
  const std::int32_t by = finder_of(graph_, length);
  return by < 0 || runs_before(schedule_.kernel[static_cast<std::size_t>(by)]);
}

bool Composer::keeps_apart(std::int32_t n) const {
  const bool alone = by_primitive(node_at(graph_, n));
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (schedule_.kernel[i] != kernel_ || static_cast<std::int32_t>(i) == n) continue;
    if (alone || by_primitive(graph_.nodes[i])) return true;
  }
  return false;
}

std::optional<std::int32_t> Composer::value_of(std::int32_t n, std::int32_t v) {
  const Node& node = node_at(graph_, n);
  // Values of the node's body up to v, in this kernel's body; computed on demand from the root.
  std::vector<std::int32_t> done(node.body.insts.size(), kNone);
  std::vector<bool> wanted(node.body.insts.size(), false);
  wanted[static_cast<std::size_t>(v)] = true;
  for (std::size_t i = static_cast<std::size_t>(v) + 1; i-- > 0;) {
    if (!wanted[i]) continue;
    for (const std::int32_t arg : {node.body.insts[i].a, node.body.insts[i].b, node.body.insts[i].c})
      if (arg != kNone) wanted[static_cast<std::size_t>(arg)] = true;
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(v); ++i) {
    if (!wanted[i]) continue;
    const auto value = inst(node, node.body.insts[i], done);
    if (!value) return std::nullopt;
    done[i] = *value;
  }
  return done[static_cast<std::size_t>(v)];
}

std::optional<std::int32_t> Composer::result_of(std::int32_t n) {
  results_.resize(graph_.nodes.size(), kNone);
  if (const std::int32_t known = results_[static_cast<std::size_t>(n)]; known != kNone) return known;
  const auto value = value_of(n, node_at(graph_, n).value);
  if (value) results_[static_cast<std::size_t>(n)] = *value;
  return value;
}

std::optional<std::int32_t> Composer::inst(const Node& node, const BodyInst& in,
                                           const std::vector<std::int32_t>& done) {
  const auto arg = [&](std::int32_t a) { return a == kNone ? kNone : done[static_cast<std::size_t>(a)]; };
  const bool narrowed = node.space != base_;
  switch (in.pull) {
    case Pull::kElement: return element(in.var);
    case Pull::kUniform: return uniform(in.var);
    case Pull::kGather: {
      if (gathers_own(in.var, arg(in.a))) return own(in, arg(in.b));
      const auto flag = narrowed ? guarded(node.space, arg(in.b)) : arg(in.b);
      return flag ? gathered(in.var, arg(in.a), *flag) : std::nullopt;
    }
    case Pull::kIndex:
    case Pull::kWithin:
      if (narrowed) return refuse(Refusal::kFilterIndex);
      break;
    case Pull::kSegGather:
    case Pull::kSegPlace:  // the number of the iteration is that of a segment
      if (narrowed && in.desc == kNone) return refuse(Refusal::kFilterIndex);
      break;
    default: break;
  }
  BodyInst copy = in;
  copy.a = arg(in.a);
  copy.b = arg(in.b);
  copy.c = arg(in.c);
  if (narrowed && may_trap(node, in)) {
    const auto guard =
        in.pull == Pull::kApply ? kept_or_one(node.space, copy.b) : guarded(node.space, copy.b);
    if (!guard) return std::nullopt;
    copy.b = *guard;
  }
  if (in.var != kNone && !made_before(in.var)) return refuse(Refusal::kNeedsWhole);
  if (in.desc2 != kNone && !made_before(in.desc2)) return refuse(Refusal::kNeedsWhole);
  if (in.desc != kNone) {
    const auto over_base = segments(in.desc);
    if (!over_base) return std::nullopt;
    copy.desc = *over_base;
  }
  return body_.add(copy);
}

// True if body value `index` is the number of the iteration, and x has an element for each.
bool Composer::gathers_own(VarId x, std::int32_t index) const {
  return body_.insts[static_cast<std::size_t>(index)].pull == Pull::kIndex &&
         graph_.vars[static_cast<std::size_t>(x)].length == base_;
}

std::optional<std::int32_t> Composer::own(const BodyInst& in, std::int32_t flag) {
  const std::int32_t from = producer_of(graph_, in.var);
  const auto value = element(in.var);
  if (!value) return std::nullopt;
  fired(Rule::kOwnGather, from >= 0 ? from : consumer_);
  if (flag == kNone) return value;
  BodyInst zero;
  zero.type = in.type;
  return apply(Scalar::kSelect, in.type, flag, *value, body_.add(zero));
}

// `flag`, and only elements that the filters keep: what they drop may not trap.
std::optional<std::int32_t> Composer::guarded(LengthId space, std::int32_t flag) {
  const auto kept = predicate(space);
  if (!kept || flag == kNone || *kept == kNone) return kept && *kept == kNone ? flag : kept;
  return apply(Scalar::kAnd, Type::kBool, *kept, flag);
}

// Elements that the filters drop are divided by one.
std::optional<std::int32_t> Composer::kept_or_one(LengthId space, std::int32_t divisor) {
  const auto kept = predicate(space);
  if (!kept || *kept == kNone) return kept ? std::optional(divisor) : std::nullopt;
  BodyInst one;
  one.imm = 1;
  const std::int32_t v = body_.add(one);
  return apply(Scalar::kSelect, Type::kInt, *kept, divisor, v);
}

VarId Composer::base_desc(VarId desc) const {
  // Filters keep the number of segments, so an element lies in the same segment before and after.
  while (graph_.vars[static_cast<std::size_t>(desc)].total != base_) {
    const std::int32_t from = producer_of(graph_, desc);
    NVM_CHECK(from >= 0 && filters(node_at(graph_, from)), "a narrowed descriptor comes from a filter");
    desc = node_at(graph_, from).desc;
  }
  return desc;
}

std::optional<VarId> Composer::segments(VarId desc) {
  const VarId over_base = base_desc(desc);
  if (!made_before(over_base)) return refuse(Refusal::kNeedsWhole);
  return over_base;
}

std::optional<std::int32_t> Composer::load(VarId x) {
  if (graph_.vars[static_cast<std::size_t>(x)].length != base_) return refuse(Refusal::kOtherSpace);
  return pull(Pull::kElement, x);
}

std::optional<std::int32_t> Composer::element(VarId x) {
  const std::int32_t from = producer_of(graph_, x);
  if (from < 0) return load(x);
  const Node& p = node_at(graph_, from);
  const std::int32_t k = schedule_.kernel[static_cast<std::size_t>(from)];
  if (p.kind == Combinator::kMap && (k == kNone || k == kernel_)) {
    if (consumer_ != kNone) fired(map_rule(node_at(graph_, consumer_)), from);
    return result_of(from);
  }
  if (k != kernel_) return runs_before(k) ? load(x) : refuse(Refusal::kNeedsWhole);
  if (is_scan(p)) {
    fired(consumer_ == kNone ? Rule::kScanMap : scan_rule(node_at(graph_, consumer_)), from);
    BodyInst in;
    in.pull = Pull::kScanned;
    in.type = p.type;
    in.a = from;
    return body_.add(in);
  }
  if (filters(p)) {
    const Combinator kind = consumer_ == kNone ? Combinator::kMap : node_at(graph_, consumer_).kind;
    if (kind == Combinator::kReduce || kind == Combinator::kSegReduce)
      fired(Rule::kFilterReduce, from);
    else if (kind == Combinator::kScan || kind == Combinator::kSegScan)
      fired(Rule::kFilterScan, from);
    else if (kind == Combinator::kFilter || kind == Combinator::kSegFilter)
      fired(Rule::kFilterFilter, from);
    else
      fired(Rule::kFilterMap, from);
    return result_of(from);
  }
  return refuse(Refusal::kNeedsWhole);
}

std::optional<std::int32_t> Composer::uniform(VarId x) {
  const std::int32_t from = producer_of(graph_, x);
  if (from >= 0) {
    const Node& p = node_at(graph_, from);
    const std::int32_t k = schedule_.kernel[static_cast<std::size_t>(from)];
    const bool scalar_space = graph_.lengths[static_cast<std::size_t>(base_)] == LengthKind::kOne;
    if (p.kind == Combinator::kOnce && scalar_space && (k == kNone || k == kernel_)) {
      fired(Rule::kOnceOnce, from);
      return result_of(from);
    }
    if (!runs_before(k)) return refuse(Refusal::kNeedsWhole);
    if (scalar_space && p.kind == Combinator::kReduce) fired(Rule::kReduceOnce, from);
  }
  return pull(Pull::kUniform, x);
}

std::optional<std::int32_t> Composer::gathered(VarId x, std::int32_t index, std::int32_t flag) {
  const std::int32_t from = producer_of(graph_, x);
  const std::int32_t k = from < 0 ? kNone : schedule_.kernel[static_cast<std::size_t>(from)];
  if (from >= 0 && k == kNone) {
    fired(Rule::kMapGather, from);
    return map_at(from, index, flag);
  }
  if (!made_before(x)) return refuse(Refusal::kGatherSource);
  BodyInst in;
  in.pull = Pull::kGather;
  in.type = graph_.vars[static_cast<std::size_t>(x)].type;
  in.a = index;
  in.b = flag;
  in.var = x;
  return body_.add(in);
}

std::optional<std::int32_t> Composer::map_at(std::int32_t n, std::int32_t index, std::int32_t flag) {
  const Node& node = node_at(graph_, n);
  std::vector<std::int32_t> done(node.body.insts.size(), kNone);
  for (std::size_t i = 0; i < node.body.insts.size(); ++i) {
    const BodyInst& in = node.body.insts[i];
    const auto arg = [&](std::int32_t a) { return a == kNone ? kNone : done[static_cast<std::size_t>(a)]; };
    std::optional<std::int32_t> value;
    switch (in.pull) {
      case Pull::kElement: value = gathered(in.var, index, flag); break;
      case Pull::kUniform: value = uniform(in.var); break;
      case Pull::kIndex: value = index; break;
      case Pull::kConst: value = body_.add(in); break;
      default: value = apply(in.scalar, in.type, arg(in.a), arg(in.b), arg(in.c));
    }
    if (!value) return std::nullopt;
    done[i] = *value;
  }
  return done[static_cast<std::size_t>(node.value)];
}

std::optional<std::int32_t> Composer::predicate(LengthId space) {
  std::int32_t all = kNone;
  while (space != base_) {
    const std::int32_t f = filter_of(graph_, space);
    if (f < 0) return refuse(Refusal::kOtherSpace);
    if (schedule_.kernel[static_cast<std::size_t>(f)] != kernel_) return refuse(Refusal::kFilterElsewhere);
    const auto flag = value_of(f, node_at(graph_, f).flag);
    if (!flag) return std::nullopt;
    all = all == kNone ? *flag : apply(Scalar::kAnd, Type::kBool, *flag, all);
    space = node_at(graph_, f).space;
  }
  return all;
}

std::int32_t Composer::or_identity(const Node& node, std::int32_t flag, std::int32_t value) {
  NVM_CHECK(any_order(node.type), "an identity moves what follows to another place of the fold");
  BodyInst in;
  in.pull = Pull::kConst;
  in.type = node.type;
  in.imm =
      node.type == Type::kInt ? int_identity(node.combine, graph_.int_bits) : bool_identity(node.combine);
  return apply(Scalar::kSelect, node.type, flag, value, body_.add(in));
}

void Composer::check(std::int32_t predicate, std::int32_t flag) {
  BodyInst in;
  in.pull = Pull::kCheck;
  in.type = Type::kBool;
  in.a = predicate == kNone ? flag : apply(Scalar::kAnd, Type::kBool, predicate, flag);
  body_.add(in);
}

void Composer::check_narrow(std::int32_t predicate, std::int32_t value) {
  const auto constant = [&](std::int64_t x) {
    BodyInst in;
    in.imm = x;
    return body_.add(in);
  };
  constexpr std::int64_t kBias = std::int64_t{1} << 31;
  const std::int32_t biased = apply(Scalar::kAdd, Type::kInt, value, constant(kBias));
  const std::int32_t high = apply(Scalar::kAnd, Type::kInt, biased, constant(-2 * kBias));
  check(predicate, apply(Scalar::kNe, Type::kBool, high, constant(0)));
}

std::int32_t Composer::sweep_of(std::int32_t v) {
  if (v == kNone) return 0;
  const auto at = static_cast<std::size_t>(v);
  if (at < sweeps_.size() && sweeps_[at] != kNone) return sweeps_[at];
  const BodyInst in = body_.insts[at];
  std::int32_t found = 0;
  if (in.pull == Pull::kScanned) {
    const Node& scan = node_at(graph_, in.a);
    found = 1 + std::max(sweep_of(*value_of(in.a, scan.value)), sweep_of(*predicate(scan.space)));
  } else {
    found = std::max({sweep_of(in.a), sweep_of(in.b), sweep_of(in.c)});
  }
  if (sweeps_.size() <= at) sweeps_.resize(at + 1, kNone);
  return sweeps_[at] = found;
}

}  // namespace nvm::plan
