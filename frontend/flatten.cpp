#include "frontend/flatten.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/base/cancel.h"
#include "bytecode/base/check.h"
#include "bytecode/base/stack.h"
#include "frontend/tail_parallel.h"

namespace nvm::frontend {

using core::Expr;
using core::ExprKind;
using core::Prim;
using core::TypeKind;
using flat::Atom;
using flat::Atoms;

namespace {

bool may_be_shared(const Val& leaf, const Lanes* root) {
  return leaf.type->kind != TypeKind::kUnit && level_of(leaf, root) == root;
}

}  // namespace

Flattener::Flattener(const core::Program& program, const EmitOptions& options)
    : source_(program), options_(options), facts_(program, options.arg_check) {}

std::int32_t Flattener::flavour(const Flavour& flavour) {
  const auto [it, fresh] = flavours_.emplace(flavour, static_cast<std::int32_t>(todo_.size()));
  if (fresh) {
    const core::Function& f = source_.functions[static_cast<std::size_t>(flavour.function)];
    todo_.push_back(flavour);
    flat::Function empty;
    empty.name = todo_.size() == 1 ? "MAIN" : flat::word_for(f.name, todo_.size());
    empty.origin = f.name;
    out_.functions.push_back(std::move(empty));
  }
  return it->second;
}

bool Flattener::starts_lifted(std::int32_t function) {
  const auto known = starts_lifted_.find(function);
  if (known != starts_lifted_.end()) return known->second;
  const std::vector<bool>& leaves = facts_.of(function).shareable;
  const std::vector<bool> shared = facts_.shared(function, std::vector<bool>(leaves.size(), true));
  const bool starts = !facts_.of(function).effect &&
                      std::find(shared.begin(), shared.end(), true) == shared.end() &&
                      is_tail_parallel(source_, function) && recurs_in_each(source_, function);
  starts_lifted_.emplace(function, starts);
  return starts;
}

std::int32_t Flattener::input(std::uint32_t variable, int slot) {
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (inputs_[i].variable == variable && inputs_[i].slot == slot) return static_cast<std::int32_t>(i);
  inputs_.push_back({variable, slot});
  return static_cast<std::int32_t>(inputs_.size()) - 1;
}

flat::Program Flattener::run() {
  flavour({source_.entry, false, {}});
  for (std::size_t i = 0; i < todo_.size(); ++i) {
    check_cancelled(options_.cancelled);
    flat::Function f = translate(Flavour(todo_[i]));
    flat::Function& slot = out_.functions[i];
    f.name = slot.name;
    f.origin = slot.origin;
    slot = std::move(f);
  }
  flat::hand_over_lengths(out_);
  flat::tell_least_numbers(out_);
  flat::remove_unused(out_);
  return std::move(out_);
}

flat::Function Flattener::translate(const Flavour& flavour) {
  flat::Function f;
  flat::Builder builder(out_, f);
  const FunctionFacts& facts = facts_.of(flavour.function);
  const bool any_shared =
      std::find(flavour.shared.begin(), flavour.shared.end(), true) != flavour.shared.end();
  f.lifted = flavour.lifted && !any_shared && !facts.effect;
  f.tail_parallel = is_tail_parallel(source_, flavour.function);
  Body(*this, builder).run(flavour);
  flat::remove_dead(f);
  return f;
}

void Body::run(const Flavour& flavour) {
  const core::Function& f = all_.source().functions[static_cast<std::size_t>(flavour.function)];
  scope_ = {&f, {}, f.line};
  const core::Type* type = f.variables[static_cast<std::size_t>(f.param)].type;
  // Parameters first, then the descriptor of the instances; but their lanes need the descriptor.
  std::vector<nvm::Type> kinds;
  slot_kinds(type, kinds);
  Atoms params;
  for (const nvm::Type kind : kinds) params.push_back(b_.param(kind));
  const Lanes* frame = ops_.root();
  // Calls that share something in a recursion are made for at least one instance.
  const bool any_shared =
      std::find(flavour.shared.begin(), flavour.shared.end(), true) != flavour.shared.end();
  shares_ = flavour.lifted && any_shared;
  const bool inhabited = any_shared && all_.facts().of(flavour.function).recursive;
  if (flavour.lifted) frame = ops_.elements(ops_.root(), b_.param(nvm::Type::kSegdes), inhabited);
  std::size_t next = 0, leaf = 0;
  const std::function<Val(const core::Type*)> make = [&](const core::Type* t) -> Val {
    if (t->kind == TypeKind::kPair) {
      Val a = make(t->a);
      return LaneOps::pair(std::move(a), make(t->b));
    }
    const bool shared = !flavour.lifted || flavour.shared[leaf];
    ++leaf;
    return ops_.from_slots(t, shared ? ops_.root() : frame, params, next);
  };
  scope_.vars.set(f.param, make(type));
  if (any_shared && !inhabited) scope_.doubtful.insert(f.param);
  const Val result = ops_.settle(eval(*f.body, frame), frame);
  Atoms slots;
  ops_.slots(result, slots);
  b_.finish(std::move(slots));
}

const Lanes* Body::level_of_free(const Expr& e) {
  const Lanes* level = ops_.root();
  for (const std::int32_t v : facts(e).free)
    if (const Val* value = scope_.vars.find(v)) level = deeper(level, level_of(*value, ops_.root()));
  return level;
}

namespace {

// What it gives is made of values of others, which were checked.
bool only_puts_together(core::ExprKind kind) {
  using enum core::ExprKind;
  return kind == kVar || kind == kLet || kind == kPair || kind == kFirst || kind == kSecond;
}

}  // namespace

Val Body::eval(const Expr& e, const Lanes* lanes) {
  check_budget();
  check_stack();
  Val value = evaluated(e, lanes);
  if (only_puts_together(e.kind))
    NVM_CHECK(value.type == e.type, "a value has the type of its expression");
  else
    ops_.check(value, e.type, lanes);
  return value;
}

Val Body::evaluated(const Expr& e, const Lanes* lanes) {
  switch (e.kind) {
    case ExprKind::kVar: return scope_.vars.at(e.id);
    case ExprKind::kUnit: return ops_.unit();
    case ExprKind::kInt:
    case ExprKind::kChar: return ops_.scalar(e.type, ops_.root(), b_.integer(e.number));
    case ExprKind::kFloat: return ops_.scalar(e.type, ops_.root(), b_.real(e.real));
    case ExprKind::kBool: return ops_.boolean(e.number != 0);
    case ExprKind::kString: return constant_string(e.text);
    case ExprKind::kEmpty: return ops_.zero(e.type);
    case ExprKind::kInput: return input(e);
    case ExprKind::kLet: return let(e, lanes);
    case ExprKind::kPair: {
      Val a = eval(*e.kids[0], lanes);
      return LaneOps::pair(std::move(a), eval(*e.kids[1], lanes));
    }
    case ExprKind::kFirst: return Val(eval(*e.kids[0], lanes).kids[0]);
    case ExprKind::kSecond: return Val(eval(*e.kids[0], lanes).kids[1]);
    default: return placed(e, lanes);
  }
}

// Decides on which lanes an expression is evaluated: the outermost that its variables allow. What may fail is
// evaluated there only if an instance would have evaluated it.
Val Body::placed(const Expr& e, const Lanes* lanes) {
  const Origin line = line_;
  if (e.line != 0) line_ = e.line;
  if (line_ == 0) line_ = scope_.line;
  b_.line(line_);
  const ExprFacts& f = facts(e);
  const Lanes* level = f.effect ? lanes : level_of_free(e);
  const bool splits_itself =
      e.kind == ExprKind::kSeq || (e.kind == ExprKind::kCall && all_.facts().of(e.id).inlined) ||
      (e.kind == ExprKind::kPrim && (all_scalar(e.kids[0]->type) || e.prim == Prim::kElt ||
                                     e.prim == Prim::kCheck || e.prim == Prim::kCheckNumbers));
  Val value;
  const bool fails = f.fails || (f.relies && scope_.doubts(f));
  if (level == lanes || (fails && splits_itself))
    value = eval_here(e, lanes);
  else if (!fails)
    value = eval_here(e, level);
  else
    value = guarded(e, level, lanes);
  line_ = line;
  b_.line(line_);
  return value;
}

Val Body::guarded(const Expr& e, const Lanes* level, const Lanes* lanes) {
  if (level != ops_.root()) {
    const Atom sizes = ops_.read_lengths(ops_.segments(lanes, level));
    const Atom none = ops_.at(ops_.integer(0), level);
    const Atom flags = b_.op(Op::kGt, TypeWord::kInt, {sizes, none});
    return all_scalar(e.type) ? split_one(e, {level, flags}, ops_.zero(e.type))
                              : split_both(e, nullptr, {level, flags});
  }
  if (lanes->inhabited) return eval_here(e, level);
  const Atom condition = b_.op(Op::kGt, TypeWord::kInt, {ops_.count(lanes), b_.integer(0)});
  const auto slots = [&](const Val& value) {
    Atoms out;
    ops_.slots(ops_.settle(value, level), out);
    return out;
  };
  const Atoms results = b_.branch(
      condition, [&] { return slots(eval_here(e, level)); }, [&] { return slots(ops_.zero(e.type)); });
  std::size_t next = 0;
  return ops_.from_slots(e.type, level, results, next);
}

Val Body::eval_here(const Expr& e, const Lanes* lanes) {
  switch (e.kind) {
    case ExprKind::kIf: return conditional(e, lanes);
    case ExprKind::kCall: return call(e, lanes);
    case ExprKind::kPrim: return prim(e, lanes);
    case ExprKind::kSeq: return literal(e, lanes);
    case ExprKind::kEach: return each(e, lanes);
    case ExprKind::kTime: return time(e, lanes);
    default: return evaluated(e, lanes);
  }
}

Val Body::constant_string(const std::string& text) {
  Constant codes{TypeWord::kChar, {}, {}};
  for (const char c : text) codes.ints.push_back(static_cast<unsigned char>(c));
  const auto length = static_cast<std::int64_t>(text.size());
  const Lanes* lanes = ops_.elements(ops_.root(), b_.constant({TypeWord::kSegdes, {length}, {}}));
  return ops_.sequence(lanes, ops_.scalar(core::base_type(TypeKind::kChar), lanes, b_.constant(codes)));
}

Val Body::input(const Expr& e) {
  std::vector<nvm::Type> kinds;
  slot_kinds(e.type, kinds);
  Atoms slots;
  std::vector<bool> single;
  single_slots(e.type, single);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Constant constant;
    constant.is_single = single[i];
    constant.word = word_of(kinds[i]);
    constant.input = all_.input(static_cast<std::uint32_t>(e.id), static_cast<int>(i));
    slots.push_back(b_.constant(constant));
  }
  std::size_t next = 0;
  return ops_.from_slots(e.type, ops_.root(), slots, next);
}

