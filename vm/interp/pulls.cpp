// Vectors that are left as pulls (View::is_gather). Their indices have been looked at, and descriptors and
// lengths agree, so that nothing can fail later but memory.
#include <bit>

#include "vm/interp/pulls.h"

#include "vm/interp/moved.h"
#include "vm/prims/pull.h"

namespace nvm::vm {

namespace {

const View* pull_of(const Value& value) { return view_of(value, &View::is_gather); }

Value make_pull(Vector v, Vector indices, const ssa::Inst* move) {
  View f;
  f.source = View::Source::kElements;
  f.s = Segdes::regular(indices.length(), 1);
  f.x = std::move(v);
  f.base.list = std::move(indices);
  f.move = move;
  return make_view(std::move(f));
}

const Vector* plain(const Value& value) {
  const auto* v = std::get_if<Vector>(&value);
  return v == nullptr || v->is_repeated() || v->is_scalar() ? nullptr : v;
}

// The same object, without looking at elements.
bool same(const Value& a, const Value& b) {
  const Vector* v = plain(a);
  const Vector* w = plain(b);
  if (v != nullptr && w != nullptr)
    return v->place() == w->place() && v->length() == w->length() && v->storage() == w->storage();
  const auto* f = std::get_if<ViewRef>(&a);
  const auto* g = std::get_if<ViewRef>(&b);
  return f != nullptr && g != nullptr && *f == *g;
}

// An instruction that is offered counted when it was put off.
class Again {
 public:
  explicit Again(RegionHook* hook) : hook_(hook) {
    if (hook_ != nullptr) hook_->count_offers(false);
  }
  ~Again() {
    if (hook_ != nullptr) hook_->count_offers(true);
  }
  Again(const Again&) = delete;
  Again& operator=(const Again&) = delete;

