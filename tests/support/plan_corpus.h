// Plans that together use every combinator, pull and sink; made by hand-written regions.
#pragma once

#include <string>
#include <vector>

#include "bytecode/plan/schedule.h"
#include "tests/support/region_builder.h"

namespace nvm::test {

struct NamedPlan {
  std::string name;
  plan::Plan plan;
};

namespace corpus {

inline void axpy(RegionBuilder& r) {
  const auto n = r.length();
  const auto x = r.vector(Type::kFloat, n);
  const auto a = r.scalar(Type::kFloat);
  const auto ax = r.op(Op::kMul, TypeWord::kFloat, {x, r.op(Op::kDist, TypeWord::kFloat, {a, r.whole(n)})});
  r.live(r.op(Op::kAdd, TypeWord::kFloat, {ax, r.vector(Type::kFloat, n)}));
}

inline void dot(RegionBuilder& r) {
  const auto n = r.length();
  const auto p = r.op(Op::kMul, TypeWord::kFloat, {r.vector(Type::kFloat, n), r.vector(Type::kFloat, n)});
  r.live(r.op(Op::kAddReduce, TypeWord::kFloat, {p, r.whole(n)}));
}

// Filter to reduction to scalar work: two kernels.
inline void norm2(RegionBuilder& r) {
  const auto n = r.length();
  const auto x = r.vector(Type::kFloat, n);
  const auto zero = r.op(Op::kDist, TypeWord::kFloat, {r.scalar(Type::kFloat), r.whole(n)});
  const auto kept =
      r.op(Op::kPack, TypeWord::kFloat, {x, r.op(Op::kGt, TypeWord::kFloat, {x, zero}), r.whole(n)});
  const auto whole = r.second_result();
  const auto squares = r.op(Op::kMul, TypeWord::kFloat, {kept, kept});
  const auto sum = r.op(Op::kAddReduce, TypeWord::kFloat, {squares, whole});
  r.live(r.op(Op::kSqrt, TypeWord::kNone, {sum}));
}

// Its vector divided by it. Not in the corpus, which looks at one combinator after the other.
inline void normalised(RegionBuilder& r) {
  const auto n = r.length();
  const auto v = r.vector(Type::kFloat, n);
  const auto whole = r.whole(n);
  const auto zero = r.op(Op::kDist, TypeWord::kFloat, {r.scalar(Type::kFloat), whole});
  const auto kept = r.op(Op::kPack, TypeWord::kFloat, {v, r.op(Op::kGt, TypeWord::kFloat, {v, zero}), whole});
  const auto kept_whole = r.second_result();
  const auto squares = r.op(Op::kMul, TypeWord::kFloat, {kept, kept});
  const auto sum = r.op(Op::kAddReduce, TypeWord::kFloat, {squares, kept_whole});
  const auto root = r.op(Op::kSqrt, TypeWord::kNone, {sum});
  r.live(r.op(Op::kDiv, TypeWord::kFloat, {v, r.op(Op::kDist, TypeWord::kFloat, {root, whole})}));
}

inline void filter(RegionBuilder& r) {
  const auto n = r.length();
  const auto x = r.vector(Type::kInt, n);
  const auto s = r.op(Op::kAddScan, TypeWord::kInt, {x, r.whole(n)});
  const auto odd = r.op(Op::kGt, TypeWord::kInt, {x, s});
  r.live(r.op(Op::kPack, TypeWord::kInt, {s, odd, r.whole(n)}));
  r.live(r.op(Op::kPack, TypeWord::kInt, {x, r.vector(Type::kBool, n), r.whole(n)}));
}

inline void segmented(RegionBuilder& r) {
  const auto n = r.length();
  const auto k = r.length();
  const auto s = r.segments(k, n);
  const auto x = r.vector(Type::kFloat, n);
  const auto sum = r.op(Op::kAddReduce, TypeWord::kFloat, {x, s});
  r.live(sum);
  r.live(r.op(Op::kMaxScan, TypeWord::kFloat, {x, s}));
  const auto mean = r.op(Op::kDist, TypeWord::kFloat, {sum, s});
  r.live(r.op(Op::kSub, TypeWord::kFloat, {x, mean}));
  r.live(r.op(Op::kIndex, TypeWord::kNone, {r.vector(Type::kInt, k), r.vector(Type::kInt, k), s}));
}

inline void segmented_filter(RegionBuilder& r) {
  const auto n = r.length();
  const auto k = r.length();
  const auto s = r.segments(k, n);
  const auto x = r.vector(Type::kInt, n);
  const auto kept = r.op(Op::kPack, TypeWord::kInt, {x, r.vector(Type::kBool, n), s});
  const auto kept_by = r.second_result();
  r.live(kept_by);
  r.live(r.op(Op::kAddReduce, TypeWord::kInt, {kept, kept_by}));
  r.live(r.op(Op::kAddScan, TypeWord::kInt, {kept, kept_by}));
}

inline void gather(RegionBuilder& r) {
  const auto n = r.length();
  const auto m = r.length();
  const auto k = r.length();
  const auto x = r.vector(Type::kFloat, n);
  const auto i = r.vector(Type::kInt, m);
  r.live(r.op(Op::kBpermute, TypeWord::kFloat, {x, i, r.whole(n), r.whole(m)}));
  r.live(r.op(Op::kBpermute, TypeWord::kFloat, {x, i, r.segments(k, n), r.segments(k, m)}));
  r.live(r.op(Op::kBfpermute, TypeWord::kFloat,
              {x, i, r.vector(Type::kBool, m), r.segments(k, n), r.segments(k, m)}));
}

inline void scatter(RegionBuilder& r) {
  const auto n = r.length();
  const auto m = r.length();
  const auto x = r.vector(Type::kFloat, n);
  const auto i = r.vector(Type::kInt, n);
  r.live(r.op(Op::kPermute, TypeWord::kFloat, {x, i, r.whole(n)}));
  r.live(r.op(Op::kDfpermute, TypeWord::kFloat,
              {x, i, r.vector(Type::kBool, n), r.vector(Type::kFloat, m), r.whole(n), r.whole(m)}));
}

inline void partition(RegionBuilder& r) {
  const auto n = r.length();
  const auto x = r.vector(Type::kFloat, n);
  const auto flags = r.op(Op::kLt, TypeWord::kFloat, {x, r.vector(Type::kFloat, n)});
  const auto places = r.split_places(flags, flags, r.scalar(Type::kInt), n);
  r.live(r.op(Op::kPermute, TypeWord::kFloat, {x, places, r.whole(n)}));
}

// Permutes within segments: over zeros, over defaults, where flagged; one element of each.
inline void segmented_scatter(RegionBuilder& r) {
  const auto n = r.length();
  const auto m = r.length();
  const auto k = r.length();
  const auto s = r.segments(k, n), t = r.segments(k, m);
  const auto x = r.vector(Type::kFloat, n);
  const auto i = r.vector(Type::kInt, n);
  const auto d = r.vector(Type::kFloat, m);
  r.live(r.op(Op::kPermute, TypeWord::kFloat, {x, i, s}));
  r.live(r.op(Op::kDpermute, TypeWord::kFloat, {x, i, d, s, t}));
  r.live(r.op(Op::kDfpermute, TypeWord::kFloat, {x, i, r.vector(Type::kBool, n), d, s, t}));
  const auto at = r.vector(Type::kInt, k);
  const auto taken = r.op(Op::kExtract, TypeWord::kFloat, {x, at, s});
  r.live(r.op(Op::kReplace, TypeWord::kFloat, {d, r.vector(Type::kInt, k), taken, t}));
  r.live(r.op(Op::kReplace, TypeWord::kFloat, {x, r.scalar(Type::kInt), r.scalar(Type::kFloat), r.whole(n)}));
}

inline void segmented_partition(RegionBuilder& r) {
  const auto n = r.length();
  const auto k = r.length();
  const auto s = r.segments(k, n);
  const auto x = r.vector(Type::kFloat, n);
  const auto flags = r.op(Op::kLt, TypeWord::kFloat, {x, r.vector(Type::kFloat, n)});
  const auto zero = r.vector(Type::kInt, k), one = r.vector(Type::kInt, k);
  r.fix(zero, 0);
  r.fix(one, 1);
  const auto places = r.split_places(flags, flags, r.vector(Type::kInt, k), s, zero, one);
  r.live(r.op(Op::kPermute, TypeWord::kFloat, {x, places, s}));
}

// Every scalar operation, on the types that its instructions have.
inline void scalars(RegionBuilder& r) {
  const auto n = r.length();
  for (const OpInfo& info : all_ops()) {
    if (info.kind != OpKind::kMap) continue;
    for (const TypeWord word : {TypeWord::kNone, TypeWord::kInt, TypeWord::kFloat, TypeWord::kBool}) {
      if (!word_allowed(info.op, word)) continue;
      soac::VarId x[3] = {};
      for (std::size_t i = 0; i < info.operands.size(); ++i)
        x[i] = r.vector(letter_type(info.operands[i], word), n);
      r.live(info.operands.size() == 1   ? r.op(info.op, word, {x[0]})
             : info.operands.size() == 2 ? r.op(info.op, word, {x[0], x[1]})
                                         : r.op(info.op, word, {x[0], x[1], x[2]}));
    }
  }
}

// A folding operation flat and segmented, reduced and scanned.
inline void fold_both(RegionBuilder& r, Op reduce, Op scan, TypeWord word) {
  const auto n = r.length();
  const auto s = r.segments(r.length(), n);
  const auto x = r.vector(type_of(word), n);
  for (const Op op : {reduce, scan}) {
    r.live(r.op(op, word, {x, r.whole(n)}));
    r.live(r.op(op, word, {x, s}));
  }
}
inline void sums(RegionBuilder& r) { fold_both(r, Op::kAddReduce, Op::kAddScan, TypeWord::kFloat); }
inline void products(RegionBuilder& r) { fold_both(r, Op::kMulReduce, Op::kMulScan, TypeWord::kInt); }
inline void disjunctions(RegionBuilder& r) { fold_both(r, Op::kOrReduce, Op::kOrScan, TypeWord::kBool); }

// RAND between what makes its limits and what uses the numbers.
inline void drawn(RegionBuilder& r) {
  const auto x = r.vector(Type::kInt, r.length());
  const auto limits = r.op(Op::kMul, TypeWord::kInt, {x, x});
  r.live(r.op(Op::kAdd, TypeWord::kInt, {r.op(Op::kRand, TypeWord::kNone, {limits}), x}));
}
// Sums of copies, as many as lengths that are computed say.
inline void copied(RegionBuilder& r) {
  const auto x = r.vector(Type::kInt, r.length());
  const auto desc = r.op(Op::kMakeSegdes, TypeWord::kNone, {r.op(Op::kAdd, TypeWord::kInt, {x, x})});
  const auto copies = r.op(Op::kDist, TypeWord::kInt, {x, desc});
  r.live(r.op(Op::kAddReduce, TypeWord::kInt, {r.op(Op::kMul, TypeWord::kInt, {copies, copies}), desc}));
}

}  // namespace corpus

inline std::vector<NamedPlan> plan_corpus(IntBits bits) {
  struct Row {
    const char* name;
    void (*make)(RegionBuilder&);
  };
  static constexpr Row kRows[] = {
      {"axpy", corpus::axpy},
      {"dot", corpus::dot},
      {"norm2", corpus::norm2},
      {"filter", corpus::filter},
      {"segmented", corpus::segmented},
      {"segmented_filter", corpus::segmented_filter},
      {"gather", corpus::gather},
      {"scatter", corpus::scatter},
      {"partition", corpus::partition},
      {"segmented_scatter", corpus::segmented_scatter},
      {"segmented_partition", corpus::segmented_partition},
      {"scalars", corpus::scalars},
      {"sums", corpus::sums},
      {"products", corpus::products},
      {"disjunctions", corpus::disjunctions},
  };
  std::vector<NamedPlan> plans;
  for (const Row& row : kRows) {
    RegionBuilder builder(bits);
    row.make(builder);
    plan::Plan p = plan::fuse(soac::build(builder.region()), plan::Fusion::kGreedy);
    plan::check(p);
    plans.push_back({row.name, std::move(p)});
  }
  return plans;
}

}  // namespace nvm::test
