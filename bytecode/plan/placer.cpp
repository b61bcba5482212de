#include "bytecode/plan/placer.h"

#include <algorithm>

#include "bytecode/base/check.h"
#include "bytecode/plan/cost.h"
#include "bytecode/table/identities.h"

namespace nvm::plan {

using soac::Combinator;
using soac::Graph;
using soac::Node;
using soac::Pull;

namespace {

bool folds(const Node& n) { return n.combine != Scalar::kNoScalar; }

bool in_first_sweep(const Node& n) {
  return n.kind == Combinator::kScan || n.kind == Combinator::kSegScan || n.kind == Combinator::kFilter ||
         n.kind == Combinator::kSegFilter || partitions(n);
}

std::vector<std::int32_t> uses_of(const Graph& graph) {
  std::vector<std::int32_t> uses(graph.nodes.size(), 0);
  const auto use = [&](VarId x) {
    if (x == kNone) return;
    const std::int32_t p = graph.producer[static_cast<std::size_t>(x)];
    if (p >= 0) ++uses[static_cast<std::size_t>(p)];
  };
  for (const Node& n : graph.nodes) {
    use(n.init);
    use(n.desc);
    for (const soac::BodyInst& in : n.body.insts) {
      use(in.var);
      use(in.desc);
      use(in.desc2);
    }
  }
  return uses;
}

}  // namespace

std::optional<NodeValues> compose(const Graph& graph, Composer& composer, std::int32_t n, Refusal& refusal) {
  const Node& node = graph.nodes.at(static_cast<std::size_t>(n));
  NodeValues out;
  if (composer.keeps_apart(n)) {
    refusal = Refusal::kPrimitive;
    return std::nullopt;
  }
  const auto need = [&](std::int32_t v, std::int32_t& into) {
    if (v == kNone) return true;
    const auto value = composer.value_of(n, v);
    if (value) into = *value;
    return value.has_value();
  };
  const auto predicate = composer.predicate(node.space);
  const bool composed =
      predicate && need(node.value, out.value) && need(node.flag, out.flag) && need(node.index, out.index);
  if (!composed || (node.desc != kNone && !composer.segments(node.desc))) {
    refusal = composer.refusal();
    return std::nullopt;
  }
  out.predicate = *predicate;
  if (node.init != kNone && !composer.made_before(node.init)) {
    refusal = Refusal::kNeedsWhole;
    return std::nullopt;
  }
  if (partitions(node) && out.predicate != kNone) {
    refusal = Refusal::kFilterIndex;
    return std::nullopt;
  }
  if (node.kind == Combinator::kCheck) {
    composer.check(out.predicate, out.flag);
    return out;
  }
  if (out.predicate != kNone && folds(node)) {
    if (any_order(node.type)) {
      out.value = composer.or_identity(node, out.predicate, out.value);
    } else if (node.kind != Combinator::kReduce) {
      refusal = Refusal::kFilterOrder;
      return std::nullopt;
    }
  }
  // What a filter keeps may come from any scan of its kernel; what it asks and what a scan combines costs a
  // sweep for each scan before it.
  const std::int32_t swept_first[] = {folds(node) ? out.value : kNone, out.flag, out.predicate};
  for (const std::int32_t v : swept_first) {
    if (!in_first_sweep(node) || composer.sweep_of(v) < kMostSweeps) continue;
    refusal = Refusal::kScanOfScan;
    return std::nullopt;
  }
  return out;
}

std::vector<std::int32_t> storable(const Graph& graph) {
  const std::vector<bool> stored = must_store(graph);
  std::vector<bool> gathered(graph.nodes.size(), false);
  for (const Node& n : graph.nodes)
    for (const soac::BodyInst& in : n.body.insts)
      if (in.pull == Pull::kGather && graph.producer[static_cast<std::size_t>(in.var)] >= 0)
        gathered[static_cast<std::size_t>(graph.producer[static_cast<std::size_t>(in.var)])] = true;
  std::vector<std::int32_t> found;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!gathered[i] || stored[i]) continue;
    const auto& insts = graph.nodes[i].body.insts;
    const auto sources = std::count_if(insts.begin(), insts.end(), [](const soac::BodyInst& in) {
      return in.pull == Pull::kElement || in.pull == Pull::kGather;
    });
    if (sources > 1) found.push_back(static_cast<std::int32_t>(i));
  }
  return found;
}