 private:
  RegionHook* hook_;
};

}  // namespace

bool Pulls::take(const Step& step) {
  if (step.leaves_pull) return leave(step);
  Value& first = at_.frame[at_.operands_of(step)[0].slot()];
  const View* pull = pull_of(first);
  if (pull == nullptr) return false;
  force_operands(step);
  accounts_.note_line(step);
  if (move(step, *pull)) return true;
  write_one(first, step.site);
  return false;
}

// What a recorder has promised is computed, once for all fields: it is looked at.
void Pulls::force_operands(const Step& step) {
  if (machine_.hook == nullptr) return;
  const Operand* operands = at_.operands_of(step);
  for (std::uint32_t i = 0; i < step.operands; ++i)
    if (!operands[i].is_constant()) force(at_.frame[operands[i].slot()]);
}

// Not of a vector that is longer than what is read from it: that would keep more memory than it saves.
bool Pulls::leave(const Step& step) {
  force_operands(step);
  const Operand* operands = at_.operands_of(step);
  const Vector* v = plain(at_.peek(operands[0]));
  const Vector* indices = plain(at_.peek(operands[1]));
  const auto& from = std::get<Segdes>(at_.peek(operands[2]));
  const auto& to = std::get<Segdes>(at_.peek(operands[3]));
  if (v == nullptr || indices == nullptr || from.segments() != 1 || to.segments() != 1 ||
      v->length() != from.total() || indices->length() != to.total() ||
      indices->length() < views_.long_from || indices->length() < v->length())
    return false;
  if (checked_.length != v->length() || !same(checked_.indices, *indices)) {
    if (!indices_inside(machine_.prims, *indices, v->length())) return false;
    checked_ = {*indices, v->length()};
  }
  took(machine_.prims, FastPath::kLeavePull);
  accounts_.note_line(step);
  accounts_.note_delayed(step);
  if (accounts_.counts()) accounts_.count(step, to.total());
  Value* parts = at_.scratch.data();
  at_.fetch(step, parts);
  finish(step,
         make_pull(std::move(std::get<Vector>(parts[0])), std::move(std::get<Vector>(parts[1])), step.inst));
  return true;
}

bool Pulls::move(const Step& step, const View& pull) {
  const Vector& v = pull.x;
  const Vector& indices = pull.base.list;
  const Operand* operands = at_.operands_of(step);
  const Value& by = at_.peek(operands[1]);
  const auto& first = std::get<Segdes>(at_.peek(operands[2]));
  const auto& second = std::get<Segdes>(at_.peek(operands[step.operands - 1]));
  std::int64_t moved = 0;
  if (moved_.op != step.op || !same(moved_.indices, indices) || !same(moved_.by, by) ||
      !moved_.first.identical(first) || !moved_.second.identical(second)) {
    Value result;
    Moving moving(step.op);
    moving.reads(indices);
    for (std::uint32_t i = 1; i < step.operands; ++i) moving.reads(at_.peek(operands[i]));
    if (!move_indices(step, indices, result)) return false;
    moving.writes(result);
    moved = moving.bytes();
    took(machine_.prims, FastPath::kMovePull);
    moved_ = {indices, by, first, second, step.op, std::move(result)};
  } else {
    took(machine_.prims, FastPath::kMovePullAgain);
  }
  const Vector* made = plain(moved_.result);
  if (made == nullptr) return false;
  accounts_.note_delayed(step);
  if (accounts_.counts()) accounts_.count(step, second.total());
  if (accounts_.counts_moved()) accounts_.moved(moved);
  const bool shorter = made->length() < v.length();
  Value value = make_pull(v, *made, pull.move);
  at_.fetch(step, at_.scratch.data());
  if (shorter) write_one(value, step.site);
  finish(step, std::move(value));
  return true;
}

// What the instruction makes of indices in place of what they pull. False: that is not known to be the same.
bool Pulls::move_indices(const Step& step, const Vector& indices, Value& result) {
  const Operand* from = at_.operands_of(step);
  Value operands[4];
  operands[0] = indices;
  for (std::uint32_t i = 1; i < step.operands; ++i) operands[i] = at_.peek(from[i]);
  if (step.op == Op::kPermute) {
    return plain(operands[1]) != nullptr &&
           permute_one_to_one({machine_.prims, step.op, TypeWord::kInt, operands, &result});
  }
  if (indices.length() != std::get<Segdes>(operands[2]).total()) return false;
  if (views_.leaves && step.alone != nullptr)
    step.alone({machine_.prims, step.op, TypeWord::kInt, operands, &result});
  else
    run_primitive(machine_.prims, step.op, TypeWord::kInt, {operands, step.operands}, {&result, 1});
  return true;
}

void Pulls::finish(const Step& step, Value made) {
  for (std::uint32_t i = 0; i < step.operands; ++i) release(at_.scratch[i]);
  const std::int32_t slot = at_.slots_of(step)[0];
  if (slot >= 0) at_.frame[slot] = std::move(made);
}

void Pulls::write(const Step& step) {
  const Operand* operands = at_.operands_of(step);
  for (std::uint64_t left = step.pulled; left != 0; left &= left - 1) {
    Value& value = at_.frame[operands[std::countr_zero(left)].slot()];
    if (pull_of(value) != nullptr) write_one(value, step.site);
  }
}

// Where lines are recorded, as the instruction that was put off, so that it is fused with what reads it.
void Pulls::write_one(Value& value, const Site& reader) const {
  const View& pull = *pull_of(value);
  Value operands[4] = {pull.x, pull.base.list, Segdes::regular(1, pull.x.length()),
                       Segdes::regular(1, pull.s.total())};
  Value written;
  const Again again(machine_.hook);
  if (machine_.hook == nullptr || !machine_.hook->offer(*pull.move, reader, operands, {&written, 1}))
    written = materialise(pull, machine_.prims);
  if (accounts_.counts_moved() && std::holds_alternative<Vector>(written)) {
    Moving moving(Op::kBpermute);
    moving.reads(value);
    moving.writes(written);
    accounts_.moved(moving.bytes());
  }
  value = std::move(written);
}

void Pulls::forget() {
  if (checked_.length != 0) checked_ = {};
  if (moved_.op != Op::kExit) moved_ = {};
}

}  // namespace nvm::vm
