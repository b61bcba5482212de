// Graphs of the emulated device. Nodes are done in any order that their edges allow: of those that may be
// next, the one that was added last. Two that no path orders must not touch the same memory, unless both only
// read.
#include <algorithm>

#include "gpu/api/driver.h"
#include "tests/emu/device/machine.h"

using emu::Deed;
using emu::kGood;
using emu::kInvalid;
using emu::machine;
using nvm::gpu::CopyNode;
using nvm::gpu::FillNode;
using nvm::gpu::KernelNode;

namespace {

struct EmuGraph;
struct EmuNode {
  const EmuGraph* graph = nullptr;
  std::size_t number = 0;
  Deed deed;
  std::vector<bool> before;  // by node: there is a path from it
};
struct EmuGraph {
  std::vector<std::unique_ptr<EmuNode>> nodes;
};
struct EmuExec {
  const EmuGraph* from = nullptr;
  std::vector<EmuNode> nodes;
};

int add(void** out, void* graph, void* const* after, std::size_t count, Deed deed) {
  auto& g = *static_cast<EmuGraph*>(graph);
  auto node = std::make_unique<EmuNode>();
  node->graph = &g;
  node->number = g.nodes.size();
  node->deed = std::move(deed);
  node->before.assign(g.nodes.size(), false);
  for (std::size_t k = 0; k < count; ++k) {
    const auto* const edge = static_cast<const EmuNode*>(after[k]);
    if (edge->graph != &g) return kInvalid;
    node->before[edge->number] = true;
    for (std::size_t n = 0; n < edge->before.size(); ++n)
      if (edge->before[n]) node->before[n] = true;
  }
  *out = node.get();
  g.nodes.push_back(std::move(node));
  return kGood;
}

bool deed_of(Deed& deed, const KernelNode& p) {
  return emu::make_launch(deed, p.kernel, p.grid[0], p.block[0], p.parameters);
}
bool deed_of(Deed& deed, const FillNode& p) {
  deed.kind = Deed::Kind::kFill;
  deed.to = p.to;
  deed.value = static_cast<unsigned char>(p.value);
  deed.bytes = p.width;
  return p.element_bytes == 1 && p.height == 1;
}
bool deed_of(Deed& deed, const CopyNode& p) {
  deed.kind = Deed::Kind::kCopy;
  deed.to = p.to.device;
  deed.from = p.from.device;
  deed.bytes = p.width;
  return p.to.memory_type == 2 && p.from.memory_type == 2 && p.height == 1 && p.depth == 1;
}

template <typename Parameters>
int add_node(void** out, void* graph, void* const* after, std::size_t count, const Parameters& p) {
  Deed deed;
  return deed_of(deed, p) ? add(out, graph, after, count, std::move(deed)) : kInvalid;
}
template <typename Parameters>
int set_node(void* exec, void* node, const Parameters& p) {
  auto& e = *static_cast<EmuExec*>(exec);
  const auto& n = *static_cast<const EmuNode*>(node);
  Deed deed;
  if (n.graph != e.from || !deed_of(deed, p)) return kInvalid;
  if (deed.kind != n.deed.kind || deed.kernel != n.deed.kernel) return kInvalid;
  e.nodes[n.number].deed = std::move(deed);
  return kGood;
}

bool meet(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::size_t word) { return std::find(b.begin(), b.end(), word) != b.end(); });
}

// Do two nodes that run at the same time disturb each other?
bool at_odds(const std::vector<emu::Touched>& a, const std::vector<emu::Touched>& b) {
  for (const emu::Touched& x : a)
    for (const emu::Touched& y : b) {
      if (emu::find(x.block, 0) != emu::find(y.block, 0)) continue;
      if (!x.by_words || !y.by_words) {
        if (x.write || y.write) return true;
        continue;
      }
      const emu::Words &p = x.words, &q = y.words;
      if (meet(p.changed, q.changed) || meet(p.changed, q.read) || meet(p.read, q.changed)) return true;
    }
  return false;
}

