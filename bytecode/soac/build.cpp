// Region to graph: one combinator per instruction.
//
// Requires: a region whose shapes agree (the recorder unified them). Ensures: check(). Cost: linear.
#include <cmath>
#include <optional>
#include <utility>

#include "bytecode/base/check.h"
#include "bytecode/soac/graph.h"
#include "bytecode/soac/parting.h"

namespace nvm::soac {

namespace {

// What every element of x is, if one number is known to be: of a MAP that takes it from nowhere else.
const BodyInst* same_everywhere(const Graph& graph, VarId x) {
  const std::int32_t from = graph.producer[static_cast<std::size_t>(x)];
  if (from < 0 || graph.nodes[static_cast<std::size_t>(from)].kind != Combinator::kMap) return nullptr;
  const Node& map = graph.nodes[static_cast<std::size_t>(from)];
  const BodyInst& value = map.body.insts[static_cast<std::size_t>(map.value)];
  return value.pull == Pull::kConst || value.pull == Pull::kUniform ? &value : nullptr;
}

// Builds the node of one instruction; `graph_` grows behind it.
class Builder {
 public:
  explicit Builder(const Region& region) : region_(region) {
    graph_.int_bits = region.int_bits;
    graph_.lengths = region.lengths;
    graph_.vars = region.vars;
    graph_.producer.assign(region.vars.size(), -1);
    graph_.counted_by.assign(region.lengths.size(), -1);
  }

  Graph run() {
    find_asked();
    find_partings();
    for (std::size_t i = 0; i < region_.insts.size(); ++i) {
      if (dropped_[i]) continue;
      in_ = &region_.insts[i];
      node_ = Node{};
      node_.inst = static_cast<std::int32_t>(i);
      if (in_->op == Op::kIf) {
        check();
        finish();
        continue;
      }
      node_.out = in_->results.at(0);
      if (asked_[static_cast<std::size_t>(node_.out)] != nullptr) continue;
      node_.type = var(node_.out).type;
      shape();
      finish();
    }
    return std::move(graph_);
  }

 private:
  [[nodiscard]] const Var& var(VarId v) const { return graph_.vars.at(static_cast<std::size_t>(v)); }
  [[nodiscard]] VarId operand(std::size_t i) const { return in_->operands.at(i); }
  [[nodiscard]] bool one(LengthId n) const {
    return graph_.lengths.at(static_cast<std::size_t>(n)) == LengthKind::kOne;
  }
  [[nodiscard]] bool flat(VarId desc) const { return var(desc).form == DescForm::kOneSegment; }
  // As many elements as segments of equal length: one each.
  [[nodiscard]] bool unit(VarId desc) const {
    return var(desc).form == DescForm::kRegular && var(desc).length == var(desc).total;
  }

  std::int32_t add(BodyInst inst) { return node_.body.add(inst); }
  std::int32_t pull(Pull kind, VarId x, VarId desc = kNone) {
    BodyInst b;
    b.pull = kind;
    b.type = x == kNone ? Type::kInt : var(x).type;
    b.var = x;
    b.desc = desc;
    return add(b);
  }
  // x at the iteration: its one element where the space is one, else element i.
  std::int32_t element(VarId x) { return pull(one(var(x).length) ? Pull::kUniform : Pull::kElement, x); }
  // One value per segment of desc, seen from an element.
  std::int32_t per_segment(VarId x, VarId desc) {
    if (unit(desc)) return element(x);
    if (const BodyInst* same = same_everywhere(graph_, x); same != nullptr) return add(*same);
    return flat(desc) ? pull(Pull::kUniform, x) : pull(Pull::kPerSegment, x, desc);
  }
  std::int32_t identity(Scalar combine, Type type) {
    BodyInst in;
    in.type = type;
    if (type == Type::kFloat)
      in.real = float_identity(combine);
    else
      in.imm = type == Type::kInt ? int_identity(combine, graph_.int_bits) : bool_identity(combine);
    return add(in);
  }
  std::int32_t apply(Scalar s, Type type, std::int32_t a, std::int32_t b = kNone, std::int32_t c = kNone) {
    return node_.body.apply(s, type, a, b, c);
  }

