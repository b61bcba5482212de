#include <algorithm>

#include "bytecode/base/at.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "bytecode/plan/masked_flags.h"
#include "bytecode/plan/nest_insts.h"
#include "bytecode/ssa/levels.h"
#include "bytecode/table/op_kind.h"

namespace nvm::plan {

namespace {

using ssa::Inst;
using ssa::ValueId;
using Kind = Meaning::Kind;

// Goes every way that one instance may go.
class Builder {
 public:
  Builder(const ssa::Module& module, ssa::FunctionId function, const std::optional<ssa::Levels>& levels)
      : id_(function),
        f_(module.functions[at(function)]),
        insts_(module, nest_),
        flags_(nest_.body),
        values_(at(f_.values())) {
    if (levels) nest_.sizes = levels->sizes;
    for (std::size_t r = 0; r < f_.results.size(); ++r) {
      if (f_.results[r] == Type::kSegdes)
        nest_.lengths = r;
      else
        nest_.results.push_back(f_.results[r]);
    }
    const std::vector<ValueId>& parameters = f_.blocks[0].parameters;
    for (std::size_t p = 0; p < parameters.size(); ++p) begin(static_cast<std::int32_t>(p), parameters[p]);
  }

  std::optional<Nest> run(std::string& refusal) {
    if (refusal_.empty()) static_cast<void>(go(0));
    if (refusal_.empty() && nest_.most_children() == 0) refuse("it never calls itself");
    if (!refusal_.empty()) {
      refusal = refusal_;
      return std::nullopt;
    }
    insts_.finish();
    return std::move(nest_);
  }

 private:
  static constexpr int kMostSteps = 2000;  // blocks and instructions on all ways together
  static constexpr std::size_t kMostValues = 200, kMostLeaves = 16, kMostPieces = 8;

  void refuse(const std::string& why) {
    if (refusal_.empty()) refusal_ = why;
  }
  [[nodiscard]] Meaning& value(ValueId v) { return values_[at(v)]; }
  [[nodiscard]] NestNumbers& numbers() { return insts_.numbers(); }

  void begin(std::int32_t p, ValueId v) {
    const ssa::Split& split = f_.lifted.parameters[at(p)];
    if (split.kind == ssa::Split::Kind::kFrame) nest_.frame = at(p);
    const bool list = split.kind == ssa::Split::Kind::kUnder;
    nest_.under.push_back(list ? split.under : kNone);
    value(v) = insts_.parameter(p, f_.value_types[at(v)], f_.lifted);
    if (value(v).is(Kind::kNothing)) refuse("its instances are given more than numbers and lists");
  }

  // ---- ways

  // Where a check of the program has failed, or something has effects: an interpreter tells.
  [[nodiscard]] static bool fails(const ssa::Block& block) {
    return block.end.kind == ssa::Exit::kStop ||
           std::any_of(block.insts.begin(), block.insts.end(),
                       [](const Inst& in) { return op_kind(in.op) == OpKind::kHost; });
  }
  std::int32_t add_node(const NestNode& node) {
    nest_.nodes.push_back(node);
    return static_cast<std::int32_t>(nest_.nodes.size() - 1);
  }
  std::int32_t go(ssa::BlockId b) {
    while (refusal_.empty()) {
      if (++steps_ > kMostSteps) refuse("it has too many ways");
      const ssa::Block& block = f_.blocks[at(b)];
      if (fails(block)) return add_node({});
      for (const Inst& in : block.insts)
        if (!step(in)) return kNone;
      const ssa::Terminator& end = block.end;
      if (end.kind == ssa::Exit::kReturn) return leave(end.arguments);
      if (end.kind == ssa::Exit::kJump) b = jump(end);
      if (end.kind != ssa::Exit::kBranch) continue;
      const Meaning& c = value(end.condition);
      if (!c.one_number()) {
        refuse("a decision that is no instance's");
        break;
      }
      const auto holds = flags_.known(c.numbers[0]);
      if (!holds) return fork(c.numbers[0], end);
      b = *holds ? end.target : end.otherwise;
    }
    return kNone;
  }
  ssa::BlockId jump(const ssa::Terminator& end) {
    std::vector<Meaning> passed;
    for (const ValueId v : end.arguments) passed.push_back(value(v));
    const std::vector<ValueId>& parameters = f_.blocks[at(end.target)].parameters;
    for (std::size_t i = 0; i < passed.size(); ++i) value(parameters[i]) = passed[i];
    return end.target;
  }
  std::int32_t fork(std::int32_t c, const ssa::Terminator& end) {
    check_stack();
    if (numbers().called(c)) {
      refuse("a decision about what its recursive call returns");
      return kNone;
    }
    const std::int32_t node = add_node({c, kNone, kNone, kNone});
    const MaskedFlags::Facts facts = flags_.facts();
    const std::vector<Meaning> values = values_;
    const auto children = children_;
    const std::vector<std::int32_t> checks = checks_;
    for (const bool holds : {true, false}) {
      flags_.learn(c, holds);
      const std::int32_t way = go(holds ? end.target : end.otherwise);
      (holds ? nest_.nodes[at(node)].yes : nest_.nodes[at(node)].no) = way;
      flags_.restore(facts);
      values_ = values;
      children_ = children;
      checks_ = checks;
    }
    return node;
  }

