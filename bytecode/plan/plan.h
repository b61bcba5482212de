// A plan: the fused kernels of one region, in execution order. The one form that both engines consume;
// neither knows an opcode. Lengths are symbols, so that a plan serves every size with the same facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bytecode/soac/body.h"
#include "bytecode/soac/var.h"
#include "bytecode/table/types.h"

namespace nvm::plan {

using soac::Body;
using soac::kNone;
using soac::LengthId;
using soac::VarId;

using soac::DescForm;
using soac::LengthKind;
using soac::Var;
using soac::VarRole;

enum class SinkKind : std::uint8_t {
  kStore,      // out[i] = value
  kReduce,     // out[0] = combine over all i
  kScan,       // running combine, exclusive; read in the body by kScanned; stored by a kStore sink if wanted
  kSegReduce,  // out[s] = combine over segment s of desc
  kSegScan,    // as kScan, restarted in every segment of desc
  kCount,      // of a filter: out_length is bound to the number of kept elements
  kScatter,    // out[index] = value; the last writer in order of i wins; traps unless 0 <= index < length of
               // out
  kPartition,  // out = the values that `filter` does not keep, in order, then those that it keeps; traps
               // unless these begin at the number in init; with desc each segment for itself
  // Left to the host's primitives (Host::primitive): the only sink of its kernel, which pulls the whole
  // vector from memory.
  kRank,    // out[i] = the place of value i in stable order, with desc within its segment
  kRandom,  // out[i] = a random number below value i
  kSegdes,  // out_desc = the descriptor with these lengths; out_length is bound to their sum
};

// What a kernel does with values of its body at each iteration. A sink with a `filter` sees only the elements
// that this kCount sink keeps, in order, as if they stood alone: kStore compacts; kReduce combines element k
// of those kept at place k of the fold's tree, which for FLOAT is a matter of bits (vm/simd/reduce_tree.h);
// kPartition sees all. Other folds have no filter; INT and BOOL take the identity where nothing is kept.
struct Sink {
  SinkKind kind = SinkKind::kStore;
  std::int32_t value = kNone;   // body value stored or combined; kCount: the flag
  std::int32_t filter = kNone;  // sink number of a kCount of this kernel, kNone: all elements
  Scalar combine = Scalar::kNoScalar;
  Type type = Type::kInt;  // of value
  VarId out = kNone;       // kStore kReduce kSegReduce kScatter kPartition kRank kRandom: vector made
  VarId desc = kNone;  // kSegReduce kSegScan kPartition kRank: the segments; kCount: those whose kept counts
                       // are wanted
  VarId out_desc = kNone;       // kCount with desc: the descriptor of kept elements made; kSegdes
  LengthId out_length = kNone;  // kCount: symbol bound; kNone if only a kPartition asks; kSegdes
  std::int32_t index = kNone;   // kScatter: body value
  VarId init = kNone;     // kScatter: defaults copied first, kNone: zeros; kPartition: INT, one or one for
                          // each segment
  bool distinct = false;  // kScatter: no two iterations write one place
  std::int32_t flag = kNone;  // kScatter: body value; only where T
  bool down = false;          // kRank: the largest first
};

[[nodiscard]] inline bool by_primitive(const Sink& s) {
  return s.kind == SinkKind::kRank || s.kind == SinkKind::kRandom || s.kind == SinkKind::kSegdes;
}

// Does it say which bits INTs have?
[[nodiscard]] inline bool ors_ints(const Sink& s) {
  return s.kind == SinkKind::kReduce && s.combine == Scalar::kOr && s.type == Type::kInt;
}

// A body that is evaluated again and again, by iteration, as long as `more` is T: what is carried begins as
// the body pulls it and is its `next` in the next round. What may trap does so in every round, checks in the
// last, which sinks see; an iteration traps that wants more rounds than the one INT of `limit`. All sinks are
// kStore.
struct Repeat {
  struct Carried {
    std::int32_t value, next;  // of the body; value: kUniform or kElement
    friend bool operator==(const Carried&, const Carried&) = default;
  };
  std::int32_t more = kNone;  // BOOL value
  VarId limit = kNone;
  std::vector<Carried> carried;
};

// One iteration space of `space` iterations, one body, sinks. Scans and counts may depend on earlier scans of
// the kernel, in at most kMostSweeps sweeps. Reads only inputs and what earlier kernels made.
struct Kernel {
  LengthId space = kNone;
  Body body;
  std::vector<Sink> sinks;
  std::vector<std::int32_t> origin;  // instructions of the region computed here, for reports
  std::optional<Repeat> repeat;      // if the body is a loop
};

struct Plan {
  std::string name;  // of its code, for profilers; says nothing about what it does
  IntBits int_bits = IntBits::k64;
  std::vector<LengthKind> lengths;  // by LengthId
  std::vector<Var> vars;            // by VarId
  std::vector<Kernel> kernels;
  std::vector<VarId> dead_after_last;  // temps in the order in which they die, for reports
};

inline constexpr std::int32_t kMostSweeps = 3;

// By sink, for kScan, kSegScan and kCount: how many sweeps over the space must be complete before it can
// begin, because scans that it depends on take one each; kNone for sinks of other kinds.
[[nodiscard]] std::vector<std::int32_t> sweeps(const Kernel& kernel);

// True if a primitive does what the kernel is for.
[[nodiscard]] inline bool by_primitive(const Kernel& k) {
  return !k.sinks.empty() && by_primitive(k.sinks.front());
}

// Kernels over vectors. Those over one number cost nothing in schedules (cost.h), so they are not counted,
// either.
[[nodiscard]] inline std::size_t passes(const Plan& plan) {
  std::size_t n = 0;
  for (const Kernel& k : plan.kernels)
    if (plan.lengths[static_cast<std::size_t>(k.space)] != LengthKind::kOne) ++n;
  return n;
}

// Aborts if the plan contradicts the rules above.
void check(const Plan& plan);
// Deterministic text; also the cache key, since it names every fact the code depends on.
[[nodiscard]] std::string print(const Plan& plan);

}  // namespace nvm::plan
