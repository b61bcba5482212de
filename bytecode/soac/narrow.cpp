// Bytes that stores of INT vectors need. What copies elements keeps their width; counts and places fit in
// four bytes where all lengths do; the rest may be guessed, and is checked where it is stored.
//
// Requires: build(). Ensures: only storages of vectors that the graph makes change. Cost: linear.
#include <array>
#include <cstdint>
#include <vector>

#include "bytecode/soac/graph.h"
#include "bytecode/table/ranges.h"

namespace nvm::soac {

namespace {

Storage storage_of(const Range& r) {
  return r.inside(all_ints(8)) ? Storage::kI8 : r.inside(all_ints(32)) ? Storage::kI32 : Storage::kI64;
}

class Narrower {
 public:
  Narrower(Graph& graph, bool small)
      : graph_(graph),
        places_{0, small ? all_ints(32).high : all_lengths(64).high},
        known_(graph.vars.size()) {
    for (std::size_t x = 0; x < known_.size(); ++x)
      if (graph.vars[x].type == Type::kInt && graph.producer[x] < 0)
        known_[x] = all_ints(static_cast<int>(8 * storage_bytes(graph.vars[x].storage)));
  }

  void run(bool guess) {
    for (const Node& n : graph_.nodes) {
      if (n.out == kNone || n.type != Type::kInt) continue;
      Var& out = graph_.vars[static_cast<std::size_t>(n.out)];
      if (graph_.lengths[static_cast<std::size_t>(out.length)] == LengthKind::kOne) continue;
      const Range proved = result(n);
      out.storage = storage_of(proved);
      out.guessed = guess && out.storage == Storage::kI64 && checked_where_stored(n);
      if (out.guessed) out.storage = Storage::kI32;
      // Of a guess nothing is proved: the vector may never be stored, and then nobody checks it.
      known_[static_cast<std::size_t>(n.out)] = proved;
    }
  }

 private:
  // Kernels see every element that these store.
  static bool checked_where_stored(const Node& n) {
    return n.kind == Combinator::kMap || n.kind == Combinator::kFilter || n.kind == Combinator::kSegFilter ||
           n.kind == Combinator::kScan || n.kind == Combinator::kSegScan || partitions(n);
  }

  Range result(const Node& n) {
    switch (n.kind) {
      case Combinator::kMap:
      case Combinator::kFilter:
      case Combinator::kSegFilter:
      case Combinator::kPartition:
      case Combinator::kSegPartition: return of_body(n);
      case Combinator::kPermute:
      case Combinator::kSegPermute: {
        const Range put = hull(of_body(n), kZero);
        return n.init == kNone ? put : hull(put, known(n.init));
      }
      case Combinator::kRank:
      case Combinator::kSegRank: return places_;
      case Combinator::kSegReduce: return counts(n) ? places_ : Range{};
      default: return {};
    }
  }
  static bool counts(const Node& n) {
    const BodyInst& in = n.body.insts[static_cast<std::size_t>(n.value)];
    return n.combine == Scalar::kAdd && in.pull == Pull::kApply && in.scalar == Scalar::kBtoI;
  }
  [[nodiscard]] const Range& known(VarId x) const { return known_[static_cast<std::size_t>(x)]; }

  Range of_body(const Node& n) {
    std::vector<Range> values;
    for (const BodyInst& in : n.body.insts) values.push_back(value(n.body, in, values));
    return values[static_cast<std::size_t>(n.value)];
  }
  Range value(const Body& body, const BodyInst& in, const std::vector<Range>& before) {
    if (in.type == Type::kBool) return {0, 1};
    if (in.type != Type::kInt) return {};
    switch (in.pull) {
      case Pull::kConst: return {in.imm, in.imm};
      case Pull::kUniform: {
        const Var& x = graph_.vars[static_cast<std::size_t>(in.var)];
        return x.is_fixed ? Range{x.fixed, x.fixed} : known(in.var);
      }
      case Pull::kElement:
      case Pull::kPerSegment:
      case Pull::kGather:
      case Pull::kSegGather: return hull(known(in.var), kZero);  // 0 where a gather picks nothing
      case Pull::kIndex:
      case Pull::kSegment:
      case Pull::kWithin: return places_;
      case Pull::kApply: {
        const auto arg = [&](std::int32_t v) {
          return before[static_cast<std::size_t>(v == kNone ? in.a : v)];
        };
        const std::array<Range, 3> args{arg(in.a), arg(in.b), arg(in.c)};
        const std::size_t count = in.b == kNone ? 1 : in.c == kNone ? 2 : 3;
        const Type of = body.insts[static_cast<std::size_t>(in.a)].type;
        const TypeWord word = in.scalar == Scalar::kSelect ? TypeWord::kInt
                              : of == Type::kFloat         ? TypeWord::kFloat
                              : of == Type::kBool          ? TypeWord::kBool
                                                           : TypeWord::kInt;
        return scalar_range(in.scalar, word, 64, {args.data(), count});
      }
      default: return {};
    }
  }

  static constexpr Range kZero{0, 0};
  Graph& graph_;
  const Range places_;
  std::vector<Range> known_;  // by variable
};

}  // namespace

void narrow(Graph& graph, bool small, bool guess) {
  // How long vectors become under a descriptor of computed lengths only the run knows.
  for (const Node& n : graph.nodes) small = small && n.kind != Combinator::kSegdes;
  if (graph.int_bits == IntBits::k64) Narrower(graph, small).run(guess);
}

}  // namespace nvm::soac
