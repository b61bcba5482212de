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

constexpr std::int64_t kFewest = 64;  // elements; shorter vectors are computed faster than described

bool delayed(const Value& value) {
  const View* f = view_of(value);
  return f != nullptr && (f->is_slice() || f->is_map());
}
std::int64_t length_of(const Value& value) {
  const View* f = view_of(value);
  return f != nullptr ? f->s.total() : std::get<Vector>(value).length();
}

// BPERMUTE: of equally long segments the same part of each stays delayed.
void leave_part(const PrimCall& call) {
  const View* runs = view_of(call.operands[1]);
  const Segdes& from = segdes_operand(call, 2);
  const Segdes& along = segdes_operand(call, 3);
  const Vector& v = vector_operand(call, 0);
  std::int64_t offset = 0;
  if (runs != nullptr && runs->is_runs() && along.total() >= kFewest && !v.is_repeated() &&
      v.length() == from.total() && from.is_regular() && along.is_regular() && runs->s.identical(along) &&
      from.segments() == along.segments() && same_start(runs->base.list, offset) && offset >= 0 &&
      offset + along.regular_length() <= from.regular_length() && along.regular_length() > 0) {
    took(call.context, FastPath::kLeavePart);
    View f;
    f.source = View::Source::kElements;
    f.s = along;
    f.x = v;
    f.base = {Vector::of_int(offset), from.regular_length()};
    call.results[0] = make_view(std::move(f));
    return;
  }
  find_reader(Op::kBpermute, false)(call);
}

void leave_map(const PrimCall& call) {
  const std::size_t n = op_info(call.op).operands.size();
  const std::span<Value> operands(call.operands, n);
  const auto found = std::find_if(operands.begin(), operands.end(), delayed);
  if (found != operands.end() && std::all_of(operands.begin(), operands.end(), [&](const Value& v) {
        return length_of(v) == length_of(*found);
      })) {
    took(call.context, FastPath::kLeaveMap);
    View f;
    f.source = View::Source::kBody;
    f.op = call.op;
    f.word = call.word;
    f.s = view_of(*found)->s;
    f.operands.assign(operands.begin(), operands.end());
    call.results[0] = make_view(std::move(f));
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
    const View* f = view_of(value);
    if (f == nullptr) return run_.whole(std::get<Vector>(value));
    if (const auto known = known_.find(f); known != known_.end()) return known->second;
    if (!f->s.identical(s_) || known_.size() >= kMost) return std::nullopt;
    std::optional<int> made;
    if (f->is_slice()) {
      made = run_.part(f->x, f->base.growth, f->base.list.scalar_int());
    } else {
      made = extreme(*f);
      if (!made) made = map(*f);
    }
    if (made) known_[f] = *made;
    return made;
  }

 private:
  static constexpr std::size_t kMost = 64;

  std::optional<int> map(const View& f) {
    std::vector<int> from;
    for (const Value& operand : f.operands) {
      const std::optional<int> made = add(operand);
      if (!made) return std::nullopt;
      from.push_back(*made);
    }
    return run_.map(f.op, f.word, from);
  }
  // A choice between the two INTs that are compared is the smaller or the larger.
  std::optional<int> extreme(const View& f) {
    const View* flag = op_info(f.op).scalar == Scalar::kSelect ? view_of(f.operands[0]) : nullptr;
    if (flag == nullptr || !flag->is_map() || !compares(flag->op)) return std::nullopt;
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
  std::map<const View*, int> known_;
};

// What several instructions read is written once.
Value write_once(const View& f, const PrimContext& context, std::map<const View*, Value>& known) {
  check_stack();
  if (f.is_slice()) {
    Fresh out(context, f.x.storage(), f.s.total());
    const auto take = kernel_table(context.isa).take_regular[width_index(f.x.storage())];
    take(f.x.raw(), f.base.growth, f.base.list.scalar_int(), f.s.regular_length(), f.s.segments(),
         out.data());
    return out.take();
  }
  std::vector<Value> operands = f.operands;
  for (Value& v : operands) {
    if (!delayed(v)) continue;
    const ViewRef held = std::get<ViewRef>(v);
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

std::optional<SlicesRun> run_of_slices(const PrimContext& context, const Value& low, const Value& high) {
  const Segdes& s = view_of(low)->s;
  SlicesRun made{PartRun(context, s.segments(), s.regular_length()), 0, 0};
  Collector collector(made.run, s);
  const std::optional<int> a = collector.add(low);
  const std::optional<int> b = collector.add(high);
  if (!a || !b) return std::nullopt;
  made.low = *a;
  made.high = *b;
  return made;
}

void write_part(const PrimContext& context, Value& value) {
  if (!delayed(value)) return;
  const ViewRef held = std::get<ViewRef>(value);
  value = materialise(*held, context);
}

Value written_part(const View& f, const PrimContext& context) {
  std::map<const View*, Value> known;
  return write_once(f, context, known);
}

}  // namespace nvm::vm
