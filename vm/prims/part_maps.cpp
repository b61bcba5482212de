#include "vm/prims/part_maps.h"

#include <algorithm>
#include <map>
#include <optional>

#include "bytecode/base/stack.h"
#include "vm/prims/chain.h"
#include "vm/prims/elementwise.h"
#include "vm/prims/operands.h"
#include "vm/prims/part_run.h"
#include "vm/prims/pieces.h"

namespace nvm::vm {

namespace {

using FormulaRef = std::shared_ptr<const Formula>;
using Kind = Formula::Kind;

constexpr std::int64_t kFewest = 64;  // elements; shorter vectors are computed faster than described

const Formula* formula_of(const Value& value) {
  const auto* f = std::get_if<FormulaRef>(&value);
  return f == nullptr ? nullptr : f->get();
}
bool unwritten(const Value& value) {
  const Formula* f = formula_of(value);
  return f != nullptr && (f->kind == Kind::kPart || f->kind == Kind::kMapped);
}
std::int64_t length_of(const Value& value) {
  const Formula* f = formula_of(value);
  return f != nullptr ? f->s.total() : std::get<Vector>(value).length();
}

// BPERMUTE: of equally long segments the same part of each stays unwritten.
void leave_part(const PrimCall& call) {
  const Formula* runs = formula_of(call.operands[1]);
  const Segdes& from = segdes_operand(call, 2);
  const Segdes& along = segdes_operand(call, 3);
  const Vector& v = vector_operand(call, 0);
  std::int64_t offset = 0;
  if (runs != nullptr && runs->kind == Kind::kRuns && along.total() >= kFewest && !v.is_repeated() &&
      v.length() == from.total() && from.is_regular() && along.is_regular() && runs->s.identical(along) &&
      from.segments() == along.segments() && same_start(runs->x, call.context, offset) && offset >= 0 &&
      offset + along.regular_length() <= from.regular_length() && along.regular_length() > 0) {
    took(call.context, FastPath::kLeavePart);
    Formula f;
    f.kind = Kind::kPart;
    f.s = along;
    f.other = from;
    f.offset = offset;
    f.left = v;
    call.results[0] = std::make_shared<const Formula>(std::move(f));
    return;
  }
  find_reader(Op::kBpermute, false)(call);
}

void leave_map(const PrimCall& call) {
  const std::size_t n = op_info(call.op).operands.size();
  const std::span<Value> operands(call.operands, n);
  const auto found = std::find_if(operands.begin(), operands.end(), unwritten);
  if (found != operands.end() && std::all_of(operands.begin(), operands.end(), [&](const Value& v) {
        return length_of(v) == length_of(*found);
      })) {
    took(call.context, FastPath::kLeaveMap);
    Formula f;
    f.kind = Kind::kMapped;
    f.op = call.op;
    f.word = call.word;
    f.s = formula_of(*found)->s;
    f.operands.assign(operands.begin(), operands.end());
    call.results[0] = std::make_shared<const Formula>(std::move(f));
    return;
  }
  for (Value& v : operands) write_part(call.context, v);
  run_primitive(call.context, call.op, call.word, operands, {call.results, 1});
}

// Adds what `f` needs to `run`; its number there, or none if it is too much, or segments are not alike.
class Collector {
 public:
  Collector(PartRun& run, const Segdes& s) : run_(run), s_(s) {}
  std::optional<int> add(const Value& value) {
    check_stack();
    const Formula* f = formula_of(value);
    if (f == nullptr) return run_.whole(std::get<Vector>(value));
    if (const auto known = known_.find(f); known != known_.end()) return known->second;
    if (!f->s.identical(s_) || known_.size() >= kMost) return std::nullopt;
    std::optional<int> made;
    if (f->kind == Kind::kPart) {
      made = run_.part(f->left, f->other.regular_length(), f->offset);
    } else {
      made = extreme(*f);
      if (!made) made = map(*f);
    }
    if (made) known_[f] = *made;
    return made;
  }

 private:
  static constexpr std::size_t kMost = 64;

  std::optional<int> map(const Formula& f) {
    std::vector<int> from;
    for (const Value& operand : f.operands) {
      const std::optional<int> made = add(operand);
      if (!made) return std::nullopt;
      from.push_back(*made);
    }
    return run_.map(f.op, f.word, from);
  }
  // A choice between the two INTs that are compared is the smaller or the larger.
  std::optional<int> extreme(const Formula& f) {
    const Formula* flag = op_info(f.op).scalar == Scalar::kSelect ? formula_of(f.operands[0]) : nullptr;
    if (flag == nullptr || flag->kind != Kind::kMapped || !compares(flag->op)) return std::nullopt;
    const Scalar s = op_info(flag->op).scalar;
    if (s == Scalar::kEq || s == Scalar::kNe || flag->word != TypeWord::kInt) return std::nullopt;
    int numbers[4];
    for (std::size_t i = 0; i < 4; ++i) {
      const std::optional<int> made = add(i < 2 ? flag->operands[i] : f.operands[i - 1]);
      if (!made) return std::nullopt;
      numbers[i] = *made;
    }
    const bool kept = numbers[0] == numbers[2] && numbers[1] == numbers[3];
    if (!kept && (numbers[0] != numbers[3] || numbers[1] != numbers[2])) return std::nullopt;
    const bool less = s == Scalar::kLt || s == Scalar::kLe;
    return run_.extreme(kept == less, numbers[0], numbers[1]);
  }