  // ---- instructions

  bool step(const Inst& in) {
    if (++steps_ > kMostSteps || nest_.body.insts.size() > kMostValues) refuse("it has too many ways");
    std::vector<Meaning> of;
    for (std::uint32_t k = 0; k < in.operands; ++k) of.push_back(value(f_.operands_of(in)[k]));
    if (op_kind(in.op) == OpKind::kControl) {
      call(in, of);
      return refusal_.empty();
    }
    // What there is no word for may be what nobody needs.
    const bool known =
        std::none_of(of.begin(), of.end(), [](const Meaning& m) { return m.is(Kind::kNothing); });
    const Meaning made = known ? insts_.meaning(in, of) : Meaning{};
    value(in.first_result) = made;
    if (op_info(in.op).effect != Effect::kPure && made.is(Kind::kNothing))
      refuse(std::string(op_info(in.op).text) + " of what an instance has");
    if (op_kind(in.op) == OpKind::kFilter && made.is(Kind::kList))
      value(in.first_result + 1) = NestInsts::kept_lengths(made);
    for (const std::int32_t v : insts_.take_checks()) checks_.push_back(v);
    return refusal_.empty();
  }

  // What every child is given.
  void call(const Inst& in, const std::vector<Meaning>& of) {
    if (in.index != id_) return refuse("it calls another function");
    if (children_) return refuse("it calls itself twice");
    std::optional<std::size_t> count;
    for (std::size_t p = 0; p < of.size(); ++p)
      if (f_.lifted.parameters[p].kind == ssa::Split::Kind::kFrame && of[p].is(Kind::kShape) &&
          of[p].numbers.size() == 1)
        count = numbers().few(of[p].numbers[0]);
    if (!count) return refuse("it calls itself for a number of instances that is not known");
    children_.emplace(*count, std::vector<std::int32_t>(of.size(), kNone));
    for (std::size_t p = 0; p < of.size(); ++p)
      if (!give(p, of)) return refuse("its recursive call is given more than numbers and lists");
    const std::vector<std::int32_t> lengths = nest_.sizes ? of[*nest_.sizes].numbers : found_lengths(*count);
    for (std::uint32_t r = 0; r < in.results; ++r) {
      Meaning& made = value(in.first_result + static_cast<ValueId>(r));
      made = Meaning::shape(lengths);
      if (r == nest_.lengths) continue;
      made = {Kind::kCalled, {}, lengths, {}, {}, static_cast<std::int32_t>(r)};
    }
  }
  [[nodiscard]] std::vector<std::int32_t> found_lengths(std::size_t children) {
    std::vector<std::int32_t> lengths;
    for (std::size_t c = 0; c < children; ++c) {
      soac::BodyInst in;
      in.pull = soac::Pull::kPerSegment;
      in.imm = static_cast<std::int64_t>(c);
      lengths.push_back(nest_.body.add(in));
      numbers().note_length(lengths.back());
    }
    return lengths;
  }
  [[nodiscard]] bool give(std::size_t p, const std::vector<Meaning>& of) {
    const ssa::Split& split = f_.lifted.parameters[p];
    std::vector<std::vector<std::int32_t>>& children = *children_;
    if (split.kind == ssa::Split::Kind::kFrame) return true;
    if (split.kind == ssa::Split::Kind::kInstances) {
      if (!of[p].is(Kind::kShape) && !of[p].is(Kind::kRow)) return false;
      if (of[p].numbers.size() != children.size()) return false;
      for (std::size_t c = 0; c < children.size(); ++c) children[c][p] = of[p].numbers[c];
      return true;
    }
    return give_lists(p, of[p], of[at(split.under)]);
  }
  // Segment by segment one list, which then are laid where they are wanted.
  [[nodiscard]] bool give_lists(std::size_t p, const Meaning& lists, const Meaning& shape) {
    std::vector<std::vector<std::int32_t>>& children = *children_;
    if (!shape.is(Kind::kShape) || shape.numbers.size() != children.size()) return false;
    if (lists.is(Kind::kList) && children.size() == 1 &&
        numbers().equal(lists.list.length, shape.numbers[0])) {
      children[0][p] = insts_.add_list(lists.list);
      return lists.list.space != kNone;
    }
    if (!lists.is(Kind::kPieces)) return false;
    std::int32_t start = numbers().constant(0);
    for (std::size_t c = 0; c < children.size(); ++c) {
      for (const NestPiece& piece : lists.pieces)
        if (numbers().equal(piece.start, start) && numbers().equal(piece.length, shape.numbers[c]))
          children[c][p] = piece.list;
      if (children[c][p] == kNone || nest_.lists[at(children[c][p])].space == kNone) return false;
      start = numbers().sum(start, shape.numbers[c]);
    }
    return numbers().equal(start, lists.list.length) && lists.pieces.size() == children.size();
  }