Placer::Placer(const Graph& graph, Inline inlining, std::span<const std::int32_t> also_stored)
    : graph_(&graph) {
  schedule_.stored =
      inlining == Inline::kMaps ? must_store(graph) : std::vector<bool>(graph.nodes.size(), true);
  for (const std::int32_t n : also_stored) schedule_.stored[static_cast<std::size_t>(n)] = true;
  schedule_.kernel.assign(graph.nodes.size(), kNone);
  const std::vector<std::int32_t> uses = uses_of(graph);
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[i];
    // Nothing reads it and it is here: its errors are its purpose.
    if (n.kind == Combinator::kCheck) continue;
    if (uses[i] == 0) schedule_.stored[i] = true;
    if (n.kind == Combinator::kSegdes) schedule_.stored[i] = false;  // no vector
    const bool inlines = n.kind == Combinator::kMap || n.kind == Combinator::kOnce;
    if (!inlines || schedule_.stored[i]) anchors_.push_back(static_cast<std::int32_t>(i));
  }
  // Nothing waits for a check: by the time it is placed, the kernel that has its operands is known.
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].kind != Combinator::kCheck) continue;
    schedule_.stored[i] = false;
    anchors_.push_back(static_cast<std::int32_t>(i));
  }
  order_ = KernelOrder(anchors_.size());
  find_rest();
}

void Placer::find_rest() {
  rest_.assign(anchors_.size() + 1, 0.0);
  for (std::size_t i = anchors_.size(); i-- > 0;) {
    const auto n = static_cast<std::size_t>(anchors_[i]);
    rest_[i] = rest_[i + 1] + (schedule_.stored[n] ? vector_bytes(*graph_, graph_->nodes[n].out) : 0.0);
  }
}

std::optional<std::vector<std::int32_t>> joined(const Graph& graph, const Schedule& schedule, std::int32_t k,
                                                LengthId base, std::int32_t n, Body& body,
                                                const KernelOrder* order) {
  Composer composer(graph, schedule, k, base, body, order);
  const Node& node = graph.nodes[static_cast<std::size_t>(n)];
  Refusal refusal = Refusal::kNone;
  // A scatter makes its vector before the first iteration, from its defaults.
  if (permutes(node) && !composer.counted_before(graph.vars[static_cast<std::size_t>(node.out)].length))
    return std::nullopt;
  if (!composer.counted_before(base) || !compose(graph, composer, n, refusal)) return std::nullopt;
  return composer.reads();
}

double Placer::stores(std::int32_t n, const Body& body, std::int32_t k) const {
  double bytes = 0.0;
  if (schedule_.stored[static_cast<std::size_t>(n)])
    bytes += vector_bytes(*graph_, graph_->nodes[static_cast<std::size_t>(n)].out);
  // Scans and filters that this kernel reads from memory must be stored by theirs.
  for (const soac::BodyInst& in : body.insts) {
    if (in.pull != Pull::kElement) continue;
    const std::int32_t p = graph_->producer[static_cast<std::size_t>(in.var)];
    if (p >= 0 && !schedule_.stored[static_cast<std::size_t>(p)] &&
        schedule_.kernel[static_cast<std::size_t>(p)] != k)
      bytes += vector_bytes(*graph_, in.var);
  }
  return bytes;
}

std::optional<double> Placer::price(std::int32_t n, std::int32_t k) {
  const bool fresh = k == kernels();
  const LengthId base = fresh ? graph_->nodes[static_cast<std::size_t>(n)].space
                              : schedule_.spaces[static_cast<std::size_t>(k)];
  Body body = fresh ? Body{} : bodies_[static_cast<std::size_t>(k)];
  auto reads = joined(*graph_, schedule_, k, base, n, body, &order_);
  if (!reads) return std::nullopt;
  const double before =
      fresh ? -launch_cost(*graph_, base) : body_bytes(*graph_, bodies_[static_cast<std::size_t>(k)], base);
  const double after = body_bytes(*graph_, body, base);
  const double bytes = after - before + stores(n, body, k);
  pending_ = std::move(body);
  pending_reads_ = std::move(*reads);
  return bytes;
}

void Placer::place(std::int32_t n, std::int32_t k, double price) {
  const bool legal = this->price(n, k).has_value();
  NVM_CHECK(legal, "only what has a price is placed");
  if (k == kernels()) {
    bodies_.emplace_back();
    schedule_.spaces.push_back(graph_->nodes[static_cast<std::size_t>(n)].space);
  }
  bodies_[static_cast<std::size_t>(k)] = std::move(pending_);
  schedule_.kernel[static_cast<std::size_t>(n)] = k;
  schedule_.cost += price;
  for (const std::int32_t earlier : pending_reads_) order_.put_behind(k, earlier);
  for (const soac::BodyInst& in : bodies_[static_cast<std::size_t>(k)].insts) {
    if (in.pull != Pull::kElement) continue;
    const std::int32_t p = graph_->producer[static_cast<std::size_t>(in.var)];
    if (p >= 0 && schedule_.kernel[static_cast<std::size_t>(p)] != k)
      schedule_.stored[static_cast<std::size_t>(p)] = true;
  }
}

Schedule Placer::schedule() const {
  Schedule s = schedule_;
  const std::vector<std::int32_t> order = order_.sorted(kernels());
  std::vector<std::int32_t> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    number[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    s.spaces[i] = schedule_.spaces[static_cast<std::size_t>(order[i])];
  }
  for (std::int32_t& k : s.kernel)
    if (k != kNone) k = number[static_cast<std::size_t>(k)];
  return s;
}

}  // namespace nvm::plan