  // Whether any element is wrong is not computed for a check that alone asks: the elements are checked.
  void find_asked() {
    std::vector<int> uses(region_.vars.size(), 0);
    for (const RegionInst& in : region_.insts)
      for (const VarId x : in.operands) ++uses[static_cast<std::size_t>(x)];
    std::vector<const RegionInst*> any(region_.vars.size(), nullptr);
    for (const RegionInst& in : region_.insts)
      if (in.op == Op::kOrReduce && in.word == TypeWord::kBool && flat(in.operands.at(1)))
        any[static_cast<std::size_t>(in.results.at(0))] = &in;
    asked_.assign(region_.vars.size(), nullptr);
    for (const RegionInst& in : region_.insts) {
      if (in.op != Op::kIf) continue;
      const auto x = static_cast<std::size_t>(in.operands.at(0));
      if (uses[x] == 1 && region_.vars[x].role == VarRole::kTemp) asked_[x] = any[x];
    }
  }

  // What ranked the elements for PERMUTEs that part them is not computed if nobody else looks.
  void find_partings() {
    dropped_.assign(region_.insts.size(), false);
    partings_.resize(region_.insts.size());
    bool any = false;
    for (std::size_t i = 0; i < region_.insts.size(); ++i) {
      partings_[i] = parting(region_, region_.insts[i]);
      any |= partings_[i].has_value();
    }
    if (!any) return;
    const std::vector<bool> needed = needed_insts();
    for (std::size_t i = 0; i < needed.size(); ++i) dropped_[i] = !needed[i];
  }
  // Instructions that something needs; PERMUTEs that part need flags and base instead of places.
  [[nodiscard]] std::vector<bool> needed_insts() const {
    std::vector<bool> vars(region_.vars.size(), false), insts(region_.insts.size(), false);
    for (std::size_t x = 0; x < vars.size(); ++x) vars[x] = region_.vars[x].role == VarRole::kOutput;
    const auto need = [&](VarId x) { vars[static_cast<std::size_t>(x)] = true; };
    for (std::size_t i = insts.size(); i-- > 0;) {
      const RegionInst& in = region_.insts[i];
      const Effect effect = in.op == Op::kIf ? Effect::kFaults : op_info(in.op).effect;
      insts[i] = effect != Effect::kPure || op_info(in.op).kind == OpKind::kFilter;
      for (const VarId r : in.results) insts[i] = insts[i] || vars[static_cast<std::size_t>(r)];
      if (!insts[i]) continue;
      for (const VarId x : in.operands)
        if (!partings_[i] || x != in.operands[1]) need(x);
      if (!partings_[i]) continue;
      need(partings_[i]->flags);
      need(partings_[i]->base);
    }
    return insts;
  }

  void check() {
    const RegionInst* any = asked_[static_cast<std::size_t>(operand(0))];
    const VarId flags = any != nullptr ? any->operands.at(0) : operand(0);
    node_.kind = Combinator::kCheck;
    node_.type = Type::kBool;
    node_.space = var(flags).length;
    node_.value = node_.flag = element(flags);
  }

  void shape() {
    switch (op_info(in_->op).kind) {
      case OpKind::kMap: map(); break;
      case OpKind::kDist: dist(); break;
      case OpKind::kIota: iota(); break;
      case OpKind::kGather: gather(); break;
      case OpKind::kExtract: extract(); break;
      case OpKind::kScan: fold(Combinator::kScan, Combinator::kSegScan); break;
      case OpKind::kReduce: fold(Combinator::kReduce, Combinator::kSegReduce); break;
      case OpKind::kFilter: filter(); break;
      case OpKind::kScatter: scatter(); break;
      case OpKind::kReplace: replace(); break;
      case OpKind::kRank: rank(); break;
      case OpKind::kRandom: random(); break;
      case OpKind::kShape: in_->op == Op::kMakeSegdes ? segdes() : count(); break;
      default: NVM_CHECK(false, "an instruction that is not recordable");
    }
  }

  void map() {
    node_.space = var(node_.out).length;
    std::int32_t args[3] = {kNone, kNone, kNone};
    for (std::size_t i = 0; i < in_->operands.size(); ++i) args[i] = element(operand(i));
    node_.value = apply(op_info(in_->op).scalar, node_.type, args[0], args[1], args[2]);
  }

  void dist() {
    node_.space = var(node_.out).length;
    node_.value = per_segment(operand(0), operand(1));
  }

  void iota() {
    node_.space = var(node_.out).length;
    const VarId desc = operand(2);
    const auto is = [&](std::size_t i, std::int64_t value) { return is_always(region_, operand(i), value); };
    if (unit(desc)) {
      node_.value = element(operand(0));
      return;
    }
    node_.value = flat(desc) ? pull(Pull::kIndex, kNone) : pull(Pull::kWithin, kNone, desc);
    if (!is(1, 1)) node_.value = apply(Scalar::kMul, Type::kInt, per_segment(operand(1), desc), node_.value);
    if (!is(0, 0)) node_.value = apply(Scalar::kAdd, Type::kInt, per_segment(operand(0), desc), node_.value);
  }

