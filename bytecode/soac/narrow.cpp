// Bytes that stores of INT vectors need. What copies elements keeps their width; counts and places fit in
// four bytes where all lengths do; the rest may be guessed, and is checked where it is stored.
//
// Requires: build(). Ensures: only storages of vectors that the graph makes change. Cost: linear.
#include <algorithm>
#include <cstdint>
#include <limits>

#include "bytecode/soac/graph.h"

namespace nvm::soac {

namespace {

enum class Width : std::uint8_t { k8, k32, k64 };

template <typename T>
bool fits(std::int64_t x) {
  return x >= std::numeric_limits<T>::min() && x <= std::numeric_limits<T>::max();
}
Width width_of(std::int64_t x) {
  return fits<std::int8_t>(x) ? Width::k8 : fits<std::int32_t>(x) ? Width::k32 : Width::k64;
}
Width width_of(Storage s) {
  return s == Storage::kI8 ? Width::k8 : s == Storage::kI32 ? Width::k32 : Width::k64;
}
Storage storage_of(Width w) {
  return w == Width::k8 ? Storage::kI8 : w == Width::k32 ? Storage::kI32 : Storage::kI64;
}

class Narrower {
 public:
  Narrower(Graph& graph, bool small) : graph_(graph), places_(small ? Width::k32 : Width::k64) {}

  void run(bool guess) {
    for (const Node& n : graph_.nodes) {
      if (n.out == kNone || n.type != Type::kInt) continue;
      Var& out = var(n.out);
      if (graph_.lengths[static_cast<std::size_t>(out.length)] == LengthKind::kOne) continue;
      const Width proved = result(n);
      out.storage = storage_of(proved);
      out.guessed = guess && proved == Width::k64 && checked_where_stored(n);
      if (out.guessed) out.storage = Storage::kI32;
    }
  }

 private:
  [[nodiscard]] Var& var(VarId x) { return graph_.vars[static_cast<std::size_t>(x)]; }

  // Of a guess nothing is proved: the vector may never be stored, and then nobody checks it.
  [[nodiscard]] Width stored(VarId x) { return var(x).guessed ? Width::k64 : width_of(var(x).storage); }

  // Kernels see every element that these store.
  static bool checked_where_stored(const Node& n) {
    return n.kind == Combinator::kMap || n.kind == Combinator::kFilter || n.kind == Combinator::kSegFilter ||
           n.kind == Combinator::kScan || n.kind == Combinator::kSegScan || partitions(n);
  }

  Width result(const Node& n) {
    switch (n.kind) {
      case Combinator::kMap:
      case Combinator::kFilter:
      case Combinator::kSegFilter:
      case Combinator::kPartition:
      case Combinator::kSegPartition: return width(n.body, n.value);
      case Combinator::kPermute:
      case Combinator::kSegPermute:
        return std::max(width(n.body, n.value), n.init == kNone ? Width::k8 : stored(n.init));
      case Combinator::kRank:
      case Combinator::kSegRank: return places_;
      case Combinator::kSegReduce: return counts(n) ? places_ : Width::k64;
      default: return Width::k64;
    }
  }
  static bool counts(const Node& n) {
    const BodyInst& in = n.body.insts[static_cast<std::size_t>(n.value)];
    return n.combine == Scalar::kAdd && in.pull == Pull::kApply && in.scalar == Scalar::kBtoI;
  }

  Width width(const Body& body, std::int32_t v) {
    const BodyInst& in = body.insts[static_cast<std::size_t>(v)];
    switch (in.pull) {
      case Pull::kConst: return width_of(in.imm);
      case Pull::kUniform: return var(in.var).is_fixed ? width_of(var(in.var).fixed) : Width::k64;
      case Pull::kElement:
      case Pull::kPerSegment:
      case Pull::kGather:
      case Pull::kSegGather: return stored(in.var);
      case Pull::kIndex:
      case Pull::kSegment:
      case Pull::kWithin: return places_;
      case Pull::kApply: return applied(body, in);
      default: return Width::k64;
    }
  }
  Width applied(const Body& body, const BodyInst& in) {
    switch (in.scalar) {
      case Scalar::kBtoI: return Width::k8;
      case Scalar::kSelect: return std::max(width(body, in.b), width(body, in.c));
      case Scalar::kMax:
      case Scalar::kMin:
      case Scalar::kAnd:
      case Scalar::kOr:
      case Scalar::kXor: return std::max(width(body, in.a), width(body, in.b));
      case Scalar::kRem: return std::min(width(body, in.a), width(body, in.b));
      case Scalar::kNot:
      case Scalar::kShr: return width(body, in.a);
      case Scalar::kAdd:
      case Scalar::kSub:
      case Scalar::kMul:
        return std::max(width(body, in.a), width(body, in.b)) == Width::k8 ? Width::k32 : Width::k64;
      default: return Width::k64;
    }
  }

  Graph& graph_;
  Width places_;
};

}  // namespace

void narrow(Graph& graph, bool small, bool guess) {
  // How long vectors become under a descriptor of computed lengths only the run knows.
  for (const Node& n : graph.nodes) small = small && n.kind != Combinator::kSegdes;
  if (graph.int_bits == IntBits::k64) Narrower(graph, small).run(guess);
}

}  // namespace nvm::soac