  // ---- ends

  std::int32_t leave(const std::vector<ValueId>& results) {
    NestLeaf leaf;
    const Meaning& lengths = value(results[nest_.lengths]);
    if (!lengths.is(Kind::kShape) || lengths.numbers.size() != 1) return unlike_list();
    leaf.length = lengths.numbers[0];
    if (nest_.sizes) {
      leaf.wanted = value(f_.blocks[0].parameters[*nest_.sizes]).numbers[0];
      if (numbers().equal(leaf.length, leaf.wanted)) leaf.length = leaf.wanted;
    }
    for (std::size_t r = 0; r < results.size(); ++r) {
      if (r == nest_.lengths) continue;
      auto pieces = laid_out(value(results[r]), static_cast<std::int32_t>(r), leaf.length);
      if (!pieces) return unlike_list();
      leaf.results.push_back(std::move(*pieces));
    }
    if (children_) leaf.children = *children_;
    if (!children_stand_still(leaf) || (!nest_.sizes && !part(leaf))) return unlike_list();
    leaf.checks = checks_;
    for (const std::int32_t v : checks_)
      if (numbers().called(v)) refuse("a check of what its recursive call returns");
    nest_.leaves.push_back(std::move(leaf));
    if (nest_.leaves.size() > kMostLeaves) refuse("it has too many ways");
    return add_node({kNone, kNone, kNone, static_cast<std::int32_t>(nest_.leaves.size() - 1)});
  }
  std::int32_t unlike_list() {
    refuse("a result that is not put together of lists");
    return kNone;
  }
  // Parts what an instance has of its results from what children return; false: the latter are not in it.
  [[nodiscard]] bool part(NestLeaf& leaf) {
    if (leaf.results.empty()) {
      const auto own = numbers().without(leaf.length, found_lengths(leaf.children.size()));
      if (!own) return false;
      leaf.length = *own;
      for (std::size_t c = 0; c < leaf.children.size(); ++c)
        leaf.called.push_back({kNone, static_cast<std::int32_t>(c), numbers().constant(0), kNone});
      return !numbers().called(leaf.length);
    }
    for (auto& pieces : leaf.results) {
      std::vector<NestPiece> own, called;
      std::int32_t end = numbers().constant(0);
      for (NestPiece p : pieces) {
        p.start = end;
        (p.child != kNone ? called : own).push_back(p);
        if (p.child == kNone) end = numbers().sum(end, p.length);
      }
      if (&pieces == &leaf.results.front()) {
        leaf.called = called;
        leaf.length = end;
      }
      for (std::size_t c = 0; c < called.size(); ++c)
        if (called[c].child != leaf.called[c].child ||
            !numbers().equal(called[c].start, leaf.called[c].start))
          return false;
      if (!numbers().equal(end, leaf.length) || numbers().called(end)) return false;
      pieces = std::move(own);
    }
    return true;
  }
  // The pieces of result `r`, one behind the other; nothing unless they fill `length` elements.
  [[nodiscard]] std::optional<std::vector<NestPiece>> laid_out(const Meaning& m, std::int32_t r,
                                                               std::int32_t length) {
    std::vector<NestPiece> open = m.pieces, laid;
    const std::int32_t none = numbers().constant(0);
    if (m.is(Kind::kList)) open = {{insts_.add_list(m.list), kNone, none, m.list.length}};
    if (m.is(Kind::kRow))
      for (std::size_t k = 0; k < m.numbers.size(); ++k) {
        const std::int32_t one = numbers().constant(1);
        open.push_back({insts_.add_list({m.numbers[k], kNone, kNone, one}), kNone,
                        numbers().constant(static_cast<std::int64_t>(k)), one});
      }
    if (m.is(Kind::kCalled)) {
      std::int32_t start = none;
      for (std::size_t c = 0; c < m.lengths.size(); ++c) {
        open.push_back({kNone, static_cast<std::int32_t>(c), start, m.lengths[c]});
        start = numbers().sum(start, m.lengths[c]);
      }
    }
    if ((m.is(Kind::kPieces) || m.is(Kind::kCalled)) && m.result != kNone && m.result != r)
      return std::nullopt;
    if (open.empty() || open.size() > kMostPieces) return std::nullopt;
    std::int32_t end = none;
    while (!open.empty()) {
      const auto next = std::find_if(open.begin(), open.end(),
                                     [&](const NestPiece& p) { return numbers().equal(p.start, end); });
      if (next == open.end()) return std::nullopt;
      if (next->list != kNone && nest_.lists[at(next->list)].space == kNone && !numbers().few(next->length))
        return std::nullopt;
      end = numbers().sum(end, next->length);
      laid.push_back(*next);
      open.erase(next);
    }
    if (!numbers().equal(end, length)) return std::nullopt;
    return laid;
  }
  // Every child once in each result, everywhere at the same place.
  [[nodiscard]] bool children_stand_still(const NestLeaf& leaf) {
    for (std::size_t c = 0; c < leaf.children.size(); ++c) {
      std::int32_t start = kNone;
      for (const auto& pieces : leaf.results) {
        const auto is_child = [&](const NestPiece& p) { return p.child == static_cast<std::int32_t>(c); };
        if (std::count_if(pieces.begin(), pieces.end(), is_child) != 1) return false;
        const NestPiece& piece = *std::find_if(pieces.begin(), pieces.end(), is_child);
        if (start != kNone && !numbers().equal(start, piece.start)) return false;
        start = piece.start;
      }
    }
    return true;
  }

