#include "vm/tier/explain.h"

#include <algorithm>
#include <cstdio>

#include "bytecode/plan/fission.h"
#include "bytecode/program/origin.h"
#include "vm/tier/pipeline.h"

namespace nvm::vm {

namespace {

bool wants(std::string_view letters, char letter) { return letters.find(letter) != std::string_view::npos; }

std::string place(const RecordedSite& site, const ssa::Module& module) {
  if (site.inst == nullptr) return "start of program";
  const auto& f = module.functions[static_cast<std::size_t>(site.site.function)];
  if (site.inst->origin_line > 0)
    return (f.origin.empty() ? f.name : f.origin) + ", " + module.origins.place(site.inst->origin_line);
  return f.name + ", " + module.file + ":" + std::to_string(site.inst->pos.line);
}

// The line of the source if that is known, else of the VCODE; nothing for the branch of a check.
std::string line_text(const RegionEntry& entry, const soac::RegionInst& in, const OriginFiles& origins) {
  const ssa::Inst* inst = entry.sites[static_cast<std::size_t>(in.site)].inst;
  if (inst == nullptr) return "";
  const Origin origin = inst->origin_line > 0 ? inst->origin_line : origin_number(0, inst->pos.line);
  if (origin == 0) return "";
  return " (line " + nvm::line_text(origin) + (origins.elsewhere(origin) ? " of " + origins.of(origin) : "") +
         ")";
}

// The printed region, with the line that each instruction comes from.
std::string instructions(const RegionEntry& entry, const OriginFiles& origins) {
  std::string out;
  const std::string text = soac::print(entry.region);
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  std::size_t begin = 0;
  for (std::size_t i = 0; i < lines; ++i) {
    const std::size_t end = text.find('\n', begin);
    out += text.substr(begin, end - begin);
    const std::size_t head = lines - entry.region.insts.size();
    if (i >= head) out += line_text(entry, entry.region.insts[i - head], origins);
    out += "\n";
    begin = end + 1;
  }
  return out;
}

std::string node_text(const RegionEntry& entry, const soac::Graph& graph, std::int32_t n,
                      const OriginFiles& origins) {
  const soac::Node& node = graph.nodes[static_cast<std::size_t>(n)];
  return std::to_string(n) + " " + soac::combinator_name(node.kind) +
         line_text(entry, entry.region.insts[static_cast<std::size_t>(node.inst)], origins);
}

std::string rules(const RegionEntry& entry, const soac::Graph& graph, const OriginFiles& origins) {
  std::string out;
  for (const plan::RuleEvent& e : entry.events) {
    const std::string what = e.fired ? std::string("fired   ") + plan::rule_name(e.rule)
                                     : std::string("refused ") + plan::refusal_text(e.refusal);
    out += "  " + what + ": " + node_text(entry, graph, e.from, origins) + " -> " +
           node_text(entry, graph, e.to, origins) + "\n";
  }
  return out;
}

std::string costs(const soac::Graph& graph) {
  char line[240];
  const plan::Schedule exact = plan::schedule_exact(graph);
  std::snprintf(line, sizeof line, "  off %.2f, greedy %.2f, exact %.2f, %s\n",
                plan::schedule_off(graph).cost / 1e6, plan::schedule_greedy(graph).cost / 1e6,
                exact.cost / 1e6, plan::origin_text(exact).c_str());
  return line;
}

// Graphviz of the graph, clustered by kernels: with none fused, and as scheduled exactly.
std::string drawings(const soac::Graph& graph) {
  return soac::print_dot(graph, plan::schedule_off(graph).kernel) +
         soac::print_dot(graph, plan::schedule_exact(graph).kernel);
}

// "1 kernel", "2 kernels".
std::string counted(std::uint64_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

// "1 kernel", "2 kernels and 1 step on one number".
std::string kernels_of(const plan::Plan& plan) {
  const std::size_t passes = plan::passes(plan), steps = plan.kernels.size() - passes;
  if (steps == 0) return counted(passes, "kernel");
  const std::string numbers = counted(steps, "step") + " on one number";
  return passes == 0 ? numbers : counted(passes, "kernel") + " and " + numbers;
}

}  // namespace

std::string explain(const RegionEntry& entry, const ssa::Module& module, std::string_view letters) {
  std::string out = "region at " + place(entry.sites.empty() ? RecordedSite{} : entry.sites.front(), module) +
                    ": " + counted(entry.runs, "run") + ", ";
  out += entry.code != nullptr
             ? kernels_of(entry.plan) + (entry.tier.lost() ? ", but the primitives are faster" : "") + "\n"
         : entry.tried ? "not compiled: " + entry.reason + "\n"
                       : "not hot enough to be compiled\n";
  const soac::Graph graph = graph_of(entry.region, entry);
  if (wants(letters, 't')) out += instructions(entry, module.origins);
  if (wants(letters, 'g')) out += soac::print(graph);
  if (wants(letters, 'd')) out += drawings(graph);
  if (wants(letters, 'r')) out += rules(entry, graph, module.origins);
  if (wants(letters, 'c')) out += costs(graph);
  if (wants(letters, 'p') && entry.tried) out += plan::print(entry.plan);
  if (wants(letters, 'f') && entry.tried) out += plan::print_parts(entry.plan);
  if (wants(letters, 'x') && entry.code != nullptr) out += entry.code->listing();
  return out;
}

std::string summary(const Jit& jit, const ssa::Module& module) {
  const JitCounters& c = jit.counters();
  std::string out = counted(c.regions, "region") + " executed, " + std::to_string(c.fused) +
                    " as fused kernels; " + std::to_string(c.compiled) + " compiled in " +
                    std::to_string(c.compile_ns / 1000) + " us, " + std::to_string(c.refused) + " refused, " +
                    std::to_string(c.trapped) + " failed a check\n";
  for (std::size_t i = 0; i < std::size(c.stops); ++i)
    if (c.stops[i] > 0)
      out += "  " + std::to_string(c.stops[i]) + " ended: " + stop_text(static_cast<RegionStop>(i)) + "\n";
  for (const auto& e : jit.entries()) out += "  " + explain(*e, module, "");
  return out;
}

}  // namespace nvm::vm
