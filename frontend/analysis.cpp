#include "frontend/analysis.h"

#include "bytecode/base/stack.h"

#include <algorithm>

#include "bytecode/base/budget.h"
#include "bytecode/table/ranges.h"
#include "frontend/outline.h"

namespace nvm::frontend {
namespace {

using core::Expr;
using core::ExprKind;
using core::TypeKind;

constexpr int kInlineWeight = 80;  // a function of so many nodes is copied into its callers

// For some operands the primitive never fails: floats are divided unchecked or by a constant, say.
bool never_faults(const Expr& e, bool arg_check) {
  switch (e.prim) {
    case core::Prim::kSqrt:
    case core::Prim::kLn: return !arg_check;
    case core::Prim::kDiv:
    case core::Prim::kDivInternal:
    case core::Prim::kRem: break;
    default: return false;
  }
  const bool unchecked = !arg_check || e.prim == core::Prim::kDivInternal;
  if (e.type->kind == TypeKind::kFloat && unchecked) return true;
  if (e.kids[0]->kind != ExprKind::kPair) return false;
  const Expr& divisor = *e.kids[0]->kids[1];
  return (divisor.kind == ExprKind::kInt && divides_all(divisor.number)) ||
         (divisor.kind == ExprKind::kFloat && divisor.real != 0.0);
}

int leaf_count(const core::Type* type) {
  check_stack();
  return type->kind == TypeKind::kPair ? leaf_count(type->a) + leaf_count(type->b) : 1;
}

// Which leaves of the function's argument a value depends on, by component of the value.
class Dependence {
 public:
  using Mask = std::uint64_t;
  static constexpr Mask kLocal = 1ULL << 63;  // on the instance in some other way
  struct Shape {
    Mask mask = 0;
    std::vector<Shape> parts;  // pair: both
    bool leaf = false;         // exactly the leaf that the mask tells
  };
  struct Call {
    std::vector<Shape> leaves;  // of the argument
    Mask control = 0;           // what decides whether the call happens
  };

  Dependence(const Analysis& facts, std::int32_t self, std::vector<Call>& calls)
      : facts_(facts), self_(self), calls_(calls) {}

  static Shape leaves(const core::Type* type, int& next) {
    check_stack();
    if (type->kind != TypeKind::kPair) return {1ULL << std::min(next++, 62), {}, true};
    Shape a = leaves(type->a, next);
    return join(std::move(a), leaves(type->b, next));
  }
  void bind(std::int32_t variable, Shape shape) { env_[variable] = std::move(shape); }

  Shape visit(const Expr& e) {
    check_stack();
    switch (e.kind) {
      case ExprKind::kVar: return env_.contains(e.id) ? env_[e.id] : Shape{kLocal, {}};
      case ExprKind::kLet: {
        Shape value = visit(*e.kids[0]);
        env_[e.id] = std::move(value);
        return visit(*e.kids[1]);
      }
      case ExprKind::kPair: {
        Shape a = visit(*e.kids[0]);
        return join(std::move(a), visit(*e.kids[1]));
      }
      case ExprKind::kFirst:
      case ExprKind::kSecond: {
        const Shape whole = visit(*e.kids[0]);
        if (whole.parts.empty()) return whole;
        return whole.parts[e.kind == ExprKind::kFirst ? 0 : 1];
      }
      case ExprKind::kEach: {
        Mask mask = 0;
        for (std::size_t i = 0; i < e.vars.size(); ++i) mask |= all(visit(*e.kids[i]));
        for (const std::int32_t v : e.vars) env_[v] = {kLocal, {}};
        for (std::size_t i = e.vars.size(); i < e.kids.size(); ++i) mask |= all(visit(*e.kids[i])) & ~kLocal;
        return {facts_.of(e).effect ? kLocal : mask, {}};
      }
      default: return other(e);
    }
  }