  void gather() {
    const bool flagged = in_->op == Op::kBfpermute;
    const VarId source = operand(flagged ? 3 : 2);
    node_.space = var(node_.out).length;
    BodyInst g;
    g.a = element(operand(1));
    if (flagged) g.b = element(operand(2));
    g.type = node_.type;
    g.var = operand(0);
    g.pull = flat(source) ? Pull::kGather : Pull::kSegGather;
    if (!flat(source)) {
      g.desc = operand(flagged ? 4 : 3);
      g.desc2 = source;
    }
    node_.value = add(g);
  }

  // One element of each segment.
  void extract() {
    node_.space = var(node_.out).length;
    BodyInst g;
    g.a = element(operand(1));
    g.type = node_.type;
    g.var = operand(0);
    g.pull = flat(operand(2)) ? Pull::kGather : Pull::kSegGather;
    if (!flat(operand(2))) g.desc2 = operand(2);
    node_.value = add(g);
  }

  // The place of the index-th element of the segment of `dest` that has the number of an iteration's segment
  // in `source`, kNone: of the iteration; only where `flag` is T, if there is one.
  std::int32_t place(VarId source, VarId dest, std::int32_t index, std::int32_t flag = kNone) {
    BodyInst p;
    p.pull = Pull::kSegPlace;
    p.a = index;
    p.b = flag;
    p.desc = source;
    p.desc2 = dest;
    return add(p);
  }

  // REPLACE v i x s: a PERMUTE of one element for each segment over a copy of v.
  void replace() {
    const VarId desc = operand(3);
    node_.kind = Combinator::kPermute;
    node_.space = var(operand(2)).length;
    node_.value = element(operand(2));
    node_.index = element(operand(1));
    if (!flat(desc)) node_.index = place(kNone, desc, node_.index);
    node_.init = operand(0);
    node_.distinct = true;
  }

  void fold(Combinator plain, Combinator segmented) {
    const VarId desc = operand(1);
    const Scalar combine = op_info(in_->op).scalar;
    if (unit(desc)) {  // the first element of a segment and its only one
      node_.space = var(node_.out).length;
      node_.value = identity(combine, node_.type);
      if (plain == Combinator::kReduce)
        node_.value = apply(combine, node_.type, node_.value, element(operand(0)));
      return;
    }
    node_.kind = flat(desc) ? plain : segmented;
    node_.desc = flat(desc) ? kNone : desc;
    node_.space = var(operand(0)).length;
    node_.combine = combine;
    node_.value = element(operand(0));
  }

  void filter() {
    const VarId desc = operand(2);
    node_.kind = flat(desc) ? Combinator::kFilter : Combinator::kSegFilter;
    node_.desc = flat(desc) ? kNone : desc;
    node_.space = var(operand(0)).length;
    node_.value = element(operand(0));
    node_.flag = element(operand(1));
    node_.flags_of = operand(1);
    node_.out_desc = in_->results.at(1);
    node_.out_length = var(node_.out).length;
  }

  // PERMUTE v i s; DPERMUTE v i d ss ds; FPERMUTE v i f ss ds; DFPERMUTE v i f d ss ds.
  void scatter() {
    const std::size_t last = in_->operands.size() - 1;
    const VarId source = operand(in_->op == Op::kPermute ? last : last - 1), dest = operand(last);
    const bool segmented = !flat(source);
    node_.kind = Combinator::kPermute;
    node_.space = var(operand(0)).length;
    node_.value = element(operand(0));
    if (const auto& p = partings_[static_cast<std::size_t>(node_.inst)]; p && !one(node_.space)) {
      node_.kind = segmented ? Combinator::kSegPartition : Combinator::kPartition;
      if (segmented) node_.desc = source;
      node_.flag = element(p->flags);
      if (!p->flagged_last) node_.flag = apply(Scalar::kNot, Type::kBool, node_.flag);
      node_.init = p->base;
      return;
    }
    node_.index = element(operand(1));
    if (in_->op == Op::kFpermute || in_->op == Op::kDfpermute) node_.flag = element(operand(2));
    if (in_->op == Op::kDpermute && !is_always(region_, operand(2), 0)) node_.init = operand(2);
    if (in_->op == Op::kDfpermute) node_.init = operand(3);
    if (!segmented) return;
    // As many elements as segments write each into its own.
    node_.distinct = unit(source);
    node_.desc = node_.distinct ? kNone : source;
    if (!node_.distinct) node_.kind = Combinator::kSegPermute;
    node_.index = place(node_.desc, dest, node_.index, node_.flag);
  }

