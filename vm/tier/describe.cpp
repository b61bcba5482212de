#include "vm/tier/describe.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "bytecode/base/ascii.h"
#include "bytecode/program/origin.h"
#include "vm/tier/pipeline.h"

namespace nvm::vm {

namespace {

using soac::kNone;
using soac::Pull;
using soac::VarId;

const ssa::Inst* inst_of(const RecordedRegion& region, std::int32_t inst) {
  const auto site = static_cast<std::size_t>(region.region.insts[static_cast<std::size_t>(inst)].site);
  return site < region.sites.size() ? region.sites[site].inst : nullptr;
}

std::vector<std::int32_t> inputs_of(const soac::Graph& graph, const soac::Node& node) {
  std::set<std::int32_t> from;
  const auto add = [&](VarId v) {
    if (v != kNone && graph.producer[static_cast<std::size_t>(v)] >= 0)
      from.insert(graph.producer[static_cast<std::size_t>(v)]);
  };
  for (const soac::BodyInst& in : node.body.insts)
    for (const VarId v : {in.var, in.desc, in.desc2}) add(v);
  add(node.desc);
  add(node.init);
  return {from.begin(), from.end()};
}

// The graph as it was before fusion, each node with the kernel that makes its result.
std::vector<FusionNode> nodes_of(const RecordedRegion& region, const RegionEntry& entry,
                                 const soac::Graph& graph) {
  std::map<std::int32_t, std::int32_t> kernel_of;  // by instruction of the region
  for (std::size_t k = 0; k < entry.plan.kernels.size(); ++k)
    for (const std::int32_t inst : entry.plan.kernels[k].origin)
      kernel_of[inst] = static_cast<std::int32_t>(k);
  std::vector<FusionNode> nodes;
  for (const soac::Node& n : graph.nodes) {
    FusionNode node;
    node.name = lower(soac::combinator_name(n.kind));
    if (n.combine != Scalar::kNoScalar) node.name += " " + std::string(scalar_info(n.combine).name);
    node.inst = inst_of(region, n.inst);
    if (const auto k = kernel_of.find(n.inst); k != kernel_of.end() && entry.code != nullptr)
      node.kernel = k->second;
    node.inputs = inputs_of(graph, n);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

// The nodes that kernel k computes: its own, and what is computed on the way to them.
std::set<std::int32_t> computed_in(const std::vector<FusionNode>& nodes, std::int32_t k) {
  std::set<std::int32_t> in;
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const auto n = static_cast<std::int32_t>(i);
    if (nodes[i].kernel == k) in.insert(n);
    if (!in.contains(n)) continue;
    for (const std::int32_t from : nodes[i].inputs)
      if (nodes[static_cast<std::size_t>(from)].kernel < 0) in.insert(from);
  }
  return in;
}

// What uses a result of another kernel, and why it could not join that.
std::vector<FusionRefusal> refusals_of(const RegionEntry& entry, const std::vector<FusionNode>& nodes) {
  std::vector<FusionRefusal> refusals;
  for (const plan::RuleEvent& e : entry.events) {
    if (e.fired || e.from < 0 || e.to < 0) continue;
    const FusionNode& from = nodes[static_cast<std::size_t>(e.from)];
    const FusionNode& to = nodes[static_cast<std::size_t>(e.to)];
    if (from.kernel != to.kernel)
      refusals.push_back({from.inst, to.inst, from.name, to.name, plan::refusal_text(e.refusal)});
  }
  return refusals;
}

KernelShape shape_of(const std::vector<FusionNode>& nodes, std::int32_t k, const plan::Kernel& kernel) {
  KernelShape shape;
  std::string last;
  int times = 0;
  const auto flush = [&] {
    if (times > 0) shape.combinators += (shape.combinators.empty() ? "" : "+") + last;
    if (times > 1) shape.combinators += "*" + std::to_string(times);
    times = 0;
  };
  for (const std::int32_t i : computed_in(nodes, k)) {
    const FusionNode& node = nodes[static_cast<std::size_t>(i)];
    const std::string name = node.name.substr(0, node.name.find(' '));
    if (name != last) flush();
    last = name;
    ++times;
    if (node.inst != nullptr) shape.insts.push_back(node.inst);
  }
  flush();
  for (const soac::BodyInst& in : kernel.body.insts) shape.operations += in.pull == Pull::kApply ? 1 : 0;
  for (const plan::Sink& s : kernel.sinks) shape.operations += s.combine != Scalar::kNoScalar ? 1 : 0;
  return shape;
}

}  // namespace

Compilation describe(const RecordedRegion& region, const RegionEntry& entry) {
  Compilation c;
  c.region = entry.number;
  c.reason = entry.reason;
  c.nodes = nodes_of(region, entry, graph_of(region.region, entry));
  if (entry.code == nullptr) return c;
  c.refusals = refusals_of(entry, c.nodes);
  for (std::size_t k = 0; k < entry.plan.kernels.size(); ++k)
    c.kernels.push_back(shape_of(c.nodes, static_cast<std::int32_t>(k), entry.plan.kernels[k]));
  return c;
}

std::string code_name(const RecordedRegion& region, const ssa::Module* module) {
  if (module == nullptr || region.sites.empty() || region.sites.front().inst == nullptr) return "";
  const RecordedSite& site = region.sites.front();
  const ssa::FunctionId id =
      site.inst->origin_function >= 0 ? site.inst->origin_function : site.site.function;
  const ssa::Function& f = module->functions[static_cast<std::size_t>(id)];
  const Origin known = site.inst->origin_line;
  return (f.origin.empty() ? f.name : f.origin) + ":" +
         (known > 0 ? line_text(known) : std::to_string(site.inst->pos.line)) +
         (module->origins.elsewhere(known) ? " in " + module->origins.of(known) : "");
}

std::vector<const ssa::Inst*> insts_of(const RecordedRegion& region, const plan::Kernel& kernel) {
  std::vector<const ssa::Inst*> insts;
  for (const std::int32_t i : kernel.origin) {
    const ssa::Inst* inst = inst_of(region, i);
    if (inst != nullptr && std::find(insts.begin(), insts.end(), inst) == insts.end()) insts.push_back(inst);
  }
  return insts;
}

std::int64_t bytes_moved(const plan::Plan& plan, const plan::Kernel& kernel,
                         std::span<const std::int64_t> lengths) {
  const auto bytes_of = [&](VarId v, soac::LengthId length) {
    const plan::Var& var = plan.vars[static_cast<std::size_t>(v)];
    const std::int64_t n = std::max<std::int64_t>(lengths[static_cast<std::size_t>(length)], 0);
    return n * static_cast<std::int64_t>(var.is_desc ? 8 : storage_bytes(var.storage));
  };
  std::int64_t bytes = 0;
  std::set<VarId> read;
  for (const soac::BodyInst& in : kernel.body.insts) {
    if (in.var == kNone || in.pull == Pull::kUniform) continue;
    const bool gathers = in.pull == Pull::kGather || in.pull == Pull::kSegGather;
    if (gathers)
      bytes += bytes_of(in.var, kernel.space);
    else if (read.insert(in.var).second)
      bytes += bytes_of(in.var, plan.vars[static_cast<std::size_t>(in.var)].length);
  }
  for (const plan::Sink& s : kernel.sinks) {
    if (s.out != kNone) bytes += bytes_of(s.out, plan.vars[static_cast<std::size_t>(s.out)].length);
    if (s.init != kNone) bytes += bytes_of(s.init, plan.vars[static_cast<std::size_t>(s.init)].length);
  }
  return bytes;
}

}  // namespace nvm::vm