  Nest nest_;
  ssa::FunctionId id_;
  const ssa::Function& f_;
  NestInsts insts_;
  MaskedFlags flags_;
  std::vector<Meaning> values_;  // on the way that is gone
  std::optional<std::vector<std::vector<std::int32_t>>> children_;
  std::vector<std::int32_t> checks_;
  int steps_ = 0;
  std::string refusal_;
};

}  // namespace

bool may_be_nest(const ssa::Module& module, ssa::FunctionId function) {
  const ssa::Function& f = module.functions[at(function)];
  int calls = 0;
  for (const ssa::Block& block : f.blocks)
    for (const Inst& in : block.insts)
      if (op_kind(in.op) == OpKind::kControl && in.index == function) ++calls;
  return f.lifted.lifted && calls == 1 &&
         std::count(f.results.begin(), f.results.end(), Type::kSegdes) == 1 &&
         std::count(f.results.begin(), f.results.end(), Type::kPair) == 0;
}

std::optional<Nest> build_nest(const ssa::Module& module, ssa::FunctionId function, std::string& refusal) {
  const auto levels = ssa::find_levels(module, function);
  if (!may_be_nest(module, function)) refusal = "it is no recursion that returns lists";
  if (module.prefix_lengths) refusal = "operands may be longer than others";
  if (module.int_bits != IntBits::k64) refusal = "INTs have 32 bits";
  if (!refusal.empty()) return std::nullopt;
  return Builder(module, function, levels).run(refusal);
}

}  // namespace nvm::plan