int perform(const std::vector<EmuNode>& nodes, const emu::Moment& m) {
  std::vector<std::vector<emu::Touched>> touched(nodes.size());
  std::vector<bool> done(nodes.size(), false);
  const auto ready = [&](const EmuNode& n) {
    for (std::size_t b = 0; b < n.before.size(); ++b)
      if (n.before[b] && !done[b]) return false;
    return !done[n.number];
  };
  for (std::size_t left = nodes.size(); left > 0; --left) {
    const auto next = std::find_if(nodes.rbegin(), nodes.rend(), ready);
    if (const int code = emu::perform(next->deed, touched[next->number]); code != kGood) return code;
    done[next->number] = true;
  }
  for (const EmuNode& n : nodes) {
    for (std::size_t other = 0; other < n.before.size(); ++other)
      if (!n.before[other] && at_odds(touched[n.number], touched[other]))
        emu::fail("in a graph, nothing orders " + std::string(emu::name(n.deed)) + " and " +
                  emu::name(nodes[other].deed) + ", which use the same memory");
    emu::note(touched[n.number], m, emu::name(n.deed));
  }
  return kGood;
}

}  // namespace

#define ENTER                                                        \
  const std::lock_guard<std::recursive_mutex> lock(machine().mutex); \
  if (const int code = machine().call(); code != 0) return code

extern "C" {

int cuGraphCreate(void** graph, unsigned) {
  ENTER;
  *graph = new EmuGraph;
  return kGood;
}
int cuGraphDestroy(void* graph) {
  delete static_cast<EmuGraph*>(graph);
  return kGood;
}
int cuGraphAddKernelNode_v2(void** node, void* graph, void* const* after, std::size_t count,
                            const KernelNode* p) {
  ENTER;
  return add_node(node, graph, after, count, *p);
}
int cuGraphAddMemsetNode(void** node, void* graph, void* const* after, std::size_t count, const FillNode* p,
                         void*) {
  ENTER;
  return add_node(node, graph, after, count, *p);
}
int cuGraphAddMemcpyNode(void** node, void* graph, void* const* after, std::size_t count, const CopyNode* p,
                         void*) {
  ENTER;
  return add_node(node, graph, after, count, *p);
}
int cuGraphInstantiateWithFlags(void** exec, void* graph, unsigned long long) {
  ENTER;
  if (++machine().counts.graphs_made == machine().setting("no_graph")) return emu::kNoMemory;
  auto* e = new EmuExec;
  e->from = static_cast<EmuGraph*>(graph);
  for (const auto& node : e->from->nodes) e->nodes.push_back(*node);
  *exec = e;
  return kGood;
}
int cuGraphExecKernelNodeSetParams_v2(void* exec, void* node, const KernelNode* p) {
  ENTER;
  return set_node(exec, node, *p);
}
int cuGraphExecMemsetNodeSetParams(void* exec, void* node, const FillNode* p, void*) {
  ENTER;
  return set_node(exec, node, *p);
}
int cuGraphExecMemcpyNodeSetParams(void* exec, void* node, const CopyNode* p, void*) {
  ENTER;
  return set_node(exec, node, *p);
}
int cuGraphLaunch(void* exec, void* stream) {
  ENTER;
  ++machine().counts.graphs;
  std::vector<EmuNode> nodes = static_cast<EmuExec*>(exec)->nodes;
  for (EmuNode& n : nodes)
    if (n.deed.kind == Deed::Kind::kLaunch) emu::count_launch(n.deed);
  emu::ask(*static_cast<emu::Stream*>(stream),
           [nodes = std::move(nodes)](const emu::Moment& m) { return perform(nodes, m); });
  return kGood;
}
int cuGraphExecDestroy(void* exec) {
  delete static_cast<EmuExec*>(exec);
  return kGood;
}

}  // extern "C"