  // RANK_UP v s.
  void rank() {
    const VarId desc = operand(1);
    node_.kind = flat(desc) ? Combinator::kRank : Combinator::kSegRank;
    node_.desc = flat(desc) ? kNone : desc;
    node_.space = var(operand(0)).length;
    node_.value = element(operand(0));
    node_.down = in_->op == Op::kRankDown;
  }

  void random() {
    node_.kind = Combinator::kRandom;
    node_.space = var(operand(0)).length;
    node_.value = element(operand(0));
  }

  void segdes() {
    node_.kind = Combinator::kSegdes;
    node_.space = var(operand(0)).length;
    node_.value = element(operand(0));
    node_.type = Type::kInt;
    node_.out = kNone;
    node_.out_desc = in_->results.at(0);
    node_.out_length = var(node_.out_desc).total;
  }

  // LENGTH of what a filter keeps, LENGTHS of its descriptor: the flags, counted.
  void count() {
    const VarId x = operand(0);
    const std::int32_t made = graph_.producer[static_cast<std::size_t>(x)];
    const bool kept = made >= 0 && filters(graph_.nodes[static_cast<std::size_t>(made)]);
    const bool listed = made >= 0 && var(x).is_desc;
    const LengthId all = var(x).is_desc ? var(x).total : var(x).length;
    const std::int32_t by = kept || listed ? made : graph_.counted_by.at(static_cast<std::size_t>(all));
    NVM_CHECK(by >= 0, "a length that the recorder knows is not recorded");
    const Node source = graph_.nodes[static_cast<std::size_t>(by)];
    if (source.kind == Combinator::kSegdes) return lengths_given(source, listed);
    node_.body = source.body;
    node_.kind = source.kind == Combinator::kFilter ? Combinator::kReduce : Combinator::kSegReduce;
    if (!listed) node_.kind = Combinator::kReduce;
    node_.desc = node_.kind == Combinator::kSegReduce ? source.desc : kNone;
    node_.space = source.space;
    node_.combine = Scalar::kAdd;
    node_.value = apply(Scalar::kBtoI, Type::kInt, source.flag);
  }

  // Of a descriptor of computed lengths: these, or their sum.
  void lengths_given(const Node& source, bool listed) {
    node_.body = source.body;
    node_.value = source.value;
    node_.space = source.space;
    if (listed || one(source.space)) return;
    node_.kind = Combinator::kReduce;
    node_.combine = Scalar::kAdd;
  }

  void finish() {
    if (node_.kind == Combinator::kMap && one(node_.space)) node_.kind = Combinator::kOnce;
    const auto id = static_cast<std::int32_t>(graph_.nodes.size());
    // Filters of the same flags share their descriptor; the first makes it.
    for (const VarId made : {node_.out, node_.out_desc})
      if (made != kNone && graph_.producer[static_cast<std::size_t>(made)] < 0)
        graph_.producer[static_cast<std::size_t>(made)] = id;
    if (node_.out_length != kNone) {
      std::int32_t& first = graph_.counted_by[static_cast<std::size_t>(node_.out_length)];
      if (first < 0) first = id;
    }
    graph_.nodes.push_back(std::move(node_));
  }

  const Region& region_;
  Graph graph_;
  const RegionInst* in_ = nullptr;
  Node node_;
  std::vector<std::optional<Parting>> partings_;  // by instruction
  std::vector<bool> dropped_;
  std::vector<const RegionInst*> asked_;  // by VarId: the OR_REDUCE that makes it, if only a check reads it
};

}  // namespace

bool recordable(Op op) {
  switch (op_info(op).kind) {
    case OpKind::kMap:
    case OpKind::kDist:
    case OpKind::kIota:
    case OpKind::kGather:
    case OpKind::kExtract:
    case OpKind::kScan:
    case OpKind::kReduce:
    case OpKind::kFilter:
    case OpKind::kScatter:
    case OpKind::kReplace:
    case OpKind::kRank:
    case OpKind::kRandom:
    case OpKind::kShape: return true;
    case OpKind::kControl: return op == Op::kIf;
    default: return false;
  }
}

Graph build(const Region& region) { return Builder(region).run(); }

}  // namespace nvm::soac