// A value that may vary over the instances is bound as it is: outer parts stay outside.
Val Body::let(const Expr& e, const Lanes* lanes) {
  const Expr* rest = &e;  // a chain of bindings may be longer than any stack is deep
  for (; rest->kind == ExprKind::kLet; rest = rest->kids[1].get()) {
    scope_.vars.set(rest->id, eval(*rest->kids[0], lanes));
    if (scope_.doubts(facts(*rest->kids[0]))) scope_.doubtful.insert(rest->id);
  }
  return eval(*rest, lanes);
}

void Body::leaves(const Val& value, std::vector<Val>& out) {
  check_stack();
  if (value.type->kind != TypeKind::kPair) {
    out.push_back(value);
    return;
  }
  leaves(value.kids[0], out);
  leaves(value.kids[1], out);
}

Val Body::call(const Expr& e, const Lanes* lanes) {
  Val argument = eval(*e.kids[0], lanes);
  const FunctionFacts& f = all_.facts().of(e.id);
  if (f.inlined) return inlined(e, std::move(argument), lanes);
  std::vector<Val> parts;
  leaves(argument, parts);
  const bool starts_lifted = lanes == ops_.root() && all_.starts_lifted(e.id);
  Flavour flavour{e.id, starts_lifted || lanes != ops_.root(), {}};
  if (starts_lifted) {
    flavour.shared.assign(parts.size(), false);
  } else if (flavour.lifted) {
    for (const Val& part : parts) flavour.shared.push_back(may_be_shared(part, ops_.root()));
    flavour.shared = all_.facts().shared(e.id, std::move(flavour.shared));
  }
  const bool any_shared =
      std::find(flavour.shared.begin(), flavour.shared.end(), true) != flavour.shared.end();
  std::vector<nvm::Type> kinds;
  slot_kinds(e.type, kinds);
  const std::int32_t callee = all_.flavour(flavour);
  const auto perform = [&] {
    Atoms args;
    for (std::size_t i = 0; i < parts.size(); ++i)
      ops_.slots(ops_.settle(parts[i], flavour.lifted && flavour.shared[i] ? ops_.root() : lanes), args);
    if (flavour.lifted) args.push_back(starts_lifted ? ops_.ones(lanes) : ops_.whole(lanes));
    return b_.call(callee, std::move(args), kinds, f.effect || f.fails);
  };
  // A recursion ends for want of instances. In a branch that was asked already, of the instances that the
  // branch is for; what they share says nothing of them.
  const bool asks = f.recursive && lanes != ops_.root() && !lanes->inhabited && (any_shared || !taken_);
  Atoms results;
  if (asks) {
    const Atom condition = b_.op(Op::kGt, TypeWord::kInt, {ops_.count(lanes), b_.integer(0)});
    const auto nothing = [&] {
      Atoms slots;
      ops_.empty_slots(e.type, slots);
      return slots;
    };
    results = b_.branch(condition, perform, nothing);
  } else {
    results = perform();
  }
  std::size_t next = 0;
  return ops_.from_slots(e.type, lanes, results, next);
}

Val Body::inlined(const Expr& e, Val argument, const Lanes* lanes) {
  const core::Function& f = all_.source().functions[static_cast<std::size_t>(e.id)];
  const bool doubtful = scope_.doubts(facts(*e.kids[0]));
  Scope outer = std::move(scope_);
  scope_ = {&f, {}, line_};
  scope_.vars.set(f.param, std::move(argument));
  if (doubtful) scope_.doubtful.insert(f.param);
  Val result = eval(*f.body, lanes);
  scope_ = std::move(outer);
  return result;
}

Val Body::time(const Expr& e, const Lanes* lanes) {
  b_.emit(Op::kStartTimer);
  Val value = eval(*e.kids[0], lanes);
  value = ops_.settle(value, level(value));
  Atoms slots;  // the whole value is made while the clock runs, whatever of it is used
  ops_.slots(value, slots);
  for (const Atom slot : slots) b_.keep(slot);
  const Atom seconds = b_.op(Op::kStopTimer, TypeWord::kNone, {});
  return LaneOps::pair(std::move(value),
                       ops_.scalar(core::base_type(TypeKind::kFloat), ops_.root(), seconds));
}

}  // namespace nvm::frontend
