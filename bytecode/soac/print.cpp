#include <string>

#include "bytecode/soac/graph.h"

namespace nvm::soac {

namespace {

std::string number(const char* prefix, std::int32_t n) { return prefix + std::to_string(n); }

std::string var_text(const std::vector<Var>& vars, std::size_t i) {
  static constexpr const char* kStorage[] = {"i8", "i32", "i64", "f64", "b8"};
  static constexpr const char* kForm[] = {"one", "regular", "irregular"};
  static constexpr const char* kRole[] = {"in", "temp", "out"};
  const Var& v = vars[i];
  std::string out = "x" + std::to_string(i) + " " + kRole[static_cast<int>(v.role)] + " ";
  if (v.is_desc)
    return out + number("n", v.length) + ":" + number("n", v.total) + " " + kForm[static_cast<int>(v.form)];
  out += std::string(kStorage[static_cast<int>(v.storage)]) + "[" + number("n", v.length) + "]";
  if (v.guessed) out += " guessed";
  return v.is_fixed ? out + " = " + std::to_string(v.fixed) : out;
}

std::string lengths_text(const std::vector<LengthKind>& lengths) {
  std::string out;
  for (const LengthKind k : lengths) out += k == LengthKind::kOne ? '1' : k == LengthKind::kBound ? 'b' : 'c';
  return out;
}

std::string node_head(const Node& n) {
  std::string out = std::string(combinator_name(n.kind));
  if (n.combine != Scalar::kNoScalar) out += " " + std::string(scalar_info(n.combine).name);
  out += " over " + number("n", n.space);
  if (n.desc != kNone) out += " by " + number("x", n.desc);
  if (n.out != kNone) out += " -> " + number("x", n.out);
  if (n.kind == Combinator::kSegdes)
    out += " -> " + number("x", n.out_desc) + " sums " + number("n", n.out_length);
  else if (n.out_desc != kNone)
    out += " " + number("x", n.out_desc) + " counts " + number("n", n.out_length);
  return out;
}

std::string node_roots(const Node& n) {
  std::string out = " value " + number("v", n.value);
  if (n.flag != kNone) out += " flag " + number("v", n.flag);
  if (n.index != kNone) out += " index " + number("v", n.index);
  if (n.distinct) out += " distinct";
  if (n.down) out += " down";
  if (n.init != kNone) out += " over " + number("x", n.init);
  return out;
}

}  // namespace

const char* combinator_name(Combinator kind) {
  static constexpr const char* kNames[] = {
      "MAP",       "ONCE",       "REDUCE",   "SCAN",       "FILTER",      "PERMUTE",
      "PARTITION", "SEG_REDUCE", "SEG_SCAN", "SEG_FILTER", "SEG_PERMUTE", "SEG_PARTITION",
      "RANK",      "SEG_RANK",   "RANDOM",   "SEGDES",     "CHECK"};
  return kNames[static_cast<int>(kind)];
}

std::string print(const Region& region) {
  std::string out = "region int" + std::to_string(static_cast<int>(region.int_bits)) + " " +
                    lengths_text(region.lengths) + (region.small ? "\n" : " huge\n");
  for (std::size_t i = 0; i < region.vars.size(); ++i) out += var_text(region.vars, i) + "\n";
  for (const RegionInst& in : region.insts) {
    for (const VarId r : in.results) out += number("x", r) + " ";
    out += (in.results.empty() ? "" : "= ") + std::string(op_info(in.op).text);
    if (in.word != TypeWord::kNone) out += " " + std::string(type_word_text(in.word));
    for (const VarId x : in.operands) out += " " + number("x", x);
    out += "\n";
  }
  return out;
}

std::string print(const Graph& graph) {
  std::string out = "graph int" + std::to_string(static_cast<int>(graph.int_bits)) + " " +
                    lengths_text(graph.lengths) + "\n";
  for (std::size_t i = 0; i < graph.vars.size(); ++i) out += "  " + var_text(graph.vars, i) + "\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    out += "  " + std::to_string(i) + ": " + node_head(graph.nodes[i]) + node_roots(graph.nodes[i]) + "\n";
    out += print(graph.nodes[i].body);
  }
  return out;
}

std::string print_dot(const Graph& graph, const std::vector<std::int32_t>& cluster) {
  std::string out = "digraph soac {\n  node [shape=box fontname=monospace];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string id = "n" + std::to_string(i);
    const bool clustered = i < cluster.size() && cluster[i] >= 0;
    if (clustered)
      out += "  subgraph cluster_" + std::to_string(cluster[i]) + " { label=\"kernel " +
             std::to_string(cluster[i]) + "\"; ";
    out += "  " + id + " [label=\"" + node_head(graph.nodes[i]) + "\"];";
    out += clustered ? " }\n" : "\n";
    for (const BodyInst& in : graph.nodes[i].body.insts) {
      for (const VarId x : {in.var, in.desc, in.desc2}) {
        if (x == kNone) continue;
        const std::int32_t from = graph.producer[static_cast<std::size_t>(x)];
        const std::string source = from >= 0 ? "n" + std::to_string(from) : "x" + std::to_string(x);
        out += "  " + source + " -> " + id + " [label=\"x" + std::to_string(x) + "\"];\n";
      }
    }
  }
  return out + "}\n";
}

}  // namespace nvm::soac
