// The program-dependence graph of second-order array combinators (lambda-cu). Built from a region; each node
// has a pull thunk (Body) over its index space and makes one vector (a filter also a length and a
// descriptor).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bytecode/soac/region.h"

namespace nvm::soac {

enum class Combinator : std::uint8_t {
  kMap,        // out[i] = value
  kOnce,       // a MAP of one element: scalar work between kernels
  kReduce,     // out = combine of all values
  kScan,       // out[i] = combine of the values before i
  kFilter,     // out = the values whose flag is T, in order
  kPermute,    // out[index] = value, the last writer wins
  kPartition,  // out = the values whose flag is F, in order, then those whose flag is T; an error unless
               // these begin at the number in init (a PERMUTE by ranks, see parting.h)
  kSegReduce,  // the same by segments of desc
  kSegScan,
  kSegFilter,
  kSegPermute,    // the index pulls a place in the segment of the same number (kSegPlace)
  kSegPartition,  // each segment is parted; init has a number for each
  kRank,          // out[i] = the place of value i in ascending (down: descending) order, stable
  kSegRank,
  kRandom,  // out[i] = a random number below value i
  kSegdes,  // out_desc = the descriptor with these lengths; out_length = their sum
  kCheck,   // makes nothing; an iteration whose flag is T is an error
};

struct Node {
  Combinator kind = Combinator::kMap;
  LengthId space = kNone;      // iterations
  VarId desc = kNone;          // kSeg*: segments over the space
  Body body;                   // pulls only vars, by kElement, kUniform, kPerSegment, kGather, ...
  std::int32_t value = kNone;  // body value mapped, combined or kept
  std::int32_t flag = kNone;   // filters, partitions, kCheck: body value; permutes: optional
  std::int32_t index = kNone;  // permutes: body value
  bool distinct = false;       // permutes: no two iterations write one place
  bool down = false;           // ranks: the largest first
  VarId init = kNone;          // permutes: defaults, kNone: zeros; partitions: INT, where second sides begin
  Scalar combine = Scalar::kNoScalar;
  Type type = Type::kInt;       // of value
  VarId out = kNone;            // kCheck, kSegdes: kNone
  VarId flags_of = kNone;       // filters: the flag vector, so that filters of the same flags are known
  VarId out_desc = kNone;       // filters: the descriptor of the kept elements; kSegdes: that made
  LengthId out_length = kNone;  // filters: symbol of the number of kept elements; kSegdes: of the total
  std::int32_t inst = 0;        // of the region
};

struct Graph {
  IntBits int_bits = IntBits::k64;
  std::vector<LengthKind> lengths;
  std::vector<Var> vars;
  std::vector<Node> nodes;               // topological: producers first
  std::vector<std::int32_t> producer;    // by VarId: node that makes it (vector or descriptor), -1 for inputs
  std::vector<std::int32_t> counted_by;  // by LengthId: first filter or kSegdes node that finds it, -1
};

[[nodiscard]] inline bool permutes(const Node& n) {
  return n.kind == Combinator::kPermute || n.kind == Combinator::kSegPermute;
}
[[nodiscard]] inline bool partitions(const Node& n) {
  return n.kind == Combinator::kPartition || n.kind == Combinator::kSegPartition;
}
[[nodiscard]] inline bool filters(const Node& n) {
  return n.kind == Combinator::kFilter || n.kind == Combinator::kSegFilter;
}
[[nodiscard]] inline bool ranks(const Node& n) {
  return n.kind == Combinator::kRank || n.kind == Combinator::kSegRank;
}
// What a primitive makes of a whole vector in memory: it shares a kernel with nothing.
[[nodiscard]] inline bool by_primitive(const Node& n) {
  return ranks(n) || n.kind == Combinator::kRandom || n.kind == Combinator::kSegdes;
}

// Every instruction of the region becomes a node (LENGTHS and MAKE_SEGDES of known descriptors become names).
// Requires: only instructions that recordable() accepts.
[[nodiscard]] Graph build(const Region& region);

// Without MAPs that nothing reads and that cannot fail: readers of a vector of equal elements take the
// number.
void drop_unread(Graph& graph);

// Stores INT vectors that the graph makes in as few bytes as are proved to do. `small`: all lengths are below
// 2^31. `guess`: where nothing is proved, four bytes, and plans check what they store (Var::guessed).
// 32-bit INT is left as it is.
void narrow(Graph& graph, bool small, bool guess);

// True if build() has a combinator for the instruction. Combining scatters have none, since nothing would
// fuse with them. The rest is no vector instruction: what only moves entries of the stack is gone in SSA, and
// calls, conditionals, the seed, clocks and files are the host's.
[[nodiscard]] bool recordable(Op op);

// Aborts if a node contradicts its combinator.
void check(const Graph& graph);
[[nodiscard]] std::string print(const Graph& graph);
// Graphviz; `cluster` gives the kernel of each node, or is empty.
[[nodiscard]] std::string print_dot(const Graph& graph, const std::vector<std::int32_t>& cluster);
[[nodiscard]] const char* combinator_name(Combinator kind);

}  // namespace nvm::soac
