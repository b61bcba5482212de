#include "bytecode/plan/nest.h"

#include <algorithm>

#include "bytecode/base/at.h"

namespace nvm::plan {

namespace {

std::string number(std::int32_t v) { return v == kNone ? "-" : "v" + std::to_string(v); }

std::string print(const NestPiece& p) {
  return (p.child != kNone ? "child " + std::to_string(p.child) : "list " + std::to_string(p.list)) + " at " +
         number(p.start) + " of " + number(p.length);
}

}  // namespace

std::int32_t Nest::find(NestInput::What what, std::int32_t parameter) const {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i].what == what && inputs[i].parameter == parameter) return static_cast<std::int32_t>(i);
  return kNone;
}

std::size_t Nest::record_bytes() const { return sizeof(NestRecord) + 8 * most_children(); }

std::size_t Nest::most_children() const {
  std::size_t most = 0;
  for (const NestLeaf& leaf : leaves) most = std::max(most, leaf.children.size());
  return most;
}

bool Nest::given(const NestList& list) const {
  return list.value != kNone && list.filter == kNone &&
         body.insts[at(list.value)].pull == soac::Pull::kElement;
}

std::string print(const Nest& nest) {
  std::string out = soac::print(nest.body);
  for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
    static constexpr const char* kWhat[] = {"number of", "length of", "list of"};
    const NestInput& in = nest.inputs[i];
    out += "  x" + std::to_string(i) + ": " + kWhat[static_cast<std::size_t>(in.what)] + " parameter " +
           std::to_string(in.parameter) + "\n";
  }
  for (std::size_t l = 0; l < nest.lists.size(); ++l) {
    const NestList& list = nest.lists[l];
    out += "  list " + std::to_string(l) + ": " + number(list.value);
    if (list.filter != kNone) out += " where " + number(list.filter);
    out += ", length " + number(list.length) + "\n";
  }
  for (std::size_t n = 0; n < nest.nodes.size(); ++n) {
    const NestNode& node = nest.nodes[n];
    out += "  node " + std::to_string(n) + ": ";
    out += node.condition == kNone ? (node.leaf == kNone ? "fails" : "leaf " + std::to_string(node.leaf))
                                   : "if " + number(node.condition) + " then " + std::to_string(node.yes) +
                                         " else " + std::to_string(node.no);
    out += "\n";
  }
  for (std::size_t l = 0; l < nest.leaves.size(); ++l) {
    const NestLeaf& leaf = nest.leaves[l];
    out += "  leaf " + std::to_string(l) + ": length " + number(leaf.length) + ", wanted " +
           number(leaf.wanted) + "\n";
    for (const auto& result : leaf.results) {
      out += "    result";
      for (const NestPiece& p : result) out += " (" + print(p) + ")";
      out += "\n";
    }
    for (const NestPiece& p : leaf.called) out += "    called " + print(p) + "\n";
    for (const auto& child : leaf.children) {
      out += "    child";
      for (const std::int32_t a : child) out += " " + (a == kNone ? "-" : std::to_string(a));
      out += "\n";
    }
  }
  return out;
}

std::string print_nests(const ssa::Module& module) {
  std::string out;
  for (std::size_t i = 0; i < module.functions.size(); ++i) {
    const auto id = static_cast<ssa::FunctionId>(i);
    const ssa::Function& f = module.functions[i];
    if (f.removed || !may_be_nest(module, id)) continue;
    std::string refusal;
    const auto nest = build_nest(module, id, refusal);
    out += f.name + (nest ? ": a loop nest\n" + print(*nest) : ": no loop nest: " + refusal + "\n");
  }
  return out;
}

std::optional<NestStorage> store_lists(const Nest& nest, std::span<const Storage> parameters,
                                       std::span<const Storage> targets) {
  NestStorage s{{parameters.begin(), parameters.end()},
                std::vector<Storage>(nest.lists.size(), Storage::kI64),
                {targets.begin(), targets.end()}};
  // What an element may be: that of the parameter it stands in, or the widest.
  const auto fits = [&](std::int32_t v, Storage in) {
    const soac::BodyInst& inst = nest.body.insts[at(v)];
    if (inst.type != Type::kInt) return true;
    if (inst.pull != soac::Pull::kElement && inst.pull != soac::Pull::kGather) return in == Storage::kI64;
    const auto of = s.parameters[at(nest.inputs[at(inst.var)].parameter)];
    return storage_bytes(of) <= storage_bytes(in);
  };
  for (std::size_t l = 0; l < nest.lists.size(); ++l) {
    if (nest.lists[l].value == kNone) continue;
    const soac::BodyInst& inst = nest.body.insts[at(nest.lists[l].value)];
    s.lists[l] = inst.type == Type::kFloat  ? Storage::kF64
                 : inst.type == Type::kBool ? Storage::kB8
                                            : Storage::kI64;
    if (inst.type == Type::kInt && inst.pull == soac::Pull::kElement)
      s.lists[l] = s.parameters[at(nest.inputs[at(inst.var)].parameter)];
  }
  std::vector<bool> stored(nest.lists.size());  // as a child wants it
  for (const NestLeaf& leaf : nest.leaves) {
    for (const auto& child : leaf.children)
      for (std::size_t p = 0; p < child.size(); ++p) {
        if (child[p] == kNone || nest.find(NestInput::What::kList, static_cast<std::int32_t>(p)) == kNone)
          continue;
        const NestList& list = nest.lists[at(child[p])];
        if (!fits(list.value, s.parameters[p]) ||
            (stored[at(child[p])] && s.lists[at(child[p])] != s.parameters[p]))
          return std::nullopt;
        stored[at(child[p])] = true;
        s.lists[at(child[p])] = s.parameters[p];
      }
    for (std::size_t r = 0; r < leaf.results.size(); ++r)
      for (const NestPiece& piece : leaf.results[r])
        if (piece.list != kNone && !fits(nest.lists[at(piece.list)].value, s.targets[r])) return std::nullopt;
  }
  return s;
}

}  // namespace nvm::plan
