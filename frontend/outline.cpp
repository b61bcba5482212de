#include "frontend/outline.h"

#include <set>
#include <utility>

#include "bytecode/base/stack.h"

namespace nvm::frontend {
namespace {

using core::Expr;
using core::ExprKind;
using core::ExprPtr;

void find_free(const Expr& e, std::set<std::int32_t> bound, std::set<std::int32_t>& out) {
  check_stack();
  if (e.kind == ExprKind::kVar && !bound.contains(e.id)) out.insert(e.id);
  for (std::size_t i = 0; i < e.kids.size(); ++i) {
    if (e.kind == ExprKind::kLet && i == 1) bound.insert(e.id);
    if (e.kind == ExprKind::kEach && i == e.vars.size()) bound.insert(e.vars.begin(), e.vars.end());
    find_free(*e.kids[i], bound, out);
  }
}

bool is_part(const Expr& e) {
  return e.kind == ExprKind::kVar ||
         ((e.kind == ExprKind::kFirst || e.kind == ExprKind::kSecond) && is_part(*e.kids[0]));
}

class Outlining {
 public:
  explicit Outlining(core::Program& program) : program_(program) {}

  void run() {
    for (std::size_t f = 0; f < program_.functions.size(); ++f) {  // those that it makes, too
      function_ = f;
      ExprPtr body = std::move(program_.functions[f].body);
      visit(body, ends_timed(*body));
      program_.functions[f].body = std::move(body);
    }
  }

 private:
  // `alone`: it is all that the function does but for taking its argument apart.
  void visit(ExprPtr& e, bool alone) {
    check_stack();
    for (std::size_t i = 0; i < e->kids.size(); ++i)
      visit(e->kids[i], alone && e->kind == ExprKind::kLet && i == 1);
    if (e->kind == ExprKind::kTime && !alone) e = outlined(std::move(e));
  }

  static ExprPtr node(ExprKind kind, const Expr& like, const core::Type* type) {
    auto e = std::make_unique<Expr>();
    e->kind = kind;
    e->type = type;
    e->line = like.line;
    return e;
  }
  ExprPtr variable(std::int32_t id, const Expr& like) const {
    ExprPtr e = node(ExprKind::kVar, like,
                     program_.functions[function_].variables[static_cast<std::size_t>(id)].type);
    e->id = id;
    return e;
  }

  ExprPtr outlined(ExprPtr timed) {
    std::set<std::int32_t> free;
    find_free(*timed, {}, free);
    const core::Function& from = program_.functions[function_];
    core::Function made{from.name + "__time", from.builtin, from.line, from.variables, 0, nullptr};
    made.param = static_cast<std::int32_t>(made.variables.size());
    ExprPtr argument = node(ExprKind::kUnit, *timed, core::base_type(core::TypeKind::kUnit));
    for (const std::int32_t v : free) {  // ((unit, first), second) ...
      ExprPtr value = variable(v, *timed);
      const core::Type* both = core::pair_type(argument->type, value->type);
      ExprPtr pair = node(ExprKind::kPair, *timed, both);
      pair->kids.push_back(std::move(argument));
      pair->kids.push_back(std::move(value));
      argument = std::move(pair);
    }
    made.variables.push_back({argument->type, "arguments"});
    ExprPtr call = node(ExprKind::kCall, *timed, timed->type);
    call->id = static_cast<std::int32_t>(program_.functions.size());
    made.body = unpacked(std::move(timed), free, made.param, argument->type);
    call->kids.push_back(std::move(argument));
    program_.functions.push_back(std::move(made));
    return call;
  }

  // let v = first(... of the argument), for each variable, in time(e).
  ExprPtr unpacked(ExprPtr timed, const std::set<std::int32_t>& free, std::int32_t param,
                   const core::Type* type) const {
    std::vector<ExprPtr> values;
    Expr like;
    like.line = timed->line;
    for (std::size_t above = 0; above < free.size(); ++above) {
      ExprPtr value = node(ExprKind::kVar, like, type);
      value->id = param;
      for (std::size_t i = 0; i <= above; ++i) {
        const bool last = i == above;
        const core::Type* part = last ? value->type->b : value->type->a;
        ExprPtr taken = node(last ? ExprKind::kSecond : ExprKind::kFirst, like, part);
        taken->kids.push_back(std::move(value));
        value = std::move(taken);
      }
      values.push_back(std::move(value));  // the last variable first
    }
    ExprPtr body = std::move(timed);
    for (const std::int32_t v : free) {
      ExprPtr let = node(ExprKind::kLet, *body, body->type);
      let->id = v;
      let->kids.push_back(std::move(values.back()));
      values.pop_back();
      let->kids.push_back(std::move(body));
      body = std::move(let);
    }
    return body;
  }

  core::Program& program_;
  std::size_t function_ = 0;
};

}  // namespace

bool ends_timed(const Expr& body) {
  const Expr* e = &body;
  while (e->kind == ExprKind::kLet && is_part(*e->kids[0])) e = e->kids[1].get();
  return e->kind == ExprKind::kTime;
}

void outline_timed(core::Program& program) { Outlining(program).run(); }

}  // namespace nvm::frontend