 private:
  static Shape join(Shape a, Shape b) {
    Shape both{a.mask | b.mask, {}};
    both.parts.push_back(std::move(a));
    both.parts.push_back(std::move(b));
    return both;
  }
  static Mask all(const Shape& shape) {
    check_stack();
    Mask mask = shape.mask;
    for (const Shape& part : shape.parts) mask |= all(part);
    return mask;
  }
  static void flatten(const Shape& shape, const core::Type* type, std::vector<Shape>& out) {
    check_stack();
    if (type->kind != TypeKind::kPair) {
      out.push_back({all(shape), {}, shape.leaf});
      return;
    }
    flatten(shape.parts.empty() ? shape : shape.parts[0], type->a, out);
    flatten(shape.parts.empty() ? shape : shape.parts[1], type->b, out);
  }

  Shape other(const Expr& e) {
    Mask mask = 0;
    const Mask outside = control_;
    for (const auto& kid : e.kids) {
      const Shape shape = visit(*kid);
      mask |= all(shape);
      if (e.kind == ExprKind::kIf) control_ = outside | mask;
      if (e.kind == ExprKind::kCall && e.id == self_) {
        calls_.push_back({{}, control_});
        flatten(shape, kid->type, calls_.back().leaves);
      }
    }
    control_ = outside;
    return {facts_.of(e).effect ? kLocal : mask, {}};
  }