  PartRun& run_;
  const Segdes& s_;
  std::map<const Formula*, int> known_;
};

// Where a DPERMUTE by ascending places puts a part of every segment: from `offset` on.
bool same_place(const PrimCall& call, const Formula& f, std::int64_t& offset) {
  const Formula* runs = formula_of(call.operands[1]);
  const Segdes& source = segdes_operand(call, 3);
  const Segdes& dest = segdes_operand(call, 4);
  return runs != nullptr && runs->kind == Kind::kRuns && runs->s.identical(f.s) && source.identical(f.s) &&
         dest.is_regular() && dest.segments() == f.s.segments() && dest.regular_length() > 0 &&
         same_start(runs->x, call.context, offset) && offset >= 0 &&
         offset + f.s.regular_length() <= dest.regular_length();
}

// The first part waits for the other one.
bool begin(const PrimCall& call, const FormulaRef& f, std::int64_t offset) {
  const auto* defaults = std::get_if<Vector>(&call.operands[2]);
  const Segdes& dest = segdes_operand(call, 4);
  if (defaults == nullptr || !defaults->is_repeated() || defaults->length() != dest.total() ||
      2 * f->s.total() != dest.total())
    return false;
  JoinPart part;
  part.mapped = f;
  part.runs = std::get<FormulaRef>(call.operands[1]);
  part.source = segdes_operand(call, 3);
  part.offset = offset;
  took(call.context, FastPath::kLeaveJoin);
  call.results[0] = waiting_join(dest, *defaults, {std::move(part)});
  return true;
}

// Lets go of what was collected from, so that memory that nobody else sees may be written again.
bool finish(const PrimCall& call, FormulaRef held, std::int64_t offset, const Formula& join) {
  const Formula& f = *held;
  const Segdes& dest = segdes_operand(call, 4);
  if (join.parts.size() != 1 || join.parts[0].mapped == nullptr || !join.s.identical(dest)) return false;
  const JoinPart& other = join.parts[0];
  const std::int64_t n = f.s.regular_length();
  if (!other.mapped->s.identical(f.s) || offset + other.offset != n || (offset != 0 && other.offset != 0))
    return false;
  PartRun run(call.context, f.s.segments(), n);
  Collector collector(run, f.s);
  const std::optional<int> here = collector.add(call.operands[0]);
  const std::optional<int> there = collector.add(other.mapped);
  if (!here || !there) return false;
  took(call.context, FastPath::kJoinParts);
  held.reset();
  call.operands[0] = Value();
  call.operands[2] = Value();
  call.results[0] = offset == 0 ? run.join(*here, *there) : run.join(*there, *here);
  return true;
}

// What several instructions read is written once.
Value write_once(const Formula& f, const PrimContext& context, std::map<const Formula*, Value>& known) {
  check_stack();
  if (f.kind == Kind::kPart) {
    Fresh out(context, f.left.storage(), f.s.total());
    const auto take = kernel_table(context.isa).take_regular[width_index(f.left.storage())];
    take(f.left.raw(), f.other.regular_length(), f.offset, f.s.regular_length(), f.s.segments(), out.data());
    return out.take();
  }
  std::vector<Value> operands = f.operands;
  for (Value& v : operands) {
    if (!unwritten(v)) continue;
    const FormulaRef held = std::get<FormulaRef>(v);
    auto at = known.find(held.get());
    if (at == known.end()) at = known.emplace(held.get(), write_once(*held, context, known)).first;
    v = at->second;
  }
  Value result;
  run_primitive(context, f.op, f.word, operands, {&result, 1});
  return result;
}

}  // namespace

PrimFn find_part_maker(Op op, TypeWord word) {
  if (op == Op::kBpermute) return leave_part;
  return op_info(op).kind == OpKind::kMap && Chain::admits(op, word) ? leave_map : nullptr;
}

bool join_parts(const PrimCall& call, bool may_wait) {
  if (!unwritten(call.operands[0])) return false;
  FormulaRef held = std::get<FormulaRef>(call.operands[0]);
  std::int64_t offset = 0;
  if (!same_place(call, *held, offset)) return false;
  const Formula* join = formula_of(call.operands[2]);
  if (join == nullptr) return may_wait && begin(call, held, offset);
  return join->kind == Kind::kJoin && finish(call, std::move(held), offset, *join);
}

void write_part(const PrimContext& context, Value& value) {
  if (!unwritten(value)) return;
  const FormulaRef held = std::get<FormulaRef>(value);
  value = write_formula(*held, context);
}

Value written_part(const Formula& f, const PrimContext& context) {
  std::map<const Formula*, Value> known;
  return write_once(f, context, known);
}

}  // namespace nvm::vm
