#include "bytecode/soac/parting.h"

namespace nvm::soac {

namespace {

const RegionInst* maker_of(const Region& region, VarId x) {
  for (const RegionInst& in : region.insts)
    if (!in.results.empty() && in.results[0] == x) return &in;
  return nullptr;
}

// A sum of what places are made of.
struct Place {
  int index = 0;  // how often INDEX from 0
  int rank = 0;   // how often the scan of the flags
  int other = 0;  // how often the scan of their complement
  VarId base = kNone;

  // The rank among the elements whose flag is T, or those whose flag is F.
  [[nodiscard]] bool ranks_true() const {
    return (index == 0 && rank == 1 && other == 0) || (index == 1 && rank == 0 && other == -1);
  }
  [[nodiscard]] bool ranks_false() const {
    return (index == 0 && rank == 0 && other == 1) || (index == 1 && rank == -1 && other == 0);
  }
};

class Reader {
 public:
  // `desc`: the segments; kNone: all of `space` is one.
  Reader(const Region& region, LengthId space, VarId desc) : region_(region), space_(space), desc_(desc) {}

  std::optional<Parting> run(VarId places) {
    const RegionInst* select = maker(places, Op::kSelect);
    if (select == nullptr) return std::nullopt;
    flags_ = select->operands[0];
    Place where_true, where_false;
    if (!add(where_true, select->operands[1], 1) || !add(where_false, select->operands[2], 1) ||
        !where_true.ranks_true() || !where_false.ranks_false())
      return std::nullopt;
    const bool last = where_true.base != kNone;
    if (last == (where_false.base != kNone)) return std::nullopt;
    return Parting{flags_, last ? where_true.base : where_false.base, last};
  }

 private:
  [[nodiscard]] const Var& var(VarId x) const { return region_.vars[static_cast<std::size_t>(x)]; }
  [[nodiscard]] bool fits(VarId desc) const {
    if (desc_ != kNone) return desc == desc_;
    return var(desc).form == DescForm::kOneSegment && var(desc).total == space_;
  }
  [[nodiscard]] const RegionInst* maker(VarId x) const { return maker_of(region_, x); }
  [[nodiscard]] const RegionInst* maker(VarId x, Op op) const {
    const RegionInst* in = maker(x);
    return in != nullptr && in->op == op ? in : nullptr;
  }
  [[nodiscard]] bool complements(VarId x, VarId y) const {
    const RegionInst* inverse = maker(x, Op::kNot);
    return inverse != nullptr && inverse->operands[0] == y;
  }

  // Adds `times` what x is; false if that is nothing known. Such sums are short: deep ones are let go.
  bool add(Place& place, VarId x, int times, int depth = 0) {
    const RegionInst* in = maker(x);
    if (in == nullptr || in->word == TypeWord::kFloat || depth > 4) return false;
    switch (in->op) {
      case Op::kAdd:
      case Op::kSub:
        return add(place, in->operands[0], times, depth + 1) &&
               add(place, in->operands[1], in->op == Op::kAdd ? times : -times, depth + 1);
      case Op::kIndex:
        place.index += times;
        return is_always(region_, in->operands[0], 0) && is_always(region_, in->operands[1], 1) &&
               fits(in->operands[2]);
      case Op::kDist:
        if (times != 1 || place.base != kNone || !fits(in->operands[1])) return false;
        place.base = in->operands[0];
        return true;
      case Op::kAddScan: return fits(in->operands[1]) && add_rank(place, in->operands[0], times);
      default: return false;
    }
  }
  bool add_rank(Place& place, VarId ones, int times) {
    const RegionInst* from = maker(ones, Op::kBtoI);
    if (from == nullptr) return false;
    const VarId flags = from->operands[0];
    if (flags != flags_ && !complements(flags, flags_) && !complements(flags_, flags)) return false;
    (flags == flags_ ? place.rank : place.other) += times;
    return true;
  }

  const Region& region_;
  LengthId space_;
  VarId desc_;
  VarId flags_ = kNone;
};

}  // namespace

bool is_always(const Region& region, VarId x, std::int64_t value) {
  for (const RegionInst* in = maker_of(region, x); in != nullptr && in->op == Op::kDist;
       in = maker_of(region, x))
    x = in->operands[0];
  const Var& v = region.vars[static_cast<std::size_t>(x)];
  return v.is_fixed && v.fixed == value;
}

std::optional<Parting> parting(const Region& region, const RegionInst& permute) {
  if (permute.op != Op::kPermute) return std::nullopt;
  const Var& desc = region.vars[static_cast<std::size_t>(permute.operands[2])];
  const VarId segments = desc.form == DescForm::kOneSegment ? kNone : permute.operands[2];
  return Reader(region, desc.total, segments).run(permute.operands[1]);
}

bool parts(const Region& region, VarId places) {
  const LengthId space = region.vars[static_cast<std::size_t>(places)].length;
  return Reader(region, space, kNone).run(places).has_value();
}

}  // namespace nvm::soac