  const Analysis& facts_;
  std::int32_t self_;
  std::vector<Call>& calls_;
  Mask control_ = 0;
  std::unordered_map<std::int32_t, Shape> env_;
};

void add_sorted(std::vector<std::int32_t>& into, const std::vector<std::int32_t>& more,
                const std::vector<std::int32_t>& except) {
  for (const std::int32_t v : more) {
    if (std::find(except.begin(), except.end(), v) != except.end()) continue;
    const auto at = std::lower_bound(into.begin(), into.end(), v);
    if (at == into.end() || *at != v) into.insert(at, v);
  }
}

}  // namespace

Analysis::Analysis(const core::Program& program, bool arg_check)
    : program_(program), arg_check_(arg_check), calls_(program) {
  functions_.resize(program.functions.size());
  find_recursion();
  summarise();
  for (std::size_t i = 0; i < functions_.size(); ++i) find_shareable(static_cast<std::int32_t>(i));
}

void Analysis::find_recursion() {
  for (std::size_t i = 0; i < functions_.size(); ++i)
    functions_[i].recursive = functions_[i].recurs = functions_[i].fails = calls_.recursive[i];
  for (const std::int32_t f : calls_.order)  // all of a cycle are recursive
    for (const std::int32_t g : calls_.callees[static_cast<std::size_t>(f)])
      if (of(g).recurs) functions_[static_cast<std::size_t>(f)].recurs = true;
}

// Callees before callers. Where functions call each other, repeats until effects and failures no longer
// change.
void Analysis::summarise() {
  for (bool first = true, changed = true; changed; first = false) {
    changed = false;
    for (const std::int32_t number : calls_.order) {
      FunctionFacts& f = functions_[static_cast<std::size_t>(number)];
      if (!first && !f.recurs) continue;
      const ExprFacts& body = visit(*program_.functions[static_cast<std::size_t>(number)].body);
      if (first) {
        f.weight = body.weight;
        f.inlined = !f.recursive && f.weight <= kInlineWeight &&
                    !ends_timed(*program_.functions[static_cast<std::size_t>(number)].body);
      }
      changed = changed || (f.recurs && ((body.effect && !f.effect) || (body.fails && !f.fails)));
      f.effect = f.effect || body.effect;
      f.fails = f.fails || body.fails;
    }
  }
}

const ExprFacts& Analysis::visit(const Expr& e) {
  check_budget();
  check_stack();
  ExprFacts facts;
  facts.weight = 1;
  const bool implicit = arg_check_ && !program_.sound;
  facts.scalar = !e.type->has_sequences && e.kind != ExprKind::kCall && e.kind != ExprKind::kTime;
  const std::vector<std::int32_t> none;
  for (std::size_t i = 0; i < e.kids.size(); ++i) {
    const ExprFacts kid = visit(*e.kids[i]);
    facts.effect = facts.effect || kid.effect;
    facts.fails = facts.fails || kid.fails;
    facts.relies = facts.relies || kid.relies;
    facts.recurs = facts.recurs || kid.recurs;
    facts.scalar = facts.scalar && kid.scalar;
    facts.weight += kid.weight;
    const bool in_let = e.kind == ExprKind::kLet && i == 1;
    const bool in_each = e.kind == ExprKind::kEach && i >= e.vars.size();
    add_sorted(facts.free, kid.free, in_let ? std::vector<std::int32_t>{e.id} : in_each ? e.vars : none);
  }
  switch (e.kind) {
    case ExprKind::kVar: facts.free = {e.id}; break;
    case ExprKind::kTime: facts.effect = true; break;
    case ExprKind::kEach:
      facts.fails = facts.fails || (e.vars.size() > 1 && implicit);
      facts.relies = facts.relies || (e.vars.size() > 1 && program_.sound);
      break;
    case ExprKind::kPrim: {
      const core::PrimEffect effect = core::prim_info(e.prim).effect;
      const bool check = e.prim == core::Prim::kCheck || e.prim == core::Prim::kCheckNumbers;
      facts.effect = facts.effect || (effect == core::PrimEffect::kEffect && !check);
      const bool fits = program_.sound && (e.prim == core::Prim::kPartition || e.prim == core::Prim::kZip);
      facts.relies = facts.relies || fits;
      facts.fails = facts.fails ||
                    (effect == core::PrimEffect::kFaults && !fits && !never_faults(e, implicit)) ||
                    (check && arg_check_);
      break;
    }
    case ExprKind::kCall: {
      const FunctionFacts& f = functions_[static_cast<std::size_t>(e.id)];
      facts.effect = facts.effect || f.effect;
      facts.fails = facts.fails || f.fails;
      facts.recurs = facts.recurs || f.recurs;
      if (f.inlined) facts.weight += f.weight;
      break;
    }
    default: break;
  }
  return exprs_[&e] = std::move(facts);
}

void Analysis::find_shareable(std::int32_t function) {
  const core::Function& f = program_.functions[static_cast<std::size_t>(function)];
  FunctionFacts& facts = functions_[static_cast<std::size_t>(function)];
  const core::Type* type = f.variables[static_cast<std::size_t>(f.param)].type;
  const int leaves = leaf_count(type);
  facts.shareable.assign(static_cast<std::size_t>(leaves), leaves <= 60);
  if (!facts.recursive || leaves > 60) return;
  const auto& callees = calls_.callees[static_cast<std::size_t>(function)];
  const bool mutual = std::any_of(callees.begin(), callees.end(), [&](std::int32_t g) {
    const auto& back = calls_.callees[static_cast<std::size_t>(g)];
    return g != function && of(g).recursive && std::binary_search(back.begin(), back.end(), function);
  });
  std::vector<Dependence::Call> calls;
  Dependence dependence(*this, function, calls);
  int next = 0;
  dependence.bind(f.param, Dependence::leaves(type, next));
  dependence.visit(*f.body);
  if (mutual || calls.empty()) {
    facts.shareable.assign(static_cast<std::size_t>(leaves), false);
    return;
  }
  for (const Dependence::Call& call : calls)
    for (std::size_t i = 0; i < call.leaves.size(); ++i) {
      // With several calls, instances that part ways would go each way one after the other.
      const Dependence::Shape& leaf = call.leaves[i];
      const bool same = leaf.leaf && leaf.mask == 1ULL << i;
      facts.needs.resize(call.leaves.size());
      facts.needs[i] |= leaf.mask | (calls.size() > 1 && !same ? call.control : 0);
    }
}

std::vector<bool> Analysis::shared(std::int32_t function, std::vector<bool> candidates) const {
  const FunctionFacts& facts = of(function);
  for (std::size_t i = 0; i < candidates.size(); ++i) candidates[i] = candidates[i] && facts.shareable[i];
  for (bool changed = !facts.needs.empty(); changed;) {
    changed = false;
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i]) mask |= 1ULL << i;
    for (std::size_t i = 0; i < candidates.size(); ++i)
      if (candidates[i] && (facts.needs[i] & ~mask) != 0) {
        candidates[i] = false;
        changed = true;
      }
  }
  return candidates;
}

}  // namespace nvm::frontend
